"""What a fitted model says: rules, patterns, certificates, paths, prices, tables."""
