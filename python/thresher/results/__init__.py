"""Results of a fitted model: rules, patterns, certificates, paths, prices, tables."""
