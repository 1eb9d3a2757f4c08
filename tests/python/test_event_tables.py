"""Sequences from a long table: order, sessions, alignment with targets, every frame, odd cells."""

import datetime as dt
import itertools
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.model_selection import GroupKFold, cross_val_score

from thresher import (
    EventSequences,
    GraphClassifier,
    GraphRegressor,
    ItemsetClassifier,
    ItemsetRegressor,
    SequenceClassifier,
    SequenceRegressor,
    sequences_from_table,
)

DAY = dt.datetime(2026, 3, 1, 9)


def minutes(*values):
    return [DAY + dt.timedelta(minutes=value) for value in values]


CLICKS = {
    "user": ["eve", "bob", "eve", "eve", "bob", "eve"],
    "page": ["pay", "home", "home", "help", "home", "exit"],
    "at": minutes(7, 1, 5, 90, 0, 90),
}
NAMES = {"record": "user", "event": "page", "time": "at"}
FRAMES = {
    "dict": lambda c: c,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "aware": lambda c: pd.DataFrame(c).assign(at=lambda d: d["at"].dt.tz_localize("Europe/Madrid")),
    "aware polars": lambda c: pl.DataFrame(c).with_columns(pl.col("at").dt.replace_time_zone("Asia/Tokyo")),
    "seconds": lambda c: pd.DataFrame(c).astype({"at": "datetime64[s]"}),
    "text": lambda c: pd.DataFrame(c).assign(at=lambda d: [t.isoformat() for t in d["at"]]),
    "day first": lambda c: pl.DataFrame(c | {"at": [f"{t:%d.%m.%Y} {t.hour}:{t:%M:%S}" for t in c["at"]]}),
    "text with zone": lambda c: pl.DataFrame(c | {"at": [f"{t.isoformat()}+02:00" for t in c["at"]]}),
    "categories": lambda c: pd.DataFrame(c).astype({"user": "category", "page": "category"}),
    "objects": lambda c: pd.DataFrame(c).astype({"at": object}),
    "arrays": lambda c: {k: np.asarray(v) for k, v in c.items()},
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize(
    "gap", ["30min", dt.timedelta(minutes=30), np.timedelta64(30, "m"), pd.Timedelta("30min")]
)
def test_every_frame_gives_the_same_sessions(frame, gap):
    made = sequences_from_table(frame(CLICKS), **NAMES, session_gap=gap)
    assert list(made) == [["home", "pay"], ["help", "exit"], ["home", "home"]]
    assert made.records == ["eve", "eve", "bob"]
    assert made.sessions == [0, 1, 0]
    assert len(made.starts) == 3


def test_events_in_the_order_of_time_then_of_rows():
    made = sequences_from_table(CLICKS, **NAMES)
    assert made.sequences == [["home", "pay", "help", "exit"], ["home", "home"]]
    together = sequences_from_table(CLICKS, **NAMES, same_time="set")
    assert together[0] == [{"home"}, {"pay"}, {"help", "exit"}]
    rows = sequences_from_table(CLICKS, record="user", event="page")
    assert rows.sequences == [["pay", "home", "help", "exit"], ["home", "home"]]
    assert rows.starts == [None, None]


def test_the_gap_is_the_longest_pause_within_a_session():
    clicks = {"u": [1] * 4, "e": list("abcd"), "t": [0.0, 30.0, 60.5, 61.0]}
    made = sequences_from_table(clicks, record="u", event="e", time="t", session_gap=30)
    assert made.sequences == [["a", "b"], ["c", "d"]]
    assert made.starts == [0.0, 60.5]
    each = sequences_from_table(clicks, record="u", event="e", time="t", session_gap=0)
    assert each.sequences == [["a"], ["b"], ["c"], ["d"]]
    whole = sequences_from_table(clicks, record="u", event="e", time="t", session_gap=float("inf"))
    assert len(whole) == 1
    marked = sequences_from_table(clicks, record="u", event="e", time="t", session_gap=30, gap_marker="|")
    assert marked.sequences == [["a", "b", "|", "c", "d"]]
    assert marked.sessions == [0]
    sets = sequences_from_table(
        {"u": [1, 1], "e": ["a", "b"], "t": [1, 1]}, record="u", event="e", time="t", same_time="set",
        session_gap=5, gap_marker="|",
    )  # fmt: skip
    assert sets.sequences == [[{"a", "b"}]]


def test_targets_by_record():
    made = sequences_from_table(CLICKS, **NAMES, session_gap="30min")
    assert made.align({"bob": 1, "eve": 2, "ann": 3}) == [2, 2, 1]
    assert made.align(pd.Series([1.0, 2.0], index=["bob", "eve"])) == [2.0, 2.0, 1.0]
    for bad, error, words in [
        ({"bob": 1}, ValueError, "none for 1 record: 'eve'; its keys are 'bob'"),
        (pd.Series([1, 2, 3], index=["bob", "eve", "eve"]), ValueError, "'eve' several times"),
        ([1, 2, 3], TypeError, "a dict of record"),
        (pl.Series([1, 2]), TypeError, "a dict of record"),
    ]:
        with pytest.raises(error, match=words):
            made.align(bad)


@pytest.mark.parametrize("form", [list, tuple, np.asarray, pd.Index, pd.Series, pl.Series, pa.array])
def test_records_that_are_wanted(form):
    made = sequences_from_table(CLICKS, **NAMES, records=form(["ann", "bob"]))
    assert made.sequences == [[], ["home", "home"]]
    assert made.records == ["ann", "bob"]
    assert made.starts[0] is None
    assert made.sessions == [0, 0]
    marked = sequences_from_table(CLICKS, **NAMES, records=form(["ann", "eve"]),
                                  session_gap="30min", gap_marker="|")  # fmt: skip
    assert marked.sequences == [[], ["home", "pay", "|", "help", "exit"]]


@pytest.mark.parametrize(
    ("change", "options", "error", "words"),
    [
        (
            {"user": ["eve", None, "eve", "eve", "bob", "eve"]},
            {},
            ValueError,
            "column 'user' has no value in row 1",
        ),
        (
            {"page": ["a", "b", float("nan"), "c", "d", "e"]},
            {},
            ValueError,
            "column 'page' has no value in row 2",
        ),
        ({"at": [*minutes(1, 2, 3, 4, 5), None]}, {}, ValueError, "column 'at' has no time in row 5"),
        ({"at": [1.0, float("nan"), 3, 4, 5, 6]}, {}, ValueError, "no time in row 1"),
        ({"at": [1.0, float("inf"), 3, 4, 5, 6]}, {}, ValueError, "an infinite time in row 1"),
        ({"at": ["yesterday"] * 6}, {}, ValueError, "'yesterday' in row 0, which is no date"),
        ({"at": [True] * 6}, {}, TypeError, "holds True in row 0"),
        ({"at": [Decimal(1)] * 6}, {}, TypeError, "in row 0; times are"),
        (
            {"at": ["2026-01-01", "2026-01-01T00:00+00:00", *["2026-01-01"] * 4]},
            {},
            ValueError,
            "with and without",
        ),
        ({"page": [["a"], "b", "c", "d", "e", "f"]}, {}, TypeError, "row 0 of the column 'page' holds"),
        ({}, {"record": "visitor"}, ValueError, "no column 'visitor'; its columns are 'user', 'page', 'at'"),
        ({}, {"session_gap": 30}, TypeError, "holds dates; give a timedelta"),
        ({}, {"session_gap": "30"}, ValueError, "a number and a unit"),
        ({}, {"session_gap": "1M"}, ValueError, "may mean months; write minutes as 1min"),
        (
            {"at": ["2026-01-01T00:00:00.1234567", *["1500-01-01"] * 5]},
            {},
            ValueError,
            "finer than a microsecond, and others before 1678",
        ),
        ({"at": [np.datetime64("NaT")] * 6}, {}, ValueError, "no time in row 0"),
        ({"at": [np.True_] * 6}, {}, TypeError, "holds"),
        ({}, {"session_gap": dt.timedelta(-1)}, ValueError, "not negative"),
        ({"at": range(6)}, {"session_gap": "30min"}, TypeError, "holds numbers; give a number"),
        (
            {"at": [*"123456"]},
            {"session_gap": "30min"},
            ValueError,
            "'1' as text in row 0; convert the",
        ),
        ({"at": range(6)}, {"session_gap": -1}, ValueError, "not negative"),
        ({"at": range(6)}, {"session_gap": float("nan")}, ValueError, "not negative"),
        ({"at": range(6)}, {"session_gap": True}, TypeError, "give a number"),
        ({}, {"time": None, "session_gap": "30min"}, ValueError, "session_gap: needs times"),
        ({}, {"time": None, "same_time": "set"}, ValueError, "same_time: needs times"),
        ({}, {"same_time": "both"}, ValueError, "same_time: got 'both'"),
        ({}, {"gap_marker": "|"}, ValueError, "gap_marker: marks"),
        ({}, {"gap_marker": "pay", "session_gap": "1h"}, ValueError, "'pay' is an event"),
        ({}, {"records": ["eve", "eve"]}, ValueError, "listed several times"),
        ({}, {"records": [1, 2]}, ValueError, "none of them is in the table"),
        (
            {"user": ["1", "1", "1", "02", "02", "3"]},
            {"records": ["1", 2, 3]},
            ValueError,
            r"records: 2 is not in the table, which has '02' \(and 1 more such record\); give the labels as",
        ),
    ],
)
def test_what_is_refused(change, options, error, words):
    with pytest.raises(error, match=words):
        sequences_from_table(CLICKS | change, **(NAMES | options))


@pytest.mark.parametrize(
    "times",
    [
        ["2026-01-01T00:00:00.123456789", "2026-01-01T00:00:00.123456788"],
        ["2026-01-01T00:00:00.1234568Z", "2026-01-01T01:00:00.1234567+01:00"],
        [pd.Timestamp(2026, 1, 1, nanosecond=5), "2026-01-01"],
        [np.datetime64("2026-01-01T00:00:00.000000005"), "2026-01-01"],
    ],
)
def test_events_are_sorted_by_nanoseconds(times):
    table = {"user": ["eve", "eve"], "page": ["second", "first"], "at": times}
    assert sequences_from_table(table, **NAMES)[0] == ["first", "second"]
    two = sequences_from_table(table, **NAMES, session_gap=dt.timedelta(0))
    assert list(two) == [["first"], ["second"]]


@pytest.mark.parametrize("table", [[1, 2], "clicks.csv", None, pd.Series([1])])
def test_what_is_no_table(table):
    with pytest.raises(TypeError, match="table: got"):
        sequences_from_table(table, **NAMES)


def test_tables_without_rows_and_of_one_row():
    for empty in (
        {"user": [], "page": [], "at": []},
        pl.DataFrame(schema={"user": str, "page": str, "at": pl.Int64}),
    ):
        made = sequences_from_table(empty, **NAMES)
        assert len(made) == 0
        assert sequences_from_table(empty, **NAMES, records=["a"]).sequences == [[]]
    one = sequences_from_table({"user": [3], "page": [7], "at": [1]}, **NAMES, session_gap=1)
    assert (one.sequences, one.records) == ([[7]], [3])


def test_exact_whole_numbers_and_columns_of_one_name():
    big = 2**62
    made = sequences_from_table(
        pl.DataFrame({"u": [1, 1, 1], "e": list("abc"), "t": [big + 2, big + 1, big]}),
        record="u",
        event="e",
        time="t",
    )
    assert made.sequences == [["c", "b", "a"]]
    same = sequences_from_table({"u": [1, 1, 1], "t": [2, 0, 1]}, record="u", event="t", time="t")
    assert same.sequences == [[0, 1, 2]]
    with pytest.raises(ValueError, match="event: got 'u', the column of records; name that of the events"):
        sequences_from_table({"u": [2, 1, 2]}, record="u", event="u")


@pytest.mark.parametrize("times", [[1.0, np.inf, 3.0], np.array([1, -np.inf, 3], dtype=object)])
def test_an_infinite_time_is_called_infinite(times):
    table = {"user": ["a", "a", "b"], "page": ["x", "y", "x"], "at": times}
    with pytest.raises(ValueError, match="column 'at' has an infinite time in row 1; leave out such rows"):
        sequences_from_table(table, **NAMES)


def test_from_table_to_model():
    rng = np.random.default_rng(0)
    users = np.repeat([f"u{k}" for k in range(60)], 5)
    clicks = pd.DataFrame(
        {"user": users, "page": rng.choice(["home", "cart", "pay"], 300), "at": rng.permutation(300)}
    )
    made = sequences_from_table(clicks, record="user", event="page", time="at")
    buys = pd.Series([row[-1] == "pay" or "pay" in row for row in made], index=made.records)
    y = made.align(buys)
    model = SequenceClassifier(alpha=0.01, max_length=1).fit(made, y)
    assert model.score(made, y) == 1.0
    scores = cross_val_score(model, made, y, groups=made.records, cv=GroupKFold(3))
    assert scores.min() == 1.0
    items = ItemsetRegressor(alpha=0.01).fit(made, np.asarray(y, dtype=float))
    assert items.patterns_[0].text == "pay"


def test_sequences_are_those_of_a_plain_loop():
    rng = np.random.default_rng(1)
    for _ in range(50):
        n = int(rng.integers(1, 40))
        table = {
            "u": rng.integers(0, 4, n).tolist(),
            "e": rng.integers(0, 5, n).tolist(),
            "t": rng.integers(0, 30, n).tolist(),
        }
        gap = int(rng.integers(0, 8))
        wanted = []
        for user in dict.fromkeys(table["u"]):
            rows = sorted((r for r in range(n) if table["u"][r] == user), key=lambda r: table["t"][r])
            parts = [[table["e"][rows[0]]]]
            for before, row in itertools.pairwise(rows):
                if table["t"][row] - table["t"][before] > gap:
                    parts.append([])
                parts[-1].append(table["e"][row])
            wanted += [(user, part) for part in parts]
        made = sequences_from_table(table, record="u", event="e", time="t", session_gap=gap)
        assert list(zip(made.records, made.sequences, strict=True)) == wanted


@pytest.mark.parametrize(
    "kind", [np.int64, np.float32, lambda k: np.datetime64(k, "ns"), lambda k: np.datetime64(DAY) + k]
)
def test_scalars_of_numpy_are_times(kind):
    times = [kind(k) for k in (2, 3, 1)]
    for column in (times, pd.Series(times, dtype=object)):
        made = sequences_from_table(
            {"u": [1] * 3, "e": list("bca"), "t": column}, record="u", event="e", time="t"
        )
        assert made.sequences == [["a", "b", "c"]]
    mixed = [np.datetime64(DAY), DAY, "2026-03-01T08:00:00.000000000"]
    made = sequences_from_table({"u": [1] * 3, "e": list("bca"), "t": mixed}, record="u", event="e", time="t")
    assert made.sequences == [["a", "b", "c"]]


def test_messages_name_labels_as_in_python():
    made = sequences_from_table({"u": [1, 2], "e": ["a", "b"]}, record="u", event="e")
    with pytest.raises(ValueError, match="none for 2 records: 1, 2; its keys are '1', '2'"):
        made.align({"1": 0, "2": 1})
    assert repr(made) == "EventSequences(2 sequences of 2 records)"


def test_names_of_columns_that_are_not_distinct():
    table = pd.DataFrame([[1, "a", "b"]], columns=["u", "e", "e"])
    with pytest.raises(ValueError, match="two columns share the name 'e'"):
        sequences_from_table(table, record="u", event="e")


@pytest.mark.parametrize("blank", ["", "  "])
def test_empty_texts_are_an_error(blank):
    for column in ("user", "page"):
        table = {"user": ["a", "b"], "page": ["x", "y"]}
        table[column][1] = blank
        with pytest.raises(
            ValueError, match=rf"the column '{column}' has an empty text \('{blank}'\) in row 1"
        ):
            sequences_from_table(table, record="user", event="page")


def test_events_that_differ_in_case_or_spaces_are_named_once():
    table = {"user": [1] * 5, "page": ["Fever", "fever ", "x", "X", "Fever"]}
    with pytest.warns(
        UserWarning, match=r"'page' has events .* 'Fever', 'fever ' \(and 1 more such group"
    ) as caught:
        made = sequences_from_table(table, record="user", event="page")
    assert len(caught) == 1
    assert made[0] == table["page"]


LONG = {
    "customer": [1, 1, 2, 2, 3, 3, 3],
    "event": list("abcabca"),
    "time": pd.date_range("2026-01-01", periods=7),
}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_long_table_in_place_of_records_names_the_call_that_collects_them(frame):
    call = r"sequences_from_table\(X, record='customer', event='event', time='time'\) collects the "
    with pytest.raises(
        TypeError, match=f"X is a data frame; if each row is one event, {call}sequences; else"
    ):
        SequenceClassifier().fit(frame(LONG), [0, 1, 0])
    with pytest.raises(
        TypeError, match=f"one column a category .* if each row is one item, {call}sets of item"
    ):
        ItemsetClassifier().fit(frame(LONG), [0, 1, 0])
    with pytest.raises(TypeError, match=r"such as X\['event'\]$"):
        GraphClassifier().fit(frame(LONG), [0, 1, 0])
    baskets = {"n": [2, 1], "basket": [["a", "b"], ["c"]]}
    for model in (SequenceRegressor(), ItemsetRegressor()):
        with pytest.raises(TypeError, match=r"give the column that holds the [a-z ]*: X\['basket'\]$"):
            model.fit(frame(baskets), [0.0, 1.0])


def test_categories_of_zeros_and_ones_are_no_long_table():
    frame = pd.DataFrame({"a": [0, 1, 1], "b": [1, 1, 0]}).astype("category")
    with pytest.raises(TypeError, match=r"one column a category \(pandas.get_dummies\)$"):
        ItemsetClassifier().fit(frame, [0, 1, 0])


def test_the_records_of_a_long_table_are_sets_of_items_too():
    made = sequences_from_table(pd.DataFrame(LONG), record="customer", event="event")
    model = ItemsetRegressor(alpha=0.01, max_items=1).fit(made, [1.0, 0.0, 1.0])
    assert [pattern.text for pattern in model.patterns_] == ["b"]
    with pytest.raises(TypeError, match=r"an array that holds text .*; an item's column holds 0 and 1"):
        ItemsetRegressor().fit(pd.DataFrame(LONG).to_numpy(), [0.0] * 7)


@pytest.mark.parametrize(
    "frame", [pd.DataFrame([[1, 2, 3]] * 4), pd.DataFrame([[1, 2]] * 4, columns=["a", "a"])]
)
@pytest.mark.parametrize("model", [SequenceRegressor(alpha=0.1), GraphRegressor(alpha=0.1)])
def test_frames_without_names_are_refused_with_the_usual_message(model, frame):
    with pytest.raises(TypeError, match="X is a data frame; give the column that holds the"):
        model.fit(frame, [1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize(
    "place",
    [
        slice(2, 5),
        slice(None, None, -2),
        [3, 0],
        np.array([4, -1]),
        np.arange(6) % 2 == 0,
        [],
        np.zeros(6, bool),
    ],
    ids=str,
)
def test_several_sequences_keep_their_records(place):
    events = [["a"], ["b", "c"], ["c"], [], ["a", "b"], ["d"]]
    made = EventSequences(events, list("uuvwww"), [0, 1, 0, 0, 1, 2], [1.0, 5.0, 2.0, None, 3.0, 9.0])
    rows = np.arange(6)[place if not isinstance(place, list) else np.array(place, dtype=int)].tolist()
    chosen = made[place]
    assert isinstance(chosen, EventSequences)
    assert list(chosen) == [events[row] for row in rows]
    assert chosen.records == [made.records[row] for row in rows]
    assert chosen.sessions == [made.sessions[row] for row in rows]
    assert chosen.starts == [made.starts[row] for row in rows]
    assert made[np.int64(1)] == made[1] == ["b", "c"]
    with pytest.raises(IndexError):
        made[np.array([True, False])]


def test_unknown_events_are_named_once():
    model = SequenceClassifier(alpha=0.01).fit([["home", "pay"], ["home"]] * 10, [1, 0] * 10)
    with pytest.warns(UserWarning, match="no event of these records was in training.*'pay'$") as caught:
        model.explain([["help"], ["cart"]])
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_sessions_begin_at_the_local_time_of_the_table(frame):
    at = pd.to_datetime(
        ["2026-03-01 00:30", "2026-10-25 02:30+01:00", "2026-10-25 02:20+02:00"], utc=True, format="mixed"
    )
    log = pd.DataFrame({"user": ["a", "b", "b"], "page": list("xyz"), "at": at.tz_convert("Europe/Berlin")})
    made = sequences_from_table(frame(log), **NAMES)
    assert list(made) == [["x"], ["z", "y"]]
    assert [str(start)[:19] for start in made.starts] == ["2026-03-01T01:30:00", "2026-10-25T02:20:00"]
