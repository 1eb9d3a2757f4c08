"""The yardstick of patterns: enumeration at each strength, and a path over the patterns of the last model."""

import contextlib
import io
import tempfile
import time

import numpy as np
from gspan_mining.gspan import gSpan
from l1_path import l1_path, least_rows, strengths_of
from recomputed_gap import dual_start, recomputed_gap
from written_out import Scores, StoppedError, itemsets, sequences

GSPAN_FACTOR = 30  # plain Python over compiled code, at least


def patterns(case, ours, X, y, weights, kept, limit):
    """Enumeration at each strength, and the path over the patterns of the last model."""
    v = np.ones(len(y)) if weights is None else weights * len(y) / weights.sum()
    dual = dual_start(case, y, v, kept)
    params = case["params"]
    least = least_rows(case)
    found = Scores(params.get("penalty_growth", 0.0), least, limit)
    stopped = False
    begin = time.process_time()
    try:
        if case["family"] == "graphs":
            _gspan(X, least, params.get("max_edges", 5), limit)
        elif case["family"] == "itemsets":
            _score_itemsets(case, X, v * dual / len(y), found)
        else:
            _score_sequences(case, X, v * dual / len(y), found)
    except StoppedError:
        stopped = True
    enumeration = time.process_time() - begin
    if case["family"] == "graphs":
        enumeration /= GSPAN_FACTOR
    alphas = strengths_of(case, ours, kept)
    path = l1_path(kept["columns"], y, weights, case["loss"], alphas, limit) if kept else 0.0
    result = {
        "goal": len(alphas) * enumeration + path,
        "stopped": stopped,
        "yardstick": f"enumeration {enumeration:.3f} s x {len(alphas)}, L1 path {path:.2f} s",
    }
    if kept and not stopped and case["family"] != "graphs":
        result |= recomputed_gap(case, y, v, dual, found.top, kept)
    return result


def _score_itemsets(case, X, u, found):
    params = case["params"]
    itemsets(X, u, params.get("max_items", 3), params.get("negations", False), found)


def _score_sequences(case, X, u, found):
    params = case["params"]
    sequences(X, u, case["columns"], params.get("max_length", 3), params.get("max_gap"), found)


def _gspan(graphs, least, most, limit):
    """Mine by gspan-mining, which reads a file and prints; vertices are limited in place of edges."""
    begin = time.process_time()

    class Miner(gSpan):
        def _report_size1(self, g, support):
            pass

        def _report(self, projected):
            if time.process_time() - begin > limit:
                raise StoppedError

    lines = []
    for number, (labels, edges, kinds) in enumerate(graphs):
        lines.append(f"t # {number}")
        lines += [f"v {node} {label}" for node, label in enumerate(labels)]
        lines += [f"e {u} {w} {kind}" for (u, w), kind in zip(edges, kinds, strict=True)]
    with tempfile.NamedTemporaryFile("w", suffix=".gspan") as file:
        file.write("\n".join([*lines, "t # -1", ""]))
        file.flush()
        with contextlib.redirect_stdout(io.StringIO()):
            Miner(file.name, min_support=least, max_num_vertices=most + 1).run()
