"""Slow twins: what the product computes, computed again in the most obvious way."""
