"""Thumbnails and the order of the gallery."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_extensions"))
pytest.importorskip("sphinx")
image = pytest.importorskip("PIL.Image")
gallery = pytest.importorskip("gallery")


def test_thumbnails_lose_their_margins(tmp_path):
    path = tmp_path / "thumb.png"
    padded = image.new("RGBA", (100, 60), (255, 255, 255, 0))
    padded.paste(image.new("RGBA", (80, 30), "white"), (10, 15))
    padded.paste(image.new("RGBA", (40, 10), "navy"), (30, 25))
    padded.save(path)
    gallery.trim(path)
    gallery.trim(path)  # a second build finds it trimmed
    with image.open(path) as trimmed:
        assert trimmed.size == (40, 10)


def test_an_empty_picture_stays(tmp_path):
    path = tmp_path / "thumb.png"
    image.new("RGB", (20, 10), "white").save(path)
    gallery.trim(path)
    with image.open(path) as trimmed:
        assert trimmed.size == (20, 10)


def test_every_example_has_a_place():
    scripts = {path.name for path in (ROOT / "examples").glob("[fg]*/**/*.py")}
    assert scripts == set(gallery._ORDER)
