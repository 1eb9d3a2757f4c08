"""Columns of dates on the command line: left out with advice, in any kind of file."""

import numpy as np
import pandas as pd
import pytest

from thresher import load_model

from .test_cli import run

N = 200


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 5, N), unit="D")
    frame = pd.DataFrame({"opened": days, "a": rng.integers(0, 20, N).astype(float)})
    return frame.assign(y=3.0 * (frame["a"] > 9) + rng.random(N) + (days.day == 1) * 5.0)


@pytest.mark.parametrize("form", ["csv", "day first", "parquet", "dates of parquet", "from disk"])
def test_columns_of_dates_are_left_out(frame, tmp_path, capsys, form):
    path, more = tmp_path / "rows.csv", []
    if form == "csv":
        frame.to_csv(path, index=False)
    elif form == "day first":
        frame.assign(opened=frame["opened"].dt.strftime("%d.%m.%Y")).to_csv(path, index=False)
    else:
        path = tmp_path / "rows.parquet"
        if form == "dates of parquet":
            frame = frame.assign(opened=frame["opened"].dt.date)
        frame.to_parquet(path)
        more = ["--from-disk"] if form == "from disk" else []
    output = tmp_path / "model.json"
    fit = ["fit", path, "-t", "y", "--model", "additive", "--lambda0", 2, *more, "-o", output]
    status, _, err = run(capsys, *fit)
    assert status == 0, err
    assert "left out 'opened': it holds dates such as '" in err
    assert "give numbers instead, such as days since a fixed day, the month or the weekday" in err
    assert ("--keep opened" in err) == (form in ("csv", "day first"))
    assert load_model(output).feature_names_in_.tolist() == ["a"]
    assert run(capsys, "verify", output, path)[0] == 0
    status, _, err = run(capsys, *fit, "--keep", "opened") if not more else (None, "", "")
    if form in ("csv", "day first"):
        assert status == 0, err
        assert "opened" in load_model(output).feature_names_in_
        assert run(capsys, "verify", output, path)[0] == 0
    elif not more:
        assert status == 1
        assert "column 'opened' holds dates or durations; turn it into numbers" in err
