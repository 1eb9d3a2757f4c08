"""Every command on odd files: an answer, or one sentence that says what is wrong with the file."""

import bz2
import gzip
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from thresher.cli import commands as cli

N = 40
RNG = np.random.default_rng(0)
GOOD = pd.DataFrame(
    {"age": RNG.integers(20, 80, N), "town": RNG.choice(["a", "b"], N), "debt": RNG.normal(size=N)}
)
GOOD["y"] = ((GOOD["age"] > 50) ^ (RNG.random(N) < 0.1)).astype(int)
TEXT = GOOD.to_csv(index=False)
MANY = pd.DataFrame(
    {"age": range(3000), "town": [f"t{k}" for k in range(3000)], "debt": 1.5, "y": [0, 1] * 1500}
)

GOOD_FILES = {
    "bom": b"\xef\xbb\xbf" + TEXT.encode(),
    "crlf": TEXT.replace("\n", "\r\n"),
    "cr": TEXT.replace("\n", "\r"),
    "semicolons": TEXT.replace(",", ";"),
    "gzip": gzip.compress(TEXT.encode()),
    "lines in cells": TEXT.replace(",a,", ',"a\nb",').replace("town", '"to\nwn"'),
    "a blank name": TEXT.replace("town", "", 1),
    "odd names": TEXT.replace("age", 'a""ge').replace("town", "SELECT * ☃"),
    "large numbers": GOOD.assign(debt=GOOD["debt"] * 1e300).to_csv(index=False),
    "the largest numbers": GOOD.assign(debt=[1.7e308, -1.7e308] * (N // 2)).to_csv(index=False),
    "nothing but missing": GOOD.assign(debt=np.nan, town=None).to_csv(index=False),
    "many categories": MANY.to_csv(index=False),
    "truth values": GOOD.assign(debt=GOOD["debt"] > 0, y=GOOD["y"] > 0).to_csv(index=False),
    "dates": GOOD.assign(debt=pd.date_range("2026-01-01", periods=N)).to_csv(index=False),
    "targets that are missing": GOOD.assign(y=GOOD["y"].where(GOOD.index % 3 > 0)).to_csv(index=False),
}
BAD_FILES = {
    "empty": ("", "is empty"),
    "blank": (" \n\n", "is empty"),
    "header": (TEXT.splitlines()[0] + "\n", "names 4 columns and has no row below them"),
    "one row": ("\n".join(TEXT.splitlines()[:2]), "y holds one class only"),
    "one column": ("y\n" + "0\n1\n" * 20, "there is no column left"),
    "two names": (TEXT.replace("debt", "age", 1), "two columns share the name 'age'"),
    "utf-16": (TEXT.encode("utf-16"), "is text in UTF-16; save it in UTF-8"),
    "latin-1": (TEXT.replace(",a,", ",ä,").encode("latin-1"), "is no text in UTF-8"),
    "bytes": (bytes(range(256)), "is no text in UTF-8"),
    "zstd": (b"\x28\xb5\x2f\xfd\x04\x00", "is compressed (zstd)"),
    "bzip2": (bz2.compress(TEXT.encode()), "is compressed (bzip2)"),
    "workbook": (b"PK\x03\x04abc", "is a workbook"),
    "cut gzip": (gzip.compress(TEXT.encode())[:60], "is compressed, and incomplete or damaged"),
    "open quotation": (TEXT.replace(",a,", ',"a,', 1), "look for a quotation mark"),
    "short row": (TEXT.replace("\n", "\n1,2\n", 2), "line 2: 2 cells, but the header has 4 names"),
    "comment": ("# note\n" + TEXT, "line 2: 4 cells, but the header has 1 name"),
    "infinite": (TEXT.replace("\n", "\n5,a,inf,1\n", 1), "holds an infinite value in data row 1"),
    "overflow": (TEXT.replace("\n", "\n5,a,1e999,1\n", 1), "holds an infinite value in data row 1"),
    "no target": (GOOD.assign(y=np.nan).to_csv(index=False), "has no value in any row"),
    "one class": (GOOD.assign(y=1).to_csv(index=False), "y holds one class only"),
    "a class a row": (
        GOOD.assign(y=[f"c{k}" for k in range(N)]).to_csv(index=False),
        "has 40 different values",
    ),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    for name, content in [*GOOD_FILES.items(), *((name, text) for name, (text, _) in BAD_FILES.items())]:
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "good").write_text(TEXT)
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    nested = GOOD.assign(town=[["a"]] * N)
    nested.to_parquet(folder / "nested.parquet")
    before = Path.cwd()
    os.chdir(folder)
    assert cli.main(["fit", "good", "-t", "y", "--alpha", "0.05", "-o", "rules.json"]) == 0
    options = ["--model", "additive", "--lambda0", "1"]
    assert cli.main(["fit", "good", "-t", "y", *options, "-o", "card.json"]) == 0
    assert cli.main(["scorecard", "card.json", "-o", "points.json"]) == 0
    os.chdir(before)
    return folder


@pytest.fixture
def run(files, monkeypatch, capsys):
    monkeypatch.chdir(files)
    capsys.readouterr()

    def command(*arguments):
        status = cli.main(list(arguments))
        captured = capsys.readouterr()
        if status:
            assert status == 1
            assert captured.out == ""
            assert captured.err.splitlines()[-1].startswith("thresher: error: ")
        return status, captured.err

    return command


@pytest.mark.filterwarnings("ignore:linear. there is no linear term of 'debt'")
@pytest.mark.parametrize("name", GOOD_FILES)
def test_files_that_are_read(run, name):
    assert run("fit", name, "-t", "y", "--alpha", "0.05")[0] == 0
    assert run("doctor", name, "-t", "y")[0] == 0
    for arguments in _commands(name):
        run(*arguments)


@pytest.mark.parametrize("name", BAD_FILES)
def test_files_that_are_refused(run, name):
    status, err = run("fit", name, "-t", "y", "--alpha", "0.05")
    assert status == 1
    assert BAD_FILES[name][1] in err
    for arguments in _commands(name):
        run(*arguments)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("folder", "folder is a folder, not a file"),
        ("none", "there is no file none"),
        ("loop", "loop: too many levels of symbolic links"),
        ("nested.parquet", "column 'town' holds ['a'] (list) in data row 1"),
    ],
)
def test_what_is_no_file_of_a_table(run, name, words):
    status, err = run("fit", name, "-t", "y", "--alpha", "0.05")
    assert status == 1
    assert words in err
    for arguments in _commands(name):
        run(*arguments)


def test_a_target_beyond_whole_numbers_is_no_class(run, files):
    GOOD.assign(y=GOOD["debt"] * 1e200).to_csv(files / "huge", index=False)
    status, err = run("verify", "rules.json", "huge")
    assert status == 1
    assert "which are no classes" in err


def _commands(name):
    yield from (["predict", "rules.json", name], ["predict", "points.json", name, "--reasons", "1"])
    yield from (
        ["verify", "rules.json", name],
        ["bins", "card.json", name],
        ["monitor", "points.json", "good", name],
    )
    yield from (["summary", name], ["bins", "card.json", "good", "--edit", name], ["doctor", name])
