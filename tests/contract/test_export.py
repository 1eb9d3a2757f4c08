"""Exported code answers as predict does, with every loss and variant."""

import sqlite3

import numpy as np
import pandas as pd

from .members import cases_that


def answers_of_sql(model, frame):
    """Decision values by SQLite, one row each."""
    columns = [f'"{name}"' for name in frame]
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE data (id INTEGER, {' REAL, '.join(columns)} REAL)")
        marks = ", ".join("?" * (len(columns) + 1))
        rows = [[k, *row] for k, row in enumerate(frame.to_numpy().tolist())]
        connection.executemany(f"INSERT INTO data VALUES ({marks})", rows)
        done = connection.execute(model.to_sql("data", dialect="sqlite", keep="id"))
        head = [column[0] for column in done.description]
        found = pd.DataFrame(sorted(done.fetchall()), columns=head)
    names = [name for name in head if name.startswith("decision")] or ["prediction"]
    return found[names].to_numpy(float), found["prediction"].to_numpy()


@cases_that(lambda case: case.source.is_table)
def test_python_and_sql_answer_as_predict(case):
    X, y = case.problem()
    frame = pd.DataFrame(X, columns=[f"column {k}" for k in range(X.shape[1])])
    model = case.model().fit(frame, y)
    decision = model.decision_function(frame) if case.is_classifier else model.predict(frame)
    decision = np.asarray(decision).reshape(len(frame), -1)
    module = {}
    exec(model.to_python(), module)
    found = [module["score"](row) for row in frame.to_dict("records")]
    np.testing.assert_array_equal(np.array([np.ravel(own["decision"]) for own in found]), decision)
    assert [own["prediction"] for own in found] == model.predict(frame).tolist()
    if hasattr(model, "predict_proba"):
        wanted = model.predict_proba(frame)
        np.testing.assert_allclose([own["probabilities"] for own in found], wanted, rtol=1e-12, atol=1e-300)
    sums, predictions = answers_of_sql(model, frame)
    np.testing.assert_allclose(sums, decision, rtol=1e-12, atol=1e-12 * np.abs(decision).max())
    if case.is_classifier:
        np.testing.assert_array_equal(predictions, model.predict(frame))
