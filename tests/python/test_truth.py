"""Truth values: the same column in a frame, in Parquet, and as text in a CSV file."""

import itertools

import numpy as np
import pandas as pd
import pytest

from thresher import (
    FactorizationMachineClassifier,
    HierarchicalRuleClassifier,
    L0AdditiveClassifier,
    L0Classifier,
    RuleClassifier,
    load_model,
)
from thresher.cli import commands as cli
from thresher.data.columns import same_truth, to_categorical, truth_of
from thresher.data.table_files import read_table

RNG = np.random.default_rng(3)
N = 160


def frame():
    found = pd.DataFrame({"member": RNG.random(N) < 0.4, "age": RNG.integers(20, 80, N)})
    chance = 1 / (1 + np.exp(-(3.0 * found["member"] + 0.05 * (found["age"] - 50) - 1)))
    return found.assign(ill=np.where(RNG.random(N) < chance, "yes", "no"))


def as_written(kind, member):
    return {
        "truth": member,
        "int": member.astype(int),
        "python": member.astype(str),
        "lower": member.astype(str).str.lower(),
        "upper": member.astype(str).str.upper(),
    }[kind]


MODELS = [
    RuleClassifier(alpha=0.02),
    L0AdditiveClassifier(max_steps=4),
    HierarchicalRuleClassifier(alpha=0.01, tol=1e-3),
    FactorizationMachineClassifier(max_epochs=20),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("written", ["int", "python", "lower", "upper"])
def test_a_column_of_truth_values_takes_its_text(model, written):
    data = frame()
    X = data[["member", "age"]]
    model.fit(X, data["ill"])
    other = X.assign(member=as_written(written, X["member"]))
    assert (model.decision_function(other) == model.decision_function(X)).all()


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("written", ["python", "lower", "upper"])
def test_a_column_of_their_text_takes_truth_values(model, written):
    data = frame()
    X = data[["member", "age"]].assign(member=as_written(written, data["member"]))
    model.fit(X, data["ill"])
    other = X.assign(member=data["member"])
    assert (model.decision_function(other) == model.decision_function(X)).all()


def test_levels_agree_with_the_obvious_twin():
    """Every mix of cells and levels, against one comparison for each pair."""
    cells = [True, False, "true", "False", "TRUE", "maybe", 1, 0, None]
    for levels in ([False, True], ["False", "True"], ["false", "maybe"], [0, 1], ["TRUE", "true"]):
        for chosen in itertools.product(cells, repeat=2):
            if chosen[0] == chosen[1] and type(chosen[0]) is not type(chosen[1]):
                continue  # 1 and True in one column are one value, the first
            codes, known = to_categorical(np.asarray([*chosen], dtype=object), "c", levels)
            assert known[: len(levels)] == levels
            for cell, code in zip(chosen, codes.tolist(), strict=True):
                if cell is None:
                    assert code == -1
                    continue
                equal = [k for k, level in enumerate(levels) if level == cell]
                said = [
                    k
                    for k, level in enumerate(levels)
                    if truth_of(level) is not None
                    and truth_of(level) is truth_of(cell)
                    and isinstance(level, str) != isinstance(cell, str)
                ]
                expected = (equal or said or [None])[0]
                assert code == expected if expected is not None else code >= len(levels)


def test_no_truth():
    assert same_truth("yes", [False, True]) is None
    assert same_truth(1.0, ["True"]) is None
    assert same_truth(True, []) is None


@pytest.mark.parametrize("words", [("True", "False"), ("true", "false"), ("TRUE", "FALSE")])
def test_a_file_holds_truth_values(tmp_path, words):
    (tmp_path / "t.csv").write_text(f"a,b,c\n{words[0]},{words[1]},x\n{words[1]},,{words[0]}\n")
    table = read_table(tmp_path / "t.csv")
    assert table["a"].tolist() == [True, False]
    assert table["b"].tolist() == [False, None]
    assert table["c"].tolist() == ["x", words[0]]
    assert read_table(tmp_path / "t.csv", text={"a"})["a"].tolist() == list(words)


def write(data, folder):
    data.to_csv(folder / "d.csv", index=False)
    data.to_parquet(folder / "d.parquet")


@pytest.mark.parametrize("first", ["d.csv", "d.parquet"])
@pytest.mark.parametrize("kind", ["rules", "additive", "l0", "hierarchy", "fm"])
def test_csv_and_parquet_are_one(tmp_path, monkeypatch, capsys, first, kind):
    monkeypatch.chdir(tmp_path)
    write(frame(), tmp_path)
    limit = ["--time-limit", "5"] if kind != "fm" else ["--max-epochs", "20"]
    assert cli.main(["fit", first, "-t", "ill", "-o", "m.json", "--model", kind, *limit]) == 0
    outputs = []
    for name in ("d.csv", "d.parquet"):
        assert cli.main(["predict", "m.json", name, "-o", f"{name}.out.csv"]) == 0, capsys.readouterr().err
        outputs.append(pd.read_csv(f"{name}.out.csv"))
    pd.testing.assert_frame_equal(*outputs)
    if kind in ("rules", "hierarchy"):
        assert cli.main(["verify", "m.json", "d.csv" if first == "d.parquet" else "d.parquet"]) == 0


def test_a_target_of_truth_values(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data = frame()
    data["ill"] = data["ill"] == "yes"
    write(data, tmp_path)
    X = data[["member", "age"]]
    for y in (data["ill"], data["ill"].astype(str)):
        RuleClassifier(alpha=0.02).fit(X, y).to_json("m.json")
        for name in ("d.csv", "d.parquet"):
            assert cli.main(["verify", "m.json", name, "-t", "ill"]) == 0, capsys.readouterr().err
    assert cli.main(["fit", "d.csv", "-t", "ill", "-o", "m.json", "--alpha", "0.02"]) == 0
    assert load_model("m.json").classes_.tolist() == [False, True]


def test_a_linear_model_takes_truth_values_from_a_file(tmp_path):
    data = frame()
    data.to_csv(tmp_path / "d.csv", index=False)
    X = data[["member", "age"]]
    model = L0Classifier(lambda0=1.0).fit(X, data["ill"])
    read = read_table(tmp_path / "d.csv").drop(["ill"])
    assert (model.decision_function(read) == model.decision_function(X)).all()


def test_prices_in_either_spelling():
    data = frame()
    model = RuleClassifier(alpha=0.02).fit(data[["member", "age"]], data["ill"])
    texts = {model.price(f"member = {word}").term.text for word in ("true", "True", "TRUE")}
    assert texts == {"member = True"}
