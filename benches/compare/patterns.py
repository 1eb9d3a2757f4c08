"""Item-sets and subgraphs side by side: CPU seconds of whole paths, and what mining first misses.

usage: python benches/compare/patterns.py [speed] [mining] [accuracy] [threads] [--data NAME ..]
           [--spp FOLDER] [--pmopt PROGRAM] [--peers PYTHON] [--limit 120] [--repeats 3]

  speed     whole paths beside the authors' programs, at a gap of 1e-8 and of 1e-6
  mining    frequent patterns first (mlxtend, gspan-mining), then scikit-learn's lasso path
  threads   whole paths on one thread and on two, in turn, by the clock
  accuracy  subgraphs beside Morgan fingerprints (rdkit) with an L1 logistic regression, 5 folds

  --spp     the authors' SafePatternPruning, with a built ``train`` in each of its four folders
  --pmopt   their newer program, built
  --peers   a Python with mlxtend, gspan-mining, rdkit and scikit-learn (make bench-peers)

A program that is not there is left out. One thread unless said; every run in a process of its own. All paths
have 100 strengths down to a hundredth; --limit is in CPU seconds. The authors' graph programs count
vertices' steps, one more than edges; pmopt scales the responses, so its objective is not shown.
"""

import argparse
import json
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
import datasets
from common import default_python, run_json, table, write_record
from pattern_sets import GRAPHS, estimator, gspan_file, load

SPEED = (
    ("splice", 3), ("splice", 4), ("splice", 5), ("splice-lasso", 2), ("splice-lasso", 3),
    ("a9a", 3), ("a9a", 4), ("a9a", 5),
    ("cpdb", 5), ("cpdb", 7), ("cpdb", 10), ("bergstrom", 5), ("bergstrom", 7), ("bergstrom", 10),
)  # fmt: skip
MINING = (
    ("splice-lasso", 2, 0.05),
    ("splice-lasso", 3, 0.05),
    ("bergstrom", 5, 0.05),
    ("bergstrom", 7, 0.05),
)
PROGRAMS = {"splice": "itemSVM", "splice-lasso": "itemLasso", "a9a": "itemSVM", "cpdb": "graphSVM"}


def _lasso(name):
    return name in ("splice-lasso", "bergstrom")


def _ours(job):
    X, y = load(job["data"])
    model = estimator(job["data"], job["size"], **job["run"])
    start = time.process_time()
    model.fit_path(X, y)
    seconds = time.process_time() - start
    objective = float(model.path_.objective[-1]) * len(y)
    return {"seconds": seconds, "objective": objective, "patterns": int(model.path_.n_patterns[-1])}


def _columns(job):
    """Occurrence columns of the frequent patterns, as a matrix."""
    if job["data"] in GRAPHS:
        from gspan_mining.gspan import gSpan

        class Miner(gSpan):
            """Keeps the graphs of each pattern instead of printing it."""

            def _report_size1(self, g, support):
                pass

            def _report(self, projected):
                found.append(sorted({match.gid for match in projected}))

        found = []
        most = int(job["support"] * job["rows"])
        Miner(job["file"], min_support=most, max_num_vertices=job["size"] + 1).run()
        columns = np.zeros((job["rows"], len(found)), dtype=np.float32)
        for k, rows in enumerate(found):
            columns[rows, k] = 1.0
        return columns
    import pandas as pd
    from mlxtend.frequent_patterns import fpgrowth

    items = np.load(job["file"])["X"]
    sets = fpgrowth(pd.DataFrame(items), min_support=job["support"], max_len=job["size"])["itemsets"]
    return np.column_stack([items[:, sorted(each)].all(axis=1) for each in sets]).astype(np.float32)


def _mined(job):
    """Mines, then follows scikit-learn's lasso path at our strengths."""
    from sklearn.linear_model import lasso_path

    y = np.asarray(job["y"]) - np.mean(job["y"])
    start = time.process_time()
    columns = _columns(job)
    mined = time.process_time() - start
    means = columns.mean(axis=0)
    alphas, coefs, gaps = lasso_path(
        columns - means, y, alphas=job["alphas"], tol=1e-6, max_iter=100_000, precompute=False
    )
    seconds = time.process_time() - start
    w = coefs[:, -1]
    residual = y - (columns - means) @ w
    objective = float(0.5 * residual @ residual + len(y) * alphas[-1] * np.abs(w).sum())
    gap = float(gaps[-1] * len(y) / objective)
    return {
        "mined": mined,
        "seconds": seconds,
        "objective": objective,
        "candidates": columns.shape[1],
        "gap": gap,
    }


def _morgan(job):
    """Held-out AUC of fingerprints with an L1 logistic regression, its strength cross-validated."""
    from rdkit import Chem, rdBase
    from rdkit.Chem import rdFingerprintGenerator
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.metrics import roc_auc_score

    rdBase.DisableLog("rdApp.*")
    kinds = {"1": Chem.BondType.SINGLE, "2": Chem.BondType.DOUBLE, "3": Chem.BondType.TRIPLE}
    bits = []
    job = json.loads(Path(job["file"]).read_text())
    for vertices, edges in job["graphs"]:
        molecule = Chem.RWMol()
        for label in vertices:
            molecule.AddAtom(Chem.Atom(int(label)))
        for a, b, label in edges:
            molecule.AddBond(a, b, kinds.get(label, Chem.BondType.AROMATIC))
        molecule.UpdatePropertyCache(strict=False)
        Chem.FastFindRings(molecule)
        bits.append(
            rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048).GetFingerprintAsNumPy(molecule)
        )
    X, y = np.asarray(bits, dtype=np.float64), np.asarray(job["y"])
    scores = []
    for train, test in job["folds"]:
        model = LogisticRegressionCV(
            Cs=20, cv=5, penalty="l1", solver="liblinear", scoring="neg_log_loss", random_state=0
        )
        model.fit(X[train], y[train])
        scores.append(roc_auc_score(y[test], model.decision_function(X[test])))
    return {"auc": scores}


def _spp(folder, name, size, limit, scratch):
    """CPU seconds and the last objective of the authors' program."""
    program = Path(folder) / PROGRAMS.get(name, "graphLasso") / "train"
    if not program.exists():
        return None
    data = gspan_file(name)
    if name not in GRAPHS:
        X, y = load(name)
        data = scratch / f"{name}.svm"
        rows = [np.flatnonzero(row) for row in (X.toarray() if hasattr(X, "toarray") else np.asarray(X))]
        lines = (f"{v:g} " + " ".join(f"{j + 1}:1" for j in row) for v, row in zip(y, rows, strict=True))
        data.write_text("\n".join(lines) + "\n")
    depth = size + 1 if name in GRAPHS else size
    command = [program, "-T", "100", "-F", "50", "-D", str(depth), "-B", "1", data]
    done = _timed(command, limit)
    found = re.findall(r"primal: ([0-9.]+)", done.pop("output"))
    return {**done, "objective": float(found[-1]) if found and "seconds" in done else None}


def _pmopt(program, name, size, limit, scratch):
    """CPU seconds of the authors' newer program."""
    data = scratch / f"{name}.csv"
    if name in GRAPHS:
        blocks = gspan_file(name).read_text().split("t # ")[1:]
        rows = [(block.split()[1], " ".join(block.strip().split("\n")[1:])) for block in blocks]
        data.write_text("objective,graph\n" + "".join(f"{y},{graph}\n" for y, graph in rows))
    else:
        X, y = load(name)
        X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
        lines = (
            f"{v:g},{' '.join(map(str, np.flatnonzero(row) + 1))}\n" for v, row in zip(y, X, strict=True)
        )
        data.write_text("objective,itemset\n" + "".join(lines))
    loss = "squared" if _lasso(name) else "squaredhinge"
    step = ["--l1-step", f"{2 / 99:.6f}", "--l1-min", "0.01", "--maxtrial", "1000", "--no-l2"]
    stop = ["--tol", "1e-6", "--maxiter", "1000000", "--verbose", "1", "-o", scratch]
    command = [program, "mine", "predictive", data, "--maxpat", str(size), "--loss", loss, *step, *stop]
    return _timed(command, limit)


def _timed(command, limit):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    most = lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit)))
    command = [str(part) for part in command]
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=most)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return {"timeout": limit, "output": ""}
    return {"seconds": resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, "output": done.stdout}


def _repeated(job, options):
    runs = [
        run_json(sys.executable, __file__, {"kind": "ours", **job}, timeout=options.limit)
        for _ in range(options.repeats)
    ]
    return {**runs[0], "seconds": statistics.median(run["seconds"] for run in runs)}


def _ratio(theirs, ours, limit):
    if theirs is None:
        return ["", ""]
    if "seconds" not in theirs:
        return [f"> {limit:.0f}", f"> {limit / ours:.0f}x"]
    return [f"{theirs['seconds']:.2f}", f"{theirs['seconds'] / ours:.1f}x"]


def speed(options):
    """Whole paths beside the authors' programs."""
    rows = []
    for name, size in SPEED:
        if name not in options.data:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            spp = options.spp and _spp(options.spp, name, size, options.limit, Path(scratch))
            new = options.pmopt and _pmopt(options.pmopt, name, size, options.limit, Path(scratch))
        loose, tight = (
            _repeated({"data": name, "size": size, "run": {"tol": tol}}, options) for tol in (1e-6, 1e-8)
        )
        theirs = f"{spp['objective']:.6f}" if spp and spp.get("objective") else ""
        rows.append([name, size, f"{loose['seconds']:.2f}", f"{tight['seconds']:.2f}"])
        rows[-1] += [*_ratio(spp or None, tight["seconds"], options.limit)]
        rows[-1] += [
            *_ratio(new or None, loose["seconds"], options.limit),
            f"{tight['objective']:.6f}",
            theirs,
        ]
        print(rows[-1], flush=True)
    header = ["data", "at most", "ours 1e-6", "ours 1e-8", "SafePatternPruning", "times ours 1e-8"]
    return table([*header, "pmopt", "times ours 1e-6", "our last objective", "theirs"], rows)


def mining(options):
    """Frequent patterns first, then a path."""
    rows = []
    for name, size, support in MINING:
        if name not in options.data:
            continue
        ours = _repeated({"data": name, "size": size, "run": {}}, options)
        X, y = load(name)
        model = estimator(name, size).fit_path(X, y)
        with tempfile.TemporaryDirectory() as scratch:
            file = gspan_file(name)
            if name not in GRAPHS:
                file = Path(scratch) / "items.npz"
                np.savez(file, X=np.asarray(X, dtype=bool))
            job = {"kind": "mined", "data": name, "size": size, "support": support, "file": str(file)}
            job |= {"rows": len(y), "y": list(map(float, y)), "alphas": model.path_.alphas.tolist()}
            found = run_json(options.peers, __file__, job, timeout=options.limit)
        shown = [f"> {options.limit:.0f}", "", "", "", ""]
        if "seconds" in found:
            worse = found["objective"] / ours["objective"] - 1
            shown = [f"{found['mined']:.1f}", f"{found['seconds']:.1f}"]
            shown += [f"{found['seconds'] / ours['seconds']:.0f}x", found["candidates"], f"{worse:+.2%}"]
        elif "error" in found:
            shown[0] = found["error"]
        rows.append([name, size, f"{ours['seconds']:.2f}", f"{support:.0%}", *shown])
        print(rows[-1], flush=True)
    header = ["data", "at most", "ours, s", "least support", "mining, s", "with path, s", "times ours"]
    return table([*header, "patterns mined", "objective against ours"], rows)


def threads(options):
    """Whole paths on one thread and on two, in turn: medians by the clock."""
    rows = []
    for name, size in SPEED:
        if name not in options.data:
            continue
        X, y = load(name)
        seconds, answers = {1: [], 2: []}, []
        for _ in range(options.repeats):
            for jobs, taken in seconds.items():
                start = time.perf_counter()
                model = estimator(name, size, n_jobs=jobs).fit_path(X, y)
                taken.append(time.perf_counter() - start)
                answers.append(model.predict(X))
        one, two = (statistics.median(taken) for taken in seconds.values())
        best = min(seconds[1]) / min(seconds[2])
        same = all(np.array_equal(answer, answers[0]) for answer in answers)
        rows.append([name, size, f"{one:.2f}", f"{two:.2f}", f"{one / two:.2f}", f"{best:.2f}", same])
        print(rows[-1], flush=True)
    header = [
        "data",
        "at most",
        "one thread, s",
        "two, s",
        "ratio of medians",
        "of the fastest",
        "same predictions",
    ]
    return table(header, rows)


def accuracy(options):
    """Held-out AUC of subgraphs and of fingerprints on CPDB."""
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold

    graphs, y = load("cpdb")
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(graphs, y))
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        split = [[train.tolist(), test.tolist()] for train, test in folds]
        json.dump({"y": y, "folds": split, "graphs": [_plain(graph) for graph in graphs]}, file)
        file.flush()
        job = {"kind": "morgan", "file": file.name}
        theirs = run_json(options.peers, __file__, job, timeout=options.limit)
    rows = []
    for edges in (3, 5, 7):
        scores = []
        start = time.process_time()
        for train, test in folds:
            model = estimator("cpdb", edges, loss="logistic", alpha="cv")
            model.fit([graphs[k] for k in train], [y[k] for k in train])
            scores.append(
                roc_auc_score([y[k] for k in test], model.decision_function([graphs[k] for k in test]))
            )
        seconds = (time.process_time() - start) / len(folds)
        rows.append([f"subgraphs of at most {edges} edges", f"{np.mean(scores):.4f}", f"{seconds:.2f}"])
        print(rows[-1], flush=True)
    got = f"{np.mean(theirs['auc']):.4f}" if "auc" in theirs else theirs.get("error", "")
    rows.append(["Morgan fingerprints (radius 2, 2,048 bits), L1 logistic", got, ""])
    return table(["CPDB, 5 folds", "AUC", "CPU s a cross-validated fit"], rows)


def _plain(graph):
    """Vertex labels and (a, b, label) of a graph."""
    edges = [(int(a), int(b), str(label)) for (a, b), label in zip(graph.edges, graph.labels, strict=True)]
    return [str(label) for label in graph.nodes], edges


PARTS = {"speed": speed, "mining": mining, "threads": threads, "accuracy": accuracy}
WORKERS = {"ours": _ours, "mined": _mined, "morgan": _morgan}


def main():
    """Runs the parts asked for and writes the record."""
    if len(sys.argv) == 2 and sys.argv[1].startswith("{"):
        job = json.loads(sys.argv[1])
        print("RESULT", json.dumps(WORKERS[job["kind"]](job)))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    names = sorted({name for name, *_ in SPEED})
    parser.add_argument("--data", nargs="*", default=names, choices=names)
    parser.add_argument("--spp", default="")
    parser.add_argument("--pmopt", default="")
    parser.add_argument("--peers", default=default_python(".venv-peers"))
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    if not datasets.have_files():
        sys.exit("no data folder: set THRESHER_DATA")
    body = "\n\n".join(f"## {part.capitalize()}\n\n{PARTS[part](options)}" for part in options.parts or PARTS)
    print(body)
    print("written:", write_record("patterns", "Patterns beside other programs", body))


if __name__ == "__main__":
    main()
