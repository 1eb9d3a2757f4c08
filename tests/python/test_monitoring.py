"""Monitoring of rules, patterns and machines: indices by hand, performance, values, periods."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import thresher as t

pytestmark = pytest.mark.filterwarnings("ignore:sample_weight_new is given")
RNG = np.random.default_rng(0)
N = 400
X = pd.DataFrame(RNG.normal(size=(N, 3)), columns=list("abc")).assign(city=RNG.choice(["x", "y", "z"], N))
SIGNAL = (X["a"] > 0.3) + 2.0 * ((X["b"] > 0) & (X["city"] == "x")) + 0.5 * X["c"] + 0.2 * RNG.normal(size=N)
LABELS = np.where(SIGNAL > 1, "ill", "well")
NEW = X.assign(a=X["a"] + 0.7)
WEIGHTS = RNG.uniform(0, 2, N)
RECORDS = [{item for item in "abcde" if RNG.random() < 0.5} for _ in range(N)]
COUNTS = np.array([2.0 * ("a" in r) + ({"b", "c"} <= r) for r in RECORDS])
SHARED = [record | {"a"} if k % 2 else record for k, record in enumerate(RECORDS)]
FITTED = {
    "rules": (t.RuleRegressor(alpha=0.03, max_features=2), X, SIGNAL, NEW),
    "classes": (t.RuleClassifier(alpha=0.03, max_features=2, pos_label="ill"), X, LABELS, NEW),
    "hierarchy": (t.HierarchicalRuleRegressor(alpha=0.05), X, SIGNAL, NEW),
    "item-sets": (t.ItemsetRegressor(alpha=0.02), RECORDS, COUNTS, SHARED),
    "sequences": (t.SequenceRegressor(alpha=0.02), [*map(sorted, RECORDS)], COUNTS, [*map(sorted, SHARED)]),
    "machine": (t.FactorizationMachineRegressor(alpha=0.01), X, SIGNAL, NEW),
    "subset": (t.L0Regressor(max_nonzero=2), X[list("abc")], SIGNAL, NEW[list("abc")]),
}


@pytest.fixture(scope="module", params=FITTED)
def fitted(request):
    model, data, target, new = FITTED[request.param]
    return model.fit(data, target), data, target, new


def psi(before, after):
    return float(((after - before) * np.log(after / before)).sum())


def indicators(model, data):
    if not hasattr(model, "transform"):
        return np.zeros((N, 0)), []
    found = model.transform(data)
    own = model.rules_ if hasattr(model, "rules_") else model.patterns_
    return found.toarray() if hasattr(found, "toarray") else found, own


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
def test_indices_are_those_by_hand(fitted, weights):
    model, data, target, new = fitted
    found = model.monitor(data, new, y_new=target, sample_weight_new=weights)
    own = np.ones(N) if weights is None else weights
    decision = model._finite_decision(data)[:, 0], model._finite_decision(new)[:, 0]
    assert found.periods.lines[0].mean_score == pytest.approx(decision[0].mean())
    assert found.total.mean_score == pytest.approx(np.average(decision[1], weights=own))
    (before, terms), (after, _) = indicators(model, data), indicators(model, new)
    by_text = {term.text: term for term in found.terms}
    assert len(found.terms) == len(terms)
    for term, p, q in zip(terms, before.mean(axis=0), np.average(after, axis=0, weights=own), strict=True):
        line = by_text[term.text]
        assert (line.support_reference, line.support_new) == pytest.approx((p, q))
        assert line.coef == term.coef
        if 0 < p < 1 and 0 < q < 1:
            assert line.index == pytest.approx(psi(np.array([p, 1 - p]), np.array([q, 1 - q])))
    indices = [line.index for line in found.terms]
    assert indices == sorted(indices, reverse=True)
    columns = found.columns()
    if found.terms:
        assert sum(columns["change"][1:]) == pytest.approx(columns["change"][0])
    assert len(found.to_frame()) == len(columns["feature"])
    assert sum(found.bins.columns()["index"]) == pytest.approx(found.psi)
    assert sum(found.bins.columns()["new"]) == pytest.approx(1)
    for form in (str(found), str(found.periods), str(found.bins), found._repr_html_(), found.to_latex()):
        assert "nan" not in form


def test_the_same_rows_are_stable(fitted):
    model, data, target, _ = fitted
    found = model.monitor(data, data, y_reference=target, y_new=target)
    assert found.psi == 0.0
    assert not any(term.index for term in found.terms)
    assert found.total.status == "stable"
    assert not found.values.outside()


def test_a_term_that_holds_in_every_row_has_one_share_whatever_the_weights():
    column = X[["a"]]
    model = t.RuleRegressor(alpha=0.02, max_features=1, linear=False, bins={"a": [0.0]})
    held = model.fit(column, X["a"] > 0).transform(column)[:, 0] > 0
    reference = column[held]
    wanted = model.monitor(reference, column).terms[0].index
    for seed in range(12):
        weights = np.random.default_rng(seed).uniform(0.5, 1.5, len(reference))
        found = model.monitor(
            reference, column, sample_weight_reference=weights, sample_weight_new=np.ones(N)
        )
        assert found.terms[0].support_reference == 1.0
        assert found.terms[0].index == pytest.approx(wanted)


@pytest.mark.parametrize("is_card", [True, False])
def test_weights_of_whole_numbers_are_equal_rows(is_card):
    model = t.RuleClassifier(alpha=0.03, max_features=2).fit(X, LABELS)
    if is_card:
        model = t.L0AdditiveClassifier(lambda0=2.0).fit(X, LABELS).scaled_card()
    counts = np.random.default_rng(1).integers(0, 4, (2, N))
    rows = [np.repeat(np.arange(N), own) for own in counts]
    month = np.arange(N) % 12
    weighted = model.monitor(
        X, NEW, sample_weight_reference=counts[0], sample_weight_new=counts[1], period=month, n_bins=40
    )
    equal = model.monitor(X.iloc[rows[0]], NEW.iloc[rows[1]], period=month[rows[1]], n_bins=40)
    for one, other in zip(weighted.periods.lines, equal.periods.lines, strict=True):
        assert one.psi_by_chance == pytest.approx(other.psi_by_chance)
        assert (one.psi, one.csi, one.status) == (
            pytest.approx(other.psi), pytest.approx(other.csi), other.status
        )  # fmt: skip


@pytest.mark.parametrize("size", [1e-170, 1e160])
def test_the_size_of_weights_does_not_matter(size):
    model = t.RuleRegressor(alpha=0.03, max_features=2).fit(X, SIGNAL)
    weights = np.full(N, size)
    found = model.monitor(X, NEW, sample_weight_reference=weights, sample_weight_new=weights)
    plain = model.monitor(X, NEW)
    assert found.total.psi_by_chance == pytest.approx(plain.total.psi_by_chance)
    assert found.total.status == plain.total.status
    with pytest.raises(ValueError, match="sample_weight: the weights sum to inf: divide them"):
        model.monitor(X, NEW, sample_weight_reference=np.full(N, 1e308))


def test_observed_beside_predicted_and_ranks():
    model = FITTED["classes"][0].fit(X, LABELS)
    found = model.monitor(X, NEW, y_new=LABELS, sample_weight_new=WEIGHTS)
    chance = model.predict_proba(NEW)[:, model.classes_.tolist().index("ill")]
    assert found.total.event_rate == pytest.approx(np.average(LABELS == "ill", weights=WEIGHTS))
    assert found.total.predicted == pytest.approx(np.average(chance, weights=WEIGHTS))
    auc = roc_auc_score(LABELS == "ill", chance, sample_weight=WEIGHTS)
    assert found.total.auc == pytest.approx(auc)
    rates = found.bins.columns()["event_rate"]
    assert rates == sorted(rates)
    known = [None if k % 2 else label for k, label in enumerate(LABELS)]
    half = model.monitor(X, NEW, y_new=known)
    assert half.total.event_rate == pytest.approx(np.mean(LABELS[::2] == "ill"))
    margin = t.RuleClassifier(alpha=0.05, max_features=1, loss="squared_hinge").fit(X, LABELS)
    assert np.isnan(margin.monitor(X, NEW, y_new=LABELS).total.predicted)


def test_periods_and_names_of_columns():
    model = FITTED["rules"][0].fit(X, SIGNAL)
    new = NEW.assign(y=SIGNAL, w=WEIGHTS, day=np.repeat(["2025-01-03", "2025-03-09"], N // 2))
    found = model.monitor(X, new, y_new="y", sample_weight_new="w", period="day", by="month")
    assert [line.period for line in found.periods.lines] == ["reference", "2025-01", "2025-02", "2025-03"]
    assert found.periods.lines[2].status == "no rows"
    first = model.monitor(X, NEW[: N // 2], sample_weight_new=WEIGHTS[: N // 2])
    assert found.periods.lines[1].psi == pytest.approx(first.psi)
    assert found.periods.lines[1].csi == pytest.approx(first.csi)
    found.plot()
    first.plot()


def test_new_ids_are_counted():
    model = FITTED["machine"][0].fit(X, SIGNAL)
    new = X.assign(city=np.where(np.arange(N) < 30, "w", X["city"]))
    found = model.monitor(X, new)
    lines = found.values.columns()
    place = lines["feature"].index("city")
    assert lines["unseen"][place] == 30
    assert lines["unseen_levels"][place] == ["w"]
    assert "city (30)" in str(found)
    assert found.terms == ()


@pytest.mark.parametrize(
    ("name", "noun", "convert"), [("item-sets", "items", set), ("sequences", "events", list)]
)
def test_events_and_items_that_training_did_not_see_are_counted(name, noun, convert):
    model, records, target, _ = FITTED[name]
    new = [["a", "v"]] * 5 + [["w", "w", "v"]] * 10 + [["w"]] * 20 + [[]] * 15 + [["a", "b"]] * 50
    found = model.fit(records, target).monitor(records, [convert(own) for own in new])
    lines = {key: value[0] for key, value in found.values.columns().items()}
    assert lines["feature"] == f"({noun})"
    assert (lines["unseen"], lines["unseen_levels"]) == (35, ["w", "v"])
    assert (lines["missing_reference"], lines["missing_new"]) == (sum(not own for own in records), 15)
    assert f"New rows with {noun} that training did not see: 35 (35%): w, v." in str(found)
    assert f"new {noun}" in str(found.values)
    weights = np.repeat([4.0, 1.0, 0.0, 1.0], [5, 10, 20, 65])
    weighted = model.monitor(records, [convert(own) for own in new], sample_weight_new=weights)
    assert weighted.values.columns()["unseen"] == [pytest.approx(30)]
    assert weighted.values.columns()["unseen_levels"] == [["v", "w"]]
    same = model.monitor(records, records)
    assert same.values.columns()["unseen_levels"] == [[]]
    assert "did not see" not in str(same)


def test_several_classes_and_targets():
    three = np.digitize(SIGNAL, [0.5, 1.5])
    model = t.RuleClassifier(alpha=0.03, max_features=1).fit(X, three)
    found = model.monitor(X, NEW, y_new=three, output=2)
    assert found.total.event_rate == pytest.approx(np.mean(three == 2))
    assert {term.text for term in found.terms} == {rule.text for rule in model.rules_ if rule.output == 2}
    with pytest.raises(ValueError, match="output: got None; the model has several, name one of 0, 1, 2"):
        model.monitor(X, NEW)
    both = np.column_stack([SIGNAL, -SIGNAL])
    model = t.RuleRegressor(alpha=0.03, max_features=1).fit(X, both)
    for y in (both, both[:, 1]):
        found = model.monitor(X, NEW, y_new=y, output=1)
        assert found.total.event_rate == pytest.approx(-SIGNAL.mean())


def test_columns_of_an_additive_model_of_classes_are_compared():
    three = np.digitize(SIGNAL, [0.5, 1.5])
    model = t.L0AdditiveClassifier(lambda0=2.0).fit(X, three)
    new = NEW.assign(city="w")
    with pytest.raises(ValueError, match="column 'city' holds 'w'"):
        model.monitor(X, new, output=2)
    found = model.set_params(handle_unknown="missing").monitor(X, new, y_new=three, output=2)
    names = [shape.feature_name for shape in model.shape_functions_ if shape.output == 2]
    assert found.columns()["feature"] == ["(score)", *names]
    assert list(found.csi) == names == found.values.columns()["feature"]
    assert found.csi["a"] > 0.25
    change = found.columns()["change"]
    assert sum(change[1:]) == pytest.approx(change[0])
    bins = found.bins.to_frame().groupby("feature", sort=False)
    assert list(bins.groups) == ["(score)", *names]
    assert bins["new"].sum().to_numpy() == pytest.approx(1)
    assert bins.get_group("city").query("bin == 'city missing'")["new"].tolist() == [1.0]
    assert (found.terms, found.rest) == ((), ())
    assert "mean contribution before" in str(found)
    assert "largest index" in str(found.periods)
    assert "nan" not in f"{found}{found.periods}{found.bins}"
    found.plot()
    two = t.L0AdditiveClassifier(lambda0=2.0, pos_label="ill").fit(X, LABELS)
    of_model, of_card = two.monitor(X, NEW), two.scaled_card(whole=False).monitor(X, NEW)
    assert of_model.csi == pytest.approx(of_card.csi)


def test_rows_without_a_weight_and_labels_in_another_order_are_named():
    model = FITTED["rules"][0].fit(X, SIGNAL)
    weights = WEIGHTS.copy()
    weights[[2, 5]] = np.nan
    with pytest.warns(UserWarning, match="sample_weight_new is missing in 2 of 400 rows, .* is row 2;"):
        found = model.monitor(X, NEW, sample_weight_new=weights)
    assert found.total == model.monitor(X, NEW, sample_weight_new=np.nan_to_num(weights)).total
    with pytest.warns(UserWarning, match="^y_new has the index of X in another order"):
        model.monitor(X, NEW, y_new=SIGNAL[::-1])


def test_the_status_of_the_score_is_that_of_its_line_of_all_rows():
    card = t.L0AdditiveClassifier(lambda0=2.0).fit(X, LABELS).scaled_card()
    found = [card.monitor(X, X[k : k + 40]) for k in range(0, N, 40)]
    few = [own for own in found if own.total.status == "few rows"]
    assert few
    assert {own.columns()["status"][0] for own in few} == {"few rows"}


def drawn(n, seed, shift):
    """Rows and records of one population, or of one that `shift` has moved."""
    r = np.random.default_rng(seed)
    table = pd.DataFrame(r.normal(size=(n, 3)), columns=list("abc")).assign(city=r.choice(["x", "y", "z"], n))
    records = [{item for item in "abcde" if r.random() < 0.5 + shift / 3 * (item == "a")} for _ in range(n)]
    return {"card": table.assign(a=table["a"] + shift), "item-sets": records}


@pytest.mark.parametrize("family", ["card", "item-sets"])
@pytest.mark.parametrize("n_rows", [30, 50, 100])
def test_small_periods_of_one_population_have_no_shift_but_moved_ones_have(family, n_rows):
    old = drawn(2000, 0, 0.0)
    if family == "card":
        labels = np.where(old["card"]["a"] + old["card"]["b"] + RNG.normal(size=2000) > 1, "ill", "well")
        model = t.L0AdditiveClassifier(lambda0=2.0).fit(old["card"], labels).scaled_card()
    else:
        model = t.ItemsetRegressor(alpha=0.02)
        model.fit(old["item-sets"], [2.0 * ("a" in r) + ({"b", "c"} <= r) for r in old["item-sets"]])
    period = np.arange(60 * n_rows) // n_rows
    found = {}
    for shift in (0.0, 1.2):
        new = drawn(60 * n_rows, 1, shift)[family]
        lines = model.monitor(old[family], new, period=period).periods.lines[1:]
        found[shift] = sum(line.status in ("moderate shift", "large shift") for line in lines)
    assert found[0.0] <= 9  # of 60; 3 to 6 are expected
    assert found[1.2] >= 54


def test_columns_and_terms_of_few_rows_have_no_shift_by_chance():
    card = t.L0AdditiveClassifier(lambda0=2.0).fit(X, LABELS).scaled_card()
    rules = FITTED["rules"][0].fit(X, SIGNAL)
    for model in (card, rules):
        statuses = [model.monitor(X, X[k : k + 10]).columns()["status"][1:] for k in range(0, N, 10)]
        found = np.concatenate(statuses)
        assert "few rows" in found
        assert np.mean(np.isin(found, ["moderate shift", "large shift"])) < 0.12
        assert "large shift" in model.monitor(X, X[:30].assign(a=9.0)).columns()["status"][1:]


def test_molecules_that_cannot_be_read_are_left_out():
    pytest.importorskip("rdkit")
    molecules = ["CCO", "CC", "CN", "c1ccccc1"] * 10
    model = t.GraphRegressor(alpha=0.01, on_invalid="skip").fit(molecules, [1.0, 0.0, 2.0, 3.0] * 10)
    found = model.monitor(molecules, ["CCO", "C1", "CN"] * 4, y_new=[1.0, 9.0, 3.0] * 4, period=[1, 1, 2] * 4)
    assert found.total.count == 8
    assert found.total.event_rate == 2.0
    assert [line.count for line in found.periods.lines] == [40, 4, 4]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"thresholds": (0.3, 0.1)}, "thresholds: got"),
        ({"n_bins": 1}, "n_bins: got 1"),
        ({"by": "month"}, "by: got 'month', which needs dates"),
        ({"by": "day", "period": [1] * N}, "by: got 'day'; give one of"),
        ({"y_new": SIGNAL[1:]}, "y has 399 values, X has 400 rows"),
        ({"sample_weight_new": np.zeros(N)}, "weight"),
        ({"period": [1]}, "period has 1 entries, X_new has 400 rows"),
        ({"output": "other"}, "output: got 'other'"),
    ],
)
def test_bad_input_is_named(options, message):
    model = FITTED["rules"][0].fit(X, SIGNAL)
    with pytest.raises(ValueError, match=message):
        model.monitor(X, NEW, **options)


def test_weights_of_one_side_are_named():
    model = t.RuleRegressor(alpha=0.03, max_features=2).fit(X, SIGNAL)
    with pytest.warns(UserWarning, match="sample_weight_reference is given and sample_weight_new is not"):
        model.monitor(X, NEW, sample_weight_reference=np.linspace(0.0, 1.0, len(X)))


def test_special_codes_of_rules_are_no_numbers_beyond_the_reference():
    r = np.random.default_rng(0)
    X = pd.DataFrame({"km": r.integers(5, 30, 300).astype(float), "a": r.normal(size=300)})
    X.loc[:40, "km"] = -9
    y = (X["km"] > 20) + 0.5 * (X["km"] == -9) + 0.1 * r.normal(size=300)
    model = t.RuleRegressor(alpha=0.01, special_codes={"km": [-9, -7]}).fit(X, y)
    later = X.assign(km=X["km"].where(X.index > 5, -7))
    found = model.monitor(X, later).values.columns()
    place = found["feature"].index("km")
    assert found["low"][place] == X["km"][X["km"] > 0].min()
    assert (found["below"][place], found["missing_new"][place], found["special_new"][place]) == (0, 0, 41)


def test_a_sensor_that_sends_its_code_more_often_is_named():
    r = np.random.default_rng(0)
    X = pd.DataFrame({"p": r.normal(5, 0.3, 2000).round(2)})
    X.loc[r.random(2000) < 0.05, "p"] = -999
    y = ((X["p"] > 5) | (X["p"] < 0)) ^ (r.random(2000) < 0.2)
    dead = X.where(r.random((2000, 1)) > 0.6, -999)
    counts = [float((table["p"] == -999).sum()) for table in (X, dead)]
    model = t.RuleClassifier(alpha=0.02, max_features=1, linear=False, special_codes=[-999]).fit(X, y)
    found = model.monitor(X, dead)
    values = found.values.columns()
    assert [*values["special_reference"], *values["special_new"]] == counts
    assert values["missing_new"] == values["below"] == [0.0]
    assert "Shifts of missing values or special codes: p (special codes 5% before, 62% now)." in str(found)
    assert f"{counts[1]:,.0f} (62%)" in str(found.values)
    assert "Shifts" not in str(model.monitor(X, X[:1000]))
    card = t.L0AdditiveClassifier(lambda0=5.0, special_codes=[-999]).fit(X, y)
    for own in (card, card.scaled_card()):
        assert "special codes: p (special codes 5% before, 62% now)." in str(own.monitor(X, dead))
        # The card treats the code as missing, since no value is: no index moves where it becomes missing.
        lost = own.monitor(X, X.replace(-999, np.nan))
        values = lost.values.columns()
        assert [*values["special_reference"], *values["special_new"]] == [counts[0], 0.0]
        assert [*values["missing_reference"], *values["missing_new"]] == [0.0, counts[0]]


def test_a_column_that_lost_its_values_is_named():
    X = pd.DataFrame({"p": np.arange(300.0) % 17})
    model = t.RuleRegressor(alpha=0.03, max_features=1).fit(X.assign(p=X["p"].where(X.index > 5)), X["p"])
    found = model.monitor(X, X.assign(p=X["p"].where(X.index > 99)))
    assert "special codes: p (missing 0% before, 33% now)." in str(found)
    assert "special codes before" not in str(found.values)


@pytest.mark.parametrize("is_card", [True, False])
def test_sums_of_weights_are_not_called_rows(is_card):
    X, weights = np.arange(40.0)[:, None] % 9, np.full(40, 2.5)
    model = t.RuleRegressor(alpha=0.01).fit(X, X[:, 0])
    if is_card:
        model = t.L0AdditiveClassifier(lambda0=2.0).fit(X, X[:, 0] > 4).scaled_card()
    plain = model.monitor(X, X[:30])
    assert "30 new rows beside 40 of the reference" in str(plain)
    assert "Counts are" not in f"{plain}{plain.periods}"
    found = model.monitor(X, X[:30], sample_weight_reference=weights, sample_weight_new=weights[:30])
    assert "New rows of weight 75 beside the reference of weight 100; stable" in str(found)
    assert "Counts are sums of sample_weight." in str(found)
    assert str(found.periods).startswith("Counts are sums of sample_weight.")
