"""Models as one SELECT, run in SQLite, DuckDB and, where there is one, PostgreSQL."""

import sqlite3

import duckdb
import pytest

from thresher.export.sql_text import name

from .exported import KINDS, agree, case, records

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
    with duckdb.connect(":memory:") as connection:
        create(connection.execute, frame)
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
