"""Certificates at the edges of numbers and of time: what is claimed is what `predict` and `verify` find."""

import contextlib
import json
import math
import time
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from thresher import (
    CertificateError,
    HierarchicalRuleClassifier,
    HierarchicalRuleRegressor,
    ItemsetRegressor,
    L0AdditiveClassifier,
    L0AdditiveRegressor,
    L0Regressor,
    RuleRegressor,
)
from thresher.cli import main
from thresher.results.certificate import naming_parts

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 5))
Y = 2.0 * ((X[:, 0] > 0) & (X[:, 1] < 0.5)) + X[:, 2] + 0.3 * rng.normal(size=300)


def objective(model, table, y, alpha):
    """The penalised loss of a regression by its predictions."""
    [output] = json.loads(model.to_json())["model"]["outputs"]
    linear = sum(abs(term["coef"]) * term["scale"] for term in output["points"][0]["linear"])
    rules = sum(abs(rule.coef) * (1 + 0.5 * (len(rule.conditions) - 1)) for rule in model.rules_)
    return np.mean((y - model.predict(table)) ** 2) / 2 + alpha * (linear + rules)


@pytest.mark.parametrize("time_limit", [0.2, 1.0])
def test_a_number_for_alpha_is_that_of_the_model_when_the_time_is_over(time_limit):
    many = rng.normal(size=(20_000, 20))
    y = 2.0 * ((many[:, 0] > 0) & (many[:, 1] < 0.5)) + many[:, 2] + rng.normal(size=20_000)
    model = RuleRegressor(alpha=1e-3, max_features=None, bins=20, time_limit=time_limit, n_jobs=1)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        model.fit(many, y)
    certificate = model.certificate_
    assert model.alpha_ == pytest.approx(1e-3, rel=1e-12)
    assert not certificate.complete
    assert 0 <= certificate.dual < certificate.primal
    assert certificate.primal == pytest.approx(objective(model, many, y, 1e-3), rel=1e-9)


@pytest.mark.parametrize("scale", [1e-60, 1e-20, 1e20, 1e60])
def test_the_scale_of_y_does_not_matter(scale):
    plain = RuleRegressor(alpha=0.05, max_features=2).fit(X, Y)
    scaled = RuleRegressor(alpha=0.05 * scale, max_features=2).fit(X, Y * scale)
    assert len(scaled.rules_) == len(plain.rules_)
    assert scaled.certificate_.relative_gap <= 1e-6
    assert scaled.predict(X) / scale == pytest.approx(plain.predict(X), rel=1e-3, abs=1e-3)
    scaled.verify(X, Y * scale)


def test_numbers_too_small_to_square_are_refused():
    with pytest.raises(ValueError, match="multiply y"):
        RuleRegressor(alpha=0.05).fit(X, Y * 1e-80)
    records = [{"a"}, {"b"}, {"a", "b"}] * 5
    with pytest.raises(ValueError, match="multiply y"):
        ItemsetRegressor(alpha=0.05).fit(records, np.arange(15) * 1e-90)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6, 1e9, 1e12, 1e14])
@pytest.mark.parametrize("where", ["y", "X"])
def test_the_gap_is_that_of_the_predictions_as_they_are_made(offset, where):
    table, y = (X, Y + offset) if where == "y" else (X + offset, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of convergence, and of columns without linear terms
        model = RuleRegressor(alpha=0.05, max_features=2).fit(table, y)
    certificate = model.certificate_
    assert objective(model, table, y, 0.05) <= certificate.primal * (1 + 1e-9) + certificate.gap
    assert certificate.complete == (certificate.relative_gap <= 1.01e-6)
    model.verify(table, y)


@pytest.mark.parametrize("offset", [1e3, 1e9, 1e14])
def test_a_constant_response_far_from_0_is_fitted_perfectly(offset):
    model = RuleRegressor(alpha=0.05, max_features=2).fit(X, np.full(300, offset + 0.1))
    assert model.rules_ == []
    assert model.certificate_.relative_gap <= 1e-6
    model.verify(X, np.full(300, offset + 0.1))


def test_verify_is_not_bound_by_the_time_limit_of_the_fit():
    model = RuleRegressor(alpha=0.05, max_features=2).fit(X, Y).set_params(time_limit=1e-9)
    assert model.verify(X, Y).complete


MIXED = pd.DataFrame(
    {"age": rng.integers(0, 50, 300).astype(float), "dose": X[:, 0], "sex": rng.choice(["f", "m"], 300)}
)
CERTIFIED = [
    RuleRegressor(alpha=0.05, handle_unknown="error"),
    RuleRegressor(alpha=0.05, handle_unknown="missing"),
    RuleRegressor(max_rules=2),
    HierarchicalRuleRegressor(alpha=0.1),
    L0AdditiveRegressor(lambda0=1.0, ridge=0.1),
]
OTHER_CELLS = {
    "dose": (None, "column 'dose' has no value in row 5 and 1 further row, and in the fit every row had one"),
    "sex": (None, "column 'sex' has no value, or an unknown category, in row 5"),
}


@pytest.mark.parametrize("name", OTHER_CELLS)
@pytest.mark.parametrize("model", CERTIFIED, ids=str)
def test_new_missing_values_are_named(model, name):
    model.fit(MIXED, Y)
    cell, message = OTHER_CELLS[name]
    other = MIXED.copy()
    other.loc[[5, 8], name] = cell
    with pytest.raises(CertificateError, match=message) as error:
        model.verify(other, Y)
    assert str(error.value).endswith("these are not the data of the fit")
    weights = np.ones(300)
    weights[[5, 8]] = 0.0
    model.fit(other, Y, weights).verify(other, Y, weights)


def test_new_categories_are_named():
    other = MIXED.copy()
    other.loc[7, "sex"] = "x"
    model = RuleRegressor(alpha=0.05).fit(MIXED, Y)
    with pytest.raises(CertificateError, match="column 'sex' holds a category other than 'f', 'm' in row 7"):
        model.verify(other, Y)


def test_new_cells_of_a_table_on_disk_and_on_the_command_line(tmp_path, capsys):
    table = MIXED.assign(y=Y)
    model = RuleRegressor(alpha=0.05).fit([table], "y")
    other = table.copy()
    other.loc[5, "age"] = np.nan
    with pytest.raises(CertificateError, match="column 'age' has no value in row 5"):
        model.verify([other], "y")
    model.to_json(tmp_path / "model.json")
    other.to_csv(tmp_path / "other.csv", index=False)
    assert main(["verify", str(tmp_path / "model.json"), str(tmp_path / "other.csv"), "--target", "y"]) == 1
    assert "column 'age' has no value in data row 6, and in the fit" in capsys.readouterr().err


def test_a_refused_linear_term_is_named():
    other = MIXED.assign(dose=MIXED["dose"] + 1)
    with pytest.raises(CertificateError, match="linear term of column 'dose' has another mean"):
        RuleRegressor(alpha=0.2).fit(MIXED, 3 * MIXED["dose"]).verify(other, Y)


@pytest.mark.parametrize(
    "model",
    [
        RuleRegressor(alpha=0.1, max_features=1),
        HierarchicalRuleRegressor(alpha=0.1),
        L0AdditiveRegressor(lambda0=1.0),
        L0Regressor(lambda0=1.0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_another_number_of_rows_is_named_first(model, tmp_path):
    with pytest.raises(CertificateError, match="the model was fitted to 300 rows, and these are 299: "):
        model.fit(X, Y).verify(X[1:], Y[1:])
    with pytest.raises(CertificateError, match=r"^(?!.*fitted to)"):
        model.verify(X, -Y)
    model.to_json(tmp_path / "m.json")
    model = type(model).from_json(tmp_path / "m.json")
    with pytest.raises(CertificateError, match="the model was fitted to 300 rows, and these are 600: "):
        model.verify(np.vstack([X, X]), np.hstack([Y, Y]))


@pytest.mark.parametrize("label", ["column 99", "output 7: ", "column 1"])
def test_names_that_read_like_numbers_of_columns_are_left_alone(label):
    X = MIXED[["age", "dose"]].rename(columns={"dose": "column 0"})
    classes = np.array(["y", "x", label])[np.digitize(Y, np.quantile(Y, [0.3, 0.6]))]
    model = L0AdditiveClassifier(lambda0=1.0).fit(X, classes)
    with pytest.raises(CertificateError, match=rf"refused: ('{label}'|'x'|'y'): "):
        model.verify(X, np.roll(classes, 1))
    said = "column 'column 0': the range of column 1"
    wanted = r"^column 'column 0': the range of column 'column 0'$"
    with pytest.raises(CertificateError, match=wanted), naming_parts([None], list(X)):
        raise CertificateError(said)


def test_the_notebook_has_the_letters_of_the_sentence():
    assert (
        "; this is the L1 solution"
        in RuleRegressor(alpha=0.05, relax=0.5).fit(X, Y).certificate_._repr_html_()
    )


STOPPED = {"tol": 1e-3, "max_hull": 15}


@pytest.mark.parametrize(
    ("loss", "options"),
    [
        ("squared", {"alpha": 5e-4, **STOPPED}),
        ("squared", {"alpha": 3e-3, "tol": 1e-3, "rho": 1.1}),
        ("logistic", {"alpha": 1e-3, "tol": 1e-2}),
        ("hinge", {"alpha": 5e-4, **STOPPED}),
        ("squared_hinge", {"alpha": 1e-3, "tol": 0.1}),
    ],
)
def test_verify_refuses_each_bound_of_a_hierarchy_above_the_optimum(loss, options):
    local = np.random.default_rng(5)
    table = local.integers(0, 6, size=(150, 4)).astype(float)
    y = 1.5 * ((table[:, 0] > 2) & (table[:, 1] > 1)) - 0.8 * (table[:, 2] > 3) + 0.5 * local.normal(size=150)
    options |= {"bins": ("uniform", 4), "n_jobs": 1}
    if loss == "squared":
        kind = HierarchicalRuleRegressor
    else:
        kind, y, options = HierarchicalRuleClassifier, y > 0.3, options | {"loss": loss}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = kind(**options).fit(table, y)
    optimum = kind(**{**options, "tol": 1e-7, "max_hull": 10_000}).fit(table, y).certificate_.primal
    primal = model.certificate_.primal
    assert primal > optimum * (1 + 1e-5)
    model.verify(table, y)
    document = json.loads(model.to_json())
    [point] = document["model"]["outputs"][0]["points"]
    unit = point["relative_gap"] / point["gap"]

    def verify(dual):
        gap = primal - dual
        point.update(dual=dual, gap=gap, relative_gap=unit * gap, complete=unit * gap <= point["tol"])
        return kind.from_json(json.dumps(document)).verify(table, y)

    for above in (0.05, 0.1, 0.3, 0.6, 0.9, 1.0):
        dual = optimum + above * (primal - optimum)
        if dual > optimum * (1 + 2e-6):
            with pytest.raises(CertificateError, match=r"lower bound|relative gap"):
                verify(dual)
    assert verify(0.999 * optimum).dual >= 0.998 * optimum


def test_bounds_far_from_the_optimum_are_those_of_the_fit():
    # A working set of one conjunction, which other solutions reach from elsewhere.
    drawn = np.random.default_rng(6332)
    n, d = int(drawn.integers(2, 12)), int(drawn.integers(1, 4))
    table, y = drawn.integers(-2, 3, (n, d)).astype(float), drawn.integers(0, 2, n)
    weights = drawn.choice([0.3, 1, 2], n)
    options = {"alpha": 1e-4, "rho": 1.5, "depth_base": 1.5, "max_hull": 1, "bins": 20}
    losses = ("hinge", "squared_hinge", "logistic")
    models = [HierarchicalRuleClassifier(loss=loss, **options) for loss in losses]
    for model, response in [(HierarchicalRuleRegressor(**options), 3.0 * y - 1.0), *((m, y) for m in models)]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(table, response, sample_weight=weights)
        assert not model.certificate_.complete
        model.verify(table, response, sample_weight=weights)


@pytest.mark.parametrize(
    ("settings", "edits"),
    [
        ({"penalty": "l1", "max_rules": 5}, {"max_rules": 1}),
        ({"max_rules": 5}, {"max_rules": 1}),
        ({"max_rules": 5}, {"max_linear": 0}),
        ({"max_rules": 5}, {"max_terms": 1}),
        ({"max_rules": 5}, {"ridge": 0.5}),
        ({"max_rules": 5}, {"penalty": "l1"}),
        ({"alpha": 0.1}, {"penalty": "l0"}),
        ({"alpha": 0.1}, {"relax": 1.0}),
        ({"alpha": 0.1, "relax": 1.0}, {"relax": None}),
    ],
)
def test_verify_compares_a_model_with_what_was_asked_for(settings, edits):
    model = RuleRegressor(max_features=2, bins=5, **settings).fit(X, Y)
    document = json.loads(model.to_json())
    RuleRegressor.from_json(json.dumps(document)).verify(X, Y)
    assert len(model.rules_) > 1
    document["params"].update(edits)
    with pytest.raises((CertificateError, ValueError)):
        RuleRegressor.from_json(json.dumps(document)).verify(X, Y)


def test_a_limit_of_patterns_is_compared():
    records = [{item for item in "abcdef" if rng.random() < 0.5} for _ in range(100)]
    level = [("a" in record) + ("b" in record and "c" in record) + 0.1 * rng.normal() for record in records]
    model = ItemsetRegressor(max_patterns=4, ridge=0.01).fit_path(records, level)
    assert model.verify(records, level).complete
    document = json.loads(model.to_json())
    document["params"]["max_patterns"] = 1
    with pytest.raises(CertificateError, match="more than allowed"):
        ItemsetRegressor.from_json(json.dumps(document)).verify(records, level)


def test_no_rule_is_listed_twice():
    model = RuleRegressor(alpha=0.1, max_features=2, bins=5).fit(X, Y)
    document = json.loads(model.to_json())
    [output] = document["model"]["outputs"]
    [point] = output["points"]
    place, coef = point["terms"][0]
    output["terms"].append(output["terms"][place])
    point["terms"][0] = [place, coef / 2]
    point["terms"].append([len(output["terms"]) - 1, coef / 2])
    with pytest.raises(CertificateError, match="lists a term twice"):
        RuleRegressor.from_json(json.dumps(document)).verify(X, Y)


def test_the_first_of_some_strengths_keeps_within_the_limits():
    with pytest.raises(ValueError, match=r"alphas: the model at the largest, 0.001, has .* rules"):
        RuleRegressor(max_rules=1, max_features=2, bins=5, penalty="l1").fit_path(X, Y, alphas=[1e-3, 1e-4])


@pytest.mark.parametrize(("offset", "scale"), [(1.7e9, 1.0), (1e9, 1.0), (1.7e18, 1e9), (1.0, 1e-11)])
def test_columns_far_from_0_are_verified(offset, scale):
    """Times in seconds and in nanoseconds, and a column that hardly varies."""
    for seed in range(3):
        z = np.random.default_rng(seed).normal(size=(40, 2))
        far, y = z * scale + offset, z[:, 0] + (z[:, 1] > 0)
        for settings in ({"alpha": 0.01}, {"max_rules": 3, "cv": 2}, {"alpha": 0.01, "relax": 0.5}):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = RuleRegressor(**settings).fit(far, y)
            model.verify(far, y)


def test_the_deviation_of_a_column_far_from_0_is_that_of_its_numbers():
    # A sum of 91 numbers of 1,000 loses what they differ by: 1e-8.
    rng = np.random.default_rng(0)
    deviations = np.round(rng.normal(size=91), 1)
    column, y = 1e3 + 1e-8 * deviations, deviations + rng.normal(size=91)
    exact = [Fraction(x) for x in column]
    mean = sum(exact) / len(exact)
    variance = sum((x - mean) ** 2 for x in exact) / len(exact)
    model = RuleRegressor(alpha=0.01, max_features=1).fit(column[:, None], y)
    [term] = json.loads(model.to_json())["model"]["outputs"][0]["points"][0]["linear"]
    assert term["scale"] == pytest.approx(math.sqrt(variance), rel=1e-12)


@pytest.mark.filterwarnings("ignore:.*whole numbers count as")
@pytest.mark.parametrize("weight", [1e6, 1e10, 1e12])
def test_a_row_that_outweighs_the_others_is_verified(weight):
    z = np.random.default_rng(3).normal(size=(20, 2))
    y, weights = z[:, 0] + (z[:, 1] > 1), np.r_[weight, np.ones(19)]
    for model in (
        L0AdditiveRegressor(lambda0=0.5),
        L0Regressor(lambda0=0.5),
        L0Regressor(lambda0=0.5, lambda2=1.0),
        RuleRegressor(max_rules=3, alpha="bic"),
        RuleRegressor(alpha=0.01),
    ):
        model.fit(z, y, sample_weight=weights).verify(z, y, weights)


def test_weights_too_far_apart_are_refused():
    weights = np.r_[1.0, 1e-300, np.zeros(18)]
    with pytest.raises(ValueError, match="rows of less than 1e-12 of the largest weight are lost"):
        L0Regressor(lambda0=0.5).fit(X[:20], Y[:20], sample_weight=weights)


def test_a_bound_above_the_optimum_of_a_fit_that_max_iter_ended_is_refused():
    draw = np.random.default_rng(3)
    table = draw.normal(size=(80, 4))
    y = table[:, 0] * (table[:, 1] > 0) + (table[:, 2] > 0.5) * (table[:, 3] < 0) + 0.3 * draw.normal(size=80)
    settings = {"alpha": 0.001, "linear": False, "strategy": "column_generation"}
    optimum = RuleRegressor(**settings).fit(table, y).certificate_.primal
    with pytest.warns(ConvergenceWarning):
        model = RuleRegressor(**settings, max_iter=1).fit(table, y)
    model.verify(table, y)
    edited = json.loads(model.to_json())
    [point] = edited["model"]["outputs"][0]["points"]
    assert point["dual"] < optimum < 0.5 * point["primal"]
    for fraction, is_valid in ((0.0, True), (0.2, False), (0.5, False)):
        point["dual"] = (1 - 1e-4) * optimum + fraction * (point["primal"] - optimum)
        point["gap"] = point["primal"] - point["dual"]
        point["relative_gap"] = point["gap"] / point["primal"]
        claim = RuleRegressor.from_json(json.dumps(edited))
        if is_valid:
            claim.verify(table, y)
            continue
        with pytest.raises(CertificateError, match="another model has an objective of"):
            claim.verify(table, y)


@pytest.mark.parametrize("rho", [1.0001, 1.001, 1.002])
def test_the_dual_norm_of_a_large_order_is_no_number_below_it(rho):
    """Its powers of parts below the largest one were 0, and the proofs of all fits were wrong."""
    for alpha in (1e-1, 1e-2, 1e-3):
        model = HierarchicalRuleRegressor(rho=rho, alpha=alpha, tol=1e-4, time_limit=5, n_jobs=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X[:50, :2], Y[:50])
        assert model.verify(X[:50, :2], Y[:50]).dual <= model.certificate_.primal


@pytest.mark.parametrize("depth_base", [1 + 1e-10, 1 + 2**-52])
def test_weights_that_hardly_grow_with_length_do_not_hold_up_a_limit(depth_base):
    """A copy of a column loses nothing, so that a search for the length that is too long did not end."""
    twice = np.c_[X[:60, :2], X[:60, :2]]
    y = twice[:, 0] + twice[:, 1] > 0
    model = HierarchicalRuleClassifier(alpha=0.01, depth_base=depth_base, time_limit=1, max_hull=50, n_jobs=1)
    began = time.perf_counter()
    with pytest.warns(ConvergenceWarning):
        model.fit(twice, y)
    with contextlib.suppress(TimeoutError):
        model.verify(twice, y, time_limit=1)
    assert time.perf_counter() - began < 6
