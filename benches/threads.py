"""Wall seconds of fits by number of threads, and whether the models are the same bits.

usage: python benches/threads.py [--case TEXT ...] [--repeats N] [THREADS ...]

Fits of less than three seconds run `--repeats` times, of which the best is taken. The last row is the limit
of the machine: the throughput of as many processes as threads, each with one thread and a fit of its own.
"""

import argparse
import multiprocessing
import time
import warnings

import numpy as np

import thresher

RNG = np.random.default_rng(0)


def table(rows, columns, classes=False):
    """Normal columns, and a response of steps, a product and noise."""
    X = RNG.normal(size=(rows, columns))
    signal = (X[:, 0] > 0) + X[:, 1] * (X[:, 2] > 0.5) + 0.5 * X[:, 3]
    y = signal + RNG.normal(size=rows)
    return X, (y > np.median(y)).astype(int) if classes else y


def items(rows, symbols, density):
    """A 0/1 matrix, and a response of pairs."""
    X = (RNG.random((rows, symbols)) < density).astype(np.uint8)
    return X, X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3] * 1.0 + RNG.normal(size=rows)


def sequences(rows, events, symbols):
    """Uniform events, and a response of one of them."""
    X = RNG.integers(0, symbols, (rows, events)).tolist()
    return X, np.array([0.3 * record.count(0) for record in X]) + RNG.normal(size=rows)


CASES = {
    "rules, 100,000 x 20, pairs, path": (
        lambda: table(100_000, 20),
        thresher.RuleRegressor(max_features=2, n_alphas=10, alpha_min_ratio=0.05),
        "fit_path",
    ),
    "rules, 5,000 x 20, pairs, cross-validation": (
        lambda: table(5_000, 20),
        thresher.RuleRegressor(max_features=2),
        "fit",
    ),
    "rules, 10,000 x 20, pairs, classes, path": (
        lambda: table(10_000, 20, True),
        thresher.RuleClassifier(max_features=2, n_alphas=10, alpha_min_ratio=0.05),
        "fit_path",
    ),
    "score card, 200,000 x 20, one penalty": (
        lambda: table(200_000, 20, True),
        thresher.L0AdditiveClassifier(lambda0=50.0),
        "fit",
    ),
    "score card, 2,000 x 20, cross-validation": (
        lambda: table(2_000, 20, True),
        thresher.L0AdditiveClassifier(),
        "fit",
    ),
    "best subsets, 5,000 x 100, cross-validation": (
        lambda: table(5_000, 100, True),
        thresher.L0Classifier(),
        "fit",
    ),
    "item-sets, 2,000 x 100 at .3, three items": (
        lambda: items(2_000, 100, 0.3),
        thresher.ItemsetRegressor(max_items=3, n_alphas=20),
        "fit_path",
    ),
    "sequences, 5,000 x 30 of 50, length 3": (
        lambda: sequences(5_000, 30, 50),
        thresher.SequenceRegressor(max_length=3, n_alphas=10),
        "fit_path",
    ),
    "hierarchies, 300 x 6, cross-validation": (
        lambda: table(300, 6),
        thresher.HierarchicalRuleRegressor(bins=("uniform", 5)),
        "fit",
    ),
    "factorization machine, 50,000 x 50": (
        lambda: table(1_000, 50),
        thresher.FactorizationMachineRegressor(max_iter=20),
        "fit",
    ),
}


#: The case of the last row.
INDEPENDENT = "rules, 5,000 x 20, pairs, cross-validation"
#: Seconds from which on a fit runs once.
LONG = 3.0


def data(names):
    """The data of some cases; all are drawn, so that they do not depend on the choice."""
    drawn = {name: make() for name, (make, _, _) in CASES.items()}
    return {name: drawn[name] for name in names}


def fit(name, X, y, n_jobs):
    """The model and the seconds of a fit."""
    _, estimator, method = CASES[name]
    model = estimator.set_params(n_jobs=n_jobs)
    begin = time.perf_counter()
    getattr(model, method)(X, y)
    return model, time.perf_counter() - begin


def best_fit(name, X, y, n_jobs, repeats):
    """The model and the seconds of the fastest of some fits."""
    model, seconds = fit(name, X, y, n_jobs)
    for _ in range(repeats - 1 if seconds < LONG else 0):
        seconds = min(seconds, fit(name, X, y, n_jobs)[1])
    return model, seconds


def fit_alone(barrier):
    """Fits once to load everything, and again when all processes are ready; the seconds of that."""
    warnings.simplefilter("ignore")
    X, y = data([INDEPENDENT])[INDEPENDENT]
    fit(INDEPENDENT, X[:500], y[:500], 1)
    barrier.wait()
    return fit(INDEPENDENT, X, y, 1)[1]


def independent(count):
    """Seconds for each fit where `count` processes fit at the same time."""
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, context.Pool(count) as pool:
        barrier = manager.Barrier(count)
        return max(pool.map(fit_alone, [barrier] * count, chunksize=1)) / count


def row(name, seconds, same):
    """A row of the table."""
    cells = [f"{seconds[0]:.2f}"] + [f"{one:.2f} ({seconds[0] / one:.1f}x)" for one in seconds[1:]]
    return f"| {name} | " + " | ".join(cells) + f" | {same} |"


def main():
    """Print a row for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--case", action="append", default=[], help="cases whose name contains this text")
    parser.add_argument("--repeats", type=int, default=3, help="number of fits of a short case")
    options = parser.parse_args()
    counts = options.threads
    chosen = [name for name in CASES if not options.case or any(text in name for text in options.case)]
    warnings.simplefilter("ignore")
    print("| case | " + " | ".join(f"{count}" for count in counts) + " | same |", flush=True)
    print("|---|" + "---|" * (len(counts) + 1), flush=True)
    for name, (X, y) in data(chosen).items():
        seconds, models = [], []
        for count in counts:
            model, best = best_fit(name, X, y, count, options.repeats)
            seconds.append(best)
            models.append(model.predict(X).tobytes())
        print(row(name, seconds, len(set(models)) == 1), flush=True)
    print(row("limit of the machine", [independent(count) for count in counts], "-"), flush=True)


if __name__ == "__main__":
    main()
