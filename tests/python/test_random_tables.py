"""Random tables through every method: an answer, or one of the documented exceptions."""

import json
import warnings

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thresher import RuleClassifier, RuleRegressor

SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
NUMBERS = st.one_of(
    st.floats(-1e6, 1e6), st.sampled_from([0.0, 1.0, -1.0, np.nan, 1e300, -1e-300, np.inf]), st.none()
)
CELLS = {
    "number": NUMBERS,
    "few": st.sampled_from([0.0, 1.0, 2.0, np.nan]),
    "text": st.sampled_from(["a", "b", "c and d", "", None]),
    "truth": st.sampled_from([True, False, None]),
    "mixed": st.one_of(NUMBERS, st.text(max_size=2)),
}


@st.composite
def frames(draw):
    rows = draw(st.integers(0, 25))
    columns = {}
    for number in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["number", "number", "few", "few", "text", "truth", "mixed"]))
        name = draw(st.sampled_from([f"c{number}", f"a and {number}", f"{number} < x"]))
        columns[name] = draw(st.lists(CELLS[kind], min_size=rows, max_size=rows))
    return pd.DataFrame(columns, index=range(rows))


PARAMETERS = st.fixed_dictionaries(
    {
        "alpha": st.sampled_from(["cv", "bic", 1e-3, 0.1, 10.0]),
        "max_features": st.sampled_from([1, 2, None]),
        "bins": st.sampled_from(["auto", 2, 5, None, ("intervals", 0.1), "supervised"]),
        "linear": st.booleans(),
        "closed": st.booleans(),
        "positive": st.booleans(),
        "min_support": st.sampled_from([1, 3]),
        "penalty_growth": st.sampled_from([0.0, 0.5]),
        "strategy": st.sampled_from(["working_set", "screening", "column_generation"]),
        "n_alphas": st.just(5),
        "n_jobs": st.just(1),
    }
)


def ask_everything(model, frame, y):
    assert (
        model.certificate_.primal >= model.certificate_.dual - 1e-9 * abs(model.certificate_.primal) - 1e-12
    )
    predicted = model.predict(frame)
    assert len(predicted) == len(frame)
    assert model.transform(frame).shape == (len(frame), len(model.rules_))
    assert len(model.get_feature_names_out()) == len(model.rules_)
    for rule in model.rules_:
        assert model.price(rule).n_rows == rule.n_rows
    loaded = type(model).from_json(model.to_json())
    np.testing.assert_array_equal(loaded.predict(frame), predicted)
    json.loads(model.to_json())
    str(model.summary())
    model.summary()._repr_html_()
    model.explain(frame)
    model.near_ties()
    model.verify(frame, y)


@SETTINGS
@given(frame=frames(), params=PARAMETERS, data=st.data())
def test_regressor(frame, params, data):
    y = data.draw(st.lists(st.floats(-1e3, 1e3), min_size=len(frame), max_size=len(frame)))
    check(RuleRegressor(**params), frame, y)


@SETTINGS
@given(frame=frames(), params=PARAMETERS, loss=st.sampled_from(["logistic", "squared_hinge"]), data=st.data())
def test_classifier(frame, params, loss, data):
    y = data.draw(st.lists(st.sampled_from(["p", "q", "r"]), min_size=len(frame), max_size=len(frame)))
    check(RuleClassifier(loss=loss, **params), frame, y)


def check(model, frame, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(frame, y)
        except (ValueError, TypeError):
            return
        ask_everything(model, frame, y)
