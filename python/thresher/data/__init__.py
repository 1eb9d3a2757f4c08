"""Conversion and validation of tables, records, targets and weights."""
