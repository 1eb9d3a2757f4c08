"""What a fit from a Parquet file takes beside one of the table in memory: peak of memory and CPU time.

usage: python benches/from_disk.py [--rows 2000000] [--columns 28] [--folder DIR] [--threads 2] [--record]

A table of numbers is drawn once into a file: `few` has at most 1,000 distinct values a column, `many` about
as many as rows. Each fit is a process of its own (Linux only) that imports the libraries, reads and fits; the
peak is that of the resident memory of the process, the CPU time that of reading and fitting on all threads.
"""

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from common import default_python, run_json, table, write_record

ROWS_OF_A_GROUP = 2**18
PARAMS = {
    "rules": {"alpha": 0.02, "linear": False, "max_features": 2},
    "rules, linear": {"alpha": 0.02, "max_features": 2},
    "one condition": {"alpha": 0.05, "linear": False, "max_features": 1, "bins": 10},
}


def draw(path, kind, n, d, seed=0):
    """Writes a table, some rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    names = [f"x{j}" for j in range(d)]
    schema = pa.schema([(name, pa.float64()) for name in [*names, "target"]])
    with pq.ParquetWriter(path, schema) as file:
        for start in range(0, n, ROWS_OF_A_GROUP):
            X = rng.normal(size=(min(ROWS_OF_A_GROUP, n - start), d))
            y = X[:, 0] + 2.0 * ((X[:, 1] > 0.5) & (X[:, 2] < 0)) + (X[:, 3] > 1) + rng.normal(size=len(X))
            if kind == "few":
                X = np.round(X, 2)
            file.write_table(pa.table([*X.T, y], schema=schema))


def fit(job):
    """Reads and fits; what it took."""
    import pyarrow.parquet as pq

    from thresher import RuleRegressor

    path = Path(job["path"])
    model = RuleRegressor(**PARAMS[job["model"]], n_jobs=job["threads"])
    began, spent = time.perf_counter(), time.process_time()
    if job["source"] == "disk":
        model.fit(path, "target")
    else:
        frame = pq.read_table(path)
        model.fit(frame.drop_columns(["target"]), frame["target"])
    return {
        "seconds": time.perf_counter() - began,
        "cpu": time.process_time() - spent,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "gap": model.certificate_.relative_gap,
        "rules": len(model.rules_),
        "model": sorted(rule.text for rule in model.rules_),
    }


def main():
    if len(sys.argv) == 2 and sys.argv[1].startswith("{"):
        print("RESULT " + json.dumps(fit(json.loads(sys.argv[1]))))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--columns", type=int, default=28)
    parser.add_argument("--kinds", nargs="+", default=["few", "many"])
    parser.add_argument("--models", nargs="+", default=["rules", "one condition"])
    parser.add_argument("--sources", nargs="+", default=["memory", "disk"])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        lines = []
        for kind in arguments.kinds:
            path = folder / f"{kind}-{arguments.rows}-{arguments.columns}.parquet"
            if not path.exists():
                draw(path, kind, arguments.rows, arguments.columns)
            for model in arguments.models:
                for source in arguments.sources:
                    job = {"path": str(path), "model": model, "source": source, "threads": arguments.threads}
                    got = run_json(default_python(".venv"), __file__, job, arguments.threads, timeout=3600)
                    if "cpu" not in got:
                        lines.append([kind, model, source, str(got), "", "", "", ""])
                        continue
                    shown = [f"{got['peak'] / 2**30:.2f}", f"{got['cpu']:.1f}", f"{got['seconds']:.1f}"]
                    lines.append([kind, model, source, *shown, got["rules"], f"{got['gap']:.0e}"])
                    print(*lines[-1], sep="  ", flush=True)
    text = table(["values", "model", "from", "peak GiB", "CPU s", "s", "rules", "gap"], lines)
    print(text)
    if arguments.record:
        write_record("from-disk", "Tables that do not fit into memory", text)


if __name__ == "__main__":
    main()
