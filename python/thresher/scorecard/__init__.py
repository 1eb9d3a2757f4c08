"""Score-card practice: binning tables, scaling to points, reasons of decisions, monitoring."""
