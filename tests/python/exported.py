"""Models of every kind of table, and rows to score: what the tests of the exports share."""

from __future__ import annotations

import ctypes
import json
import math
import subprocess
import warnings
from functools import cache

import numpy as np
import pandas as pd

import thresher as t

AWKWARD = [
    "age",
    'a "quoted" name',
    "select",
    "größe; DROP TABLE x; --",
    "two\nlines",
    "colour",
    "flag",
    "grade",
]
"""Names that SQL, C and JavaScript must quote: five numbers, texts, booleans, whole numbers as categories."""

COLOURS = ["red", "it's", "", 'blue "x"', "naïve\nline", "null"]


def table(n_rows=300, seed=0, missing=0.1):
    """A table of numbers on a grid, texts, booleans and numbered categories, with missing values."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.integers(-8, 9, n_rows) / 4 for name in AWKWARD[:5]})
    frame["colour"] = rng.choice(COLOURS, n_rows)
    frame["flag"] = rng.random(n_rows) < 0.5
    frame["grade"] = rng.choice([1, 2, 7], n_rows)
    frame = frame.astype({"colour": object, "flag": object, "grade": object})
    if missing:
        frame = frame.mask(rng.random(frame.shape) < missing, other=None)
        for name in AWKWARD[:5]:
            frame[name] = frame[name].astype(float)
    return frame


def signal(frame, seed=0):
    """A number that depends on every column."""
    rng = np.random.default_rng(seed)
    first, second, third = (frame[name].fillna(0).to_numpy(float) for name in AWKWARD[:3])
    found = 2.0 * (first > 0) * (second <= 0.5) + 0.7 * third + 1.5 * (frame["colour"] == "red").to_numpy()
    found += 0.8 * (frame["flag"] == True).to_numpy() * first + frame["grade"].isna().to_numpy()  # noqa: E712
    return found + 0.2 * rng.normal(size=len(frame))


def labels(values, n_classes):
    """Classes of a number."""
    cuts = np.quantile(values, np.linspace(0, 1, n_classes + 1)[1:-1])
    return np.array(["no", "yes 'so'", 'perhaps "not"'])[np.searchsorted(cuts, values)]


CATEGORIES = {"categorical_features": ["colour", "flag", "grade"]}
_RULES = {"alpha": 0.01, "max_features": 3, "bins": 6, **CATEGORIES}
_HULL = {"alpha": 0.003, **CATEGORIES}
_CARD = {"lambda0": 0.5, **CATEGORIES}
_EXPONENTIAL = {"lambda0": 0.5, "loss": "exponential"}
_CODES = {"age": [-2.0, 1.5, 99.0], 'a "quoted" name': 0.5, "select": [-0.25, 0.0, 7e9]}
"""Codes among the numbers of the table, and others that training does not see."""
_MACHINE = {"rank": 3, "max_iter": 60, "alpha": 1e-4, **CATEGORIES}
_NUMBERS, _LABELS = t.FactorizationMachineRegressor, t.FactorizationMachineClassifier
_WHOLE = {"whole": True}

KINDS = {
    "rules": (t.RuleRegressor, _RULES, {}),
    "rules-huber": (t.RuleRegressor, {**_RULES, "loss": ("huber", 1.0)}, {}),
    "rules-no-linear": (
        t.RuleRegressor,
        {**_RULES, "alpha": 0.03, "linear": False, "group_sparsity": 0.5},
        {},
    ),
    "rules-refuse": (t.RuleRegressor, {**_RULES, "handle_unknown": "error"}, {}),
    "rules-missing": (t.RuleRegressor, {**_RULES, "handle_unknown": "missing"}, {}),
    "rules-known": (t.RuleRegressor, {"alpha": 0.3, "handle_unknown": "error", **CATEGORIES}, {}),
    "rules-two-targets": (t.RuleRegressor, _RULES, {"n_targets": 2}),
    "rules-empty": (t.RuleRegressor, {"alpha": 1e6, **CATEGORIES}, {}),
    "rules-logistic": (t.RuleClassifier, _RULES, {"n_classes": 2}),
    "rules-hinge": (t.RuleClassifier, {**_RULES, "loss": "squared_hinge"}, {"n_classes": 2}),
    "rules-three": (t.RuleClassifier, _RULES, {"n_classes": 3}),
    "rules-three-refuse": (t.RuleClassifier, {**_RULES, "handle_unknown": "error"}, {"n_classes": 3}),
    "rules-codes": (t.RuleRegressor, {**_RULES, "special_codes": _CODES}, {}),
    "rules-codes-long": (
        t.RuleRegressor,
        {**_RULES, "alpha": 0.003, "linear": False, "special_codes": _CODES},
        {},
    ),
    "rules-codes-whole": (t.RuleRegressor, {"alpha": 0.01, "special_codes": _CODES}, {"numbers": True}),
    "rules-codes-list": (
        t.RuleClassifier,
        {**_RULES, "special_codes": [-1.0, 0.0, 1.0, 1e-3]},
        {"n_classes": 3},
    ),
    "hierarchy": (t.HierarchicalRuleRegressor, {"alpha": 0.01, **CATEGORIES}, {}),
    "hierarchy-hinge": (t.HierarchicalRuleClassifier, {**_HULL, "loss": "hinge"}, {"n_classes": 3}),
    "hierarchy-logistic": (t.HierarchicalRuleClassifier, {**_HULL, "loss": "logistic"}, {"n_classes": 2}),
    "linear": (t.L0Regressor, {"lambda0": 0.5}, {"numbers": True}),
    "linear-exponential": (t.L0Classifier, _EXPONENTIAL, {"numbers": True, "n_classes": 2}),
    "linear-three": (t.L0Classifier, {"lambda0": 0.5}, {"numbers": True, "n_classes": 3}),
    "card": (t.L0AdditiveRegressor, _CARD, {}),
    "card-missing": (t.L0AdditiveRegressor, {**_CARD, "handle_unknown": "missing"}, {}),
    "card-logistic": (t.L0AdditiveClassifier, _CARD, {"n_classes": 2}),
    "card-exponential": (t.L0AdditiveClassifier, {**_CARD, "loss": "exponential"}, {"n_classes": 3}),
    "card-codes": (t.L0AdditiveRegressor, {**_CARD, "special_codes": _CODES}, {}),
    "card-codes-whole": (t.L0AdditiveRegressor, {"lambda0": 0.5, "special_codes": _CODES}, {"numbers": True}),
    "card-codes-list": (
        t.L0AdditiveClassifier,
        {**_CARD, "lambda0": 3.0, "special_codes": [-1.0, 1.0, 1e-3]},
        {"n_classes": 3},
    ),
    "machine": (_NUMBERS, _MACHINE, _WHOLE),
    "machine-order-3": (_NUMBERS, {**_MACHINE, "order": 3, "fit_lower": "augment"}, _WHOLE),
    "machine-subsets": (_NUMBERS, {**_MACHINE, "order": "all", "penalty": "omega_ti"}, _WHOLE),
    "machine-far": (_NUMBERS, _MACHINE, {**_WHOLE, "offset": 1e6}),
    "machine-refuse": (_NUMBERS, {**_MACHINE, "handle_unknown": "error"}, _WHOLE),
    "machine-logistic": (_LABELS, _MACHINE, {**_WHOLE, "n_classes": 2}),
    "machine-squared": (_LABELS, {**_MACHINE, "loss": "squared"}, {**_WHOLE, "n_classes": 3}),
    "machine-hinge": (_LABELS, {**_MACHINE, "loss": "squared_hinge", "signs": "random"},
                      {**_WHOLE, "n_classes": 2}),
}  # fmt: skip
"""Estimator, parameters, and what it is fitted on."""


@cache
def fitted(kind, seed=0):
    """A fitted model of a kind."""
    estimator, params, data = KINDS[kind]
    only_numbers = data.get("numbers", False)
    frame = table(seed=seed, missing=0 if only_numbers or data.get("whole") else 0.1)
    values = signal(frame, seed)
    if data.get("whole"):  # numbers must be there, categories may be missing
        frame.loc[::7, "colour"] = None
    frame[AWKWARD[:5]] += data.get("offset", 0.0)
    y = values if "n_classes" not in data else labels(values, data["n_classes"])
    if data.get("n_targets"):
        y = pd.DataFrame({"first": values, "second one": -values + frame["age"].fillna(0)})
    X = frame[AWKWARD[:5]] if only_numbers else frame
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator(**params).fit(X, y)


def cut_points(model):
    """All numbers that conditions and steps compare with."""
    from thresher.export.build import formula_of
    from thresher.export.conditions import Interval, IsCode
    from thresher.export.formula import Linear, Steps

    formula = formula_of(model)
    found = [
        end for each in formula.conditions() if isinstance(each, Interval) for end in (each.lower, each.upper)
    ]
    steps = [term for term in formula.terms() if isinstance(term, Steps)]
    found += [cut for term in steps for cut in term.cuts]
    found += [code for term in steps for code, _ in term.codes]
    found += [code for each in formula.conditions() if isinstance(each, IsCode) for code in each.codes]
    found += [code for term in formula.terms() if isinstance(term, Linear) for code in term.codes]
    return sorted({value for value in found if math.isfinite(value)})


def rows_for(model, n_rows=120, seed=1, unknown=True):
    """Rows with missing values, unknown categories, and numbers on cut points and beside them."""
    rng = np.random.default_rng(seed)
    frame = table(n_rows, seed)
    cuts = cut_points(model) or [0.25]
    for name in AWKWARD[:5]:
        chosen = rng.choice(cuts, n_rows)
        near = np.where(
            rng.random(n_rows) < 0.5, chosen, np.nextafter(chosen, rng.choice([-9.0, 9.0], n_rows))
        )
        pick = rng.random(n_rows) < 0.4
        frame.loc[pick, name] = near[pick]
    if np.any(getattr(model, "centers_", 0.0)):  # a model of columns far from 0
        frame[AWKWARD[:5]] += KINDS["machine-far"][2]["offset"]
    if unknown:
        frame.loc[rng.random(n_rows) < 0.05, "colour"] = "never seen"
        frame.loc[rng.random(n_rows) < 0.05, "grade"] = 99
    return frame[list(model.feature_names_in_)]


def expected(model, frame):
    """Decision values, predictions and probabilities row by row; None where predict raises.

    Only the columns in use are given: predict reads the others too, exported code does not.
    """
    used = sorted(model._used_columns())
    frame = frame.iloc[:, used] if used else frame
    try:
        return _answers(model, frame)
    except ValueError:
        valid = [k for k in range(len(frame)) if _is_predicted(model, frame.iloc[[k]])]
        answers = dict(zip(valid, _answers(model, frame.iloc[valid]), strict=True))
        return [answers.get(k) for k in range(len(frame))]


def _is_predicted(model, row):
    try:
        return len(model.predict(row)) == 1
    except ValueError:
        return False


def _answers(model, frame):
    predictions = model.predict(frame)
    decision = model.decision_function(frame) if hasattr(model, "decision_function") else predictions
    decision = np.asarray(decision).reshape(len(frame), -1)
    answers = [
        {"decision": own.tolist(), "prediction": prediction}
        for own, prediction in zip(decision, predictions, strict=True)
    ]
    if hasattr(model, "predict_proba"):
        for answer, own in zip(answers, model.predict_proba(frame), strict=True):
            answer["probabilities"] = own.tolist()
    return answers


def records(frame):
    """Rows as dictionaries, None for missing."""
    plain = frame.astype(object).where(frame.notna(), None)
    return [
        {name: value.item() if isinstance(value, np.generic) else value for name, value in row.items()}
        for row in plain.to_dict("records")
    ]


def agree(wanted, got, exact=True):
    """Compare the answers of an export with those of predict."""
    assert len(wanted) == len(got)
    for k, (one, other) in enumerate(zip(wanted, got, strict=True)):
        assert (one is None) == (other is None), (k, one, other)
        if one is None:
            continue
        decision = np.ravel(other["decision"]).tolist()
        if exact:
            assert decision == one["decision"], (k, one, other)
        np.testing.assert_allclose(decision, one["decision"], rtol=1e-12, atol=1e-14)
        if "probabilities" in one:
            np.testing.assert_allclose(other["probabilities"], one["probabilities"], rtol=1e-12, atol=1e-300)
        if np.ndim(one["prediction"]) == 0 and isinstance(one["prediction"], str):
            assert other["prediction"] == one["prediction"], (k, one, other)


def run_javascript(script, rows, folder):
    """Score rows by node; None where the script throws."""
    (folder / "score.js").write_text(script, encoding="utf-8")
    (folder / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    main = (
        "const { score } = require('./score.js');"
        "const rows = JSON.parse(require('fs').readFileSync('rows.json'));"
        "console.log(JSON.stringify(rows.map((r) => { try { return score(r); } catch (e) {"
        "if (!String(e.message).startsWith('score: ')) throw e; return null; } })));"
    )
    done = subprocess.run(["node", "-e", main], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def run_python(script, rows):
    """Score rows by the Python function; None where it raises."""
    module = {}
    exec(compile(script, "score.py", "exec"), module)
    found = []
    for row in rows:
        try:
            found.append(module["score"](row))
        except ValueError as error:
            if not str(error).startswith("score: "):
                raise
            found.append(None)
    return found


def run_c(script, formula, rows, folder):
    """Score rows by the compiled C function; None where it returns -1."""
    from thresher.export.c_text import field_names

    fields = field_names([column.name for column in formula.columns])
    n_outputs = len(formula.outputs)
    n_classes = len(formula.classes) if formula.has_probabilities else 0
    (folder / "score.c").write_text(script, encoding="utf-8")
    library = folder / f"score{len(list(folder.iterdir()))}.so"  # a path that is loaded is not read again
    flags = [
        "-std=c99",
        "-pedantic",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-O2",
        "-ffp-contract=off",
        "-shared",
        "-fPIC",
    ]
    done = subprocess.run(
        ["gcc", *flags, str(folder / "score.c"), "-o", str(library), "-lm"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    is_text = [
        column.kind == "category" and column.level_type in ("text", "mixed") for column in formula.columns
    ]
    types = [ctypes.c_char_p if text else ctypes.c_double for text in is_text]
    row_type = type(
        "Row", (ctypes.Structure,), {"_fields_": [*zip(fields, types, strict=True), ("unused", ctypes.c_int)]}
    )
    score = ctypes.CDLL(str(library)).score
    decision, probability = (ctypes.c_double * n_outputs)(), (ctypes.c_double * max(1, n_classes))()
    found = []
    for row in rows:
        cells = [row[column.name] for column in formula.columns]
        packed = row_type()
        for field, text, cell in zip(fields, is_text, cells, strict=True):
            if text:
                setattr(packed, field, None if cell is None else str(cell).encode())
            else:
                setattr(packed, field, math.nan if cell is None else float(cell))
        code = score(ctypes.byref(packed), decision, probability)
        if code < 0:
            assert all(map(math.isnan, decision))
            found.append(None)
            continue
        label = formula.classes[code] if formula.classes else decision[0]
        answer = {"decision": list(decision), "prediction": label}
        if n_classes:
            answer["probabilities"] = list(probability)
        found.append(answer)
    return found


@cache
def case(kind):
    """A fitted model, rows to score, and what predict answers."""
    model = fitted(kind)
    rows = rows_for(model)
    return model, rows, expected(model, rows)


def run_onnx(graph, formula, frame):
    """Score rows by onnxruntime; None where the decision is NaN."""
    import onnxruntime

    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    missing = {entry.key: entry.value for entry in graph.metadata_props}["missing text"]
    feeds = {}
    for value in session.get_inputs():
        if value.name == "X":
            feeds["X"] = np.zeros((len(frame), formula.n_columns))
        elif value.type == "tensor(string)":
            cells = frame[value.name].astype(object)
            feeds[value.name] = cells.where(cells.notna(), missing).to_numpy(object).reshape(-1, 1)
        else:
            feeds[value.name] = frame[value.name].astype(float).to_numpy().reshape(-1, 1)
    answers = dict(
        zip([value.name for value in session.get_outputs()], session.run(None, feeds), strict=True)
    )
    found = []
    decision = answers.get("decision", answers["prediction"])
    for k in range(len(frame)):
        if np.isnan(decision[k]).any():
            assert np.isnan(decision[k]).all()
            assert np.isnan(answers.get("probabilities", decision)[k]).all()
            found.append(None)
            continue
        answer = {"decision": decision[k].tolist(), "prediction": answers["prediction"].tolist()[k]}
        if "probabilities" in answers:
            answer["probabilities"] = answers["probabilities"][k].tolist()
        found.append(answer)
    return found
