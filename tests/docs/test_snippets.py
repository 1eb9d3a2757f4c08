"""Every Python block of the README and of the guide runs as it is printed.

The blocks of one page share a namespace, in order, in a folder that holds the CSV files the pages
speak of.
"""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from thresher import cli

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/guide").glob("*.md")])
BLOCK = re.compile(r"^```(python|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SKIPPED_COMMANDS = ("pip ", "make ")


def patients(seed: int, rows: int = 150) -> pd.DataFrame:
    """A small file as a reader might have it: numbers, text, gaps."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, rows)
    smoker = rng.choice(["yes", "no"], rows)
    bmi = np.where(rng.random(rows) < 0.1, np.nan, rng.normal(27, 5, rows).round(1))
    risk = (age > 50) & (smoker == "yes") | (rng.random(rows) < 0.1)
    outcome = np.where(risk, "ill", "well")
    return pd.DataFrame({"age": age, "smoker": smoker, "bmi": bmi, "outcome": outcome})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with the files that the pages name."""
    patients(0).to_csv(tmp_path / "patients.csv", index=False)
    patients(1).drop(columns="outcome").to_csv(tmp_path / "new_patients.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell(script: str) -> None:
    """Run the `thresher` lines of a block through the command's own entry point."""
    for line in script.splitlines():
        command = line.split("#")[0].split(">")[0].strip()
        if not command or command.startswith(SKIPPED_COMMANDS):
            continue
        program, *arguments = command.split()
        assert program == "thresher", f"the page runs {program}, which no test knows"
        assert cli.main(arguments) in (0, None), command


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_page(page: Path, folder: Path) -> None:
    namespace = {"__name__": "__main__"}
    for language, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "bash":
            shell(block)
        else:
            exec(compile(block, f"{page.name}", "exec"), namespace)
    sys.stdout.flush()


def test_pages_have_snippets() -> None:
    found = sum(len(BLOCK.findall(p.read_text(encoding="utf-8"))) for p in PAGES)
    assert found >= 12, "the pattern that finds the blocks no longer fits the pages"
