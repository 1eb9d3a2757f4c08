"""Fits, predictions and verifications of tables that are read in batches: the same as in memory."""

import importlib.util
import json
import os
import signal
import sqlite3
import sys
import threading
import time
import warnings
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from thresher import (
    CertificateError,
    ItemsetRegressor,
    L0AdditiveClassifier,
    L0AdditiveRegressor,
    L0Regressor,
    RuleClassifier,
    RuleRegressor,
    fit_many,
)
from thresher.cli.commands import main
from thresher.data.datasets import Dataset, dataset_of

from .test_batches import content

SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
FEW = [0.0, -0.0, 1.0, 2.5, float("nan"), None]
KINDS = {
    "few": (st.sampled_from(FEW), pa.float64()),
    "many": (st.floats(-1e6, 1e6), pa.float64()),
    "single precision": (st.floats(-100, 100, width=32), pa.float32()),
    "whole": (st.one_of(st.integers(-5, 5), st.none()), pa.int64()),
    "constant": (st.just(3.0), pa.float64()),
    "missing": (st.none(), pa.float64()),
    "no type": (st.none(), pa.null()),
    "text": (st.sampled_from(["a", "b", "c and d", "", None]), pa.string()),
    "dictionary": (st.sampled_from(["p", "q", None]), pa.dictionary(pa.int8(), pa.string())),
    "truth": (st.sampled_from([True, False, None]), pa.bool_()),
}
PARAMETERS = st.fixed_dictionaries(
    {
        "alpha": st.sampled_from(["cv", "bic", 1e-3, 0.1]),
        "bins": st.sampled_from(["auto", 2, 5, None, ("intervals", 0.1), "supervised", ("uniform", 3)]),
        "special_codes": st.sampled_from([None, None, [0.0], [2.5, -5]]),
        "linear": st.booleans(),
        "min_support": st.sampled_from([1, 3]),
        "max_features": st.just(2),
        "cv": st.just(3),
        # A level of rows of weight 0 is not known to the model.
        "handle_unknown": st.just("missing"),
        "n_alphas": st.just(5),
        "n_jobs": st.just(1),
    }
)


@st.composite
def tables(draw):
    rows = draw(st.integers(1, 40))
    columns = {}
    for number in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(sorted(KINDS)))
        cells, dtype = KINDS[kind]
        columns[f"{kind} {number}"] = pa.array(draw(st.lists(cells, min_size=rows, max_size=rows)), dtype)
    columns["y"] = pa.array(
        draw(st.lists(st.sampled_from([0, 1, 5]), min_size=rows, max_size=rows)), pa.int64()
    )
    columns["w"] = pa.array(
        draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 0.3]), min_size=rows, max_size=rows)), pa.float64()
    )
    return pa.table(columns)


def document(model):
    """The whole file of a model, without what depends on the clock, and the name of one target."""
    found = json.loads(model.to_json())
    if model._fitted.is_1d:  # an array has none
        found.pop("targets")
    found["model"] = json.loads(model._fitted.model.to_json(True))  # every point of the path
    for output in found["model"]["outputs"]:
        for point in output["points"]:
            point.pop("seconds")
    return found


def outcome(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return make()
        except (TypeError, ValueError, CertificateError) as error:
            return type(error), str(error).partition("(shape")[0]


@SETTINGS
@given(tables(), PARAMETERS, st.integers(1, 45), st.sampled_from(["w", None]), st.booleans())
def test_the_model_is_that_of_the_table_in_memory(table, params, rows, weight, classes):
    estimator = RuleClassifier if classes else RuleRegressor
    X = table.drop_columns(["y", "w"] if weight else ["y"])
    in_memory = outcome(
        lambda: estimator(**params).fit(X, table["y"], None if weight is None else table[weight])
    )
    batches = [table.slice(0, 0), *table.to_batches(max_chunksize=rows), table.slice(0, 0)]
    on_disk = outcome(lambda: estimator(**params).fit(batches, "y", weight))
    if isinstance(in_memory, tuple):
        assert on_disk == in_memory
        return
    assert document(on_disk) == document(in_memory)
    np.testing.assert_array_equal(on_disk.predict(batches), in_memory.predict(X))
    if classes:
        np.testing.assert_array_equal(on_disk.decision_function(batches), in_memory.decision_function(X))
    assert [rule.text for rule in on_disk.rules_] == [rule.text for rule in in_memory.rules_]
    ours = outcome(lambda: on_disk.verify(batches, "y", weight))
    theirs = outcome(lambda: in_memory.verify(X, table["y"], None if weight is None else table[weight]))
    assert without_seconds(ours) == without_seconds(theirs)


def without_seconds(certificates):
    if isinstance(certificates, tuple):
        return certificates
    parts = (certificates, *certificates.outputs)
    return [replace(part, seconds=0.0, outputs=()) for part in parts]


def numbers(n=300, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)), 1)
    y = np.where((X[:, 0] > 0.3) & (X[:, 1] < 0.5), 2.0, 0.0) + rng.normal(0, 0.1, n)
    return pa.table({**{f"x{j}": X[:, j] for j in range(d)}, "y": y})


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "train.parquet"
    pq.write_table(numbers(), path, row_group_size=70)
    return path


def forms(path):
    table = pq.read_table(path)
    return {
        "path": path,
        "text": str(path),
        "folder": path.parent,
        "arrow": ds.dataset(path),
        "lazy": pl.scan_parquet(path),
        "record batches": table.to_batches(max_chunksize=33),
        "tables": [table.slice(0, 100), table.slice(100)],
        "pandas": [table.slice(0, 100).to_pandas(), table.slice(100).to_pandas()],
        "polars": (pl.from_arrow(table),),
        "function": lambda: pq.ParquetFile(path).iter_batches(40),
    }


FORMS = (
    *("path", "text", "folder", "arrow", "lazy"),
    *("record batches", "tables", "pandas", "polars", "function"),
)


@pytest.mark.parametrize("form", FORMS)
def test_every_form(file, form):
    table = pq.read_table(file)
    expected = RuleRegressor(alpha=0.02).fit(table.drop_columns(["y"]), table["y"])
    X = forms(file)[form]
    model = RuleRegressor(alpha=0.02).fit(X, "y")
    assert document(model) == document(expected)
    np.testing.assert_array_equal(model.predict(X), expected.predict(table.drop_columns(["y"])))
    assert model.feature_names_in_.tolist() == ["x0", "x1", "x2"]
    assert model.verify(X, "y").relative_gap <= 1e-6
    price = model.price(model.rules_[0])
    assert price.ratio == expected.price(expected.rules_[0]).ratio


def test_a_query_of_duckdb(file):
    table = pq.read_table(file)
    expected = RuleRegressor(alpha=0.02).fit(table.drop_columns(["y"]), table["y"])
    with duckdb.connect() as connection:
        query = f"SELECT * FROM '{file}'"
        model = RuleRegressor(alpha=0.02).fit(lambda: connection.sql(query).to_arrow_reader(), "y")
    assert document(model) == document(expected)


def test_whole_numbers_beyond_the_precision_of_a_double_are_rounded_as_in_memory():
    table = pa.table({"a": [2**53, 2**53 + 1] * 20, "y": [0.0, 1.0] * 20})
    for X, y in (([table], "y"), (table.drop_columns("y"), table["y"])):
        with pytest.warns(
            UserWarning, match="'a' holds whole numbers .* 9007199254740993 becomes .*2,"
        ) as told:
            assert not RuleRegressor(alpha=0.001).fit(X, y).rules_
        assert len(told) == 1


def test_targets_and_weights_as_arrays_or_names(file):
    table = pq.read_table(file)
    y, weight = table["y"].to_numpy(), np.arange(300.0)
    by_array = RuleRegressor(alpha=0.1).fit(
        ds.dataset(file).replace_schema(table.drop_columns("y").schema), y, weight
    )
    pq.write_table(table.append_column("w", pa.array(weight)), file)
    by_name = RuleRegressor(alpha=0.1).fit(file, "y", "w")
    assert document(by_array) == document(by_name)
    path = RuleRegressor(alpha=0.1).fit_path(file, "y", alphas=[0.1, 0.01], sample_weight="w")
    assert [rule.text for rule in path.path_.at(0.1).rules_] == [rule.text for rule in by_name.rules_]
    [one] = fit_many(RuleRegressor(alpha=0.1), [(file, "y", "w")])
    assert document(one) == document(by_name)


def test_several_targets_and_several_classes(tmp_path):
    table = numbers()
    labels = np.where(table["x0"].to_numpy() > 0, "high", np.where(table["x1"].to_numpy() > 0, "mid", "low"))
    table = table.append_column("z", pa.array(-table["y"].to_numpy())).append_column(
        "label", pa.array(labels)
    )
    X = table.select(["x0", "x1", "x2"])
    frame = table.to_pandas()
    model = RuleRegressor(alpha=0.02).fit([table.drop_columns("label")], ["y", "z"])
    expected = RuleRegressor(alpha=0.02).fit(X, frame[["y", "z"]])
    assert document(model) == document(expected)
    assert {rule.output for rule in model.rules_} == {"y", "z"}
    one = RuleRegressor(alpha=0.02).fit([table.drop_columns(["label", "z"])], ["y"])
    assert one.predict([X]).shape == (300, 1)
    classifier = RuleClassifier(alpha=0.02).fit(table.drop_columns(["y", "z"]).to_batches(40), "label")
    assert document(classifier) == document(RuleClassifier(alpha=0.02).fit(X, frame["label"]))
    assert classifier.predict_proba(X.to_batches(7)).shape == (300, 3)
    assert set(classifier.predict(X.to_batches(7))) <= {"high", "mid", "low"}


def test_categories_that_only_the_last_batch_has():
    table = pa.table({"c": ["a"] * 50 + ["b"] * 3, "y": [0.0] * 50 + [1.0] * 3})
    model = RuleRegressor(alpha=0.01).fit(table.to_batches(50), "y")
    assert document(model) == document(RuleRegressor(alpha=0.01).fit(table.drop_columns("y"), table["y"]))
    assert model.rules_


def test_pandas_categories_and_columns_that_begin_with_missing_cells():
    frame = pd.DataFrame(
        {
            "c": pd.Categorical(["a", "b"] * 20, categories=["b", "unused", "a"]),
            "late": [None] * 20 + ["u", "v"] * 10,
            "y": np.arange(40.0) % 2,
        }
    )
    model = RuleRegressor(alpha=0.01).fit([frame[:20], frame[20:]], "y")
    assert document(model) == document(RuleRegressor(alpha=0.01).fit(frame[["c", "late"]], frame["y"]))
    mixed = [frame[20:], frame[:20].assign(late=1.0)]
    with pytest.raises(
        TypeError, match="column 'late' holds categories in some batches and numbers in others"
    ):
        RuleRegressor(alpha=0.01).fit(mixed, "y")


def test_numbered_columns_of_pandas_are_as_in_memory(file):
    table = pq.read_table(file)
    X, y = pd.DataFrame(np.column_stack([table[f"x{j}"] for j in range(3)])), table["y"].to_numpy()
    parts = [X[:100], X[100:]]
    expected = RuleRegressor(alpha=0.02).fit(X, y)
    model = RuleRegressor(alpha=0.02).fit(parts, y)
    assert document(model) == document(expected)
    assert not hasattr(model, "feature_names_in_")
    named = RuleRegressor(alpha=0.02).fit(table.drop_columns("y"), y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.predict(parts), expected.predict(X))
        assert model.verify(parts, y).relative_gap <= 1e-6
        with pytest.raises(UserWarning, match="X does not have valid feature names"):
            named.predict(parts)


def test_names_that_come_twice_and_names_of_two_kinds():
    twice = pd.DataFrame([[1.0, 2.0]] * 5, columns=["a", "a"])
    arrow = pa.Table.from_arrays([pa.array([1.0] * 5)] * 2, names=["a", "a"])
    model = RuleRegressor(alpha=0.02).fit(pd.DataFrame({"a": np.arange(5.0)}), np.arange(5.0))
    for X in ([twice], [arrow], arrow.to_batches(), lambda: iter([twice])):
        with pytest.raises(ValueError, match=r"^X has more than one column named 'a'; names must differ"):
            RuleRegressor().fit(X, np.arange(5.0))
        with pytest.raises(ValueError, match=r"^X has more than one column named 'a'; names must differ"):
            model.predict(X)
    with pytest.raises(TypeError, match="X has column names that are text and others that are not"):
        RuleRegressor().fit([twice.set_axis(["a", 1], axis=1)], np.arange(5.0))


def test_batches_whose_columns_are_numbers():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=[2020, 2021])
    model = RuleRegressor(alpha=0.1).fit([X[:30], X[30:]], X[2021])
    assert model.feature_names_in_.tolist() == ["2020", "2021"]
    np.testing.assert_array_equal(model.predict([X]), model.predict(X))
    assert "2020" not in str(model.summary())
    assert "2021" in str(model.summary())


def test_named_categories_and_given_cut_points(file):
    table = pq.read_table(file)
    X = table.drop_columns("y")
    for params in (
        {"categorical_features": ["x2"]},
        {"categorical_features": [True, False, False]},
        {"bins": [[0.05], [-1.0, 0.33], None]},
        {"bins": ("uniform", 7)},
    ):
        model = RuleRegressor(alpha=0.02, **params).fit(file, "y")
        assert document(model) == document(RuleRegressor(alpha=0.02, **params).fit(X, table["y"])), params


def many(n=150_000):
    """More distinct numbers than codes, beside a column of few."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=n)
    z = np.round(rng.normal(size=n), 1)
    x[::4] = 0.0
    y = np.where((x > 0) & (z < 0.55), 1.0, 0.0) + rng.normal(0, 0.1, n)
    return pa.table({"x": x, "z": z, "y": y})


@pytest.mark.parametrize("params", [{}, {"bins": ("uniform", 6)}, {"bins": [[-0.5, 0.123456789], [0.5]]}])
def test_more_numbers_than_codes(params):
    table = many()
    X, y = table.select(["x", "z"]), table["y"].to_numpy()
    model = RuleRegressor(alpha=0.01, linear=False, n_jobs=1, **params).fit(table.to_batches(50_000), "y")
    in_memory = RuleRegressor(alpha=0.01, linear=False, n_jobs=1, **params).fit(X, y)
    if params:  # these cut points do not depend on ranges of numbers
        cuts = [feature["cuts"] for feature in document(model)["model"]["features"]]
        assert cuts == [feature["cuts"] for feature in document(in_memory)["model"]["features"]]
    # What the model says of rules is true of the numbers themselves.
    indicators = model.transform(X)
    assert [rule.n_rows for rule in model.rules_] == indicators.sum(axis=0).astype(int).tolist()
    objective = ((y - model.predict(X)) ** 2).mean() / 2
    penalty = 0.01 * sum((1 + 0.5 * (rule.length - 1)) * abs(rule.coef) for rule in model.rules_)
    assert objective + penalty == pytest.approx(model.certificate_.primal, rel=1e-9)
    assert model.certificate_.primal == pytest.approx(in_memory.certificate_.primal, rel=1e-3)
    assert model.verify(X, y).relative_gap <= 1e-6
    assert model.verify(table.to_batches(11_111), "y").relative_gap <= 1e-6


def test_linear_terms_of_more_numbers_than_codes():
    table = many()
    model = RuleRegressor(alpha=0.001, n_jobs=1, max_features=1).fit([table], "y")
    in_memory = RuleRegressor(alpha=0.001, n_jobs=1, max_features=1).fit(table.select(["x", "z"]), table["y"])
    np.testing.assert_allclose(model.linear_coef_, in_memory.linear_coef_, atol=1e-3)
    assert model.verify([table], "y").relative_gap <= 1e-6


@pytest.mark.parametrize(
    "estimator",
    [RuleRegressor(alpha=0.001, n_jobs=1, max_features=1), L0AdditiveRegressor(lambda0=50.0)],
    ids=["linear terms", "cards"],
)
def test_ranges_are_verified_in_memory_too(estimator):
    table = many(100_000).append_column("c", pa.array(["a", "b"] * 50_000))
    X, y = table.drop_columns("y"), table["y"].to_numpy()
    from_disk = clone(estimator).fit([table], "y")
    same = from_disk.verify([table], "y")
    for rows in (X, X.to_pandas(), pl.from_arrow(X)):
        assert without_seconds(from_disk.verify(rows, y)) == without_seconds(same)
    in_memory = clone(estimator).fit(X, y)
    in_memory.verify(X, y)
    order = np.random.default_rng(0).permutation(100_000)
    said = (
        "a fit from disk has ranges of 'x', of more than 65,000 distinct numbers, which depend on the order"
    )
    for model, rows in [
        (from_disk, ([table.take(order)], "y")),
        (from_disk, (X.take(order), y[order])),
        (in_memory, ([table], "y")),
        (in_memory, (X, -y)),
    ]:
        with pytest.raises(CertificateError, match=said):
            model.verify(*rows)


def test_every_midpoint_of_too_many_numbers_is_refused():
    with pytest.raises(ValueError, match=r"bins: .*'x' has more than 65000 distinct numbers"):
        RuleRegressor(alpha=0.01, bins=None).fit([many()], "y")


def test_a_column_of_too_many_categories_is_refused():
    names = [str(k) for k in range(65_001)]
    with pytest.raises(ValueError, match="column 'c' has more than 65,000 categories"):
        RuleRegressor(alpha=0.01).fit([pa.table({"c": names, "y": np.arange(65_001.0)})], "y")


def test_a_prediction_reads_what_the_model_uses(file):
    model = RuleRegressor(alpha=0.05, linear=False).fit(file, "y")
    table = pq.read_table(file)
    assert model._used_columns() == {0, 1}
    expected = model.predict(table.drop_columns("y"))
    for X in ([table.select(["y", "x1", "x0"])], [table.drop_columns(["x2"])]):
        np.testing.assert_array_equal(model.predict(X), expected)
    with pytest.raises(ValueError, match=r"(?s)yet now missing.*x0"):
        model.predict([table.drop_columns(["x0"])])
    with pytest.raises(ValueError, match=r"(?s)yet now missing.*x2"):
        model.verify([table.drop_columns(["x2"])], "y")
    with pytest.raises(ValueError, match="X has none of the model's columns 'x0', 'x1', 'x2'; it has 'y'"):
        model.predict([table.select(["y"])])
    assert model.predict([table.slice(0, 0)]).shape == (0,)
    constant = RuleRegressor(alpha=1e6).fit(file, "y")
    assert len(set(constant.predict(file).tolist())) == 1


def test_unknown_categories_and_rows_in_messages():
    table = pa.table({"c": ["a", "b"] * 30, "x": np.arange(60.0), "y": [0.0, 1.0] * 30})
    model = RuleRegressor(alpha=0.01).fit(table.to_batches(16), "y")
    new = pa.table({"c": ["a"] * 40 + ["z"] * 20, "x": np.arange(60.0)})
    with pytest.raises(ValueError, match=r"'z' in row 8, .* \(rows are counted from row 32 of the data\)"):
        model.predict(new.to_batches(16))
    lenient = RuleRegressor(alpha=0.01, handle_unknown="missing").fit(table.to_batches(16), "y")
    assert lenient.predict(new.to_batches(16)).shape == (60,)
    bad = pa.table({"x": [1.0] * 20 + [np.inf], "y": np.arange(21.0)})
    with pytest.raises(ValueError, match=r"infinite value in row 4 .* counted from row 16 of the data"):
        RuleRegressor(alpha=0.01).fit(bad.to_batches(16), "y")


def test_verify_notices_other_rows(file):
    model = RuleRegressor(alpha=0.02).fit(file, "y")
    table = pq.read_table(file)
    other = table.set_column(3, "y", pa.array(-table["y"].to_numpy()))
    with pytest.raises(CertificateError):
        model.verify([other], "y")


REFUSED = {
    "no such target": (lambda path: (path, "z"), ValueError, "y: there is no column 'z'; the columns are"),
    "no such weight": (lambda path: (path, "y", "v"), ValueError, "sample_weight: there is no column 'v'"),
    "no target": (lambda path: (path, None), ValueError, "requires y"),
    "target twice": (lambda path: (path, ["y", "y"]), ValueError, "name a column twice"),
    "no feature": (lambda path: ([pa.table({"y": [1.0, 2.0]})], "y"), ValueError, r"0 feature\(s\)"),
    "no rows": (lambda path: ([pq.read_table(path).slice(0, 0)], "y"), ValueError, r"0 sample\(s\)"),
    "no batches": (lambda path: (lambda: iter(()), "y"), ValueError, "no batches"),
    "one row": (lambda path: ([pq.read_table(path).slice(0, 1)], "y"), ValueError, "at least 2 rows"),
    "no file": (lambda path: (path.with_name("no.parquet"), "y"), FileNotFoundError, "no file or folder"),
    "no parquet": (lambda path: (path.parent / "text.parquet", "y"), ValueError, "no complete Parquet file"),
    "read once": (
        lambda path: (pa.RecordBatchReader.from_batches(numbers().schema, numbers().to_batches()), "y"),
        TypeError,
        "give a function",
    ),
    "no frames": (lambda path: (lambda: iter([[1, 2]]), "y"), TypeError, "a batch is a list"),
    "length of y": (lambda path: (path, [1.0, 2.0]), ValueError, "X has 300 rows, y has 2"),
    "changing": (lambda path: (changing(), "y"), ValueError, "read twice"),
    "changing numbers": (lambda path: (changing(shift=1.0), "y"), ValueError, "must not change during a fit"),
    "lacking": (
        lambda path: ([numbers(), numbers().drop_columns("x1")], "y"),
        ValueError,
        "the batch that begins at row 300 lacks 'x1'",
    ),
}


def changing(shift=0.0):
    calls = []

    def batches():
        calls.append(1)
        table = numbers()
        if len(calls) < 2:
            return iter([table])
        return iter(
            [table.set_column(0, "x0", pa.array(table["x0"].to_numpy() + shift / 3))] * (1 if shift else 2)
        )

    return batches


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(file, case):
    (file.parent / "text.parquet").write_text("a,b\n1,2\n")
    make, error, message = REFUSED[case]
    model = RuleRegressor(alpha=0.1)
    with pytest.raises(error, match=message):
        model.fit(*make(file))
    assert not hasattr(model, "rules_")


CARDS = st.fixed_dictionaries(
    {
        "lambda0": st.sampled_from(["cv", 0.3, [0.1, 1.0]]),
        "bins": st.sampled_from(["auto", 3, ("uniform", 3)]),
        "ridge": st.sampled_from([0.0, 0.01, None]),
        "special_codes": st.sampled_from([None, [0.0], [2.5, -5]]),
        "cv": st.just(3),
        "handle_unknown": st.just("missing"),
        "n_jobs": st.just(1),
    }
)


@settings(SETTINGS, max_examples=15)
@given(tables(), CARDS, st.integers(1, 45), st.sampled_from(["w", None]), st.booleans())
def test_the_score_card_is_that_of_the_table_in_memory(table, params, rows, weight, classes):
    estimator = L0AdditiveClassifier if classes else L0AdditiveRegressor
    X = table.drop_columns(["y", "w"] if weight else ["y"])
    weights = None if weight is None else table[weight]
    in_memory = outcome(lambda: estimator(**params).fit(X, table["y"], weights))
    batches = table.to_batches(max_chunksize=rows)
    on_disk = outcome(lambda: estimator(**params).fit(batches, "y", weight))
    if isinstance(in_memory, tuple):
        assert on_disk == in_memory
        return
    assert content(on_disk) == content(in_memory)
    np.testing.assert_array_equal(on_disk.predict(batches), in_memory.predict(X))
    if classes:
        np.testing.assert_array_equal(on_disk.decision_function(batches), in_memory.decision_function(X))
    assert str(on_disk.score_card()) == str(in_memory.score_card())
    theirs = outcome(lambda: in_memory.verify(X, table["y"], weights))
    ours = outcome(lambda: on_disk.verify(batches, "y", weight))
    if isinstance(theirs, tuple):
        assert ours == theirs
    else:
        assert (ours.primal, ours.dual) == (theirs.primal, theirs.dual)


def test_a_score_card_of_more_numbers_than_codes(tmp_path):
    table = many(200_000)
    X = table.drop_columns(["y"])
    given_cuts = [[-0.5, 0.25], [0.0, 0.55]]
    on_disk = L0AdditiveRegressor(lambda0=50.0, bins=given_cuts).fit(table.to_batches(), "y")
    in_memory = L0AdditiveRegressor(lambda0=50.0, bins=given_cuts).fit(X, table["y"])
    assert on_disk.certificate_.primal == pytest.approx(in_memory.certificate_.primal, rel=1e-3)
    assert on_disk.score(table.to_batches(), "y") == pytest.approx(in_memory.score(X, table["y"]), abs=1e-3)
    with pytest.raises(ValueError, match="special_codes: column 'x' has more than 65,000 distinct numbers"):
        L0AdditiveRegressor(special_codes=[-9]).fit(table.to_batches(), "y")
    with pytest.raises(ValueError, match="special_codes: column 'x' has more than 65,000 distinct numbers"):
        RuleRegressor(special_codes=[-9]).fit(table.to_batches(), "y")


@pytest.mark.parametrize("estimator", [L0Regressor(), ItemsetRegressor()])
def test_other_models_say_that_they_need_the_table(file, estimator):
    with pytest.raises(TypeError, match=r"in memory|list|item"):
        estimator.fit(ds.dataset(file), np.zeros(300))


def test_a_time_limit_holds_while_reading():
    table = numbers()

    def slowly():
        for batch in table.to_batches(10):
            time.sleep(0.05)
            yield batch

    began = time.monotonic()
    with pytest.raises(
        TimeoutError, match=r"time_limit: 0\.2 seconds were over after \d+ rows had been read, in"
    ):
        RuleRegressor(alpha=0.1, time_limit=0.2).fit(slowly, "y")
    assert time.monotonic() - began < 1.0


@pytest.mark.parametrize("reading", ["first", "second"])
def test_a_time_limit_holds_while_a_library_reads_a_batch(reading):
    """As Arrow does, which takes seconds for a batch of many columns."""
    table, end, calls = numbers(), threading.Event(), []

    def slowly(_):
        calls.append(1)
        yield table
        if len(calls) == ("first", "second").index(reading) + 1:
            end.wait(60)

    data = Dataset(table.column_names, slowly, is_slow=True)
    with pytest.raises(TimeoutError, match=f"over after 300 rows had been read, in the {reading} of two"):
        RuleRegressor(alpha=0.1, time_limit=0.5).fit(data, "y")
    assert not end.is_set()
    end.set()


UNIX = pytest.mark.skipif(sys.platform == "win32", reason="this operating system has other signals")


@UNIX
@pytest.mark.parametrize("method", ["fit", "predict", "verify", "score"])
def test_ctrl_c_while_a_library_reads_a_batch(method):
    table, end = numbers(), threading.Event()
    model = RuleRegressor(alpha=0.02).fit([table], "y")

    def slowly(_):
        yield table
        os.kill(os.getpid(), signal.SIGINT)
        end.wait(60)

    before = document(model)
    with pytest.raises(KeyboardInterrupt):
        getattr(model, method)(
            Dataset(table.column_names, slowly, is_slow=True), *["y"][: method != "predict"]
        )
    assert not end.is_set()
    end.set()
    assert document(model) == before


def test_functions_of_the_user_run_in_one_thread(tmp_path):
    with sqlite3.connect(tmp_path / "rows.db") as connection:
        numbers().to_pandas().to_sql("rows", connection, index=False)
        expected = RuleRegressor(alpha=0.02).fit([numbers()], "y")
        read = lambda: pd.read_sql("SELECT * FROM rows", connection, chunksize=70)  # noqa: E731
        assert document(RuleRegressor(alpha=0.02).fit(read, "y")) == document(expected)


def test_an_error_of_a_library_is_raised_here():
    def fails(_):
        yield numbers()
        raise OSError("the disk has gone")

    with pytest.raises(OSError, match="the disk has gone"):
        RuleRegressor(alpha=0.1).fit(Dataset(numbers().column_names, fails, is_slow=True), "y")


def test_a_memory_limit_holds_while_reading():
    table = many(200_000)
    with pytest.raises(MemoryError, match="memory_limit: 1000 bytes do not hold the distinct values"):
        RuleRegressor(alpha=0.1, memory_limit=1000).fit([table], "y")
    with pytest.raises(MemoryError, match="do not hold a fit of 200000 rows and 2 columns"):
        RuleRegressor(alpha=0.1, memory_limit=4_000_000).fit([table], "y")
    RuleRegressor(alpha=0.1, memory_limit=200_000_000, linear=False).fit([table], "y")


@pytest.mark.parametrize("opened", [str, ds.dataset])
def test_a_file_is_not_held_while_it_is_read(tmp_path, opened):
    path, rng = tmp_path / "large.parquet", np.random.default_rng(0)
    columns = {f"x{j}": rng.normal(size=400_000) for j in range(10)}
    pq.write_table(pa.table(columns), path, row_group_size=10_000)
    before, held = pa.total_allocated_bytes(), []
    # Batches are .8 of this file; where Arrow holds the file as well it is 1.7 of it.
    for _, _frame in dataset_of(opened(path)).read(list(columns)):
        time.sleep(0.02)  # what is read ahead comes
        held.append(pa.total_allocated_bytes() - before)
    assert len(held) > 5
    assert max(held) < 1.2 * path.stat().st_size


def test_a_saved_model_and_a_plot_know_the_rows(file, tmp_path):
    model = RuleRegressor(alpha=0.02).fit(file, "y")
    model.to_json(tmp_path / "model.json")
    again = RuleRegressor.from_json(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(file), model.predict(file))
    assert again.verify(file, "y").relative_gap <= 1e-6
    table = pq.read_table(file)
    expected = RuleRegressor(alpha=0.02).fit(table.drop_columns("y"), table["y"])
    for one, two in zip(model._fitted.sample, expected._fitted.sample, strict=True):
        np.testing.assert_array_equal(one, two)


def test_folders_with_columns_in_their_names(tmp_path):
    table = numbers().append_column("year", pa.array([2024, 2025, 2026] * 100))
    pq.write_to_dataset(table, tmp_path / "parts", partition_cols=["year"])
    model = RuleRegressor(alpha=0.02).fit(tmp_path / "parts", "y")
    assert model.feature_names_in_.tolist() == ["x0", "x1", "x2", "year"]
    frame = pq.read_table(tmp_path / "parts", partitioning=ds.partitioning(flavor="hive"))
    assert document(model) == document(RuleRegressor(alpha=0.02).fit(frame.drop_columns("y"), frame["y"]))


def test_polars_reads_files_where_pyarrow_is_missing(file, monkeypatch):
    expected = RuleRegressor(alpha=0.02).fit(file, "y")
    find_spec = importlib.util.find_spec
    absent = ["pyarrow"]
    monkeypatch.setattr(importlib.util, "find_spec", lambda n: None if n in absent else find_spec(n))
    assert document(RuleRegressor(alpha=0.02).fit(file, "y")) == document(expected)
    absent.append("polars")
    with pytest.raises(ImportError, match="pip install pyarrow"):
        RuleRegressor(alpha=0.02).fit(file, "y")


def test_other_methods_say_that_they_need_rows_in_memory(file):
    model = RuleRegressor(alpha=0.02).fit(file, "y")
    for method in (model.transform, model.explain):
        with pytest.raises(TypeError, match="not one table in memory"):
            method(file)


def test_the_score(file):
    model = RuleRegressor(alpha=0.02).fit(file, "y")
    table = pq.read_table(file)
    assert model.score(file, "y") == model.score(table.drop_columns("y"), table["y"])
    labels = pa.array(np.where(table["y"].to_numpy() > 1, "high", "low"))
    pq.write_table(table.set_column(3, "y", labels), file)
    classifier = RuleClassifier(alpha=0.02).fit(file, "y")
    assert classifier.score(file, "y", np.arange(300)) > 0.9
    labels = pa.array([None, *labels.to_pylist()[1:]])
    pq.write_table(table.set_column(3, "y", labels), file)
    for y in ("y", labels):
        with pytest.raises(ValueError, match=r"^Input y contains NaN. \(first in row 0; "):
            classifier.score(file, y)


def test_the_command_line(file, tmp_path, capsys):
    model = str(tmp_path / "model.json")
    plain = ["fit", str(file), "--target", "y"]
    fit = [*plain, "--alpha", "0.02", "--drop", "x2", "--output", model]
    assert main([*fit, "--from-disk"]) == 0
    on_disk = RuleRegressor.from_json(model)
    assert main(fit) == 0
    assert document(on_disk) == document(RuleRegressor.from_json(model))
    verify = ["verify", model, str(file), "--target", "y", "--from-disk"]
    assert main(verify) == 0
    assert main([*verify[:3], "--from-disk"]) == 0
    assert "verified" in capsys.readouterr().out
    refused = {
        "for --model rules and additive; this is --model l0": [*plain, "--from-disk", "--model", "l0"],
        "rules and additive; this is --model itemsets": [*plain, "--from-disk", "--model", "itemsets"],
        "there is no target column 'z'": ["fit", str(file), "--target", "z", "--from-disk"],
        "no complete Parquet file": ["fit", model, "--target", "y", "--from-disk"],
        "which standard input does not allow": ["fit", "-", "--target", "y", "--from-disk"],
    }
    refused["--points reads all rows at once"] = [
        *plain,
        "--from-disk",
        "--model",
        "additive",
        "--points",
        "9",
    ]
    for message, arguments in refused.items():
        assert main(arguments) == (1 if message.startswith(("no ", "there")) else 2)
        assert message in capsys.readouterr().err


def test_score_cards_from_disk_on_the_command_line(file, tmp_path, capsys):
    model = str(tmp_path / "model.json")
    fit = ["fit", str(file), "--target", "y", "--model", "additive", "--lambda0", "0.5", "--output", model]
    assert main([*fit, "--from-disk"]) == 0
    on_disk = L0AdditiveRegressor.from_json(model)
    assert main(fit) == 0
    assert content(L0AdditiveRegressor.from_json(model)) == content(on_disk)
    assert main(["verify", model, str(file), "--from-disk"]) == 0
    assert "verified" in capsys.readouterr().out


def test_named_categories_on_the_command_line(tmp_path):
    path, model = tmp_path / "data.parquet", str(tmp_path / "model.json")
    table = numbers().append_column("c", pa.array(["u", "v", None] * 100))
    pq.write_table(table, path)
    arguments = ["fit", str(path), "--target", "y", "--alpha", "0.1", "--categorical", "x0", "--from-disk"]
    assert main([*arguments, "--output", model]) == 0
    kinds = [feature["kind"] for feature in document(RuleRegressor.from_json(model))["model"]["features"]]
    assert kinds == ["categorical", "numeric", "numeric", "categorical"]


def test_names_of_a_table():
    assert dataset_of([pa.table({"b": [1], "a": [2]})]).names == ["b", "a"]


TEXTS = ["b", "a", None] * 10
OF_TEXTS = {
    "texts": pa.array(TEXTS),
    "large texts": pa.array(TEXTS, pa.large_string()),
    "views": pa.array(TEXTS, pa.string_view()),
    "categories": pa.array(TEXTS).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string())),
    "ordered": pa.DictionaryArray.from_arrays(
        pa.array([1, 0, None] * 10, pa.int8()), pa.array(["a", "b"]), ordered=True
    ),
    "missing": pa.nulls(30),
}


@pytest.mark.filterwarnings("ignore:ordered categories")
@pytest.mark.parametrize("second", OF_TEXTS)
@pytest.mark.parametrize("first", OF_TEXTS)
def test_texts_and_categories_of_a_folder_go_together(tmp_path, first, second):
    y = np.arange(30.0) % 3
    for name in (first, second):
        table = pa.table({"t": OF_TEXTS[name], "x": y % 2, "y": y})
        pq.write_table(table, tmp_path / f"{name == second}.parquet")
    files = [pq.read_table(file) for file in sorted(tmp_path.iterdir())]
    expected = RuleRegressor(alpha=0.01).fit(files, "y")
    model = RuleRegressor(alpha=0.01).fit(tmp_path, "y")
    assert [rule.text for rule in model.rules_] == [rule.text for rule in expected.rules_]
    np.testing.assert_array_equal(model.predict(tmp_path), expected.predict(files))


def test_a_column_that_differs_from_the_name_of_its_folder(tmp_path):
    (tmp_path / "x=1").mkdir()
    pq.write_table(pa.table({"x": ["one"], "y": [1.0]}), tmp_path / "x=1" / "0.parquet")
    with pytest.raises(ValueError, match=r"the names of folders in .* different types: .*x"):
        RuleRegressor().fit(tmp_path, "y")


def test_patterns_and_home_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    pq.write_table(numbers(), tmp_path / "0.parquet")
    assert dataset_of("~/0.parquet").n_rows == 300
    with pytest.raises(
        FileNotFoundError, match=r"0\*.parquet; give the folder .*, or pyarrow.dataset.dataset"
    ):
        RuleRegressor().fit(tmp_path / "0*.parquet", "y")


def test_files_of_a_folder_have_the_same_columns_and_types_that_go_together(tmp_path):
    x, y = np.arange(60.0), np.arange(60.0) % 2
    parts = [
        pa.table({"x": np.arange(30), "t": pa.nulls(30), "y": y[:30]}),
        pa.table({"x": x[30:] + 0.5, "t": ["a", "b"] * 15, "y": y[30:]}),
    ]
    for k, part in enumerate(parts):
        pq.write_table(part, tmp_path / f"{k}.parquet")
    model = RuleRegressor(alpha=0.01).fit(tmp_path, "y")
    together = pa.concat_tables(parts, promote_options="permissive").to_pandas()
    same = RuleRegressor(alpha=0.01, categorical_features=["t"]).fit(together[["x", "t"]], together["y"])
    np.testing.assert_array_equal(model.predict(tmp_path), same.predict(together[["x", "t"]]))
    pq.write_table(pa.table({"x": ["one"] * 5, "t": ["a"] * 5, "y": y[:5]}), tmp_path / "2.parquet")
    with pytest.raises(ValueError, match=r"/0.parquet and .*/2.parquet have columns of different types: .*x"):
        RuleRegressor().fit(tmp_path, "y")
    pq.write_table(parts[0].set_column(0, "x", pa.nulls(30)), tmp_path / "0.parquet")
    with pytest.raises(ValueError, match=r"/1.parquet and .*/2.parquet have columns of different types: .*x"):
        RuleRegressor().fit(tmp_path, "y")
    pq.write_table(pa.table({"x": x[:5], "y": y[:5]}), tmp_path / "2.parquet")
    with pytest.raises(ValueError, match="different columns: only one of them has 't'"):
        RuleRegressor().fit(tmp_path, "y")
    (tmp_path / "none").mkdir()
    with pytest.raises(ValueError, match="has no Parquet file"):
        RuleRegressor().fit(tmp_path / "none", "y")
    with pytest.raises(TypeError, match="checkpoint: X is read from elsewhere"):
        fit_many(RuleRegressor(alpha=0.01), [(tmp_path, "y")], checkpoint=tmp_path / "checkpoint")


def test_limits_among_numbers_warn_as_in_memory():
    frame = pd.DataFrame({"dose": ["1.5", "2", "0.5", ">6", "3", "2"] * 8, "x": np.arange(48.0)})
    halves, y = [frame[:24], frame[24:]], frame["x"]
    model = RuleRegressor(alpha=0.1, max_features=1)
    said = "column 'dose' holds numbers as text, because of '>6' in row 3, and becomes categories"
    for X in (frame, halves):
        with pytest.warns(UserWarning, match="dose") as found:
            model.fit(X, y)
        assert [str(each.message).partition(":")[0] for each in found] == [said]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.verify(halves, y)
        model.predict(halves)
        model.set_params(categorical_features=["dose"]).fit(halves, y)


# ------------------------------------------------------------------ rows in another order each time


def shuffled(table, seed=0):
    """A function that reads the rows in another order each time."""
    rng = np.random.default_rng(seed)
    return lambda: batches_of(table.iloc[rng.permutation(len(table))])


def batches_of(table):
    third = len(table) // 3
    return [table[:third], table[third : 2 * third], table[2 * third :]]


@pytest.mark.parametrize("estimator", [RuleClassifier(alpha=0.02, max_features=2), L0AdditiveClassifier()])
def test_targets_and_weights_are_those_of_their_rows_in_any_order(estimator):
    X = np.random.default_rng(1).normal(size=(400, 3)).round(2)
    kind = np.where(X[:, 2] > 0, "up", "down")
    table = pd.DataFrame(X, columns=list("abc")).assign(kind=kind, y=X[:, 0] > 0.2, w=np.arange(400) % 3)
    rows = shuffled(table)
    model = estimator.set_params(cv=3).fit(rows, "y", sample_weight="w")
    assert model.score(rows, "y", sample_weight="w") > 0.97
    assert model.score(rows, "y") == model.score(table[["a", "b", "c", "kind"]], table["y"])
    model.verify(rows, "y", sample_weight="w")


@pytest.mark.parametrize("columns", [["a"], ["kind"]])
def test_arrays_beside_rows_without_an_order_are_refused(columns):
    table = pd.DataFrame({"a": np.arange(90.0), "kind": np.repeat(["up", "down", "left"], 30)})[columns]
    target = np.arange(90.0)
    with pytest.raises(ValueError, match="had its rows in another order the second time"):
        RuleRegressor(alpha=0.1).fit(shuffled(table), target)
    fixed = RuleRegressor(alpha=0.1).fit(lambda: batches_of(table), target)
    with pytest.raises(ValueError, match="name their columns, or read the rows in a fixed order"):
        fixed.verify(shuffled(table), target)


def test_booleans_and_their_texts_in_other_batches_are_the_same_levels():
    f = np.arange(300) % 3 == 0
    table = pd.DataFrame({"f": f})
    batches = [table[:100], table[100:200].astype(str), table[200:]]
    model = RuleRegressor(alpha=0.05).fit(batches, f * 1.0)
    assert content(model) == content(RuleRegressor(alpha=0.05).fit(table, f * 1.0))
