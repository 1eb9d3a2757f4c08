"""Targets and weights beside X: columns of other libraries, and an index in another order."""

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GroupKFold, permutation_test_score

from thresher import (
    GraphRegressor,
    L0AdditiveClassifier,
    RuleClassifier,
    RuleRegressor,
    SequenceRegressor,
    fit_many,
    sequences_from_table,
)

X = pd.DataFrame({"age": np.arange(40.0)}, index=[f"r{k}" for k in range(40)])
Y = pd.Series(np.where(X["age"] > 19, 2.0, 1.0), index=X.index)
SHUFFLED = Y.sample(frac=1, random_state=0)
LABELS = np.where(Y > 1, "late", "early")


@pytest.mark.parametrize(
    "labels",
    [
        pa.array(LABELS),
        pa.chunked_array([LABELS[:10], LABELS[10:]]),
        pa.array(LABELS).dictionary_encode(),
        pl.Series(LABELS),
        pl.Series(LABELS).cast(pl.Categorical),
        pd.Series(LABELS, dtype="category"),
        pd.Series(LABELS, dtype="string"),
        pd.array(LABELS, dtype="string[pyarrow]"),
        LABELS.tolist(),
    ],
    ids=lambda labels: type(labels).__name__,
)
@pytest.mark.parametrize("model", [RuleClassifier(alpha=0.02), L0AdditiveClassifier(lambda0=0.5)], ids=repr)
def test_labels_of_every_library(model, labels):
    model.fit(X, labels, sample_weight=pa.array(np.ones(40, dtype=np.int64)))
    assert model.classes_.tolist() == ["early", "late"]
    assert model.predict(X).tolist() == LABELS.tolist()


def test_missing_labels_of_arrow_are_named():
    with pytest.raises(ValueError, match="first in row 0"):
        RuleClassifier().fit(X, pa.array([None, *LABELS[1:].tolist()]))
    with pytest.raises(ValueError, match="first in row 1"):
        RuleRegressor().fit(X, pa.array([1.0, None, *Y.tolist()[2:]]))


def test_an_index_in_another_order_is_told():
    with pytest.warns(UserWarning, match=r"y has the index of X in another order.*y\.loc\[X\.index\]"):
        by_position = RuleRegressor(alpha=0.01).fit(X, SHUFFLED)
    same = RuleRegressor(alpha=0.01).fit(X, SHUFFLED.to_numpy())
    np.testing.assert_array_equal(by_position.predict(X), same.predict(X))
    with pytest.warns(UserWarning, match="sample_weight has the index of X in another order"):
        RuleRegressor(alpha=0.01).fit(X, Y, sample_weight=SHUFFLED)
    with pytest.warns(UserWarning, match=r"y has the index.*give y\.loc"):
        fit_many(RuleRegressor(alpha=0.01), [(X, SHUFFLED)])
    molecules = pd.Series(["CCO", "CCN", "CCC", "CO"] * 3, index=list("abcdefghijkl"))
    with pytest.warns(UserWarning, match="y has the index of X in another order: row 0 is l in y, a in X"):
        GraphRegressor(alpha=0.1).fit(molecules, pd.Series(np.arange(12.0), index=molecules.index[::-1]))


@pytest.mark.parametrize("name", ["y", "sample_weight", "groups"])
def test_records_of_a_log_in_another_order_are_told(name):
    log = {"user": [3, 1, 2, 0] * 5, "event": list("abcd") * 4 + list("aaaa")}
    sequences = sequences_from_table(log, record="user", event="event")
    values = pd.Series({user: 1.0 + user for user in range(4)})
    aligned = {"y": np.arange(4.0), "sample_weight": None, "groups": None} | {name: sequences.align(values)}
    model = SequenceRegressor(alpha=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "groups: nothing is chosen")
        model.fit(sequences, **aligned)
        model.fit(sequences, **aligned | {name: values.set_axis(range(10, 14))})
    told = (
        rf"{name} has the records of X in another order: sequence 0 is 0 in {name}, 3 in X.*\.align\({name}\)"
    )
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model.fit(sequences, **aligned | {name: values})
    assert any(re.match(told, str(each.message)) for each in found)


@pytest.mark.parametrize(
    "y",
    [
        Y,
        Y.to_numpy(),
        Y.reset_index(drop=True),
        pd.Series(Y.to_numpy(), index=["r0"] * 40),
        pd.Series(Y.to_numpy(), index=[*X.index[1:], "other"]),
        SHUFFLED.to_list(),
        pl.Series(Y.to_numpy()),
        Y.rename("target").to_frame(),
    ],
    ids=["same", "array", "numbered anew", "duplicates", "other labels", "list", "polars", "frame"],
)
def test_what_is_no_sign_of_a_mistake(y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RuleRegressor(alpha=0.01).fit(X, y)


def test_other_types_of_index_and_single_rows():
    rows = pd.DataFrame({"a": np.arange(4.0)}, index=pd.MultiIndex.from_product([["u", "v"], [1, 2]]))
    with pytest.warns(UserWarning, match=r"row 0 is \('v', .* in y"):
        RuleRegressor(alpha=0.01).fit(rows, pd.Series(np.arange(4.0), index=rows.index[::-1]))
    floats = rows.set_axis([0.0, 1.0, 2.0, np.nan])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RuleRegressor(alpha=0.01).fit(floats, pd.Series(np.arange(4.0), index=floats.index))


def test_permutation_tests_change_the_order_on_purpose():
    X = pd.DataFrame({"a": np.arange(40.0)})
    y, groups = X["a"] * 2, np.repeat(range(4), 10)
    model = RuleRegressor(alpha=0.1, max_features=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for options in ({"groups": groups, "cv": GroupKFold(2)}, {"cv": [(np.arange(40), np.arange(40))]}):
            score, _, p_value = permutation_test_score(
                model, X, y, n_permutations=3, random_state=0, **options
            )
        permutation_importance(model.fit(X, y), X, y, n_repeats=2, random_state=0)
    assert score > 0.9
    assert p_value == 0.25
    with pytest.warns(UserWarning, match="y has the index of X in another order"):
        model.fit(X, y.sample(frac=1.0, random_state=0))
