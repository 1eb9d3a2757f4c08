"""Categories that training did not see: what is said, and how to go on."""

import warnings

import numpy as np
import pandas as pd
import pytest

import thresher
from thresher.cli import main

ROWS = pd.DataFrame(
    {
        "age": np.arange(60.0),
        "color": ["red", "blue", "green", "red", "blue", "green"] * 10,
        "idle": ["a", "b", "c", "a"] * 15,
    }
)
SHADE = np.where((ROWS["color"] == "red") | (ROWS["age"] > 40), "dark", "light")
NEW = ROWS.head(8).assign(color=["red", "pink", "blue", "grey", None, "red", "red", "red"])
MODELS = [
    thresher.RuleClassifier(alpha=0.01),
    thresher.RuleClassifier(max_rules=2),
    thresher.L0AdditiveClassifier(lambda0=0.5),
    thresher.HierarchicalRuleClassifier(alpha=0.01, tol=1e-2),
    thresher.FactorizationMachineClassifier(rank=2, handle_unknown="error"),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_the_error_names_column_value_row_and_a_way_on(model):
    model = thresher.load_model(model.fit(ROWS, SHADE).to_json())
    expected = (
        "column 'color' holds 'pink' in row 1, a category that training did not see (and 1 further row with "
        "such values, 25% of all); known are 'blue', 'green', 'red'. Replace it by one of these or by a "
        "missing value, or let unknown categories count as missing, without a new fit: "
        "model.set_params(handle_unknown='missing')"
    )
    for method in ("predict", "decision_function", "explain"):
        with pytest.raises(ValueError, match="pink") as error:
            getattr(model, method)(NEW)
        assert str(error.value) == expected
    model.set_params(handle_unknown="missing")
    missing = NEW.assign(color=NEW["color"].where(NEW["color"].isin(ROWS["color"])))
    np.testing.assert_array_equal(model.decision_function(NEW), model.decision_function(missing))


@pytest.mark.parametrize("handle", ["error", "warn", "missing"])
@pytest.mark.parametrize("model", MODELS[:3], ids=lambda model: type(model).__name__)
def test_columns_without_terms_may_hold_anything(model, handle):
    model.set_params(handle_unknown="error").fit(ROWS, SHADE)
    assert {ROWS.columns[place] for place in model._used_columns()} <= {"age", "color"}
    model.set_params(handle_unknown=handle)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = model.predict(ROWS.assign(idle="never seen"))
    np.testing.assert_array_equal(found, model.predict(ROWS))
    model.set_params(handle_unknown="error")


def test_a_condition_on_missing_values_takes_any_category():
    rows = ROWS.assign(color=ROWS["color"].where(ROWS["age"] % 4 > 0))
    model = thresher.RuleClassifier(alpha=0.01).fit(rows[["color"]], rows["color"].isna().to_numpy())
    (rule,) = model.rules_
    assert rule.text in ("color is missing", "color is not missing")
    assert model.predict(pd.DataFrame({"color": ["pink", None]})).tolist() == [False, True]


def test_a_card_in_points():
    card = thresher.L0AdditiveClassifier(lambda0=0.5).fit(ROWS, SHADE).scaled_card()
    for method in (card.score, card.reasons):
        with pytest.raises(ValueError, match=r"'pink' in row 1.*known are 'blue', 'green', 'red'"):
            method(NEW)
    card.model.set_params(handle_unknown="missing")
    assert np.isfinite(card.score(NEW)).all()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    thresher.RuleClassifier(alpha=0.01).fit(ROWS, SHADE).to_json("model.json")
    thresher.L0AdditiveClassifier(lambda0=0.5).fit(ROWS, SHADE).scaled_card().to_json("card.json")
    NEW.to_csv("new.csv", index=False)


@pytest.mark.parametrize("name", ["model.json", "card.json"])
def test_the_command_line(folder, capsys, name):
    assert main(["predict", name, "new.csv"]) == 1
    message = capsys.readouterr().err
    assert "column 'color' holds 'pink' in data row 2" in message
    assert message.rstrip().endswith("without a new fit: --handle-unknown missing")
    assert main(["predict", name, "new.csv", "--handle-unknown", "missing", "-o", "out.csv"]) == 0
    assert len(pd.read_csv("out.csv")) == 8


def test_reports_and_monitoring_of_the_command_line(folder, capsys):
    NEW.assign(shade=SHADE[:8]).to_csv("new.csv", index=False)
    ROWS.assign(shade=SHADE).to_csv("rows.csv", index=False)
    report = ["report", "model.json", "new.csv", "--target", "shade", "-o", "page.html"]
    monitor = ["monitor", "card.json", "rows.csv", "new.csv"]
    for command in (report, monitor):
        assert main(command) == 1
        assert "without a new fit: --handle-unknown missing" in capsys.readouterr().err
        assert main([*command, "--handle-unknown", "missing"]) == 0


def test_exports_of_the_command_line(folder, capsys):
    assert main(["export", "model.json", "--to", "python"]) == 0
    strict = {}
    exec(capsys.readouterr().out, strict)
    with pytest.raises(ValueError, match="pink"):
        strict["score"]({"age": 1.0, "color": "pink"})
    assert main(["export", "model.json", "--to", "python", "--handle-unknown", "missing"]) == 0
    lenient = {}
    exec(capsys.readouterr().out, lenient)
    answer = lenient["score"]({"age": 1.0, "color": "pink"})
    assert answer == lenient["score"]({"age": 1.0, "color": None})


def test_models_without_categories_have_no_such_option(folder, capsys):
    numbers = ROWS[["age"]]
    thresher.L0Classifier(lambda0=0.1).fit(numbers, SHADE).to_json("linear.json")
    assert main(["predict", "linear.json", "new.csv", "--handle-unknown", "missing"]) == 1
    assert "L0Classifier has none" in capsys.readouterr().err


def test_a_warning_counts_the_rows_of_all_batches():
    model = thresher.RuleClassifier(alpha=0.01, handle_unknown="warn").fit(ROWS, SHADE)
    batches = [NEW.iloc[:2], NEW.iloc[2:4], NEW.iloc[4:]]
    with pytest.warns(UserWarning, match="unknown|did not see") as found:
        model.predict(batches)
    assert len(found) == 1
    assert str(found[0].message) == (
        "column 'color' holds 'pink' in row 1, a category that training did not see (and 1 further row with "
        "such values, 25% of all); it counts as missing"
    )


LIKED = pd.DataFrame({"user": np.tile(np.arange(30), 4), "item": np.repeat(np.arange(24), 5)}).astype(str)
RATING = (LIKED["user"].astype(int) % 3 + LIKED["item"].astype(int) % 2).to_numpy(dtype=float)


def machine_of_ids(ids):
    return thresher.FactorizationMachineRegressor(
        alpha=0.01, rank=2, categorical_features=["user", "item"]
    ).fit(ids, RATING)


def test_categories_of_another_type_warn_also_where_unknown_ones_are_missing():
    model = machine_of_ids(LIKED)
    with pytest.warns(UserWarning, match="did not see") as found:
        model.predict(LIKED.assign(user=LIKED["user"].astype(int)))
    [warning] = found
    assert str(warning.message) == (
        "column 'user' holds 0 in row 0, a category that training did not see (and 119 further rows with "
        "such values, 100% of all); it counts as missing; these values are numbers, those of training are "
        "text, such as '0': convert the column to the type of training"
    )
    with pytest.warns(UserWarning, match="59 further rows with such values, 50% of all.* are numbers, those"):
        model.predict(LIKED.assign(user=[int(u) if k % 2 else u for k, u in enumerate(LIKED["user"])]))
    with pytest.warns(UserWarning, match="'item'.* these values are text, those of training are numbers"):
        machine_of_ids(LIKED.astype(int)).predict(LIKED.astype(int).assign(item=LIKED["item"]))
    batches = thresher.FactorizationMachineRegressor(rank=2, solver="psgd").partial_fit(LIKED, RATING)
    with pytest.warns(UserWarning, match="column 'item'.* are numbers, those of training are text"):
        batches.partial_fit(LIKED.assign(item=LIKED["item"].astype(int)), RATING)


@pytest.mark.parametrize("written", ["01234", "RED ", "red"])
def test_categories_written_otherwise_warn_also_where_unknown_ones_are_missing(written):
    known = {"01234": "1234", "RED ": "red", "red": " red"}
    names = np.array([written, "blue", "green"] * 20, dtype=object)
    model = thresher.L0AdditiveClassifier(lambda0=0.5, handle_unknown="missing")
    model.fit(pd.DataFrame({"code": names}), np.where(names == written, "dark", "light"))
    new = pd.DataFrame({"code": ["blue", known[written]]})
    with pytest.warns(
        UserWarning, match=f"row 1, .*is {written!r} of training but for spaces, case or leading"
    ):
        model.predict(new)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(new.assign(code=["blue", "pink"]))


def test_only_new_categories_warn_where_there_are_many(recwarn):
    model = machine_of_ids(LIKED)
    model.predict(LIKED[:5] + "x")
    model.predict(LIKED.assign(user=[u if k else "new" for k, u in enumerate(LIKED["user"])]))
    assert not recwarn
    with pytest.warns(UserWarning, match="'user' holds '0x' in row 0.*119 further rows.*100% of all"):
        model.predict(LIKED.assign(user=LIKED["user"] + "x"))


@pytest.mark.filterwarnings("default")
def test_the_command_line_warns_once_for_all_batches(folder, capsys, monkeypatch):
    monkeypatch.setattr("thresher.data.file_batches._MAX_CELLS", 6)
    NEW.to_csv("parts.csv", index=False)
    thresher.RuleClassifier(alpha=0.01).fit(ROWS, SHADE).to_json("rules.json")
    assert main(["predict", "rules.json", "parts.csv", "--from-disk", "--handle-unknown", "warn"]) == 0
    printed = capsys.readouterr()
    assert printed.err.count("warning") == 1
    assert "'pink' in row 1, a category that training did not see (and 1 further row with" in printed.err
    assert len(printed.out.splitlines()) == 9


WEIGHTS = np.where(np.arange(60) < 4, 0.0, np.linspace(1, 2, 60))
WITH_OWN = ROWS.assign(color=np.where(WEIGHTS > 0, ROWS["color"], "boat"))
COUNTED = WEIGHTS > 0


def read_with_weights(model, X, y, weights, folder):
    """What each method that takes weights says of rows."""
    model.report(folder / "page.html", X, y, sample_weight=weights)
    both = {f"sample_weight_{side}": weights for side in ("reference", "new")}
    found = [round(model.score(X, y, weights), 12), model.monitor(X, X, y_reference=y, y_new=y, **both)]
    if isinstance(model, thresher.L0AdditiveClassifier):
        card = model.scaled_card()
        card.report(folder / "card.html", X, y, sample_weight=weights)
        found += [each.binning_table(X, y, weights) for each in (model, card)]
        found += [card.bands(X, y, sample_weight=weights, bands=3), model.point_card(X, y, weights)]
        found += [card.monitor(X, X, y_reference=y, y_new=y, **both)]
    return [str(each) for each in found]


@pytest.mark.parametrize("handle", ["error", "warn", "missing"])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_rows_of_weight_0_may_have_categories_of_their_own(model, handle, tmp_path):
    model = model.set_params(handle_unknown=handle).fit(WITH_OWN, SHADE, WEIGHTS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        of_all = read_with_weights(model, WITH_OWN, SHADE, WEIGHTS, tmp_path)
    assert of_all == read_with_weights(model, WITH_OWN[COUNTED], SHADE[COUNTED], WEIGHTS[COUNTED], tmp_path)


@pytest.mark.parametrize("model", [*MODELS[:3], MODELS[4]], ids=lambda model: type(model).__name__)
def test_categories_of_rows_of_weight_0_are_unknown_where_the_rows_count(model):
    model = model.set_params(handle_unknown="error").fit(WITH_OWN, SHADE, WEIGHTS)
    with pytest.raises(ValueError, match="boat"):
        model.score(WITH_OWN, SHADE, WEIGHTS + 1)


@pytest.mark.parametrize("solver", ["pcd", "psgd"])
def test_machines_have_the_categories_of_rows_that_count(solver):
    model = thresher.FactorizationMachineClassifier(rank=2, alpha=0.01, solver=solver, max_iter=5)
    counted = model.fit(WITH_OWN[COUNTED], SHADE[COUNTED], WEIGHTS[COUNTED]).column_names_
    assert model.fit(WITH_OWN, SHADE, WEIGHTS).column_names_ == counted
    assert not any("boat" in name for name in counted)
    declared = pd.CategoricalDtype(["red", "blue", "green", "boat", "unused"])
    for rows, weights in ((slice(None), WEIGHTS), (COUNTED, WEIGHTS[COUNTED])):
        model.fit(WITH_OWN.astype({"color": declared})[rows], SHADE[rows], weights)
        assert sorted(model.column_names_) == sorted(counted)
    assert model.predict(WITH_OWN.astype({"color": declared})).shape == (60,)


def test_a_first_batch_has_all_declared_categories():
    model = thresher.FactorizationMachineClassifier(rank=2, alpha=0.01, solver="psgd")
    declared = pd.CategoricalDtype(["red", "blue", "green", "boat", "unused"])
    model.partial_fit(ROWS.astype({"color": declared}), SHADE)
    assert {"color=boat", "color=unused"} <= set(model.column_names_)


@pytest.mark.parametrize("model", MODELS[1:3], ids=lambda model: type(model).__name__)
def test_rows_of_weight_0_on_disk_may_have_categories_of_their_own(model, tmp_path):
    path = tmp_path / "rows.parquet"
    WITH_OWN.assign(shade=SHADE, w=WEIGHTS).to_parquet(path)
    model.set_params(handle_unknown="error").fit(path, "shade", sample_weight="w")
    model.verify(path, "shade", sample_weight="w")
    of_table = model.score(WITH_OWN[COUNTED], SHADE[COUNTED], WEIGHTS[COUNTED])
    assert model.score(path, "shade", sample_weight="w") == pytest.approx(of_table)


def test_a_report_leaves_out_rows_of_weight_0(tmp_path):
    model = thresher.L0AdditiveClassifier(lambda0=0.5).fit(WITH_OWN, SHADE, WEIGHTS)
    page = tmp_path / "page.html"
    model.report(page, WITH_OWN, SHADE, sample_weight=WEIGHTS, rows=[5, 59])
    assert "Shown on 56 rows" in page.read_text()
    assert "4 further rows of weight 0 are left out." in page.read_text()
    with pytest.raises(ValueError, match="row 2 has weight 0; leave it out"):
        model.report(page, WITH_OWN, SHADE, sample_weight=WEIGHTS, rows=[2])


@pytest.mark.parametrize("handle", ["error", "warn"])
def test_stable_terms_do_not_need_categories_of_rows_of_weight_0(handle):
    model = thresher.RuleClassifier(alpha=0.05, handle_unknown=handle)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = thresher.stability_selection(
            model, WITH_OWN, SHADE, sample_weight=WEIGHTS, n_resamples=2, random_state=0
        )
    assert len(found.terms_) > 0
