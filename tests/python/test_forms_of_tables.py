"""Forms of tables that are read in batches: each method takes each form, and reads it as often as it says."""

import itertools
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

from thresher import L0AdditiveClassifier, L0AdditiveRegressor, RuleClassifier, RuleRegressor

from .test_batches import content
from .test_from_disk import FORMS, document, forms, numbers

TABLE = numbers()
X, Y = TABLE.drop_columns("y"), TABLE["y"].to_numpy()
LABELS = np.where(Y > 1, "high", "low")
MODELS = {
    "rules": RuleRegressor(alpha=0.02, linear=False).fit(X, Y),
    "classes": RuleClassifier(alpha=0.02, linear=False).fit(X, LABELS),
    "card": L0AdditiveRegressor(lambda0=1.0).fit(X, Y),
    "card of classes": L0AdditiveClassifier(lambda0=1.0).fit(X, LABELS),
}
TARGETS = {"rules": "y", "classes": "label", "card": "y", "card of classes": "label"}
WHOLE = (
    TABLE.append_column("label", pa.array(LABELS))
    .append_column("w", pa.array(np.arange(300.0)))
    .append_column("group", pa.array(np.arange(300) % 7))
)
READ_ONCE = {
    "reader": lambda table: pa.RecordBatchReader.from_batches(table.schema, table.to_batches(70)),
    "iterator": lambda table: iter(table.to_batches(70)),
    "generator": lambda table: (table.slice(start, 70).to_pandas() for start in range(0, 300, 70)),
}


@pytest.mark.parametrize("form", READ_ONCE)
@pytest.mark.parametrize("name", MODELS)
def test_a_prediction_takes_what_can_be_read_once(name, form):
    model, make = MODELS[name], READ_ONCE[form]
    methods = ["predict"]
    if hasattr(model, "classes_"):
        methods += ["decision_function", "predict_proba", "predict_log_proba"]
    for method in methods:
        np.testing.assert_array_equal(getattr(model, method)(make(TABLE)), getattr(model, method)(X))
    table = TABLE.append_column("label", pa.array(LABELS)).append_column("w", pa.array(np.arange(300.0)))
    y, column = (LABELS, "label") if hasattr(model, "classes_") else (Y, "y")
    assert model.score(make(table), column, "w") == model.score(X, y, np.arange(300.0))
    assert model.score(make(X), y) == model.score(X, y)


def test_streams_without_rows_and_of_rows():
    model = MODELS["rules"]
    with pytest.raises(ValueError, match="X is a reader without batches"):
        model.predict(pa.RecordBatchReader.from_batches(TABLE.schema, []))
    assert model.predict(iter([TABLE.slice(0, 0)])).shape == (0,)
    with pytest.raises(ValueError, match="X has no batches"):
        model.predict(iter(()))
    with pytest.raises(TypeError, match="X is a generator, which can be read once; give a list of rows"):
        model.predict(row for row in X.to_pandas().to_numpy())


@pytest.mark.parametrize("form", READ_ONCE)
def test_a_fit_and_a_verification_do_not(form):
    for method in (RuleRegressor().fit, MODELS["rules"].verify):
        with pytest.raises(TypeError, match=r"read once.*(fit and verify read|its of .* read batches) twice"):
            method(READ_ONCE[form](TABLE), "y")


def same(ours, theirs):
    if hasattr(ours, "primal"):
        ours, theirs = (ours.primal, ours.gap), (theirs.primal, theirs.gap)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", MODELS)
def test_every_method_takes_every_form(tmp_path, name, form):
    """The targets, weights and groups are names of columns, or arrays."""
    target, estimator = TARGETS[name], clone(MODELS[name])
    columns = ["x0", "x1", "x2", target, "w"]
    path = tmp_path / "train.parquet"
    pq.write_table(WHOLE.select(columns), path, row_group_size=70)
    rows = forms(path)[form]
    y, weight = WHOLE[target].to_numpy(zero_copy_only=False), np.arange(300.0)
    model, expected = estimator.fit(rows, target, "w"), clone(estimator).fit(X, y, weight)
    assert content(model) == content(expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for method in ("predict", "decision_function", "predict_proba", "predict_log_proba"):
            if hasattr(model, method):
                same(getattr(model, method)(rows), getattr(expected, method)(X))
        for method in ("score", "verify"):
            proved = getattr(expected, method)(X, y, weight)
            for own, weights in itertools.product((target, y), ("w", weight)):
                same(getattr(model, method)(rows, own, weights), proved)
        assert model.score(rows, target) == expected.score(X, y)


def test_groups_and_several_targets_by_name():
    data = WHOLE.drop_columns("label").to_batches(70)
    estimator = RuleRegressor(n_alphas=5, cv=3, max_features=1)
    by_name = clone(estimator).fit(data, ["y", "x2"], "w", groups="group")
    frame = TABLE.to_pandas()
    rows, y, weight = X.select(["x0", "x1"]), frame[["y", "x2"]], np.arange(300.0)
    expected = clone(estimator).fit(rows, y, weight, groups=WHOLE["group"].to_numpy())
    assert document(by_name) == document(expected)
    assert by_name.score(data, ["y", "x2"], "w") == pytest.approx(expected.score(rows, y, weight), rel=1e-12)
    same(by_name.verify(data, ["y", "x2"], "w"), expected.verify(rows, y, weight))


def test_names_that_are_none():
    model, table = MODELS["rules"], WHOLE
    for method in (model.score, model.verify):
        with pytest.raises(ValueError, match="y: there is no column 'z'; the columns are"):
            method([table], "z")
        with pytest.raises(ValueError, match="sample_weight: there is no column 'v'"):
            method([table], "y", "v")
        with pytest.raises(ValueError, match=r"sample_weight: got \['w'\]; give the name of one column, 'w'"):
            method([table], "y", ["w"])
        with pytest.raises(
            ValueError, match=r"y: got 'y', the name of a column of X. Of a table in memory give"
        ):
            method(table, "y")
        with pytest.raises(ValueError, match="sample_weight: got 'w', the name of a column of X"):
            method(table, Y, "w")
        for rows in ([table], X):
            with pytest.raises(ValueError, match="y"):
                method(rows, None)


def counted(make, calls):
    def batches():
        calls.append(1)
        return make()

    return batches


def test_a_function_is_called_once_for_each_reading():
    calls = []
    batches = counted(lambda: iter(TABLE.to_batches(70)), calls)
    model = RuleRegressor(alpha=0.02).fit(batches, "y")
    assert len(calls) == 2
    assert document(model) == document(RuleRegressor(alpha=0.02).fit(X, Y))
    model.verify(batches, "y")
    assert len(calls) == 4
    np.testing.assert_array_equal(model.predict(batches), model.predict(X))
    model.score(batches, "y")
    assert len(calls) == 6


def test_a_function_that_gives_the_same_iterator_twice():
    for make in READ_ONCE.values():
        opened = make(TABLE)
        model = RuleRegressor(alpha=0.02)
        with pytest.raises(TypeError, match="X is a function that gave the same iterator twice"):
            model.fit(lambda opened=opened: opened, "y")
        assert not hasattr(model, "rules_")
        opened = make(TABLE)
        np.testing.assert_array_equal(MODELS["rules"].predict(lambda o=opened: o), MODELS["rules"].predict(X))
    frames = iter([TABLE.to_pandas()])
    with pytest.raises(ValueError, match="X was read twice and had no rows the second time; a function must"):
        RuleRegressor(alpha=0.02).fit(lambda: (pd.DataFrame(frame) for frame in frames), "y")


def test_decimals_are_the_nearest_numbers_in_every_form(tmp_path):
    v = np.arange(900).repeat(3)
    decimals = pa.array([Decimal(int(a)) / 100 for a in v] + [None], pa.decimal128(9, 2))
    table = pa.table({"dec": decimals, "y": np.append((v <= 113) * 1.0, 0.5)})
    pq.write_table(table, tmp_path / "dec.parquet")
    model = RuleRegressor(alpha=0.01, linear=False, bins={"dec": [1.13]}).fit(tmp_path / "dec.parquet", "y")
    counts = {rule.text: rule.n_rows for rule in model.rules_}
    assert (counts.get("dec <= 1.13"), counts.get("dec > 1.13")) in [(342, None), (None, 2358), (342, 2358)]
    wanted = model.predict(pd.DataFrame({"dec": np.append(v / 100, np.nan)}))
    plain, features = pq.read_table(tmp_path / "dec.parquet").to_pandas(), table.select(["dec"])
    arrow = features.to_pandas(types_mapper=pd.ArrowDtype)
    for form in (tmp_path / "dec.parquet", plain[["dec"]], features, arrow, features.to_batches(100)):
        np.testing.assert_array_equal(model.predict(form), wanted)
    assert model.verify(features, table["y"]).relative_gap <= 1e-6


def test_a_reader_that_was_read_is_refused():
    reader = READ_ONCE["reader"](X)
    assert len(MODELS["rules"].predict(reader)) == 300
    with pytest.raises(ValueError, match="X is a reader without batches: it was read before"):
        MODELS["rules"].predict(reader)


def test_columns_that_later_batches_add_are_refused():
    frame = TABLE.to_pandas()
    with pytest.raises(ValueError, match="the batch that begins at row 300 has 'later'"):
        RuleRegressor(alpha=0.1).fit([frame, frame.assign(later=1)], "y")


@pytest.mark.parametrize("returned", [TABLE, TABLE.to_pandas(), "folder", 5, None], ids=repr)
def test_a_function_that_returns_no_iterator_is_refused(returned):
    with pytest.raises(TypeError, match=r"X is a function that returned a \w+; it must return an iterator"):
        RuleRegressor(alpha=0.1).fit(lambda: returned, "y")


def test_a_target_of_categories_may_be_missing_in_a_file(tmp_path):
    kind = pa.dictionary(pa.int32(), pa.string())
    for number, labels in enumerate((["x", "y", "x"], [None, None, None])):
        rows = pa.table({"a": np.arange(3.0), "home": pa.array(labels, pa.string()).cast(kind)})
        pq.write_table(rows, tmp_path / f"{number}.parquet")
    with pytest.raises(ValueError, match="Input y contains NaN"):
        RuleClassifier().fit(tmp_path, "home")


def test_a_file_with_two_columns_of_one_name_says_so(tmp_path):
    columns = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["a", "a"])
    pq.write_table(columns, tmp_path / "twice.parquet")
    with pytest.raises(ValueError, match=r"twice.parquet has several columns of the same name"):
        RuleRegressor().fit(tmp_path / "twice.parquet", "a")
