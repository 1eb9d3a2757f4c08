"""Rows that a monitoring leaves out, joins, or puts in order; batches without rows."""

import numpy as np
import pandas as pd
import pytest

from thresher import L0AdditiveClassifier, L0AdditiveRegressor

N = 300


@pytest.fixture(scope="module")
def loans():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 20, N).astype(float), "home": rng.choice(["own", "rent"], N)})
    y = np.where(((X.a > 9) | (X.home == "own")) ^ (rng.random(N) < 0.2), "bad", "good")
    return X, y


@pytest.fixture(scope="module")
def card(loans):
    return L0AdditiveClassifier(lambda0=1.0, pos_label="bad").fit(*loans).scaled_card()


def names(found):
    return [line.period for line in found.periods.lines[1:]]


@pytest.mark.parametrize(
    ("periods", "wanted"),
    [
        (["08/2024", "10/2024", "07/2024"], ["07/2024", "08/2024", "09/2024", "10/2024"]),
        (["08/2024", "01/2026", "12/2023"], None),
        (["8.2024", "10.2024", "7.2024"], ["7.2024", "8.2024", "9.2024", "10.2024"]),
        (["Dec 2024", "Jan 2025", "Nov 2024"], ["Nov 2024", "Dec 2024", "Jan 2025"]),
        (["Dec-24", "Feb-25", "Nov-24"], ["Nov-24", "Dec-24", "Jan-25", "Feb-25"]),
        (["Feb 00", "Dec 99", "Nov 99"], ["Nov 99", "Dec 99", "Jan 00", "Feb 00"]),
        (["Dec 68", "Jan 69"], ["Jan 69", "Dec 68"]),
        (["01/2024", "1/2024", "11/2023"], ["11/2023", "12/2023", "1/2024"]),
        (["2024Q1", None, "2024-Q1", "2024-Q2"], ["2024Q1", "2024Q2"]),
        (["2024 July", "2024 May", "2024 April"], ["2024 April", "2024 May", "2024 June", "2024 July"]),
        (["Q3/2024", "Q1/2025", "Q4/2024"], ["Q3/2024", "Q4/2024", "Q1/2025"]),
        (["31.12.2023", "01.02.2024", "15.01.2024"], ["31.12.2023", "15.01.2024", "01.02.2024"]),
        (
            ["1.2.2024 10:00", "1.2.2024 9:30", "31.12.2023"],
            ["31.12.2023", "1.2.2024 9:30", "1.2.2024 10:00"],
        ),
        (
            ["01.02.2024 to 07.02.2024", "25.01.2024 to 31.01.2024"],
            ["25.01.2024 to 31.01.2024", "01.02.2024 to 07.02.2024"],
        ),
        (
            ["2024-02-01 to 2024-02-07", "2024-01-25 to 2024-01-31"],
            ["2024-01-25 to 2024-01-31", "2024-02-01 to 2024-02-07"],
        ),
        ([20240911, 20240801, 20231201], [20231201, 20240801, 20240911]),
        ([202412.0, 202502.0, None], [202412, 202501, 202502]),
        (["10", "9", "100"], ["9", "10", "100"]),
        (["week 10", "week 9"], ["week 9", "week 10"]),
        (["2024-W01", "2023-W52"], ["2023-W52", "2024-W01"]),
        (["202401", "2023-12"], ["2023-12", "202401"]),
        (["FY24", "FY23"], ["FY23", "FY24"]),
    ],
)
@pytest.mark.filterwarnings("ignore:period is missing")
def test_periods_are_in_the_order_of_time(card, loans, periods, wanted):
    found = names(card.monitor(loans[0], loans[0], period=np.resize(np.array(periods, dtype=object), N)))
    if wanted is None:
        assert found[0] == "12/2023"
        assert found[-1] == "01/2026"
        assert len(found) == 26
    else:
        assert found == wanted


@pytest.mark.parametrize(
    "periods",
    [
        ["before", "after"],
        ["31/12/2023", "01/01/2024"],
        ["12/31/2023", "01/01/2024"],
        ["Okt 2023", "Jan 2024"],
        ["Q4 23", "Q1 24"],
        ["week 52 of 2023", "week 1 of 2024"],
        ["31122023", "01012024"],
        ["week 9", "wk 10"],
    ],
)
def test_texts_without_an_order_that_is_known_have_that_of_their_rows(card, loans, periods):
    for given in (periods, periods[::-1]):
        period = np.resize(np.array(given, dtype=object), N)
        with pytest.warns(UserWarning, match=f"period: '{given[0]}' and .* in that of their first rows"):
            assert names(card.monitor(loans[0], loans[0], period=period)) == given


def test_periods_of_pandas_are_dates(card, loans):
    period = pd.Series(pd.period_range("2023-12", periods=3, freq="M").repeat(N)[: 3 * N : 3])
    for by, wanted in (("month", 3), ("quarter", 2), ("year", 2)):
        assert len(names(card.monitor(loans[0], loans[0], period=period, by=by))) == wanted
    quarters = period.dt.asfreq("Q")
    assert names(card.monitor(loans[0], loans[0], period=quarters, by="year")) == ["2023", "2024"]
    with pytest.raises(ValueError, match="has the period 2023Q4 in row 0, which is longer than a month"):
        card.monitor(loans[0], loans[0], period=quarters, by="month")


@pytest.mark.parametrize("unit", ["D", "s", "us", "ns"])
def test_dates_of_numpy_may_be_in_a_list(card, loans, unit):
    days = [*np.resize(np.array(["2024-01-31", "2023-12-31", "NaT"], dtype=f"datetime64[{unit}]"), N)]
    with pytest.warns(UserWarning, match="period is missing in 100 of 300 new rows"):
        assert names(card.monitor(loans[0], loans[0], period=days, by="month")) == ["2023-12", "2024-01"]
    series = pd.Series(days[:2] * (N // 2), dtype=object)
    assert names(card.monitor(loans[0], loans[0], period=series, by="year")) == ["2023", "2024"]


@pytest.mark.parametrize("form", [list, "%Y-%m-%d", "%d.%m.%Y", int])
def test_many_dates_of_few_rows_are_hardly_meant_as_periods(card, loans, form):
    days = pd.date_range("2024-01-15", periods=100).repeat(3)
    given = list(days) if form is list else days.strftime("%Y%m%d" if form is int else form)
    given = given.astype(int) if form is int else given
    hint = "Each of 100 dates is a period, of 3 rows on average; months have more."
    assert hint in str(card.monitor(loans[0], loans[0], period=given).periods)
    months = np.arange("2000-01", "2008-05", dtype="datetime64[M]").repeat(3)
    for other, by in ((given, "month"), (days[:180:3].repeat(5), None), (months, None), (np.arange(N), None)):
        shown = card.monitor(loans[0], loans[0], period=other, by=by).periods
        assert "is a period" not in str(shown)


def test_weeks_are_those_of_iso_in_the_order_of_time(card, loans):
    days = np.resize(["2021-01-11", "2020-12-26", "2021-01-03"], N)
    weeks = ["2020-W52", "2020-W53", "2021-W01", "2021-W02"]  # that of January 1st is the last of 2020
    assert names(card.monitor(loans[0], loans[0], period=days, by="week")) == weeks
    texts = np.resize(["2021-W02", "2020-W52"], N)
    assert names(card.monitor(loans[0], loans[0], period=texts)) == weeks
    # Other counts of weeks have no known end of the year.
    other = np.resize(["2021-W00", "2020-W52"], N)
    assert names(card.monitor(loans[0], loans[0], period=other)) == ["2020-W52", "2021-W00"]
    for months in (["2024-01"] * N, pd.period_range("2024-01", periods=1, freq="M").repeat(N)):
        with pytest.raises(ValueError, match="has the period 2024-01 in row 0, which is longer than a week"):
            card.monitor(loans[0], loans[0], period=months, by="week")


@pytest.mark.parametrize(
    "days",
    [
        [20240911, 20240101, 20231231],
        ["20240911", "20240101", "20231231"],
        [20240911.0, 20240101.0, 20231231.0],
        ["09/2024", "01/2024", "12/2023"],
        [202409, 202401, 202312],
    ],
)
def test_numbers_and_months_are_dates(card, loans, days):
    period = np.resize(np.array(days, dtype=object), N)
    assert names(card.monitor(loans[0], loans[0], period=period, by="year")) == ["2023", "2024"]
    assert names(card.monitor(loans[0], loans[0], period=period, by="quarter"))[::3] == ["2023Q4", "2024Q3"]


@pytest.mark.parametrize("day", [20241301, 2024, 1e300, True, "2024-13-01"])
def test_other_numbers_are_no_dates(card, loans, day):
    with pytest.raises(ValueError, match="in row 0; give dates such as"):
        card.monitor(loans[0], loans[0], period=[day] * N, by="year")


def test_rows_without_a_period_count_in_the_total_alone(card, loans):
    X, y = loans
    period = pd.Series(pd.Timestamp("2024-01-05"), index=X.index)
    period[[3, 7]] = pd.NaT
    for options in ({"by": "month"}, {}):
        with pytest.warns(UserWarning, match="period is missing in 2 of 300 new rows, .* is row 3;"):
            found = card.monitor(X, X, y_new=y, period=period, **options)
        assert found.total.count == N
        assert [line.count for line in found.periods.lines] == [N, N - 2]
    weights = np.ones(N)
    weights[[0, 3]] = 0
    with pytest.warns(UserWarning, match="period is missing"):
        found = card.monitor(X, X, sample_weight_reference=weights, sample_weight_new=weights, period=period)
    assert found.periods.lines[1].count == N - 3


@pytest.mark.parametrize(
    "convert", [np.asarray, list, lambda w: pd.array(w, dtype="Float64"), lambda w: pd.Series(w)]
)
def test_rows_without_a_weight_are_left_out(card, loans, convert):
    X, y = loans
    weights = np.ones(N)
    weights[[2, 5]] = np.nan
    known = np.ones(N)
    known[[2, 5]] = 0
    with pytest.warns(UserWarning, match="sample_weight_new is missing in 2 of 300 rows, .* is row 2;"):
        found = card.monitor(X, X, y_new=y, sample_weight_reference=known, sample_weight_new=convert(weights))
    expected = card.monitor(X, X, y_new=y, sample_weight_reference=known, sample_weight_new=known)
    assert found.total == expected.total
    with pytest.raises(ValueError, match="sample_weight"):
        card.monitor(X, X, sample_weight_reference=known, sample_weight_new=convert(weights * np.nan))


def test_weights_of_one_side_are_named(card, loans):
    X, _ = loans
    with pytest.warns(UserWarning, match="sample_weight_new is given and sample_weight_reference is not"):
        card.monitor(X, X, sample_weight_new=np.arange(N) / N)
    card.monitor(X, X, sample_weight_new=np.arange(N) % 2)  # a selection of rows


def test_labels_in_another_order_are_named(card, loans):
    X, y = loans
    turned = pd.Series(y, index=X.index)[::-1]
    month = pd.Series("2024-01", index=X.index)[::-1]
    number = pd.Series(1.0, index=X.index)[::-1]
    for call, name in (
        (lambda: card.monitor(X, X, y_reference=turned), "y_reference"),
        (lambda: card.monitor(X, X, y_new=turned), "y_new"),
        (lambda: card.monitor(X, X, period=month), "period"),
        (lambda: card.bands(X, turned), "y"),
        (lambda: card.bands(X, y, number), "sample_weight"),
        (lambda: card.binning_table(X, turned), "y"),
    ):
        with pytest.warns(UserWarning, match=f"^{name} has the index of X in another order"):
            call()


@pytest.mark.parametrize("empty", [lambda X: X[:0], lambda X: X[:0][["home", "a"]].assign(more=1.0)])
def test_an_empty_batch_has_empty_results(card, loans, empty):
    X = empty(loans[0])
    assert card.score(X).shape == (0,)
    assert card.score(X).dtype == card.score(loans[0]).dtype
    assert card.predict_proba(X).shape == (0, 2)
    assert card.rounding_error(X).shape == (0,)
    found = card.reasons(X, 2)
    assert len(found) == 0
    assert list(found.to_frame()) == ["score", *(f"{w}_{k}" for k in (1, 2) for w in ("reason", "points"))]
    assert card.bands(X, []).columns()["count"] == [0]
    assert card.bands(X, bands=[450, 500]).columns()["count"] == [0, 0, 0]
    monitoring = card.monitor(loans[0], X, y_new=[], period=[])
    assert monitoring.total.status == "no rows"
    assert "nan" not in f"{monitoring}{monitoring.periods}{monitoring.bins}{monitoring.values}"
    monitoring.plot()
    with pytest.raises(ValueError, match="X_reference has no rows"):
        card.monitor(X, loans[0])


def test_an_empty_batch_needs_the_columns_of_the_model(card, loans):
    with pytest.raises(ValueError, match="now missing:\n- a"):
        card.score(loans[0][:0][["home"]])
    model = L0AdditiveClassifier(lambda0=1.0).fit(loans[0][["a"]].to_numpy(), loans[1])
    assert model.scaled_card().score(np.empty((0, 1))).shape == (0,)
    with pytest.raises(ValueError, match="X has 2 features"):
        model.scaled_card().score(np.empty((0, 2)))
    numbers = L0AdditiveRegressor(lambda0=1.0).fit(loans[0][["a"]], loans[0]["a"])
    for of_bins in (numbers, model.fit(loans[0][["a"]], loans[1])):
        found = of_bins.monitor(loans[0][["a"]], loans[0][["a"]][:0])
        assert found.total.count == 0
        assert "nan" not in f"{found}{found.periods}{found.bins}{found.values}"
