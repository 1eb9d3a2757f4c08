"""Binning tables, reasons and monitoring of score cards, beside plain loops."""

import dataclasses
import math

import numpy as np
import pytest

from thresher import L0AdditiveClassifier, L0AdditiveRegressor
from thresher.monitoring.stability import chance_index, shares_of, stability_index
from thresher.results.ranking import equal_weight_cuts

from .test_scorecard import fitted, loans, new_rows

pd = pytest.importorskip("pandas")


def text_of_bin(card_or_model, feature, value):
    """The text of the bin of a value, found by comparing with every step of the model."""
    model = getattr(card_or_model, "model", card_or_model)
    shape = next(shape for shape in model.shape_functions_ if shape.feature_name == feature)
    if value is None or value != value:
        return f"{feature} missing"
    for step in shape.steps:
        if step.categories:
            inside = value in step.categories
        else:
            inside = step.categories is None and step.lower < float(value) <= step.upper
        if inside:
            return step.text.replace(" or missing", "")
    return f"{feature} missing"


def weighted(n, seed, kind):
    r = np.random.default_rng(seed)
    if kind == "none":
        return None
    return np.where(r.random(n) < 0.2, 0.0, 1.0 if kind == "zeros" else r.uniform(0.2, 3, n))


# ---------------------------------------------------------------------- binning tables


@pytest.mark.parametrize("kind", ["none", "zeros", "numbers"])
@pytest.mark.parametrize("seed", range(6))
def test_binning_tables_count_the_rows(kind, seed):
    model, X, y = fitted(250, seed, lambda0=1.0)
    weights = weighted(len(y), seed, kind)
    w = np.ones(len(y)) if weights is None else weights
    table = model.binning_table(X, y, weights)
    frame = table.to_frame()
    half = 0.5 * w[w > 0].mean()
    events, others = w[y == "bad"].sum(), w[y == "good"].sum()
    total = dict.fromkeys(table.iv, 0.0)
    for _, line in frame.iterrows():
        inside = [text_of_bin(model, line["feature"], value) == line["bin"] for value in X[line["feature"]]]
        e, n = w[inside & (y == "bad")].sum(), w[inside & (y == "good")].sum()
        assert line["count"] == pytest.approx(e + n)
        assert line["share"] == pytest.approx((e + n) / w.sum())
        assert (line["events"], line["non_events"]) == pytest.approx((e, n))
        if e + n == 0:
            assert math.isnan(line["event_rate"])
            assert math.isnan(line["woe"])
            assert line["iv"] == 0
            continue
        assert line["event_rate"] == pytest.approx(e / (e + n))
        if e == 0 or n == 0:
            e, n = e + half, n + half
        woe = math.log((n / others) / (e / events))
        assert line["woe"] == pytest.approx(woe)
        assert line["iv"] == pytest.approx((n / others - e / events) * woe)
        assert line["iv"] >= 0
        total[line["feature"]] += line["iv"]
    assert table.iv == pytest.approx(total)
    assert frame["feature_iv"].tolist() == pytest.approx([total[name] for name in frame["feature"]])
    for own in table.binned:
        assert own.statistics["count"].sum() == pytest.approx(w.sum())


def test_signs_of_evidence_and_contribution_are_opposite():
    model, X, y = fitted(3000, 3)
    frame = model.binning_table(X, y).to_frame()
    frame = frame[frame["count"] > 100]
    assert np.corrcoef(frame["woe"], frame["contribution"])[0, 1] < -0.8


def test_weights_and_repeated_rows_agree():
    model, X, y = fitted(250, 1, lambda0=1.0)
    counts = np.random.default_rng(0).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), counts)
    one = model.binning_table(X, y, counts).to_frame()
    other = model.binning_table(X.iloc[rows].reset_index(drop=True), y[rows]).to_frame()
    assert ((one["events"] == 0) & (one["non_events"] > 0)).any()
    for name in ("count", "share", "events", "non_events", "event_rate", "woe", "iv"):
        np.testing.assert_allclose(one[name], other[name], rtol=1e-12)


def test_rows_of_one_class_have_no_evidence():
    model, X, y = fitted()
    good = y == "good"
    table = model.binning_table(X[good], y[good])
    assert table.to_frame()["woe"].isna().all()
    assert all(math.isnan(value) for value in table.iv.values())
    assert "-" in str(table)


def test_class_weights_do_not_change_counts():
    X, y = loans()
    model = L0AdditiveClassifier(lambda0=1.5, class_weight="balanced", pos_label="bad").fit(X, y)
    table = model.binning_table(X, y)
    assert table.binned[0].statistics["events"].sum() == (y == "bad").sum()


def test_several_classes_have_a_table_each():
    X, y = loans(600)
    three = np.where(X.age > 60, "old", y)
    model = L0AdditiveClassifier(lambda0=4.0, handle_unknown="missing").fit(X, three)
    with pytest.raises(ValueError, match="output: got None; the model has several"):
        model.binning_table(X, three)
    table = model.binning_table(X, three, output="old")
    assert table.event == "old"
    assert table.binned[0].statistics["events"].sum() == (three == "old").sum()
    frame = table.to_frame()
    old = frame[(frame["feature"] == "age") & (frame["count"] > 0)]
    assert old["event_rate"].iloc[-1] == 1
    assert np.isfinite(old["woe"]).all()


def test_numbers_have_means():
    X, _ = loans(600)
    y = np.where(X.age > 40, 10.0, 2.0) + X["income"].fillna(0) / 50
    model = L0AdditiveRegressor(lambda0=3.0, handle_unknown="missing").fit(X, y)
    weights = weighted(600, 0, "numbers")
    table = model.binning_table(X, y, weights)
    frame = table.to_frame()
    assert list(frame.columns) == ["feature", "bin", "count", "share", "mean", "contribution"]
    assert table.iv == {}
    for _, line in frame.iterrows():
        inside = np.array([text_of_bin(model, line["feature"], v) == line["bin"] for v in X[line["feature"]]])
        wanted = np.average(y[inside], weights=weights[inside]) if weights[inside].sum() else math.nan
        assert line["mean"] == pytest.approx(wanted, nan_ok=True)
    both = L0AdditiveRegressor(lambda0=3.0).fit(X, np.column_stack([y, -y]))
    with pytest.raises(ValueError, match="name one of 0, 1"):
        both.binning_table(X, np.column_stack([y, -y]))
    second = both.binning_table(X, np.column_stack([y, -y]), output=1)
    assert second.binned[0].statistics["mean"][0] < 0


def test_tables_of_a_model_without_steps_say_so():
    X, _ = loans(100)
    y = X.age.to_numpy(dtype=float)
    model = L0AdditiveRegressor(lambda0=1e9).fit(X, y)
    assert str(model.binning_table(X, y)) == "The model has no steps, so that no column has bins."
    assert "has no steps: it gives all rows the same answer" in str(model.monitor(X, X))
    of_classes = L0AdditiveClassifier(lambda0=1.0).fit(X, y > 40)
    assert of_classes.shape_functions_
    assert "has no steps" not in str(of_classes.monitor(X, X))


def test_tables_of_cards_have_points_and_print():
    model, X, y = fitted()
    card = model.scaled_card()
    table = card.binning_table(X, y)
    assert table.to_frame()["points"].tolist() == card.to_frame()["points"].tolist()[1:]
    assert "points" not in model.binning_table(X, y).columns()
    assert str(table).splitlines()[1].split()[-4:] == ["rate", "WoE", "IV", "points"]
    assert "<table>" in table._repr_html_()
    assert table.to_markdown().count("|") > 50


@pytest.mark.parametrize("points", [False, True])
def test_tables_fit_a_terminal(points):
    rng = np.random.default_rng(0)
    n = 1200
    X = pd.DataFrame(
        {"income": rng.lognormal(10, 0.6, n).round(-2), "months_employed": rng.integers(0, 300, n)}
    )
    X["purpose"] = rng.choice(["car", "education", "furniture", "repairs"], n)
    risk = 1.5 * (X["income"] < 20000) + (X["months_employed"] < 60) + 0.7 * (X["purpose"] == "car") - 2
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-risk)), "bad", "good")
    model = L0AdditiveClassifier(max_steps=8, pos_label="bad").fit(X, y)
    card = model.scaled_card() if points else model
    month = np.repeat(["2024-01", "2024-02"], n // 2)
    monitored = card.monitor(X, X, y_reference=y, y_new=y, period=month)
    tables = [card.binning_table(X, y), monitored.periods, monitored.bins, monitored.values]
    tables += [card.bands(X, y)] if points else []
    for table in tables:
        lines = str(table).splitlines()
        assert max(map(len, lines)) <= 88, str(table)
    assert "" not in str(tables[0]).splitlines()  # one block
    first, second = str(monitored.periods).split("\n\n")
    assert first.splitlines()[0].split()[:2] == ["period", "count"]
    assert second.split()[:2] == ["period", "event" if points else "observed"]


def test_weights_are_checked():
    model, X, y = fitted()
    for bad, words in ((np.zeros(len(y)), "zero"), ([1.0], "shape"), (np.full(len(y), -1.0), "negative")):
        with pytest.raises(ValueError, match=words):
            model.binning_table(X, y, bad)
    with pytest.raises(ValueError, match="class 'ugly'"):
        model.binning_table(X, np.where(y == "bad", "ugly", y))


# ---------------------------------------------------------------------- reasons


def points_by_column(card, rows):
    """The points of each column of each row, read off the printed table."""
    columns = card.columns()
    printed = dict(zip(zip(columns["feature"], columns["bin"], strict=True), columns["points"], strict=True))
    return [
        {
            own.feature_name: printed[
                own.feature_name, text_of_bin(card, own.feature_name, row[own.feature_name])
            ]
            for own in card.bins
        }
        for row in rows.to_dict("records")
    ]


@pytest.mark.parametrize("high_score", ["low_risk", "high_risk"])
@pytest.mark.parametrize("reference", ["best", "mean", "rows"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("adverse", ["high", "low"])
def test_reasons_are_the_points_lost(high_score, reference, seed, adverse):
    model, X, _ = fitted(300, seed, lambda0=0.7)
    card = model.scaled_card(high_score=high_score, whole=bool(seed % 2))
    sign = -1 if (high_score == "low_risk") == (adverse == "high") else 1
    rows, others = new_rows(40, seed), new_rows(30, seed + 50)
    compared, population = {}, points_by_column(card, X if reference == "mean" else others)
    for own, points in zip(card.bins, card.points, strict=True):
        known = points[:-1]
        if reference == "best":
            compared[own.feature_name] = max(known) if sign < 0 else min(known)
        else:
            values = [points[own.feature_name] for points in population]
            compared[own.feature_name] = sum(values) / len(values)
    n = min(2 + seed % 3, len(card.bins))
    codes = {card.bins[0].feature_name: "R01", "one": "never a reason"}
    given = others if reference == "rows" else reference
    found = card.reasons(rows, n, reference=given, codes=codes, adverse=adverse)
    assert str(found).startswith(f"Reasons for a {adverse}er probability of class {model.pos_label_!r}.")
    frame = found.to_frame()
    assert frame["score"].tolist() == card.score(rows).tolist()
    order = [own.feature_name for own in card.bins]
    for place, own in enumerate(points_by_column(card, rows)):
        cost = {name: sign * (own[name] - compared[name]) for name in order}
        wanted = sorted(
            (name for name in order if cost[name] > 1e-8), key=lambda k: (-round(cost[k], 9), order.index(k))
        )
        for k in range(n):
            if k < len(wanted):
                assert frame[f"reason_{k + 1}"].iloc[place] == codes.get(wanted[k], wanted[k])
                assert frame[f"points_{k + 1}"].iloc[place] == pytest.approx(cost[wanted[k]], abs=1e-8)
            else:
                assert frame[f"reason_{k + 1}"].isna().iloc[place]
                assert math.isnan(frame[f"points_{k + 1}"].iloc[place])


def test_the_best_row_has_no_reasons_and_the_worst_has_all():
    model, X, _ = fitted()
    card = model.scaled_card()
    rows = {name: [X[name].iloc[0]] * 2 for name in X}
    for own, points in zip(card.bins, card.points, strict=True):
        for place, k in enumerate((np.argmax(points[:-1]), np.argmin(points[:-1]))):
            value = (own.groups[k][0]) if own.groups is not None else [*own.uppers, own.uppers[-1] + 1][k]
            rows[own.feature_name][place] = value
    found = card.reasons(pd.DataFrame(rows), len(card.bins)).columns()
    names = [f"reason_{k + 1}" for k in range(len(card.bins))]
    assert [found[name][0] for name in names] == [None] * len(names)
    assert {found[name][1] for name in names} == {own.feature_name for own in card.bins}


def test_there_are_at_most_as_many_reasons_as_columns():
    model, X, _ = fitted()
    card = model.scaled_card()
    found, wanted = card.reasons(X, 99).to_frame(), card.reasons(X, len(card.bins)).to_frame()
    assert found.shape[1] == 1 + 2 * len(card.bins)
    assert found.equals(wanted)


def test_reasons_of_equal_cost_come_in_the_order_of_the_card():
    r = np.random.default_rng(0)
    x = r.integers(0, 2, (1500, 24)).astype(float)
    y = r.random(1500) < 1 / (1 + np.exp(12 - x.sum(axis=1)))
    card = L0AdditiveClassifier(lambda0=0.5).fit(x, y).scaled_card()
    assert len(card.bins) > 20
    card = dataclasses.replace(card, points=tuple((7, 2, 7) for _ in card.bins))
    found = card.reasons(np.ones((1, 24)), 24).columns()
    order = [own.feature_name for own in card.bins]
    assert [found[f"reason_{k + 1}"][0] for k in range(len(order))] == order
    assert {found[f"points_{k + 1}"][0] for k in range(len(order))} == {5.0}


def test_the_best_points_are_those_of_a_known_value():
    r = np.random.default_rng(0)
    x = r.integers(0, 2, 1000).astype(float)
    x[r.random(1000) < 0.3] = np.nan
    y = r.random(1000) < np.where(np.isnan(x), 0.05, 0.3 + 0.3 * np.nan_to_num(x))
    card = L0AdditiveClassifier(lambda0=2.0).fit(x[:, None], y).scaled_card()
    [points] = card.points
    assert points[2] > points[0] > points[1]  # missing, 0, 1
    found = card.reasons([[np.nan], [0.0], [1.0]], 1).columns()
    assert found["reason_1"] == [None, None, "x0"]
    assert found["points_1"][2] == points[0] - points[1]


def test_reasons_keep_the_index_and_print_some_rows():
    model, X, _ = fitted()
    card = model.scaled_card()
    rows = X.set_index(pd.Index([f"id{k}" for k in range(len(X))]))
    found = card.reasons(rows)
    assert found.to_frame().index.tolist() == rows.index.tolist()
    assert len(found) == len(X)
    assert "id0" in str(found)
    assert f"and {len(X) - 20} more rows" in str(found)
    joined = rows.join(found.to_frame())
    assert joined["score"].tolist() == card.score(X).tolist()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n": 0}, "n: got 0"),
        ({"n": 2.5}, "n"),
        ({"reference": "median"}, "reference: got 'median'"),
        ({"reference": fitted()[1].head(0)}, "reference has no rows; give rows such as those of training"),
        ({"codes": {"aeg": "R01"}}, "codes: there is no column 'aeg'"),
        ({"codes": {("aeg", None): "R01"}}, "codes: there is no column 'aeg'"),
        ({"codes": {("age", -9): "R01"}}, "-9 is no special code of column 'age'; it has none"),
        ({"codes": {("age", -9, 1): "R01"}}, "got the key"),
        ({"codes": {("age", None): ""}}, r"\('age', None\) has the code ''"),
    ],
)
def test_wrong_arguments_of_reasons_are_named(arguments, words):
    model, X, _ = fitted()
    with pytest.raises(ValueError, match=words):
        model.scaled_card().reasons(X, **arguments)


# ---------------------------------------------------------------------- monitoring


def index_of(before, after, least_before, least_after):
    total = 0.0
    for e, a in zip(before, after, strict=True):
        if e == 0 and a == 0:
            continue
        e, a = e or least_before, a or least_after
        total += (a - e) * math.log(a / e)
    return total


def shares(labels, values, weights):
    return [
        sum(w for v, w in zip(values, weights, strict=True) if v == label) / sum(weights) for label in labels
    ]


def cuts_of(scores, weights, n_bins):
    """Cut points by the distance of each fraction of the weight from each cut between two scores."""
    values = sorted({s for s, w in zip(scores, weights, strict=True) if w > 0})
    below = [sum(w for s, w in zip(scores, weights, strict=True) if s <= value) for value in values[:-1]]
    places, total = range(len(below)), sum(weights)
    if len(values) > n_bins:

        def order(place, k):
            distance = abs(below[place] / total - k / n_bins)
            outer = abs(place - len(places) * (2 * k > n_bins)) if 2 * k != n_bins else 0
            return round(distance, 9), -(values[place + 1] - values[place]) * (2 * k == n_bins), outer, place

        places = {min(places, key=lambda place: order(place, k)) for k in range(1, n_bins)}
    return [(values[place], (values[place] + values[place + 1]) / 2) for place in sorted(places)]


def auc_of(risk, event, weights):
    won = total = 0.0
    for a, u, w in zip(risk, event, weights, strict=True):
        for b, v, z in zip(risk, event, weights, strict=True):
            if u and not v:
                total += w * z
                won += w * z * (1.0 if a > b else 0.5 if a == b else 0.0)
    return won / total


def ks_of(risk, event, weights):
    best = 0.0
    for cut in risk:
        bad = sum(w for r, e, w in zip(risk, event, weights, strict=True) if e and r >= cut)
        good = sum(w for r, e, w in zip(risk, event, weights, strict=True) if not e and r >= cut)
        best = max(best, abs(bad / sum(weights[event]) - good / sum(weights[~event])))
    return best


@pytest.mark.parametrize("kind", ["none", "zeros", "numbers"])
@pytest.mark.parametrize("seed", range(5))
def test_monitoring_by_loops(kind, seed):
    model, X, y = fitted(200, seed, lambda0=0.7)
    card = model.scaled_card(high_score=["low_risk", "high_risk"][seed % 2], whole=bool(seed % 3))
    new, (_, truth) = new_rows(90, seed), loans(90, seed)
    w0, w1 = weighted(200, seed, kind), weighted(90, seed + 9, kind)
    month = np.random.default_rng(seed).integers(1, 4, 90)
    n_bins = [10, 4][seed % 2]
    found = card.monitor(
        X, new, y_reference=y, y_new=truth, sample_weight_reference=w0, sample_weight_new=w1,
        period=month, n_bins=n_bins,
    )  # fmt: skip
    w0 = np.ones(200) if w0 is None else w0
    w1 = np.ones(90) if w1 is None else w1
    before, after = card.score(X), card.score(new)
    ends, cuts = zip(*cuts_of(before.tolist(), w0.tolist(), n_bins), strict=True)
    assert equal_weight_cuts(before[w0 > 0], w0[w0 > 0], n_bins).tolist() == list(ends)
    least0 = 0.5 * w0[w0 > 0].mean() / w0.sum()

    def psi(rows):
        w = w1[rows]
        places = [sum(score > cut for cut in cuts) for score in after[rows]]
        labels = range(len(cuts) + 1)
        reference = shares(labels, [sum(score > cut for cut in cuts) for score in before], w0)
        return index_of(reference, shares(labels, places, w), least0, 0.5 * w[w > 0].mean() / w.sum())

    everything = np.ones(90, dtype=bool)
    assert found.psi == pytest.approx(psi(everything))
    for own in card.bins:
        bins = [
            [text_of_bin(card, own.feature_name, v) for v in frame[own.feature_name]] for frame in (X, new)
        ]
        least1 = 0.5 * w1[w1 > 0].mean() / w1.sum()
        wanted = index_of(shares(own.texts, bins[0], w0), shares(own.texts, bins[1], w1), least0, least1)
        assert found.csi[own.feature_name] == pytest.approx(wanted)
    columns = found.columns()
    assert columns["feature"] == ["(score)", *(own.feature_name for own in card.bins)]
    assert columns["change"][0] == pytest.approx(sum(columns["change"][1:]))
    assert columns["mean_new"][0] == pytest.approx(np.average(after, weights=w1))
    lines = found.periods.lines
    assert [line.period for line in lines] == ["reference", 1, 2, 3]
    sign = 1 if card.scaling.high_score == "high_risk" else -1
    for line in lines[1:]:
        rows = (month == line.period) & (w1 > 0)
        assert line.count == pytest.approx(w1[rows].sum())
        assert line.psi == pytest.approx(psi(rows))
        event, risk = truth[rows] == "bad", sign * after[rows]
        assert line.event_rate == pytest.approx(np.average(event, weights=w1[rows]))
        risks = card.probability(after[rows])
        assert line.predicted == pytest.approx(np.average(risks, weights=w1[rows]))
        assert line.auc == pytest.approx(auc_of(risk, event, w1[rows]))
        assert line.gini == pytest.approx(2 * line.auc - 1)
        assert line.ks == pytest.approx(ks_of(risk, event, w1[rows]))
    lines = found.bins.to_frame()
    assert lines[lines["feature"] == "(score)"]["index"].sum() == pytest.approx(found.psi)
    for feature, part in lines.groupby("feature", sort=False):
        assert part[["reference", "new"]].sum().tolist() == pytest.approx([1, 1])
        own = {bins.feature_name: bins for bins in card.bins}.get(feature)
        places = np.searchsorted(cuts, after) if own is None else own.codes(card._table(new))
        for place, line in enumerate(part.itertuples()):
            rows = (places == place) & (w1 > 0)
            if not rows.any():
                assert np.isnan([line.event_rate, line.predicted]).all()
                continue
            assert line.event_rate == pytest.approx(np.average(truth[rows] == "bad", weights=w1[rows]))
            risks = card.probability(after[rows])
            assert line.predicted == pytest.approx(np.average(risks, weights=w1[rows]))


def test_the_same_rows_are_stable_and_others_are_not():
    model, X, _ = fitted()
    card = model.scaled_card()
    same = card.monitor(X, X)
    assert same.psi == 0
    assert set(same.csi.values()) == {0.0}
    assert set(same.columns()["status"]) == {"stable"}
    moved = X.assign(age=20.0, home="rent")
    other = card.monitor(X, moved)
    assert other.psi > 0.25
    assert other.total.status == "large shift"
    assert "large shift" in str(other)
    assert card.monitor(X, moved, thresholds=(50, 100)).total.status == "stable"
    assert other.bins.to_frame()["reference"].min() >= 0


def test_the_index_by_chance_is_that_of_drawn_samples():
    r, n, m, bins = np.random.default_rng(0), 500, 300, 8
    quantile = 14.0671  # 95 % of chi-squared with 7 degrees of freedom
    found = []
    for _ in range(1500):
        samples = [shares_of(r.integers(0, bins, size), bins, None) for size in (n, m)]
        found.append(stability_index(*samples).sum())
        wanted = chance_index(*samples)
    assert wanted == pytest.approx(quantile * (1 / n + 1 / m), rel=1e-5)
    assert np.mean(np.array(found) < wanted) == pytest.approx(0.95, abs=0.015)
    weights = r.choice([1.0, 3.0], n)
    weighted_sample = shares_of(r.integers(0, bins, n), bins, weights)
    assert weighted_sample.n_rows == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    half_empty = [shares_of(np.zeros(10, dtype=int), bins, None)] * 2
    assert chance_index(*half_empty) == 0


def test_scale_of_weights_does_not_matter():
    model, X, _ = fitted()
    card, new = model.scaled_card(), new_rows()
    one = card.monitor(X, new)
    w = np.full(len(X), 1e-3), np.full(len(new), 77.0)
    other = card.monitor(X, new, sample_weight_reference=w[0], sample_weight_new=w[1])
    assert other.psi == pytest.approx(one.psi)
    assert other.csi == pytest.approx(one.csi)


def test_classes_may_be_unknown_yet():
    model, X, y = fitted(400, 1)
    card = model.scaled_card()
    known = np.arange(400) < 300
    later = pd.Series(np.where(known, y, None))
    found = card.monitor(X, X, y_new=later, period=np.where(known, "2024-01", "2024-02"))
    assert np.isfinite(found.periods.lines[1].auc)
    assert math.isnan(found.periods.lines[2].event_rate)
    assert "AUC" in str(found.periods)
    assert "nan" not in str(found.periods)
    only = card.monitor(X[known], X[known], y_new=y[known]).total
    assert found.total.auc == pytest.approx(only.auc)
    numbers = L0AdditiveClassifier(lambda0=1.5).fit(X, (y == "bad").astype(int))
    found = numbers.scaled_card().monitor(X, X, y_new=np.where(known, y == "bad", np.nan))
    assert found.total.auc == pytest.approx(only.auc, abs=0.05)
    one_class = card.monitor(X, X, y_new=np.full(400, "good")).total
    assert one_class.event_rate == 0
    assert math.isnan(one_class.ks)


def test_periods_of_any_kind_are_in_order():
    model, X, _ = fitted(60)
    card = model.scaled_card()
    days = pd.date_range("2024-01-31", periods=60, freq="D")
    for period, first in (
        (days.to_period("M"), "2024-01"),
        (days.strftime("%Y-%m").tolist(), "2024-01"),
        (days.to_numpy().astype("datetime64[M]"), "2024-01-01"),
        (pd.Series(days.month.astype(float)), "1.0"),
    ):
        found = card.monitor(X, X, period=period)
        names = [str(line.period) for line in found.periods.lines[1:]]
        assert names == sorted(names)
        assert names[0].startswith(first)
        assert [line.count for line in found.periods.lines[1:]] == [1, 29, 30]
    daily = card.monitor(X, X, period=days.to_numpy())
    assert len(daily.periods.lines) == 61
    assert str(daily.periods.lines[1].period).startswith("2024-01-31")


def test_ordered_categories_keep_their_order_and_are_all_periods():
    model, X, _ = fitted(60)
    card = model.scaled_card()
    months = ["Nov", "Dec", "Jan", "Feb"]
    values = np.repeat(["Jan", "Nov", "Dec"], 20)
    for period in (
        pd.Series(pd.Categorical(values, months, ordered=True)),
        pd.Categorical(values, months, ordered=True),
        pd.CategoricalIndex(values, months, ordered=True),
        pytest.importorskip("polars").Series(values, dtype=pytest.importorskip("polars").Enum(months)),
    ):
        found = card.monitor(X, X, period=period).periods
        assert [line.period for line in found.lines[1:]] == months
        assert [line.count for line in found.lines[1:]] == [20, 20, 20, 0]
        assert found.lines[-1].status == "no rows"
        assert math.isnan(found.lines[-1].psi)
        assert "Feb" in str(found)
        assert "nan" not in str(found)
    with pytest.warns(UserWarning, match="in that of their first rows; .* or ordered categories"):
        unordered = card.monitor(X, X, period=pd.Categorical(values, months))
    assert [line.period for line in unordered.periods.lines[1:]] == ["Jan", "Nov", "Dec"]


def test_months_without_rows_are_periods():
    model, X, y = fitted(60)
    card = model.scaled_card()
    months = pd.PeriodIndex(["2023-11", "2024-02"], freq="M").repeat(30)
    names = ["2023-11", "2023-12", "2024-01", "2024-02"]
    for period, wanted in (
        (months, names),
        (months.astype(str).tolist(), names),
        (months.strftime("%Y%m").astype(int).to_numpy(), [202311, 202312, 202401, 202402]),
        (months.to_timestamp().to_numpy().astype("datetime64[M]"), [f"{name}-01 00:00:00" for name in names]),
        (["v1"] * 30 + ["v3"] * 30, ["v1", "v3"]),
        ([202300] * 30 + [202302] * 30, [202300, 202302]),
        ([2023] * 30 + [2025] * 30, [2023, 2025]),
        (["2023-11", "2123-11"] * 30, ["2023-11", "2123-11"]),  # hardly one without rows for each month
    ):
        found = card.monitor(X, X, period=period, y_new=y)
        assert [str(line.period) for line in found.periods.lines[1:]] == list(map(str, wanted))
        assert sum(line.count for line in found.periods.lines[1:]) == 60
    pytest.importorskip("matplotlib").use("Agg")
    card.monitor(X, X, period=months).plot()


def test_columns_of_a_frame_are_found_by_name():
    model, X, y = fitted()
    card = model.scaled_card()
    for rows in (X[X.columns[::-1]], X.assign(more=1)[["more", *X.columns[::-1]]]):
        assert (card.score(rows) == card.score(X)).all()
        assert (card.predict_proba(rows) == card.predict_proba(X)).all()
        assert (card.rounding_error(rows) == card.rounding_error(X)).all()
        found = card.reasons(rows, reference=rows).to_frame()
        assert found.equals(card.reasons(X, reference=X).to_frame())
        assert card.binning_table(rows, y).columns()["count"] == card.binning_table(X, y).columns()["count"]
        assert card.monitor(rows, X).psi == 0
        polars = pytest.importorskip("polars").from_pandas(rows)
        assert (card.score(polars) == card.score(X)).all()
    lost = [own.feature_name for own in card.bins][:2]
    with pytest.raises(ValueError, match="now missing:") as error:
        card.score(X.drop(columns=lost).assign(more=1))
    assert all(f"- {name}" in str(error.value) for name in lost)
    assert "more" not in str(error.value)
    with pytest.raises(ValueError, match="more than one column named"):
        card.score(pd.concat([X, X], axis=1))
    with pytest.raises(TypeError, match="column names that are text and others"):
        card.score(X.rename(columns={X.columns[0]: 0}))


def test_columns_with_one_code_are_one_reason():
    model, X, _ = fitted(300, 1, lambda0=0.7)
    card = model.scaled_card()
    plain = card.reasons(X).to_frame()
    ranks = range(1, len(card.bins) + 1)
    cost = [
        {row[f"reason_{k}"]: row[f"points_{k}"] for k in ranks if isinstance(row[f"reason_{k}"], str)}
        for _, row in plain.iterrows()
    ]
    found = card.reasons(X, codes={"age": "R1 Stability", "home": "R1 Stability"}).to_frame()
    for own, (_, row) in zip(cost, found.iterrows(), strict=True):
        texts = [row[f"reason_{k}"] for k in ranks if isinstance(row[f"reason_{k}"], str)]
        assert len(set(texts)) == len(texts)
        shared = own.get("age", 0) + own.get("home", 0)
        merged = {row[f"reason_{k}"]: row[f"points_{k}"] for k in ranks}
        assert merged.get("R1 Stability", 0) == pytest.approx(shared)


def test_missing_values_and_special_codes_have_reasons_of_their_own():
    r = np.random.default_rng(0)
    a, b = r.uniform(0, 1, (2, 2000))
    no_file = r.random(2000) < 0.3
    a[no_file] = b[no_file] = -9999.0
    a[r.random(2000) < 0.1] = np.nan
    z = (a > 0.5) + (b > 0.3) - 3.0 * no_file
    y = r.random(2000) < 1 / (1 + np.exp(z))
    X = pd.DataFrame({"a": a, "b": b})
    card = L0AdditiveClassifier(lambda0=5.0, special_codes=[-9999]).fit(X, y).scaled_card()
    codes = {("a", -9999): "no file", ("b", -9999): "no file", ("a", None): "a unknown"}
    rows = pd.DataFrame({"a": [-9999.0, np.nan, 0.0], "b": [-9999.0, 0.0, 0.0]})
    plain, found = card.reasons(rows).columns(), card.reasons(rows, codes=codes).columns()
    assert {plain["reason_1"][0], plain["reason_2"][0]} == {"a", "b"}
    assert (found["reason_1"][0], found["reason_2"][0]) == ("no file", None)
    assert found["points_1"][0] == plain["points_1"][0] + plain["points_2"][0]
    assert "a unknown" in (found["reason_1"][1], found["reason_2"][1])
    assert {found["reason_1"][2], found["reason_2"][2]} == {"a", "b"}


def test_a_score_that_ranks_the_wrong_way_has_a_ks():
    """KS is the distance of the distributions, whatever the direction; the report says the same."""
    model, X, y = fitted()
    card = model.scaled_card()
    wrong = np.where(y == "bad", "good", "bad")
    weights = dict.fromkeys(["sample_weight_reference", "sample_weight_new"], np.arange(len(y)) % 3 + 0.5)
    found = card.monitor(X, X, y_new=y, **weights).total
    turned = card.monitor(X, X, y_new=wrong, **weights).total
    assert turned.auc == pytest.approx(1 - found.auc)
    assert turned.ks == pytest.approx(found.ks)


def test_a_period_of_weight_zero_is_one_without_rows():
    model, X, _ = fitted(60)
    period = np.where(np.arange(60) < 10, "2024", "2025")
    weights = (period == "2025").astype(float)
    found = model.scaled_card().monitor(X, X, period=period, sample_weight_new=weights)
    assert [line.period for line in found.periods.lines] == ["reference", "2024", "2025"]
    assert [line.count for line in found.periods.lines] == [60, 0, 50]
    assert found.periods.lines[1].status == "no rows"


@pytest.mark.parametrize(
    ("freq", "first", "last", "n_periods"),
    [
        ("Q", "2023Q1", "2025Q1", 9),
        ("Y", "2015", "2025", 11),
        ("W", "2024-01-07", "2024-03-03", 9),
        ("2M", "2024-01", "2024-11", 6),
        ("s", "2024-01-01", "2025-01-01", 2),  # more of them than rows
    ],
)
def test_periods_of_pandas_without_rows_are_listed(freq, first, last, n_periods):
    model, X, _ = fitted(60)
    period = pd.PeriodIndex([first, last], freq=freq).repeat(30)
    kinds = [period, pd.Series(period), period.astype(str).tolist()] if freq == "Q" else [period]
    for given in kinds:
        lines = model.scaled_card().monitor(X, X, period=given).periods.lines[1:]
        assert len(lines) == n_periods
        assert [str(line.period) for line in (lines[0], lines[-1])] == [str(period[0]), str(period[-1])]
        assert sum(line.count for line in lines) == 60


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n_bins": 1}, "n_bins"),
        ({"thresholds": (0.3, 0.1)}, "thresholds"),
        ({"thresholds": 0.1}, "thresholds"),
        ({"thresholds": (0.0, 0.1)}, "thresholds"),
        ({"period": [1, 2]}, "period has 2 entries, X_new has 400 rows"),
        ({"period": [None] * 400}, "period is missing in every row"),
        ({"period": ["a"] + [1] * 399}, "cannot be put in order"),
        ({"y_new": ["good"]}, "y has 1 values, X has 400 rows"),
        ({"y_new": ["ugly"] * 400}, "class 'ugly'"),
        ({"sample_weight_new": np.zeros(400)}, "zero"),
    ],
)
def test_wrong_arguments_of_monitoring_are_named(arguments, words):
    model, X, _ = fitted()
    with pytest.raises(ValueError, match=words):
        model.scaled_card().monitor(X, X, **arguments)


@pytest.mark.parametrize(
    "dates",
    [
        lambda days: days,
        lambda days: days.to_numpy(),
        lambda days: days.dt.date.tolist(),
        lambda days: days.dt.strftime("%d.%m.%Y"),
        lambda days: pytest.importorskip("polars").from_pandas(days),
        lambda days: days.to_numpy().astype("datetime64[D]"),
    ],
    ids=["pandas", "numpy", "dates", "texts", "polars", "days"],
)
def test_periods_of_dates_by_their_length(dates):
    model, X, _ = fitted()
    days = pd.Series(pd.Timestamp("2024-01-30") + pd.to_timedelta(np.arange(400) % 2 * 40, unit="D"))
    for by, periods in (
        ("month", ["2024-01", "2024-02", "2024-03"]),
        ("quarter", ["2024Q1"]),
        ("year", ["2024"]),
    ):
        lines = model.scaled_card().monitor(X, X, period=dates(days), by=by).periods.lines
        assert [line.period for line in lines] == ["reference", *periods]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"by": "decade", "period": ["2024-01-01"] * 400},
            "by: got 'decade'; give one of 'week', 'month', 'quarter', 'year'",
        ),
        ({"by": "month"}, "by: got 'month', which needs dates; give those of the new rows as period"),
        (
            {"by": "month", "period": ["2024-01-01"] * 399 + ["soon"]},
            "by='month': period has 'soon' in row 399",
        ),
        (
            {"by": "year", "period": [pd.NaT] * 400},
            "period is missing in every row",
        ),
        ({"by": "year", "period": ["2024-01-01"]}, "period has 1 entries, X_new has 400 rows"),
    ],
)
def test_wrong_dates_are_named(arguments, words):
    model, X, _ = fitted()
    with pytest.raises(ValueError, match=words):
        model.scaled_card().monitor(X, X, **arguments)


def test_new_values_are_counted():
    r = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": r.integers(20, 60, 600).astype(float),
            "home": r.choice(["own", "rent"], 600),
            "debt": r.normal(size=600),
        }
    )
    X.loc[500:560, "age"] = -9  # a special code with a bin of its own
    X.loc[6:9, "debt"] = np.nan
    z = 1.0 * (X["age"] > 40) + 1.5 * (X["home"] == "rent") + (X["debt"] > 0) - 2 + 4 * (X["age"] == -9)
    y = np.where(r.random(600) < 1 / (1 + np.exp(-z)), "bad", "good")
    model = L0AdditiveClassifier(
        lambda0=2.0, pos_label="bad", special_codes={"age": [-9]}, handle_unknown="missing"
    ).fit(X, y)
    card, new = model.scaled_card(), X[:100].copy()
    assert {own.feature_name for own in card.bins} == {"age", "home", "debt"}
    new.loc[20:24, "age"] = 12.0
    new.loc[25:27, "age"] = 99.0
    new.loc[30:33, "home"] = "boat"
    new.loc[34, "home"] = "van"
    new.loc[40, "home"] = None
    found = card.monitor(X, new).values.to_frame().set_index("feature")
    age, home, debt = (found.loc[name] for name in ("age", "home", "debt"))
    assert (age["below"], age["above"], age["missing_reference"], age["missing_new"]) == (5, 3, 0, 0)
    assert (age["low"], age["high"]) == (20, 59)
    assert (home["unseen"], home["unseen_levels"], home["missing_new"]) == (5, ["boat", "van"], 1)
    assert (debt["missing_reference"], debt["missing_new"], debt["below"], debt["above"]) == (4, 4, 0, 0)
    assert math.isnan(home["low"])
    printed = card.monitor(X, new)
    assert "age (8)" in str(printed)
    assert "home (5)" in str(printed)
    assert "5 (5%): boat, van" in str(printed.values)
    # Weights are added up, and rows of weight 0 have no values.
    weights = np.full(100, 2.0)
    weights[20:28] = 0
    weighted = card.monitor(X, new, sample_weight_new=weights).values.to_frame().set_index("feature")
    assert (weighted.loc["age", "below"], weighted.loc["home", "unseen"]) == (0, 10)
    only = np.where(X["age"] > 40, 1.0, 0.0)
    ranges = card.monitor(X, new, sample_weight_reference=only).values.to_frame().set_index("feature")
    assert ranges.loc["age", "low"] == 41
    same = card.monitor(X, X)
    assert same.values.outside() == {}
    assert "beyond the reference" not in str(same)
    # A category that training did not see is an error, where the model says so.
    strict = card.model.set_params(handle_unknown="error")
    with pytest.raises(ValueError, match="column 'home' holds 'boat' in row 30"):
        card.monitor(X, new)
    strict.set_params(handle_unknown="warn")
    with pytest.warns(UserWarning, match="'boat' in row 30"):
        card.monitor(X, new)


def test_times_at_midnight_are_printed_as_dates():
    model, X, _ = fitted()
    days = pd.Series(pd.date_range("2024-01-30", periods=2)).repeat(30)
    for period in (days, days.to_numpy()):
        found = model.scaled_card().monitor(X, X[:60], period=period).periods
        assert [line.text for line in found.lines[1:]] == ["2024-01-30", "2024-01-31"]
        assert "00:00" not in str(found)


def test_a_shift_no_larger_than_by_chance_is_one_of_few_rows():
    model, X, _ = fitted()
    card = model.scaled_card()
    few = card.monitor(X, X[:60], period=np.arange(60) // 3).periods.lines[1:]
    assert {line.status for line in few if line.psi > 0.1} == {"few rows"}
    assert all(line.psi <= line.psi_by_chance for line in few if line.status == "few rows")
    [_, many] = card.monitor(X, X[:60]).periods.lines
    assert many.psi > many.psi_by_chance or many.status != "large shift"


def test_monitoring_is_drawn():
    pytest.importorskip("matplotlib").use("Agg")
    model, X, _ = fitted()
    card, new = model.scaled_card(), new_rows()
    columns = card.monitor(X, new)
    display = columns.plot()
    named = [text.get_text() for text in display.axes_.get_legend().get_texts()]
    assert named == ["moderate shift from 0.1", "large shift from 0.25"]
    assert [bar.get_width() for bar in display.axes_.patches] == columns.columns()["index"]
    by_period = card.monitor(X, new, period=np.arange(len(new)) % 3)
    line = by_period.plot().axes_.get_lines()
    assert any(list(own.get_ydata()) == [p.psi for p in by_period.periods.lines[1:]] for own in line)


def test_names_of_many_periods_do_not_touch():
    pytest.importorskip("matplotlib").use("Agg")
    model, X, _ = fitted()
    card, new = model.scaled_card(), new_rows()
    months = [f"20{20 + k % 24 // 12}-{k % 12 + 1:02d}" for k in range(len(new))]
    axes = card.monitor(X, new, period=months).plot().axes_
    axes.figure.canvas.draw()
    ends = sorted(label.get_window_extent().x1 for label in axes.get_xticklabels())
    assert len(ends) == 12
    assert np.diff(ends).min() > 30  # pixels: names that are turned by 20 degrees stay on lines of their own


# ---------------------------------------------------------------------- names


def test_odd_names_stay_on_their_lines():
    r = np.random.default_rng(0)
    long = (
        "months since the most recent account of any kind was opened by the applicant or a co-applicant, " * 3
    )
    X = pd.DataFrame(
        {
            "missing": r.normal(size=600).round(1),
            "two\nlines": r.choice(["missing", "own", "a\nb", "x, y"], 600),
            long: r.normal(size=600).round(1),
        }
    )
    z = (X["missing"] > 0) + (X["two\nlines"] == "missing") + 1.5 * (X[long] > 0) - 1.5
    y = np.where(r.random(600) < 1 / (1 + np.exp(-z)), "bad\nluck", "good")
    model = L0AdditiveClassifier(lambda0=2.0, pos_label="bad\nluck").fit(X.mask(r.random(X.shape) < 0.1), y)
    card = model.scaled_card()
    bins = {own.feature_name: own.texts for own in card.bins}
    assert bins["missing"][-1] == "'missing' missing"
    assert bins["missing"][0].startswith("'missing' <= ")
    assert any("'missing'" in text and "'two\\nlines'" in text for text in bins["two\nlines"])
    assert bins["two\nlines"][-1] == "'two\\nlines' missing"
    tables = [model.summary(), card, model.binning_table(X, y), card.reasons(X[:5]), card.bands(X, y)]
    for table in [*tables, card.monitor(X, X, y_new=y).periods]:
        lines = str(table).splitlines()
        assert "two" not in [line.strip() for line in lines]
        assert not any(line.startswith("lines") for line in lines)
    assert max(map(len, str(card).splitlines()[2:-1])) <= 110
    body = card.to_latex().split("midrule")[1].split("\\bottomrule")[0].strip().splitlines()
    assert all(line.endswith(r"\\") for line in body)


def test_classes_weights_and_periods_may_be_columns(tmp_path):
    model, X, y = fitted(200, 3, lambda0=0.7)
    card, w = model.scaled_card(), np.arange(200) % 3 + 1.0
    month = np.repeat(["2024-01", "2024-02"], 100)
    frame = X.assign(late=y, w=w, month=month)
    by_name = (frame, "late", "w")
    assert str(model.binning_table(*by_name)) == str(model.binning_table(X, y, w))
    assert str(card.binning_table(*by_name)) == str(card.binning_table(X, y, w))
    assert str(card.bands(*by_name)) == str(card.bands(X, y, w))
    for table in (model.binning_table(X, y, w), card.bands(X, y, w)):
        assert "Counts are sums of sample_weight." in str(table)
    assert "sample_weight" not in str(card.bands(X, y)) + str(model.binning_table(X, y))
    found = [
        card.monitor(a, a, y_reference=b, y_new=b, sample_weight_reference=c, sample_weight_new=c, period=d)
        for a, b, c, d in ((frame, "late", "w", "month"), (X, y, w, month))
    ]
    assert str(found[0].periods) == str(found[1].periods)
    assert f"{found[0].total.predicted:.1%} predicted" in str(found[0])
    pages = [tmp_path / "named.html", tmp_path / "given.html"]
    card.report(pages[0], frame, "late", sample_weight="w")
    card.report(pages[1], X, y, sample_weight=w)
    assert pages[0].read_text() == pages[1].read_text()
    with pytest.raises(ValueError, match="y_new: there is no column 'bad' in X, whose columns are"):
        card.monitor(X, X, y_new="bad")
    with pytest.raises(ValueError, match="X has no names of columns; give one value for each row"):
        card.bands(X.to_numpy(), "bad")


def test_large_scores_and_codes_are_printed_in_full():
    r = np.random.default_rng(0)
    X = pd.DataFrame({"income": r.normal(50, 9, 300).round(1)})
    X.loc[:80, "income"] = 9999999.97
    y = np.where((X["income"] > 50) ^ (r.random(300) < 0.2), "bad", "good")
    model = L0AdditiveClassifier(lambda0=1.0, pos_label="bad", special_codes=[9999999.97], monotonic_cst=[1])
    card = model.fit(X, y).scaled_card(base_score=1234567, pdo=2000)
    assert "income = 9999999.97" in str(card)
    assert "At 1234567 the odds" in str(card)
    texts = str(card.bands(X, y)) + str(card.reasons(X, n=1)) + str(card.monitor(X, X).values)
    texts += str(card.bands(X, bands=[1234567.5]))
    assert "e+" not in texts
    assert "score <= 1234567.5" in texts
    exact = model.scaled_card(base_score=1234567, pdo=2000, whole=False)
    assert "e+" not in str(exact.bands(X, y)) + str(exact.reasons(X, n=1))


@pytest.mark.parametrize("has_weights", [False, True])
def test_monitoring_of_a_regressor_by_loops(has_weights):
    r = np.random.default_rng(4)
    X = pd.DataFrame({"age": r.integers(18, 80, 300), "sex": r.choice(["m", "f"], 300)})
    y = 100 + 50 * (X["age"] > 40) + 20 * (X["sex"] == "m") + 9 * r.normal(size=300)
    model = L0AdditiveRegressor(lambda0=500.0).fit(X, y)
    w = r.integers(0, 3, 300).astype(float) if has_weights else None
    month = np.repeat(["2024-01", "2024-02", "2024-03"], 100)
    cost = 1.2 * y.to_numpy()
    cost[::7] = np.nan
    new = X[::-1].assign(cost=cost[::-1], month=month, w=1.0 if w is None else w[::-1])
    found = model.monitor(
        X, new, y_new="cost", period="month", sample_weight_reference=w, sample_weight_new="w"
    )
    w, predicted = new["w"].to_numpy(), model.predict(new[["age", "sex"]])
    for line in found.periods.lines[1:]:
        rows = (month == line.period) & (w > 0)
        assert line.mean_score == pytest.approx(np.average(predicted[rows], weights=w[rows]))
        rows &= new["cost"].notna().to_numpy()
        assert line.event_rate == pytest.approx(np.average(new["cost"][rows], weights=w[rows]))
        assert line.predicted == pytest.approx(np.average(predicted[rows], weights=w[rows]))
    assert found.psi == 0
    frame = found.periods.to_frame()
    assert {"mean_prediction", "mean", "predicted"} < set(frame.columns)
    assert not {"event_rate", "auc", "mean_score"} & set(frame.columns)
    bins = found.bins.to_frame()
    assert bins["feature"][0] == "(prediction)"
    rows = (new["sex"] == "m").to_numpy() & new["cost"].notna().to_numpy()
    [line] = bins[bins["bin"] == "sex = m"].itertuples()
    assert line.mean == pytest.approx(np.average(new["cost"][rows], weights=w[rows]))
    assert "score" not in str(found) + str(found.periods) + str(found.bins)
    assert "Of the new rows whose target is known: mean" in str(found)
    two = L0AdditiveRegressor(lambda0=500.0).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="several targets"):
        two.monitor(X, new)
