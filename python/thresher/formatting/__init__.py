"""Formatting of numbers, names and sentences."""
