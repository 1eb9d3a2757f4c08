"""The commands that read rows again take the weights of the fit."""

import numpy as np
import pandas as pd
import pytest

from thresher import compare_models, load_model
from thresher.cli import commands as cli

from .command_line import done

N = 120


@pytest.fixture
def folder(tmp_path, monkeypatch, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 80, N), "w": rng.integers(1, 5, N)})
    frame["bad"] = (rng.random(N) < frame["age"] / 100).astype(int)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.drop(columns="w").to_csv(tmp_path / "bare.csv", index=False)
    items = pd.DataFrame(rng.integers(0, 2, (N, 3)), columns=["a", "b", "c"])
    items = items.assign(w=frame["w"], y=items["a"] & items["b"])
    items.to_csv(tmp_path / "items.csv", index=False)
    items.drop(columns="w").to_csv(tmp_path / "few.csv", index=False)
    long = pd.DataFrame({"who": np.repeat(np.arange(N), 3), "what": rng.choice(list("abc"), 3 * N)})
    long["y"] = long.groupby("who")["what"].transform(lambda own: int("a" in set(own)))
    long.to_csv(tmp_path / "log.csv", index=False)
    owners = long.drop_duplicates("who")[["who", "y"]]
    owners.to_csv(tmp_path / "bare_owners.csv", index=False)
    owners.assign(w=frame["w"].to_numpy()).to_csv(tmp_path / "owners.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(capsys, line):
    assert cli.main(line.split()) == 1
    return capsys.readouterr().err


def test_weights_that_are_texts_are_named(folder, capsys):
    frame = pd.read_csv("rows.csv").assign(plan=["1"] * 2 + ["gold"] * (N - 2))
    frame.to_csv("plan.csv", index=False)
    frame.astype({"plan": str}).to_parquet("plan.parquet")
    message = "--weights: column 'plan' holds 'gold' in data row 3; weights are numbers"
    assert message in refused(capsys, "fit plan.csv -t bad --weights plan -o m.json")
    more = "--alpha 0.1 --from-disk -o m.json"
    assert message in refused(capsys, f"fit plan.parquet -t bad --weights plan {more}")


def test_cards_keep_the_column_of_their_weights(folder, capsys):
    done(capsys, "fit rows.csv -t bad --weights w --model additive --max-steps 3 --lambda0 1 -o m.json")
    done(capsys, "scorecard m.json -o points.json")
    (folder / "edit.json").write_text('{"age": [40, 60]}')
    total = int(pd.read_csv("rows.csv")["w"].sum())
    for line in (
        "verify m.json",
        "verify points.json",
        "bins m.json",
        "bins m.json --edit edit.json -o edited.json",
        "bins edited.json",
        "importances m.json",
        "bands points.json --bands 3",
        "report m.json -o page.html",
    ):
        command, model, *more = line.split()
        out, err = done(capsys, " ".join([command, model, "rows.csv", *more]))
        weighted = done(capsys, " ".join([command, model, "rows.csv", "--weights", "w", *more]))
        assert (out, err) == weighted or command == "verify"
        if command != "verify" and command != "importances" and more[:1] != ["--edit"]:
            _, err = done(capsys, " ".join([command, model, "bare.csv", *more]))
            assert "note: nothing is weighted, since bare.csv lacks 'w', the column of the weights" in err
    assert str(total) in done(capsys, "bins m.json rows.csv")[0]
    for line in (
        "verify m.json bare.csv",
        "importances m.json bare.csv",
        "bins m.json bare.csv --edit edit.json",
    ):
        assert "bare.csv lacks 'w'" in refused(capsys, line)
    assert done(capsys, "monitor points.json rows.csv rows.csv")[1] == ""
    for files in ("bare.csv rows.csv", "rows.csv bare.csv"):
        assert "nothing is weighted, since bare.csv" in done(capsys, f"monitor points.json {files}")[1]
    assert load_model("m.json")._fitted.record_options == {"weights": "w"}


@pytest.mark.parametrize(
    ("fit", "rows", "bare"),
    [
        ("items.csv --model itemsets", "items.csv", "few.csv"),
        (
            "log.csv --model itemsets --record who --item what --targets owners.csv",
            "log.csv --targets owners.csv",
            "log.csv --targets bare_owners.csv",
        ),
    ],
)
def test_patterns_keep_the_column_of_their_weights(folder, capsys, fit, rows, bare):
    done(capsys, f"fit {fit} -t y --weights w --alpha 0.02 -o m.json")
    assert done(capsys, f"verify m.json {rows}")[0].startswith("the certificate is verified")
    weighted = done(capsys, f"patterns m.json {rows}")
    assert weighted == done(capsys, f"patterns m.json {rows} --weights w")
    out, err = done(capsys, f"patterns m.json {bare}")
    assert out != weighted[0]
    assert "nothing is weighted, since" in err
    assert "nothing is weighted, since" in done(capsys, f"report m.json {bare} -o page.html")[1]
    assert "the weights of the fit; name it with --weights" in refused(capsys, f"verify m.json {bare}")
    assert done(capsys, f"predict m.json {bare.split()[0]}")[1] == ""


def test_verify_names_the_weights_that_a_log_with_copies_lacks(folder, capsys):
    log = pd.read_csv("log.csv").assign(at=range(3 * N), w=1 + np.arange(3 * N) // 3 % 2)
    log = pd.concat([log, log.iloc[:3]])
    log.to_csv("copies.csv", index=False)
    log.drop(columns="w").to_csv("bare.csv", index=False)
    fit = "fit copies.csv --model sequences --record who --event what --time at -t y --weights w --alpha 0.02"
    done(capsys, f"{fit} -o m.json")
    log.assign(y=1 - log["y"]).to_csv("other.csv", index=False)
    err = refused(capsys, "verify m.json other.csv")
    assert "if the fit had --session-gap or --same-time, give that too" in err
    assert (
        "3 rows with the record, event and time of an earlier one"
        in done(capsys, "verify m.json copies.csv")[1]
    )
    assert "error: bare.csv lacks 'w', the column of the weights of the fit" in refused(
        capsys, "verify m.json bare.csv"
    )


def test_commands_say_which_rows_have_no_target(folder, capsys):
    pd.read_csv("rows.csv").assign(bad=lambda own: own["bad"].where(own.index > 1)).to_csv(
        "gaps.csv", index=False
    )
    done(capsys, "fit gaps.csv -t bad --model additive --lambda0 1 --drop w -o m.json")
    for command in ("verify", "bins", "importances"):
        assert (
            done(capsys, f"{command} m.json gaps.csv")[1]
            == "note: left out 2 rows without a value of 'bad'\n"
        )


@pytest.mark.parametrize("model", ["additive --lambda0 1", "rules --alpha 0.02", "hierarchy --alpha 0.02"])
def test_categories_of_rows_of_weight_0_do_not_end_a_fit(folder, capsys, model):
    frame = pd.read_csv("rows.csv").assign(home=np.resize(["own", "rent"], N))
    frame.loc[:3, ["w", "home"]] = [0, "boat"]
    frame.loc[4:, "bad"] = (frame["home"] == "own").astype(int)
    frame.to_csv("homes.csv", index=False)
    done(capsys, f"fit homes.csv -t bad --weights w --model {model} -o m.json")
    assert "home" in str(load_model(folder / "m.json").summary())


def test_comparisons_take_the_weights_of_the_fit(folder, capsys):
    for name, alpha in (("a", 0.05), ("b", 0.01)):
        done(capsys, f"fit rows.csv -t bad --weights w --alpha {alpha} --cv 2 -o {name}.json")
        done(capsys, f"fit items.csv -t y --model itemsets --weights w --alpha {alpha} -o sets_{name}.json")
    frame = pd.read_csv("rows.csv")
    models = {name: load_model(f"{name}.json") for name in "ab"}
    found, _ = done(capsys, "compare a.json b.json rows.csv")
    assert found.strip() == str(compare_models(models, frame, sample_weight="w"))
    assert "Rows count by their weights." in found
    plain, err = done(capsys, "compare a.json b.json bare.csv")
    assert "nothing is weighted" in err
    assert "by their weights" not in plain
    assert "by their weights" in done(capsys, "compare sets_a.json sets_b.json items.csv")[0]
    assert "'ages'" in refused(capsys, "compare a.json b.json rows.csv --weights ages")
