"""Folders whose files have a column of two types: one kind of cells, or an error that names two files."""

import datetime as dt
import decimal
import itertools

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from thresher import RuleRegressor

from .test_from_disk import document

N = 20
DAYS, TIMES = [dt.date(2024, 1, 1)] * N, [dt.datetime(2024, 1, 1)] * N
Y = np.arange(N) % 2 * 1.0


def two(first, second, dtype=None):
    return pa.array([first, second] * (N // 2), dtype)


NUMBERS = {
    "int8": two(1, 2, pa.int8()),
    "int64": two(1, 2**53 + 1, pa.int64()),
    "uint64": two(1, 2**63 + 5, pa.uint64()),
    "float16": pa.array(np.float16([1.5, 2.0] * (N // 2))),
    "float32": two(1.25, 2.0, pa.float32()),
    "float64": two(1.1, 2.0, pa.float64()),
    "decimal128": two(decimal.Decimal("1.50"), decimal.Decimal("2.00"), pa.decimal128(5, 2)),
    "decimal256": two(decimal.Decimal("1.5"), decimal.Decimal("2.0"), pa.decimal256(50, 1)),
    "numbers as categories": two(1, 2).dictionary_encode(),  # numbers in a Parquet file
}
TEXTS = {
    "string": two("a", "b"),
    "large_string": two("a", "b", pa.large_string()),
    "string_view": two("a", "b", pa.string_view()),
    "dictionary": two("a", "b").dictionary_encode(),
    "large dictionary": two("a", "b", pa.large_string()).dictionary_encode(),
    "ordered": pa.DictionaryArray.from_arrays(two(1, 0, pa.int8()), pa.array(["b", "a"]), ordered=True),
}
TRUTHS = {"bool": two(True, False)}
REFUSED = {
    "date32": pa.array(DAYS),
    "date64": pa.array(DAYS, pa.date64()),
    "timestamp": pa.array(TIMES, pa.timestamp("us")),
    "nanoseconds": pa.array(TIMES, pa.timestamp("ns")),
    "UTC": pa.array(TIMES, pa.timestamp("us", "UTC")),
    "Paris": pa.array(TIMES, pa.timestamp("us", "Europe/Paris")),
    "time": pa.array([dt.time(1)] * N),
    "duration": pa.array([dt.timedelta(1)] * N),
    "list": pa.array([[1]] * N),
    "struct": pa.array([{"a": 1}] * N),
    "binary": two(b"a", b"b"),
    "fixed": two(b"a", b"b", pa.binary(1)),
}
NOTHING = {"null": pa.nulls(N)}
TYPES = NUMBERS | TEXTS | TRUTHS | REFUSED | NOTHING
TOGETHER = [NUMBERS | NOTHING, TEXTS | NOTHING, TRUTHS | NOTHING]
FITS = RuleRegressor(alpha=0.01, max_features=1, n_jobs=1)


def files_of(folder, *names):
    tables = [pa.table({"t": TYPES[name], "x": Y, "y": Y}) for name in names]
    for k, table in enumerate(tables):
        pq.write_table(table, folder / f"{k}.parquet")
    return [pq.read_table(folder / f"{k}.parquet") for k in range(len(names))]


@pytest.mark.filterwarnings("ignore:ordered categories")
@pytest.mark.filterwarnings("ignore:column 't' holds whole numbers beyond 2")
@pytest.mark.parametrize("second", TYPES)
def test_every_pair_of_types(tmp_path, second):
    for first in TYPES:
        tables = files_of(tmp_path, first, second)
        if any(first in kinds and second in kinds for kinds in TOGETHER):
            expected = FITS.fit(tables, "y").predict(tables)
            np.testing.assert_array_equal(FITS.fit(tmp_path, "y").predict(tmp_path), expected)
            if first in NUMBERS and second in NUMBERS:
                in_memory = [np.asarray(table["t"].to_numpy(zero_copy_only=False), float) for table in tables]
                X = np.column_stack([np.concatenate(in_memory), np.tile(Y, 2)])
                np.testing.assert_array_equal(FITS.fit(X, np.tile(Y, 2)).predict(X), expected)
        else:
            with pytest.raises((ValueError, TypeError)) as refusal:
                RuleRegressor().fit(tmp_path, "y")
            own = type(refusal.value) is TypeError and {first, second} & set(REFUSED)
            said = "0.parquet", "1.parquet have columns of different types: 't' is "
            assert own or all(part in str(refusal.value) for part in said), (first, second)


def test_the_error_names_the_two_files_that_differ(tmp_path):
    files_of(tmp_path, "null", "int8", "float64", "string", "int8")
    with pytest.raises(
        ValueError, match=r"1.parquet and \S*3.parquet have .* 't' is int8 .* string in the sec"
    ):
        RuleRegressor().fit(tmp_path, "y")


def test_the_order_of_the_files_does_not_matter(tmp_path):
    found = []
    for k, names in enumerate(itertools.permutations(["dictionary", "ordered", "string", "null"])):
        folder = tmp_path / str(k)
        folder.mkdir()
        files_of(folder, *names)
        found.append(sorted(set(FITS.fit(folder, "y").predict(folder).tolist())))
    assert all(one == found[0] for one in found)


def test_targets_and_folders_of_several_types(tmp_path):
    columns = {"x": Y, "w": np.ones(N)}
    for k, y in enumerate(
        [pa.array(Y), pa.array([decimal.Decimal(int(v)) for v in Y]), pa.array(Y.astype(int))]
    ):
        (tmp_path / f"part={k}").mkdir()
        w = columns["w"] if k else pa.array(columns["w"].astype(int))
        pq.write_table(pa.table({"x": Y, "w": w, "y": y}), tmp_path / f"part={k}" / "0.parquet")
    model = FITS.fit(tmp_path, "y", "w")
    assert model.feature_names_in_.tolist() == ["x", "part"]
    frame = {"x": np.tile(Y, 3), "part": np.repeat([0, 1, 2], N)}
    expected = document(FITS.fit(pa.table(frame), np.tile(Y, 3), np.ones(3 * N)))
    assert document(FITS.fit(tmp_path, "y", "w")) == expected
