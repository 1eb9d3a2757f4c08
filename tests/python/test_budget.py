"""Time and memory while data are read: nothing large is allocated in vain, no copy is made without need."""

import itertools
import json
import pickle
import re
import tracemalloc
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import thresher
from thresher import ItemsetRegressor, RuleClassifier, RuleRegressor
from thresher.data import budget as budget_module
from thresher.data.budget import GRACE, Budget
from thresher.data.compressed import compress
from thresher.data.core_parameters import to_json
from thresher.data.inputs import read
from thresher.data.item_matrix import read_item_matrix

RNG = np.random.default_rng(0)
N, D = 2_000, 300
NUMBERS = RNG.normal(size=(N, D))
BITS = RNG.random((N, D)) < 0.1
TEXTS = RNG.choice(np.array(["a", "b", "c"], dtype=object), size=(N, D))
SPARSE = sparse.random(N, D, density=0.1, rng=RNG, format="csr")
LISTS = [np.flatnonzero(row).tolist() for row in BITS]
NAMES = [f"c{j}" for j in range(D)]
TABLES = {
    "array": NUMBERS,
    "array by columns": np.asfortranarray(NUMBERS),
    "float32": NUMBERS.astype(np.float32),
    "whole numbers": (10 * NUMBERS).astype(np.int64),
    "lists": NUMBERS.tolist(),
    "lists of texts": TEXTS.tolist(),
    "objects": TEXTS,
    "pandas": pd.DataFrame(NUMBERS, columns=NAMES),
    "pandas apart": pd.DataFrame({name: NUMBERS[:, j].copy() for j, name in enumerate(NAMES)}),
    "pandas texts": pd.DataFrame(TEXTS, columns=NAMES),
    "pandas categories": pd.DataFrame(TEXTS, columns=NAMES).astype("category"),
    "polars": pl.from_numpy(NUMBERS, schema=NAMES),
    "pyarrow": pa.table({name: NUMBERS[:, j] for j, name in enumerate(NAMES)}),
}
ITEMS = {
    "lists": LISTS,
    "sets": [set(row) for row in LISTS],
    "texts": [[f"item {j}" for j in row] for row in LISTS],
    "dicts": [dict.fromkeys(row, 1) for row in LISTS],
    "bits": BITS,
    "floats": BITS.astype(float),
    "pandas": pd.DataFrame(BITS, columns=NAMES),
    "pandas apart": pd.DataFrame({name: BITS[:, j].copy() for j, name in enumerate(NAMES)}),
    "pandas sparse": pd.DataFrame.sparse.from_spmatrix(SPARSE, columns=NAMES),
    "polars": pl.from_numpy(BITS, schema=NAMES),
    "sparse": SPARSE,
    "sparse by columns": SPARSE.tocsc(),
}
FORMS = [
    *(pytest.param(name, X, id=f"{name}-{form}") for form, X in TABLES.items() for name in (
        "RuleRegressor", "L0AdditiveRegressor", "HierarchicalRuleRegressor", "FactorizationMachineRegressor",
    )),
    *(pytest.param("L0Regressor", X, id=f"L0Regressor-{form}") for form, X in TABLES.items()
      if "text" not in form and form not in ("objects", "pandas categories")),
    *(pytest.param(name, SPARSE, id=f"{name}-sparse") for name in (
        "L0Regressor", "FactorizationMachineRegressor", "RuleRegressor",
    )),
    *(pytest.param("ItemsetRegressor", X, id=f"ItemsetRegressor-{form}") for form, X in ITEMS.items()),
    pytest.param("SequenceRegressor", LISTS, id="SequenceRegressor"),
    pytest.param("SequenceRegressor", ["ACGT" * 20] * N, id="SequenceRegressor-texts"),
    pytest.param("GraphRegressor", [(["C"] * 9, [(k, k + 1) for k in range(8)])] * N, id="GraphRegressor"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "X"), FORMS)
def test_too_little_memory_is_refused_before_copies(name, X):
    model = getattr(thresher, name)(memory_limit=1000)
    kept = dict(vars(model))
    with pytest.raises(MemoryError):  # modules are loaded
        model.fit(X, np.arange(float(N)))
    tracemalloc.start()
    try:
        with pytest.raises(MemoryError, match=r"takes at least|dense"):
            model.fit(X, np.arange(float(N)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 300_000  # the numbers take 4,800,000
    assert vars(model) == kept


@pytest.mark.parametrize("limit", [1e20, 10**30])
@pytest.mark.parametrize("name", ["RuleRegressor", "L0AdditiveRegressor", "HierarchicalRuleRegressor",
                                  "FactorizationMachineRegressor", "L0Regressor"])  # fmt: skip
def test_more_memory_than_there_can_be_is_no_limit(name, limit):
    X = NUMBERS[:60, :2]
    model = getattr(thresher, name)(memory_limit=limit)
    model.set_params(**{key: 1.0 for key in ("alpha", "lambda0") if key in model.get_params()}).fit(
        X, X[:, 0]
    )


@pytest.mark.parametrize("limit", [None, 1e9])
def test_targets_that_cannot_be_read_are_named_with_a_limit_too(limit):
    X = NUMBERS[:60, :2]
    with pytest.raises(ValueError, match="y holds lists of different lengths"):
        RuleRegressor(alpha=1.0, memory_limit=limit).fit(X, [[1], [1, 2]] * 30)
    with pytest.raises(ValueError, match="Unknown label type"):
        RuleClassifier(alpha=1.0, memory_limit=limit).fit(X, [{}, {}] * 30)


@pytest.fixture
def slow_clock(monkeypatch):
    """A clock that goes on by 0.04 seconds at each look."""
    ticks = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: 0.04 * next(ticks))
    monkeypatch.setattr(budget_module, "time", clock)


@pytest.mark.usefixtures("slow_clock")
@pytest.mark.filterwarnings("ignore:X holds")
@pytest.mark.parametrize(("name", "X"), FORMS)
def test_the_clock_is_looked_at_while_data_are_read(name, X):
    model = getattr(thresher, name)(time_limit=0.01)
    kept = dict(vars(model))
    with pytest.raises(TimeoutError, match=r"time_limit: 0\.01 seconds were over after "):
        model.fit(X, np.arange(float(N)))
    assert vars(model) == kept


@pytest.mark.usefixtures("slow_clock")
def test_a_time_limit_says_how_much_of_the_whole_was_read(tmp_path):
    """Whatever part of a batch or a column the clock is looked at in."""
    table = pd.DataFrame({"a": ["u", "v"] * 150, "y": np.arange(300.0)})
    table.to_parquet(tmp_path / "table.parquet")
    said = set()
    for X, y in ((tmp_path / "table.parquet", "y"), (table[["a"]], table["y"])):
        for limit in np.arange(0.01, 0.8, 0.04):
            try:
                RuleRegressor(alpha=0.1, time_limit=limit).fit(X, y)
            except TimeoutError as error:
                said.add(str(error).partition(" were over ")[2].partition(";")[0])
    reading = "after 0 of 300 rows had been read, in the {} of two readings of X"
    assert {reading.format("first"), reading.format("second")} <= said
    assert "after 0 of 1 columns of X had been read" in said
    assert not [each for each in said if "cells" in each or "of a column" in each], said


def test_a_time_limit_that_reading_exceeds_by_little_gives_a_model():
    X = NUMBERS[:50, :4]
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        model = RuleRegressor(alpha=1e-3, time_limit=1e-9).fit(X, X[:, 0])
    assert not model.certificate_.complete


def test_a_pickled_budget_goes_on():
    budget = Budget(time_limit=100.0, memory_limit=1000)
    budget.hold(300, "the columns")
    budget._started -= 40.0
    again = pickle.loads(pickle.dumps(budget))
    assert 40.0 <= again.seconds < 60.0
    assert (again.held, again.memory_limit) == (300, 1000)
    state = budget.__getstate__()
    assert 40.0 <= state["_started"] < 60.0  # no clock of this machine


def test_the_core_gets_the_rest():
    budget = Budget(time_limit=5.0, memory_limit=1e6)
    budget.hold(300_000, "the columns")
    parameters = {"fit": {"time_limit": 5.0, "memory_limit": 1e6, "tol": 1}, "x": 2}
    rest = json.loads(to_json(budget.rest(parameters)))
    assert 0 < rest["fit"]["time_limit"] < 5.0
    assert rest["fit"]["memory_limit"] == 700_000
    assert (rest["fit"]["tol"], rest["x"]) == (1, 2)
    assert parameters["fit"]["time_limit"] == 5.0
    assert Budget().rest(parameters) is parameters
    assert Budget(time_limit=1e-9).rest({})["time_limit"] > 0


def test_limits_of_a_budget():
    budget = Budget(memory_limit=1000)
    budget.hold(1000, "all")
    with pytest.raises(MemoryError, match="1000 bytes do not hold one more, which takes at least 1001"):
        budget.require(1, "one more")
    assert budget.held == 1000
    assert not Budget().is_over()
    assert Budget(time_limit=1e-12).is_over()
    Budget(time_limit=GRACE).check_time("at once")
    assert list(Budget().within_time("abc", "letters")) == ["a", "b", "c"]


@pytest.mark.parametrize("form", ["array", "array by columns", "pandas", "pandas apart", "polars", "pyarrow"])
def test_columns_of_float64_are_not_copied(form):
    tracemalloc.start()
    table = read(TABLES[form])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_array_equal(np.column_stack(table.columns), NUMBERS)
    assert peak < NUMBERS.nbytes / 4


@pytest.mark.parametrize("form", ["bits", "floats", "pandas", "pandas apart", "polars"])
def test_matrices_of_items_are_not_copied(form):
    tracemalloc.start()
    found = read_item_matrix(ITEMS[form], "X", Budget(), lambda *_: None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    expected = sparse.csr_array(BITS)
    assert found.starts.tolist() == expected.indptr.tolist()
    assert found.items.tolist() == expected.indices.tolist()
    assert peak < 30 * expected.nnz + 300_000  # as floats they take 4,800,000


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_a_sparse_matrix_is_left_as_it_is(form):
    rows, columns, values = [0, 0, 2, 0], [1, 1, 0, 0], [1.0, 2.0, 0.0, 5.0]
    matrix = sparse.coo_array((values, (rows, columns)), shape=(3, 2))
    if form != "coo":  # unsorted, with a duplicate and a zero
        kind = sparse.csr_array if form == "csr" else sparse.csc_array
        parts = ([2.0, 1.0, 5.0, 0.0], [1, 1, 0, 0], [0, 3, 3, 4])
        if form == "csc":
            parts = ([0.0, 5.0, 1.0, 2.0], [2, 0, 0, 0], [0, 2, 4])
        matrix = kind(parts, shape=(3, 2))
    kept = [np.array(part) for part in (matrix.data, getattr(matrix, "indices", matrix.data))]
    for part in (matrix.data, getattr(matrix, "indices", matrix.data)):
        part.flags.writeable = False
    found = read_item_matrix(matrix, "X", Budget(), lambda *_: None)
    assert (found.starts.tolist(), found.items.tolist()) == ([0, 2, 2, 2], [0, 1])
    columns = compress(matrix)
    dense = sparse.csc_array((columns.values, columns.rows, columns.starts), shape=(3, 2)).toarray()
    assert dense.tolist() == [[5.0, 3.0], [0.0, 0.0], [0.0, 0.0]]
    np.testing.assert_array_equal(kept[0], matrix.data)
    np.testing.assert_array_equal(kept[1], getattr(matrix, "indices", matrix.data))


def test_missing_cells_of_every_batch(monkeypatch):
    monkeypatch.setattr("thresher.data.extract._BATCH_ROWS", 3)
    cells = np.array([None, "b", "a", float("nan"), "b", pd.NA, "c", True], dtype=object)
    table = read(cells[:7, None])
    codes, levels = table.columns[0]
    assert levels == ["a", "b", "c"]
    assert codes.tolist() == [-1, 1, 0, -1, 1, -1, 2]
    with pytest.raises(TypeError, match=r"mixes text|holds True"):
        read(np.array([[value] for value in [*cells, 3]], dtype=object))
    numbers = np.array([[1], [None], [2.5], [float("nan")], [4]], dtype=object)
    np.testing.assert_array_equal(read(numbers).columns[0], [1, np.nan, 2.5, np.nan, 4])
    with pytest.raises(ValueError, match="infinite value in row 4"):
        read(np.array([[1.0], [2], [None], [3], [float("inf")]], dtype=object))


def test_lists_are_read_as_one_array_would_be(monkeypatch):
    rows = [[1, 2.5], [True, 3], [4, 5], [6, 7]]
    mixed = [[1, "a"], [2, "b"], [3, None], [True, "a"]]
    wanted = read(np.asarray(rows)), read(np.asarray(mixed, dtype=object))
    monkeypatch.setattr("thresher.data.extract._LIST_CELLS", 2)
    for given, table in zip((rows, mixed), wanted, strict=True):
        found = read(given)
        for mine, theirs in zip(found.columns, table.columns, strict=True):
            if isinstance(mine, tuple):
                assert (mine[0].tolist(), mine[1]) == (theirs[0].tolist(), theirs[1])
            else:
                np.testing.assert_array_equal(mine, theirs)


@pytest.mark.filterwarnings("ignore:ordered categories")
def test_categories_of_pandas_are_read_by_their_codes():
    cells = pd.Categorical(["b", None, "a", "b"], categories=["c", "b", "a"], ordered=True)
    codes, levels = read(pd.DataFrame({"x": cells})).columns[0]
    assert levels == ["c", "b", "a"]
    assert codes.tolist() == [1, -1, 2, 1]
    model = RuleRegressor(alpha=0.01).fit(pd.DataFrame({"x": cells}), [1.0, 0.0, 0.0, 1.0])
    other = pd.DataFrame({"x": pd.Categorical(["a", "b", None], categories=["a", "b"])})
    same = pd.DataFrame({"x": ["a", "b", None]})
    assert model.predict(other).tolist() == model.predict(same).tolist()


@pytest.mark.parametrize(
    "form", ["pandas", "pandas apart", "pandas sparse", "polars", "bits", "sparse", "lists"]
)
def test_the_first_refusal_counts_all_items(form):
    n_items = {"sparse": SPARSE.nnz, "pandas sparse": SPARSE.nnz}.get(form, np.count_nonzero(BITS))
    limit = 174 * N + 20 * n_items - 1  # bytes: one too few for all items
    with pytest.raises(MemoryError, match=rf"takes at least {limit + 1}; give more"):
        ItemsetRegressor(alpha=0.1, memory_limit=limit).fit(ITEMS[form], np.arange(float(N)))


@pytest.mark.parametrize(
    "rows", [lambda X: X, lambda X: X.tolist(), pd.DataFrame], ids=["array", "list", "frame"]
)
def test_the_memory_of_a_fit_is_no_limit_of_a_prediction(rows):
    X = np.arange(400.0).reshape(100, 4) % 7
    model = RuleRegressor(alpha=0.1, bins=5).fit(rows(X), X[:, 0])
    assert model.set_params(memory_limit=1000).predict(rows(X)).shape == (100,)


FITS = {
    "rules": lambda **given: RuleRegressor(alpha=0.3, max_features=1, **given),
    "rules, folds": lambda **given: RuleRegressor(n_alphas=2, max_features=1, linear=False, **given),
    "rules, path": lambda **given: RuleRegressor(n_alphas=2, max_features=1, **given),
    "step functions": lambda **given: thresher.L0AdditiveRegressor(max_steps=1, **given),
    "coefficients": lambda **given: thresher.L0Regressor(max_nonzero=1, **given),
}


def needed(fit):
    """The number of bytes that a refusal asks for."""
    with pytest.raises(MemoryError, match="memory_limit: 1000 bytes do not hold") as error:
        fit()
    return max(int(number) for number in re.findall(r"\d+", str(error.value)))


@pytest.mark.parametrize("name", FITS)
def test_one_message_says_what_is_needed(name):
    X, y = NUMBERS[:300, :8], RNG.normal(size=(300, 2))

    def fit(limit):
        model = FITS[name](memory_limit=limit)
        target = y if name == "rules, folds" else y[:, 0]
        return model.fit_path(X, target) if "path" in name else model.fit(X, target)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fit(needed(lambda: fit(1000)))


def test_one_message_says_what_the_classes_need():
    model = thresher.RuleClassifier(alpha=0.3, max_features=1, memory_limit=1000)
    labels = np.array(["a", "b", "c", "d"])[np.arange(300) % 4]
    model.set_params(memory_limit=needed(lambda: model.fit(NUMBERS[:300, :4], labels)))
    model.fit(NUMBERS[:300, :4], labels)


def test_a_refusal_of_the_core_counts_what_the_data_hold():
    events = [list("abcdefgh"[: k % 8 + 1]) for k in range(500)]
    limit = 500 * (24 + 150) + 72 * sum(map(len, events)) + 60_000
    model = thresher.SequenceRegressor(alpha=0.3, max_length=2, memory_limit=limit)
    y = RNG.normal(size=500)
    with pytest.raises(MemoryError, match=rf"^memory_limit: {limit} bytes do not hold 500") as error:
        model.fit(events, y)
    model.set_params(memory_limit=max(int(number) for number in re.findall(r"\d+", str(error.value))))
    model.fit(events, y)


def test_one_message_says_what_a_file_needs(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"x": np.arange(2_000.0) % 7, "y": np.arange(2_000.0)}), path)

    def fit(limit):
        return RuleRegressor(n_alphas=2, max_features=1, memory_limit=limit).fit(path, "y")

    fit(needed(lambda: fit(1000)) + 3_000)  # the distinct values
