"""Score cards in points: the rounding, the scale, the card, beside plain loops."""

import itertools
import math
import pickle
import warnings
from functools import cache

import numpy as np
import pytest

from thresher import L0AdditiveClassifier, L0AdditiveRegressor, ScaledCard
from thresher.scorecard.rounding import round_points
from thresher.scorecard.scaling import Scaling

pd = pytest.importorskip("pandas")


def loans(n=400, seed=0):
    """Applications with missing values, categories, a constant and an empty column; 'bad' is the event."""
    r = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": r.integers(18, 80, n).astype(float),
            "income": r.lognormal(3, 0.6, n).round(1),
            "home": r.choice(["own", "rent", "family", "other"], n, p=[0.4, 0.4, 0.15, 0.05]),
            "job": r.choice([True, False], n),
            "one": 1.0,
            "empty": np.nan,
        }
    )
    z = 0.9 * (X.age < 30) - 0.8 * (X.income > 25) + 1.1 * (X.home == "rent") - 0.4 * X.job - 0.5
    y = np.where(r.random(n) < 1 / (1 + np.exp(-z)), "bad", "good")
    X.loc[r.random(n) < 0.15, "income"] = np.nan
    X["home"] = X["home"].astype(object).mask(r.random(n) < 0.1, None)
    return X, y


@cache
def fitted(n=400, seed=0, **params):
    """A model that no test changes, and its rows."""
    X, y = loans(n, seed)
    given = {"lambda0": 1.5, "pos_label": "bad", "handle_unknown": "missing", **params}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return L0AdditiveClassifier(**given).fit(X, y), X, y


def event_probability(model, X):
    """The probabilities of the event by a model or a card."""
    event = model.event if isinstance(model, ScaledCard) else model.pos_label_
    classes = getattr(model, "model", model).classes_.tolist()
    return model.predict_proba(X)[:, classes.index(event)]


def new_rows(n=200, seed=5):
    """Rows with values that training did not have, unseen categories and missing values everywhere."""
    r = np.random.default_rng(seed)
    X, _ = loans(n, seed)
    X["age"] = r.uniform(-50, 200, n)
    X["income"] = np.where(r.random(n) < 0.3, np.nan, r.uniform(0, 90, n))
    X.loc[r.random(n) < 0.2, "home"] = "castle"
    return X.mask(r.random(X.shape) < 0.1)


def score_of(card, row):
    """The score of one row by the lines of the card and the categories of the model."""
    lines = list(zip(*card.columns().values(), strict=True))
    total = lines[0][2]
    for shape in card.model.shape_functions_:
        own = [line for line in lines if line[0] == shape.feature_name]
        value = row[shape.feature_name]
        chosen = own[-1]  # missing
        if value is not None and value == value:
            groups = [step.categories for step in shape.steps if step.categories]
            if shape.steps[0].categories is None:
                [chosen] = [line for line in own if line[4] < float(value) <= line[5]]
            elif any(value in group for group in groups):
                chosen = own[next(k for k, group in enumerate(groups) if value in group)]
        total += chosen[2]
    return total


# ---------------------------------------------------------------------- rounding


def bound_of(base, whole, start, points):
    """The largest error over every combination of bins, by enumeration."""
    errors = [
        [p - v for p, v in zip(own, exact, strict=True)] for own, exact in zip(points, whole, strict=True)
    ]
    return max(abs(start - base + sum(combination)) for combination in itertools.product(*errors))


def draw(r, n_columns):
    values = []
    for _ in range(n_columns):
        m = int(r.integers(1, 6))
        kind = r.integers(4)
        column = r.normal(0, [0.2, 3, 20, 1][kind], m)
        values.append((np.round(column * 2) / 2 if kind == 3 else column).tolist())  # halves: ties
    return float(r.normal(500, 50)), values


def ordinary(base, values):
    points = [[math.floor(v + 0.5) for v in column] for column in values]
    low = sum(
        min(p - v for p, v in zip(own, exact, strict=True)) for own, exact in zip(points, values, strict=True)
    )
    high = sum(
        max(p - v for p, v in zip(own, exact, strict=True)) for own, exact in zip(points, values, strict=True)
    )
    return min(
        max(abs(start - base + low), abs(start - base + high))
        for start in range(int(base) - 5, int(base) + 6)
    )


@pytest.mark.parametrize("seeds", np.array_split(np.arange(600), 3), ids=["one", "two", "three"])
def test_the_bound_of_the_rounding_is_the_largest_error_of_all_rows(seeds):
    for seed in seeds.tolist():
        check_bound(seed)


def check_bound(seed):
    r = np.random.default_rng(seed)
    base, values = draw(r, int(r.integers(0, 5)))
    found = round_points(base, values)
    assert found.max_error == pytest.approx(bound_of(base, values, found.base, found.points), abs=1e-9)
    assert found.max_error <= (1 + sum(1 - 1 / len(column) for column in values)) / 2 + 1e-9
    assert found.max_error <= ordinary(base, values) + 1e-9
    for points, column in zip(found.points, values, strict=True):
        assert all(isinstance(p, int) and abs(p - v) < 1 for p, v in zip(points, column, strict=True))
        for a, b in itertools.combinations(range(len(column)), 2):  # order and ties are kept
            if column[a] == column[b]:
                assert points[a] == points[b]
            if column[a] < column[b]:
                assert points[a] <= points[b]


def width_of(column):
    """The least range of the errors of a column, over all thresholds."""
    ranges = []
    for t in [1 - (v - math.floor(v)) for v in column]:
        errors = [math.floor(v + t + 1e-12) - v for v in column]
        ranges.append(max(errors) - min(errors))
    return min(ranges)


@pytest.mark.parametrize("seed", range(40))
def test_many_columns_stay_within_half_of_their_ranges(seed):
    r = np.random.default_rng(seed)
    base, values = draw(r, int(r.integers(10, 40)))
    found = round_points(base, values)
    assert found.max_error <= (1 + sum(map(width_of, values))) / 2 + 1e-9
    assert found.max_error <= ordinary(base, values) + 1e-9


def test_the_rounding_is_close_to_the_best_of_all_thresholds():
    for seed in range(60):
        check_best(seed)


def check_best(seed):
    r = np.random.default_rng(seed)
    base, values = draw(r, int(r.integers(1, 4)))
    grid = [sorted({1 - (v - math.floor(v)) for v in column} | {0.0}) for column in values]
    best = math.inf
    for shifts in itertools.product(*grid):
        points = [
            [math.floor(v + t + 1e-12) for v in column] for column, t in zip(values, shifts, strict=True)
        ]
        for start in range(int(base) - 4, int(base) + 5):
            best = min(best, bound_of(base, values, start, points))
    assert best - 1e-9 <= round_points(base, values).max_error <= best + 0.3


# ---------------------------------------------------------------------- scale


def test_the_scale_by_hand():
    scaling = Scaling(20.0, 600.0, 50.0, "low_risk")
    assert scaling.score(math.log(1 / 50)) == pytest.approx(600)
    assert scaling.score(math.log(1 / 100)) == pytest.approx(620)
    risky = Scaling(20.0, 600.0, 50.0, "high_risk")
    assert risky.score(math.log(50)) == pytest.approx(600)
    assert risky.score(math.log(100)) == pytest.approx(620)
    for scale in (scaling, risky):
        z = np.linspace(-5, 5, 21)
        np.testing.assert_allclose(scale.log_odds(scale.score(z)), z, atol=1e-12)
        np.testing.assert_allclose(scale.probability(scale.score(z)), 1 / (1 + np.exp(-z)), atol=1e-12)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("high_score", ["low_risk", "high_risk"])
def test_exact_points_are_the_model(loss, high_score):
    model, X, _ = fitted(loss=loss)
    card = model.scaled_card(pdo=35, base_score=100, base_odds=3, high_score=high_score, whole=False)
    np.testing.assert_allclose(card.predict_proba(X), model.predict_proba(X), rtol=1e-9)
    assert card.max_error < 1e-9
    risk = event_probability(model, X)
    order = np.argsort(risk)
    steps = np.diff(card.score(X)[order])
    assert (steps >= -1e-9).all() if high_score == "high_risk" else (steps <= 1e-9).all()
    odds = risk / (1 - risk) if high_score == "high_risk" else (1 - risk) / risk
    np.testing.assert_allclose(card.score(X), 100 + 35 * np.log2(odds / 3), atol=1e-7)


# ---------------------------------------------------------------------- the card


@pytest.mark.parametrize("seed", range(12))
def test_scores_are_the_printed_points(seed):
    r = np.random.default_rng(seed)
    model, X, _ = fitted(int(r.integers(30, 500)), seed, lambda0=float(r.choice([0.3, 1.5, 5.0, 1e6])))
    base = str(r.choice(["average", "lowest", "spread"]))
    high = str(r.choice(["low_risk", "high_risk"]))
    card = model.scaled_card(pdo=float(r.uniform(5, 80)), base=base, high_score=high, whole=bool(seed % 3))
    for rows in (X.head(60), new_rows(60, seed)):
        scores = card.score(rows)
        wanted = [score_of(card, row) for row in rows.to_dict("records")]
        np.testing.assert_allclose(scores, wanted, atol=1e-9)
        if card.whole:
            assert scores.dtype == np.int64
            assert scores.tolist() == wanted
        error = card.rounding_error(rows)
        exact = card.scaling.score(model._finite_decision(rows)[:, 0])
        np.testing.assert_allclose(error, scores - exact, atol=1e-9)
        assert np.abs(error).max() <= card.max_error
    assert len(card.to_frame()) == 1 + sum(len(own.texts) for own in card.bins)


def test_the_bound_of_a_card_is_attained():
    model, X, _ = fitted()
    card = model.scaled_card()
    worst = {name: X[name].iloc[0] for name in X}
    choices = [
        [
            (own, k)
            for k in range(len(own.texts))
            if own.groups is None or k == own.missing_bin or own.groups[k]
        ]
        for own in card.bins
    ]
    rows = []
    for combination in itertools.product(*choices):
        row = dict(worst)
        for own, k in combination:
            if k == own.missing_bin:
                row[own.feature_name] = None
            elif own.groups is not None:
                row[own.feature_name] = own.groups[k][0]
            else:
                row[own.feature_name] = own.uppers[k] if k < len(own.uppers) else own.uppers[-1] + 1
        rows.append(row)
    frame = pd.DataFrame(rows).astype({"age": float, "income": float})
    assert np.abs(card.rounding_error(frame)).max() == pytest.approx(card.max_error, abs=1e-9)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("high_score", ["low_risk", "high_risk"])
def test_where_points_begin_does_not_change_scores(whole, high_score):
    model, X, _ = fitted()
    cards = {
        base: model.scaled_card(base=base, whole=whole, high_score=high_score)
        for base in ("average", "lowest", "spread")
    }
    for card in cards.values():
        np.testing.assert_allclose(card.score(X), cards["average"].score(X), atol=1e-9)
        assert card.max_error == pytest.approx(cards["average"].max_error, abs=1e-9)
    assert all(min(points) == 0 for points in cards["lowest"].points)
    assert cards["spread"].base_points == 0
    average = cards["average"]
    mean = sum(np.dot(own.supports, points) for own, points in zip(average.bins, average.points, strict=True))
    assert abs(mean) < len(average.bins)


def test_an_empty_model_has_base_points_alone():
    model, X, y = fitted(lambda0=1e9)
    for base in ("average", "lowest", "spread"):
        card = model.scaled_card(base=base)
        assert set(card.score(X)) == {card.base_points}
        assert card.max_error <= 0.5
        assert "(base points)" in str(card)
        assert card.to_frame().shape[0] == 1
    exact = model.scaled_card(whole=False)
    assert event_probability(exact, X)[0] == pytest.approx((y == "bad").mean())
    assert ScaledCard.from_json(card.to_json()).score(X).tolist() == card.score(X).tolist()
    assert list(card.reasons(X).columns()) == ["score"]
    assert card.monitor(X, X.head(50)).psi == 0
    assert len(model.binning_table(X, y).to_frame()) == 0


def test_a_later_fit_leaves_the_card_as_it_is():
    model, X, y = fitted()
    model = pickle.loads(pickle.dumps(model))
    card = model.scaled_card()
    before = card.score(X)
    model.fit(X[["age", "one"]], y)
    assert card.score(X).tolist() == before.tolist()
    assert pickle.loads(pickle.dumps(card)).score(X).tolist() == before.tolist()


def test_models_of_paths_files_frames_and_matrices_have_cards():
    model, X, y = fitted()
    card = model.scaled_card()
    again = L0AdditiveClassifier.from_json(model.to_json()).scaled_card()
    assert (again.points, again.base_points) == (card.points, card.base_points)
    path = (
        L0AdditiveClassifier(pos_label="bad", handle_unknown="missing")
        .fit_path(X, y, lambda0=[9, 3, 1])
        .path_
    )
    sizes = [len(path.at(lambda0).scaled_card().to_frame()) for lambda0 in (9, 3, 1)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    used = sorted(own.feature_index for own in card.bins)
    assert card.score(X.iloc[:, used]).tolist() == card.score(X).tolist()
    polars = pytest.importorskip("polars")
    assert card.score(polars.from_pandas(X)).tolist() == card.score(X).tolist()
    matrix = X[["age", "income"]].to_numpy()
    plain = L0AdditiveClassifier(lambda0=2.0).fit(matrix, y).scaled_card()
    assert plain.score(matrix.tolist()).tolist() == plain.score(matrix).tolist()
    assert "x0 <= " in str(plain)


def test_unknown_categories_are_warned_of():
    model, X, _ = fitted(handle_unknown="warn")
    rows = X.head(5).copy()
    rows["home"] = "castle"
    with pytest.warns(UserWarning, match="castle"):
        scores = model.scaled_card().score(rows)
    assert (
        scores.tolist() == model.scaled_card().score(rows.assign(home=None).astype({"home": object})).tolist()
    )


def test_unknown_categories_are_refused_as_predict_refuses_them():
    model, X, _ = fitted(handle_unknown="error")
    card = model.scaled_card()
    rows = X.head(5).copy()
    rows.loc[rows.index[3], "home"] = "castle"
    with pytest.raises(ValueError, match="'castle' in row 3"):
        card.score(rows)
    with pytest.raises(ValueError, match="castle"):
        model.predict(rows)


def test_the_card_says_what_it_is():
    model, X, y = fitted()
    text = str(model.scaled_card(pdo=25, base_score=500, base_odds=20))
    assert "At 500 the odds of class 'good' to class 'bad' are 20:1; 25 points more double them." in text
    assert "Rounding moves a score by at most" in text
    assert "home missing" in text
    assert "<table>" in model.scaled_card()._repr_html_()
    risky = str(model.scaled_card(high_score="high_risk", whole=False))
    assert "odds of class 'bad' to class 'good'" in risky
    assert "Rounding" not in risky
    weighted = L0AdditiveClassifier(lambda0=2.0, class_weight="balanced").fit(X, y).scaled_card()
    assert "class_weight" in str(weighted)
    assert weighted.event == "good"


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"pdo": 0}, "pdo"),
        ({"pdo": "twenty"}, "pdo"),
        ({"pdo": math.inf}, "pdo"),
        ({"pdo": 1e300}, "too large"),
        ({"pdo": 1.7e308}, "too large"),
        ({"base_score": math.nan}, "base_score"),
        ({"base_score": 1e16}, "too large"),
        ({"base_odds": -1}, "base_odds"),
        ({"high_score": "good"}, "high_score"),
        ({"whole": "yes"}, "whole"),
        ({"base": "none"}, "base"),
    ],
)
def test_bad_parameters_are_named(params, words):
    model, _, _ = fitted()
    with pytest.raises(ValueError, match=words):
        model.scaled_card(**params)


def test_cards_are_for_two_classes():
    X, y = loans()
    three = np.where(X.age > 60, "old", y)
    model = L0AdditiveClassifier(lambda0=5.0, handle_unknown="missing").fit(X, three)
    with pytest.raises(ValueError, match="two classes; the model has 3"):
        model.scaled_card()
    assert not hasattr(L0AdditiveRegressor, "scaled_card")


def test_tiny_scales_round_to_nothing_and_say_so():
    model, X, _ = fitted()
    card = model.scaled_card(pdo=1e-6)
    assert np.abs(card.rounding_error(X)).max() <= card.max_error + 1e-9
    assert "Rounding moves" in str(card)


def test_the_card_is_drawn():
    pytest.importorskip("matplotlib").use("Agg")
    model, _, _ = fitted()
    card = model.scaled_card()
    display = card.plot()
    texts = [label.get_text() for label in display.axes_.get_yticklabels()]
    assert texts == [text for own in card.bins for text in own.texts]
    widths = [bar.get_width() for bar in display.axes_.patches]
    assert widths == [value for points in card.points for value in points]
    assert repr(card.plot(max_features=1)) == "CardDisplay(1 column)"
