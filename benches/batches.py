"""Many fits: one after the other, in threads, in processes of loky, and on a Dask cluster of this machine.

usage: python benches/batches.py [--fits 200] [--workers 2] [--repeats 3] [--record]

Each way fits the same tasks of 1,000 rows and 20 columns, once to start its workers and then `repeats` times
in turn with the others. All predictions have to be equal. The machine may have other work beside it: the CPU
seconds of this process and its workers (Linux only) say more of what a way costs than the wall seconds.
"""

import argparse
import contextlib
import os
import time
from pathlib import Path

import numpy as np
from common import machine, table, write_record
from joblib import parallel_config

from thresher import L0Regressor, RuleRegressor, fit_many

ROWS, COLUMNS = 1_000, 20
ESTIMATORS = {
    "rules of 2 conditions": RuleRegressor(alpha=0.05, max_features=2),
    "best subset of columns": L0Regressor(lambda0=10.0),
}


def tasks_of(count, *, is_shared):
    """Tasks with a table each, or with one table and several targets."""
    rng = np.random.default_rng(0)
    tasks, X = [], None
    for _ in range(count):
        if X is None or not is_shared:
            X = rng.normal(size=(ROWS, COLUMNS))
        j, k = rng.integers(0, COLUMNS, 2)
        tasks.append((X, 2.0 * ((X[:, j] > 0) & (X[:, k] > -0.5)) + X[:, k] + rng.normal(size=ROWS)))
    return tasks


def ways(estimator, tasks, workers, client):
    """The ways to fit, by name."""

    def within(config):
        def run():
            with parallel_config(**config):
                return fit_many(estimator, tasks)

        return run

    return {
        "one after the other, one thread": lambda: fit_many(estimator, tasks, n_jobs=1),
        f"{workers} threads": lambda: fit_many(estimator, tasks, n_jobs=workers),
        f"loky, {workers} processes": within({"backend": "loky", "n_jobs": workers}),
        f"Dask, {workers} processes": within({"backend": "dask", "client": client}),
    }


def cpu_seconds(process="self"):
    """The CPU seconds of a process and all that it started."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    children = []
    for task in Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(OSError):  # a thread that ended
            children += (task / "children").read_text().split()
    return own + sum(map(cpu_seconds, children))


def measure(estimator, tasks, workers, client, repeats):
    """The wall and CPU seconds of each way, the median of the repeats."""
    runs = ways(estimator, tasks, workers, client)
    seconds = {name: [] for name in runs}
    expected = None
    for repeat in range(repeats + 1):
        for name, run in runs.items():
            began = np.array([time.perf_counter(), cpu_seconds()])
            models = run()
            if repeat:
                seconds[name].append(np.array([time.perf_counter(), cpu_seconds()]) - began)
            found = [model.predict(X) for model, (X, _) in zip(models, tasks, strict=True)]
            expected = found if expected is None else expected
            assert all(map(np.array_equal, found, expected)), name
    return {name: np.median(times, axis=0) for name, times in seconds.items()}


def main():
    """Measure, print and record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fits", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    from distributed import Client, LocalCluster

    rows = []
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(
            LocalCluster(n_workers=args.workers, threads_per_worker=1, dashboard_address=":0")
        )
        client = stack.enter_context(Client(cluster, set_as_default=False))
        for name, estimator in ESTIMATORS.items():
            for is_shared in (False, True):
                tasks = tasks_of(args.fits, is_shared=is_shared)
                found = measure(estimator, tasks, args.workers, client, args.repeats)
                data = "one table, many targets" if is_shared else "a table each"
                rows += [(name, data, way, f"{a:.2f}", f"{b:.2f}") for way, (a, b) in found.items()]
                print(table(("model", "data", "way", "wall", "CPU"), rows[-4:]), flush=True)
    body = (
        f"{args.fits} fits of {ROWS:,} rows and {COLUMNS} columns, seconds: the median of "
        f"{args.repeats} runs in turn, after one that started the workers.\n\n"
        + table(("model", "data", "way", "wall", "CPU"), rows)
    )
    print(machine())
    print(body)
    if args.record:
        import dask
        import joblib

        print(
            write_record(
                "batches", "Many fits", body, {"dask": dask.__version__, "joblib": joblib.__version__}
            )
        )


if __name__ == "__main__":
    main()
