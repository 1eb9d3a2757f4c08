"""Best subsets of patterns: ``penalty="l0"``."""

import json
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.exceptions import ConvergenceWarning

from thresher import (
    Certificate,
    CertificateError,
    ItemsetClassifier,
    ItemsetRegressor,
    RuleClassifier,
    RuleRegressor,
    SubsetCertificate,
    fit_many,
    load_model,
)
from thresher.cli import commands
from thresher.results.certificate import certificate_of, warn_if_incomplete

from .test_files import faults

X, Y = load_diabetes(return_X_y=True, as_frame=True)
SETTINGS = {"penalty": "l0", "bins": 5, "max_features": 2, "cv": 6}
SMALL = {**SETTINGS, "linear": False, "max_rules": 4}
POINT = {
    "primal": 0.1, "dual": 0.06, "gap": 0.04, "relative_gap": 0.4, "tol": 1e-6, "complete": True, "n_iter": 1,
    "nodes": 812, "searches": 7, "seconds": 0.21, "terms": [[0, 1.0], [1, -1.0]], "linear": [],
    "subset": {"ridge": 0.1, "is_swap_optimal": True},
}  # fmt: skip


@pytest.fixture(scope="module")
def small():
    return RuleRegressor(**SMALL).fit(X, Y)


@pytest.mark.parametrize("linear", [False, True])
def test_the_objective_is_mean_loss_and_ridge(linear):
    weights = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)
    settings = {**SETTINGS, "linear": linear, "max_rules": 3, "max_linear": 3, "alpha": "bic", "ridge": 0.2}
    model = RuleRegressor(**settings).fit(X, Y, sample_weight=weights)
    v = weights / weights.mean()
    holds = model.transform(X)[:, : len(model.rules_)]
    contributions = holds * np.array([rule.coef for rule in model.rules_])
    mean = np.average(X, axis=0, weights=v)
    parts = np.hstack([contributions, model.linear_coef_ * (X.to_numpy() - mean)])
    primal = np.mean(v * (0.5 * (Y - model.predict(X)) ** 2 + 0.2 * (parts**2).sum(axis=1)))
    assert model.ridge_ == 0.2
    assert model.certificate_.primal == pytest.approx(primal, rel=1e-9)
    assert model.certificate_.n_terms == len(model.rules_) + np.count_nonzero(model.linear_coef_)


def test_the_certificate_says_how_many_sizes_were_compared(small):
    assert small.certificate_.n_compared == len(small.path_.cv_mean) == 5
    assert RuleRegressor.from_json(small.to_json()).certificate_.n_compared == 5
    assert small.verify(X, Y).n_compared == 5
    model = RuleRegressor(**SMALL).fit(X, np.column_stack([Y, -Y]))
    assert model.certificate_.n_compared == min(own.n_compared for own in model.certificate_.outputs) == 5


def test_the_certificate(small):
    certificate = small.certificate_
    assert isinstance(certificate, SubsetCertificate)
    assert certificate.is_swap_optimal
    assert certificate.complete
    assert certificate.ridge == small.ridge_
    assert certificate.n_terms == len(small.rules_) == 4
    assert 0 < certificate.dual <= certificate.primal
    sentence = str(certificate)
    assert sentence.startswith(
        "swap-optimal (proven): no exchange of one term for another of 7,437 rules, at no greater cost, "
    )
    assert "; lower bound for all models of this cost " in sentence
    for text in (str(small.summary()), small._repr_html_(), certificate._repr_html_(), repr(certificate)):
        assert "optimal" not in text.lower().replace("is_swap_optimal", "").replace("swap-optimal", "")
    assert str(small.path_.at(n_terms=2).certificate_).startswith("not proven swap-optimal")
    assert "(proofs are for the selected model alone); no" in str(small.path_.at(n_terms=2).certificate_)
    assert small.relaxation_ is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RuleRegressor(**SMALL).fit(X, Y)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ("swap-optimal (proven): no exchange of one term for another of 9 rules, at no greater cost, "
              "lowers the objective 0.1; lower bound for all models of this cost 0.06 (gap 40 %); "
              "7 searches over")),
        ({"terms": []}, "a model without terms has the objective 0.1; "),
        ({"subset": {"ridge": 0.1, "is_swap_optimal": False}, "dual": 0.0, "searches": 1},
         ("not proven swap-optimal: an exchange of one term for another of 9 rules, at no greater cost, may "
          "lower the objective 0.1 (proofs are for the selected model alone); no lower bound is known; "
          "1 search over")),
        ({"subset": {"ridge": 0.1, "is_swap_optimal": False}},
         ("not proven swap-optimal: an exchange of one term for another of 9 rules, at no greater cost, may "
          "lower the objective 0.1 (this proof is shorter with ridge > 0.1 or fewer candidates); lower")),
        ({"complete": False}, "stopped by a limit: swap-optimal (proven): no exchange"),
        ({"terms": [], "relative_gap": 0.999, "dual": 1e-4},
         ("a model without terms has the objective 0.1; lower bound for all models of this cost 0.0001 "
          "(gap 100 %)")),
        ({"terms": [], "primal": 0.0, "dual": 0.0, "gap": 0.0, "relative_gap": 0.0},
         ("a model without terms has the objective 0; lower bound for all models of this cost 0 "
          "(gap 0 %)")),
    ],
)  # fmt: skip
def test_sentences(changes, words):
    assert str(certificate_of([{**POINT, **changes}], 9)).startswith(words)


def test_an_l1_point_has_the_other_certificate():
    point = {key: value for key, value in POINT.items() if key != "subset"}
    assert isinstance(certificate_of([point], 9), Certificate)


def test_the_warning_names_the_limit_and_what_was_compared():
    for noun, compared, is_without_folds, sizes in (
        ("rules", None, False, "sizes or the search"),
        ("rules", [11], False, "sizes (11 numbers of rules and linear terms were compared) or"),
        ("patterns", [4], True, "patterns were compared, by the Bayesian information criterion: the folds"),
    ):
        certificate = certificate_of([{**POINT, "complete": False}], 9, noun)
        with pytest.warns(ConvergenceWarning) as caught:
            warn_if_incomplete(certificate, ["time_limit"], compared, is_without_folds=is_without_folds)
        assert str(caught[0].message).startswith("time_limit: the comparison of sizes")
        assert sizes in str(caught[0].message)


def test_a_time_limit_gives_the_best_so_far():
    model = RuleRegressor(penalty="l0", max_features=None, bins=20, time_limit=0.3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, Y)
    assert [w.category for w in caught] == [ConvergenceWarning]
    assert not model.certificate_.complete
    assert "stopped" in str(model.certificate_)


def test_a_comparison_without_time_leaves_a_model_with_terms():
    """Each of 100 folds has some hundredths of a second: the model of all rows has what they leave."""
    r = np.random.default_rng(0)
    data = r.normal(size=(300, 4))
    target = 2.0 * (data[:, 0] > 0.2) + data[:, 1] + 0.1 * r.normal(size=300)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model = RuleRegressor(max_rules=3, min_support=5, cv=100, time_limit=2).fit(data, target)
    said = " ".join(str(warning.message) for warning in caught)
    if "the comparison of sizes" in said:
        assert (model.path_.criterion is not None) == ("by the Bayesian information criterion" in said)
    assert 1 <= len(model.rules_) <= 3
    assert model.score(data, target) > 0.5


def test_the_path_is_over_numbers_of_terms(small):
    path = small.path_
    assert path.n_terms.tolist() == path.n_rules.tolist() == path.cv_n_terms.tolist() == [0, 1, 2, 3, 4]
    assert path.cv_alphas is None
    assert len(path.cv_mean) == 5
    assert repr(path) == "RulePath(5 subsets of 0 to 4 terms)"
    assert all(np.diff(path.objective) < 0)
    errors = []
    for k in path.n_terms:
        model = path.at(n_terms=int(k))
        assert len(model.rules_) == k
        errors.append(np.mean((Y - model.predict(X)) ** 2))
    assert all(np.diff(errors) < 0)
    np.testing.assert_array_equal(path.at(n_terms=4).predict(X), small.predict(X))


def test_a_model_of_the_path_says_how_to_fit_it(small):
    part = small.path_.at(n_terms=2)
    assert not part.certificate_.is_swap_optimal
    assert (part.alpha, part.ridge, part.max_terms) == ("cv", small.ridge_, 2)
    again = clone(part).fit_path(X, Y)
    assert len(again.rules_) == 2
    assert again.certificate_.is_swap_optimal
    assert again.certificate_.primal <= part.certificate_.primal * (1 + 1e-9)
    assert small.path_.at(n_terms=0).rules_ == []
    assert len(small.path_.at(n_terms=50).rules_) == 4


def test_what_a_path_of_subsets_refuses(small):
    path = small.path_
    with pytest.raises(ValueError, match=r"alpha: got 3\.0; a path of best subsets .* give n_terms=0 to 4"):
        path.at(3.0)
    for wrong in (-1, 2.5, "3"):
        with pytest.raises(ValueError, match=f"n_terms: got {wrong!r}; give a whole number >= 0"):
            path.at(n_terms=wrong)
    with pytest.raises(TypeError, match="at: got 'n_nonzero'; give alpha or n_terms"):
        path.at(n_nonzero=2)
    with pytest.raises(ValueError, match="give either alpha or n_terms"):
        path.at()
    with pytest.raises(ValueError, match="give either alpha or n_terms"):
        path.at(1.0, n_terms=1)


def test_a_path_of_l1_solutions_by_number_of_terms():
    path = RuleRegressor(linear=False, max_rules=6, n_alphas=20, bins=5, max_features=2).fit_path(X, Y).path_
    assert [len(path.at(n_terms=k).rules_) for k in (0, 6)] == [0, 6]
    assert path.at(n_terms=6).alpha_ == path.alphas[-1]
    assert path.cv_n_terms is None


def test_the_plot_of_a_path(small):
    display = small.plot_path()
    top, bottom = display.axes_
    assert bottom.get_xlabel() == "number of terms"
    assert bottom.get_xscale() == top.get_xscale() == "linear"
    assert bottom.get_xlim()[0] < bottom.get_xlim()[1]
    assert display.chosen == 4
    assert repr(display).startswith("PathDisplay(5 subsets, ")
    bic = RuleRegressor(**{**SMALL, "alpha": "bic"}).fit(X, Y).plot_path()
    np.testing.assert_array_equal(bic.axes_[1].lines[0].get_xdata(), [0, 1, 2, 3, 4])
    plt.close("all")


def test_the_choice_of_the_number_of_terms():
    sizes = [len(RuleRegressor(**{**SMALL, "alpha": alpha}).fit(X, Y).rules_) for alpha in (1e6, 100.0, 1.0)]
    assert sizes[0] == 0 < sizes[1] < sizes[2] == 4
    chosen = RuleRegressor(**{**SMALL, "max_rules": 8, "alpha": "bic"}).fit(X, Y)
    assert len(chosen.rules_) == chosen.path_.n_terms[np.argmin(chosen.path_.criterion)]
    assert chosen.ridge_ == 0.01
    assert RuleRegressor(**SMALL, ridge=0.5).fit(X, Y).ridge_ == 0.5


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"relax": 1.0}, "relax: .*best subsets"),
        ({"group_sparsity": 0.5}, "penalty: groups"),
        ({"penalty": "l1", "ridge": 0.1}, "ridge: got 0.1; it is for best subsets: give penalty='l0'"),
        ({"ridge": 0.0}, "ridge"),
        ({"penalty": "l2"}, "penalty"),
    ],
)
def test_what_does_not_fit_together(given, message):
    with pytest.raises(ValueError, match=message):
        RuleRegressor(**{**SMALL, **given}).fit(X, Y)


@pytest.mark.parametrize(
    ("given", "penalty"),
    [
        ({}, "l1"),
        ({"max_rules": 4}, "either"),
        ({"max_terms": 4}, "either"),
        ({"max_rules": 31}, "l1"),
        ({"ridge": 0.1}, "l0"),
        ({"max_rules": 4, "alpha": "bic"}, "l0"),
        ({"max_rules": 4, "alpha": 0.1}, "l1"),
        ({"max_rules": 4, "relax": "cv"}, "l1"),
        ({"max_rules": 4, "group_sparsity": 0.5}, "l1"),
        ({"max_rules": 4, "penalty": "l1"}, "l1"),
    ],
)
def test_the_penalty_follows_from_what_is_asked(given, penalty):
    options = {"bins": 5, "max_features": 2, "cv": 3, "n_alphas": 5} | given
    model = RuleRegressor(**options).fit(X, Y)
    if penalty == "either":
        losses = {p: min(RuleRegressor(**options, penalty=p).fit(X, Y).path_.cv_mean) for p in ("l0", "l1")}
        penalty = min(losses, key=lambda p: losses[p])
    assert (model.ridge_ is not None) == (penalty == "l0")


def test_given_strengths_ask_for_l1_solutions():
    model = RuleRegressor(max_rules=4, bins=5, max_features=2).fit_path(X, Y, alphas=[40.0, 30.0])
    assert model.ridge_ is None


def test_a_path_has_no_strengths():
    with pytest.raises(ValueError, match="alphas: a path of best subsets has a point for each size"):
        RuleRegressor(**SMALL).fit_path(X, Y, alphas=[1.0])


def test_there_are_no_prices(small):
    with pytest.raises(ValueError, match=r"best subset, .*fit with penalty='l1'"):
        small.price("bmi > 0")
    with pytest.raises(ValueError, match="best subset"):
        small.near_ties()
    patterns = ItemsetRegressor(penalty="l0", max_patterns=1).fit([{"a"}, {"b"}] * 9, [1.0, 0.0] * 9)
    with pytest.raises(ValueError, match="best subset"):
        patterns.price({"a"})


def test_several_targets():
    targets = np.column_stack([Y, Y**2, X["s5"]])
    settings = {**SMALL, "ridge": 1.0}
    model = RuleRegressor(**settings).fit(X, targets)
    alone = [RuleRegressor(**settings).fit(X, target) for target in targets.T]
    assert model.ridge_ == [one.ridge_ for one in alone]
    assert model.certificate_.primal == pytest.approx(sum(one.certificate_.primal for one in alone))
    assert [part.n_terms for part in model.certificate_.outputs] == [len(one.rules_) for one in alone]
    assert [sizes.tolist() for sizes in model.path_.cv_n_terms] == [[0, 1, 2, 3, 4]] * 3
    np.testing.assert_allclose(
        model.predict(X), np.column_stack([one.predict(X) for one in alone]), rtol=1e-9
    )
    assert model.path_.at(n_terms=1).certificate_.n_terms == 3


def test_several_classes():
    rows, labels = load_wine(return_X_y=True)
    model = RuleClassifier(**SMALL).fit(rows, labels)
    assert model.score(rows, labels) > 0.9
    assert len(model.ridge_) == len(model.certificate_.outputs) == 3
    np.testing.assert_allclose(model.predict_proba(rows).sum(axis=1), 1.0)


def test_weights():
    labels = np.where(np.quantile(Y, 0.8) < Y, "high", "low")
    settings = {**SMALL, "alpha": "bic", "max_rules": 3}
    weighted = RuleClassifier(**settings, class_weight={"high": 3, "low": 1}).fit(X, labels)
    by_row = RuleClassifier(**settings).fit(X, labels, sample_weight=np.where(labels == "high", 3, 1))
    plain = RuleClassifier(**settings).fit(X, labels)
    np.testing.assert_array_equal(weighted.decision_function(X), by_row.decision_function(X))
    assert np.mean(weighted.predict(X) == "high") > np.mean(plain.predict(X) == "high")


def test_many_fits_are_single_fits(small):
    for model in fit_many(RuleRegressor(**SMALL), [(X, Y), (X, Y)]):
        np.testing.assert_array_equal(model.predict(X), small.predict(X))


def test_models_in_files(small, tmp_path):
    path = tmp_path / "model.json"
    small.to_json(path)
    again = load_model(path)
    assert (again.penalty, again.ridge_) == ("l0", small.ridge_)
    assert again.certificate_ == small.certificate_
    assert repr(again.path_) == "RulePath(1 subset of 4 terms)"
    np.testing.assert_array_equal(again.predict(X), small.predict(X))
    assert faults(json.loads(path.read_text()), "estimator-1.json") == []
    assert faults(small._fitted.document, "rules-1.json") == []
    records, values = [{"a", "b"}, {"b"}, {"a"}, set()] * 5, [2.0, 0.0, 1.0, 0.0] * 5
    patterns = ItemsetRegressor(penalty="l0", max_patterns=2, cv=2).fit(records, values)
    assert faults(json.loads(patterns.to_json()), "estimator-1.json") == []


def test_item_sets():
    rng = np.random.default_rng(1)
    records = [{f"i{k}" for k in range(8) if rng.random() < 0.4} for _ in range(150)]
    labels = [{"i1", "i2"} <= record for record in records]
    model = ItemsetClassifier(penalty="l0", max_patterns=3, cv=3, one_standard_error=True).fit(
        records, labels
    )
    assert [pattern.text for pattern in model.patterns_] == ["i1 and i2"]
    assert model.path_.n_patterns.tolist() == model.path_.n_terms.tolist()
    assert model.path_.at(n_terms=1).max_patterns == 1


def test_the_command_line(tmp_path, capsys):
    data, model = tmp_path / "data.csv", tmp_path / "model.json"
    X.assign(y=Y).to_csv(data, index=False)
    arguments = ["--penalty", "l0", "--ridge", "0.1", "--max-rules", "3", "--max-linear", "0", "--cv", "3"]
    commands.main(["fit", str(data), "--target", "y", "--output", str(model), "--bins", "5", *arguments])
    printed = capsys.readouterr().out
    assert "no exchange of one term for another" in printed
    commands.main(["summary", str(model)])
    assert "no exchange of one term for another" in capsys.readouterr().out
    assert 1 <= len(load_model(model).rules_) <= 3


def test_terms_of_a_few_rows_are_named():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 4)), np.exp(1.2 * rng.normal(size=150))
    model = RuleRegressor(alpha="bic", penalty="l0", max_rules=3, max_features=2, linear=False, n_alphas=5)
    with pytest.warns(
        UserWarning, match=r"min_support: \d of \d rules holds? for fewer than 5 of 150 rows, such as"
    ):
        model.fit(X, y)
    assert min(rule.n_rows for rule in model.rules_) < 5
    for silent in (clone(model).set_params(min_support=5), clone(model).set_params(min_support=2)):
        silent.fit(X, y)
    clone(model).fit(X[:90], y[:90])


def test_verify_tries_linear_terms_in_the_place_of_rules():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(120, 3))
    y = table[:, 0] + 0.01 * rng.normal(size=120)
    settings = {"penalty": "l0", "alpha": 0.01, "ridge": 0.01, "max_features": 2, "max_terms": 1}
    model = RuleRegressor(linear=False, **settings).fit(table, y)
    assert len(model.rules_) == 1
    model.verify(table, y)
    edited = json.loads(model.to_json())
    edited["params"]["linear"] = True
    [point] = edited["model"]["outputs"][0]["points"]
    point["dual"], point["gap"], point["relative_gap"] = 0.0, point["primal"], 1.0
    with pytest.raises(CertificateError, match="an exchange or addition of a term lowers the objective"):
        RuleRegressor.from_json(json.dumps(edited)).verify(table, y)
    RuleRegressor(linear=True, **settings).fit(table, y).verify(table, y)


@pytest.mark.parametrize("seed", [0, 63])
def test_signs_of_linear_terms_are_kept_by_verify(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 21))
    x = rng.normal(size=n)
    table = np.column_stack([x, rng.choice([1, -1]) * x + 0.3 * rng.normal(size=n)])
    y = 2.0 * (x > rng.normal()) - rng.choice([1, -1]) * table[:, 1] + 0.3 * rng.normal(size=n)
    settings = {"penalty": "l0", "alpha": 0.03, "ridge": 0.001, "max_features": 1, "max_rules": 2}
    for constraint in ({"positive": True}, {"monotonic_cst": [1, 1]}, {"monotonic_cst": [-1, 0]}):
        RuleRegressor(**settings, penalty_growth=0.0, **constraint).fit(table, y).verify(table, y)
