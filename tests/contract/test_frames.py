"""Frames of every library are the same columns, and columns are known by their names."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from thresher import L0AdditiveClassifier, L0AdditiveRegressor, RuleClassifier, RuleRegressor

from .members import cases_that

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

NAMES = [f"column {j}" for j in range(5)]
FRAMES = {
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "pandas nullable": lambda X: pd.DataFrame(X, columns=NAMES).astype("Float64"),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
    "pyarrow": lambda X: pa.table({name: X[:, j] for j, name in enumerate(NAMES)}),
}
on_tables = cases_that(lambda case: case.source.is_table)


@on_tables
def test_frames_give_the_same_bits(case):
    X, y = case.problem()
    wanted = case.answers(case.model().fit(X, y), X)
    for name, make in FRAMES.items():
        frame = make(X)
        model = case.model().fit(frame, y)
        assert list(model.feature_names_in_) == NAMES, name
        for one, two in zip(wanted, case.answers(model, frame), strict=True):
            np.testing.assert_array_equal(one, two, err_msg=name)


@on_tables
def test_lists_and_other_arrays_give_the_same_bits(case):
    X, y = case.problem()
    wanted = case.answers(case.model().fit(X, y), X)
    for other in (X.tolist(), np.asfortranarray(X), X.astype(np.float32), X.astype(int), X.astype(object)):
        for one, two in zip(wanted, case.answers(case.model().fit(other, y), other), strict=True):
            np.testing.assert_array_equal(one, two)


@on_tables
def test_sparse_matrices_give_the_same_bits(case):
    X, y = case.problem()
    wanted = case.answers(case.model().fit(X, y), X)
    for make in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        for one, two in zip(wanted, case.answers(case.model().fit(make(X), y), make(X)), strict=True):
            np.testing.assert_array_equal(one, two)


@on_tables
def test_targets_and_weights_of_frames(case):
    X, y = case.problem()
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    wanted = case.answers(case.model().fit(X, y, sample_weight=weights), X)
    for series in (pd.Series, pl.Series):
        model = case.model().fit(X, series(y), sample_weight=series(weights))
        for one, two in zip(wanted, case.answers(model, X), strict=True):
            np.testing.assert_array_equal(one, two)


@on_tables
def test_the_names_of_columns_are_checked(case):
    X, y = case.problem()
    frame = FRAMES["pandas"](X)
    model = case.model().fit(frame, y)
    with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
        model.predict(frame[NAMES[::-1]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- another"):
        model.predict(frame.rename(columns={NAMES[0]: "another"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)
    with pytest.raises(ValueError, match=r"3 features, but .* is expecting 5 features"):
        case.model().fit(X, y).predict(X[:, :3])


YEARS = [2019, 2020, 2021, 2022, 2023]
LEVELS = pd.MultiIndex.from_product([["age"], ["min", "max", "mean", "std", "last"]])


@on_tables
@pytest.mark.parametrize("given", [YEARS, LEVELS], ids=["numbers", "levels"])
def test_names_that_are_no_text_are_checked_as_their_texts(case, given):
    X, y = case.problem()
    frame = pd.DataFrame(X, columns=given)
    names = [str(name) if isinstance(name, int) else "_".join(name) for name in given]
    model = case.model().fit(frame, y)
    assert list(model.feature_names_in_) == names
    wanted = case.answers(case.model().fit(frame.set_axis(names, axis=1), y), frame.set_axis(names, axis=1))
    for one, two in zip(wanted, case.answers(model, frame), strict=True):
        np.testing.assert_array_equal(one, two)
    with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
        model.predict(frame[frame.columns[::-1]])
    numbered = case.model().fit(pd.DataFrame(X), y)  # 0, 1, ... are no names
    assert not hasattr(numbered, "feature_names_in_")


@on_tables
def test_columns_that_the_model_does_not_use_may_be_missing(case):
    X, y = case.problem()
    X[:, 4] = 1.0  # a constant column, which only a machine may use
    frame = FRAMES["pandas"](X)
    model = case.model().fit(frame, y)
    used = set(model._used_columns())
    assert 4 not in used or "FactorizationMachine" in type(model).__name__
    for make in (FRAMES["pandas"], FRAMES["polars"]):
        unused = [name for j, name in enumerate(NAMES) if j not in used]
        if unused and used:
            rest = make(X).drop(columns=unused) if make is FRAMES["pandas"] else make(X).drop(unused)
            for one, two in zip(case.answers(model, make(X)), case.answers(model, rest), strict=True):
                np.testing.assert_array_equal(one, two)
            assert list(map(str, model.explain(rest[:3]))) == list(map(str, model.explain(make(X)[:3])))
    for j in used:
        with pytest.raises(ValueError, match=f"yet now missing:\\n(- .*\\n)*- {NAMES[j]}"):
            model.predict(frame.drop(columns=NAMES[j]))
    other = frame.rename(columns={NAMES[4]: "another"})
    with pytest.raises(ValueError, match="unseen at fit time:\n- another"):
        model.predict(other)


@on_tables
def test_columns_that_are_not_used_have_no_influence(case):
    X, y = case.problem()
    model = case.model().fit(X, y)
    other = X.copy()
    for j in set(range(X.shape[1])) - set(model._used_columns()):
        other[:, j] = np.random.default_rng(j).permutation(X[:, j])
    for one, two in zip(case.answers(model, X), case.answers(model, other), strict=True):
        np.testing.assert_array_equal(one, two)


@on_tables
def test_categories_are_read_from_any_frame(case):
    X, y = case.problem()
    color = np.array(["red", "green", "blue"])[X[:, 0].astype(int) % 3]
    table = {"color": color, "age": X[:, 1]}
    if not takes_categories(case):
        with pytest.raises(TypeError, match="column 'color' must be numeric"):
            case.model().fit(pd.DataFrame(table), y)
        return
    models = [case.model().fit(make(table), y) for make in (pd.DataFrame, pl.DataFrame, pa.table)]
    for model in models[1:]:
        for one, two in zip(
            case.answers(models[0], pd.DataFrame(table)),
            case.answers(model, pl.DataFrame(table)),
            strict=True,
        ):
            np.testing.assert_array_equal(one, two)


def takes_categories(case):
    """Whether the model has conditions on, or a column for each of, the categories of a column."""
    return case.takes("categorical_features")


NOT_TABLES = {
    "no columns": (lambda X: np.empty((60, 0)), ValueError, r"0 feature\(s\)"),
    "one dimension": (lambda X: X[:, 0], ValueError, "Reshape your data"),
    "three dimensions": (lambda X: X[:, :, None], ValueError, "dim"),
    "a number": (lambda X: 3.0, ValueError, "Expected 2D array"),
    "infinity": (lambda X: np.where(X.max() == X, np.inf, X), ValueError, "infinit"),
    "complex": (lambda X: X + 1j, ValueError, "Complex data not supported"),
    "dates": (lambda X: pd.DataFrame({"t": pd.date_range("2026", periods=60)}), TypeError, "holds dates"),
    "mixed": (
        lambda X: pd.DataFrame({"a": [1, "x"] * 30}),
        TypeError,
        "column 'a' (mixes text and numbers|must be numeric)",
    ),
    "lists": (lambda X: pl.DataFrame({"l": [[1, 2]] * 60}), TypeError, "column 'l' holds"),
    "lazy": (lambda X: pl.DataFrame(X).lazy(), TypeError, "collect"),
    "equal names": (lambda X: pd.DataFrame(X[:, :2], columns=["a", "a"]), ValueError, "more than one column"),
    "names of several types": (lambda X: pd.DataFrame(X[:, :2], columns=["a", 1]), TypeError, "column names"),
    "too few rows": (lambda X: X[:7], ValueError, "inconsistent numbers of samples"),
}


IN_BATCHES = (RuleClassifier, RuleRegressor, L0AdditiveClassifier, L0AdditiveRegressor)


@pytest.mark.parametrize("kind", NOT_TABLES)
@cases_that(lambda case: case.source.is_table and case.name.endswith(("squared", "logistic")))
def test_what_is_no_table_is_refused(case, kind):
    make, error, message = NOT_TABLES[kind]
    X, y = case.problem()
    model = case.model()
    if kind == "lazy" and isinstance(model, IN_BATCHES):
        assert model.fit(make(X), y).n_features_in_ == X.shape[1]  # read in batches
        return
    with pytest.raises(error, match=message):
        model.fit(make(X), y)
    assert not hasattr(model, "n_features_in_")
