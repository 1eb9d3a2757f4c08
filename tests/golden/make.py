"""Write the models of this release, to be read by every later one.

    python tests/golden/make.py

Each file holds a model document, the rows it is to be asked about and its answers in hexadecimal,
so that the comparison is bit for bit. Files of earlier releases are never rewritten.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import thresher
from thresher import (
    FactorizationMachineClassifier,
    FactorizationMachineRegressor,
    GraphClassifier,
    GraphRegressor,
    HierarchicalRuleClassifier,
    HierarchicalRuleRegressor,
    ItemsetClassifier,
    ItemsetRegressor,
    L0AdditiveClassifier,
    L0AdditiveRegressor,
    L0Classifier,
    L0Regressor,
    RuleClassifier,
    RuleRegressor,
    SequenceClassifier,
    SequenceRegressor,
)

HERE = Path(__file__).parent


def table(seed: int, rows: int) -> pd.DataFrame:
    """Numbers, gaps and categories."""
    rng = np.random.default_rng(seed)
    number = rng.normal(size=(rows, 3))
    number[rng.random((rows, 3)) < 0.1] = np.nan
    frame = pd.DataFrame(number, columns=["weight", "length in cm", "ω"])
    frame["colour"] = rng.choice(["red", "green", "blue"], rows)
    return frame


def cases() -> dict[str, tuple[Any, str]]:
    """One unfitted model per kind of document, with the method to ask."""
    small = {"max_features": 2, "bins": 5}
    return {
        "regression": (RuleRegressor(alpha=0.02, **small), "predict"),
        "regression-no-linear": (RuleRegressor(alpha=0.02, linear=False, **small), "predict"),
        "regression-monotone": (
            RuleRegressor(alpha=0.02, monotonic_cst={"weight": 1}, **small),
            "predict",
        ),
        "two-targets": (RuleRegressor(alpha=0.05, **small), "predict"),
        "logistic": (RuleClassifier(alpha=0.01, **small), "decision_function"),
        "squared-hinge": (
            RuleClassifier(alpha=0.02, loss="squared_hinge", **small),
            "decision_function",
        ),
        "three-classes": (RuleClassifier(alpha=0.02, **small), "decision_function"),
        "number-classes": (RuleClassifier(alpha=0.02, **small), "decision_function"),
        "l0-regression": (L0Regressor(lambda0=2.0), "predict"),
        "l0-logistic": (L0Classifier(lambda0=2.0), "decision_function"),
        "additive-regression": (L0AdditiveRegressor(lambda0=1.0), "predict"),
        "additive-regression-codes": (
            L0AdditiveRegressor(lambda0=0.5, special_codes={"weight": [-9, 99, 7]}),
            "predict",
        ),
        "additive-two-targets": (L0AdditiveRegressor(lambda0=1.0), "predict"),
        "additive-logistic": (L0AdditiveClassifier(lambda0=2.0), "decision_function"),
        "additive-exponential": (L0AdditiveClassifier(lambda0=4.0, loss="exponential"), "decision_function"),
        "additive-three-classes": (L0AdditiveClassifier(lambda0=2.0), "decision_function"),
        "fm-regression": (
            FactorizationMachineRegressor(order=3, rank=4, alpha=0.01, signs="random"),
            "predict",
        ),
        "fm-classes": (
            FactorizationMachineClassifier(order="all", penalty="omega_cs", rank=3, alpha=1e-3),
            "decision_function",
        ),
        "regression-hierarchical": (
            HierarchicalRuleRegressor(alpha=0.01, tol=1e-3, bins=("uniform", 5)),
            "predict",
        ),
        "hierarchical": (
            HierarchicalRuleClassifier(alpha=0.01, tol=1e-3, bins=("uniform", 5)),
            "decision_function",
        ),
    }


def shown(name: str, X: pd.DataFrame) -> pd.DataFrame:
    """What a case sees: linear models take numbers alone, machines no missing ones, one case has codes."""
    if name.endswith("-codes"):
        rows = np.arange(len(X))
        return X.assign(weight=X["weight"].where(rows % 5 > 0, -9.0).where(rows % 7 > 0, 99.0))
    if name.startswith("fm-"):
        return X.fillna({"weight": 0.0, "length in cm": 0.0, "ω": 0.0})
    return X.drop(columns="colour").fillna(0.5) if name.startswith("l0-") else X


def target(name: str, X: pd.DataFrame) -> np.ndarray:
    """A target of the kind that the case is about."""
    heavy = X["weight"].fillna(-1).to_numpy() > 0
    red = X["colour"].to_numpy() == "red"
    value = np.where(heavy & red, 2.0, 0.0) + X["ω"].fillna(0).to_numpy()
    if "regression" in name:
        return value
    if name.endswith("two-targets"):
        return np.column_stack([value, np.where(red, 1.0, -1.0)])
    if name.endswith("three-classes") or name == "fm-classes":
        return np.where(heavy & red, "both", np.where(heavy, "heavy", "light"))
    if name == "number-classes":
        return np.where(value > 0.5, 7, 3)
    return np.where(value > 0.5, "yes", "no")


def pattern_cases() -> dict[str, tuple[Any, str]]:
    """One unfitted model per kind of records and of target, with the method to ask."""
    return {
        "itemset-regression": (ItemsetRegressor(alpha=0.02, max_items=2), "predict"),
        "itemset-negations": (
            ItemsetClassifier(alpha=0.01, negations=True, max_items=2),
            "decision_function",
        ),
        "itemset-three-classes": (ItemsetClassifier(alpha=0.02), "decision_function"),
        "sequence-regression": (SequenceRegressor(alpha=0.02, max_gap=1), "predict"),
        "sequence-three-classes": (SequenceClassifier(alpha=0.02, max_length=2), "decision_function"),
        "graph-regression": (GraphRegressor(alpha=0.02, max_edges=3), "predict"),
        "graph-wildcards": (GraphRegressor(alpha=0.02, max_edges=2, wildcards=True), "predict"),
        "graph-three-classes": (
            GraphClassifier(alpha=0.02, max_edges=3, loss="squared_hinge"),
            "decision_function",
        ),
    }


LETTERS = ["a", "b", "č", "d e"]


def records(name: str, seed: int, rows: int) -> list[Any]:
    """Sets of items, sequences of events or labelled graphs, with an empty one among them."""
    rng = np.random.default_rng(seed)
    made: list[Any] = []
    for _ in range(rows):
        labels = rng.choice(LETTERS, rng.integers(2, 7)).tolist()
        if name.startswith("graph-"):
            edges = [[int(rng.integers(v)), v] for v in range(1, len(labels))]
            made.append([labels, edges, rng.choice(["-", "="], len(edges)).tolist()])
        else:
            made.append(sorted(set(labels)) if name.startswith("itemset-") else labels)
    made[0] = [[], [], []] if name.startswith("graph-") else []
    return made


def record_target(name: str, X: list[Any]) -> np.ndarray:
    """A target of the kind that the case is about."""
    labels = [record[0] if name.startswith("graph-") else record for record in X]
    both = np.array([{"a", "b"} <= set(own) for own in labels])
    size = np.array([len(own) for own in labels], dtype=float)
    if name.endswith(("regression", "wildcards")):
        return 2.0 * both + 0.1 * size
    if name.endswith("three-classes"):
        return np.where(both, "both", np.where(size > 2, "large", "small"))
    return np.where(both, "yes", "no")


def write(name: str, model: Any, method: str, asked: Any, given: dict[str, Any]) -> None:
    """Write a fitted model, what it is asked about (`asked`, as JSON `given`) and its answers."""
    answers = np.asarray(getattr(model, method)(asked))
    document = {
        "estimator": type(model).__name__,
        "method": method,
        **given,
        "answers": [float(a).hex() for a in answers.ravel()],
        "shape": answers.shape,
        "model": json.loads(model.to_json()),
    }
    path = HERE / f"{thresher.__version__}-{name}.json"
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"written {path.name}")


def card_cases() -> dict[str, dict[str, Any]]:
    """The parameters of score cards in points."""
    return {
        "whole": {},
        "exact": {"pdo": 40.0, "base": "spread", "high_score": "high_risk", "whole": False},
    }


def write_card(path: Path, card: Any, asked: pd.DataFrame) -> None:
    """Write a card, the rows it is asked about and their scores."""
    document = {
        "rows": json.loads(asked.to_json(orient="split", index=False)),
        "scores": [float(score).hex() for score in card.score(asked)],
        "card": json.loads(card.to_json()),
    }
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"written {path.name}")


def is_kept(name: str) -> bool:
    """Whether a case has a file for this version, which stays as it is."""
    return (HERE / f"{thresher.__version__}-{name}.json").exists()


def main() -> None:
    """Write each case that has no file yet for this version."""
    X, asked = table(0, 300), table(1, 40).round(6)
    for name, (model, method) in cases().items():
        if not is_kept(name):
            rows = shown(name, asked)
            model.fit(shown(name, X), target(name, X))
            write(name, model, method, rows, {"rows": json.loads(rows.to_json(orient="split", index=False))})
    for name, (model, method) in pattern_cases().items():
        if not is_kept(name):
            given, rows = records(name, 0, 200), records(name, 1, 30)
            model.fit(given, record_target(name, given))
            write(name, model, method, rows, {"records": rows})
    model = L0AdditiveClassifier(lambda0=2.0, bins=12)
    for name, params in card_cases().items():
        path = HERE / "cards" / f"{thresher.__version__}-{name}.json"
        if not path.exists():
            card = model.fit(X, target("additive-logistic", X)).scaled_card(**params)
            write_card(path, card, asked)


if __name__ == "__main__":
    main()
