"""Tests in a real browser, run by `make test-browser`."""

collect_ignore_glob = ["*.py"]
