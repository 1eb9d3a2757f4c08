"""What `verify` says while it takes long, and that Ctrl-C ends it."""

import logging
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from contract.members import CASES
from thresher import ItemsetRegressor, progress
from thresher.cli import main


def hard_problem(n_items):
    rng = np.random.default_rng(0)
    X = (rng.random((300, n_items)) < 0.15).astype(int)
    return X, X[:, 0] + 4.0 * X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=300)


def test_a_long_proof_shows_that_it_goes_on(caplog, monkeypatch):
    monkeypatch.setattr(progress, "_SILENCE", 0.05)
    X, y = hard_problem(400)
    model = ItemsetRegressor(alpha=0.02, max_items=3).fit(X, y)
    model.verify(X, y)
    assert not caplog.records
    with caplog.at_level(logging.INFO, logger="thresher"):
        certificate = model.set_params(verbose=1).verify(X, y)
    said = [record.getMessage() for record in caplog.records]
    assert said[0] == f"verify: an independent proof among {certificate.n_candidates:,} candidates"
    assert said[1].startswith("verify, after 0 s: an independent proof among ")
    assert said[1].endswith(" goes on")
    assert said[-1].startswith("verify: done after ")


@pytest.mark.parametrize("case", [case for case in CASES if hasattr(case.estimator, "verify")], ids=str)
def test_every_proof_has_a_begin_and_an_end(case, caplog):
    model, X, y = case.fitted()
    before = model.verbose
    with caplog.at_level(logging.INFO, logger="thresher"):
        model.set_params(verbose=1).verify(X, y)
    model.set_params(verbose=before)
    said = [record.getMessage() for record in caplog.records]
    assert said[0].startswith("verify: an independent proof")
    assert said[-1].startswith("verify: done after ")


def test_the_command_line(tmp_path, caplog):
    (tmp_path / "rows.csv").write_text("x,y\n" + "".join(f"{k},{k % 2}\n" for k in range(40)))
    rows, out = str(tmp_path / "rows.csv"), str(tmp_path / "model.json")
    assert main(["fit", rows, "-t", "y", "--alpha", "0.1", "-o", out]) == 0
    assert main(["verify", out, rows, "--verbose"]) == 0
    assert "verify: done after" in caplog.text
    caplog.clear()
    assert main(["verify", out, rows]) == 0
    assert "verify: done after" not in caplog.text


LONG = """
    import numpy as np
    from thresher import ItemsetRegressor
    rng = np.random.default_rng(0)
    X = (rng.random((300, 3000)) < 0.15).astype(int)
    y = X[:, 0] + 4.0 * X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=300)
    model = ItemsetRegressor(alpha=0.02, max_items=3).fit(X, y)
    print("ready", flush=True)
    try:
        model.verify(X, y)
        print("done")
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
@pytest.mark.thread_unsafe
def test_an_interrupt_ends_a_proof():
    code = [sys.executable, "-c", textwrap.dedent(LONG)]
    with subprocess.Popen(code, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            time.sleep(0.5)
            sent = time.monotonic()
            child.send_signal(signal.SIGINT)
            out, _ = child.communicate(timeout=60)
        finally:
            child.kill()
    assert out == "interrupted\n"
    assert time.monotonic() - sent < 5
