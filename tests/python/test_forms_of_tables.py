"""Forms of tables that are read in batches: each method takes each form, and reads it as often as it says."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from thresher import L0AdditiveClassifier, L0AdditiveRegressor, RuleClassifier, RuleRegressor

from .test_from_disk import document, numbers

TABLE = numbers()
X, Y = TABLE.drop_columns("y"), TABLE["y"].to_numpy()
LABELS = np.where(Y > 1, "high", "low")
MODELS = {
    "rules": RuleRegressor(alpha=0.02, linear=False).fit(X, Y),
    "classes": RuleClassifier(alpha=0.02, linear=False).fit(X, LABELS),
    "card": L0AdditiveRegressor(lambda0=1.0).fit(X, Y),
    "card of classes": L0AdditiveClassifier(lambda0=1.0).fit(X, LABELS),
}
READ_ONCE = {
    "reader": lambda table: pa.RecordBatchReader.from_batches(table.schema, table.to_batches(70)),
    "iterator": lambda table: iter(table.to_batches(70)),
    "generator": lambda table: (table.slice(start, 70).to_pandas() for start in range(0, 300, 70)),
}


@pytest.mark.parametrize("form", READ_ONCE)
@pytest.mark.parametrize("name", MODELS)
def test_a_prediction_takes_what_can_be_read_once(name, form):
    model, make = MODELS[name], READ_ONCE[form]
    methods = ["predict"]
    if hasattr(model, "classes_"):
        methods += ["decision_function", "predict_proba", "predict_log_proba"]
    for method in methods:
        np.testing.assert_array_equal(getattr(model, method)(make(TABLE)), getattr(model, method)(X))
    table = TABLE.append_column("label", pa.array(LABELS)).append_column("w", pa.array(np.arange(300.0)))
    y, column = (LABELS, "label") if hasattr(model, "classes_") else (Y, "y")
    assert model.score(make(table), column, "w") == model.score(X, y, np.arange(300.0))
    assert model.score(make(X), y) == model.score(X, y)


def test_streams_without_rows_and_of_rows():
    model = MODELS["rules"]
    empty = pa.RecordBatchReader.from_batches(TABLE.schema, [])
    assert model.predict(empty).shape == (0,)
    assert model.predict(iter([TABLE.slice(0, 0)])).shape == (0,)
    with pytest.raises(ValueError, match="X has no batches"):
        model.predict(iter(()))
    with pytest.raises(TypeError, match="X is a generator, which can be read once; give a list of rows"):
        model.predict(row for row in X.to_pandas().to_numpy())


@pytest.mark.parametrize("form", READ_ONCE)
def test_a_fit_and_a_verification_do_not(form):
    for method in (RuleRegressor().fit, MODELS["rules"].verify):
        with pytest.raises(TypeError, match=r"read once.*(fit and verify read|its of .* read batches) twice"):
            method(READ_ONCE[form](TABLE), "y")


def counted(make, calls):
    def batches():
        calls.append(1)
        return make()

    return batches


def test_a_function_is_called_once_for_each_reading():
    calls = []
    batches = counted(lambda: iter(TABLE.to_batches(70)), calls)
    model = RuleRegressor(alpha=0.02).fit(batches, "y")
    assert len(calls) == 2
    assert document(model) == document(RuleRegressor(alpha=0.02).fit(X, Y))
    model.verify(batches, "y")
    assert len(calls) == 4
    np.testing.assert_array_equal(model.predict(batches), model.predict(X))
    model.score(batches, "y")
    assert len(calls) == 6


def test_a_function_that_gives_the_same_iterator_twice():
    for make in READ_ONCE.values():
        opened = make(TABLE)
        model = RuleRegressor(alpha=0.02)
        with pytest.raises(TypeError, match="X is a function that gave the same iterator twice"):
            model.fit(lambda opened=opened: opened, "y")
        assert not hasattr(model, "rules_")
        opened = make(TABLE)
        np.testing.assert_array_equal(MODELS["rules"].predict(lambda o=opened: o), MODELS["rules"].predict(X))
    frames = iter([TABLE.to_pandas()])
    with pytest.raises(ValueError, match="X was read twice and had no rows the second time; a function must"):
        RuleRegressor(alpha=0.02).fit(lambda: (pd.DataFrame(frame) for frame in frames), "y")
