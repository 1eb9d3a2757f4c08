"""Rule models side by side on the same data: time, accuracy and number of rules in one table.

usage: python benches/compare/rules.py [accuracy] [all-rules] [large] [threads] [strategies] [readability]
           [--data NAME ..] [--models NAME ..] [--splits 5] [--reuse-peers] [--timeout 600]

Peers run in their own environment (.venv-peers, made by ``make bench-peers``), we in the one that
runs this script unless --ours says otherwise. Every measurement is a process of its own with the
same number of threads (one, unless the suite is about threads). Results of the peers are kept in
benches/record/peers.jsonl; --reuse-peers takes them from there when the data are bit for bit the
same, so that only our side runs. Tables are printed and written to benches/record/.
"""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]
import runner
import suites

if __name__ == "__main__":
    runner.main(__doc__, suites.SUITES)
