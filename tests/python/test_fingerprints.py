"""Fingerprints of data: those of the content, wherever and however it lies in memory."""

import copy
import datetime as dt
import io
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from thresher import RuleClassifier, fit_many, sequences_from_table
from thresher.model_io.fingerprint import of_data, of_parameters

N = 24
RNG = np.random.default_rng(0)
TEXTS = np.array(["red", "green", "blu\u00e9"])[np.arange(N) % 3]


def holed(values, dtype):
    values = pd.array(values, dtype=dtype)
    values[::5] = pd.NA
    return values


COLUMNS = {
    "float": RNG.normal(size=N),
    "float with NaN": np.where(np.arange(N) % 4 == 0, np.nan, RNG.normal(size=N)),
    "float32": RNG.normal(size=N).astype(np.float32),
    "int": np.arange(N),
    "int8": np.arange(N, dtype=np.int8),
    "bool": np.arange(N) % 2 == 0,
    "Int64": holed(np.arange(N), "Int64"),
    "Float64": holed(RNG.normal(size=N), "Float64"),
    "boolean": holed(np.arange(N) % 2 == 0, "boolean"),
    "str": pd.Series(TEXTS, dtype="str"),
    "str with NaN": pd.Series(TEXTS, dtype="str").where(np.arange(N) % 5 > 0),
    "string": holed(TEXTS, "string"),
    "object": pd.Series(TEXTS, dtype=object).where(np.arange(N) % 5 > 0, None),
    "category": pd.Categorical(TEXTS, categories=["blu\u00e9", "red", "green", "none"]),
    "ordered": pd.Categorical(TEXTS, categories=["blu\u00e9", "red", "green", "none"], ordered=True),
    "category of numbers": pd.Categorical(np.arange(N) % 3),
    "dates": pd.date_range("2026-01-01", periods=N, freq="h"),
    "dates with a zone": pd.date_range("2026-01-01", periods=N, freq="h", tz="Europe/Berlin"),
    "durations": pd.to_timedelta(np.arange(N), unit="s"),
    "arrow": pd.array([*range(N - 1), None], dtype="int64[pyarrow]"),
}
FRAMES = {**{name: pd.DataFrame({name: values}) for name, values in COLUMNS.items()}}
FRAMES["all"] = pd.DataFrame(COLUMNS)


def by_parquet(frame):
    file = io.BytesIO()
    frame.to_parquet(file)
    file.seek(0)
    return pd.read_parquet(file)


WAYS = {
    "copy": lambda frame: frame.copy(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda frame: pickle.loads(pickle.dumps(frame)),
    "rows of a longer one": lambda frame: pd.concat([frame, frame], ignore_index=True).iloc[:N],
    "mask": lambda frame: pd.concat([frame, frame], ignore_index=True)[np.arange(2 * N) >= N],
    "groupby": lambda frame: dict(list(frame.assign(of=1).groupby("of")))[1].drop(columns="of"),
    "halves": lambda frame: pd.concat([frame[:7], frame[7:]]),
    "columns": lambda frame: frame.assign(more=1.0)[list(frame.columns)],
    "one by one": lambda frame: pd.DataFrame({name: frame[name].copy() for name in frame}),
    "every second": lambda frame: frame.loc[frame.index.repeat(2)].iloc[::2],
    "another index": lambda frame: frame.set_axis([f"r{k}" for k in range(len(frame))]),
    "parquet": by_parquet,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FRAMES)
def test_ways_to_the_same_frame_of_pandas(name, way):
    frame = FRAMES[name]
    if way == "parquet":  # which does not know them
        frame = frame.drop(columns="category of numbers", errors="ignore")
        if frame.shape[1] == 0:
            return
    before = of_data(frame)
    assert of_data(WAYS[way](frame)) == before
    assert of_data(frame) == before
    if name in frame:
        assert of_data(WAYS[way](frame)[name]) == of_data(frame[name])


@pytest.mark.parametrize("name", COLUMNS)
def test_every_changed_cell_is_noticed(name):
    frame, seen = FRAMES[name], set()
    for row in range(N):
        cells = frame[name].to_list()
        cells[row] = next(cell for cell in cells[row + 1 :] + cells[:row] if not _same(cell, cells[row]))
        changed = frame.assign(**{name: pd.Series(cells, dtype=frame[name].dtype)})
        seen.add(of_data(changed))
        gone = frame.copy()
        if not pd.isna(frame[name].iloc[row]) and name not in ("int", "int8", "bool"):
            gone.loc[row, name] = None
            seen.add(of_data(gone))
    n_missing = int(frame[name].isna().sum())
    expected = N if name in ("int", "int8", "bool") else 2 * N - n_missing
    assert of_data(frame) not in seen
    assert len(seen) >= expected - n_missing  # a cell may get the value missing in both ways


def _same(one, other):
    return (pd.isna(one) and pd.isna(other)) or (not pd.isna(one) and not pd.isna(other) and one == other)


def test_names_kinds_order_and_levels_count():
    frame = pd.DataFrame({"a": [1, 2], "b": [1, 2]})
    others = [
        frame, frame.rename(columns={"b": "c"}), frame[["b", "a"]], frame.astype(float), frame.astype(str),
        frame.astype("category"), frame.astype("int32"), frame.astype(bool), frame[:1], frame[[]],
        frame.set_axis([0, 1], axis=1), frame.to_numpy(), frame.to_numpy().tolist(), frame["a"],
        frame["a"].rename(None), frame.assign(a=pd.Categorical([1, 2], categories=[2, 1])),
        frame.assign(a=pd.to_datetime([1, 2])), frame.assign(a=pd.to_datetime([1, 2]).tz_localize("UTC")),
    ]  # fmt: skip
    assert len(set(map(of_data, others))) == len(others)


def test_frames_of_polars_and_pyarrow():
    frame = pl.DataFrame(
        {"a": [1.5, None, 2.5], "b": ["x", None, "y"], "c": [1, 2, None], "d": [[1], [], None]}
    )
    halves = pl.concat([frame[:1], frame[1:]], rechunk=False)
    assert (
        of_data(frame) == of_data(halves) == of_data(frame.clone()) == of_data(pl.concat([frame, frame])[3:])
    )
    file = io.BytesIO()
    frame.write_parquet(file)
    file.seek(0)
    assert of_data(pl.read_parquet(file)) == of_data(frame)
    table = frame.to_arrow()
    chunked = pa.concat_tables([table.slice(0, 2), table.slice(2)])
    assert chunked["a"].num_chunks == 2
    assert of_data(table) == of_data(chunked) == of_data(table.combine_chunks())
    file = io.BytesIO()
    pq.write_table(table, file)
    file.seek(0)
    assert of_data(pq.read_table(file)) == of_data(table)
    [batch] = table.combine_chunks().to_batches()
    assert of_data(batch) == of_data(table)
    for name in table.column_names:
        whole = table[name].combine_chunks()
        chunk = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
        assert of_data(chunk) == of_data(chunked[name])
    categories = pl.DataFrame({"a": pl.Series(["x", "y", "x"], dtype=pl.Categorical)})
    assert of_data(categories) == of_data(pl.concat([categories[:1], categories[1:]]))
    assert of_data(frame) != of_data(frame.with_columns(pl.col("a").fill_null(0.0)))


def test_arrays():
    X = RNG.normal(size=(12, 4))
    same = [X.copy(), np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X.astype(X.dtype.newbyteorder()),
            np.hstack([X, X])[:, :4]]  # fmt: skip
    assert {of_data(other) for other in same} == {of_data(X)}
    holed = X.copy()
    holed[3, 1] = np.nan
    negative = holed.copy()
    negative[3, 1] = -np.nan
    assert of_data(holed) == of_data(negative) != of_data(X)
    others = [X, X.astype(np.float32), X.reshape(4, 12), X.ravel(), X[:, None], holed, X.tolist()]
    assert len(set(map(of_data, others))) == len(others)
    texts = np.array(["a", "bb", "c"])
    assert of_data(texts[::2]) == of_data(np.array(["a", "c"]))
    assert of_data(texts) != of_data(texts.astype(object))
    hidden = np.ma.masked_array([1.0, 2.0], [False, True])
    assert of_data(hidden) == of_data(np.ma.masked_array([1.0, 9.0], [False, True])) != of_data(hidden.data)
    dates = np.array(["2026-01-01", "NaT"], dtype="datetime64[D]")
    assert of_data(dates) == of_data(dates.copy()) != of_data(dates.astype("datetime64[s]"))


def test_sparse_matrices():
    X = sp.random(20, 30, 0.2, random_state=0, format="csr")
    before = X.indices.copy()
    unsorted = sp.csr_matrix((X.data[::-1], X.indices[::-1], X.indptr), shape=X.shape)[:0]
    same = [X.copy(), X.tocsc(), X.tocoo(), sp.csr_array(X), sp.vstack([X, X]).tocsr()[:20], X.tolil()]
    assert {of_data(other) for other in same} == {of_data(X)}
    assert of_data(unsorted) != of_data(X)
    changed = X.copy()
    changed.data[-1] += 1e-12
    assert of_data(changed) != of_data(X)
    assert of_data(X.astype(np.float32)) != of_data(X)
    np.testing.assert_array_equal(X.indices, before)


def test_records():
    one = ["a", "b"]
    assert of_data([one] * 3) == of_data([["a", "b"] for _ in range(3)])
    assert of_data([[("a", 1)] * 2]) == of_data([[("a", 1), ("a", 1)]])
    assert of_data([{"a": 1, "b": 2}]) == of_data([{"b": 2, "a": 1}])
    assert of_data([np.str_("a"), np.float64(1.5)]) == of_data(["a", 1.5])
    others = [
        [["a", "b"]], [["a"], ["b"]], [["a, b"]], [["a', 'b"]], [["b", "a"]], [{"a", "b"}], [("a", "b")],
        [["a", {"b"}]], [[["a"], "b"]], ["ab"], [b"ab"], [1], [1.0], [True], ["1"], [None], [[]], [],
        [{"a": 1}], [{"a": 2}], [dt.date(2026, 1, 1)], [dt.datetime(2026, 1, 1)], [Decimal("1.0")],
        [Decimal("1.00")], [2**70], [1j],
    ]  # fmt: skip
    assert len(set(map(of_data, others))) == len(others)
    table = pd.DataFrame({"who": [1, 1, 2], "event": list("aba"), "when": [1, 2, 3]})
    made = [sequences_from_table(table, record="who", event="event", time="when") for _ in range(2)]
    assert of_data(made[0]) == of_data(made[1])
    arrow = pa.array([["a"], ["b", "c"]])
    assert of_data(arrow) == of_data(pa.chunked_array([arrow[:1], arrow[1:]]))


def test_parameters():
    one, twice = [0, 1], {"bins": {"a": [1.0, 2.0], "b": 3}, "cst": [[0, 1], [0, 1]]}
    assert of_parameters({**twice, "cst": [one, one]}) == of_parameters(twice)
    assert of_parameters({"a": (1,)}) != of_parameters({"a": [1]})


def test_objects_of_others_by_their_pickle():
    index = pd.Index(["a", "b"])
    assert of_data(index) == of_data(index.copy()) != of_data(pd.Index(["a", "c"]))
    assert of_data(pd.array([1, None], dtype="Int64")) == of_data(pd.array([1, None], dtype="Int64"))
    frame = pd.DataFrame([[1, 2]], columns=["a", "a"])
    assert of_data(frame) == of_data(frame)
    itself = []
    itself.append(itself)
    with pytest.raises(TypeError, match="no fingerprint"):
        of_data(itself)


@pytest.mark.filterwarnings("ignore:.*ordered categories")
def test_a_batch_is_found_again(tmp_path):
    """All segments of a frame that was read again."""
    frame = FRAMES["all"].drop(
        columns=[name for name in COLUMNS if name.startswith(("dates", "dur")) or "of n" in name]
    )
    frame = pd.concat([frame] * 4, ignore_index=True).assign(segment=np.repeat(["s", "t"], 2 * N))
    y = pd.Series(np.arange(4 * N) % 3 == 0, name="y")
    model = RuleClassifier(alpha=0.05, max_features=1, bins=3, handle_unknown="missing")

    def tasks(frame):
        return [(part.drop(columns="segment"), y[part.index]) for _, part in frame.groupby("segment")]

    first = fit_many(model, tasks(frame), checkpoint=tmp_path)
    stamps = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    again = fit_many(model, tasks(by_parquet(frame)), checkpoint=tmp_path)
    assert [one.to_json() for one in first] == [one.to_json() for one in again]
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == stamps
    other = frame.copy()
    other.loc[5, "Int64"] = 99
    with pytest.raises(ValueError, match="task 0 with other data"):
        fit_many(model, tasks(other), checkpoint=tmp_path)
