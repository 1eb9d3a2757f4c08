"""What every estimator and every loss promises: the same tests for all, from one list of members."""
