"""Every estimator writes a report, with its rows and alone."""

import json

import numpy as np
import pytest

from .members import every_case, every_estimator


def data_of(path):
    """The data of a page's scripts."""
    text = path.read_text(encoding="utf-8")
    return json.loads(text.split('<script type="application/json" id="data">')[1].split("</script>")[0])


@every_case
def test_a_report_explains_rows_as_explain_does(case, tmp_path):
    model, X, y = case.fitted()
    model.report(tmp_path / "page.html", X, y, group=np.arange(len(y)) % 3, rows=[5, 17])
    [page] = data_of(tmp_path / "page.html")["models"]
    reasons = page["reasons"]
    explained = model.explain(case.source.take(X, np.array([5, 17])))
    assert [row["row"] for row in reasons["rows"]] == [5, 17]
    for row, wanted in zip(reasons["rows"], explained, strict=True):
        assert row["decision"] == [value for _, value in wanted.decisions]
        assert [part[1] for part in row["parts"]] == [part.value for part in wanted.contributions]
    assert page["terms"]["columns"]["term"] or not model.summary().rows
    assert (tmp_path / "page.html").stat().st_size < 1_000_000


@every_estimator
def test_a_report_without_rows_says_what_the_model_says(case, tmp_path):
    model, _, _ = case.fitted()
    model.report(tmp_path / "page.html")
    [page] = data_of(tmp_path / "page.html")["models"]
    summary = model.summary()
    listed = dict(zip(page["terms"]["columns"]["term"], page["terms"]["columns"]["coef"], strict=True))
    assert listed == {row.term: row.coef for row in summary.rows}
    assert page["intercepts"] == [value for _, value in summary.intercepts]
    assert page["reasons"] is None
    assert page["curves"] is None
    with pytest.raises(ValueError, match="y: given without X"):
        model.report(tmp_path / "page.html", y=[1.0])
