"""Best subsets side by side on the same data: time, objective and accuracy in one table.

usage: python benches/compare/l0.py [thresholded] [continuous] [small-models]
           [--data NAME ..] [--models NAME ..] [--splits 5] [--reuse-peers] [--timeout 600]

  thresholded   every threshold of integer columns (COMPAS, a table of FICO's shape, FICO itself where
                it is at hand), eight prices, logistic and exponential loss
  continuous    correlated normal columns, classes and regression: support recovery and time
  small-models  COMPAS, five folds: AUC of at most 20 steps beside boosting and EBM

Peers run in their own environment and every measurement in a process of its own, as in rules.py.
"""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]
import l0_suites
import runner

if __name__ == "__main__":
    runner.main(__doc__, l0_suites.SUITES, prefix="l0")
