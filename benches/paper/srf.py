"""The experiments 1 to 5 of Safe RuleFit with our estimators, beside the paper's figures.

usage: python benches/paper/srf.py EXPERIMENT [--quick] [--data NAME ..] [--splits 10] [--jobs 2]

  1  accuracy over random splits (Table 3)      4  growth with bins, columns, conditions (Figure 7)
  2  similarity of rule sets (Table 4)          5  with and without linear terms (Figure 8)
  3  time and nodes up to 100 rules (Table 5)

--quick takes fewer data sets, splits and settings, to see that everything runs. Each experiment
writes a record to benches/record/. The sets come from the folder THRESHER_DATA (see datasets.py).

References
----------
Kato, Hanada, Takeuchi, "Safe RuleFit: Learning Optimal Sparse Rule Model by Meta Safe Screening".
"""

import argparse
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]
import accuracy
import cost
import similarity
from common import write_record

EXPERIMENTS = {
    "1": ("Experiment 1: accuracy (Table 3)", accuracy.experiment1),
    "2": ("Experiment 2: similarity of rule sets (Table 4)", similarity.experiment2),
    "3": ("Experiment 3: time and nodes up to 100 rules (Table 5)", cost.experiment3),
    "4": ("Experiment 4: growth with bins, columns and conditions (Figure 7)", cost.experiment4),
    "5": ("Experiment 5: with and without linear terms (Figure 8)", accuracy.experiment5),
}


def main():
    """Runs the experiments asked for, in order."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("experiment", nargs="+", choices=[*EXPERIMENTS, "all"])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", nargs="*", default=None)
    parser.add_argument(
        "--splits", type=int, default=None, help="random splits or seeds (10; 2 with --quick)"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-record", action="store_true")
    options = parser.parse_args()
    options.splits = options.splits or (2 if options.quick else 10)
    for name in list(EXPERIMENTS) if "all" in options.experiment else options.experiment:
        title, run = EXPERIMENTS[name]
        body = run(options)
        print(f"\n## {title}\n\n{body}\n", flush=True)
        if not options.no_record:
            suffix = "-quick" if options.quick else ""
            print(
                "written:",
                write_record(
                    f"srf-{name}{suffix}", f"Safe RuleFit, {title[0].lower()}{title[1:]}", body
                ).name,
            )


if __name__ == "__main__":
    main()
