"""Special codes of numeric columns: they are no numbers, for every reader of a model."""

import json
import pickle
import re
import sqlite3
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import thresher as t
from thresher.cli import commands as cli

from .pages import Page

CODES = {"a": [-9999, 998, 997], "b": [0.5], "c": [-8, -7, -6, -5]}
"""997 and -5 are never seen in training; 0.5 and the codes of c lie among the numbers."""


def draw(seed, n=300):
    """A table on a grid with missing values and codes, weights, and a signal of numbers and codes."""
    r = np.random.default_rng(seed)
    frame = pd.DataFrame({name: r.integers(-40, 41, n) / 4 for name in "abcd"})
    signal = (frame["a"] > 1) + 0.5 * (frame["c"] <= 2) - (frame["d"] > 4) + 0.3 * r.normal(size=n)
    for name, codes in CODES.items():
        # -5 of c is a number of the grid: it must not be left among the rows.
        frame.loc[frame[name] == codes[-1], name] += 0.25
        for code in codes[: len(codes) - (name != "b")]:
            rows = r.random(n) < r.choice([0.01, 0.1, 0.3])
            frame.loc[rows, name] = code
            signal[rows] += r.normal()
    frame = frame.mask(r.random(frame.shape) < r.choice([0.0, 0.1]))
    return frame, signal.to_numpy(), r.choice([0.5, 1.0, 2.0], n)


def fit(seed, **params):
    """A model of one of the losses, its data and its weights."""
    frame, signal, weights = draw(seed)
    loss = ("squared", "logistic", "exponential")[seed % 3]
    y = signal if loss == "squared" else np.where(signal > np.median(signal), "yes", "no")
    kind = t.L0AdditiveRegressor if loss == "squared" else t.L0AdditiveClassifier
    given = {"lambda0": (0.2, 1.0, 5.0)[seed % 5 % 3], "special_codes": CODES, "bins": None, "loss": loss}
    model = kind(**{**given, **params}).fit(frame, y, sample_weight=weights)
    return model, frame, y, weights


def decision(model, X):
    return (model.predict if isinstance(model, t.L0AdditiveRegressor) else model.decision_function)(X)


def rows_to_score(seed, n=150):
    """Other rows: codes that training did not see, missing values everywhere, numbers beside codes."""
    frame, _, _ = draw(seed + 1000, n)
    r = np.random.default_rng(seed)
    for name, codes in CODES.items():
        frame.loc[r.random(n) < 0.1, name] = codes[-1]
        frame.loc[r.random(n) < 0.05, name] = np.nextafter(codes[0], 1e9)
        frame.loc[r.random(n) < 0.05, name] = np.nan
    return frame


def holds(text, name, x):
    """Whether a printed condition holds of a value, by its text alone."""
    text, _, left_out = re.sub(r"(.*) \(not (.*?)\)(.*)", r"\1\3, not \2", text).partition(", not ")
    if x in numbers_of(left_out):
        return False
    first, _, pool = re.sub(r"(,| or) missing", " missing", text).partition(" missing")
    if np.isnan(x) or x in numbers_of(pool):
        return " missing" in text
    if first == name and " missing" in text:
        return False
    if first.startswith(f"{name} = "):
        return x in numbers_of(first.removeprefix(name))
    if first == f"{name} known":
        return True
    if found := re.fullmatch(rf"(\S+) < {name} <= (\S+)", first):
        return float(found[1]) < x <= float(found[2])
    if found := re.fullmatch(rf"{name} <= (\S+)", first):
        return x <= float(found[1])
    return x > float(re.fullmatch(rf"{name} > (\S+)", first)[1])


def numbers_of(text):
    return [float(found) for found in re.findall(r"-?\d[\d.]*", text)]


def printed(model, X):
    """The decision values by the printed card alone."""
    card = model.score_card().columns()
    total = np.full(len(X), card["value"][0])
    for name in X:
        steps = [
            (text, value)
            for feature, text, value in zip(card["feature"], card["condition"], card["value"], strict=True)
            if feature == name
        ]
        for row, x in enumerate(X[name].tolist()):
            found = [value for text, value in steps if holds(text, name, x)]
            assert len(found) <= 1
            total[row] += sum(found)
    return total


def in_sql(model, X):
    with sqlite3.connect(":memory:") as connection:
        X.reset_index(names="key").to_sql("t", connection, index=False)
        found = connection.execute(model.to_sql("t", dialect="sqlite", keep="key"))
        names = [column[0] for column in found.description]
        place = names.index("decision" if "decision" in names else "prediction")
        return np.array([row[place] for row in sorted(found.fetchall())])


def in_python(model, X):
    module = {}
    exec(model.to_python(), module)
    return np.array([module["score"](row)["decision"] for row in X.to_dict("records")])


@pytest.mark.parametrize("seed", range(30))
def test_all_readers_agree(seed):
    model, frame, y, weights = fit(seed)
    X = pd.concat([frame, rows_to_score(seed)], ignore_index=True)
    # Printed cut points are short and separate the training rows alone.
    assert np.allclose(printed(model, frame), decision(model, frame), atol=1e-12)
    wanted = decision(model, X)
    assert np.array_equal(in_sql(model, X), wanted)
    assert np.array_equal(in_python(model, X), wanted)
    sums = [sum(c.value for c in e.contributions) + e.intercept for e in model.explain(X)]
    assert np.allclose(sums, wanted)
    again = type(model).from_json(model.to_json())
    assert np.array_equal(decision(again, X), wanted)
    assert np.array_equal(decision(pickle.loads(pickle.dumps(model)), X), wanted)
    assert again.score_card().columns() == model.score_card().columns()
    for fresh in (model.verify(frame, y, weights), again.verify(frame, y, weights)):
        assert fresh.primal == pytest.approx(model.certificate_.primal, rel=1e-9)
        assert fresh.dual == pytest.approx(model.certificate_.dual, rel=1e-7, abs=1e-7)
    assert sum(step.support for shape in model.shape_functions_ for step in shape.steps) == pytest.approx(
        len(model.shape_functions_)
    )


@pytest.mark.parametrize("seed", range(30))
def test_each_row_is_in_one_printed_bin(seed):
    model, frame, y, weights = fit(seed)
    columns = model.binning_table(frame, y, weights).columns()
    for name in set(columns["feature"]):
        lines = zip(columns["feature"], columns["bin"], columns["count"], strict=True)
        bins = {text: count for feature, text, count in lines if feature == name}
        held = {text: [holds(text, name, x) for x in frame[name].tolist()] for text in bins}
        assert (np.sum(list(held.values()), axis=0) == 1).all()
        for text, count in bins.items():
            assert weights[held[text]].sum() == pytest.approx(count)


def test_intervals_name_the_codes_that_lie_in_them():
    r = np.random.default_rng(0)
    x = r.integers(0, 9, 900).astype(float)
    z = 2.0 * (x > 5) - 3.0 * (x == 3)
    X = pd.DataFrame({"b": x})
    y = np.where(r.random(900) < 1 / (1 + np.exp(-z)), "bad", "good")
    model = t.L0AdditiveClassifier(lambda0=5.0, special_codes={"b": [3, 40]}).fit(X, y)
    assert [step.text for step in model.shape_functions_[0].steps] == [
        "b <= 5, not 3",
        "b > 5, not 40",
        "b = 3",
    ]
    texts = model.scaled_card().bins[0].texts
    assert texts == ("b <= 5, not 3", "b > 5, not 40", "b = 3", "b missing or 40")


@pytest.mark.parametrize("seed", range(12))
def test_the_numbers_that_stand_for_codes_do_not_matter(seed):
    model, frame, y, weights = fit(seed)
    others = {"a": [3.125, 1e6, -1e6], "b": [1e-3], "c": [50, 51, 52, 53]}
    renamed = frame.copy()
    for name, codes in CODES.items():
        for code, other in zip(codes, others[name], strict=True):
            renamed.loc[frame[name] == code, name] = other
    same = clone(model).set_params(special_codes=others).fit(renamed, y, sample_weight=weights)
    assert same.objective_ == pytest.approx(model.objective_, rel=1e-6)
    assert np.allclose(decision(same, renamed), decision(model, frame), atol=1e-4)


@pytest.mark.parametrize("seed", range(12))
def test_cut_points_are_those_of_the_numbers_alone(seed):
    model, frame, y, weights = fit(seed, bins=7)
    blank = frame.mask(frame.apply(lambda column: column.isin(CODES.get(column.name, []))))
    plain = clone(model).set_params(special_codes=None).fit(blank, y, sample_weight=weights)
    features = [
        {name: feature[name] for name in ("cuts", "lower", "upper")}
        for own in (model, plain)
        for feature in json.loads(own.to_json())["model"]["features"]
    ]
    assert features[:4] == features[4:]


def test_one_code_without_missing_values_is_a_missing_value():
    frame, y, _ = draw(0)
    frame = frame[["d"]].fillna(0.25)
    frame.loc[:40, "d"] = 7777
    code = t.L0AdditiveRegressor(lambda0=1.0, special_codes=[7777]).fit(frame, y)
    missing = t.L0AdditiveRegressor(lambda0=1.0).fit(frame.replace(7777, np.nan), y)
    assert code.objective_ == missing.objective_
    assert np.array_equal(code.predict(frame), missing.predict(frame.replace(7777, np.nan)))


def test_a_code_that_training_did_not_see_is_a_missing_value():
    model, frame, _, _ = fit(1, lambda0=0.2)
    for name, codes in CODES.items():
        unseen = [code for code in codes if not (frame[name] == code).any()]
        for code in unseen:
            row = frame.iloc[[0]]
            [one, other] = [decision(model, row.assign(**{name: value})) for value in (code, np.nan)]
            assert one == other


def test_each_code_has_a_step_where_it_differs():
    r = np.random.default_rng(0)
    kind = r.choice(4, 2000)
    x = np.choose(kind, [r.uniform(0, 100, 2000), -9999, 998, np.nan])
    y = np.choose(kind, [x > 50, 3.0, -2.0, 5.0]) + 0.1 * r.normal(size=2000)
    model = t.L0AdditiveRegressor(lambda0=5.0, special_codes=[-9999, 998]).fit(x[:, None], y)
    texts = [step.text for step in model.shape_functions_[0].steps]
    assert [text for text in texts if "<" not in text and ">" not in text] == [
        "x0 = -9999",
        "x0 = 998",
        "x0 missing",
    ]
    model = t.L0AdditiveRegressor(lambda0=5e4, special_codes=[-9999, 998]).fit(x[:, None], y)
    assert model.shape_functions_ == []


@pytest.mark.parametrize(
    ("codes", "error", "message"),
    [
        ({"nobody": [1]}, ValueError, "no column 'nobody'"),
        ({9: [1]}, ValueError, "no column 9"),
        ({"colour": [1]}, ValueError, "'colour' is categorical"),
        ({"a": ["x"]}, TypeError, "'x' for column 'a', which is no number"),
        ({"a": True}, TypeError, "True for column 'a'"),
        ({"a": "12"}, TypeError, "'12' for column 'a'"),
        ({"a": [np.nan]}, ValueError, "NaN is a missing value without being named"),
        ([np.inf], ValueError, "codes are finite numbers"),
        ([None], TypeError, "None for every numeric column"),
        ("all", TypeError, "give a dict of column: codes, or a list of numbers"),
    ],
)
def test_bad_codes(codes, error, message):
    frame, y, _ = draw(0, 60)
    model = t.L0AdditiveRegressor(lambda0=1.0, special_codes=codes)
    with pytest.raises(error, match=f"special_codes: .*{message}"):
        model.fit(frame.assign(colour="red"), y)
    assert not hasattr(model, "certificate_")


def test_forms_of_codes():
    frame, y, _ = draw(0)
    forms = [{"a": [-9999, 998, 997.0]}, {"a": np.array([998, 997, -9999])}, {0: (997, 998, -9999, 998)}]
    texts = set()
    for codes in forms:
        document = json.loads(t.L0AdditiveRegressor(lambda0=1.0, special_codes=codes).fit(frame, y).to_json())
        texts.add(json.dumps([feature.get("special") for feature in document["model"]["features"]]))
    assert len(texts) == 1
    array = t.L0AdditiveRegressor(lambda0=1.0, special_codes={"x1": 0.5}).fit(frame.to_numpy(), y)
    assert json.loads(array.to_json())["model"]["features"][1]["special"] == [{"value": 0.5, "seen": True}]
    everywhere = t.L0AdditiveRegressor(lambda0=1.0, special_codes=[0.5]).fit(frame.assign(e="x"), y)
    special = [feature.get("special") for feature in json.loads(everywhere.to_json())["model"]["features"]]
    assert [len(own or []) for own in special] == [1, 1, 1, 1, 0]


def with_codes():
    """The document of a model with a code of its own."""
    document = json.loads(fit(0, lambda0=0.2)[0].to_json())
    [point] = document["model"]["outputs"][0]["points"]
    shape = next(shape for shape in point["shapes"] if shape.get("special"))
    return document, document["model"]["features"][shape["feature"]], shape


EDITS = {
    "codes that do not ascend": lambda f, s: f["special"].reverse(),
    "a code twice": lambda f, s: f["special"].append(f["special"][-1]),
    "a code without its mark": lambda f, s: f["special"][0].pop("seen"),
    "a code that is no number": lambda f, s: f["special"][0].update(value="x"),
    "codes of a category": lambda f, s: f.update(kind="categorical", levels=["x"]),
    "a code with more": lambda f, s: f["special"][0].update(more=1),
    "a piece of a code that is none": lambda f, s: s["special"][0].update(code=12345.5),
    "a piece of a code that is unseen": lambda f, s: [code.update(seen=False) for code in f["special"]],
    "a piece twice": lambda f, s: s["special"].append(s["special"][0]),
    "a piece without a weight": lambda f, s: s["special"][0].pop("weight"),
    "a piece of less than no weight": lambda f, s: s["special"][0].update(weight=-1.0),
    "a list as a piece": lambda f, s: s["special"].append([1.0, 2.0, 3.0]),
}


@pytest.mark.parametrize("words", EDITS)
def test_a_damaged_file_is_refused(words):
    document, feature, shape = with_codes()
    EDITS[words](feature, shape)
    with pytest.raises(t.FormatError):
        t.load_model(json.dumps(document))


def test_an_edited_file_fails_the_verification():
    model, frame, y, weights = fit(0, lambda0=0.2)
    for edit in (
        lambda f, s: s["special"][0].update(value=s["special"][0]["value"] + 0.01),
        lambda f, s: s["special"][0].update(weight=s["special"][0]["weight"] + 1.0),
        lambda f, s: f["special"].pop(),
    ):
        document, feature, shape = with_codes()
        edit(feature, shape)
        try:
            edited = t.load_model(json.dumps(document))
        except t.FormatError:
            continue
        with pytest.raises(t.CertificateError):
            edited.verify(frame, y, weights)
    assert model.verify(frame, y, weights).has_bound


def test_hierarchies_refuse_codes_in_their_files():
    frame, y, _ = draw(0, 60)
    model = t.HierarchicalRuleRegressor(alpha=0.1, bins=6).fit(frame.fillna(0.0), y)
    document = json.loads(model.to_json())
    document["model"]["features"][0]["special"] = [{"value": 1.0, "seen": False}]
    with pytest.raises(t.FormatError, match="special codes"):
        type(model).from_json(json.dumps(document))


def test_least_weights_do_not_count_codes():
    model, frame, y, weights = fit(0, lambda0=0.2, min_bin_weight=30.0)
    assert model.verify(frame, y, weights).has_bound
    assert any(step.codes and not step.missing for shape in model.shape_functions_ for step in shape.steps)
    for shape in model.shape_functions_:
        x = frame[shape.feature_name]
        of_codes = x.isin(CODES.get(shape.feature_name, []))
        for step in shape.steps:
            if step.codes and not step.missing:
                continue
            inside = ((x > step.lower) & (x <= step.upper) & ~of_codes) | (x.isna() & step.missing)
            assert weights[inside].sum() >= 30.0 - 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_directions_hold_for_numbers(seed):
    model, frame, y, weights = fit(seed, lambda0=0.3, monotonic_cst={"a": 1, "c": -1})
    assert model.verify(frame, y, weights).has_bound
    for shape in model.shape_functions_:
        values = [step.value for step in shape.steps if not np.isnan(step.lower)]
        direction = {"a": 1, "c": -1}.get(shape.feature_name, 0)
        assert all(np.diff(values) * direction >= 0)


def test_folds_know_codes():
    frame, signal, _ = draw(2, 400)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = t.L0AdditiveRegressor(special_codes=CODES, cv=3).fit(frame, signal)
        blind = t.L0AdditiveRegressor(cv=3).fit(frame, signal)
    assert model.verify(frame, signal).has_bound
    assert model.score(frame, signal) > blind.score(frame, signal) - 0.05


def test_point_cards_know_codes():
    model, frame, y, _ = fit(0, lambda0=0.2)
    card = model.point_card(frame, y, max_points=1000)
    rows = pd.concat([frame, rows_to_score(0)], ignore_index=True)
    points, exact = card.score(rows), decision(model, rows)
    size, constant = np.polyfit(points, exact, 1)
    assert np.allclose(constant + size * points, exact, atol=0.5 * size * len(model.shape_functions_))


def test_an_examination_names_the_codes():
    r = np.random.default_rng(0)
    frame = pd.DataFrame({"age": r.integers(18, 90, 400).astype(float), "income": r.uniform(0, 9, 400)})
    frame.loc[:30, "age"], frame.loc[20:60, "income"], frame.loc[60:90, "income"] = -1, -9999, 99999
    found = t.examine(frame)
    assert found.special_codes == {"age": [-1], "income": [-9999, 99999]}
    assert "special_codes={'age': [-1], 'income': [-9999, 99999]}" in str(found)
    model = t.L0AdditiveRegressor(lambda0=1.0, special_codes=found.special_codes)
    assert model.fit(frame, frame["age"]).shape_functions_
    assert t.examine(frame[["age"]].iloc[100:]).special_codes == {}


def test_the_command_line_takes_codes(tmp_path, capsys):
    frame, signal, _ = draw(0)
    frame.assign(y=signal).to_csv(tmp_path / "t.csv", index=False)
    data, saved = str(tmp_path / "t.csv"), str(tmp_path / "m.json")
    given = ["--special-codes", "a=-9999,998,997", "b=0.5"]
    assert (
        cli.main(["fit", data, "--target", "y", "--model", "additive", "--lambda0", "1", "-o", saved, *given])
        == 0
    )
    features = json.loads((tmp_path / "m.json").read_text())["model"]["features"]
    assert [code["value"] for code in features[0]["special"]] == [-9999, 997, 998]
    assert [code["value"] for code in features[1]["special"]] == [0.5]
    capsys.readouterr()
    for bad in ("a", "a=", "a=x", "=3"):
        with pytest.raises(SystemExit):
            cli.main(["fit", data, "--target", "y", "--model", "additive", "--special-codes", bad])
        assert "give COLUMN=CODE" in capsys.readouterr().err


def test_options_of_columns_add_up(tmp_path, capsys):
    frame, signal, _ = draw(0)
    frame.assign(y=signal).to_csv(tmp_path / "t.csv", index=False)
    fit = ["fit", str(tmp_path / "t.csv"), "--target", "y", "--model", "additive", "--lambda0", "1"]
    fit += ["-o", str(tmp_path / "m.json")]
    twice = ["--special-codes", "a=-9999", "a=998", "--special-codes", "b=0.5", "a=998"]
    names = [name for name in frame if name not in ("a", "b")]
    out = [word for name in names for word in ("--exclude", name)]
    trends = ["--monotonic-cst", "a=1", "--monotonic-cst", "b=peak"]
    assert cli.main([*fit, *twice, *out, *trends]) == 0
    model = t.load_model(tmp_path / "m.json")
    assert model.special_codes == {"a": [-9999, 998], "b": [0.5]}
    assert model.monotonic_cst == {"a": 1, "b": "peak"}
    assert model.exclude == names
    capsys.readouterr()
    for given, message in (
        (["--monotonic-cst", "a=1", "a=-1"], "column 'a' has both 1 and -1; give one"),
        (["--bins", "a=1,2", "--bins", "a=3"], "column 'a' is given twice; list all its cut points"),
    ):
        with pytest.raises(SystemExit):
            cli.main([*fit, *given])
        assert message in capsys.readouterr().err


def test_the_report_draws_codes_apart(tmp_path):
    model, frame, y, _ = fit(0, lambda0=0.2)
    model.report(tmp_path / "page.html", frame, y)
    page = Page(tmp_path / "page.html")
    charts = {chart["name"]: chart for chart in page.models[0]["shapes"][0]}
    features = json.loads(model.to_json())["model"]["features"]
    for place, (name, codes) in enumerate(CODES.items()):
        if name not in charts:
            continue
        apart = dict(charts[name]["apart"])
        assert [float(code) for code in list(apart)[: len(codes)]] == sorted(codes)
        low, high = features[place]["lower"], features[place]["upper"]
        cuts = [piece[2] for piece in charts[name]["pieces"][:-1]]
        assert charts[name]["pieces"][0][0] == (low - (high - low) / 20 if low in cuts else low)
        assert charts[name]["pieces"][-1][2] == high
        for text, value in apart.items():
            code = np.nan if text == "missing" else float(text)
            row = frame.iloc[[0]]
            base = row.assign(**{name: low})
            difference = decision(model, row.assign(**{name: code})) - decision(model, base)
            assert value - charts[name]["pieces"][0][1] == pytest.approx(difference[0])


@pytest.mark.parametrize("estimator", [t.RuleRegressor(alpha=0.1), t.L0AdditiveRegressor(lambda0=1.0)])
def test_codes_are_checked_where_no_column_is_numeric(estimator):
    with pytest.raises(TypeError, match=r"don't know.* which is no number"):
        estimator.set_params(special_codes=["don't know"]).fit(pd.DataFrame({"c": list("ab") * 9}), range(18))


def test_the_report_lists_codes_apart_from_the_range(tmp_path):
    r = np.random.default_rng(0)
    X = pd.DataFrame({"a": r.integers(20, 80, 300).astype(float)})
    X.loc[:29, "a"] = -9
    y = np.where((X["a"] > 50) ^ (r.random(300) < 0.2), "yes", "no")
    t.L0AdditiveClassifier(lambda0=2.0, special_codes=[-9, 998]).fit(X, y).report(tmp_path / "p.html", X, y)
    lines = Page(tmp_path / "p.html").source.split('aria-label="Columns"')[1].split("</table>")[0]
    cells = re.findall(r"<t[hd][^>]*>([^<]*)<", lines.split("<tr")[2])
    assert cells == ["a", "yes", "number", "20 to 79", "20 to 79, -9 (10%)", "0%", "0%"]


def test_shapes_are_drawn_with_codes():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    model, *_ = fit(0, lambda0=0.2)
    display = model.plot_shapes()
    drawn = [[text.get_text() for text in ax.texts] for ax in display.axes_]
    for shape, texts in zip(model.shape_functions_, drawn, strict=False):
        wanted = [f"{code:g}" for step in shape.steps for code in step.codes]
        wanted += ["missing"] * any(step.missing for step in shape.steps)
        assert texts == wanted
