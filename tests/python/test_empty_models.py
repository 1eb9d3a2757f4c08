"""A model without terms that a comparison chose says why."""

import re
import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from thresher import (
    FactorizationMachineRegressor,
    GraphRegressor,
    HierarchicalRuleClassifier,
    HierarchicalRuleRegressor,
    ItemsetClassifier,
    ItemsetRegressor,
    L0AdditiveClassifier,
    L0AdditiveRegressor,
    L0Classifier,
    L0Regressor,
    RuleClassifier,
    RuleRegressor,
    SequenceRegressor,
)


def test_a_comparison_that_ends_with_an_empty_model_says_so():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(400, 8)), rng.random(400) < 0.5
    with pytest.warns(
        ConvergenceWarning, match=r"alpha: the model has no terms.* ended at .* 2\d% of the larg"
    ):
        model = RuleClassifier(max_features=2).fit(X, y)
    assert not model.rules_
    assert 0.2 < min(model.path_.cv_alphas) / max(model.path_.cv_alphas) < 0.3


@pytest.mark.parametrize(
    ("model", "noun"),
    [
        (L0AdditiveClassifier(), "steps"),
        (L0AdditiveClassifier(one_standard_error=True), "steps"),
        (L0Classifier(), "columns"),
    ],
)
def test_cards_and_best_subsets_say_so_as_well(model, noun):
    rng = np.random.default_rng(101)
    X, y = rng.normal(size=(200, 10)), rng.random(200) < 0.5
    pattern = rf"lambda0: the model has no {noun}, .* ended at .*% of the largest .* such as lambda0=(\S+) "
    with pytest.warns(ConvergenceWarning, match=pattern) as caught:
        model.fit(X, y)
    assert not len(model.summary())
    [message] = [str(each.message) for each in caught]
    smaller = clone(model).set_params(lambda0=float(re.search(pattern, message)[1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(smaller.fit(X, y).summary())
        assert not len(clone(model).set_params(lambda0=50.0).fit(X, y).summary())


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (L0AdditiveRegressor(max_steps=8, ridge=[0.01, 0.1]), "of the models compared the one without"),
        (L0AdditiveRegressor(max_columns=2, ridge=[0.01, 0.1]), "of the models compared the one without"),
        (L0AdditiveRegressor(lambda0=[5.0, 2.0], bins=1000), "of the models compared the one without"),
        (L0AdditiveRegressor(lambda0=[50.0, 60.0]), "all values given are too large"),
        (L0Regressor(max_nonzero=3), "of the models compared the one without"),
        (RuleRegressor(max_features=1, max_rules=10), "a larger min_support"),
        (RuleRegressor(max_features=1, max_rules=10, penalty="l1"), "of the models compared the one without"),
        (RuleRegressor(max_features=1, max_linear=0), "max_linear=0 ends the path"),
        (RuleRegressor(max_features=1, alpha="bic"), "none lowers the information criterion"),
        (ItemsetRegressor(alpha="ebic"), "none lowers the information criterion"),
        (FactorizationMachineRegressor(fit_linear=False), "of the models compared the one without"),
    ],
)
def test_every_comparison_that_ends_with_an_empty_model_says_why(model, why):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(300, 5)), rng.normal(size=300)
    X = (X > 0).astype(float) if isinstance(model, ItemsetRegressor) else X
    with pytest.warns(ConvergenceWarning, match=rf"(alpha|lambda0): the model has no \w+, .*{why}") as caught:
        model.fit(X, y)
    assert len(caught) == 1
    assert not len(model.summary())


@pytest.mark.parametrize(
    "model",
    [
        RuleRegressor(max_features=1, alpha=10.0),
        L0AdditiveRegressor(max_steps=0),
    ],
)
def test_who_asked_for_this_strength_or_no_terms_is_not_warned(model):
    rng = np.random.default_rng(5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not len(model.fit(rng.normal(size=(300, 5)), rng.normal(size=300)).summary())


@pytest.mark.parametrize("model", [L0AdditiveRegressor(), L0Regressor()])
def test_nothing_smaller_is_advised_where_all_is_compared(model):
    X, y = np.ones((50, 2)), np.arange(50.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not len(model.fit(X, y).summary())


def test_a_constant_target_needs_no_terms():
    X = np.random.default_rng(5).normal(size=(100, 3))
    for model in (HierarchicalRuleRegressor(), RuleRegressor(max_rules=3), L0AdditiveRegressor()):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert not len(model.fit(X, np.ones(100)).summary())


@pytest.mark.parametrize("alpha", ["ebic", 10.0])
def test_a_table_without_patterns_says_why(alpha):
    rng = np.random.default_rng(0)
    records = [{k for k in range(5) if rng.random() < 0.3} for _ in range(100)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = ItemsetClassifier(max_items=2, alpha=alpha).fit(records, np.arange(100) % 2)
    table = model.pattern_table(records, np.arange(100) % 2)
    assert table.text().splitlines() == [
        "The rate of class 1 in the records with each pattern; in all 100 records it is 50%.",
        model.summary().note,
    ]
    assert "records</th>" not in table.to_html()


@pytest.mark.parametrize(
    "model",
    [
        ItemsetRegressor(min_support=15),
        ItemsetRegressor(min_support=15, alpha="bic"),
        ItemsetClassifier(min_support=0.5, max_patterns=2),
        SequenceRegressor(min_support=15),
        GraphRegressor(min_support=18, max_edges=2),
        RuleRegressor(min_support=20, linear=False),
    ],
    ids=str,
)
def test_patterns_that_are_all_too_rare_are_named(model):
    y = np.random.default_rng(0).random(20)
    records = [[str(k)] for k in range(20)]
    if isinstance(model, GraphRegressor):
        records = [(["a", label], [(0, 1)], ["x"]) for label in "bcdef" * 4]
    if isinstance(model, RuleRegressor):
        records = np.random.default_rng(1).random((20, 2))
    with pytest.warns(ConvergenceWarning, match="no (pattern|rule) holds for min_sup.* smaller min_sup"):
        model.fit(records, y > 0.5 if isinstance(model, ItemsetClassifier) else y)
    assert "no terms, only the intercept: no " in model.summary().note


def test_a_hierarchy_that_the_folds_prefer_empty_has_no_tiny_coefficients():
    """The penalty is squared, so that every strength of the paper's grid leaves coefficients."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(150, 8)).round(1)
    died = rng.random(150) < expit(1.2 * (table[:, 0] > 0.5) - 2.2)
    with pytest.warns(UserWarning, match="the model has no terms"):
        model = HierarchicalRuleClassifier().fit(table, died)
    assert len(model.rules_) == 0
    assert model.certificate_.complete
    assert model.verify(table, died).complete
