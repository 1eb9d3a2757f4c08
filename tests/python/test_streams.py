"""What the command line reads and writes: pipes, devices, links, full disks, incomplete files."""

import gzip
import io
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from thresher import RuleRegressor, load_model
from thresher.cli import main

CLI = [sys.executable, "-m", "thresher"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 80, 400), "color": rng.choice(["red", "blue"], 400)})
    frame["price"] = 3.0 * (frame["age"] > 50) + rng.normal(0, 0.1, 400)
    frame.to_csv(folder / "d.csv", index=False)
    frame.to_parquet(folder / "d.parquet")
    RuleRegressor(alpha=0.1).fit(frame[["age", "color"]], frame["price"]).to_json(folder / "m.json")
    text = (folder / "d.csv").read_bytes()
    (folder / "cut.csv.gz").write_bytes(gzip.compress(text)[:-100])
    (folder / "bad.csv.gz").write_bytes(gzip.compress(text)[:40] + b"x" * 200)
    (folder / "cut.parquet").write_bytes((folder / "d.parquet").read_bytes()[:-200])
    (folder / "empty.parquet").write_bytes(b"")
    (folder / "text.parquet").write_bytes(text)
    (folder / "long.csv").write_bytes(b'age,color,price\n1,"' + b"x" * 200_000 + b'",2\n')
    (folder / "open.csv").write_bytes(b'age,color,price\n1,"red,2\n2,blue,3\n3,red,4\n')
    return folder


def run(folder, *arguments, **options):
    options = {"capture_output": True, "timeout": 60, **options}
    return subprocess.run([*CLI, *map(str, arguments)], cwd=folder, check=False, **options)


@pytest.fixture(scope="module")
def predicted(folder):
    return run(folder, "predict", "m.json", "d.csv").stdout


def test_a_link_keeps_its_target_and_a_file_its_mode(folder, tmp_path, predicted):
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    assert run(folder, "predict", "m.json", "d.csv", "-o", link).returncode == 0
    assert link.is_symlink()
    assert target.read_bytes() == predicted
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    (tmp_path / "dangling.json").symlink_to(tmp_path / "new.json")
    load_model(folder / "m.json").to_json(tmp_path / "dangling.json")
    assert (tmp_path / "dangling.json").is_symlink()
    assert load_model(tmp_path / "new.json")
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "dangling.json",
        "link.csv",
        "new.json",
        "target.csv",
    ]


def test_devices_and_pipes_are_written_through(folder, tmp_path, predicted):
    assert run(folder, "predict", "m.json", "d.csv", "-o", "/dev/null").returncode == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    pipe, found = tmp_path / "pipe.csv", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    assert run(folder, "predict", "m.json", "d.csv", "-o", pipe).returncode == 0
    reader.join(timeout=60)
    assert found == [predicted]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.fixture
def inside(folder, monkeypatch, capfdbinary):
    """Runs a command in this process, with bytes as standard input; returns its status and what it prints."""
    monkeypatch.chdir(folder)

    def run_inside(*arguments, given=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        status = main([str(argument) for argument in arguments])
        return status, *capfdbinary.readouterr()

    return run_inside


def test_standard_input_and_output(folder, predicted, inside):
    data, model = (folder / "d.csv").read_bytes(), (folder / "m.json").read_bytes()
    for content in (data, gzip.compress(data), (folder / "d.parquet").read_bytes()):
        status, out, err = inside("predict", "m.json", "-", given=content)
        assert (status, len(out.splitlines()), err) == (0, len(predicted.splitlines()), b"")
    assert inside("predict", "-", "d.csv", "-o", "-", given=model)[1] == predicted
    assert inside("predict", "m.json", "d.csv", "-o", "/dev/stdout")[1] == predicted
    assert b"Certificate" in inside("summary", "-", given=model)[1]
    assert inside("verify", "m.json", "-", "-t", "price", given=data)[0] == 0
    status, _, err = inside("predict", "-", "-", given=data)
    assert (status, err.count(b"\n")) == (2, 1)
    _, out, err = inside("fit", "-", "-t", "price", "--alpha", 0.1, "-o", "-", given=data)
    assert load_model(out.decode()).alpha == 0.1
    assert b"Certificate" in err


@pytest.mark.parametrize("more", [[], ["--from-disk"]])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (b"", "standard input is empty; a header line"),
        (b"age,color\n1\n", "standard input, line 2: 1 cell, but the header has 2 names"),
        (b"BZh9", "standard input is compressed (bzip2)"),
        (b"age,color\n1,\xe4", "standard input is no text in UTF-8"),
    ],
)
def test_standard_input_is_named(inside, given, message, more):
    status, _, err = inside("predict", "m.json", "-", *more, given=given)
    assert (status, err.decode().partition(message)[:2]) == (1, ("thresher: error: ", message))


def test_pipes_are_read(folder, predicted):
    command = f"{' '.join(CLI)} predict <(cat m.json) <(cat d.csv)"
    found = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, check=False, timeout=60)
    assert found.stdout == predicted


def test_a_full_disk_leaves_the_old_file(folder, tmp_path):
    limited = (
        "import resource, signal, sys\nfrom thresher.cli import main\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))\nsys.exit(main(sys.argv[1:]))"
    )
    for name, command in [
        ("p.csv", ["predict", "m.json", "d.csv"]),
        ("m.json", ["fit", "d.csv", "-t", "price", "--alpha", "0.1"]),
    ]:
        old = tmp_path / name
        old.write_text("old")
        code = [sys.executable, "-c", limited, *command, "-o", str(old)]
        found = subprocess.run(code, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
        assert found.returncode == 1
        assert f"thresher: error: cannot write {old}: File too large; {old} is unchanged" in found.stderr
        assert old.read_text() == "old"
        assert len(list(tmp_path.glob("*.part"))) == 0
    with Path("/dev/full").open("wb") as full:
        found = run(folder, "summary", "m.json", stdout=full, stderr=subprocess.PIPE, capture_output=False)
    assert (found.returncode, found.stderr.count(b"\n")) == (1, 1)
    assert b"cannot write standard output: no space left" in found.stderr


def test_a_reader_that_leaves_ends_quietly(folder):
    command = f"{' '.join(CLI)} predict m.json d.csv | head -1"
    found = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, check=False, timeout=60)
    assert (found.stdout, found.stderr) == (b"age,color,price,prediction\n", b"")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_characters_that_the_terminal_lacks_are_replaced(folder, tmp_path, encoding):
    text = (folder / "d.csv").read_text(encoding="utf-8").replace("age", "age ☃", 1)
    (tmp_path / "d.csv").write_text(text, encoding="utf-8")
    fit = ["fit", tmp_path / "d.csv", "-t", "price", "--alpha", "0.1", "-o", tmp_path / "m.json"]
    for command in (fit, ["summary", tmp_path / "m.json"]):
        found = run(folder, *command, env={**os.environ, "PYTHONIOENCODING": encoding})
        assert (found.returncode, b"error" in found.stderr) == (0, False)
        assert b"age \\u2603" in found.stdout


@pytest.mark.parametrize(
    ("command", "status", "message"),
    [
        ("predict m.json d.csv >&-", 1, "cannot write standard output: it is closed; give a file"),
        ("predict m.json d.csv --from-disk >&-", 1, "cannot write standard output: it is closed"),
        ("export m.json --to sql >&-", 1, "cannot write standard output: it is closed; give a file"),
        ("predict m.json - <&-", 1, "standard input is closed; give a file"),
        ("summary m.json >&-", 0, ""),
        ("doctor d.csv >&-", 0, ""),
    ],
)
def test_closed_streams_are_no_traceback(folder, command, status, message):
    line = f"{' '.join(CLI)} {command}"
    found = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, check=False, timeout=60)
    said = f"thresher: error: {message}" if message else ""
    assert found.returncode == status
    assert found.stderr.decode().startswith(said)
    assert found.stderr.count(b"\n") == bool(message)


def test_messages_do_not_move_to_standard_output(folder):
    command = f"{' '.join(CLI)} predict m.json nowhere.csv 2>&-"
    found = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, check=False, timeout=60)
    assert (found.returncode, found.stdout) == (1, b"")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cut.csv.gz", "cut.csv.gz is compressed, and incomplete or damaged"),
        ("bad.csv.gz", "bad.csv.gz is compressed, and incomplete or damaged"),
        ("cut.parquet", "cut.parquet is no complete Parquet file"),
        ("empty.parquet", "empty.parquet is no complete Parquet file"),
        ("text.parquet", "text.parquet is no complete Parquet file"),
        ("long.csv", "long.csv, line 2: field larger than field limit (131072)"),
        ("open.csv", "open.csv, line 4: unexpected end of data; look for a quotation mark"),
    ],
)
def test_incomplete_files_are_refused_in_one_line(inside, name, message):
    for command in (["fit", name, "-t", "price"], ["predict", "m.json", name]):
        status, _, err = inside(*command)
        assert status == 1
        assert err.decode().startswith(f"thresher: error: {message}")
        assert err.count(b"\n") == 1
