"""Run the command line by ``python -m thresher``."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
