"""Special codes of rules: in no interval, with conditions of their own, for every reader of a model."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import thresher as t
from thresher.cli import commands as cli

from .pages import Page
from .test_files import faults

CODES = {"a": [-9999, 998, 997], "b": [0.5], "c": [-8, -7, -6, -5]}
"""997 and -5 are never seen in training; 0.5 and the codes of c lie among the numbers."""


def draw(seed, n=250):
    """A table on a grid with missing values and codes, and a signal of numbers and codes."""
    r = np.random.default_rng(seed)
    frame = pd.DataFrame({name: r.integers(-40, 41, n) / 4 for name in "abcd"})
    signal = (frame["a"] > 1) + 0.5 * (frame["c"] <= 2) * (frame["b"] > 0) - 0.2 * frame["d"]
    signal += 0.3 * r.normal(size=n)
    for name, codes in CODES.items():
        # -5 of c is a number of the grid: it must not be left among the rows.
        frame.loc[frame[name] == codes[-1], name] += 0.25
        for code in codes[: len(codes) - (name != "b")]:
            rows = r.random(n) < r.choice([0.03, 0.1, 0.2])
            frame.loc[rows, name] = code
            signal[rows] += r.normal()
    frame = frame.mask(r.random(frame.shape) < r.choice([0.0, 0.1]))
    return frame, signal.to_numpy()


def fit(seed, **params):
    frame, signal = draw(seed)
    kind, y = t.RuleRegressor, signal
    if seed % 2:
        kind, y = t.RuleClassifier, np.where(signal > np.median(signal), "yes", "no")
    given = {"alpha": 0.01, "special_codes": CODES, "bins": 4, "max_features": 2, "linear": seed % 3 > 0}
    return kind(**{**given, **params}).fit(frame, y), frame, y


def new_rows(frame, seed):
    """Rows with codes that training did not see, missing values, and numbers beside codes."""
    r = np.random.default_rng(seed)
    rows = frame.sample(150, random_state=seed).reset_index(drop=True)
    for name, codes in CODES.items():
        for value in (*codes, np.nextafter(codes[0], 1e9), np.nan):
            rows.loc[r.random(150) < 0.06, name] = value
    return rows


def decision(model, X):
    return (model.predict if isinstance(model, t.RuleRegressor) else model.decision_function)(X)


def holds(condition, x):
    """Whether a condition holds of a number, as its text says with the codes it lists."""
    codes = [float(code) for code in CODES.get(condition.feature_name, ())]
    if condition.missing is not None:
        return (np.isnan(x) or x in condition.codes) == condition.missing
    if condition.category is not None:
        return x == condition.category
    assert condition.codes == tuple(sorted(c for c in codes if condition.lower < c <= condition.upper))
    return condition.lower < x <= condition.upper and x not in condition.codes


@pytest.mark.parametrize("seed", range(12))
def test_all_readers_agree(seed):
    model, frame, y = fit(seed)
    X = pd.concat([frame, new_rows(frame, seed)], ignore_index=True)
    wanted = decision(model, X)
    sums = np.full(len(X), float(model.intercept_))
    for rule in model.rules_:
        parts = [[holds(c, x) for x in X[c.feature_name]] for c in rule.conditions]
        sums += rule.coef * np.all(parts, axis=0)
    for term in model._fitted.document["outputs"][0]["points"][model._path_index[0]]["linear"]:
        x = X.iloc[:, term["feature"]]
        apart = x.isna() | x.isin(CODES.get(x.name, ()))
        sums += term["coef"] * np.where(apart, term["center"], x)
    assert np.allclose(sums, wanted, atol=1e-12)
    explained = [sum(c.value for c in e.contributions) + e.intercept for e in model.explain(X)]
    assert np.allclose(explained, wanted)
    again = type(model).from_json(model.to_json())
    for other in (again, pickle.loads(pickle.dumps(model))):
        assert np.array_equal(decision(other, X), wanted)
        assert [rule.text for rule in other.rules_] == [rule.text for rule in model.rules_]
        assert other.verify(frame, y).dual == pytest.approx(model.certificate_.dual, rel=1e-5)
    assert faults(model._fitted.document, "rules-1.json") == []


@pytest.mark.parametrize("seed", range(6))
def test_rules_are_read_from_their_texts(seed):
    model, _, _ = fit(seed, alpha=0.003)
    texts = [rule.text for rule in model.rules_]
    for rule in model.rules_:
        for form in (rule.text, rule):
            priced = model.price(form)
            assert priced.in_model
            assert priced.term.text == rule.text
    assert any("(not" in text for text in texts)
    assert any(" = " in text for text in texts)


def test_texts_say_which_codes_are_apart():
    x = np.r_[np.arange(60.0), [-9.0] * 20, [998.0] * 20, [np.nan] * 10]
    y = np.r_[np.arange(60) > 30, np.full(20, 5), np.full(20, -5), np.full(10, 2)]
    X = pd.DataFrame({"age": x})
    model = t.RuleRegressor(alpha=0.001, linear=False, special_codes={"age": [-9, 998, 997]})
    model.set_params(bins={"age": [29.5]}).fit(X, y)
    texts = {rule.text for rule in model.rules_} | {form.text for r in model.rules_ for form in r.equivalents}
    assert texts <= {
        "age = -9",
        "age = 998",
        "age is missing (or 997)",
        "age <= 29.5 (not -9)",
        "age > 29.5 (not in {997, 998})",
        "age is a number (not in {-9, 997, 998})",
    }
    assert {"age = -9", "age = 998"} <= texts
    # Two intervals, all numbers, two codes, missing values, and the empty rule.
    assert model.certificate_.n_candidates == 7
    assert model.price({"age": -9}).term == model.price("age = -9").term
    assert model.price({"age": (None, None)}).term.text == "age is a number (not in {-9, 997, 998})"
    assert model.price("age is a number").term == model.price({"age": (None, None)}).term
    with pytest.raises(ValueError, match=r"997.* is no special code of the training rows .* it has -9, 998"):
        model.price("age = 997")
    for rule in ("age != -9", "age is not missing", {"age": "not missing"}):
        with pytest.raises(ValueError, match=r"special codes .*any number, one of the codes or"):
            model.price(rule)
    # A code that training did not see is a missing value.
    assert model.predict(pd.DataFrame({"age": [997.0]})) == model.predict(pd.DataFrame({"age": [np.nan]}))


def test_codes_take_no_part_in_cut_points_lines_and_monotonicity():
    r = np.random.default_rng(0)
    x = r.normal(size=(200, 2))
    y = x[:, 0] + (x[:, 1] > 0) + 0.1 * r.normal(size=200)
    X = pd.DataFrame(x, columns=["a", "b"])
    X.loc[:39, "a"], y[:40] = 1e6, -3.0
    blank = X.mask(X == 1e6)
    model = t.RuleRegressor(alpha=0.01, special_codes={"a": [1e6]}, monotonic_cst={"a": 1}).fit(X, y)
    plain = clone(model).set_params(special_codes=None).fit(blank, y)
    read = [json.loads(own.to_json())["model"] for own in (model, plain)]
    one, other = (document["features"][0] for document in read)
    assert (one["cuts"], one["upper"]) == (other["cuts"], other["upper"])
    # The code alone stands for the missing values: the two models differ in this word alone.
    assert model.certificate_.primal == pytest.approx(plain.certificate_.primal, rel=1e-9)
    assert model.certificate_.n_candidates == plain.certificate_.n_candidates
    assert np.allclose(model.predict(X), plain.predict(blank), atol=1e-9)
    assert np.allclose(model.linear_coef_, plain.linear_coef_)
    forms = {form.text for rule in model.rules_ for form in (rule, *rule.equivalents)}
    assert "a = 1000000" in forms or "a is a number (not 1000000)" in forms
    grid = pd.DataFrame({"a": np.linspace(-3, 3, 50), "b": 0.1})
    assert (np.diff(model.predict(grid)) >= -1e-12).all()
    text = next(c.text for c in model.explain(X.iloc[:1])[0].contributions if c.kind == "linear")
    assert text.startswith("a = 1000000, taken as its mean")


@pytest.mark.parametrize(
    ("codes", "error", "message"),
    [
        ({"z": [1]}, ValueError, "z"),
        ({"a": "x"}, TypeError, "dict of column: codes"),
        ({"a": [np.nan]}, ValueError, "finite numbers"),
        ({"e": [1]}, ValueError, "categorical"),
    ],
)
def test_bad_codes_are_refused(codes, error, message):
    frame, y = draw(0)
    model = t.RuleRegressor(alpha=0.1).fit(frame, y)
    before = model.to_json()
    model.set_params(special_codes=codes)
    with pytest.raises(error, match=f"special_codes: .*{message}"):
        model.fit(frame.assign(e="x"), y)
    model.set_params(special_codes=None)
    assert model.to_json() == before


EDITS = {
    "a code that is none": lambda c: c.update(category=12345.5),
    "a code that is unseen": lambda c: c.update(category=997.0),
    "a negated code": lambda c: c.update(negated=True),
    "a text": lambda c: c.update(category="-9999"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_edited_files_are_refused(edit):
    model, _, _ = fit(0, alpha=0.003)
    payload = json.loads(model.to_json())
    terms = payload["model"]["outputs"][0]["terms"]
    code = next(c for term in terms for c in term["pattern"] if c["feature"] == 0 and "category" in c)
    edit(code)
    with pytest.raises(t.FormatError, match="special code"):
        t.RuleRegressor.from_json(json.dumps(payload))


def test_verification_refuses_other_codes():
    model, frame, y = fit(2)
    for codes in (None, {"a": [-9999]}):
        other = type(model).from_json(model.to_json()).set_params(special_codes=codes)
        with pytest.raises(t.CertificateError, match="special codes"):
            other.verify(frame, y)


def test_tables_on_disk_and_in_memory_give_one_model():
    frame, y = draw(1)
    pyarrow = pytest.importorskip("pyarrow")
    arrow = pyarrow.Table.from_pandas(frame.assign(y=y), preserve_index=False)
    model = t.RuleRegressor(alpha=0.01, special_codes=CODES, bins=4, max_features=2)
    near, far = clone(model).fit(frame, y), clone(model).fit(arrow.to_batches(), "y")
    assert [rule.text for rule in near.rules_] == [rule.text for rule in far.rules_]
    assert np.allclose(near.predict(frame), far.predict(frame), atol=1e-9)
    assert far.verify(arrow.to_batches(), "y").n_candidates == near.certificate_.n_candidates


def test_near_ties_name_codes():
    model, _, _ = fit(0, alpha=0.05)
    texts = [near.term.text for near in model.near_ties(0.6, limit=200)]
    assert any("c = -7 and" in text for text in texts)
    assert any("a is a number (not in {-9999, 997, 998})" in text for text in texts)


def test_folds_and_groups_know_codes():
    frame, y = draw(3)
    for params in (
        {"alpha": "cv", "cv": 3},
        {"group_sparsity": 0.5},
        {"max_rules": 3, "alpha": "cv", "cv": 3},
    ):
        model = t.RuleRegressor(**{"alpha": 0.02, **params}, special_codes=CODES, bins=3, max_features=2)
        fresh = model.fit(frame, y).verify(frame, y)
        assert fresh.n_candidates == model.certificate_.n_candidates
        assert fresh.primal == pytest.approx(model.certificate_.primal, rel=1e-8)


def test_the_command_line(tmp_path, capsys):
    frame, y = draw(4)
    data, out = tmp_path / "d.csv", tmp_path / "m.json"
    frame.assign(y=y).to_csv(data, index=False)
    given = ["--special-codes", "a=-9999,998,997", "b=0.5", "--alpha", "0.01"]
    assert cli.main(["fit", str(data), "--target", "y", *given, "--output", str(out)]) == 0
    model = t.load_model(out)
    assert model.special_codes == {"a": [-9999.0, 998.0, 997.0], "b": [0.5]}
    printed = capsys.readouterr()
    assert any(f"a = {code}" in printed.out for code in (-9999, 998))
    assert "note: 'a'" not in printed.err


def test_a_report_and_plots_show_codes(tmp_path):
    model, frame, y = fit(0, alpha=0.003)
    model.report(tmp_path / "p.html", frame, y)
    page = Page(tmp_path / "p.html")
    assert "-9999" in page.source
    pytest.importorskip("matplotlib").use("agg")
    shown = model.plot_dependence("a")
    assert max(shown.values) < 998
