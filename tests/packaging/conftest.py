"""Programs of their own, run by `make test-wheel`."""

collect_ignore_glob = ["*.py"]
