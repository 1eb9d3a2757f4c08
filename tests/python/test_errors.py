"""Every kind of bad input: the type of the error, its message, and an estimator that stays as it was."""

import inspect
import io
import itertools

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from scipy import sparse

import thresher
from thresher import (
    CertificateError,
    HierarchicalRuleRegressor,
    ItemsetRegressor,
    L0AdditiveClassifier,
    L0Regressor,
    RuleClassifier,
    RuleRegressor,
    examine,
)
from thresher.results.certificate import Certificate

X = np.arange(60.0).reshape(20, 3) % 7
Y = (X[:, 0] > 3) + X[:, 1]
LABELS = np.where(X[:, 0] > 3, "high", "low")
FRAME = pd.DataFrame({"age": np.arange(20.0), "color": ["red", "blue", "green", "red"] * 5})
SHADE = (FRAME["color"] == "red") * 2.0 + (FRAME["age"] > 9)


def but(row, column, value, dtype=float):
    changed = X.astype(dtype)
    changed[row, column] = value
    return changed


BAD_TABLES = {
    "no rows": (np.empty((0, 3)), ValueError, r"0 sample\(s\)"),
    "no columns": (np.empty((20, 0)), ValueError, r"0 feature\(s\)"),
    "empty frame": (pd.DataFrame(), ValueError, r"0 sample\(s\)"),
    "frame without columns": (pd.DataFrame(index=range(20)), ValueError, r"0 feature\(s\)"),
    "one dimension": (X[:, 0], ValueError, "Reshape your data"),
    "three dimensions": (X[:, :, None], ValueError, "dim"),
    "a number": (3.0, ValueError, "Expected 2D array"),
    "infinite value": (but(4, 1, np.inf), ValueError, "column 'x1' holds an infinite value in row 4"),
    "too large a whole number": (
        but(4, 1, 10**400, object),
        ValueError,
        "column 'x1' holds an infinite value in row 4 .*too large for a float64",
    ),
    "minus infinity": (
        pd.DataFrame(but(4, 1, -np.inf), columns=list("abc")),
        ValueError,
        "column 'b' holds an infinite value in row 4",
    ),
    "complex": (but(2, 0, 1j, complex), ValueError, "Complex data not supported"),
    "text in an object array": (
        but(3, 2, "seven", object),
        TypeError,
        r"column 'x2' mixes text and numbers: .*'seven' \(row 3\); .* pd\.to_numeric\(column,",
    ),
    "mixed list column": (pd.DataFrame({"a": [1, "x"] * 10}), TypeError, "column 'a' mixes text and numbers"),
    "dict in a cell": (
        but(3, 2, {"a": 1}, object),
        TypeError,
        r"column 'x2' holds \{'a': 1\} \(dict\) in row 3",
    ),
    "dates": (pd.DataFrame({"t": pd.date_range("2026", periods=20)}), TypeError, "column 't' holds dates"),
    "months": (
        pd.DataFrame({"t": pd.period_range("2026-01", periods=20, freq="M")}),
        TypeError,
        "column 't' holds dates or durations; turn it into numbers",
    ),
    "lists in a column": (pl.DataFrame({"l": [[1, 2]] * 20}), TypeError, "column 'l' holds"),
    "duplicate names": (
        pd.DataFrame(X, columns=["a", "a", "b"]),
        ValueError,
        "more than one column named 'a'",
    ),
    "name that is a number": (pd.DataFrame(X, columns=["a", 1, "b"]), TypeError, "column names"),
    "bytes": (np.array([[b"x"]] * 20), TypeError, "bytes"),
    "too few rows": (X[:7], ValueError, "X has 7 rows, y has 20"),
}


@pytest.mark.parametrize(("table", "kind", "message"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_bad_table(table, kind, message):
    for model, y in ((RuleRegressor(alpha=0.1), Y), (RuleClassifier(alpha=0.1), LABELS)):
        with pytest.raises(kind, match=message):
            model.fit(table, y)
        assert not hasattr(model, "rules_")


BAD_PARAMETERS = [
    ({"alpha": 0}, ValueError, "alpha: got 0; give 'cv', 'bic', 'ebic' or a number > 0"),
    ({"alpha": -1.0}, ValueError, "alpha: got -1.0"),
    ({"alpha": np.nan}, ValueError, "alpha: got nan"),
    ({"alpha": "best"}, ValueError, "alpha: got 'best'"),
    ({"alpha": True}, TypeError, "alpha: got True"),
    ({"alpha": None}, TypeError, "alpha: got None"),
    ({"n_alphas": 0}, ValueError, "n_alphas: got 0; give a whole number >= 1 and <= 100000"),
    ({"n_alphas": 2**40}, ValueError, "n_alphas: got 1099511627776; give a whole number >= 1 and <= 100000"),
    (
        {"max_rules": 10**20},
        ValueError,
        "give a whole number >= 1, or None; whole numbers are at most 9007199254740992",
    ),
    ({"n_alphas": 2.5}, TypeError, "n_alphas: got 2.5"),
    ({"alpha_min_ratio": 1.0}, ValueError, "alpha_min_ratio: got 1.0; give a number > 0 and < 1"),
    ({"max_features": 0}, ValueError, "max_features: got 0"),
    ({"min_support": 0}, ValueError, "min_support: got 0"),
    ({"min_support": "1"}, TypeError, "min_support: got '1'"),
    ({"max_rules": 0}, ValueError, "max_rules: got 0"),
    ({"loss": "absolute"}, ValueError, "loss: got 'absolute'; give 'squared'"),
    ({"loss": "logistic"}, ValueError, "loss: got 'logistic'; give 'squared'"),
    ({"penalty_growth": -0.1}, ValueError, "penalty_growth: got -0.1; give a number >= 0"),
    ({"group_sparsity": 0.0}, ValueError, "group_sparsity: got 0.0; give a number > 0"),
    ({"group_sparsity": 1.5}, ValueError, "group_sparsity: got 1.5; give a number > 0 and <= 1, or None"),
    ({"group_sparsity": np.nan}, ValueError, "group_sparsity: got nan"),
    ({"group_sparsity": True}, TypeError, "group_sparsity: got True"),
    ({"group_sparsity": "half"}, TypeError, "group_sparsity: got 'half'"),
    ({"group_sparsity": 0.5, "closed": False}, ValueError, "group_sparsity: needs closed=True"),
    ({"linear_penalty": 0}, ValueError, "linear_penalty: got 0; give a number > 0"),
    ({"linear_penalty": -1.0}, ValueError, "linear_penalty: got -1.0"),
    ({"linear_penalty": None}, TypeError, "linear_penalty: got None"),
    ({"bins": 1}, ValueError, "bins: got 1; give 'auto', 'supervised', a number of quantile bins from 2"),
    ({"bins": 10**30}, ValueError, "from 2 to 65000"),
    ({"bins": ("uniform",)}, ValueError, "bins: got .*uniform.*'uniform', n"),
    ({"bins": "many"}, ValueError, "bins: got 'many'"),
    ({"bins": ("intervals", -1)}, ValueError, "bins .*intervals.*: got -1"),
    ({"bins": ("steps", 1)}, ValueError, "bins: got"),
    ({"bins": 2.5}, TypeError, "bins: got 2.5"),
    ({"bins": [[1.0], [1.0]]}, ValueError, "bins: got cuts for 2 columns, X has 3"),
    (
        {"bins": [[1.0], [3.0, 2.0], None]},
        ValueError,
        "bins: the cuts of column 'x1' must be sorted .* got 3 before 2",
    ),
    (
        {"bins": [[1.0], [2.0, 2.0], None]},
        ValueError,
        "bins: the cuts of column 'x1' must be sorted and differ",
    ),
    ({"bins": [[np.nan], [2.0], None]}, ValueError, "bins: the cuts of column 'x0' must be finite"),
    ({"bins": [["a"], [2.0], None]}, TypeError, "bins: the cuts of column 'x0' are no numbers"),
    ({"linear": "yes"}, TypeError, "linear: got 'yes'; give True or False"),
    ({"closed": 1}, TypeError, "closed: got 1"),
    ({"positive": None}, TypeError, "positive: got None"),
    ({"monotonic_cst": 1}, ValueError, "monotonic_cst: got 1; give a dict of column: direction"),
    ({"monotonic_cst": [1, 0]}, ValueError, "monotonic_cst: got 2 directions, X has 3 columns"),
    ({"monotonic_cst": [2, 0, 0]}, ValueError, "monotonic_cst: got 2 for column 'x0'; give 1"),
    ({"monotonic_cst": {"age": 1}}, ValueError, "monotonic_cst: there is no column 'age'"),
    ({"categorical_features": "auto"}, ValueError, "categorical_features: got 'auto'"),
    ({"categorical_features": [7]}, ValueError, "categorical_features: there is no column 7"),
    ({"categorical_features": [1.5]}, TypeError, "categorical_features: got 1.5"),
    ({"categorical_features": [True]}, ValueError, "the mask has 1 entries, X has 3 columns"),
    ({"strategy": "greedy"}, ValueError, "strategy: got 'greedy'; give 'working_set', 'screening' or"),
    ({"tol": 0}, ValueError, "tol: got 0; give a number > 0"),
    ({"max_iter": 0}, ValueError, "max_iter: got 0"),
    ({"time_limit": 0}, ValueError, "time_limit: got 0"),
    ({"memory_limit": -1}, ValueError, "memory_limit: got -1"),
    (
        {"memory_limit": "1MB"},
        ValueError,
        r"got '1MB'; give a number of bytes > 0 \(2e9: two gigabytes\), or None",
    ),
    ({"n_jobs": 0}, ValueError, "n_jobs: got 0"),
    ({"n_jobs": 1.5}, TypeError, "n_jobs: got 1.5"),
    ({"verbose": -1}, ValueError, "verbose: got -1"),
    ({"alpha": "cv", "cv": 1}, ValueError, "cv: got 1 folds; at least 2"),
    ({"alpha": "cv", "cv": "five"}, TypeError, "cv: got 'five'"),
    ({"alpha": "cv", "cv": []}, ValueError, "cv: there is no split"),
    ({"alpha": "cv", "cv": [([0, 1], [99])]}, ValueError, r"cv: split 0 names rows outside 0\.\.19"),
    ({"alpha": "cv", "cv": [([0, 1], [])]}, ValueError, "cv: split 0 has no test rows"),
    ({"alpha": "cv", "cv": {"train": [0], "test": [1]}}, TypeError, "cv: got {'train'"),
    ({"alpha": "cv", "cv": [3]}, TypeError, "cv: split 0 is no pair"),
]


@pytest.mark.parametrize(("params", "kind", "message"), BAD_PARAMETERS)
def test_bad_parameter(params, kind, message):
    with pytest.raises(kind, match=message):
        RuleRegressor(**{"alpha": 0.1, **params}).fit(X, Y)


@pytest.mark.parametrize(
    ("fit", "name"),
    [
        (lambda alpha: RuleRegressor(alpha=alpha, max_features=2, bins=5).fit(X, Y), "alpha"),
        (lambda alpha: RuleClassifier(alpha=alpha).fit(X, LABELS), "alpha"),
        (lambda alpha: ItemsetRegressor(alpha=alpha).fit([["a"] * (k < 9) for k in range(20)], Y), "alpha"),
        (lambda alpha: RuleRegressor(max_features=1).fit_path(X, Y, alphas=[0.1, alpha]), "alphas"),
    ],
    ids=["rules", "classes", "item-sets", "path"],
)
def test_strengths_beyond_the_range_of_numbers(fit, name):
    for alpha in (1e-300, 1e-20):
        with pytest.raises(ValueError, match=f"{name}: got {alpha:.1e}; .* lost in rounding"):
            fit(alpha)
    with pytest.raises(ValueError, match=rf"{name}: got 1\.0e308; give at most .* beyond the range"):
        fit(1e308)


@pytest.mark.parametrize("penalty", ["l0", "l1"])
def test_a_limit_of_rules_ends_before_a_strength_that_is_lost_in_rounding(penalty):
    model = RuleRegressor(max_rules=2, linear=False, penalty=penalty)
    assert len(model.set_params(alpha=1e-300).fit(X, Y).rules_) == 2
    with pytest.raises(ValueError, match=r"alpha: got .*beyond the range of numbers"):
        model.set_params(alpha=1e308).fit(X, Y)


def test_a_large_strength_gives_the_empty_model():
    model = RuleRegressor(alpha=1e300, max_features=2).fit(X, Y)
    assert not model.rules_
    assert model.certificate_.complete


@pytest.mark.parametrize(
    ("weight", "kind", "message"),
    [
        ("even", ValueError, "class_weight: got 'even'"),
        (3, TypeError, "class_weight: got 3"),
        ({"middle": 1}, ValueError, "class_weight: y holds no class 'middle'"),
        ({"low": -1}, ValueError, "class_weight: the factor of 'low' is -1"),
        ({"low": "x"}, ValueError, "class_weight: the factor of 'low' is 'x'; it must be a number, finite"),
        ({"low": None}, ValueError, "class_weight: the factor of 'low' is None"),
        ({"low": [1, 2]}, ValueError, r"class_weight: the factor of 'low' is \[1, 2\]"),
    ],
)
def test_bad_class_weight(weight, kind, message):
    with pytest.raises(kind, match=message):
        RuleClassifier(alpha=0.1, class_weight=weight).fit(X, LABELS)


def test_squared_loss_is_not_for_classes():
    with pytest.raises(ValueError, match="loss: got 'squared'; give 'logistic' or 'squared_hinge'"):
        RuleClassifier(alpha=0.1, loss="squared").fit(X, LABELS)


def test_constant_columns_give_the_intercept():
    model = RuleRegressor(alpha=0.1).fit(np.ones((20, 2)), Y)
    assert model.rules_ == []
    assert model.predict(np.ones((1, 2)))[0] == pytest.approx(Y.mean())
    assert model.certificate_.complete
    empty = RuleRegressor(alpha=0.1).fit(np.full((20, 2), np.nan), Y)
    assert empty.predict(np.full((1, 2), np.nan))[0] == pytest.approx(Y.mean())


def test_text_columns_need_categories():
    with pytest.raises(TypeError, match="column 'color' must be numeric but holds 'red' in row 0"):
        RuleRegressor(alpha=0.1, categorical_features=None).fit(FRAME, SHADE)


@pytest.fixture(scope="module")
def shades():
    return RuleRegressor(alpha=0.01, linear=False).fit(FRAME, SHADE)


def test_unknown_category(shades):
    new = FRAME.assign(color="pink")
    with pytest.raises(
        ValueError, match=r"column 'color' holds 'pink' in row 0, .* known are 'blue', 'green', 'red'"
    ):
        shades.predict(new)


def test_names_in_another_order(shades):
    with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
        shades.predict(FRAME[["color", "age"]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- shade"):
        shades.predict(FRAME.rename(columns={"color": "shade"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        shades.predict(FRAME.to_numpy())


def test_column_of_another_kind(shades):
    with pytest.raises(TypeError, match="column 'age' must be numeric but holds 'old' in row 0"):
        shades.predict(FRAME.assign(age="old"))


def test_infinite_at_predict_time():
    model = RuleRegressor(alpha=0.1).fit(X, Y)
    with pytest.raises(ValueError, match="column 'x1' holds an infinite value in row 4"):
        model.predict(but(4, 1, np.inf))


@pytest.mark.parametrize("huge", [10**400, -(10**400)])
def test_whole_numbers_too_large_for_a_float(shades, huge):
    labels = FRAME.assign(color=["red", huge] * 10)
    with pytest.raises(ValueError, match="column 'color' holds an infinite value; a category must be"):
        RuleRegressor(categorical_features=["color"]).fit(labels, SHADE)
    with pytest.raises(ValueError, match=r"y contains infinity or a value too large.*first in row 1;"):
        RuleRegressor().fit(FRAME, [0, huge] * 10)
    with pytest.raises(ValueError, match=r"sample_weight is -?inf in row 1"):
        RuleRegressor().fit(FRAME, SHADE, [0, huge] * 10)
    with pytest.raises(ValueError, match=r"alpha: got -?1000"):
        RuleRegressor(alpha=huge).fit(FRAME, SHADE)
    with pytest.raises(ValueError, match="column 'age' holds an infinite value in row 0"):
        shades.predict(pd.DataFrame({"age": [huge], "color": ["red"]}, dtype=object))
    found = {}
    exec(shades.to_python(), found)
    with pytest.raises(ValueError, match="score: 'age' must be finite, got a number too large"):
        found["score"]({"age": huge, "color": "red"})
    items = [{huge, "a"}, {"a"}] * 10
    assert ItemsetRegressor(alpha=0.1).fit(items, [1.0, 0.0] * 10).patterns_[0].size == 1
    assert "infinite" in str(examine(pd.DataFrame({"a": [huge, 1] * 10}, dtype=object)))


def test_sparse_beyond_the_limit():
    wide = sparse.csr_array((10, 10**9))
    with pytest.raises(MemoryError, match=r"GiB dense; the limit is 4\.0 GiB"):
        RuleRegressor(alpha=0.1).fit(wide, np.arange(10.0))


def test_verify_refuses_other_data(shades):
    assert shades.verify(FRAME, SHADE).complete
    with pytest.raises(CertificateError):
        shades.verify(FRAME, np.roll(SHADE, 1))
    with pytest.raises(ValueError, match="y has 2 columns, the model was fitted on 1"):
        shades.verify(FRAME, np.zeros((20, 2)))
    with pytest.raises(ValueError, match="holds the class 'middle'"):
        RuleClassifier(alpha=0.05).fit(X, LABELS).verify(X, np.full(20, "middle"))


@pytest.mark.parametrize(
    ("rule", "kind", "message"),
    [
        ("height > 3", ValueError, "no column of the model begins 'height > 3'"),
        ("age 3", ValueError, "no column of the model begins 'age 3'"),
        ("age in {3, 4}", ValueError, r"got 'in \{3, 4\}' after 'age'; a rule has no sets of categories"),
        ("age not in {3}", ValueError, r"got 'not in \{3\}' after 'age'; a rule has no sets of categories"),
        ("age > young", ValueError, "'young' is no number"),
        ("age > 3 age", ValueError, "no number"),
        ("color = pink", ValueError, "column 'color' has no category 'pink'; it has"),
        ("color > 3", ValueError, "column 'color' holds categories"),
        ({"age": "red"}, ValueError, "give a pair"),
        ({"age": (5, 3)}, ValueError, "no value of 'age' is above 5 and at most 3"),
        ({"age": (None, None)}, ValueError, "both bounds of column 'age' are open"),
        ({"age": ("a", None)}, ValueError, "'a' is no number"),
        ({}, ValueError, "no condition in it"),
        (7, TypeError, "rule: got 7"),
        ("color = red and color = blue", ValueError, "two conditions on column 'color'"),
    ],
)
def test_bad_rule(shades, rule, kind, message):
    with pytest.raises(kind, match=message):
        shades.price(rule)


def test_path_ends(shades):
    path = RuleRegressor(linear=False).fit_path(FRAME, SHADE, alphas=[0.2, 0.1]).path_
    with pytest.raises(ValueError, match=r"alpha: got 0\.01; the path goes from .* to 0\.1"):
        path.at(0.01)
    with pytest.raises(ValueError, match="alpha: got 0; give a finite number > 0"):
        path.at(0)
    with pytest.raises(ValueError, match=r"alpha: got '0\.1'; give a finite number > 0"):
        path.at("0.1")
    with pytest.raises(ValueError, match="alphas: got"):
        RuleRegressor().fit_path(FRAME, SHADE, alphas=[0.1, -1])


def test_questions_that_need_the_training_data(shades):
    loaded = RuleRegressor.from_json(shades.to_json())
    for ask in (lambda: loaded.price("age > 3"), loaded.near_ties):
        with pytest.raises(ValueError, match="the training data are not available"):
            ask()
    with pytest.raises(ValueError, match="give X"):
        loaded.plot_dependence("age")


def test_a_response_too_large_to_square_is_refused():
    with pytest.raises(ValueError, match=r"y is 1e\+300 in row"):
        RuleRegressor(alpha=0.1).fit([[1.0], [2.0]], [1e300, 0.0])


def test_large_numbers_are_fitted():
    X = np.random.default_rng(0).normal(size=(40, 3))
    for model in (L0Regressor(), RuleRegressor(n_alphas=5, max_features=1)):
        y = 1e68 * X[:, 0]
        assert model.fit(X, y).score(X, y) > 0.9


def test_more_support_or_folds_than_rows():
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40.0)
    with pytest.raises(ValueError, match="min_support: got 41; X has 40 rows; give at most that many"):
        RuleRegressor(min_support=41).fit(X, y)
    with pytest.raises(ValueError, match="min_support: got 3; X has 2 records"):
        ItemsetRegressor(min_support=3, alpha=0.1).fit([{"a"}, {"b"}], [1.0, 0.0])
    for model in (RuleRegressor(cv=41), L0Regressor(cv=41)):
        with pytest.raises(ValueError, match="cv: got 41 folds for 40 rows; give at most 40"):
            model.fit(X, y)
    assert RuleRegressor(min_support=40, alpha=1.0).fit(X, y).rules_ == []


def test_folds_are_read_where_none_are_needed():
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40.0)
    records = [{"a"}, {"b"}] * 20
    fits = [
        lambda cv: RuleRegressor(alpha=0.1, cv=cv).fit(X, y),
        lambda cv: ItemsetRegressor(alpha=0.1, cv=cv).fit(records, y),
        lambda cv: L0Regressor(lambda0=0.1, cv=cv).fit(X, y),
        lambda cv: HierarchicalRuleRegressor(alpha=0.01, cv=cv).fit(X, y),
    ]
    for fit in fits:
        with pytest.raises(TypeError, match="cv: got 'five'; give a number of folds"):
            fit("five")
        with pytest.raises(ValueError, match="cv: got 1 folds; at least 2 are needed"):
            fit(1)
        for wrong in ({0: 1}, {3, 4}, np.arange(40), np.array(3.0)):
            with pytest.raises(TypeError, match="cv: "):
                fit(wrong)


def test_no_probabilities_and_why():
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = RuleClassifier(loss="squared_hinge", alpha=0.1).fit(X, X[:, 0] > 0)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "predict_log_proba")
    with pytest.raises(AttributeError, match="predict_proba needs loss='logistic'; loss='squared_hinge' has"):
        model.predict_proba(X)
    assert RuleClassifier.predict_proba.__doc__.startswith("Predict probabilities")
    assert hasattr(RuleClassifier(), "predict_proba")


def test_words_of_answers():
    X = np.arange(40.0)[:, None]
    y = X[:, 0] > 19
    frame = pd.DataFrame({"bmi": X[:, 0]})
    model = RuleClassifier(alpha=0.01, linear=False, bins=2).fit(frame, y)
    with pytest.raises(ValueError, match="no column of the model begins 'foo > 1'; the columns are 'bmi'"):
        model.price("foo > 1")
    with pytest.raises(ValueError, match="expected a comparison after 'bmi'; write for example"):
        model.price("bmi")
    assert model.get_rules()["support"].tolist() == [round(s, 12) for s in model.get_rules()["support"]]
    one = L0AdditiveClassifier(loss="exponential", lambda0=1.0).fit(frame, y)
    assert "is the halved log-odds of class True" in str(one.score_card())
    assert "among 1 rule," in str(Certificate(1.0, 1.0, 0.0, 0.0, 1e-6, 1, 1, 1, 0.0, complete=True))


def test_a_refused_certificate_names_the_class():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    for labels, said in (
        (y > 0, "refused: a term has other numbers of rows of each class"),
        (np.array(["a", "b", "c"])[y], "refused: '"),
    ):
        model = RuleClassifier(alpha=0.05).fit(X, labels)
        with pytest.raises(CertificateError, match=said) as refusal:
            model.verify(X, rng.permutation(labels))
        assert "output" not in str(refusal.value)


ROWS = np.arange(60.0).reshape(-1, 2)
TABLE = pa.table({"a": ROWS[:, 0], "b": ROWS[:, 1]})
SAID_OF_X = {
    "generator": (
        lambda: (row for row in ROWS),
        "X is a generator, which can be read once; give a list",
    ),
    "map": (lambda: map(list, ROWS), "X is a map, which can be read once"),
    "dicts": (
        lambda: [{"a": 1.0, "b": k} for k in range(30)],
        "X is a list of dicts; give a data frame",
    ),
    "columns": (
        lambda: {"a": ROWS[:, 0], "b": ROWS[:, 1]},
        r"a data frame of its columns, such as pandas.DataFrame\(X\)",
    ),
    "row": (lambda: {"a": 1.0, "b": "text"}, r"a data frame of its row, such as pandas.DataFrame\(\[X\]\)"),
    "sets": (lambda: [{"a"}, {"b"}] * 15, "X is a list of sets, and this model reads tables; Itemset"),
    "fields": (
        lambda: np.zeros(30, dtype=[("a", float), ("b", int)]),
        "X is a structured array; give a",
    ),
    "paths": (
        lambda: ["2024.parquet", "2025.parquet"],
        "X is a list of paths; rules and score cards read the folder",
    ),
    "arrays": (
        lambda: [ROWS[:10], ROWS[10:20]],
        r"X is a list of tables, as arrays; give one array, numpy.conc",
    ),
    "scanner": (
        lambda: ds.dataset(TABLE).scanner(),
        r"X is a Scanner, .* by a function: lambda: X.to_batches\(\)",
    ),
    "file": (
        lambda: pq.ParquetFile(parquet()),
        r"X is a ParquetFile, .* by a function: lambda: X.iter_batches\(\)",
    ),
    "relation": (
        lambda: duckdb.sql("SELECT 1.0 AS a, 2.0 AS b"),
        r"X is a DuckDBPyRelation, .* by a function: lambda: X.to_arrow_reader\(\)",
    ),
    "batches": (lambda: iter(TABLE.to_batches()), "give a function that makes it anew"),
}


def parquet():
    file = io.BytesIO()
    pq.write_table(TABLE, file)
    return file


@pytest.mark.parametrize("form", SAID_OF_X)
@pytest.mark.parametrize("name", ["RuleRegressor", "L0Regressor", "FactorizationMachineRegressor"])
def test_forms_of_rows_that_are_no_table(name, form):
    make, message = SAID_OF_X[form]
    model = getattr(thresher, name)()
    for y in (np.arange(30.0), "b"):
        with pytest.raises(TypeError, match=message):
            model.fit(make(), y)
    assert not hasattr(model, "n_features_in_")
    model.fit(ROWS, ROWS[:, 0])
    if form == "batches" and name == "RuleRegressor":  # a prediction reads them once
        return
    with pytest.raises(TypeError, match=message):
        model.predict(make())


FORMS_OF_BATCHES = {
    "path": (lambda path: path, r"X is a path, .* give pandas.read_parquet\(X\)"),
    "text": (str, r"X is a path, .* give pandas.read_parquet\(X\)"),
    "folder": (lambda path: path.parent, "X is a path"),
    "lazy": (pl.scan_parquet, r"X is a LazyFrame, .* give X.collect\(\)"),
    "data set": (ds.dataset, r"X is a FileSystemDataset, .* give X.to_table\(\)"),
    "reader": (lambda _: TABLE.to_reader(), r"X is a RecordBatchReader, .* give X.read_all\(\)"),
    "batches": (lambda _: TABLE.to_batches(), r"list of batches, .* give pyarrow.Table.from_batches\(X\)"),
    "tables": (lambda _: [TABLE], r"list of batches, .* give pyarrow.concat_tables\(X\)"),
    "pandas": (lambda _: [TABLE.to_pandas()], r"list of batches, .* give pandas.concat\(X\)"),
    "polars": (lambda _: [pl.from_arrow(TABLE)], r"list of batches, .* give polars.concat\(X\)"),
    "function": (lambda _: lambda: iter(TABLE.to_batches()), "give one frame of all its batches"),
}


@pytest.mark.parametrize("form", FORMS_OF_BATCHES)
@pytest.mark.parametrize(
    "name", ["Itemset", "Sequence", "Graph", "L0", "HierarchicalRule", "FactorizationMachine"]
)
def test_estimators_that_read_no_batches_say_how_to_read_them(name, form, tmp_path):
    make, message = FORMS_OF_BATCHES[form]
    pq.write_table(TABLE, tmp_path / "rows.parquet")
    for task, y in itertools.product(("Regressor", "Classifier"), ("b", np.arange(30.0) % 2)):
        model = getattr(thresher, name + task)()
        with pytest.raises(TypeError, match=message):
            model.fit(make(tmp_path / "rows.parquet"), y)
        assert not model.__sklearn_is_fitted__()


def test_a_file_of_graphs_that_is_no_text(tmp_path):
    (tmp_path / "graphs.bin").write_bytes(b"\x80\x81")
    with pytest.raises(ValueError, match=r"graphs.bin is no text in the format of gSpan"):
        thresher.GraphRegressor().fit(tmp_path / "graphs.bin", [1.0])


@pytest.mark.parametrize("name", ["L0", "L0Additive", "HierarchicalRule", "FactorizationMachine"])
def test_estimators_without_shared_searches_say_so(name):
    for method in ("fit", "fit_path"):
        model = getattr(thresher, name + "Regressor")()
        with pytest.raises(
            TypeError, match=r"client: .* has no searches that workers could share; RuleRegre"
        ):
            getattr(model, method)(ROWS, ROWS[:, 0], client=None)
        assert "client" not in inspect.signature(getattr(model, method)).parameters


def test_a_path_of_csv_says_how_to_read_it(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n1,2\n")
    with pytest.raises(ValueError, match=r"read CSV first, such as X = pandas.read_csv\(path\)"):
        thresher.RuleRegressor().fit(path, "y")


def test_reports_say_what_paths_are_for(tmp_path):
    model = thresher.RuleRegressor(alpha=0.1).fit(ROWS, ROWS[:, 0] > 30)
    data = tmp_path / "rows.csv"
    data.write_text("x0,x1\n1,2\n")
    with pytest.raises(ValueError, match="would replace this file of data: give a name such as"):
        model.report(data)
    assert data.read_text() == "x0,x1\n1,2\n"
    with pytest.raises(TypeError, match="the first argument is the file to write"):
        model.report(ROWS)
    page = tmp_path / "report.html"
    with pytest.raises(TypeError, match=r"X: got the path .*; a report shows rows in memory"):
        model.report(page, data)
    with pytest.raises(TypeError, match="X: got a LazyFrame; a report shows rows in memory"):
        model.report(page, pl.LazyFrame({"x0": [1.0], "x1": [2.0]}))
    assert not page.exists()


def test_a_checkpoint_that_is_a_file(tmp_path):
    path = tmp_path / "model.json"
    path.write_text("{}")
    for folder in (path, path / "below"):
        with pytest.raises(OSError, match=r"cannot be a folder, because .*model.json is a file"):
            thresher.fit_many(thresher.RuleRegressor(alpha=0.1), [(ROWS, ROWS[:, 0])], 1, checkpoint=folder)
    assert path.read_text() == "{}"


def test_the_columns_of_the_fit_can_be_selected():
    X = pd.DataFrame(ROWS, columns=["a", "b"])
    model = thresher.RuleRegressor(alpha=0.1).fit(X, ROWS[:, 0])
    for other in (X.assign(c=1.0), X[["b", "a"]]):
        with pytest.raises(ValueError, match="has the columns of the fit in their order") as error:
            model.predict(other)
        assert "X[list(model.feature_names_in_)]" in str(error.value)
        model.predict(other[list(model.feature_names_in_)])


def test_the_error_of_an_order_names_the_columns_that_are_missing():
    X = pd.DataFrame(np.c_[ROWS, np.ones(len(ROWS))], columns=["a", "b", "c"])
    model = thresher.RuleRegressor(alpha=0.1).fit(X, ROWS[:, 0] + ROWS[:, 1])
    found = r"yet now missing:\n- c\nThe model uses none of these\.\nFeature names must be in the same order"
    with pytest.raises(ValueError, match=found) as error:
        model.predict(X[["b", "a"]])
    assert "X[[name for name in model.feature_names_in_ if name in X]]" in str(error.value)
    for other in (X[["b", "a"]], pl.DataFrame(X[["b", "a"]].to_dict("list"))):
        model.predict(other[[name for name in model.feature_names_in_ if name in other]])


def test_a_model_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*none.json"):
        thresher.load_model(tmp_path / "none.json")
    with pytest.raises(IsADirectoryError, match="is a folder; give the file of a model"):
        thresher.load_model(tmp_path)


@pytest.mark.parametrize("name", ["RuleRegressor", "L0Regressor"])
def test_lists_without_rows_and_single_batches(name):
    model = getattr(thresher, name)()
    for y in ("b", []):
        with pytest.raises(ValueError, match="X is an empty list, which has no rows"):
            model.fit([], y)
    with pytest.raises(TypeError, match=r"X is one RecordBatch, and y .* a list of batches, \[X\]"):
        model.fit(TABLE.to_batches()[0], "b")
    model.fit(ROWS, ROWS[:, 0])
    with pytest.raises(ValueError, match="X is an empty list"):
        model.predict([])


@pytest.mark.parametrize(
    "X", ["train.parquet", TABLE.to_batches(), ds.dataset(TABLE)], ids=["path", "batches", "data set"]
)
def test_models_that_read_no_batches_say_so_where_the_target_is_named(X):
    with pytest.raises(TypeError, match="not one table in memory; rules and score cards read it in batches"):
        thresher.L0Regressor().fit(X, "b")
