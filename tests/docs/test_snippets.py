"""Every Python block of the README and of the guide runs as it is printed.

The blocks of one page share a namespace, in order, in a folder that holds the CSV files the pages
speak of.
"""

import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/guide").glob("*.md")])
BLOCK = re.compile(r"^```(python|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SKIPPED_COMMANDS = ("pip ", "make ")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with the files that the pages name."""
    for name in ("patients.csv", "new_patients.csv"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    (tmp_path / "bins.json").write_text('{"age": [40, 50, 60]}')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell(script: str) -> None:
    """Run the `thresher` lines of a block through the command's own entry point."""
    from thresher.cli import commands as cli

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
