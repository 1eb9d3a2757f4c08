"""Every script of the gallery and of the pages by field runs, without warnings, as `make docs` runs it."""

import runpy
from pathlib import Path

import pytest

matplotlib = pytest.importorskip("matplotlib")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted([*EXAMPLES.glob("gallery/*/*.py"), *EXAMPLES.glob("fields/*.py")])


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.relative_to(EXAMPLES).as_posix())
def test_script(script: Path, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    pyplot = pytest.importorskip("matplotlib.pyplot")
    try:
        runpy.run_path(str(script), run_name="__main__")
        assert pyplot.get_fignums(), "the script draws nothing"
    finally:
        pyplot.close("all")


def test_scripts_are_found() -> None:
    assert len(SCRIPTS) >= 16
