"""Files of the sparse linear and the additive models: truncated, edited, made to harm."""

import json

import numpy as np
import pandas as pd
import pytest

from thresher import FormatError, L0AdditiveClassifier, L0AdditiveRegressor, L0Classifier, L0Regressor

RNG = np.random.default_rng(0)
X = pd.DataFrame({"age": RNG.integers(20, 80, 120), "dose": RNG.normal(size=120)}).astype(float)
Y = (X["age"] > 50).to_numpy()


@pytest.fixture(scope="module", params=[L0Classifier, L0AdditiveClassifier])
def model(request):
    return request.param(lambda0=1.0).fit(X, Y)


def edits(good):
    """Documents with one thing wrong each."""

    def changed(**entries):
        return {**good, **entries}

    def inner(**entries):
        return changed(model={**good["model"], **entries})

    yield from (changed(version=9), changed(format="other"), changed(extra=1), changed(model=[]))
    yield from (changed(params={"alpha": 1}), changed(targets=["a", "b"]), changed(named=1))
    yield from (inner(version=2), inner(outputs=[]), inner(features=[]), inner(task="regression"))
    yield from (
        inner(loss="squared"),
        inner(classes=None),
        inner(classes=["a"]),
        inner(format="thresher.rules"),
    )
    output = good["model"]["outputs"][0]
    yield inner(outputs=[{**output, "selected": 3}])
    yield inner(outputs=[{**output, "cv": {"mean": [1.0], "se": [], "n_folds": -1}}])
    point = output["points"][0]
    wrong = [{"intercept": None}, {"loss": "x"}, {"complete": 1}, {"surprise": 0}]
    if "coef" in point:
        wrong += [{"coef": [[7, 1.0]]}, {"coef": [[1, 1.0], [0, 1.0]]}, {"coef": [[0]]}]
    else:
        shape = point["shapes"][0]
        for entry in (
            {"feature": 9},
            {"cuts": [3.0, 1.0]},
            {"values": [0.0]},
            {"weights": []},
            {"groups": [0]},
            {"missing": {}},
        ):
            wrong.append({"shapes": [{**shape, **entry}]})
        wrong.append({"shapes": [shape, shape]})
    for entry in wrong:
        yield inner(outputs=[{**output, "points": [{**point, **entry}]}])


def test_edited_files(model):
    for document in edits(json.loads(model.to_json())):
        with pytest.raises(FormatError):
            type(model).from_json(json.dumps(document))


def test_truncated_files(model, tmp_path):
    text = model.to_json()
    for end in (1, len(text) // 3, len(text) // 2, len(text) - 1):
        path = tmp_path / "cut.json"
        path.write_text(text[:end], encoding="utf-8")
        with pytest.raises(FormatError, match="not a valid thresher model"):
            type(model).from_json(path)
    for nested in ("{" * 50_000, "[" * 50_000, '{"a":' * 20_000):
        with pytest.raises(FormatError):
            type(model).from_json(nested)
    for number in ("NaN", "1e999", "-Infinity"):
        with pytest.raises(FormatError):
            type(model).from_json(text.replace('"intercept": ', f'"intercept": {number}, "x": '))


def test_models_for_another_class(model):
    for kind in (L0Classifier, L0AdditiveClassifier, L0Regressor, L0AdditiveRegressor):
        if kind is not type(model):
            with pytest.raises(FormatError, match="it holds a"):
                kind.from_json(model.to_json())


@pytest.mark.parametrize("kind", [L0Classifier, L0AdditiveClassifier])
def test_memory_limit(kind):
    model = kind(memory_limit=100.0)
    with pytest.raises(MemoryError, match="100 bytes do not hold"):
        model.fit(X, Y)
    assert not hasattr(model, "lambda0_")
    kind(memory_limit=1e9, lambda0=1.0).fit(X, Y)
    with pytest.raises(ValueError, match="memory_limit"):
        kind(memory_limit=-1).fit(X, Y)


@pytest.mark.parametrize("kind", [L0Regressor, L0AdditiveRegressor])
def test_memory_limit_of_a_regression(kind):
    with pytest.raises(MemoryError, match="100 bytes do not hold"):
        kind(memory_limit=100.0).fit(X, X["age"])
