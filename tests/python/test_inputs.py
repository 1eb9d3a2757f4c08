"""Tables of every kind become the same columns, and truth values the same column in every spelling."""

import itertools
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from thresher import (
    FactorizationMachineClassifier,
    HierarchicalRuleClassifier,
    ItemsetRegressor,
    L0AdditiveClassifier,
    L0AdditiveRegressor,
    L0Classifier,
    L0Regressor,
    RuleClassifier,
    RuleRegressor,
    examine,
    load_model,
)
from thresher.cli import commands as cli
from thresher.data.categories import distinct_cells, to_categorical
from thresher.data.columns import same_truth, truth_of
from thresher.data.frames import Columns, named_column, select_known
from thresher.data.inputs import read, read_like
from thresher.data.schema import Schema
from thresher.data.table_files import read_table
from thresher.formatting.numbers import format_count

NUMBERS = np.array([[1.0, 2.0], [np.nan, 4.0], [5.0, 6.0]])


def codes(table, column):
    found, levels = table.columns[column]
    return [None if code < 0 else levels[code] for code in found.tolist()]


@pytest.mark.parametrize(
    "X",
    [
        NUMBERS,
        np.asfortranarray(NUMBERS),
        NUMBERS.astype(np.float32),
        NUMBERS.astype(object),
        np.ma.masked_array(np.where(np.isnan(NUMBERS), -999.0, NUMBERS), mask=np.isnan(NUMBERS)),
        np.ma.masked_array(np.where(np.isnan(NUMBERS), -999, NUMBERS).astype(int), mask=np.isnan(NUMBERS)),
        [[1.0, 2.0], [None, 4.0], [5.0, 6.0]],
        pd.DataFrame(NUMBERS, columns=["a", "b"]),
        pd.DataFrame({"a": pd.array([1, None, 5], dtype="Int64"), "b": [2, 4, 6]}),
        pd.DataFrame({"a": pd.array([1.0, None, 5.0], dtype="Float32"), "b": [2, 4, 6]}),
        pd.DataFrame({"a": [1, pd.NA, 5], "b": [2, 4, 6]}, dtype=object),
        pl.DataFrame({"a": [1, None, 5], "b": [2, 4, 6]}),
        pl.DataFrame({"a": [1.0, float("nan"), 5.0], "b": [2, 4, 6]}),
        pa.table({"a": [1, None, 5], "b": [2, 4, 6]}),
    ],
    ids=[
        "array",
        "Fortran order",
        "float32",
        "objects",
        "masked",
        "masked integers",
        "nested lists",
        "pandas",
        "pandas Int64",
        "pandas Float32",
        "pandas objects",
        "polars",
        "polars NaN",
        "pyarrow",
    ],
)
def test_numbers_of_every_kind(X):
    table = read(X)
    np.testing.assert_array_equal(np.column_stack(table.columns), NUMBERS)
    assert all(column.dtype == np.float64 and column.flags.aligned for column in table.columns)


def test_masked_cells_are_missing():
    cells = np.ma.masked_array([["a"], ["?"], ["b"]], mask=[[False], [True], [False]])
    table = read(cells)
    assert codes(table, 0) == ["a", None, "b"]
    masked = np.ma.masked_array(np.nan_to_num(NUMBERS, nan=-999.0), mask=np.isnan(NUMBERS))
    model = RuleRegressor(alpha=0.01).fit(masked, [1.0, 2.0, 3.0])
    assert model.predict(masked).tolist() == model.predict(NUMBERS).tolist()
    with pytest.raises(ValueError, match=r"NaN.*row 1"):
        ItemsetRegressor(alpha=0.1).fit(masked, [1.0, 2.0, 3.0])
    assert masked.data[1, 0] == -999.0


@pytest.mark.parametrize("estimator", [RuleRegressor, L0AdditiveClassifier, L0Regressor])
def test_masked_targets_and_weights_are_refused(estimator):
    X, mask = np.arange(8.0)[:, None], np.arange(8) == 3
    y, ones = np.tile([0, 1], 4), np.ones(8)
    with pytest.raises(ValueError, match=r"Input y contains NaN.*row 3"):
        estimator().fit(X, np.ma.masked_array(y, mask=mask))
    with pytest.raises(ValueError, match="sample_weight is nan in row 3"):
        estimator().fit(X, y, np.ma.masked_array(ones, mask=mask))
    with pytest.raises(ValueError, match="no group in row 3"):
        estimator().fit(X, y, groups=np.ma.masked_array(y, mask=mask))
    nothing = np.zeros(8, dtype=bool)
    model = estimator().fit(X, np.ma.masked_array(y, nothing), np.ma.masked_array(ones, nothing))
    with pytest.raises(ValueError, match="Input y contains NaN"):
        model.score(X, np.ma.masked_array(y, mask=mask))


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_sparse_zeros_are_zeros(make):
    table = read(make(np.array([[0.0, 1.0], [2.0, 0.0]])))
    np.testing.assert_array_equal(np.column_stack(table.columns), [[0, 1], [2, 0]])


@pytest.mark.filterwarnings("ignore:ordered categories")
@pytest.mark.parametrize(
    ("column", "levels"),
    [
        (pd.Series(["u", "v", None]), ["u", "v"]),
        (pd.Series(["u", "v", None], dtype="string"), ["u", "v"]),
        (pd.Series(["u", "v", None], dtype="category"), ["u", "v"]),
        (pd.Series(pd.Categorical(["u", "v", None], categories=["v", "u"])), ["v", "u"]),
        (pd.Series([True, False, None], dtype="boolean"), [False, True]),
        (pd.Series([True, False, None], dtype=object), [False, True]),
        (pl.Series(["u", "v", None]), ["u", "v"]),
        (pl.Series(["u", "v", None], dtype=pl.Categorical), ["u", "v"]),
        (pl.Series(["u", "v", None], dtype=pl.Enum(["v", "u"])), ["v", "u"]),
        (pl.Series([True, False, None]), [False, True]),
    ],
    ids=[
        "pandas text",
        "pandas string",
        "pandas category",
        "pandas ordered category",
        "pandas boolean",
        "pandas objects",
        "polars text",
        "polars Categorical",
        "polars Enum",
        "polars boolean",
    ],
)
def test_categories_of_every_kind(column, levels):
    frame = pd.DataFrame({"c": column}) if isinstance(column, pd.Series) else pl.DataFrame({"c": column})
    table = read(frame)
    assert table.columns[0][1] == levels
    assert codes(table, 0) == [column[0], column[1], None]


@pytest.mark.parametrize("library", ["pandas", "polars", "batches", "pyarrow"])
def test_an_order_of_categories_that_is_not_used_is_told(library):
    answers = ["disagree", "neutral", "agree"] * 10
    order = ["disagree", "neutral", "agree"]
    X = pl.DataFrame({"q1": answers, "q2": answers, "x": range(30)}, schema_overrides={"q1": pl.Enum(order)})
    if library in ("pandas", "pyarrow"):
        X = X.to_pandas().assign(q1=pd.Categorical(answers, order, ordered=True))
    if library == "pyarrow":
        X = pa.Table.from_pandas(X)
    assert [own.column for own in examine(X).findings if "ordered categories" in own.found] == ["q1"]
    told = "ordered categories: the order of 'q1' is not used.*give the codes as numbers"
    y = np.arange(30.0)
    for categorical, is_told in (("from_dtype", True), (["q1", "q2"], False)):
        model = RuleRegressor(alpha=0.5, categorical_features=categorical)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            if library == "batches":
                model.fit([X.with_columns(y=y)], "y")
            else:
                model.fit(X, y)
        assert [bool(re.match(told, str(each.message))) for each in found] == [True] * is_told


@pytest.mark.parametrize(("cell", "part"), [([1, 2], "entry"), ({"a": 1}, "field")])
def test_columns_of_lists_and_of_structs_are_refused_with_advice(cell, part):
    with pytest.raises(TypeError, match=f"make a column of each {part} that matters, or leave it out"):
        read(pl.DataFrame({"x": [cell, cell], "y": [1, 2]}))


def test_numbers_named_as_categories():
    X = np.array([[3.0, 1.5], [1.0, 2.5], [np.nan, 1.5]])
    for chosen in ([0], [True, False], np.array([True, False]), [-2]):
        table = read(X, categorical=chosen)
        assert codes(table, 0) == [3, 1, None]
        assert table.columns[0][1] == [1, 3]
        assert isinstance(table.columns[1], np.ndarray)
    frame = pd.DataFrame(X, columns=["code", "x"])
    assert codes(read(frame, categorical=["code"]), 0) == [3, 1, None]


def test_text_array_and_nested_lists():
    assert codes(read(np.array([["a", "b"], ["c", "d"]])), 1) == ["b", "d"]
    table = read([["a", 1.5], ["b", None]])
    assert codes(table, 0) == ["a", "b"]
    np.testing.assert_array_equal(table.columns[1], [1.5, np.nan])


def test_names_are_kept_and_made():
    assert read(NUMBERS).names == ["x0", "x1"]
    assert read(pd.DataFrame(NUMBERS)).feature_names is None
    assert read(pd.DataFrame(NUMBERS, columns=["a b", "ω"])).names == ["a b", "ω"]


def test_equal_values_are_one_level_at_predict_time():
    schema = Schema(["c"], [[False, True]], named=False)
    table = read_like(np.array([[1.0], [0.0], [np.nan]]), schema, "Model")
    assert codes(table, 0) == [True, False, None]
    assert table.columns[0][1] == [False, True]


def test_unknown_levels_follow_the_known_ones():
    found, levels = to_categorical(
        distinct_cells([np.array(["z", "b", "a"], dtype=object)], "c"), "c", ["b", "z"]
    )
    assert levels == ["b", "z", "a"]
    assert found.tolist() == [1, 0, 2]


def test_polars_and_pandas_give_the_same_model():
    rng = np.random.default_rng(0)
    data = {"a": rng.normal(size=60), "c": rng.choice(["u", "v", "w"], 60)}
    y = (data["a"] > 0) + 2.0 * (data["c"] == "v")
    models = [RuleRegressor(alpha=0.05).fit(make(data), y) for make in (pd.DataFrame, pl.DataFrame, pa.table)]
    texts = [model.to_json() for model in models]
    strip = [text.split('"outputs"')[1].split('"seconds"')[0] for text in texts]
    assert strip[0] == strip[1] == strip[2]
    np.testing.assert_array_equal(
        models[0].predict(pl.DataFrame(data)), models[1].predict(pd.DataFrame(data))
    )


def test_missing_values_are_silent_in_linear_terms_and_intervals():
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    x[::8] = np.nan
    y = np.where(np.isnan(x), 3.0, np.where(x > 0, 1.0, 0.0))
    model = RuleRegressor(alpha=0.01, linear=False).fit(x[:, None], y)
    found = model.predict([[np.nan], [1.0], [-1.0]])
    assert found[0] > 2.5
    assert abs(found[1] - 1) < 0.3
    assert abs(found[2]) < 0.3


def test_unused_columns_may_hold_unknown_categories():
    frame = pd.DataFrame({"x": np.arange(40.0), "c": ["u", "v"] * 20})
    model = RuleRegressor(alpha=0.1).fit(frame, np.arange(40.0) > 20)
    assert model.predict(pd.DataFrame({"x": [3.0], "c": ["new"]})).shape == (1,)


def test_count_writes_large_numbers():
    assert format_count(102_033_445_566) == "102,033,445,566"
    assert format_count(10**400) == "1.0e+400"
    assert [format_count(n) for n in (10**40 - 1, 199 * 10**38)] == ["1.0e+40", "2.0e+40"]


def test_object_labels_and_nullable_targets():
    X = np.arange(20.0)[:, None]
    labels = pd.Series(["a"] * 10 + ["b"] * 10, dtype="string")
    assert RuleClassifier(alpha=0.01).fit(X, labels).predict(X[:1]).tolist() == ["a"]
    numbers = pd.Series(range(20), dtype="Int64")
    assert RuleRegressor(alpha=0.01).fit(X, numbers).predict(X[:1]).dtype == np.float64
    truths = pd.Series([True] * 10 + [False] * 10)
    assert RuleClassifier(alpha=0.01).fit(X, truths).classes_.dtype == bool


N = 160


def members():
    rng = np.random.default_rng(3)
    found = pd.DataFrame({"member": rng.random(N) < 0.4, "age": rng.integers(20, 80, N)})
    chance = 1 / (1 + np.exp(-(3.0 * found["member"] + 0.05 * (found["age"] - 50) - 1)))
    return found.assign(ill=np.where(rng.random(N) < chance, "yes", "no"))


def as_written(kind, member):
    return {
        "truth": member,
        "int": member.astype(int),
        "python": member.astype(str),
        "lower": member.astype(str).str.lower(),
        "upper": member.astype(str).str.upper(),
    }[kind]


MODELS = [
    RuleClassifier(alpha=0.02),
    L0AdditiveClassifier(max_steps=4),
    HierarchicalRuleClassifier(alpha=0.01, tol=1e-3),
    FactorizationMachineClassifier(max_iter=20),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("written", ["int", "python", "lower", "upper"])
def test_a_column_of_truth_values_takes_its_text(model, written):
    data = members()
    X = data[["member", "age"]]
    model.fit(X, data["ill"])
    other = X.assign(member=as_written(written, X["member"]))
    assert (model.decision_function(other) == model.decision_function(X)).all()


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("written", ["python", "lower", "upper"])
def test_a_column_of_their_text_takes_truth_values(model, written):
    data = members()
    X = data[["member", "age"]].assign(member=as_written(written, data["member"]))
    model.fit(X, data["ill"])
    other = X.assign(member=data["member"])
    assert (model.decision_function(other) == model.decision_function(X)).all()


def test_levels_agree_with_the_obvious_twin():
    """Every mix of cells and levels, against one comparison for each pair."""
    cells = [True, False, "true", "False", "TRUE", "maybe", 1, 0, None]
    for levels in ([False, True], ["False", "True"], ["false", "maybe"], [0, 1], ["TRUE", "true"]):
        for chosen in itertools.product(cells, repeat=2):
            if chosen[0] == chosen[1] and type(chosen[0]) is not type(chosen[1]):
                continue  # 1 and True in one column are one value, the first
            cells_of_both = distinct_cells([np.asarray([*chosen], dtype=object)], "c")
            codes, known = to_categorical(cells_of_both, "c", levels)
            assert known[: len(levels)] == levels
            for cell, code in zip(chosen, codes.tolist(), strict=True):
                if cell is None:
                    assert code == -1
                    continue
                equal = [k for k, level in enumerate(levels) if level == cell]
                said = [
                    k
                    for k, level in enumerate(levels)
                    if truth_of(level) is not None
                    and truth_of(level) is truth_of(cell)
                    and isinstance(level, str) != isinstance(cell, str)
                ]
                expected = (equal or said or [None])[0]
                assert code == expected if expected is not None else code >= len(levels)


def test_no_truth():
    assert same_truth("yes", [False, True]) is None
    assert same_truth(1.0, ["True"]) is None
    assert same_truth(True, []) is None


def write(data, folder):
    data.to_csv(folder / "d.csv", index=False)
    data.to_parquet(folder / "d.parquet")


@pytest.mark.parametrize("first", ["d.csv", "d.parquet"])
@pytest.mark.parametrize("kind", ["rules", "additive", "l0", "hierarchy", "fm"])
def test_csv_and_parquet_are_one(tmp_path, monkeypatch, capsys, first, kind):
    monkeypatch.chdir(tmp_path)
    write(members(), tmp_path)
    limit = ["--time-limit", "5"] if kind != "fm" else ["--max-iter", "20"]
    assert cli.main(["fit", first, "-t", "ill", "-o", "m.json", "--model", kind, *limit]) == 0
    outputs = []
    for name in ("d.csv", "d.parquet"):
        assert cli.main(["predict", "m.json", name, "-o", f"{name}.out.csv"]) == 0, capsys.readouterr().err
        outputs.append(pd.read_csv(f"{name}.out.csv"))
    pd.testing.assert_frame_equal(*outputs)
    if kind in ("rules", "hierarchy"):
        assert cli.main(["verify", "m.json", "d.csv" if first == "d.parquet" else "d.parquet"]) == 0


def test_a_target_of_truth_values(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data = members()
    data["ill"] = data["ill"] == "yes"
    write(data, tmp_path)
    X = data[["member", "age"]]
    for y in (data["ill"], data["ill"].astype(str)):
        RuleClassifier(alpha=0.02).fit(X, y).to_json("m.json")
        for name in ("d.csv", "d.parquet"):
            assert cli.main(["verify", "m.json", name, "-t", "ill"]) == 0, capsys.readouterr().err
    assert cli.main(["fit", "d.csv", "-t", "ill", "-o", "m.json", "--alpha", "0.02"]) == 0
    assert load_model("m.json").classes_.tolist() == [False, True]


def test_a_linear_model_takes_truth_values_from_a_file(tmp_path):
    data = members()
    data.to_csv(tmp_path / "d.csv", index=False)
    X = data[["member", "age"]]
    model = L0Classifier(lambda0=1.0).fit(X, data["ill"])
    read = read_table(tmp_path / "d.csv").drop(["ill"])
    assert (model.decision_function(read) == model.decision_function(X)).all()


def test_prices_in_either_spelling():
    data = members()
    model = RuleClassifier(alpha=0.02).fit(data[["member", "age"]], data["ill"])
    texts = {model.price(f"member = {word}").term.text for word in ("true", "True", "TRUE")}
    assert texts == {"member = True"}


HALF = "caf\ud800"


@pytest.mark.parametrize(
    ("estimator", "X", "y", "where"),
    [
        (
            RuleRegressor(),
            Columns(["town"], [np.array([HALF, "b"] * 10, dtype=object)]),
            None,
            "column 'town'",
        ),
        (RuleRegressor(), Columns([HALF], [np.arange(20.0)]), None, "the name of a column"),
        (
            ItemsetRegressor(),
            pd.DataFrame(np.eye(20, 2), columns=pd.Index([HALF, "b"], dtype=object)),
            None,
            "the name of a column",
        ),
        (RuleClassifier(), np.ones((20, 1)), np.array([HALF, "b"] * 10, dtype=object), "y holds"),
        (ItemsetRegressor(), [[HALF, "b"], ["b"]] * 10, None, "X holds"),
    ],
    ids=["category", "name", "name of an item's column", "label", "item"],
)
def test_an_unpaired_surrogate_is_refused(estimator, X, y, where):
    with pytest.raises(ValueError, match=f"^{where}.*unpaired surrogate"):
        estimator.fit(X, np.arange(20.0) if y is None else y)


def test_intervals_are_refused_with_advice_that_works():
    x = pd.Series([0.0, 1.0, 2.0, np.nan] * 20)
    y = (x > 1).to_numpy().astype(float)
    binned = pd.cut(x, 2)
    for column in (binned, binned.astype(object)):
        with pytest.raises(TypeError, match=r"column 'x' holds Interval.* \.astype\(\"string\"\)") as error:
            L0AdditiveRegressor(lambda0=1.0).fit(pd.DataFrame({"x": column}), y)
        assert "the numbers that were cut, with the edges in bins=[[...]], or the codes" in str(error.value)
        assert "column.cat.codes.where(column.notna())" in str(error.value)
    for bands in (binned.astype("string"), binned.cat.codes.where(binned.notna())):
        model = L0AdditiveRegressor(lambda0=1.0).fit(pd.DataFrame({"x": bands}), y)
        assert model.n_nonzero_ == 1


@pytest.mark.parametrize("in_batches", [False, True])
def test_text_that_categorical_features_does_not_list_is_named(in_batches):
    X = pd.DataFrame({"code": [1, 2, 3] * 10, "town": ["a", "b", "c"] * 10})
    y = np.arange(30.0)
    data = ([X.assign(y=y)], "y") if in_batches else (X, y)
    with pytest.raises(TypeError, match=r"'town' must be numeric.* categorical_features does not list: add"):
        RuleRegressor(alpha=0.1, categorical_features=["code"]).fit(*data)
    model = RuleRegressor(alpha=0.1).fit(*data)
    new = X.assign(code="x")
    with pytest.raises(
        TypeError, match="in row 0; the model was trained with numbers: turn it into a number"
    ):
        model.predict([new] if in_batches else new)
    with pytest.raises(TypeError, match="in row 0; turn it into numbers or leave it out"):
        L0Regressor().fit(X, y)


def test_columns_of_a_frame_with_numbers_as_names_are_found():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=[2020, 2021])
    assert named_column(X, "2021", "y").equals(X[2021])
    assert list(select_known(X, ["2021", "1"]).columns) == ["2021"]
    with pytest.raises(ValueError, match="no column 2021; X has 2 columns; the one named 2021 is '2021'"):
        RuleRegressor(monotonic_cst={2021: 1}).fit(X, X[2021])
    with pytest.raises(ValueError, match="several columns whose names are 'a_b_c' as text"):
        read(X.set_axis(pd.MultiIndex.from_tuples([("a", "b_c"), ("a_b", "c")]), axis=1))


@pytest.mark.parametrize(
    "column",
    [
        np.array([2**63 + 1, 2**63 + 3] * 20, dtype=np.uint64),
        np.array([-(2**64), 5] * 20, dtype=object),
        pd.Categorical(np.array([2**63 + 1, 2**63 + 3] * 20, dtype=np.uint64)),
    ],
    ids=["uint64", "objects", "levels"],
)
def test_categories_of_more_than_64_bits_are_refused(column):
    frame = pd.DataFrame({"id": column})
    with pytest.raises(
        ValueError, match=r"'id' holds the category -?[0-9]*, an integer of more than 64 bits: conv"
    ):
        read(frame, categorical=["id"])
    assert len(read(frame.astype(str)).columns[0][1]) == 2


def test_labels_of_more_than_64_bits_are_refused():
    labels = np.array([2**63 + 1, 2**63 + 3] * 20, dtype=np.uint64)
    with pytest.raises(ValueError, match=r"y holds the label 92.*, an integer of more than 64 bits: convert"):
        RuleClassifier(alpha=0.1).fit(np.arange(40.0)[:, None], labels)
    RuleClassifier(alpha=0.1).fit(np.arange(40.0)[:, None], labels.astype(str))


def test_numbers_of_more_than_64_bits_are_advised_to_be_text():
    with pytest.warns(UserWarning, match="leave it out, or convert it to text; else"):
        read(pd.DataFrame({"id": np.array([2**63 + 1, 2**63 + 3], dtype=np.uint64)}))


@pytest.mark.parametrize("dtype", [pl.Int128, pl.UInt128])
def test_whole_numbers_of_128_bits_are_numbers_as_others(dtype):
    cells = [3, None, *range(38)]
    frames = [pl.DataFrame({"n": pl.Series(cells, dtype=each)}) for each in (dtype, pl.Int64)]
    wide, usual = (read(frame).columns[0] for frame in frames)
    np.testing.assert_array_equal(wide, usual)
    y = pl.Series(range(40), dtype=dtype)
    rules = [RuleRegressor(alpha=0.1).fit(frame, y).get_rules() for frame in frames]
    pd.testing.assert_frame_equal(*rules)
    labels = pl.Series([0, 1] * 20, dtype=dtype)
    assert RuleClassifier(alpha=0.1).fit(frames[0], labels).classes_.tolist() == [0, 1]


BEYOND = [2**60 + k for k in range(40)]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(BEYOND),
        pd.Series(BEYOND, dtype=object),
        pd.Series([None, *BEYOND[1:]], dtype="Int64"),
        pd.Series([-k for k in BEYOND], dtype="int64[pyarrow]"),
        pl.Series([*BEYOND[:-1], None]),
        pa.array(BEYOND, type=pa.uint64()),
    ],
    ids=["int64", "objects", "Int64", "pyarrow", "polars", "arrow"],
)
def test_rounded_whole_numbers_are_told(column):
    frame = {pd.Series: pd.DataFrame, pl.Series: pl.DataFrame}.get(type(column), pa.table)({"id": column})
    with pytest.warns(
        UserWarning, match="'id' holds whole numbers beyond 2\\^53, which are rounded: -?115"
    ) as told:
        read(frame)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read(frame, categorical=["id"]).columns[0][1]) >= 39
        read(pd.DataFrame({"exact": [2**60, 2**60 + 256], "measured": [1e20, 1e300]}))


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_rounded_whole_numbers_of_a_file_are_told(tmp_path, monkeypatch, capsys, suffix):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"id": BEYOND, "x": range(40), "big": 1e20, "y": [0.0, 1.0] * 20})
    getattr(frame, f"to_{suffix}")(f"t.{suffix}", index=False)
    fit = ["fit", f"t.{suffix}", "--target", "y", "--task", "regression", "--alpha", "0.1"]
    told = "column 'id' holds whole numbers beyond 2^53, which are rounded: 1152921504606846977 becomes"
    assert cli.main(fit) == 0
    error = capsys.readouterr().err
    assert error.count("which are rounded") == 1
    assert told in error
    assert "leave it out (--drop), or name it in --categorical;" in error
    assert cli.main([*fit, "--drop", "id"]) == 0
    assert "which are rounded" not in capsys.readouterr().err
