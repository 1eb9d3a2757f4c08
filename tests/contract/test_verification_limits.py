"""The time limit of a verification: a whole proof or an error, with no change of the model."""

import numpy as np
import pytest

from thresher import RuleRegressor
from thresher.cli import main

from .members import CASES

pytestmark = pytest.mark.thread_unsafe

PROVEN = pytest.mark.parametrize(
    "case", [case for case in CASES if hasattr(case.estimator, "verify")], ids=str
)


@PROVEN
def test_a_verification_that_the_time_ends_confirms_nothing(case):
    model, X, y = case.fitted()
    kept = dict(vars(model))
    with pytest.raises(TimeoutError, match=r"time_limit: .*nothing is confirmed"):
        model.verify(X, y, time_limit=1e-9)
    assert vars(model) == kept


@PROVEN
def test_other_data_are_no_refusal_once_the_time_is_over(case):
    model, X, y = case.fitted()
    with pytest.raises(TimeoutError):
        model.verify(X, y[::-1], time_limit=1e-9)


@PROVEN
def test_a_limit_that_suffices_changes_nothing(case):
    model, X, y = case.fitted()
    assert np.all(model.verify(X, y, time_limit=1e6).dual == model.verify(X, y).dual)


def test_the_limit_is_checked_and_that_of_the_fit_does_not_count():
    X = np.arange(60.0)[:, None]
    y = (X[:, 0] > 20) * 1.0
    model = RuleRegressor(alpha=0.01).fit(X, y)
    for wrong in (0, -1.0, "1"):
        with pytest.raises(
            ValueError, match=f"time_limit: got {wrong!r}; give a number of seconds > 0, or None"
        ):
            model.verify(X, y, time_limit=wrong)
    assert model.set_params(time_limit=1e-9).verify(X, y).complete


def test_the_command_line(tmp_path, capsys):
    rows, out = tmp_path / "rows.csv", str(tmp_path / "model.json")
    rows.write_text("x,y\n" + "".join(f"{k},{k % 2}\n" for k in range(40)))
    assert main(["fit", str(rows), "-t", "y", "--alpha", "0.1", "-o", out]) == 0
    assert main(["verify", out, str(rows), "--time-limit", "1e6"]) == 0
    capsys.readouterr()
    assert main(["verify", out, str(rows), "--time-limit", "1e-9"]) == 1
    said = capsys.readouterr()
    assert not said.out
    assert said.err.startswith("thresher: error: --time-limit: ")
    assert "nothing is confirmed" in said.err
    assert main(["verify", out, str(rows), "--time-limit", "-1"]) == 2
    assert "--time-limit: got -1.0; give a number of seconds > 0" in capsys.readouterr().err
