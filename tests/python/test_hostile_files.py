"""Files that are truncated, edited or made to harm: an error that says so, and nothing else."""

import json

import numpy as np
import pandas as pd
import pytest

from thresher import FormatError, RuleClassifier, RuleRegressor

FRAME = pd.DataFrame({"age": np.arange(20.0), "color": ["red", "blue", "green", "red"] * 5})
SHADE = (FRAME["color"] == "red") * 2.0 + (FRAME["age"] > 9)


@pytest.fixture(scope="module")
def shades():
    return RuleRegressor(alpha=0.01, linear=False).fit(FRAME, SHADE)


def hostile(model):
    good = json.loads(model.to_json())

    def changed(**entries):
        return json.dumps({**good, **entries})

    def inner(**entries):
        return json.dumps({**good, "model": {**good["model"], **entries}})

    text = json.dumps(good)
    yield from (
        text[: len(text) // 2],
        text[:-1],
        "{}",
        "{" * 100_000,
        '{"a":' * 50_000,
        "[1]",
        "[" * 100_000,
        "{]",
        "\ud800{",
    )
    yield from (
        changed(version=99),
        changed(format="other"),
        changed(surprise=1),
        changed(model=3),
        changed(model={}),
    )
    yield from (changed(params={"bad": 1}), changed(params=[]), changed(named="yes"), changed(flat=1))
    yield from (changed(targets=["a", "b"]), changed(digits=[[["a", "b"]]]), changed(digits=3))
    yield from (
        inner(version=2),
        inner(n_candidates="many"),
        inner(outputs=[]),
        inner(features=[]),
        inner(task="none"),
    )
    output = good["model"]["outputs"][0]
    yield inner(outputs=[{**output, "selected": 7}])
    yield inner(outputs=[{**output, "rules": []}])
    point = output["points"][0]
    for entry in (
        {"alpha": -1},
        {"alpha": "x"},
        {"intercept": None},
        {"rules": [[99, 1.0]]},
        {"linear": [{"feature": 9}]},
    ):
        yield inner(outputs=[{**output, "points": [{**point, **entry}]}])
    yield text.replace('"intercept": ', '"intercept": NaN, "x": ')
    yield text.replace('"alpha": 0.01', '"alpha": 1e999')


def test_hostile_files(shades, tmp_path):
    for number, text in enumerate(hostile(shades)):
        with pytest.raises((FormatError, OSError)):
            RuleRegressor.from_json(text)
        path = tmp_path / f"{number}.json"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        with pytest.raises(FormatError, match="not a valid thresher model"):
            RuleRegressor.from_json(path)


def test_file_for_another_task(shades, tmp_path):
    with pytest.raises(FormatError, match="it holds a RuleRegressor"):
        RuleClassifier.from_json(shades.to_json())
    with pytest.raises(FileNotFoundError):
        RuleRegressor.from_json(tmp_path / "absent.json")
    path = tmp_path / "noise.json"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(FormatError, match="no UTF-8 text"):
        RuleRegressor.from_json(path)
