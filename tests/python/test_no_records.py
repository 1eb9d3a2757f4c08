"""Answers for no records: empty arrays of the right shape, and empty results of the command line."""

import numpy as np
import pandas as pd
import pytest

from contract.members import CASES
from thresher import GraphRegressor
from thresher.cli import main

RECORDS = [case for case in CASES if not case.source.is_table]
NONE = {"list": [], "tuple": (), "array": np.array([], dtype=object), "series": pd.Series([], dtype=object)}


@pytest.mark.parametrize("form", NONE)
@pytest.mark.parametrize("case", RECORDS, ids=str)
def test_answers_for_no_records(case, form):
    model, X, _ = case.fitted()
    for name in ("predict", "predict_proba", "decision_function", "transform"):
        if hasattr(model, name):
            found, some = getattr(model, name)(NONE[form]), getattr(model, name)(X[:2])
            assert found.shape == (0, *some.shape[1:])
            assert found.dtype == some.dtype
    assert list(model.explain(NONE[form])) == []


@pytest.mark.parametrize("case", RECORDS, ids=str)
def test_nothing_is_learnt_or_proved_of_no_records(case):
    model, _, _ = case.fitted()
    for ask in (case.model().fit, model.verify, model.pattern_table):
        with pytest.raises(ValueError, match=r"0 sample\(s\) while a minimum of 1 is required: X has no"):
            ask([], [])


def test_invalid_molecules_may_be_all_or_none():
    pytest.importorskip("rdkit")
    model = GraphRegressor(alpha=0.01, max_edges=2, on_invalid="skip")
    model.fit(["CCO", "CCN", "CCC", "c1ccccc1"] * 5, np.arange(20.0))
    assert model.predict([]).shape == (0,)
    assert np.isnan(model.predict(["no molecule"])).all()


COMMANDS = {
    "long": (
        "itemsets",
        "order,item,y\n",
        "1,a,1\n1,b,1\n2,a,0\n3,b,1\n",
        ["--record", "order", "--item", "item"],
    ),
    "events": (
        "sequences",
        "order,item,y\n",
        "1,a,1\n1,b,1\n2,a,0\n3,b,1\n",
        ["--record", "order", "--event", "item"],
    ),
    "wide": ("itemsets", "a,b,y\n", "1,0,1\n0,1,0\n1,1,1\n0,0,0\n", []),
    "smiles": ("graphs", "s,y\n", "CCO,1\nCCN,2\nCCC,3\n", ["--smiles", "s"]),
}


@pytest.mark.parametrize("kind", COMMANDS)
def test_the_command_line(kind, tmp_path, capsys):
    model, header, rows, options = COMMANDS[kind]
    if kind == "smiles":
        pytest.importorskip("rdkit")
    (tmp_path / "rows.csv").write_text(header + rows)
    (tmp_path / "none.csv").write_text(header)
    out, none = str(tmp_path / "model.json"), str(tmp_path / "none.csv")
    fit = ["--model", model, "-t", "y", "--task", "regression", "--alpha", "0.01", "-o", out, *options]
    assert main(["fit", str(tmp_path / "rows.csv"), *fit]) == 0
    capsys.readouterr()
    assert main(["predict", out, none]) == 0
    name = "order" if kind in ("long", "events") else header.strip()
    assert capsys.readouterr().out == f"{name},prediction\n"
    written = tmp_path / "written.csv"
    assert main(["predict", out, none, "-o", str(written)]) == 0
    assert len(pd.read_csv(written)) == 0
    capsys.readouterr()
    assert main(["fit", none, *fit]) == 1
    assert "has no row below them" in capsys.readouterr().err
