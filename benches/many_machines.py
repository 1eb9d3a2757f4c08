"""How far one fit goes on many machines: sizes of the subtrees of its searches, and fits on a cluster.

usage: python benches/many_machines.py [--cluster] [--record]

Each search of a fit is cut into its smallest parts, whose CPU seconds are measured one after another. From
them a fit on a cluster is simulated. A search after one of less than `patience` begins here; if it takes
longer, the workers search the rest. Each gets the residuals, 8 bytes for a row, one worker after another;
then parts of about equal work in their order, the next to whoever is free, as the fit cuts them. All messages
of parts pass one process.

With ``--cluster`` fits run on one thread, on two, and on two with their searches shared by two processes of
Dask on this machine, whose CPU seconds are without those that they take when there is nothing to do.
"""

import argparse
import heapq
import math
import pickle
import time
import warnings

import numpy as np
from common import table, write_record
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

from thresher import RuleRegressor, cluster
from thresher.estimators._training import GivenRows

WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
# Data, conditions of a rule, bins, alpha as a fraction of the largest that has a rule.
CASES = [
    ("digits, 0 to 4", load_digits, 2, 10, 0.1),
    ("breast cancer", load_breast_cancer, 3, 20, 0.1),
    ("breast cancer", load_breast_cancer, 4, 10, 0.15),
    ("diabetes", load_diabetes, 4, 20, 0.1),
    ("diabetes", load_diabetes, None, 10, 0.1),
]
# What Dask takes, measured: seconds for a search however small it is, and CPU seconds for a part.
SECONDS_OF_A_SEARCH, SECONDS_OF_A_PART = 0.02, 0.005
PARTS_OF_A_THREAD, LEAST_SECONDS = 4, 0.025  # as in the core
BYTES_A_SECOND = 1.25e9  # 10 Gbit/s

# Fits on a cluster: data, conditions of a rule, bins, alpha as above.
SHARED = [
    ("diabetes", load_diabetes, 3, 10, 0.1),
    ("breast cancer", load_breast_cancer, 3, 20, 0.1),
    ("breast cancer", load_breast_cancer, 3, 20, 0.05),
    ("diabetes", load_diabetes, None, 10, 0.1),
]
REPEATS = 3
IDLE_SECONDS = 5.0


def data_of(load):
    """Columns that vary, and a target of mean 0 and deviation 1."""
    X, y = load(return_X_y=True)
    y = np.asarray(y >= 5 if load is load_digits else y, dtype=float)
    X = np.asarray(X)
    return X[:, np.ptp(X, axis=0) > 0], (y - y.mean()) / y.std()


class Parts:
    """Answers searches, and keeps the CPU seconds of each subtree by itself."""

    patience = 0.0

    def __init__(self):
        self.searches = []

    def n_threads(self):
        """One thread."""
        return 1

    def search(self, job):
        """Answer the parts of a search."""
        space, query, seconds = job.space(), job.query(), []
        for part, (first, last) in enumerate(job.parts):
            job.take(part, space.search(query, first, last, None))
            for k in range(first, last):
                began = time.process_time()
                space.search(query, k, k + 1, None)
                seconds.append(time.process_time() - began)
        self.searches.append(np.array(seconds))


def makespan(sizes, workers):
    """The seconds of a search on some workers, messages included."""
    count = min(len(sizes), PARTS_OF_A_THREAD * workers, math.ceil(sizes.sum() / LEAST_SECONDS))
    ends = np.searchsorted(np.cumsum(sizes), sizes.sum() * np.arange(1, count) / count, side="right")
    free, handed_out = [0.0] * workers, 0.0
    for part in np.split(sizes, ends):
        handed_out += SECONDS_OF_A_PART
        heapq.heappush(free, max(heapq.heappop(free), handed_out) + part.sum())
    return max(free)


def simulated(searches, n_rows, workers):
    """The seconds of the searches of a fit with tables of as many rows on some workers."""
    total, last, patience = 0.0, 0.0, cluster.DaskSearches.patience
    for sizes in searches:
        begins_here, last = last <= patience, sizes.sum()
        if begins_here:
            total += min(last, patience)
            sizes = sizes[np.searchsorted(np.cumsum(sizes), patience, side="right") :]
        if sizes.sum() > 0:
            sent = 8 * n_rows * workers / BYTES_A_SECOND
            total += SECONDS_OF_A_SEARCH + sent + makespan(sizes, workers)
    return total


def measured(load, depth, bins, fraction):
    """The CPU seconds of each subtree of each search of a real fit."""
    X, y = data_of(load)
    model = RuleRegressor(max_features=depth, linear=False, bins=bins, n_jobs=1)
    model.alpha = fraction * largest_alpha(model, X, y)
    parts = Parts()
    model._fit(GivenRows(X, y), searches=parts)
    return X, model, parts.searches


def largest_alpha(model, X, y):
    """The smallest alpha without a rule."""
    return clone(model).set_params(alpha="bic", n_alphas=2, alpha_min_ratio=0.9).fit(X, y).path_.alphas[0]


class Counted(cluster.DaskSearches):
    """Counts the bytes of what is handed out and comes back."""

    def __init__(self, client):
        super().__init__(client)
        self.sent, self.searches, self.answers = 0, [], 0

    def _sent(self, data, job):
        size = len(pickle.dumps(data))
        if "Space" in type(data).__name__:
            self.sent += size
        else:
            self.searches.append(size)
        return super()._sent(data, job)

    def _answers(self, ended, count):
        found = super()._answers(ended, count)
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
        "shared by two processes to two threads, which the process that fits has for small searches in both; "
        "times mean little on a machine with much other work. kB of the space and of a search: for each "
        "worker. The models and the nodes are the same."
    )


def compared(client, idle, name, load, depth, bins, fraction):
    """One fit in the three ways."""
    X, y = data_of(load)
    model = RuleRegressor(max_features=depth, linear=False, bins=bins)
    model.alpha = fraction * largest_alpha(model, X, y)
    one, two = (clone(model).set_params(n_jobs=n) for n in (1, 2))
    counts = []

    def shared():
        counts.append(Counted(client))
        return two._fit(GivenRows(X, y), searches=counts[-1])

    _, alone, _, _ = least(client, idle, lambda: one.fit(X, y))
    _, here, _, seconds = least(client, idle, lambda: two.fit(X, y))
    again, client_cpu, there, shared_seconds = least(client, idle, shared)
    assert [str(rule) for rule in again.rules_] == [str(rule) for rule in two.rules_]
    assert again.certificate_.nodes == two.certificate_.nodes
    count, certificate = counts[-1], again.certificate_
    searches = max(1, len(count.searches))
    row = (
        f"{name}, {depth or 'any number of'} conditions, {fraction} of the largest alpha",
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
    facts, times = [], []
    for name, load, depth, bins, fraction in CASES:
        X, model, searches = measured(load, depth, bins, fraction)
        case, (n, d) = f"{name}, {depth or 'any number of'} conditions", X.shape
        work, largest = (sum(of(sizes) for sizes in searches) for of in (np.sum, np.max))
        counts = (f"{n:,} x {d}", len(model.rules_), len(searches), f"{model.certificate_.nodes:,.0f}")
        facts.append((case, *counts, len(searches[-1]), f"{work:.1f}", f"{largest / work:.1%}"))
        for rows in (n, 1000 * n):
            scale = rows / n
            own = [f"{simulated([scale * s for s in searches], rows, w):.1f}" for w in WORKERS]
            times.append((case, f"{rows:,}", *own))
        print(facts[-1], *times[-2:], sep="\n", flush=True)
    head = ("fit", "table", "rules", "searches", "nodes", "subtrees", "CPU s", "largest subtree")
    body = (
        f"{table(head, facts)}\n\nCPU of one thread. Largest subtree: the sum "
        "over the searches, as a share of their CPU seconds. Seconds of the searches on so many workers, "
        "simulated, also for a thousand times as many rows, with which work and residuals grow in "
        "proportion:\n\n"
    )
    body += table(("fit", "rows", *map(str, WORKERS)), times)
    print(body)
    if args.record:
        print(write_record("many-machines", "The searches of a fit on many machines, simulated", body))


if __name__ == "__main__":
    main()
