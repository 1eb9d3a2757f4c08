"""How far one rule search goes on many machines: sizes of the subtrees of real fits, and fits on a cluster.

usage: python benches/many_machines.py [--cluster] [--record]

A search is split where its tree begins: a subtree for each column, of the rules whose first condition is on
it, or one for each pair of columns. Their sizes are measured with what a fit tells. With the residual of a
fitted model as the target, and its alpha, the best model is empty, and proving that takes the search that
certified the fit. The nodes of that proof with columns j, j + 1, .. minus those with j + 1, .. are the
subtree of column j; the same beside a first column gives those of its pairs.

The makespan is that of handing out subtrees, the largest first, to workers that are free. Each search begins
with sending the residuals to every worker: 8 bytes for a row.

With ``--cluster`` fits run on one thread, on two, and with their searches shared by two processes of Dask on
this machine, whose CPU seconds are without those that they take when there is nothing to do.
"""

import argparse
import heapq
import pickle
import time
import warnings

import numpy as np
from common import table, write_record
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

from thresher import RuleRegressor, cluster

WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
MOST_COLUMNS = 10  # a fit for each pair takes long
# Data, conditions of a rule, alpha as a fraction of the largest that has a rule.
CASES = [
    ("breast cancer", load_breast_cancer, 3, 0.1),
    ("digits, 0 to 4", load_digits, 2, 0.1),
    ("diabetes", load_diabetes, 3, 0.1),
    ("diabetes", load_diabetes, 4, 0.1),
]

# Fits on a cluster: data, conditions of a rule, bins, alpha as above.
SHARED = [
    ("diabetes", load_diabetes, 3, 10, 0.1),
    ("breast cancer", load_breast_cancer, 3, 20, 0.1),
    ("diabetes", load_diabetes, None, 10, 0.1),
]
REPEATS = 2
IDLE_SECONDS = 5.0


def data_of(load):
    """Columns that vary, and a target of mean 0 and deviation 1."""
    X, y = load(return_X_y=True)
    y = np.asarray(y >= 5 if load is load_digits else y, dtype=float)
    X = np.asarray(X)
    return X[:, np.ptp(X, axis=0) > 0], (y - y.mean()) / y.std()


def search(X, residual, alpha, depth):
    """The nodes and seconds of proving that no rule has a larger correlation with the residual than alpha."""
    model = RuleRegressor(alpha=alpha, max_features=depth, linear=False, bins=10, n_jobs=1)
    began = time.process_time()
    model.fit(X, residual)
    assert not model.rules_
    certificate = model.certificate_
    return certificate.nodes / certificate.searches, (time.process_time() - began) / certificate.searches


def subtrees(X, residual, alpha, depth):
    """The nodes of the subtree of each column."""
    suffixes = [search(X[:, j:], residual, alpha, depth)[0] for j in range(X.shape[1])]
    return -np.diff([*suffixes, 0.0])


def pairs(X, residual, alpha, depth):
    """The nodes of the subtree of each pair of columns, and of the rules of one condition on each column."""
    count = X.shape[1]
    without = [search(X[:, k:], residual, alpha, depth)[0] for k in range(count)] + [0.0]
    sizes = []
    for j in range(count):
        beside = [
            search(X[:, [j, *range(k, count)]], residual, alpha, depth)[0] for k in range(j + 1, count + 1)
        ]
        own = np.array(beside) - without[j + 1 :]
        sizes += [*-np.diff(own), own[-1]]
    return np.array(sizes)


def makespan(sizes, workers):
    """The time until the last worker is done, in nodes."""
    free = [0.0] * workers
    for size in sorted(sizes, reverse=True):
        heapq.heappush(free, heapq.heappop(free) + size)
    return max(free)


def measured(load, depth, fraction):
    """The sizes of the subtrees of a real fit, and what it took."""
    X, y = data_of(load)
    options = {"max_features": depth, "linear": False, "bins": 10, "n_jobs": 1}
    largest = RuleRegressor(alpha="bic", n_alphas=2, **options).fit(X, y).path_.alphas[0]
    model = RuleRegressor(alpha=fraction * largest, **options).fit(X, y)
    residual = y - model.predict(X)
    alpha = fraction * largest * (1 + 1e-4)  # rounding of the fit must not leave a rule
    nodes, seconds = search(X, residual, alpha, depth)
    splits = [subtrees(X, residual, alpha, depth)]
    if X.shape[1] <= MOST_COLUMNS:
        splits.append(pairs(X, residual, alpha, depth))
    return X, model, splits, nodes, seconds


class Counted(cluster.DaskSearches):
    """Counts the bytes of what is handed out and comes back."""

    def __init__(self, client):
        super().__init__(client)
        self.sent, self.searches, self.answers = 0, [], 0

    def _sent(self, data):
        size = len(pickle.dumps(data))
        if "Space" in type(data).__name__:
            self.sent += size
        else:
            self.searches.append(size)
        return super()._sent(data)

    def _answers(self, ended):
        found = super()._answers(ended)
        self.answers += sum(len(answer) for _, answer in found)
        return found


def cpu_of_workers(client):
    """CPU seconds of the processes of a cluster so far."""
    return sum(client.run(time.process_time).values())


def least(client, idle, fit):
    """The result of a fit, its least CPU seconds here and on the workers, and its least seconds."""
    runs = []
    for _ in range(REPEATS):
        before, own, began = cpu_of_workers(client), time.process_time(), time.perf_counter()
        result = fit()
        seconds, here = time.perf_counter() - began, time.process_time() - own
        runs.append((here, max(0.0, cpu_of_workers(client) - before - idle * seconds), seconds))
    here, there, _ = min(runs, key=lambda run: run[0] + run[1])
    return result, here, there, min(seconds for *_, seconds in runs)


def on_cluster():
    """Fits on one thread, on two threads and on two processes."""
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with LocalCluster(**options) as own, Client(own, set_as_default=False) as client:
        before = cpu_of_workers(client)
        time.sleep(IDLE_SECONDS)
        idle = (cpu_of_workers(client) - before) / IDLE_SECONDS
        rows = [compared(client, idle, *case) for case in SHARED]
    head = ("fit", "table", "nodes", "shared searches", "CPU s, one thread", "two threads", "shared: here")
    head += (
        "on the workers",
        "CPU ratio",
        "time ratio",
        "kB of the space",
        "kB of a search",
        "kB of answers",
    )
    return (
        f"{table(head, rows)}\n\nThe least of {REPEATS} runs of each. CPU of the workers: without the "
        f"{idle:.3f} seconds per second that their processes take when there is nothing to do. Ratios: "
        "shared by two processes to two threads; times mean little on a machine with much other work. kB of "
        "the space and of a search: for each worker. The models and the nodes are the same."
    )


def compared(client, idle, name, load, depth, bins, fraction):
    """One fit in the three ways."""
    X, y = data_of(load)
    model = RuleRegressor(max_features=depth, linear=False, bins=bins)
    top = clone(model).set_params(alpha="bic", n_alphas=2, alpha_min_ratio=0.9).fit(X, y)
    model.alpha = fraction * top.path_.alphas[0]
    one, two = (clone(model).set_params(n_jobs=n) for n in (1, 2))
    counts = []

    def shared():
        counts.append(Counted(client))
        return one._fit(X, y, None, searches=counts[-1])

    _, alone, _, _ = least(client, idle, lambda: one.fit(X, y))
    _, here, _, seconds = least(client, idle, lambda: two.fit(X, y))
    again, client_cpu, there, shared_seconds = least(client, idle, shared)
    assert [str(rule) for rule in again.rules_] == [str(rule) for rule in two.rules_]
    assert again.certificate_.nodes == two.certificate_.nodes
    count, certificate = counts[-1], again.certificate_
    searches = max(1, len(count.searches))
    row = (
        f"{name}, {depth or 'any number of'} conditions",
        f"{X.shape[0]:,} x {X.shape[1]}",
        f"{certificate.nodes:,}",
        f"{len(count.searches)} of {certificate.searches}",
        *(f"{x:.2f}" for x in (alone, here, client_cpu, there)),
        f"{(client_cpu + there) / here:.2f}",
        f"{shared_seconds / seconds:.2f}",
        f"{count.sent / 1000:.1f}",
        f"{sum(count.searches) / searches / 1000:.1f}",
        f"{count.answers / searches / 1000:.1f}",
    )
    print(row, flush=True)
    return row


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cluster", action="store_true")
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    if args.cluster:
        body = on_cluster()
        print(body)
        if args.record:
            print(write_record("shared-searches", "One fit whose searches two processes share", body))
        return
    facts, speedups = [], []
    for name, load, depth, fraction in CASES:
        X, model, splits, nodes, seconds = measured(load, depth, fraction)
        case, (n, d) = f"{name}, {depth} conditions", X.shape
        largest = [f"{sizes.max() / sizes.sum():.1%}" for sizes in splits]
        largest += ["-"] * (2 - len(largest))
        certificate = model.certificate_
        counts = (f"{n:,} x {d}", len(model.rules_), certificate.searches, f"{nodes:,.0f}")
        facts.append((case, *counts, f"{1000 * seconds:.0f}", *largest, f"{8 * n / 1000:.1f}"))
        for noun, sizes in zip(("columns", "pairs"), splits, strict=False):
            gains = (f"{sizes.sum() / makespan(sizes, w):.1f}" for w in WORKERS)
            speedups.append((case, noun, *gains))
        print(facts[-1], *[speedups[-1]], sep="\n", flush=True)
    head = ("fit", "table", "rules", "searches", "nodes", "CPU ms", "largest column", "largest pair", "kB")
    body = (
        f"{table(head, facts)}\n\nNodes and CPU: the mean of the searches of the proof for the residual that "
        "certified the fit. kB: the residuals for one worker and one search. Speed-up of this search by "
        "workers, if messages took no time:\n\n"
    )
    body += table(("fit", "split by", *map(str, WORKERS)), speedups)
    print(body)
    if args.record:
        print(write_record("many-machines", "One search on many machines, simulated", body))


if __name__ == "__main__":
    main()
