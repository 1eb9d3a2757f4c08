"""What cross-validation of patterns costs beside one path, and what a second thread gives.

usage: python benches/paper/folds.py [--data NAME ..] [--repeat 3]

  --data    sets of pattern_sets.py: splice (at most 3 items) and cpdb (at most 7 edges) unless told otherwise
  --repeat  runs of each fit; the least time of them counts, since a shared machine only ever adds

Five folds, 100 strengths down to a hundredth of the first. "CV / path" is in CPU seconds on one
thread; "2 threads" is wall-clock time on one thread over that on two, which needs an idle machine.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
import datasets
from common import table, write_record
from pattern_sets import estimator, load

SIZE = {"splice": 3, "splice-lasso": 3, "a9a": 3, "cpdb": 7, "bergstrom": 7}


def least(fit, repeat):
    """The least CPU and wall-clock seconds of several runs."""
    times = []
    for _ in range(repeat):
        cpu, wall = time.process_time(), time.perf_counter()
        fit()
        times.append((time.process_time() - cpu, time.perf_counter() - wall))
    return min(t[0] for t in times), min(t[1] for t in times)


def row(name, repeat):
    """One line of the table."""
    X, y = load(name)
    model = estimator(name, SIZE[name]).set_params(alpha="cv", cv=5)
    took = {}
    for jobs in (1, 2):
        model.set_params(n_jobs=jobs)
        took["path", jobs] = least(lambda: model.fit_path(X, y), repeat)
        took["cv", jobs] = least(lambda: model.fit(X, y), repeat)
    path, cv = took["path", 1][0], took["cv", 1][0]
    gains = [took[kind, 1][1] / took[kind, 2][1] for kind in ("path", "cv")]
    cells = [name, SIZE[name], f"{path:.2f}", f"{cv:.2f}", f"{cv / path:.2f}"]
    return [*cells, *(f"{gain:.2f}" for gain in gains)]


def main():
    """Measure each set and write the record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="*", default=["splice", "cpdb"], choices=list(SIZE))
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    if not datasets.have_files():
        sys.exit("no data folder: set THRESHER_DATA")
    header = ["data", "at most", "path CPU s", "CV CPU s", "CV / path", "path, 2 threads", "CV, 2 threads"]
    body = table(header, [row(name, options.repeat) for name in options.data])
    print(body)
    print("written:", write_record("pattern-folds", "Patterns: cross-validation beside one path", body))


if __name__ == "__main__":
    main()
