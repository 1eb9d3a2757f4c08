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
    HierarchicalRuleClassifier,
    HierarchicalRuleRegressor,
    L0AdditiveClassifier,
    L0AdditiveRegressor,
    L0Classifier,
    L0Regressor,
    RuleClassifier,
    RuleRegressor,
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
            RuleRegressor(alpha=0.02, monotone={"weight": 1}, **small),
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
        "additive-two-targets": (L0AdditiveRegressor(lambda0=1.0), "predict"),
        "additive-logistic": (L0AdditiveClassifier(lambda0=2.0), "decision_function"),
        "additive-exponential": (L0AdditiveClassifier(lambda0=4.0, loss="exponential"), "decision_function"),
        "additive-three-classes": (L0AdditiveClassifier(lambda0=2.0), "decision_function"),
        "fm-regression": (
            FactorizationMachineRegressor(order=3, rank=4, lambda_reg=0.01, signs="random"),
            "predict",
        ),
        "fm-classes": (
            FactorizationMachineClassifier(order="all", penalty="omega_cs", rank=3, lambda_reg=1e-3),
            "decision_function",
        ),
        "regression-hierarchical": (HierarchicalRuleRegressor(C=1.0, tol=1e-3), "predict"),
        "hierarchical": (HierarchicalRuleClassifier(C=1.0, tol=1e-3), "decision_function"),
    }


def shown(name: str, X: pd.DataFrame) -> pd.DataFrame:
    """What the case sees of the table: linear models take numbers alone, machines no missing ones."""
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


def main() -> None:
    """Write each case that has no file yet for this version."""
    X, asked = table(0, 300), table(1, 40).round(6)
    for name, (model, method) in cases().items():
        path = HERE / f"{thresher.__version__}-{name}.json"
        if path.exists():
            print(f"kept    {path.name}")
            continue
        rows = shown(name, asked)
        model.fit(shown(name, X), target(name, X))
        answers = np.asarray(getattr(model, method)(rows))
        document = {
            "estimator": type(model).__name__,
            "method": method,
            "rows": json.loads(rows.to_json(orient="split", index=False)),
            "answers": [float(a).hex() for a in answers.ravel()],
            "shape": answers.shape,
            "model": json.loads(model.to_json()),
        }
        path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"written {path.name}")


if __name__ == "__main__":
    main()
