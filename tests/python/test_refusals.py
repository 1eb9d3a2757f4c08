"""What is refused, and in which words: sizes that cannot be, and answers that are not there."""

import numpy as np
import pandas as pd
import pytest

from thresher import (
    CertificateError,
    HierarchicalRuleRegressor,
    ItemsetRegressor,
    L0AdditiveClassifier,
    L0Regressor,
    RuleClassifier,
    RuleRegressor,
)
from thresher.results.certificate import Certificate


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
    for labels, said in ((y > 0, "refused: the relative gap"), (np.array(["a", "b", "c"])[y], "refused: '")):
        model = RuleClassifier(alpha=0.05).fit(X, labels)
        with pytest.raises(CertificateError, match=said) as refusal:
            model.verify(X, rng.permutation(labels))
        assert "output" not in str(refusal.value)
