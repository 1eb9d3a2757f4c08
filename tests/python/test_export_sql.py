"""Models as one SELECT, run in SQLite, DuckDB and, where there is one, PostgreSQL."""

import sqlite3
from functools import cache

import duckdb
import numpy as np
import pandas as pd
import pytest

import thresher as t
from thresher.export.sql_text import DIALECTS, name

from .exported import KINDS, agree, case, expected, records

ROW = "row number"
TYPES = {"colour": "VARCHAR", "flag": "BOOLEAN", "grade": "INTEGER"}


def create(execute, frame):
    """Write rows into a table with a key."""
    columns = ", ".join(f"{name(column)} {TYPES.get(column, 'DOUBLE PRECISION')}" for column in frame)
    execute(f"CREATE TABLE {name('a table')} ({name(ROW)} INTEGER, {columns})", None)
    marks = ", ".join("?" * (len(frame.columns) + 1))
    for k, row in enumerate(records(frame)):
        execute(f"INSERT INTO {name('a table')} VALUES ({marks})", [k, *row.values()])


def answers(rows, header, model):
    """The rows of a result as the other exports answer."""
    assert header[0] == ROW
    found = []
    for row in sorted(rows):
        values = dict(zip(header[1:], row[1:], strict=True))
        predictions = [value for key, value in values.items() if key.startswith("prediction")]
        decisions = [value for key, value in values.items() if key.startswith("decision")] or predictions
        if any(value is None for value in values.values()):
            assert all(value is None for value in values.values())
            found.append(None)
            continue
        answer = {"decision": decisions, "prediction": predictions[0]}
        if hasattr(model, "predict_proba"):
            answer["probabilities"] = [v for key, v in values.items() if key.startswith("probability")]
        found.append(answer)
    return found


def run_sqlite(model, frame, dialect):
    with sqlite3.connect(":memory:") as connection:
        create(lambda text, given: connection.execute(text, given or []), frame)
        done = connection.execute(model.to_sql("a table", dialect=dialect, keep=ROW))
        return answers(done.fetchall(), [column[0] for column in done.description], model)


def run_duckdb(model, frame, dialect):
    """Missing numbers are NaN here, and NULL in SQLite."""
    with duckdb.connect(":memory:") as connection:
        keyed = frame.reset_index(drop=True)
        keyed.insert(0, ROW, range(len(frame)))
        connection.register("keyed", keyed)
        columns = ", ".join(f"{name(c)} {TYPES.get(c, 'DOUBLE')}" for c in frame)
        connection.execute(f"CREATE TABLE {name('a table')} ({name(ROW)} INTEGER, {columns})")
        connection.execute(f"INSERT INTO {name('a table')} SELECT * FROM keyed")
        done = connection.execute(model.to_sql("a table", dialect=dialect, keep=ROW))
        return answers(done.fetchall(), [column[0] for column in done.description], model)


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb], ids=lambda run: run.__name__)
@pytest.mark.parametrize("is_ansi", [True, False], ids=["ansi", "own"])
@pytest.mark.parametrize("kind", KINDS)
def test_sql_is_predict(kind, run, is_ansi):
    model, rows, wanted = case(kind)
    dialect = "ansi" if is_ansi else run.__name__.removeprefix("run_")
    is_exact = not kind.startswith("machine") and (run is run_duckdb or not is_ansi)
    agree(wanted, run(model, rows, dialect), exact=is_exact)


def test_postgresql_gets_the_statement_that_runs_in_duckdb():
    model, _, _ = case("rules-three-refuse")
    assert model.to_sql(dialect="postgresql") == model.to_sql(dialect="duckdb")


@cache
def wide_model():
    """A model of more than a thousand rules on 300 columns, with some of its rows."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 40, size=(1300, 300)).astype(float)
    y = np.sin(X).sum(axis=1) + rng.normal(size=len(X))
    frame = pd.DataFrame(X, columns=[f"column {k}; DROP TABLE data; --" for k in range(X.shape[1])])
    model = t.RuleRegressor(alpha=1e-4, max_features=1, max_iter=30, linear=False, bins=40).fit(frame, y)
    return model, frame.head(40)


@pytest.mark.parametrize("dialect", ["ansi", "sqlite", "duckdb"])
def test_a_thousand_rules_of_three_hundred_columns(dialect):
    """SQLite refuses expressions nested more than 1,000 times, so that long sums are cut into layers."""
    model, rows = wide_model()
    assert len(model.rules_) > 1_000
    assert len(model._used_columns()) > 290
    wanted = [{"decision": [value], "prediction": value} for value in model.predict(rows).tolist()]
    run = run_duckdb if dialect == "duckdb" else run_sqlite
    agree(wanted, run(model, rows, dialect), exact=dialect != "ansi")


def test_names_of_results_give_way_to_kept_columns_and_helpers_to_names():
    X = pd.DataFrame({"score layer 0": np.arange(40.0), "Prediction": np.arange(40.0)})
    model = t.L0Regressor(lambda0=0.1).fit(X, X["score layer 0"] - 0.5 * X["Prediction"] ** 2)
    with sqlite3.connect(":memory:") as connection:
        create(lambda text, given: connection.execute(text, given or []), X)
        done = connection.execute(model.to_sql("a table", keep=[ROW, "Prediction"]))
        assert [column[0] for column in done.description] == [ROW, "Prediction", "prediction (thresher)"]
        found = np.array(sorted(done.fetchall()))
    np.testing.assert_allclose(found[:, 2], model.predict(X), rtol=1e-12)


def test_a_table_in_a_schema():
    model, rows, wanted = case("rules-missing")
    with duckdb.connect(":memory:") as connection:
        connection.execute('CREATE SCHEMA "the schema"')
        create(
            lambda text, given: connection.execute(text.replace('"a table"', '"the schema"."b"'), given), rows
        )
        done = connection.execute(model.to_sql(("the schema", "b"), dialect="duckdb", keep=[ROW]))
        agree(wanted, answers(done.fetchall(), [column[0] for column in done.description], model))


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb], ids=lambda run: run.__name__)
def test_infinite_numbers_count_as_missing(run):
    model, rows, _ = case("rules-missing")
    rows = rows[(rows["colour"] != "never seen") & (rows["grade"] != 99)].copy()
    missing = rows.copy()
    rows["age"], missing["age"] = np.resize([np.inf, -np.inf], len(rows)), np.nan
    agree(expected(model, missing), run(model, rows, run.__name__.removeprefix("run_")))


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb], ids=lambda run: run.__name__)
def test_terms_too_large_to_be_added_up_are_null(run):
    X = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40.0)[::-1] ** 2})
    model = t.L0Regressor(lambda0=0.1).fit(X, 3.0 * X["a"] + X["b"])
    rows = pd.DataFrame({"a": [1e308, 1.0], "b": [1e308, 2.0]})
    with pytest.raises(ValueError, match="too large to be added up"):
        model.predict(rows)
    found = run(model, rows, run.__name__.removeprefix("run_"))
    assert found[0] is None
    assert found[1] is not None


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb], ids=lambda run: run.__name__)
def test_probabilities_of_large_decisions(run):
    """EXP never overflows, and tiny sigmoids of several classes keep their ratios."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200)})
    for n_classes in (2, 3):
        y = np.digitize(X["a"] + 0.5 * X["b"], [0.0, 1.0][: n_classes - 1])
        model = t.L0Classifier(lambda0=0.1, lambda2=0.01).fit(X, y)
        rows = pd.DataFrame({"a": [-1e4, -90.0, 0.0, 90.0, 1e4], "b": [0.0, -50.0, 0.0, 50.0, 1e4]})
        found = run(model, rows, run.__name__.removeprefix("run_"))
        wanted = model.predict_proba(rows)
        np.testing.assert_allclose([own["probabilities"] for own in found], wanted, rtol=1e-10, atol=1e-300)
        assert [own["prediction"] for own in found] == model.predict(rows).tolist()


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb], ids=lambda run: run.__name__)
def test_labels_keep_their_type(run):
    X = pd.DataFrame({"a": np.arange(40.0)})
    for classes in ([1, 2], [False, True], ["a'b", '"'], [1.0, 2.0]):
        y = np.array(classes)[(X["a"] > 20).astype(int)]
        model = t.RuleClassifier(alpha=0.01).fit(X, y)
        found = [own["prediction"] for own in run(model, X, run.__name__.removeprefix("run_"))]
        assert found == y.tolist()


def items_table(connection, frame):
    names = ", ".join(f"{name(column)} BOOLEAN" for column in frame)
    connection.execute(f"CREATE TABLE data (id INTEGER, {names})")
    marks = ", ".join("?" * (len(frame.columns) + 1))
    for k, row in enumerate(frame.to_numpy(object).tolist()):
        connection.execute(f"INSERT INTO data VALUES ({marks})", [k, *row])


@pytest.mark.parametrize("library", [sqlite3, duckdb], ids=["sqlite", "duckdb"])
@pytest.mark.parametrize("kind", ["flags", "numbers"])
def test_items_are_columns_of_flags(library, kind):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((200, 4)) < 0.5, columns=["milk", "it's", 'a "b"', "bread"])
    y = 2.0 * (frame["milk"] & ~frame["it's"]) - frame["bread"]
    model = t.ItemsetRegressor(alpha=0.001, negations=True).fit(frame, y)
    wanted = model.predict(frame)
    cells = frame if kind == "flags" else frame.astype(int)
    with library.connect(":memory:") as connection:
        items_table(connection, cells.astype(object).where(frame, None if kind == "flags" else 0))
        found = connection.execute(model.to_sql("data", keep="id")).fetchall()
    np.testing.assert_array_equal([value for _, value in sorted(found)], wanted)


def test_every_number_reads_back():
    """SQLite reads some decimal numbers with an error of the last bit; its dialect has none of these."""
    rng = np.random.default_rng(0)
    numbers = [0.0, -0.0, 5e-324, 1.7976931348623157e308, 1e23, 0.1 + 0.2, 2.0**-1074, 123456789.123456789]
    numbers += (rng.normal(size=3000) * 10.0 ** rng.integers(-300, 300, 3000)).tolist()
    numbers += rng.normal(size=3000).tolist()
    numbers += np.round(rng.normal(size=1000) * 1000, 3).tolist()
    connections = {"sqlite": sqlite3.connect(":memory:"), "duckdb": duckdb.connect(":memory:")}
    for dialect, connection in connections.items():
        for start in range(0, len(numbers), 500):
            part = numbers[start : start + 500]
            text = ", ".join(DIALECTS[dialect].number(value) for value in part)
            assert connection.execute(f"SELECT {text}").fetchone() == tuple(part)
        connection.close()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"dialect": "oracle"},
            r"dialect: got 'oracle'; give one of 'ansi', 'duckdb', 'postgresql'",
        ),
        ({"table": ""}, r"the name '' cannot be expressed in SQL"),
        ({"table": "a\0b"}, r"cannot be expressed in SQL"),
    ],
)
def test_what_cannot_be_written_is_an_error(given, message):
    with pytest.raises(ValueError, match=message):
        case("card")[0].to_sql(**given)


def test_a_machine_of_too_many_products_says_what_to_use():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 120))
    params = {"rank": 2, "order": 3, "penalty": None, "max_iter": 3}
    model = t.FactorizationMachineRegressor(**params).fit(X, X[:, 0] * X[:, 1] * X[:, 2])
    with pytest.raises(
        ValueError, match=r"more than 100,000 products .* fit with a penalty .* use to_python"
    ):
        model.to_sql()
    assert "def score(row)" in model.to_python()


@pytest.mark.parametrize("kind", ["rules-three", "card-exponential", "machine-squared"])
def test_plain_sql_adds_the_terms_up_once(kind):
    """Databases merge layers: SQLite copied the sum of terms to thousands of places, now to two."""
    model, rows, _ = case(kind)
    steps = {}
    for dialect in ("ansi", "sqlite"):
        with sqlite3.connect(":memory:") as connection:
            create(lambda text, given, to=connection: to.execute(text, given or []), rows)
            counted = []
            connection.set_progress_handler(lambda counted=counted: counted.append(1), 100)
            connection.execute(model.to_sql("a table", dialect=dialect, keep=ROW)).fetchall()
            steps[dialect] = len(counted)
    assert steps["ansi"] < 5 * steps["sqlite"], steps


@pytest.mark.parametrize("names", [("Income", "income"), ("a", "b")])
def test_names_that_differ_only_in_case_are_refused(names):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 2)), columns=names)
    y = np.where(X.iloc[:, 0] - X.iloc[:, 1] > 0, "bad", "good")
    model = t.L0AdditiveClassifier(lambda0=1.0).fit(X, y)
    one = t.L0AdditiveClassifier(lambda0=1.0, exclude=[names[0]]).fit(X, y)
    for found in (model, model.scaled_card(), one):
        if names == ("a", "b"):
            assert found.to_sql(keep=["c", "c"])
            with pytest.raises(ValueError, match="'B' differ only in case"):
                found.to_sql(keep="B")
            continue
        assert found.to_sql(dialect="postgresql")
        for dialect in ("ansi", "duckdb", "sqlite"):
            with pytest.raises(ValueError, match=r"'[Ii]ncome' and '[Ii]ncome' differ only in case"):
                found.to_sql(dialect=dialect)
    assert one.to_sql(dialect="postgresql", keep=["id", "ID"])
    with pytest.raises(ValueError, match="'id' and 'ID' differ only in case"):
        t.L0Regressor(lambda0=1.0).fit(X[[names[0]]], X[names[0]]).to_sql(keep=["id", "ID"])


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("", np.nan),
        ("n/a", np.nan),
        ("3.000,50", np.nan),
        ("0x10", np.nan),
        ("inf", np.nan),
        (b"45", np.nan),
        ("45", 45.0),
        (" -3.5e1 ", -35.0),
        ("9007199254740993", 9007199254740993.0),
        ("1e999", np.nan),
        (45, 45.0),
        (None, np.nan),
    ],
)
@pytest.mark.parametrize("column", ["TEXT", "", "NUMERIC", "DOUBLE PRECISION"])
def test_texts_that_are_no_numbers_are_missing_in_sqlite(cell, value, column):
    rng = np.random.default_rng(0)
    x = np.where(rng.random(300) < 0.2, np.nan, rng.uniform(-50, 50, 300))
    model = t.L0AdditiveRegressor(lambda0=1.0).fit(
        pd.DataFrame({"x": x}), np.where(np.isnan(x), 7.0, np.where(x > 40, 3.0, np.where(x > -40, 1.0, 0.0)))
    )
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE data (x {column})")
        connection.execute("INSERT INTO data VALUES (?)", [cell])
        [[found]] = connection.execute(model.to_sql("data", dialect="sqlite")).fetchall()
    assert found == pytest.approx(model.predict(pd.DataFrame({"x": [value]}))[0], abs=1e-9)


@pytest.mark.parametrize("dialect", ["ansi", "duckdb", "postgresql"])
@pytest.mark.parametrize("handle", ["missing", "error"])
@pytest.mark.parametrize(
    "kind",
    ["BOOLEAN", "INTEGER", "DOUBLE", "DECIMAL(9,2)", "DECIMAL(18,0)", "DECIMAL(38,20)", "VARCHAR"],
)
def test_truth_values_of_any_type(kind, handle, dialect):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"f": rng.random(200) < 0.5, "x": rng.random(200)}).astype({"f": object})
    X.loc[::9, "f"] = None
    y = (X["f"] == True) * 2.0 + X["f"].isna() + rng.normal(size=200) * 0.1  # noqa: E712
    model = t.L0AdditiveRegressor(lambda0=1.0, categorical_features=["f"], handle_unknown=handle).fit(X, y)
    with duckdb.connect(":memory:") as connection:
        connection.register("rows", X.assign(id=range(200)).astype({"f": "boolean"}))
        number = "f" if kind in ("BOOLEAN", "VARCHAR") else "CAST(f AS INTEGER)"
        connection.execute(f"CREATE TABLE data AS SELECT id, x, CAST({number} AS {kind}) AS f FROM rows")
        found = connection.sql(model.to_sql("data", dialect=dialect, keep="id")).df().sort_values("id")
        assert found["prediction"].tolist() == model.predict(X).tolist()
        if kind.startswith("DECIMAL") and kind != "DECIMAL(18,0)":
            connection.execute("UPDATE data SET f = 0.1 WHERE id = 1; UPDATE data SET f = 10 WHERE id = 2")
            again = connection.sql(model.to_sql("data", dialect=dialect, keep="id")).df().sort_values("id")
            absent = model.predict(X.assign(f=None))[0] if handle == "missing" else np.nan
            np.testing.assert_array_equal(again["prediction"][1:3], [absent, absent])


KEYWORDS = ("true", "False", "null", "rowid", "OID", "_rowid_", "current_date", "select", "t", "nan")


def fits_of(column):
    """Models of one column with this name, whose decision is 3 times the column."""
    X = pd.DataFrame({column: np.arange(40) % 2})
    y = 3.0 * X[column]
    yield t.ItemsetRegressor(alpha=0.001, max_items=1).fit(X, y), X
    yield t.RuleRegressor(alpha=0.001, max_features=1).fit(X, y), X
    yield t.RuleRegressor(alpha=0.001, max_features=1).fit(X.astype(bool), y), X.astype(bool)
    texts = X.replace({0: "no", 1: "yes"})
    yield t.L0AdditiveRegressor(lambda0=0.001).fit(texts, y), texts
    yield t.L0Regressor(lambda0=0.001).fit(X, y), X


@pytest.mark.parametrize("dialect", ["ansi", "sqlite", "duckdb"])
@pytest.mark.parametrize("column", KEYWORDS)
def test_columns_may_have_the_names_of_keywords(column, dialect):
    for model, X in fits_of(column):
        rows = X.assign(**{ROW: range(len(X))})
        for library in ("sqlite", "duckdb"):
            if dialect not in ("ansi", library):
                continue
            query = model.to_sql("rows", dialect=dialect, keep=ROW)
            if library == "sqlite":
                with sqlite3.connect(":memory:") as connection:
                    rows.to_sql("rows", connection, index=False)
                    found = pd.read_sql(query, connection)
            else:
                with duckdb.connect(":memory:") as connection:
                    connection.register("rows", rows)
                    found = connection.execute(query).df()
            found = found.sort_values(ROW)["prediction"].to_numpy(float)
            np.testing.assert_allclose(found, model.predict(X), rtol=1e-12, atol=1e-12)
