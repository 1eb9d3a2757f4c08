"""What an examination of data finds, and that it says nothing about good data."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import datasets

from thresher import examine

from .columns_with_marks import marked, plain, with_code

N = 400
RNG = np.random.default_rng(3)


def good():
    return pd.DataFrame(
        {
            "age": RNG.integers(18, 90, N),
            "income": RNG.lognormal(10, 0.6, N).round(2),
            "city": RNG.choice(["Rome", "Paris", "Oslo"], N),
            "smoker": RNG.random(N) > 0.5,
        }
    )


TARGET = RNG.random(N) > 0.4


def kinds(X, y=None):
    return {(finding.column, finding.kind) for finding in examine(X, y).findings}


@pytest.mark.parametrize(
    "of", [lambda X: X, pl.from_pandas, lambda X: X.to_dict("list")], ids=["pandas", "polars", "dict"]
)
def test_nothing_is_found_in_good_data(of):
    assert kinds(of(good()), TARGET) == set()


@pytest.mark.parametrize(
    "load", [datasets.load_breast_cancer, datasets.load_diabetes, datasets.load_wine, datasets.load_iris]
)
def test_nothing_is_found_in_known_data(load):
    assert kinds(*load(return_X_y=True)) == set()


dates = pd.date_range("2020-01-01", periods=N)
cells = {
    "identifier": [
        np.arange(N) + 1000,
        np.arange(N)[::-1],
        RNG.permutation(N),
        [f"Mr {k}" for k in range(N)],
    ],
    "refused": [dates, np.where(np.arange(N) == 3, np.inf, RNG.random(N)), [d.date() for d in dates]],
    "constant": [np.full(N, 7), np.full(N, np.nan), ["a"] * N],
    "mark": [
        np.where(RNG.random(N) < 0.05, -9999, RNG.normal(size=N)),
        np.where(RNG.random(N) < 0.05, -1, RNG.integers(0, 50, N)),
        np.where(RNG.random(N) < 0.05, 999, RNG.integers(0, 50, N)),
        np.where(RNG.random(N) < 0.05, 888, np.where(RNG.random(N) < 0.05, 9999999, RNG.integers(0, 50, N))),
    ],
    "outlier": [
        np.where(np.arange(N) == 3, 1e9, RNG.normal(size=N)),
        np.where(np.arange(N) < 2, -2_500, RNG.integers(0, 20, N)),
    ],
    "dates": [[f"{d:%Y-%m-%d}" for d in dates], [f"{d:%d.%m.%Y}" for d in dates]],
    "levels": [[f"zip {k % 200}" for k in range(N)]],
    "records": [[f"{'C' * (1 + k % 30)}({'O' * (k % 3 + 1)}){'N' * (k // 90)}" for k in range(N)]],
    "categories": [
        ["1.5"] * (N - 1) + ["n.v."],
        RNG.choice(["yes", "Yes", "no"], N),
    ],
    "missing": [np.where(np.arange(N) < 10, RNG.random(N), np.nan)],
}


@pytest.mark.parametrize(("kind", "values"), [(kind, v) for kind, several in cells.items() for v in several])
@pytest.mark.parametrize("of", [lambda X: X, pl.from_pandas], ids=["pandas", "polars"])
def test_a_column_that_misleads(kind, values, of):
    assert kinds(of(good().assign(odd=values)), TARGET) == {("odd", kind)}


@pytest.mark.parametrize(
    "values",
    [
        RNG.integers(-3, 50, N),
        np.where(RNG.random(N) < 0.05, 99, RNG.integers(0, 100, N)),
        np.where(RNG.random(N) < 0.3, 0.0, RNG.lognormal(3, 1, N)),
        np.exp(3 * RNG.normal(size=N)),
        np.where(np.arange(N) % 2, 0.0, RNG.normal(500, 60, N)),
        np.where(np.arange(N) < 40, 50, RNG.choice([1, 2, 3, 4, 5], N)),
        np.where(RNG.random(N) < 0.5, -1, 1),
        RNG.integers(1900, 2000, N),
        [f"{k % 40}" for k in range(N)],
    ],
)
def test_a_column_that_does_not_mislead(values):
    assert kinds(good().assign(fine=values), TARGET) == set()


def test_two_marks_of_one_column():
    values = RNG.integers(0, 50, N).astype(float)
    values[:20], values[20:30] = -99, 999
    assert sorted(f.found for f in examine({"a": values}).findings) == [
        "is -99 in 20 rows, far from all other values",
        "is 999 in 10 rows, far from all other values",
    ]


def test_a_mark_beside_scores():
    r = np.random.default_rng(0)
    score = np.clip(r.normal(600, 70, 2000).round(), 300, 850)
    score[:30], score[30:50], score[50:60] = 998, 999, -1
    found = examine({"score": score})
    assert found.special_codes == {"score": [-1, 998, 999]}
    assert [finding.found for finding in found.findings][:2] == [
        "is -1 in 10 rows, far from all other values",
        "is 998 in 30 rows, far from all other values",
    ]


def test_one_number_below_0():
    months = np.repeat(np.arange(0.0, 24.0), 20)
    assert examine({"months": np.append(months, [-1.0] * 40)}).findings[0].found == (
        "is -1 in 40 rows, the only number below 0"
    )
    # The thin end of a distribution is no mark.
    counts = np.repeat([-1.0, 0, 1, 2, 3, 4, 5, 6], [4, 9, 40, 90, 120, 90, 40, 10])
    assert not examine({"change": counts}).findings


def marks_of(values):
    return {finding.code for finding in examine({"a": values}).findings if finding.kind == "mark"}


def test_marks_are_found_and_others_are_not():
    """Of 2,000 columns of each kind 1 had a false alarm, and 95 % of the marks were found."""
    false = sum(bool(marks_of(plain(np.random.default_rng(seed))[1])) for seed in range(400))
    assert false <= 2
    found = wanted = others = 0
    for seed in range(400):
        _, values, marks = marked(np.random.default_rng(10_000 + seed))
        own = marks_of(values)
        found, wanted, others = (
            found + len(own & set(marks)),
            wanted + len(marks),
            others + len(own - set(marks)),
        )
    assert found >= 0.93 * wanted
    assert others <= 2


def test_codes_of_any_digits_are_found():
    found = [
        (code, marks_of(values)) for values, code in map(with_code, map(np.random.default_rng, range(200)))
    ]
    assert sum(own == {code} for code, own in found) >= 190


@pytest.mark.parametrize("code", [1e9, 32767, 0.0, -40, 85, -273.15])
def test_a_code_of_any_digits_is_named(code):
    values = np.random.default_rng(0).uniform(24, 37, 600).round(1)
    values[:30] = code
    found = examine({"a": values, "b": values + np.arange(600)})
    assert found.special_codes == {"a": [code]}
    assert f"special_codes={{column: [{code:.10g}]}}" in found.findings[0].advice


@pytest.mark.parametrize("copy", [lambda x: x, lambda x: 3 * x + 1, np.exp])
def test_copies(copy):
    X = good()
    X["again"] = copy(X.age.to_numpy() / 50)
    assert kinds(X) == {("again", "copy")}


def test_copies_of_categories():
    X = good()
    X["again"] = X.city.str.upper()
    assert kinds(X) == {("again", "copy")}


def test_leaks():
    classes = np.where(TARGET, "ill", "well")
    amount = RNG.lognormal(0, 0.5, N)
    leaking = [
        TARGET * 2.0 + RNG.random(N),
        np.where(TARGET, 3, 1),
        np.where(TARGET, "x", "z"),
        np.where(TARGET, 1.5, np.nan),
    ]
    for values in leaking:
        assert kinds(good().assign(odd=values), classes) == {("odd", "leak")}
    assert kinds(good().assign(odd=np.log(amount)), amount) == {("odd", "leak")}
    # A strong column is no leak.
    assert kinds(good().assign(odd=TARGET + 0.5 * RNG.normal(size=N)), classes) == set()
    assert kinds(good().assign(odd=amount + 0.2 * RNG.normal(size=N)), amount) == set()


def test_a_column_that_gives_one_class_of_several_away():
    rng = np.random.default_rng(0)
    y = rng.choice(["alive", "dead", "moved"], N, p=[0.6, 0.2, 0.2])
    is_dead = y == "dead"
    X = good().assign(
        days=np.where(is_dead & (rng.random(N) < 0.98), rng.integers(1, 30, N), np.nan),
        dose=np.where(is_dead, rng.gamma(3, 1, N), 0),
        place=np.where(is_dead, "morgue", rng.choice(["home", "ward"], N)),
        bed=np.where(is_dead, rng.choice(["a", "b"], N), rng.choice(["c", "d", "e"], N)),
        end=np.where(is_dead, -1.0, rng.integers(100, 900, N)),
        strong=np.where(rng.random(N) < 0.93, is_dead, ~is_dead),
    )
    found = {each.column: each.found for each in examine(X, y).findings if each.kind == "leak"}
    assert found == {
        "days": "is missing almost exactly where the target is not 'dead'",
        "dose": "is 0 almost exactly where the target is not 'dead'",
        "place": "is 'morgue' almost exactly where the target is 'dead'",
        "bed": "alone explains 99% of whether the target is 'dead'",
        "end": "is -1 almost exactly where the target is 'dead'",
    }
    # Noise gives no class away, however rare it is.
    noise = pd.DataFrame(rng.integers(0, 9, (60, 60))).add_prefix("x")
    rare = rng.choice(["a", "b", "c"], 60, p=[0.8, 0.1, 0.1])
    assert "leak" not in {kind for _, kind in kinds(noise, rare)}


@pytest.mark.parametrize("names", [("user", "item"), ("user_id", "item_id")])
def test_numbers_of_users_and_items(names):
    rng, n = np.random.default_rng(0), 2000
    X = pd.DataFrame(dict(zip(names, (rng.integers(1, 150, n), rng.integers(1, 80, n)), strict=True)))
    findings = examine(X, rng.integers(1, 6, n)).findings
    assert [(each.column, each.kind) for each in findings] == [(name, "ids") for name in names]
    assert findings[0].found == "holds 149 whole numbers that repeat, as those of users and items do"
    assert findings[0].advice.endswith(f"categorical_features={list(names)!r}")
    # One such column alone has nothing to interact with.
    assert kinds(X[[names[0]]]) == set()


def test_rows_and_target():
    X = good()
    assert kinds(pd.concat([X, X[:40]]), np.concatenate([TARGET, TARGET[:40]])) == {("(rows)", "rows")}
    assert kinds(X.assign(weight=RNG.random(N))) == {("weight", "rows")}
    rare = np.where(np.arange(N) < 4, "dead", np.where(TARGET, "ill", "well"))
    assert kinds(X, rare) == {("(target)", "target")}
    assert kinds(X, np.where(np.arange(N) < 4, None, rare)) == {("(target)", "refused")}
    assert kinds(X, np.ones(N)) == {("(target)", "refused")}
    assert kinds(X, RNG.lognormal(0, 3, N)) == {("(target)", "target")}
    assert "Neither estimates the mean" in examine(X, RNG.lognormal(0, 3, N)).findings[0].advice


def test_the_target_may_be_a_column():
    X = good().assign(y=TARGET, odd=TARGET)
    assert kinds(X, "y") == {("odd", "leak")}
    with pytest.raises(ValueError, match="there is no column 'z'"):
        examine(X, "z")


def test_it_prints_and_gives_a_frame():
    found = examine(good().assign(odd=1), TARGET)
    assert str(found).splitlines()[0] == "400 rows and 5 columns: 1 finding"
    assert found.to_frame().columns.tolist() == ["column", "kind", "found", "advice"]
    assert "leave it out" in found._repr_html_()
    assert str(examine(good())) == "400 rows and 4 columns: no findings"
    marked = examine(good().assign(odd=np.where(np.arange(400) % 20, np.arange(400) % 7, -999)), TARGET)
    assert "<br>special_codes={&#x27;odd&#x27;: [-999]}" in marked._repr_html_()


@pytest.mark.parametrize("X", [np.empty((0, 3)), np.empty((3, 0)), [[1.0]], {"a": [None, {"b": 1}, [2]]}])
def test_small_and_odd_tables(X):
    assert "row" in str(examine(X))


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_a_sparse_matrix_has_the_findings_of_its_array(make):
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.4
    table = (rng.random((200, 6)) < 0.2) * rng.integers(1, 9, (200, 6)).astype(float)
    table[:, 1], table[:, 2], table[:, 3] = np.where(rng.random(200) < 0.1, -999, table[:, 1]), 7, 3 * y
    table[::9, 4] = np.nan
    found = examine(make(table), y)
    assert {finding.kind for finding in found.findings} >= {"constant", "leak"}
    assert str(found) == str(examine(table, y))
    assert examine(make((20, 3)), y[:20]).n_rows == 20


def test_what_is_no_table():
    with pytest.raises(TypeError, match="X has 1 dimension"):
        examine([1.0, 2.0])
    with pytest.raises(ValueError, match="y has 2 values and X has 3 rows"):
        examine(np.eye(3), [1, 2])


def test_columns_that_a_fit_refuses_are_found():
    table = pd.DataFrame({"mixed": [1, "a"] * 20, "lists": [[1], [2]] * 20, "plain": np.arange(40.0) % 7})
    found = {finding.column: finding for finding in examine(table).findings if finding.kind == "refused"}
    assert set(found) == {"mixed", "lists"}
    assert found["mixed"].found == "mixes text and numbers: 1 (row 0) and 'a' (row 1)"
    assert "name it in categorical_features" in found["mixed"].advice
    assert found["lists"].found == "holds [1] (list) in row 0"
    assert 'in pandas with .astype("string")' in found["lists"].advice


def test_columns_that_share_a_name():
    table = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
    with pytest.raises(ValueError, match="more than one column named 'a'; names must differ"):
        examine(table)


def with_flag(sensitivity, false_alarms, n=4000, rate=0.12):
    rng = np.random.default_rng(1)
    y = rng.random(n) < rate
    flag = np.where(y, rng.random(n) < sensitivity, rng.random(n) < false_alarms)
    return pd.DataFrame({"age": rng.integers(18, 90, n), "flag": flag.astype(int)}), y


@pytest.mark.parametrize("rate", [0.12, 0.5])
@pytest.mark.parametrize(("sensitivity", "false_alarms"), [(0.97, 0.002), (0.99, 0.001), (1, 0.01), (1, 0)])
def test_a_flag_that_nearly_gives_the_target_away(sensitivity, false_alarms, rate):
    X, y = with_flag(sensitivity, false_alarms, rate=rate)
    assert kinds(X, y) == {("flag", "leak")}
    assert kinds(X.assign(flag=X.flag.map({0: "no", 1: "collections"})), y) == {("flag", "leak")}
    amount = X.flag * np.random.default_rng(2).lognormal(5, 1, len(X))
    assert ("flag", "leak") in kinds(X.assign(flag=amount), y)


@pytest.mark.parametrize(("sensitivity", "false_alarms"), [(0.8, 0.01), (0.9, 0.02), (0.95, 0.05)])
def test_a_strong_flag_is_no_leak(sensitivity, false_alarms):
    assert kinds(*with_flag(sensitivity, false_alarms)) == set()


def test_a_table_like_the_titanic():
    rng = np.random.default_rng(0)
    n = 891
    sex = rng.choice(["male", "female"], n, p=[0.65, 0.35])
    pclass = rng.choice([1, 2, 3], n, p=[0.24, 0.21, 0.55])
    survived = rng.random(n) < np.where(sex == "female", 0.74, 0.19)
    X = pd.DataFrame({"sex": sex, "pclass": pclass, "fare": rng.lognormal(3, 1, n).round(2)})
    assert {kind for _, kind in kinds(X, survived)} <= {"rows"}


def test_chance_is_no_leak():
    rng = np.random.default_rng(0)
    for n in (30, 60, 200):
        X = pd.DataFrame(rng.integers(0, 6, (n, 60))).add_prefix("x")
        found = kinds(X, rng.random(n) < 0.1)
        assert not {kind for _, kind in found} & {"leak", "identifier"}


def test_columns_that_name_groups_of_rows_are_no_leaks():
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(100), 8)
    died = (rng.random(100) < 0.4)[patient]
    for name in (patient, np.char.add("P", patient.astype(str))):
        X = pd.DataFrame({"patient": name, "event": rng.choice(["a", "b", "c"], 800)})
        assert {kind for _, kind in kinds(X, died)} <= {"identifier", "levels"}
        assert any("GroupKFold" in each.advice for each in examine(X, died).findings)


def test_what_is_said_of_many_columns_is_one_line():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, (400, 30))).add_prefix("rs")
    for k, column in enumerate(X):
        X.loc[: 5 + k, column] = -9
    found = examine(X)
    assert len(found.findings) == 30
    lines = found.to_markdown().splitlines()
    assert lines[0].startswith("400 rows and 30 columns: 30 findings")
    [line] = [line for line in lines if "is -9" in line]
    assert "'rs0', 'rs1'" in line
    assert "and 22 more" in line
    assert "is -9 in 6 to 35 rows" in line
    assert found.special_codes["rs29"] == [-9]


def test_molecules_are_not_spelt_in_two_ways():
    smiles = RNG.choice(["c1ccccc1", "C1CCCCC1", "CC(=O)O", "[Na+].[Cl-]"], N)
    assert kinds(good().assign(molecule=smiles)) == set()
    assert kinds(good().assign(country=RNG.choice(["CO", "co", "SI"], N))) == {("country", "categories")}
    assert kinds(good().assign(type=RNG.choice(["Type2", "type2", "Type1"], N))) == {("type", "categories")}


def test_copies_of_rows_are_found_where_a_column_tells_rows_apart():
    X = good().assign(account=[f"A{k}" for k in range(N)])
    twice = pd.concat([X, X.iloc[[7, 9]]], ignore_index=True)
    found = {finding.column: finding.found for finding in examine(twice).findings}
    assert found["(rows)"] == f"2 rows are exact copies of others, such as row {N} of row 7"
    different = np.append(TARGET, [not TARGET[7], not TARGET[9]])
    assert "(rows)" not in {finding.column for finding in examine(twice, different).findings}
    assert "(rows)" not in {finding.column for finding in examine(X).findings}


def test_rows_that_are_equal_by_chance_or_but_for_what_tells_them_apart_are_no_copies():
    def found(X, y=None):
        return [finding.found for finding in examine(X, y).findings if finding.column == "(rows)"]

    keys = [f"c{k}" for k in RNG.permutation(250)]
    X = pd.DataFrame({"key": keys, "x": RNG.normal(5, 1, 250).round(2)})
    y = np.where(RNG.random(250) < 0.5, "a", "b")
    assert found(X, y) == found(X[["x"]]) == found(X[["x"]][:60], y[:60]) == []
    chains = pd.DataFrame({"smiles": ["C" * k + "(O)C" for k in range(1, 251)]})
    assert found(chains, X["x"]) == []
    visits = pd.DataFrame({"at": pd.date_range("2026-01-01", periods=250, freq="h"), "x": X["x"], "z": 1.5})
    assert found(visits.assign(x=X["x"] // 0.5)) == []
    X[["a", "b", "c"]] = RNG.normal(size=(250, 3)).round(2)
    twice = pd.concat([X, X[:40].assign(key=[f"d{k}" for k in range(40)])])
    assert found(twice, np.append(y, y[:40])) == ["14% of the rows are copies of other rows but for 'key'"]
    assert found(twice, np.append(y, np.where(y[:40] == "a", "b", "a"))) == []


def test_what_a_fit_warns_of_is_found():
    ranks = pd.Categorical(RNG.choice(["low", "mid", "high"], N), ["low", "mid", "high"], ordered=True)
    X = good().assign(rank=ranks, big=RNG.integers(2**53, 2**60, N) | 1)
    in_order = pl.col("rank").cast(pl.String).cast(pl.Enum(["low", "mid", "high"]))
    for table in (X, pl.from_pandas(X).with_columns(in_order)):
        order, rounded = sorted(finding.found for finding in examine(table, TARGET).findings)
        assert "ordered categories, whose order is not used" in order
        assert "holds whole numbers beyond 2^53, which are rounded" in rounded
    with pytest.raises(TypeError, match=r"X has 1 dimension; give a table .*: thresher doctor"):
        examine(["CCO", "CCN"])


@pytest.mark.parametrize(
    ("name", "cells", "words"),
    [
        ("customer_id", RNG.permutation(10**6)[:N], "names the rows, by its name and values"),
        ("customerId", np.arange(N) % 150 * 7, "150 of its 150 values name several"),
        ("ID", np.where(np.arange(N) == 3, 0, np.arange(N) * 7), "1 of its 399 values name several"),
        ("product_id", np.arange(N) % 40, None),
        ("humid", RNG.permutation(N) * 7, None),
        ("paid", RNG.random(N), None),
        ("bid", RNG.permutation(N) * 7, None),
    ],
)
def test_names_of_rows_are_known_by_their_name(name, cells, words):
    found = [
        finding for finding in examine(good().assign(**{name: cells})).findings if finding.column == name
    ]
    shuffled = [finding.found for finding in found if finding.kind == "identifier"]
    assert (words is None and not shuffled) or words in shuffled[0]


def test_molecules_are_no_free_text_and_codes_no_molecules():
    smiles = ["CCO", "c1ccccc1", "CC(=O)O", "C[N+](C)C", "CC#N", "C1CCCCC1", "CCCl"]
    assert kinds({"m": [*smiles, "not known"] * 40}) == {("m", "records")}
    for codes in (
        [f"C{k}" for k in range(40)],
        [f"B{k}C{k}" for k in range(40)],
        ["I", "II", "III", "IO", "CO"] * 9,
    ):
        assert "records" not in {kind for _, kind in kinds({"m": codes * 3})}


@pytest.mark.parametrize(
    "of", [np.asarray, list, pd.Series, pl.Series], ids=["numpy", "list", "pandas", "polars"]
)
def test_whole_numbers_are_compared_as_such(of):
    ids = [2**60 + k for k in range(N)]
    assert kinds({"id": of(ids), "x": TARGET}) == {("id", "identifier")}
    shuffled = RNG.permutation(ids).tolist()
    assert kinds({"a": of(shuffled), "x": TARGET}) == {("a", "identifier")}
    with_gaps = [2 * k for k in shuffled]
    assert kinds({"a": of(with_gaps), "x": TARGET}) == {("a", "categories")}


def test_a_rare_class_of_an_array_prints_as_its_text():
    found = examine(np.arange(100.0)[:, None], np.array(["a"] * 97 + ["b"] * 3))
    assert "has rare classes: 'b' in 3 rows" in " ".join(str(found).split())
