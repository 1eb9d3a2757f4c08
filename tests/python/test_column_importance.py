"""What columns of a score card are worth, and cards that may not use some."""

import json
import warnings

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")
import matplotlib.pyplot as plt
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import thresher as t
from thresher.cli import commands as cli
from thresher.scorecard.column_importance import ColumnImportance, ColumnImportances


@pytest.fixture(scope="module")
def data():
    r = np.random.default_rng(0)
    X = pd.DataFrame(r.uniform(size=(400, 4)), columns=list("abcd"))
    X["twin"] = X["a"] + 1e-6 * r.normal(size=400)
    X["kind"] = r.choice(["x", "y", "z"], 400)
    signal = 2.0 * (X["a"] > 0.5) + 1.0 * (X["b"] > 0.3) + 0.7 * (X["kind"] == "y") + 0.1 * r.normal(size=400)
    return X, signal.to_numpy()


def test_a_column_without_a_substitute_has_a_proved_price(data):
    X, y = data
    # A large ridge would divide an effect among copies of a column.
    model = t.L0AdditiveRegressor(lambda0=1.0, ridge=0.001).fit(X, y)
    found = model.drop_column_importance(X, y)
    assert found["b"].at_least > 0.05
    assert found["b"].at_most >= found["b"].at_least
    used = next(name for name in ("a", "twin") if any(s.feature_name == name for s in model.shape_functions_))
    assert found[used].at_least == 0
    assert found[used].at_most == pytest.approx(0, abs=0.05)
    assert found.columns()["feature"] == [column.feature_name for column in found.columns_]
    assert list(found.to_frame().columns) == [
        "feature",
        "at_least",
        "at_most",
        "objective",
        "dual",
        "complete",
    ]
    with pytest.raises(KeyError):
        found["d"]
    lines = str(found).splitlines()
    assert lines[0] == f"{len(found)} columns: by how much the objective rises without each"
    assert lines[1].split() == ["column", "at", "least", "at", "most"]


def test_the_card_without_a_column_is_that_of_exclude(data):
    X, y = data
    for loss in ("logistic", "exponential"):
        label = np.where(y > np.median(y), "yes", "no")
        model = t.L0AdditiveClassifier(lambda0=3.0, ridge=0.03, loss=loss, class_weight="balanced").fit(
            X, label
        )
        for column in model.drop_column_importance(X, label).columns_:
            other = t.L0AdditiveClassifier(**{**model.get_params(), "exclude": [column.feature_name]})
            other.fit(X, label)
            assert column.objective == pytest.approx(other.objective_, rel=1e-9)
            assert column.dual == pytest.approx(max(other.certificate_.dual, model.certificate_.dual))
            again = t.load_model(other.to_json())
            assert again.exclude == [column.feature_name]
            assert again.verify(X, label).primal == pytest.approx(other.objective_)
            assert np.array_equal(other.predict(X.drop(columns=column.feature_name)), other.predict(X))


def test_several_outputs_have_their_own_columns(data):
    X, y = data
    targets = np.column_stack([y, 3.0 * (X["c"] > 0.6)])
    model = t.L0AdditiveRegressor(lambda0=1.0, ridge=0.1).fit(X, targets)
    found = model.drop_column_importance(X, targets)
    assert [c.feature_name for c in found.columns_ if c.output == 1] == ["c"]
    assert next(iter(found.columns())) == "output"
    three = np.array(["p", "q", "r"])[np.searchsorted(np.quantile(y, [0.3, 0.6]), y)]
    model = t.L0AdditiveClassifier(lambda0=3.0).fit(X, three)
    found = model.drop_column_importance(X, three)
    assert {column.output for column in found.columns_} <= {"p", "q", "r"}
    assert "[q]" in str(found)


def test_weights_count(data):
    X, y = data
    weights = np.random.default_rng(1).choice([0.0, 1.0, 2.0], len(y))
    model = t.L0AdditiveRegressor(lambda0=1.0, ridge=0.1).fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(len(y)), weights.astype(int))
    repeated = t.L0AdditiveRegressor(lambda0=1.0, ridge=0.1).fit(X.iloc[rows], y[rows])
    one = model.drop_column_importance(X, y, weights).columns()
    other = repeated.drop_column_importance(X.iloc[rows], y[rows]).columns()
    assert one["feature"] == other["feature"]
    assert np.allclose(one["objective"], other["objective"])
    assert np.allclose(one["dual"], other["dual"])


def test_a_limit_of_steps_keeps_the_bound_valid(data):
    X, y = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = t.L0AdditiveRegressor(lambda0=0.5, ridge=0.1, max_steps=3).fit(X, y)
        free = t.L0AdditiveRegressor(lambda0=model.lambda0_, ridge=0.1).fit(X, y)
    for column in model.drop_column_importance(X, y).columns_:
        other = t.L0AdditiveRegressor(lambda0=model.lambda0_, ridge=0.1, exclude=[column.feature_name])
        assert column.objective >= other.fit(X, y).certificate_.dual - 1e-9
        assert column.dual <= column.objective + 1e-9
    assert free.objective_ <= model.objective_ + 1e-9


def test_a_smaller_gap_brings_the_two_together(data):
    X, y = data
    numbers = X[["a", "b", "c"]]
    model = t.L0AdditiveRegressor(lambda0=2.0, ridge=0.2, bins=8).fit(numbers, y)
    loose = model.drop_column_importance(numbers, y)
    tight = model.drop_column_importance(numbers, y, gap_tol=0.0, time_limit=60)
    for column in tight.columns_:
        assert column.dual >= loose[column.feature_name].dual - 1e-9
        assert column.objective <= loose[column.feature_name].objective + 1e-9
        assert column.objective == pytest.approx(column.dual, rel=1e-5)
    assert model.gap_tol is None


def test_a_card_without_columns_or_bounds(data):
    X, y = data
    empty = t.L0AdditiveRegressor(lambda0=1e6).fit(X, y)
    assert len(empty.drop_column_importance(X, y)) == 0
    assert str(empty.drop_column_importance(X, y)).startswith("The model has no steps")
    with pytest.raises(KeyError, match="no steps of a column 'x0'; it has steps of none"):
        empty.drop_column_importance(X, y)["x0"]
    free = t.L0AdditiveRegressor(lambda0=1.0, ridge=0.0).fit(X, y)
    for column in free.drop_column_importance(X, y).columns_:
        assert column.dual == -np.inf
        assert column.at_least == (0.0 if column.at_most >= 0 else -np.inf)
    everything = t.L0AdditiveRegressor(lambda0=1.0, exclude=list(X)).fit(X, y)
    assert everything.shape_functions_ == []
    assert everything.predict(X) == pytest.approx(np.full(len(y), y.mean()))


def test_bad_input(data):
    X, y = data
    with pytest.raises(NotFittedError):
        t.L0AdditiveRegressor().drop_column_importance(X, y)
    model = t.L0AdditiveRegressor(lambda0=1.0).fit(X, y)
    with pytest.raises(ValueError, match="gap_tol"):
        model.drop_column_importance(X, y, gap_tol=-1)
    with pytest.raises(ValueError, match="time_limit"):
        model.drop_column_importance(X, y, time_limit=0)
    with pytest.raises(ValueError, match=r"inconsistent|rows|samples"):
        model.drop_column_importance(X, y[:-1])
    for bad, error in (("a", TypeError), (["nobody"], ValueError), ([9], ValueError), ([1.5], TypeError)):
        with pytest.raises(error, match="exclude"):
            t.L0AdditiveRegressor(lambda0=1.0, exclude=bad).fit(X, y)


def test_an_edited_file_that_uses_an_excluded_column_is_refused(data):
    X, y = data
    document = json.loads(t.L0AdditiveRegressor(lambda0=1.0).fit(X, y).to_json())
    document["params"]["exclude"] = ["b"]
    with pytest.raises(t.CertificateError, match=r"'b'.*exclude"):
        t.load_model(json.dumps(document)).verify(X, y)


def test_the_command_line_excludes_columns(data, tmp_path):
    X, y = data
    X.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    given = ["--target", "y", "--model", "additive", "--lambda0", "1", "-o", str(tmp_path / "m.json")]
    assert cli.main(["fit", str(tmp_path / "t.csv"), *given, "--exclude", "a"]) == 0
    model = t.load_model(tmp_path / "m.json")
    assert model.exclude == ["a"]
    assert "a" not in [shape.feature_name for shape in model.shape_functions_]


def test_fractions_of_nothing():
    assert ColumnImportance(0, "a", 0.0, 0.0, 0.0).at_most == 0.0
    assert ColumnImportance(0, "a", 1.0, 0.5, 0.0).at_most == np.inf
    assert ColumnImportance(0, "a", 1.0, -np.inf, 2.0).at_least == -np.inf
    assert ColumnImportance(0, "a", 2.0, -np.inf, 2.0).at_least == 0.0
    assert ColumnImportance(0, "a", 1.0, -np.inf, 2.0).at_most == -0.5
    assert ColumnImportances(()).columns() == {
        name: [] for name in ("feature", "at_least", "at_most", "objective", "dual", "complete")
    }


def test_a_better_card_without_a_column_is_said(data):
    X, y = data
    model = t.L0AdditiveRegressor(lambda0=1.0, ridge=0.001).fit(X, y)
    edited = model.edit_bins(X, y, {"d": [0.2, 0.4, 0.6]}).model
    importances = edited.drop_column_importance(X, y)
    found = importances["d"]
    assert found.at_least <= found.at_most < 0
    said = "Below 0: the card without the column has better bins of the others than the model"
    assert said in " ".join(str(importances).split())
    assert "Below 0" not in str(model.drop_column_importance(X, y))
    assert str(found).startswith("without d a card was found whose objective is")
    assert ColumnImportance(0, "a", 100.0 - 1e-10, 99.0, 100.0).at_least == 0


def test_foreign_rows_are_refused(data):
    X, y = data
    for model in (
        t.L0AdditiveRegressor(lambda0=1.0).fit(X, y),
        t.L0AdditiveRegressor(lambda0=1.0).fit(X, np.c_[y, -y]),
    ):
        target = y if np.ndim(model.objective_) == 0 else np.c_[y, -y]
        for rows, weights in ((slice(0, 300), None), (slice(None), np.full(400, 2.0))):
            with pytest.raises(
                ValueError, match=r"loss of the model on these rows .* give the training rows"
            ):
                model.drop_column_importance(X[rows], target[rows], sample_weight=weights)


def test_the_plot_has_both_bounds_of_each_column(data):
    X, y = data
    found = t.L0AdditiveRegressor(lambda0=0.5, ridge=0.01).fit(X, y).drop_column_importance(X, y)
    display = found.plot()
    proved, reached = display.axes_.get_lines()[:2]
    np.testing.assert_allclose(proved.get_xdata(), [100 * c.at_least for c in found.columns_])
    np.testing.assert_allclose(reached.get_xdata(), [100 * c.at_most for c in found.columns_])
    assert [text.get_text() for text in display.axes_.get_yticklabels()] == [
        c.feature_name for c in found.columns_
    ]
    assert repr(found.plot(max_features=1)) == "ImportancesDisplay(1 column)"
    without = ColumnImportances((ColumnImportance(0, "a", np.inf, -np.inf, 1.0),))
    assert without.plot().axes_.get_lines()[0].get_xdata().tolist() == [0.0]
    assert np.isnan(without.plot().axes_.get_lines()[1].get_xdata()).all()
    with pytest.raises(ValueError, match="output: got 'none'; leave output out"):
        found.plot(output="none")
    plt.close("all")


def test_columns_that_are_not_finished_are_named(data):
    r = np.random.default_rng(0)
    X = pd.DataFrame(r.normal(size=(20_000, 5)), columns=list("abcde"))
    y = sum(np.sin(3 * X[name]) for name in X) + r.normal(size=len(X))
    model = t.L0AdditiveRegressor(lambda0=0.3, bins=1000).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="^time_limit: 0.03 seconds for each card ended") as caught:
        found = model.drop_column_importance(X, y, time_limit=0.03)
    [said] = [str(entry.message) for entry in caught]
    assert caught[0].filename == __file__
    unfinished = [column.feature_name for column in found.columns_ if not column.complete]
    assert unfinished
    for name in unfinished:
        assert repr(name) in said
    assert "Ended at a limit, so that more time may narrow them: " in str(found)
    assert found.to_frame()["complete"].tolist() == [column.complete for column in found.columns_]
    X, y = data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = t.L0AdditiveRegressor(lambda0=1.0).fit(X, y).drop_column_importance(X, y)
    assert all(column.complete for column in found.columns_)
    assert "Ended at a limit" not in str(found)


UNREADABLE = {
    "day": lambda n: pd.date_range("2024-01-01", periods=n),
    "infinite": lambda n: np.full(n, np.inf),
    "mixed": lambda n: np.resize(np.array([1, "x", None, 2.5], dtype=object), n),
    "lists": lambda n: [[1, 2]] * n,
    "id": lambda n: [f"id{k}" for k in range(n)],
    "empty": lambda n: [None] * n,
}


@pytest.fixture
def odd(data):
    """Rows with columns that no fit can read."""
    X, y = data
    return X.assign(**{name: cells(len(X)) for name, cells in UNREADABLE.items()}), X, y


def test_an_excluded_column_need_not_be_readable(odd, tmp_path):
    wide, X, y = odd
    same = t.L0AdditiveRegressor(lambda0=1.0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = t.L0AdditiveRegressor(lambda0=1.0, exclude=list(UNREADABLE)).fit(wide, y)
        assert model.objective_ == pytest.approx(same.objective_, rel=1e-9)
        model = t.load_model(model.to_json())
        for rows in (wide, X):  # a frame may lack what no model reads
            assert model.verify(rows, y).dual == pytest.approx(same.certificate_.dual, rel=1e-6)
            assert model.edit_bins(rows, y, {"a": [0.123]}).model.verify(rows, y).has_bound
            assert model.drop_column_importance(rows, y).columns_
        assert np.array_equal(model.predict(wide), model.predict(X))
        model.report(tmp_path / "page.html", wide, y)
        model.monitor(wide, wide)
    by_position = t.L0AdditiveRegressor(lambda0=1.0, exclude=[list(wide).index(name) for name in UNREADABLE])
    assert by_position.fit(wide, y).objective_ == pytest.approx(same.objective_, rel=1e-9)
    with pytest.raises((TypeError, ValueError), match=r"day|infinite"):
        t.L0AdditiveRegressor(lambda0=1.0, exclude=list(UNREADABLE)[2:]).fit(wide, y)


def test_an_excluded_column_need_not_be_readable_on_disk(odd, tmp_path):
    wide, X, y = odd
    wide = wide.drop(columns="mixed").assign(y=y)
    wide.to_parquet(tmp_path / "t.parquet")
    out = [name for name in UNREADABLE if name != "mixed"]
    model = t.L0AdditiveRegressor(lambda0=1.0, exclude=out).fit(tmp_path / "t.parquet", "y")
    assert model.objective_ == pytest.approx(
        t.L0AdditiveRegressor(lambda0=1.0).fit(X, y).objective_, rel=1e-9
    )
    dual = model.certificate_.dual
    assert model.verify(tmp_path / "t.parquet", "y").dual == pytest.approx(dual, rel=1e-9)
    assert model.verify(wide.drop(columns="y"), y).dual == pytest.approx(dual, rel=1e-9)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_command_line_does_not_read_excluded_columns(odd, tmp_path, capsys, monkeypatch, form):
    wide, X, y = odd
    monkeypatch.chdir(tmp_path)
    names = [name for name in UNREADABLE if form == "csv" or name != "mixed"]
    wide = wide[[*X, *names]].assign(y=y)
    wide.to_csv("t.csv", index=False) if form == "csv" else wide.to_parquet("t.parquet")
    X.assign(y=y).to_csv("narrow.csv", index=False)
    given = ["-t", "y", "--model", "additive", "--lambda0", "1", "--exclude", *names, "-o", "m.json"]
    assert cli.main(["fit", f"t.{form}", *given]) == 0
    assert not any(name in capsys.readouterr().err for name in names)
    for line in (f"verify m.json t.{form}", "verify m.json narrow.csv", f"predict m.json t.{form} -o p.csv"):
        assert cli.main(line.split()) == 0
    given = ["fit", "narrow.csv", "-t", "y", "--model", "additive", "--exclude", *X]
    assert cli.main(given) == 1
    assert "--exclude names every column beside the target 'y'; leave at least one" in capsys.readouterr().err
