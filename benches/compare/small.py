"""The error of models of at most 5, 10, 20 and 30 rules on many data sets, ours beside the peers.

usage: python benches/compare/small.py [--ours NAME:{PARAMETERS} ..] [--budgets 5 10 20 30]
           [--data NAME ..] [--models NAME ..] [--splits 5] [--reuse-peers | --no-peers]
           [--timeout 60] [--ours-python PATH] [--peers PATH] [--keep FILE] [--no-record]

  --ours   our models, each a name and constructor parameters, for example
           "l1:{'linear': False}" "l0:{'penalty': 'l0'}" "steps:{'model': 'steps'}"; 'model' is
           "rules" (RuleRegressor, RuleClassifier with max_rules=k), "terms" (the same with max_terms=k)
           or "steps" (the additive L0 models with max_steps=k)

The peers run in their own environment (.venv-peers-small, made by ``make bench-peers-small``) and
their results are kept in benches/record/peers.jsonl: with --reuse-peers only what is missing there
is run, with --no-peers nothing. All fits of one model on one split share a process; every fit runs
with one thread.
"""

import argparse
import ast
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]
import small_report
import small_sets
from common import THREAD_VARIABLES, Store, array_hash, default_python, write_record
from runner import Bench
from small_models import PACKAGES, PEERS

SERVER = Path(__file__).with_name("small_server.py")
OURS = ["l1:{'linear': False}", "l1-linear:{}", "steps:{'model': 'steps'}"]
SPARE = 30.0  # seconds beyond the limit before the server itself is given up


class Server:
    """A process that fits one model after another, started when it is first needed."""

    def __init__(self, python):
        self.python, self.process = python, None

    def ask(self, job):
        """The answer to one job."""
        if self.process is None or self.process.poll() is not None:
            env = dict(os.environ, PYTHONHASHSEED="0", **dict.fromkeys(THREAD_VARIABLES, "1"))
            self.process = subprocess.Popen(
                [self.python, str(SERVER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=env,
                text=True,
            )
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": "the server died"}

    def close(self):
        """Ends the process."""
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


class SmallBench(Bench):
    """Runs all fits of one interpreter through one server."""

    def __init__(self, options, folder):
        super().__init__(options, folder)
        self.servers = {}
        self.kept = Store(options.keep) if options.keep else None

    def run(self, suite, data, k, model, split, task="regression", params=None):
        """One measurement; with --keep ours too is looked up before it is run."""
        if self.kept is None or model in PEERS:
            return super().run(suite, data, k, model, split, task, params)
        arrays = (split.X_train, split.y_train, split.X_test, split.y_test)
        row = {"suite": suite, "data": data, "split": k, "model": f"{model} {params}"}
        found = self.kept.get({**row, "fingerprint": array_hash(*arrays)})
        if found is None:
            found = super().run(suite, data, k, model, split, task, params)
            self.kept.put(found)
        return found

    def execute(self, python, job, threads, limit):
        """One job, by the server of its interpreter and model."""
        key = (python, job["model"])
        if key not in self.servers:
            self.close()  # one at a time
            self.servers[key] = Server(python)
        return self.servers[key].ask({**job, "limit": limit})

    def close(self):
        """Ends all servers."""
        for server in self.servers.values():
            server.close()
        self.servers = {}


def our_model(text):
    """NAME:{PARAMETERS} as (name, model, parameters)."""
    name, _, parameters = text.partition(":")
    try:
        parameters = ast.literal_eval(parameters or "{}")
        return name, "ours_" + parameters.pop("model", "rules"), parameters
    except (ValueError, SyntaxError, AttributeError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME:{{PARAMETERS}} ({error})") from error


def parse():
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--ours", dest="our_models", nargs="*", type=our_model, default=[our_model(t) for t in OURS]
    )
    parser.add_argument("--budgets", nargs="*", type=int, default=[5, 10, 20, 30])
    parser.add_argument("--data", nargs="*", default=list(small_sets.TASKS), choices=small_sets.TASKS)
    parser.add_argument("--models", nargs="*", default=list(PEERS), help="peers", choices=[*PEERS, []])
    parser.add_argument("--splits", type=int, default=5, choices=range(1, small_sets.FOLDS + 1))
    parser.add_argument("--reuse-peers", action="store_true")
    parser.add_argument("--no-peers", action="store_true", help="stored results of peers, and run none")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for all budgets of one model")
    parser.add_argument(
        "--ours-python", dest="ours", default=sys.executable, help="interpreter that has thresher"
    )
    parser.add_argument(
        "--peers", default=default_python(".venv-peers-small"), help="interpreter of the peers"
    )
    parser.add_argument("--keep", help="JSON lines of our results, so that a run cut short can go on")
    parser.add_argument("--no-record", action="store_true")
    return parser.parse_args()


def run(bench, options):
    """({data: {model: [result of each split]}}, the splits, the versions of the libraries)."""
    splits = {name: small_sets.splits(name, options.splits) for name in options.data}
    splits = {name: found for name, found in splits.items() if found}
    asked = [*options.our_models, *((name, name, {}) for name in options.models)]
    results, versions = {name: {label: [] for label, _, _ in asked} for name in splits}, {}
    for (label, model, parameters), name in itertools.product(asked, splits):
        for k, split in enumerate(splits[name]):
            params = {"budgets": options.budgets, **parameters}
            found = bench.run("small", name, k, model, split, small_sets.TASKS[name], params)
            results[name][label].append(found)
            if found.get("version"):
                versions[PACKAGES[model]] = found["version"]
    return results, splits, versions


def main():
    """Runs what the command line asks for and writes the record."""
    options = parse()
    with tempfile.TemporaryDirectory() as folder:
        bench = SmallBench(options, folder)
        results, splits, versions = run(bench, options)
        bench.close()
    body = small_report.report(results, splits, [name for name, _, _ in options.our_models], options.budgets)
    print(body)
    if not options.no_record:
        title = f"Error at a fixed number of rules ({options.splits} splits)"
        print("written:", write_record("small", title, body, versions).name)


if __name__ == "__main__":
    main()
