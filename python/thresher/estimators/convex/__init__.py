"""What the estimators with a certificate over every pattern share, whatever the patterns are."""
