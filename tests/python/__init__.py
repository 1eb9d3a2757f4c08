"""Tests of one family or one part of the package."""
