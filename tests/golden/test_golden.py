"""Models written by every release are read by this one, and answer bit for bit as they did then."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import thresher

FILES = sorted(Path(__file__).parent.glob("*.json"))


def test_there_are_models() -> None:
    assert len(FILES) >= 8


def frame(rows: dict[str, list[Any]]) -> pd.DataFrame:
    """A table as it was written."""
    numbers = {name: float for name in rows["columns"] if name != "colour"}
    return pd.DataFrame(rows["data"], columns=rows["columns"]).astype(numbers)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_reads_and_answers_as_then(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    X = document["records"] if "records" in document else frame(document["rows"])
    model = getattr(thresher, document["estimator"]).from_json(json.dumps(document["model"]))
    answers = np.asarray(getattr(model, document["method"])(X))
    expected = np.array([float.fromhex(a) for a in document["answers"]])
    assert list(answers.shape) == document["shape"]
    np.testing.assert_array_equal(answers.ravel(), expected)
