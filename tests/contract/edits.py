"""Ways to break a saved model that only its own kind of document has: each leaves valid JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Document = dict[str, Any]
Edit = Callable[[Document, Document, Document], Any]
"""Changes the document, given also its first output and that output's chosen point."""


def rules() -> Iterator[tuple[str, Edit]]:
    """Box rules with linear terms."""
    yield "rule that is not there", lambda d, o, p: p.update(terms=[[99, 1.0]])
    yield "no rules for the terms", lambda d, o, p: o.update(terms=[])
    yield "linear term of no column", lambda d, o, p: p.update(linear=[{"feature": 9}])
    yield "negative strength", lambda d, o, p: p.update(alpha=-1)
    yield "targets that are not there", lambda d, o, p: d.update(targets=["a", "b"])
    yield "no columns", lambda d, o, p: d["model"].update(features=[])


def patterns() -> Iterator[tuple[str, Edit]]:
    """What item-sets, sequences and graphs share."""
    yield "no alphabet", lambda d, o, p: d["model"].update(features=[])
    yield "label twice", lambda d, o, p: d["model"].update(features=["a", "a"])
    yield "support of no row", lambda d, o, p: d["model"]["language"].update(min_support=0)
    yield "pattern twice", lambda d, o, p: p.update(terms=[[0, 1.0], [0, 1.0]])
    yield "pattern that is not there", lambda d, o, p: p.update(terms=[[77, 1.0]])
    yield "fraction above one", lambda d, o, p: o["terms"][0].update(support=2.0)


def itemsets() -> Iterator[tuple[str, Edit]]:
    """Sets of items."""
    yield from patterns()
    yield "unknown item", _pattern({"present": [99], "absent": []})
    yield "item twice", _pattern({"present": [1, 1], "absent": []})
    yield "item present and absent", _pattern({"present": [1], "absent": [1]})
    yield "no item", _pattern({"present": [], "absent": []})
    yield "negative item", _pattern({"present": [-1], "absent": []})
    yield "limit that is text", lambda d, o, p: d["model"]["language"].update(max_items="x")


def sequences() -> Iterator[tuple[str, Edit]]:
    """Lists of events."""
    yield from patterns()
    for words, bad in [
        ("no event", []), ("empty event", [[]]), ("second event empty", [[0], []]),
        ("items unsorted", [[1, 0]]),
        ("unknown item", [[9]]), ("item-set", {"present": [0], "absent": []}), ("text", "ab"),
    ]:  # fmt: skip
        yield words, _pattern(bad)


def graphs() -> Iterator[tuple[str, Edit]]:
    """Subgraphs as codes of edges."""
    yield "one alphabet for nodes and edges", lambda d, o, p: d["model"].update(features=["a"])
    yield "label twice", lambda d, o, p: d["model"]["features"].update(vertices=["a", "a", "c"])
    yield "no labels", lambda d, o, p: d["model"]["features"].update(vertices=[])
    yield "too many edges allowed", lambda d, o, p: d["model"]["language"].update(max_edges=1000)
    yield "wildcards of no kind", lambda d, o, p: d["model"]["language"].update(wildcards={"nodes": True})
    for words, bad in [
        ("no edge", []), ("unknown label", [[0, 1, 0, 0, 99]]),
        ("first edge to a third node", [[0, 2, 0, 0, 0]]),
        ("edge twice", [[0, 1, 0, 0, 0]] * 2), ("too long", [[k, k + 1, 0, 0, 0] for k in range(40)]),
        ("no node label", [[0, 1, 0, 0, None]]), ("no edge label", [[0, 1, 0, None, 0]]),
        ("no end", [[0, None, 0, 0, 0]]), ("largest label", [[0, 1, 0, 0, 2**32 - 1]]),
    ]:  # fmt: skip
        yield words, _pattern(bad)


def hierarchies() -> Iterator[tuple[str, Edit]]:
    """Conjunctions of propositions."""
    yield "rho out of range", lambda d, o, p: d["model"]["language"].update(rho=3.0)
    yield "negative count", lambda d, o, p: d["model"].update(n_candidates="-1")
    yield "rule that is not there", lambda d, o, p: p["terms"].append([10**6, 1.0])
    yield "rules unsorted", lambda d, o, p: p.update(terms=[*p["terms"][::-1], [0, 1.0], [0, 1.0]])
    yield "hull unsorted", lambda d, o, p: p["hull"].append(0)
    yield "rule without conditions", lambda d, o, p: o["terms"][0].update(pattern=[])
    yield "fraction above one", lambda d, o, p: o["terms"][0].update(support=2.0)
    yield "unknown column", lambda d, o, p: o["terms"][0]["pattern"][0].update(feature=99)


def subsets() -> Iterator[tuple[str, Edit]]:
    """Few coefficients."""
    yield "coefficient of no column", lambda d, o, p: p.update(coef=[[99, 1.0]])
    yield "coefficients unsorted", lambda d, o, p: p.update(coef=[[1, 1.0], [0, 1.0]])
    yield "half a coefficient", lambda d, o, p: p.update(coef=[[0]])
    yield "targets that are not there", lambda d, o, p: d.update(targets=["a", "b"])
    yield "folds", lambda d, o, p: o.update(cv={"strengths": [1.0], "mean": [1.0], "se": [], "n_folds": 3})


def shapes() -> Iterator[tuple[str, Edit]]:
    """Step functions."""
    yield "shape of no column", lambda d, o, p: p["shapes"][0].update(feature=9)
    yield "cuts unsorted", lambda d, o, p: p["shapes"][0].update(cuts=[3.0, 1.0])
    yield "values missing", lambda d, o, p: p["shapes"][0].update(values=[1.0])
    yield "weights missing", lambda d, o, p: p["shapes"][0].update(weights=[])
    yield "unknown group", lambda d, o, p: p["shapes"][0].update(groups=[0, 7, 0, 0])
    yield "missing values of no form", lambda d, o, p: p["shapes"][0].update(missing={})
    yield "shape twice", lambda d, o, p: p.update(shapes=p["shapes"][:1] * 2)
    yield "bound above the objective", lambda d, o, p: p.update(bound={"dual": 1e9, "shapes": []})
    yield "bound without functions", lambda d, o, p: p.update(bound={"dual": 0.0})
    yield (
        "bound of no column",
        lambda d, o, p: p.update(bound={"dual": 0.0, "shapes": [{**p["shapes"][0], "feature": 9}]}),
    )

    for words, tree in [
        ("tree of no leaf", [{"split": {"feature": 0, "cut": 0.5}}]), ("two leaves", [{"dual": 0.0}] * 2),
        ("empty node", [{}]), ("node that is both", [{"dual": 0.0, "split": {"feature": 0, "cut": 0.5}}]),
        ("split of no column", [{"split": {"feature": 99, "cut": 0.5}}, {"dual": 0.0}, {"dual": 0.0}]),
        ("split of no cut", [{"split": {"feature": 0, "cut": 1e300}}, {"dual": 0.0}, {"dual": 0.0}]),
        ("leaf above the bound", [{"dual": 1e-9}]), ("leaf of no number", [{"dual": None}]),
        ("splits without an end", [{"split": {"feature": 0, "cut": 0.5}}] * 70_000),
    ]:  # fmt: skip
        yield words, _tree(tree)


def machines() -> Iterator[tuple[str, Edit]]:
    """Factors."""
    yield "order of one", lambda d, o, p: d["model"]["language"].update(orders=[1])
    yield "order twice", lambda d, o, p: d["model"]["language"].update(orders=[2, 2])
    yield "too many ones", lambda d, o, p: d["model"]["language"].update(ones=99)
    yield "no columns", lambda d, o, p: d["model"].update(features=[])
    yield "levels that are a number", lambda d, o, p: d["model"].update(features=[{"name": "a", "levels": 3}])
    yield "no components", lambda d, o, p: d["model"]["language"].update(rank=0)
    yield "too many components", lambda d, o, p: d["model"]["language"].update(rank=2**40)
    yield "no signs", lambda d, o, p: p.update(signs=[])
    yield "sign of two", lambda d, o, p: p.update(signs=[2, *p["signs"][1:]])
    yield "too many signs", lambda d, o, p: p.update(signs=[1] * 10**5)
    yield "coefficient of no column", lambda d, o, p: p.update(coef=[[99, 1.0]])
    yield "coefficients unsorted", lambda d, o, p: p.update(coef=[[1, 1.0], [0, 1.0]])
    yield "no factors", lambda d, o, p: p.update(factors=[])
    yield "factor of no column", lambda d, o, p: p.update(factors=[[[0, 9, 1.0]]])
    yield "factor of no component", lambda d, o, p: p.update(factors=[[[9, 0, 1.0]]])
    yield "factor twice", lambda d, o, p: p.update(factors=[[[0, 1, 1.0], [0, 1, 2.0]]])


def _tree(nodes: list[Any]) -> Edit:
    return lambda d, o, p: p.update(bound={"dual": 0.0, "shapes": [], "tree": nodes})


def _pattern(value: Any) -> Edit:
    return lambda d, o, p: o["terms"][0].update(pattern=value)


FAMILIES: dict[str, Callable[[], Iterator[tuple[str, Edit]]]] = {
    "FactorizationMachine": machines, "Graph": graphs, "HierarchicalRule": hierarchies, "Itemset": itemsets,
    "L0Additive": shapes, "L0": subsets, "Rule": rules, "Sequence": sequences,
}  # fmt: skip
"""The edits of an estimator, by a prefix of its name; the longest that fits."""
