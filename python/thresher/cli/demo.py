"""The demonstration: a real data set, its rules, their certificate, and a comparison with other models."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LassoCV, LogisticRegression
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ..estimators.rules import RuleClassifier, RuleRegressor
from ..formatting.numbers import format_count
from .demo_data import Case, load_case


def run_demo(name: str, folder: Path, n_jobs: int | None = None) -> int:
    """Run a demonstration and print the results.

    Parameters
    ----------
    name : {"breast-cancer", "diabetes", "tictactoe"}
        The name of the data set.
    folder : Path
        Folder for the plots, the rules and the model.
    n_jobs : int or None, default=None
        Number of threads.

    Returns
    -------
    int
        0.
    """
    case = load_case(name)
    rows = np.arange(case.X.n_rows)
    stratify = None if case.positive is None else case.y
    train, test = train_test_split(rows, test_size=0.25, random_state=0, stratify=stratify)
    X, y = case.X.take(train), case.y[train]
    print(f"{case.title}\n{train.size} training rows, {test.size} held out, {len(case.X.names)} columns\n")
    model = (RuleRegressor if case.positive is None else RuleClassifier)(n_jobs=n_jobs)
    model.set_params(**case.params)
    started = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - started
    rule = "the strongest within one standard error of" if model.one_standard_error else "that of"
    print(
        f"Fitted in {seconds:.1f} s. The penalty (alpha = {model.alpha_:.3g}) is {rule} the least held-out "
        "loss in 5-fold cross-validation.\n"
    )
    print(model.summary().text(max_rows=20))
    started = time.perf_counter()
    fresh = model.verify(X, y)
    seconds = time.perf_counter() - started
    print(
        f"Optimal among {format_count(fresh.n_candidates)} rules, relative gap {fresh.relative_gap:.1e}: "
        f"verified in {seconds:.2f} s by an independent search.\n"
    )
    print(f"The explanation of one of the held-out rows:\n{model.explain(case.X.take(test[:1]))[0]}\n")
    _compare(case, model, train, test)
    _write(case, model, folder)
    return 0


def _score(case: Case, model: Any, X: Any, y: NDArray[Any]) -> float:
    if case.positive is None:
        return float(r2_score(y, model.predict(X)))
    place = list(model.classes_).index(case.positive)
    return float(roc_auc_score(y == case.positive, model.predict_proba(X)[:, place]))


def _compare(case: Case, model: Any, train: NDArray[Any], test: NDArray[Any]) -> None:
    measure = "R2" if case.positive is None else "AUC"
    X = np.column_stack(case.X.values)
    text = X.dtype.kind == "O"
    linear, boosting = _linear_peer(case, text), _boosting_peer(case, text)
    print(f"{measure} on the {test.size} held-out rows")
    print(
        f"  {_score(case, model, case.X.take(test), case.y[test]):.3f}  this model, {len(model.rules_)} rules"
    )
    for title, peer in ((linear[0], linear[1]), ("gradient boosting (100 trees)", boosting)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peer.fit(X[train], case.y[train])
        print(f"  {_score(case, peer, X[test], case.y[test]):.3f}  {title}")
    print()


def _linear_peer(case: Case, text: bool) -> tuple[str, Any]:
    scale = OneHotEncoder() if text else StandardScaler()
    if case.positive is None:
        return "lasso", make_pipeline(scale, LassoCV())
    search = GridSearchCV(
        LogisticRegression(penalty="l1", solver="liblinear"),
        {"C": np.logspace(-2, 3, 16)},
        scoring="neg_log_loss",
    )
    return "L1 logistic regression", make_pipeline(scale, search)


def _boosting_peer(case: Case, text: bool) -> Any:
    peer = (HistGradientBoostingRegressor if case.positive is None else HistGradientBoostingClassifier)(
        random_state=0
    )
    if not text:
        return peer
    columns = list(range(len(case.X.names)))
    return make_pipeline(make_column_transformer((OneHotEncoder(sparse_output=False), columns)), peer)


def _write(case: Case, model: Any, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    files = ["model.json", "rules.html"]
    model.to_json(folder / "model.json")
    (folder / "rules.html").write_text(
        f"<!doctype html><meta charset='utf-8'>{model.summary()._repr_html_()}", encoding="utf-8"
    )
    try:
        import matplotlib as mpl

        mpl.use("Agg")
        for file, display in (
            ("path.png", model.plot_path()),
            ("rules.png", model.plot_rules()),
            ("dependence.png", model.plot_dependence(case.dependence)),
        ):
            display.figure_.savefig(folder / file, dpi=150)
            files.append(file)
    except ImportError:
        print("no plots: they need matplotlib (pip install matplotlib)")
    print(f"written to {folder}: {', '.join(files)}")
