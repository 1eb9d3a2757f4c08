"""The strength of factorization machines that cross-validation chooses."""

import contextlib
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from thresher import FactorizationMachineClassifier, FactorizationMachineRegressor, load_model
from thresher.data.folds import make_folds
from thresher.data.targets import Target

RNG = np.random.default_rng(0)
X = (RNG.random((400, 8)) < 0.4).astype(float)
PRODUCT = X[:, 0] * X[:, 3] - X[:, 1] * X[:, 5]
Y = PRODUCT / PRODUCT.std() + 0.3 * RNG.normal(size=400)
SMALL = {"rank": 4, "n_jobs": 1}


def test_the_comparison_is_that_of_separate_fits():
    """Without standardisation a fold is a fit of its rows: the scores by a loop over strengths and folds.

    Fits in folds end once their score is known, and strengths that have lost in the first folds are left out.
    """
    params = {**SMALL, "standardize": False, "l2_factors": 1e-4}
    model = FactorizationMachineRegressor(**params).fit(X, Y)
    compared = model.path_.cv_alphas
    steps = 2 * np.log10(0.3 / compared)
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
    assert (np.diff(compared) < 0).all()
    assert compared[0] == 0.3
    folds = make_folds(5, Target(Y[:, None]), None)
    for alpha, mean, se in zip(compared, model.path_.cv_mean, model.path_.cv_se, strict=True):
        losses = []
        for train, test in folds:
            one = FactorizationMachineRegressor(**params, alpha=alpha, max_iter=50)
            with np.errstate(all="ignore"):
                one.fit(X[train], Y[train])
            losses.append(np.mean((one.predict(X[test]) - Y[test]) ** 2) / 2)
        assert mean == pytest.approx(np.mean(losses), rel=5e-3)
        assert se == pytest.approx(np.std(losses, ddof=1) / 5**0.5, rel=0.05)
    assert model.alpha_ == compared[np.argmin(model.path_.cv_mean)]
    again = FactorizationMachineRegressor(**params, alpha=model.alpha_).fit(X, Y)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_the_default_finds_what_a_fixed_strength_misses():
    """Two columns of many categories: their interactions need a strength of 1e-6 and less."""
    users, items = RNG.integers(0, 60, 6000), RNG.integers(0, 40, 6000)
    taste = np.linalg.multi_dot([RNG.normal(size=(60, 2)), RNG.normal(size=(2, 40))])
    ratings = taste[users, items] + 0.5 * RNG.normal(size=6000)
    places = np.column_stack([users, 60 + items]).ravel()
    rows = csr_matrix((np.ones(12_000), (np.repeat(np.arange(6000), 2), places)), shape=(6000, 100))
    train, test = slice(0, 4000), slice(4000, None)
    chosen = FactorizationMachineRegressor(rank=4).fit(rows[train], ratings[train])
    fixed = FactorizationMachineRegressor(rank=4, alpha=0.01).fit(rows[train], ratings[train])
    assert fixed.n_interactions_ == 0
    assert chosen.score(rows[test], ratings[test]) > 0.7 > 0.2 > fixed.score(rows[test], ratings[test])


def test_noise_rarely_has_interactions():
    """Of 40 draws six have a strength that is best by chance."""
    noise = np.random.default_rng(1)
    machines = [FactorizationMachineRegressor(**SMALL).fit(X, noise.normal(size=400)) for _ in range(40)]
    assert sum(m.n_interactions_ > 0 for m in machines) <= 10


def test_each_class_has_a_strength_of_its_own(tmp_path):
    classes = np.array(["a", "b", "c"])[np.digitize(Y, [-0.5, 0.5])]
    model = FactorizationMachineClassifier(**SMALL, cv=3).fit(X, classes)
    assert model.alpha_.shape == (3,)
    assert all(alpha in compared for alpha, compared in zip(model.alpha_, model.path_.cv_alphas, strict=True))
    assert model.score(X, classes) > 0.6
    model.to_json(tmp_path / "m.json")
    read = load_model(tmp_path / "m.json")
    np.testing.assert_array_equal(read.predict_proba(X), model.predict_proba(X))
    assert read.path_.cv_mean == [None, None, None]  # a file holds the model alone


def test_one_standard_error_takes_a_stronger_penalty():
    least = FactorizationMachineRegressor(**SMALL).fit(X, Y)
    sparse = FactorizationMachineRegressor(**SMALL, one_standard_error=True).fit(X, Y)
    assert sparse.alpha_ >= least.alpha_
    limit = least.path_.cv_mean.min() + least.path_.cv_se[np.argmin(least.path_.cv_mean)]
    within = least.path_.cv_alphas[least.path_.cv_mean <= limit]
    assert sparse.alpha_ == within.max()


def test_threads_weights_and_refits_give_the_same_bits():
    weights = RNG.integers(0, 3, 400).astype(float)
    for params in ({}, {"refit": True}, {"penalty": "cs"}, {"order": 3}, {"early_stopping": True}):
        one, two = (
            FactorizationMachineRegressor(rank=3, n_jobs=jobs, **params).fit(X, Y, sample_weight=weights)
            for jobs in (1, 2)
        )
        assert one.alpha_ == two.alpha_
        np.testing.assert_array_equal(one.predict(X), two.predict(X))


def test_rows_held_out_for_early_stopping_choose_the_strength():
    model = FactorizationMachineRegressor(**SMALL, early_stopping=True, random_state=1).fit(X, Y)
    np.testing.assert_allclose(model.path_.cv_se, np.zeros(len(model.path_.cv_alphas)), atol=1e-15)
    chosen = {name: getattr(model, f"{name}_") for name in ("alpha", "l2_linear", "l2_factors")}
    fixed = FactorizationMachineRegressor(**SMALL, early_stopping=True, random_state=1, **chosen)
    np.testing.assert_array_equal(fixed.fit(X, Y).predict(X), model.predict(X))


def test_the_ridge_of_the_factors_is_the_one_of_least_held_out_loss():
    rng = np.random.default_rng(1)
    users, items = rng.integers(0, 150, 3000), rng.integers(0, 60, 3000)
    tastes, traits = rng.normal(size=(150, 3)), rng.normal(size=(60, 3))
    stars = (tastes[users] * traits[items]).sum(axis=1) + rng.normal(size=3000)
    table = pd.DataFrame({"user": users, "item": items}).astype(str)
    learned, held_out = slice(0, 1500), slice(1500, None)

    def error(**params):
        model = FactorizationMachineRegressor(n_jobs=1, rank=4, **params).fit(table[learned], stars[learned])
        return model, np.mean((model.predict(table[held_out]) - stars[held_out]) ** 2)

    (chosen, least), (usual, more) = error(), error(l2_factors=1e-4)
    assert chosen.l2_factors_ > 2e-4
    assert usual.l2_factors_ == 1e-4
    assert chosen.path_.cv_mean.min() < usual.path_.cv_mean.min()
    assert least < 0.9 * more
    same = {name: getattr(chosen, f"{name}_") for name in ("alpha", "l2_linear", "l2_factors")}
    np.testing.assert_array_equal(error(**same)[0].predict(table), chosen.predict(table))
    # A number for alpha and the strongest strength within one standard error have the usual ridge.
    assert error(alpha=1e-4)[0].l2_factors_ == error(one_standard_error=True)[0].l2_factors_ == 1e-4


def test_where_nothing_is_compared_a_number_is_taken():
    free = FactorizationMachineRegressor(**SMALL, penalty=None, max_iter=5)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        free.fit(X, Y)
    assert free.alpha_ == 0.01
    assert free.path_.cv_mean is None
    batches = FactorizationMachineClassifier(**SMALL, solver="psgd")
    batches.partial_fit(X, Y > 0, classes=[False, True])
    assert batches.alpha_ == 0.003
    counted = FactorizationMachineRegressor(**SMALL, n_interactions=2).fit(X, Y)
    assert counted.path_.cv_mean is None
    alphas = FactorizationMachineRegressor(**SMALL).fit_path(X, Y).path_.alphas
    np.testing.assert_allclose([alphas[0], alphas[-1]], [1.0, 1e-4])


def test_a_comparison_that_the_time_ends_is_said():
    rows = RNG.normal(size=(20_000, 60))
    model = FactorizationMachineRegressor(time_limit=2, n_jobs=1)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        model.fit(rows, rows[:, 0] * rows[:, 1])
    assert np.isfinite(model.predict(rows[:5])).all()


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"alpha": "bic"}, "alpha: got 'bic'; give 'cv', or a number >= 0"),
        ({"cv": 1}, "cv"),
        ({"cv": [(np.arange(5), np.array([], dtype=int))]}, "cv"),
        ({"one_standard_error": 2}, "one_standard_error"),
    ],
)
def test_bad_values(params, match):
    with pytest.raises((TypeError, ValueError), match=match):
        FactorizationMachineRegressor(**{**SMALL, **params}).fit(X, Y)


def ratings():
    """Users and items as one-hot columns, whose factors explain all of the target."""
    rng = np.random.default_rng(0)
    user, item, rows = rng.integers(0, 60, 1500), rng.integers(0, 40, 1500), np.arange(1500)
    target = (rng.normal(size=(60, 2))[user] * rng.normal(size=(40, 2))[item]).sum(axis=1)
    places = np.concatenate([rows, rows]), np.concatenate([user, 60 + item])
    return csr_matrix((np.ones(3000), places), shape=(1500, 100)), target


def test_a_loss_that_falls_to_the_last_strength_is_said():
    with pytest.warns(
        ConvergenceWarning,
        match=r"alpha: the held-out loss still falls at 3e-08.*penalty=None with a rank of 2 to 4 and l2_",
    ):
        model = FactorizationMachineRegressor(rank=4).fit(*ratings())
    assert model.alpha_ == model.path_.cv_alphas[-1]


def test_a_comparison_that_leaves_no_interaction_is_said():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 10))
    model = FactorizationMachineRegressor(rank=4)
    with pytest.warns(
        ConvergenceWarning,
        match=r"alpha: no interaction is left.*penalty=None.* l2_factors of .* to 0.0005 and l2_linear=0\.",
    ):
        model.fit(rows, rows[:, 0] + rng.normal(size=300))
    assert model.n_interactions_ == 0


def test_equal_losses_without_interactions_are_said():
    """A ridge that makes all factors 0 leaves strengths that do not differ, or nothing to compare."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 5))
    target = rows[:, 0] + rows[:, 1] * rows[:, 2] + rng.normal(size=300)
    with pytest.warns(ConvergenceWarning, match="alpha: no interaction is left"):
        model = FactorizationMachineRegressor(l2_factors=10.0, **SMALL).fit(rows, target)
    assert np.ptp(model.path_.cv_mean) == 0
    match = r"l2_factors: no interaction is left: the ridge 10 makes .* such as 5 and 2, and an l2_linear of"
    with pytest.warns(ConvergenceWarning, match=match):
        model = FactorizationMachineRegressor(penalty=None, l2_factors=10.0, rank=3).fit(rows, target)
    assert model.n_interactions_ == 0


@pytest.mark.parametrize("seed", [0, 4])
def test_factors_of_users_and_items_are_found_behind_a_rise(seed):
    """Chance products of numbers and levels enter at a thousand times the strength of the factors."""
    rng = np.random.default_rng(seed)
    user, item = rng.integers(0, 60, 3000), rng.integers(0, 40, 3000)
    of_user, of_item = rng.normal(size=(60, 3)), rng.normal(size=(40, 3))
    y = 3.5 + 0.6 * (of_user[user] * of_item[item]).sum(axis=1) + rng.normal(0, 0.5, 3000)
    table = pd.DataFrame({"user": user, "item": item}).astype(str)
    table[["x1", "x2", "x3"]] = rng.normal(size=(3000, 3))
    model = FactorizationMachineRegressor(rank=8, cv=3).fit(table[:2400], y[:2400])
    assert model.alpha_ < 1e-4
    assert model.score(table[2400:], y[2400:]) > 0.5
    losses = model.path_.cv_mean
    assert losses[-1] < losses[0]


@pytest.mark.parametrize(
    ("rows", "y"), [(RNG.normal(size=(200, 1)), RNG.normal(size=200)), (X[:200], np.full(200, 3.0))]
)
def test_a_loss_that_no_interaction_can_lower_does_not_fall(rows, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = FactorizationMachineRegressor(**SMALL).fit(rows, y)
    assert model.n_interactions_ == 0
    assert model.alpha_ == 0.3


def test_a_time_limit_says_which_strengths_were_compared():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 40))
    y = X[:, 0] * X[:, 1] + rng.normal(size=6000)
    said = []
    for limit in (0.1, 0.2, 0.4, 0.8, 1.6):  # the first that is enough for one strength
        with contextlib.suppress(TimeoutError), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            FactorizationMachineRegressor(time_limit=limit).fit(X, y)
        said += [str(each.message) for each in caught]
    assert any(
        re.search(r"Cross-validation compared \d+ strengths? down to 0.* not tried", text) for text in said
    )


def _ratings(n_rows, n_tastes, rng):
    users, items = rng.integers(0, 40, n_rows), rng.integers(0, 30, n_rows)
    tastes = np.linalg.multi_dot([rng.normal(size=(40, n_tastes)), rng.normal(size=(n_tastes, 30))])
    frame = pd.DataFrame({"user": users, "item": items}).astype(str)
    return frame, tastes[users, items] + 0.5 * rng.normal(size=n_rows)


@pytest.mark.parametrize("n_tastes", [1, 4])
def test_few_tastes_need_few_components(n_tastes):
    frame, stars = _ratings(4000, n_tastes, np.random.default_rng(n_tastes))
    train, test = slice(0, 2500), slice(2500, None)
    chosen = FactorizationMachineRegressor(n_jobs=1).fit(frame[train], stars[train])
    free = {"rank": 30, "l2_factors": 1e-4}  # a larger ridge would take components away
    many = FactorizationMachineRegressor(**free, n_jobs=1).fit(frame[train], stars[train])
    assert chosen.rank_ == {1: 2, 4: 4}[n_tastes]
    assert many.rank_ == 30
    error, of_many = (np.mean((model.predict(frame[test]) - stars[test]) ** 2) for model in (chosen, many))
    assert error < 0.9 * of_many


def test_the_chosen_rank_is_that_of_least_held_out_loss():
    frame, stars = _ratings(1500, 3, np.random.default_rng(0))
    chosen = FactorizationMachineRegressor(n_jobs=1).fit(frame, stars)
    given = FactorizationMachineRegressor(rank=chosen.rank_, n_jobs=1).fit(frame, stars)
    assert chosen.alpha_ == given.alpha_
    least = {
        rank: FactorizationMachineRegressor(rank=rank, n_jobs=1).fit(frame, stars).path_.cv_mean.min()
        for rank in (2, 4, 8, 16)
    }
    assert min(least, key=least.get) == chosen.rank_
    assert chosen.path_.cv_mean.min() == pytest.approx(least[chosen.rank_], rel=1e-2)


@pytest.mark.parametrize("order", [2, "all"])
def test_outputs_of_different_ranks_predict_as_alone(order, tmp_path):
    """The components that the first output lacks are 0, and add nothing to an all-subsets machine either."""
    rng = np.random.default_rng(3)
    few = X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=400)
    many = np.sum([X[:, i] * X[:, j] * rng.choice([-2, 2]) for i in range(8) for j in range(i)], axis=0)
    targets = np.column_stack([few, many + 0.1 * rng.normal(size=400)])
    params = {"order": order, "fit_lower": "explicit", "n_jobs": 1, "cv": 3}
    if order == "all":
        params["penalty"] = "omega_ti"
    both, alone = (FactorizationMachineRegressor(**params).fit(X, y) for y in (targets, few))
    assert both.rank_ > alone.rank_
    np.testing.assert_allclose(both.predict(X)[:, 0], alone.predict(X), rtol=1e-12, atol=1e-12)
    assert not both.factors_[0][0, :, alone.rank_ :].any()
    both.to_json(tmp_path / "m.json")
    np.testing.assert_array_equal(load_model(tmp_path / "m.json").predict(X), both.predict(X))


def test_a_fit_that_goes_on_has_the_components_of_the_model():
    model = FactorizationMachineRegressor(warm_start=True, n_jobs=1).fit(X, Y)
    rank = model.rank_
    assert model.set_params(alpha=1e-3).fit(X, Y).rank_ == rank < 30
    assert FactorizationMachineRegressor(alpha=1e-3).fit(X, Y).rank_ == 30
