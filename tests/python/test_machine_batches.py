"""Categories that a machine meets after its first batch, or after its first fit."""

import warnings

import numpy as np
import pandas as pd
import pytest

from thresher import FactorizationMachineClassifier, FactorizationMachineRegressor

X = pd.DataFrame({"user": list("aabbcc"), "item": list("pqpqpq"), "age": np.arange(6.0)})
Y = np.arange(6.0)


def in_batches(**params):
    return FactorizationMachineRegressor(penalty=None, solver="adagrad", rank=1, **params)


def test_a_batch_with_new_categories_warns_once_and_says_how_to_declare_them():
    model = in_batches().partial_fit(X[:2], Y[:2])
    with pytest.warns(UserWarning, match="the first batch") as found:
        model.partial_fit(X[1:], Y[1:])
    [text] = [str(own.message) for own in found]
    assert text.startswith("X: 4 of 5 rows of the batch have categories that the first batch did not have")
    assert "(2 of 'user', such as 'b')" in text
    assert "pandas.Categorical" in text


def test_declared_categories_are_learnt_from_later_batches_without_a_warning():
    declared = X.astype({"user": pd.CategoricalDtype(list("abc")), "item": pd.CategoricalDtype(list("pq"))})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = in_batches().partial_fit(declared[:2], Y[:2]).partial_fit(declared[2:], Y[2:])
    coef = dict(zip(model.column_names_, model.coef_, strict=True))
    assert coef["user=c"] != 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (X.assign(user=list("aabbcd")), "column 'user' has the category 'd', which the model does not have"),
        (X.assign(user=list("aabbbb")), "column 'user' lacks the category 'c' of the model"),
        (X.assign(day=1.0), "X has the column 'day', which the model does not have"),
        (X[["user", "age"]], "X lacks the column 'item' of the model"),
        (X[["item", "user", "age"]], "X has them in another order than the model: 'user', 'item', 'age'"),
        (X.assign(age=list("uvuvuv")), "column 'age' has categories, and had numbers"),
    ],
)
def test_a_warm_start_names_the_first_column_or_category_that_differs(changed, message):
    model = FactorizationMachineRegressor(alpha=0.01, rank=2, warm_start=True).fit(X, Y).fit(X, Y)
    with pytest.raises(ValueError, match=f"^warm_start: {message}.*warm_start=False"):
        model.fit(changed, Y)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"rank": 3}, "rank is 3, and was 2 in"),
        ({"order": 3}, "order is 3, and was 2 in"),
        ({"fit_linear": False}, "fit_linear is False, and was True in"),
    ],
)
def test_a_warm_start_names_the_parameter_that_differs(params, message):
    model = FactorizationMachineRegressor(alpha=0.01, rank=2, warm_start=True).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        model.set_params(**params).fit(X, Y)


@pytest.mark.parametrize("order", [2, 3, "all"])
def test_the_same_rows_go_on(order):
    model = FactorizationMachineClassifier(penalty=None, rank=2, order=order, warm_start=True)
    model.fit(X, Y > 2).fit(X, Y > 1)
    with pytest.raises(ValueError, match=r"y has the class 2\.0, which the model does not have"):
        model.fit(X, Y % 3)
