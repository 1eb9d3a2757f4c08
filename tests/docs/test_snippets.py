"""Every Python block of the README and of the guide runs as it is printed, and prints what the page shows.

The blocks of one page share a namespace, in order, in a folder that holds the CSV files the pages
speak of.
"""

import contextlib
import io
import math
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/guide").glob("*.md")])
BLOCK = re.compile(r"^```(python|bash)\n(.*?)^```(?:\n+```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])[+-]?\d[\d,]*\.?\d*(?:e[+-]?\d+)?")
EFFORT = re.compile(r"\d[\d.]* (s|ms|seconds)\b|\d[\d,]* search(es)? over [\d,]+ nodes")
NEARLY_ZERO = 1e-6  # gaps, which depend on the order of additions
WIDEST = 88  # columns of an output: beyond it, lines wrap beside the side bars of a page
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

    for line in script.replace("\\\n", " ").splitlines():
        command = line.split("#")[0].split(">")[0].strip()
        if not command or command.startswith(SKIPPED_COMMANDS):
            continue
        program, *arguments = command.split()
        assert program == "thresher", f"the page runs {program}, which no test knows"
        assert cli.main(arguments) in (0, None), command


def parts_of(text: str) -> tuple[str, list[float]]:
    """Split an output into its words, without line breaks and effort, and its numbers."""
    text = EFFORT.sub("some effort", " ".join(text.split()))
    numbers = [float(number.replace(",", "")) for number in NUMBER.findall(text)]
    return NUMBER.sub("#", text), numbers


def check_output(printed: str, shown: str | None, where: str) -> None:
    """Compare what a block prints with the block of text below it; lines may be wrapped otherwise."""
    if shown is None:
        return
    (words, numbers), (other_words, other_numbers) = parts_of(printed), parts_of(shown)
    alike = len(numbers) == len(other_numbers) and all(
        math.isclose(a, b, rel_tol=0.01, abs_tol=NEARLY_ZERO)
        for a, b in zip(numbers, other_numbers, strict=True)
    )
    if words != other_words or not alike:
        pytest.fail(f"{where} shows\n{shown}\nbut its block prints\n{printed}", pytrace=False)


def check_classes(namespace: dict[str, Any]) -> None:
    """Fail if a classifier that a block has fitted to a table predicts the same class for all rows of it."""
    for name, model in namespace.items():
        if hasattr(model, "classes_") and list(getattr(model, "feature_names_in_", ())) == list(
            namespace["X"]
        ):
            assert len(set(model.predict(namespace["X"]))) > 1, f"{name} predicts one class"


def blocks_of(page: Path) -> Iterator[tuple[str, str, str | None]]:
    """Give the language of each block that runs, the block, and the output that the page shows for it."""
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        yield block[1], block[2], block[3]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_page(page: Path, folder: Path) -> None:
    namespace = {"__name__": "__main__"}
    for language, block, shown in blocks_of(page):
        if language == "bash":
            shell(block)
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, f"{page.name}", "exec"), namespace)
        if page.name == "README.md":
            check_classes(namespace)
        check_output(printed.getvalue(), shown, page.name)
    sys.stdout.flush()


@pytest.mark.parametrize(
    ("printed", "is_alike"),
    [
        ("gap 1.2e-9, 1,234 rules in 0.31 s", True),
        ("gap 3e-16,\n  1,235 rules in 2 s", True),
        ("gap 1.2e-9, 1,334 rules in 0.31 s", False),
        ("gap 1.2e-9, 1,234 terms in 0.31 s", False),
        ("gap 1.2e-9, 1,234 rules", False),
    ],
)
def test_outputs_are_compared(printed: str, is_alike: bool) -> None:
    with contextlib.nullcontext() if is_alike else pytest.raises(pytest.fail.Exception, match="page shows"):
        check_output(printed, "gap 1e-9, 1,234 rules in 0.5 s\n", "page")


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "README.md"], ids=lambda p: p.name)
def test_outputs_fit_a_column_and_tables_have_headings(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    shown = re.findall(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert [line for block in shown for line in block.splitlines() if len(line) > WIDEST] == []
    assert re.findall(r"^\|\s*\|.*\n\|---", text, re.MULTILINE) == []


def test_pages_have_snippets() -> None:
    found = sum(len(BLOCK.findall(p.read_text(encoding="utf-8"))) for p in PAGES)
    assert found >= 12, "the pattern that finds the blocks no longer fits the pages"
