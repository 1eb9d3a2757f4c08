"""Runs the suites of a comparison: every measurement in a process of its own, peers from the store."""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
from common import RECORD, Store, array_hash, default_python, run_json, write_record

WORKER = Path(__file__).with_name("worker.py")
SHOWN = ("seconds", "cpu_seconds", "mse", "logloss", "auc", "n_rules", "timeout", "error")


class Bench:
    """Runs jobs, from the store where allowed, and remembers the versions it met."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = Path(folder)
        self.store = Store(RECORD / "peers.jsonl")
        self.versions = {}

    def wants(self, model):
        """Whether the command line asked for this model."""
        return not self.options.models or model in self.options.models

    def execute(self, python, job, threads, limit):
        """One job in a process of its own."""
        return run_json(python, WORKER, job, threads, limit)

    def run(self, suite, data, k, model, split, task="regression", params=None, threads=1, timeout=None):
        """One measurement; ``split`` gives the arrays."""
        arrays = [split.X_train, split.y_train, split.X_test, split.y_test]
        if model == "thresher":
            params = self.options.params
        label = f"{model} {params}" if params else model
        row = {"suite": suite, "data": data, "split": k, "model": label, "fingerprint": array_hash(*arrays)}
        peer = model != "thresher" and not model.startswith("ours")
        reuse = self.options.reuse_peers or self.options.no_peers
        stored = self.store.get(row) if peer and reuse else None
        if stored is None and peer and self.options.no_peers:
            return {**row, "error": "not run"}
        if stored is None:
            path = self.folder / f"{row['fingerprint']}.npz"
            if not path.exists():
                names = ("X_train", "y_train", "X_test", "y_test")
                np.savez(path, **dict(zip(names, arrays, strict=True)))
            job = {"model": model, "task": task, "data": str(path), "params": params}
            python = self.options.peers if peer else self.options.ours
            limit = timeout or self.options.timeout
            stored = {**row, **self.execute(python, job, threads, limit)}
            if peer:
                self.store.put(stored)
            shown = {k: v for k, v in stored.items() if k in SHOWN}
            print(f"  {suite} {data} #{k} {label[:50]}: {shown}", flush=True)
        if stored.get("version"):
            self.versions[model.split("_")[0]] = stored["version"]
        return stored


def main(doc, suites, prefix="compare"):
    """Runs the suites that the command line asks for and writes one record for each."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", nargs="*", choices=[*suites, []], help="default: all")
    parser.add_argument("--data", nargs="*", default=None)
    parser.add_argument("--models", nargs="*", default=None)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--reuse-peers", action="store_true")
    parser.add_argument("--no-peers", action="store_true", help="stored results of peers, and run none")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for one fit")
    parser.add_argument("--ours", default=sys.executable, help="interpreter that has thresher")
    parser.add_argument(
        "--peers", default=default_python(".venv-peers"), help="interpreter that has the peers"
    )
    parser.add_argument(
        "--params", type=json.loads, default=None, help="JSON: ours with other than the defaults"
    )
    parser.add_argument("--no-record", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in options.suite or list(suites):
            bench = Bench(options, folder)
            title, body = suites[name](bench)
            print(f"\n## {title}\n\n{body}\n")
            if not options.no_record:
                print("written:", write_record(f"{prefix}-{name}", title, body, bench.versions).name)
