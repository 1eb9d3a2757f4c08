"""How alike models are, and which terms other halves of the rows find again."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GroupKFold

from thresher import (
    FactorizationMachineRegressor,
    GraphClassifier,
    HierarchicalRuleClassifier,
    ItemsetClassifier,
    ItemsetRegressor,
    L0Classifier,
    L0Regressor,
    RuleClassifier,
    RuleRegressor,
    compare_models,
    stability_selection,
)
from thresher.comparison._stability import _halves
from thresher.comparison._terms import TermRows, similarities
from thresher.data import molecules

mpl.use("Agg")


class Term:
    def __init__(self, output=None):
        self.output = output


def rows_of(*sets, n=8, outputs=None):
    holds = np.zeros((n, len(sets)), dtype=bool)
    for k, rows in enumerate(sets):
        holds[list(rows), k] = True
    return TermRows([Term(output) for output in outputs or [None] * len(sets)], holds)


def jaccard(a, b):
    return len(a & b) / len(a | b) if a | b else 1.0


def likeness(a, b, rows):
    """The similarity of two terms by its definition, with the Jaccard index of sets."""
    return max(
        min(jaccard(a, b), jaccard(rows - a, rows - b)), min(jaccard(a, rows - b), jaccard(rows - a, b))
    )


def test_similarity_is_that_of_sets():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(1, 9))
        first, second = ([set(np.flatnonzero(rng.random(n) < 0.5)) for _ in range(3)] for _ in range(2))
        found = similarities(rows_of(*first, n=n), rows_of(*second, n=n))
        for i, a in enumerate(first):
            for j, b in enumerate(second):
                assert found[i, j] == pytest.approx(likeness(a, b, set(range(n))))


def test_similarity_is_symmetric_and_that_of_complements():
    rng = np.random.default_rng(0)
    held = [rows_of(*(np.flatnonzero(rng.random(50) < p) for p in (0.1, 0.5, 0.9)), n=50) for _ in range(2)]
    others = [TermRows(rows.terms, ~rows.holds) for rows in held]
    weights = rng.integers(0, 3, 50)
    for own in (None, weights.astype(float)):
        found = similarities(*held, own)
        assert found[2, 2] < 0.5
        np.testing.assert_allclose(similarities(held[1], held[0], own), found.T)
        for first, second in ((others[0], held[1]), (held[0], others[1]), others):
            np.testing.assert_allclose(similarities(first, second, own), found)
    repeated = [TermRows(rows.terms, np.repeat(rows.holds, weights, axis=0)) for rows in held]
    np.testing.assert_allclose(similarities(*repeated), found)


def test_terms_of_different_outputs_are_not_alike():
    a, b = rows_of({0, 1}, outputs=["red"]), rows_of({0, 1}, {0, 1}, outputs=["red", "blue"])
    assert similarities(a, b).tolist() == [[1.0, 0.0]]


def test_models_without_terms():
    assert similarities(rows_of(), rows_of({1})).shape == (0, 1)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200), "c": rng.choice(["x", "y"], 200)})
    y = 2.0 * (X["a"] > 0.2) - 1.0 * (X["c"] == "x") + 0.1 * rng.normal(size=200)
    return X, y


def test_compare_rules(table):
    X, y = table
    strong, weak = (
        RuleRegressor(alpha=alpha, max_features=1, linear=False).fit(X, y) for alpha in (0.3, 0.05)
    )
    empty = RuleRegressor(alpha=1e3, linear=False).fit(X, y)
    found = compare_models({"strong": strong, "weak": weak, "$": empty}, X)
    assert found.n_terms == (len(strong.rules_), len(weak.rules_), 0)
    assert found.similarity.diagonal()[:2].tolist() == [1.0, 1.0]
    assert np.isnan(found.similarity[2]).all()
    assert found.similarity[0, 2] == 0.0
    assert found.agreement[0, 1] > 0.8
    assert found.agreement.diagonal() == pytest.approx(1.0)
    assert found.agreement[0, 2] == 0.0
    assert "strong" in str(found)
    assert len(found.columns()["model"]) == 6
    assert repr(found.plot()) == "SimilarityDisplay(3 models)"


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_weights_are_repeated_rows(table, kind):
    X, y = table
    make = RuleRegressor if kind == "numbers" else RuleClassifier
    y = y if kind == "numbers" else np.where(y > 0.5, "up", "down")
    models = [make(alpha=alpha, linear=False).fit(X, y) for alpha in (0.1, 0.03)]
    weights = np.random.default_rng(0).integers(0, 4, len(X))
    rows = np.repeat(np.arange(len(X)), weights)
    repeated = compare_models(models, X.iloc[rows])
    weighted = compare_models(models, X, sample_weight=weights)
    np.testing.assert_allclose(weighted.similarity, repeated.similarity)
    np.testing.assert_allclose(weighted.agreement, repeated.agreement)
    assert "Rows count by their weights." in str(weighted)
    with pytest.raises(ValueError, match="sample_weight"):
        compare_models(models, X, sample_weight=weights[1:])
    with pytest.raises(TypeError, match="positional"):
        compare_models(models, X, y)


def test_compare_kinds(table):
    X, y = table
    up = np.where(y > 0.5, "up", "down")
    rules = RuleClassifier(alpha=0.05, linear=False).fit(X, up)
    hierarchy = HierarchicalRuleClassifier(alpha=0.01, tol=1e-3).fit(X, up)
    found = compare_models([rules, hierarchy], X)
    assert found.names == ("RuleClassifier 1", "HierarchicalRuleClassifier 2")
    assert found.agreement[0, 1] == np.mean(rules.predict(X) == hierarchy.predict(X))


@pytest.mark.parametrize("frame_of", [pd.DataFrame, lambda X: pl.from_pandas(X)])
def test_models_of_different_columns(table, frame_of):
    X, y = table[0].copy(), table[1]
    X.columns = [f"c{j}" for j in range(X.shape[1])]
    own = {"all": list(X.columns), "some": ["c0", "c1"], "turned": ["c1", "c0"]}
    model = RuleRegressor(alpha=0.05, max_features=1, linear=False)
    models = {name: clone(model).fit(X[columns], y) for name, columns in own.items()}
    found = compare_models(models, frame_of(X))
    assert found.similarity[1, 2] == found.similarity[2, 1] == 1.0
    assert found.agreement[1, 2] == pytest.approx(1.0)
    plain = [clone(model).fit(X.to_numpy(), y), clone(model).fit(X.to_numpy()[:, :2], y)]
    with pytest.raises(ValueError, match=r"(?s)^RuleRegressor 2: .*\nModels of different columns"):
        compare_models(plain, X.to_numpy())
    with pytest.raises(TypeError, match="models: got one RuleRegressor; give a list"):
        compare_models(models["all"], X)


def test_agreement_is_that_of_each_target(table):
    X, _ = table
    model = RuleRegressor(alpha=0.01, max_features=1)
    targets = pd.DataFrame({"first": X["a"], "second": 1000 + X["b"]})
    turned = pd.DataFrame({"first": -X["a"], "second": 1000 - X["b"]})
    one, other = clone(model).fit(X, targets), clone(model).fit(X, turned)
    assert compare_models([one, other], X).agreement[0, 1] == pytest.approx(-1.0, abs=0.01)
    both = {"one": one, "several": clone(model).fit(X, X["a"])}
    with pytest.raises(ValueError, match="'one' has the targets 'first', 'second', 'several' has 'y'"):
        compare_models(both, X)


def test_other_classes_are_refused(table):
    X, y = table
    model = RuleClassifier(alpha=0.05)
    models = [clone(model).fit(X, labels) for labels in (np.where(y > 0, "1", "0"), (y > 0).astype(int))]
    with pytest.raises(ValueError, match="has the classes '0', '1', 'RuleClassifier 2' has 0, 1; compare"):
        compare_models(models, X)
    turned = clone(model).set_params(pos_label=0).fit(X, (y > 0).astype(int))
    truths = clone(model).fit(X, y > 0)
    assert compare_models([models[1], turned, truths], X).agreement.min() > 0.9
    with pytest.raises(ValueError, match="two of the names 1, '1', 'c' are the same as text"):
        compare_models({1: truths, "1": turned, "c": turned}, X)


def test_errors_of_compare(table):
    X, y = table
    model = RuleRegressor(alpha=0.3, linear=False).fit(X, y)
    with pytest.raises(ValueError, match="got 1; give at least two"):
        compare_models([model], X)
    with pytest.raises(TypeError, match="FactorizationMachineRegressor has no rules or patterns"):
        compare_models([model, FactorizationMachineRegressor(alpha=1.0).fit(X[["a", "b"]], y)], X)
    other = RuleClassifier(alpha=0.3).fit(X, y > 0)
    with pytest.raises(TypeError, match="compare models of one kind"):
        compare_models([model, other], X)


def test_true_terms_are_stable_and_noise_is_not(table):
    X, y = table
    noise = X.assign(d=np.random.default_rng(1).normal(size=200))
    model = RuleRegressor(alpha=0.004, max_features=2, linear=False)
    found = stability_selection(model, noise, y, n_resamples=20, random_state=0)
    assert not hasattr(model, "rules_"), "the estimator is copied"
    assert len(found) == len(found.estimator_.rules_)
    frequencies = [term.frequency for term in found.terms_]
    assert frequencies == sorted(frequencies, reverse=True)
    assert {found.terms_[0].text.split()[0], found.terms_[1].text.split()[0]} == {"a", "c"}
    assert found.terms_[1].frequency == 1.0
    assert all(term.frequency < 0.9 for term in found.terms_ if "d" in term.text.split())
    again = stability_selection(model, noise, y, n_resamples=20, random_state=0)
    assert again.terms_ == found.terms_
    assert "found again in 20 models" in str(found)
    assert set(found.columns()) == {"term", "coef", "frequency", "similarity"}
    assert len(found.plot(max_terms=3).texts) == 3


@pytest.mark.parametrize("estimator", [RuleClassifier(alpha=0.01), L0Classifier(lambda0=2.0)])
def test_the_class_of_the_effects_is_named_where_there_are_two(table, estimator):
    X, y = table[0][["a", "b"]], table[1]
    classes = np.where(y > np.median(y), "late", "early")
    for pos_label in ("late", "early"):
        model = clone(estimator).set_params(pos_label=pos_label)
        found = stability_selection(model, X, classes, n_resamples=2, random_state=0)
        assert f"; effect: on the log-odds of class '{pos_label}'" in " ".join(str(found).split())
    three = stability_selection(estimator, X, np.digitize(y, [0, 1]), n_resamples=2, random_state=0)
    assert "effect: on" not in str(three)


def test_records_classes_weights_and_outputs():
    rng = np.random.default_rng(0)
    baskets = [set(rng.choice(list("abcdef"), size=3, replace=False).tolist()) for _ in range(120)]
    labels = np.where([{"a", "b"} <= basket for basket in baskets], "yes", "no")
    found = stability_selection(
        ItemsetClassifier(alpha=0.05),
        baskets,
        labels,
        sample_weight=np.ones(120),
        n_resamples=4,
        random_state=0,
    )
    assert found.terms_[0].text == "a and b"
    assert found.terms_[0].frequency == 1.0
    targets = np.column_stack([labels == "yes", ["c" in basket for basket in baskets]]).astype(float)
    several = stability_selection(
        ItemsetRegressor(alpha=0.05), baskets, targets, n_resamples=2, random_state=0
    )
    assert "output" in several.columns()


def test_linear_terms_are_found_again_by_their_columns():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd"))
    y = pd.DataFrame({"first": 2.0 * X.a + 0.3 * rng.normal(size=200), "second": -X.b})
    model = RuleRegressor(alpha=0.4, max_features=1, bins=4)
    found = stability_selection(model, X, y, n_resamples=10, random_state=0)
    steady = {(term.output, term.text): term for term in found.terms_ if term.frequency == 1}
    assert {("first", "a"), ("second", "b")} <= set(steady)
    assert steady["first", "a"].coef == found.estimator_.linear_coef_[0, 0]
    assert steady["first", "a"].similarity == 1
    assert "the fraction of the models with a coefficient of the same column" in str(found)
    model.set_params(alpha=0.05)
    mixed = stability_selection(model, X, y["first"] + (X.c > 0), n_resamples=2, random_state=0)
    assert {term.is_linear for term in mixed.terms_} == {True, False}
    assert "0.8, or a linear term of the same column; similarity" in str(mixed)
    assert len(found) == len(found.estimator_.rules_) + np.count_nonzero(found.estimator_.linear_coef_)
    found.plot()


def test_categories_that_a_half_lacks():
    X = pd.DataFrame({"c": ["x"] * 20 + ["y"] * 20 + ["rare"]})
    y = np.r_[np.zeros(20), np.ones(20), 5.0]
    found = stability_selection(RuleRegressor(alpha=0.01, linear=False), X, y, n_resamples=4, random_state=0)
    assert len(found) >= 1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_class_of_one_row_is_refused(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    labels = np.where(X[:, 0] > 0, "a", "b") if n_classes == 3 else np.full(60, "a")
    labels[0] = "c"
    model = RuleClassifier(alpha=0.05, max_features=1, linear=False)
    with pytest.raises(ValueError, match=r"^y: a half of the rows lacks the class 'c', so that"):
        stability_selection(model, X, labels, n_resamples=4, random_state=0)
    with pytest.raises(ValueError, match=r"^y: a half of the rows lacks the class 'c', so that"):
        stability_selection(model, X, labels, groups=np.arange(60) // 3, n_resamples=4, random_state=0)
    if n_classes == 3:  # of two the fit is refused
        with pytest.raises(ValueError, match=r"^y: a half of the rows lacks the class 'c', so that"):
            stability_selection(model, X, labels, sample_weight=np.r_[0.0, np.ones(59)], n_resamples=4)
    labels[1] = "c"
    found = stability_selection(model, X, labels, n_resamples=4, random_state=0)
    assert n_classes == 2 or found.terms_[0].frequency == 1.0


def test_rows_of_weight_zero_are_in_no_half(table):
    X, y = table
    model = RuleRegressor(alpha=0.1, max_features=1, linear=False)
    weights = np.arange(200.0) % 3
    options = {"n_resamples": 6, "random_state": 0, "groups": np.arange(200) // 3}
    counted = weights > 0
    found = stability_selection(model, X, y, sample_weight=weights, **options)
    wanted = stability_selection(
        model,
        X[counted],
        y[counted],
        sample_weight=weights[counted],
        **{**options, "groups": options["groups"][counted]},
    )
    assert found.columns() == wanted.columns()
    few = np.where(np.arange(200) < 4, 1.0, 0.0)
    assert len(stability_selection(model, X, y, sample_weight=few, n_resamples=4, random_state=0)) >= 0
    with pytest.raises(ValueError, match="X: got 3 rows of positive weight"):
        stability_selection(model, X, y, sample_weight=np.where(np.arange(200) < 3, 1.0, 0.0))


def test_errors_of_stability(table):
    X, y = table
    model = RuleRegressor(alpha=0.3, linear=False)
    for bad in (0, 3, 2.0, "two"):
        with pytest.raises(ValueError, match="n_resamples"):
            stability_selection(model, X, y, n_resamples=bad)
    for bad in (0.0, 1.1):
        with pytest.raises(ValueError, match="min_similarity"):
            stability_selection(model, X, y, min_similarity=bad)
    with pytest.raises(ValueError, match="at least 4"):
        stability_selection(model, X[:3], y[:3])
    with pytest.raises(TypeError, match="no rules or patterns"):
        stability_selection(FactorizationMachineRegressor(alpha=1.0), X[["a"]], y)
    with pytest.raises(ValueError, match=r"groups: got the shape \(3,\)"):
        stability_selection(model, X, y, groups=[1, 2, 3])
    with pytest.raises(ValueError, match="groups: got 3 groups"):
        stability_selection(model, X, y, groups=np.arange(len(y)) % 3)


def test_rows_of_a_group_are_in_one_half():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 23, size=200)
    labels = np.where(groups % 3 == 0, "rare", "often")
    halves = list(_halves(labels, groups, 5, 0))
    assert len(halves) == 10
    for first, second in zip(halves[::2], halves[1::2], strict=True):
        assert sorted([*first, *second]) == list(range(200))
        assert not set(groups[first]) & set(groups[second])
        assert {"rare", "often"} == set(labels[first]) == set(labels[second])
    alone = list(_halves(labels, np.arange(200), 2, 0))
    plain = list(_halves(labels, None, 2, 0))
    assert all(np.array_equal(a, b) for a, b in zip(alone, plain, strict=True))


def test_stability_by_groups_of_any_label(table):
    X, y = table
    groups = [f"p{row // 4}" for row in range(len(y))]
    model = RuleRegressor(alpha=0.3, max_features=1, linear=False)
    found = stability_selection(model, X, y, groups=groups, n_resamples=4, random_state=0)
    assert found.terms_[0].frequency == 1.0


def test_groups_hold_in_the_folds_of_a_half_too(table):
    X, y = table
    model = RuleRegressor(cv=GroupKFold(3), max_features=1, bins=4, linear=False, n_alphas=5)
    groups = np.arange(len(y)) // 10
    found = stability_selection(model, X, y, groups=groups, n_resamples=2, random_state=0)
    assert found.estimator_.alpha_ == clone(model).fit(X, y, groups=groups).alpha_
    model.set_params(cv=5)  # 5 groups are 3 and 2 in the halves
    stability_selection(model, X, y, groups=np.arange(len(y)) % 5, n_resamples=2, random_state=0)


def test_a_model_without_terms_says_why():
    y = np.random.default_rng(0).normal(size=60)
    X = np.arange(60.0)[:, None]
    found = stability_selection(RuleRegressor(alpha=100.0), X, y, n_resamples=2, random_state=0)
    assert str(found) == (
        "The model has no terms, only the intercept: at this strength of the penalty none is worth its "
        "price. 2 models of half of the rows have 0 terms."
    )


def test_coefficients_of_best_subsets():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 6)), columns=list("abcdef"))
    score = 2.0 * X.a - 2.0 * X.b + 0.1 * rng.normal(size=200)
    found = stability_selection(L0Regressor(lambda0=3.0), X, score, n_resamples=4, random_state=0)
    assert {term.text: term.frequency for term in found.terms_[:2]} == {"a": 1.0, "b": 1.0}
    assert all(term.is_linear for term in found.terms_)
    assert str(found).endswith("the fraction of the models with a coefficient of the same column")
    kinds = np.where(score > 1, "x", np.where(score < -1, "y", "z"))
    several = stability_selection(L0Classifier(lambda0=3.0), X, kinds, n_resamples=2, random_state=0)
    assert {term.output for term in several.terms_} == {"x", "y"}
    large, small = L0Regressor(lambda0=3.0).fit(X, score), L0Regressor(lambda0=3.0).fit(X[["a"]], score)
    rules = RuleRegressor(alpha=0.3, max_features=1).fit(X, score)
    frame = compare_models({"large": large, "rules": rules}, X)
    assert frame.n_terms[0] == large.n_nonzero_
    assert compare_models([large, large], X).similarity.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert small.n_nonzero_ == 1


def test_invalid_molecules_are_named_once():
    pytest.importorskip("rdkit")
    smiles, labels = ["C1CC", *["CCO", "CCN"] * 10, "  "], ["a", *["a", "b"] * 10, "b"]
    model = GraphClassifier(alpha=0.05, on_invalid="skip")
    with pytest.warns(UserWarning, match="left out 2 of 22") as caught:
        found = stability_selection(model, smiles, labels, n_resamples=4, random_state=0)
    assert len(caught) == 1
    wanted = stability_selection(model, smiles[1:-1], labels[1:-1], n_resamples=4, random_state=0)
    assert found.columns() == wanted.columns()


def test_molecules_are_read_once_for_all_halves(monkeypatch):
    pytest.importorskip("rdkit")
    smiles, labels = ["CCO", "CCN"] * 10, ["a", "b"] * 10
    plain = GraphClassifier(alpha=0.05).fit(smiles, labels)
    charged = GraphClassifier(alpha=0.05, charges=True).fit(smiles, labels)
    n_read, read = [], molecules.molecule_or_none
    monkeypatch.setattr(
        molecules, "molecule_or_none", lambda record: (n_read.append(record), read(record))[1]
    )
    found = stability_selection(charged, smiles, labels, n_resamples=10, random_state=0)
    assert len(n_read) == 2 * len(smiles)  # by the fit of all rows, and for all halves
    graphs = charged._graphs(smiles).graphs
    n_read.clear()
    again = stability_selection(charged, graphs, labels, n_resamples=10, random_state=0)
    assert not n_read
    assert found.columns() == again.columns()
    assert compare_models([plain, charged], smiles).agreement.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert len(n_read) == 2 * len(smiles)  # labels with charges are others
    n_read.clear()
    plain.monitor(smiles, smiles)
    assert len(n_read) == 2 * len(smiles)
    n_read.clear()
    assert plain.explain(smiles)[0].prediction == "a"
    assert len(n_read) == len(smiles)


def test_graphs():
    edge, path = (["a", "b"], [(0, 1)]), (["a", "b", "c"], [(0, 1), (1, 2)])
    model = GraphClassifier(alpha=0.05)
    found = stability_selection(model, [edge, path] * 10, ["e", "p"] * 10, n_resamples=2, random_state=0)
    assert found.terms_[0].frequency == 1.0
