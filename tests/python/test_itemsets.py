"""Item-sets: the exhaustive oracle, every form of input, files, budgets, the papers' numbers."""

import datetime as dt
import gzip
import os
import pickle
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from oracle import compare, patterns
from thresher import (
    ItemsetClassifier,
    ItemsetRegressor,
    Pattern,
    load_itemsets,
    load_model,
)

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("THRESHER_DATA", ROOT.parent / "shared" / "data"))

BASKETS = [{"milk", "bread"}, {"milk"}, {"bread"}, {"milk", "bread", "eggs"}, set()] * 8
SPENT = [2.0, 0.0, 0.0, 2.5, -1.0] * 8
RNG = np.random.default_rng(0)
ONES = RNG.random((80, 7)) < 0.45
SUM = 2.0 * (ONES[:, 0] & ONES[:, 1]) - ONES[:, 3] + 0.2 * RNG.normal(size=80)
KIND = np.where(SUM > 0.7, "high", "low")


@compare.seeds(size=50)
def test_optimal_over_all_itemsets(seeds):
    problems = (patterns.itemset_problem(seed) for seed in seeds)
    wrong = [m for p in problems for m in patterns.check(p, patterns.shown_itemset)]
    assert not wrong, "\n".join(wrong)


def test_optimal_though_few_rows_have_curvature():
    """Huber's loss with a delta of .01 of responses up to 200, so that every step is short."""
    wrong = patterns.check(patterns.itemset_problem(50_000_472), patterns.shown_itemset)
    assert not wrong, "\n".join(wrong)


def test_every_form_of_input_is_the_same_model():
    names = [f"item {j}" for j in range(7)]
    sets = [{names[j] for j in np.flatnonzero(row)} for row in ONES]
    forms = {
        "sets": sets,
        "lists": [list(record) * 2 for record in sets],
        "pandas": pd.DataFrame(ONES, columns=names),
        "pandas of numbers": pd.DataFrame(ONES.astype(int), columns=names),
        "polars": pl.DataFrame(ONES.astype(np.int8), schema=names),
        "array": ONES.astype(float),
        "csr": sparse.csr_matrix(ONES.astype(float)),
        "coo": sparse.coo_array(ONES),
    }
    wanted = None
    for form, X in forms.items():
        model = ItemsetRegressor(alpha=0.02).fit(X, SUM)
        got = (model.intercept_, [p.coef for p in model.patterns_], [p.payload for p in model.patterns_])
        wanted = got if wanted is None else wanted
        assert got == wanted, form
        np.testing.assert_array_equal(model.predict(X), model.predict(forms[form]))
        assert hasattr(model, "n_features_in_") == (form not in ("sets", "lists"))
    assert list(ItemsetRegressor(alpha=0.02).fit(forms["pandas"], SUM).feature_names_in_) == names


def test_items_may_be_anything_hashable():
    records = [[(1, 2), "a"], [(1, 2)], ["a", None.__class__], [3.5, True]] * 3
    model = ItemsetRegressor(alpha=0.01).fit(records, [1.0, 0.0, 0.5, 2.0] * 3)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.predict(records), again.predict(records))
    assert {p.text for p in model.patterns_} & {"(1, 2)", "(1, 2) and a", "True", "3.5"}
    with pytest.raises(TypeError, match="JSON can hold labels that are"):
        model.to_json()


def test_new_records_may_hold_unknown_items():
    model = ItemsetRegressor(alpha=0.01).fit(BASKETS, SPENT)
    known = model.predict([{"milk", "bread"}, set()])
    np.testing.assert_array_equal(model.predict([{"milk", "bread", "caviar"}, {"caviar"}]), known)


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        ("abc", TypeError, "give a list of sets"),
        ([], ValueError, "0 sample"),
        ([{"a"}, "bc"], TypeError, "record 1 is 'bc'"),
        ([{"a"}, 3], TypeError, "record 1 is 3"),
        ([["a"], [["b"]]], TypeError, "not hashable"),
        ([["a"], [None]], ValueError, "record 1 holds None"),
        (np.array([[1.0], [np.nan]]), ValueError, "NaN"),
        (pd.DataFrame({"a": [1, None]}), ValueError, "NaN"),
        (pd.DataFrame({"a": ["x", "y"]}), TypeError, "column 'a'"),
        (pd.DataFrame([[1, 0], [0, 1]], columns=["a", "a"]), ValueError, "a"),
    ],
    ids=[
        "text",
        "no records",
        "text as a record",
        "number as a record",
        "item that is a list",
        "None as an item",
        "NaN in an array",
        "None in a frame",
        "text in a frame",
        "duplicate names",
    ],
)
def test_input_that_is_refused(X, error, words):
    model = ItemsetRegressor(alpha=0.1).fit(BASKETS, SPENT)
    before = model.to_json()
    with pytest.raises(error, match=words):
        model.fit(X, [1.0, 2.0])
    assert model.to_json() == before


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"max_items": 0}, "max_items"),
        ({"min_support": 0}, "min_support"),
        ({"negations": "yes"}, "negations"),
        ({"max_patterns": 0}, "max_patterns"),
        ({"alpha": -1.0}, "alpha"),
        ({"loss": "hinge"}, "loss"),
        ({"alpha_min_ratio": 1.5}, "alpha_min_ratio"),
        ({"penalty_growth": -0.1}, "penalty_growth"),
    ],
)
def test_parameters_that_are_refused(parameters, words):
    with pytest.raises((TypeError, ValueError), match=words):
        ItemsetRegressor(**parameters).fit(BASKETS, SPENT)


def test_a_matrix_model_wants_the_same_columns():
    model = ItemsetRegressor(alpha=0.02).fit(pd.DataFrame(ONES, columns=list("abcdefg")), SUM)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pd.DataFrame(ONES, columns=list("bacdefg")))
    with pytest.raises(ValueError, match="7 features"), pytest.warns(UserWarning, match="feature names"):
        model.predict(ONES[:, :3])
    sets = [{"abcdefg"[j] for j in np.flatnonzero(row)} for row in ONES]
    np.testing.assert_array_equal(
        model.predict(sets), model.predict(pd.DataFrame(ONES, columns=list("abcdefg")))
    )
    with pytest.raises(TypeError, match="fitted on sets"):
        ItemsetRegressor(alpha=0.1).fit(BASKETS, SPENT).predict(ONES)


@pytest.mark.parametrize("strategy", ["working_set", "screening", "column_generation"])
@pytest.mark.parametrize(
    "estimator", [ItemsetRegressor(), ItemsetClassifier(), ItemsetClassifier(loss="squared_hinge")]
)
def test_threads_change_nothing(estimator, strategy):
    y = SUM if isinstance(estimator, ItemsetRegressor) else KIND
    model = clone(estimator).set_params(strategy=strategy, n_alphas=12, cv=3)
    assert len({compare.timeless(model.set_params(n_jobs=n).fit(ONES, y)) for n in (1, 2, 4)}) == 1


def test_several_classes_are_one_against_the_rest():
    labels = np.where(ONES[:, 0] & ONES[:, 1], "both", np.where(ONES[:, 3], "three", "none"))
    model = ItemsetClassifier(alpha=0.01, tol=1e-9).fit(ONES, labels)
    for k, label in enumerate(model.classes_):
        own = ItemsetClassifier(alpha=0.01, tol=1e-9).fit(ONES, labels == label)
        np.testing.assert_allclose(
            model.decision_function(ONES)[:, k], own.decision_function(ONES), atol=1e-3
        )
    np.testing.assert_allclose(model.predict_proba(ONES).sum(axis=1), 1.0)
    assert model.score(ONES, labels) > 0.95
    assert model.verify(ONES, labels).complete
    for pattern in model.patterns_:
        assert sum(pattern.n_rows_per_class.values()) == pattern.n_rows
        assert list(pattern.n_rows_per_class) == ["both", "none", "three"]


def test_two_targets():
    model = ItemsetRegressor(alpha=0.02).fit(ONES, np.column_stack([SUM, -SUM]))
    np.testing.assert_allclose(model.predict(ONES)[:, 0], -model.predict(ONES)[:, 1], atol=1e-6)


@pytest.mark.parametrize("alpha", ["cv", "bic", "ebic"])
def test_selection(alpha):
    model = ItemsetRegressor(alpha=alpha, n_alphas=30).fit(ONES, SUM)
    assert any(p.text == "x0 and x1" and p.coef > 1 for p in model.patterns_)
    assert model.score(ONES, SUM) > 0.9
    assert (model.path_.cv_mean is not None) == (alpha == "cv")
    assert (model.path_.criterion is not None) == (alpha != "cv")
    if alpha == "cv":
        one = ItemsetRegressor(one_standard_error=True, n_alphas=30).fit(ONES, SUM)
        assert one.alpha_ >= model.alpha_


def test_cross_validation_is_a_loop_of_paths():
    rows = np.arange(80)
    folds = [(rows[rows % 3 != k], rows[rows % 3 == k]) for k in range(3)]
    model = ItemsetRegressor(cv=folds, n_alphas=8, alpha_min_ratio=0.1).fit(ONES, SUM)
    path = model.path_
    for k, alpha in enumerate(path.cv_alphas):
        losses = []
        for train, test in folds:
            own = ItemsetRegressor(tol=1e-10).fit_path(
                ONES[train], SUM[train], alphas=path.cv_alphas[: k + 1]
            )
            losses.append(((SUM[test] - own.path_.at(alpha).predict(ONES[test])) ** 2 / 2).mean())
        sizes = [len(test) for _, test in folds]
        assert path.cv_mean[k] == pytest.approx(np.average(losses, weights=sizes), rel=1e-4)


def test_max_patterns_and_path():
    model = ItemsetRegressor(penalty="l1", max_patterns=3).fit_path(ONES, SUM)
    assert model.path_.n_patterns.max() <= 3
    assert model.path_.relative_gap.max() <= 1e-6
    at = model.path_.at(model.path_.alphas[-1])
    np.testing.assert_array_equal(at.predict(ONES), model.predict(ONES))
    assert "PatternPath" in repr(model.path_)


def test_equal_occurrences_are_one_pattern():
    X = np.column_stack([ONES[:, :3], ONES[:, 0], ONES[:, 0]])
    model = ItemsetRegressor(alpha=0.05).fit(X, SUM)
    for pattern in model.patterns_:
        for other in pattern.equivalents:
            words = [set(p.text.split(" and ")) for p in (pattern, other)]
            columns = [X[:, [int(w[1:]) for w in word]].all(axis=1) for word in words]
            np.testing.assert_array_equal(*columns)
            assert other.size >= pattern.size
        assert pattern.closure.size >= pattern.size
    assert any(len(p.equivalents) >= 2 for p in model.patterns_)
    apart = ItemsetRegressor(alpha=0.05, closed=False).fit(X, SUM)
    assert apart.certificate_.primal == pytest.approx(model.certificate_.primal, rel=1e-6)
    assert not any(p.equivalents for p in apart.patterns_)


def test_frame_table_and_words():
    model = ItemsetClassifier(alpha=0.02).fit(ONES, KIND)
    frame = model.get_patterns()
    assert list(frame.columns) == [
        "pattern",
        "size",
        "coef",
        "support",
        "n_rows",
        "n_rows_high",
        "n_rows_low",
        "importance",
    ]
    assert frame["importance"].is_monotonic_decreasing
    assert "records" in str(model.summary())
    assert "patterns, relative gap" in str(model.certificate_)
    assert "<table>" in model._html_repr()
    design = model.transform(ONES)
    assert sparse.issparse(design)
    assert design.shape == (80, len(frame))
    logit = model.intercept_ + design @ [p.coef for p in model.patterns_]
    np.testing.assert_allclose(logit, model.decision_function(ONES))
    assert list(model.get_feature_names_out()) == [p.text for p in model.patterns_]
    [first, *_] = model.explain(ONES[:2])
    assert sum(part.value for part in first.contributions) + model.intercept_ == pytest.approx(first.decision)


def test_features_have_the_names_of_the_step_before():
    texts = ["cat dog", "cat", "dog", "bird cat dog", "bird", "and cat dog"] * 20
    y = ["dog" in text and "cat" in text for text in texts]
    pipeline = make_pipeline(CountVectorizer(binary=True), ItemsetClassifier(alpha=0.02)).fit(texts, y)
    assert pipeline[:].get_feature_names_out().tolist() == ["cat and dog"]
    model = pipeline[-1]
    assert model.get_feature_names_out().tolist() == ["x2 and x3"]
    quoted = model.get_feature_names_out(["a", "b", "salt and pepper", "d"]).tolist()
    assert quoted == ['"salt and pepper" and d']
    with pytest.raises(ValueError, match="input_features should have length equal to"):
        model.get_feature_names_out(["a"])
    records = ItemsetClassifier(alpha=0.02).fit([text.split() for text in texts], y)
    assert records.get_feature_names_out(["a"]).tolist() == ["cat and dog"]


def test_items_of_thousands_of_characters_are_shortened_where_they_are_shown():
    long = {name: f"{name} {'of a description ' * 200}end {name}" for name in "ab"}
    records = [{long["a"], long["b"]}, {long["a"]}, {long["b"]}, set()] * 20
    model = ItemsetRegressor(alpha=0.01).fit(records, [1.0, 0.0, 0.0, 0.0] * 20)
    [pattern] = model.patterns_
    assert pattern.text == f"{long['a']} and {long['b']}"
    summary = model.summary()
    assert len(str(summary).splitlines()) < 14
    assert "end a" in str(summary)
    assert str(summary).count("…") == 2
    assert summary.columns()["term"] == [pattern.text]
    pytest.importorskip("matplotlib").use("Agg")
    figure = model.plot_patterns().figure_
    assert figure.get_figheight() < 4


def test_prices():
    model = ItemsetRegressor(alpha=0.05, negations=True).fit(ONES, SUM)
    assert model.price({"x0", "x1"}).in_model
    assert model.price("x0 and x1").in_model
    assert model.price({"x0": True, "x1": True}).in_model
    rare = model.price({"x5": True, "x6": False})
    assert not rare.in_model
    assert rare.term.text == "x5 and not x6"
    assert rare.ratio < 1
    assert "is not in the model" in str(rare)
    for asked, error in [
        ({"x9"}, ValueError),
        (3, TypeError),
        (set(), ValueError),
        ("x1 and x77", ValueError),
        ([["x1"]], TypeError),
    ]:
        with pytest.raises(error, match="pattern"):
            model.price(asked)
    for text in ("x1 and not x1", "not x1 and x0 and x1"):
        with pytest.raises(ValueError, match="asks for 'x1' both present and absent"):
            model.price(text)
    assert isinstance(model.near_ties(0.8)[0].term, Pattern)
    plain = ItemsetRegressor(alpha=0.05).fit(ONES, SUM)
    assert "can have no coefficient: it asks for an absent item, and negations=False" in str(
        plain.price({"x5": True, "x6": False})
    )
    with pytest.raises(ValueError, match="training data are not available"):
        load_model(model.to_json()).near_ties()


def test_one_record_of_each_class_and_constant_items():
    model = ItemsetClassifier(alpha=0.1).fit([{"a"}, {"b"}], [0, 1])
    assert model.predict([{"a"}, {"b"}]).tolist() == [0, 1]
    constant = ItemsetRegressor(alpha=0.1).fit([{"a"}] * 4, [1.0, 2.0, 3.0, 4.0])
    assert constant.patterns_ == []
    assert constant.predict([set(), {"a"}]).tolist() == [2.5, 2.5]
    with pytest.raises(ValueError, match="at least 2 records"):
        ItemsetRegressor(alpha=0.1).fit([{"a"}], [1.0])
    empty = ItemsetRegressor(alpha=0.1).fit([set(), []], [1.0, 2.0])
    assert empty.certificate_.n_candidates == 0


def test_libsvm_files(tmp_path):
    lines = ["+1 3:1 11:1 # first", "-1 1:0.5", "", "+1", "-1 2:0 3:1"]
    for name, opener in (("a.libsvm", open), ("a.libsvm.gz", gzip.open)):
        with opener(tmp_path / name, "wt") as file:
            file.write("\n".join(lines))
        X, y = load_itemsets(tmp_path / name)
        assert y.tolist() == [1.0, -1.0, 1.0, -1.0]
        assert X.shape == (4, 11)
        assert [list(X[[k]].nonzero()[1]) for k in range(4)] == [[2, 10], [0], [], [2]]
    assert load_itemsets(tmp_path / "a.libsvm", n_items=20)[0].shape == (4, 20)
    for bad in ("1 x:1", "a 1:1", "1 0:1", "1 2", "1 1:nan"):
        (tmp_path / "bad").write_text(bad)
        with pytest.raises(ValueError, match="line 1"):
            load_itemsets(tmp_path / "bad")


def test_plots(tmp_path):
    plt = pytest.importorskip("matplotlib.pyplot")
    model = ItemsetClassifier(n_alphas=20, cv=3).fit(ONES, KIND)
    display = model.plot_patterns(max_patterns=5)
    assert len(display.axes_) == 2
    display.figure_.savefig(tmp_path / "patterns.png")
    assert len(model.plot_path().axes_) == 2
    ItemsetRegressor(alpha=1e3).fit(ONES, SUM).plot_patterns()
    plt.close("all")


# ---------------------------------------------------------------- the papers' data


def splice():
    """One-hot of 60 positions x 4 levels."""
    table = np.loadtxt(DATA / "splice_scale_train1000.txt.gz")
    levels = np.rint((table[:, 1:61] + 1) * 1.5).astype(int)
    onehot = (levels[:, :, None] == np.arange(4)).reshape(1000, 240)
    return onehot, table[:, 0]


@pytest.mark.skipif(
    not (DATA / "splice_scale_train1000.txt.gz").exists(),
    reason="needs splice_scale_train1000.txt.gz, which is not part of the repository",
)
@pytest.mark.parametrize(
    ("most", "loss", "objective"),
    [
        (2, "squared", 73.672220410),
        (2, "squared_hinge", 58.953714986),
        pytest.param(3, "squared_hinge", 53.282046191, marks=pytest.mark.slow),
    ],
)
def test_objectives_of_the_authors_programs(most, loss, objective):
    X, y = splice()
    make = ItemsetRegressor if loss == "squared" else ItemsetClassifier
    model = make(loss=loss, max_items=most, tol=1e-7, n_jobs=1).fit_path(X, y)
    assert len(model.path_.alphas) == 100
    assert model.path_.alphas[-1] == pytest.approx(0.01 * model.path_.alphas[0])
    assert 1000 * model.path_.objective[-1] == pytest.approx(objective, rel=1e-6)
    assert model.path_.complete.all()


def test_texts_of_items_are_unmistakable():
    baskets = [{"x and y"}, {"x", "y"}, {1}, {"1"}, {"not x"}, {"a\nb"}] * 8
    y = np.arange(len(baskets)) % 6 * 1.0
    model = ItemsetRegressor(alpha=0.001, negations=True, max_items=2).fit(baskets, y)
    texts = [pattern.text for pattern in model.patterns_]
    assert len(set(texts)) == len(texts)
    assert all("\n" not in text for text in texts)
    for pattern in model.patterns_:
        assert model.price(pattern.text).in_model
        assert model.price(pattern.text).term.text == pattern.text
    assert model.price('"x and y"').term.size == 1
    assert model.price("x and y").term.size == 2
    assert model.price("1").term.text == "1"
    assert model.price('"1"').term.text == '"1"'
    alone = ItemsetRegressor(alpha=0.001).fit([{"salt and pepper"}, {"bread"}] * 9, [0.0, 1.0] * 9)
    assert alone.price("salt and pepper").term.size == 1


@pytest.mark.parametrize("negations", [False, True])
def test_a_frame_may_lack_items_that_no_pattern_uses(negations):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, size=(80, 6)), columns=list("abcdef"))
    y = 2.0 * (frame.b & frame.d) - frame.f * (1 - frame.b)
    model = ItemsetRegressor(alpha=0.05, max_items=2, negations=negations).fit(frame, y)
    used = [frame.columns[j] for j in sorted(model._used_columns())]
    assert 0 < len(used) < 6
    rest = frame[used]
    np.testing.assert_array_equal(model.predict(rest), model.predict(frame))
    np.testing.assert_array_equal(model.transform(rest).toarray(), model.transform(frame).toarray())
    assert list(map(str, model.explain(rest[:3]))) == list(map(str, model.explain(frame[:3])))
    with pytest.raises(ValueError, match=f"yet now missing:\n(- .\n)*- {used[0]}"):
        model.predict(frame.drop(columns=used[0]))
    with pytest.raises(ValueError, match="yet now missing"):
        model.verify(rest, y)


def test_more_candidates_than_python_reads_as_digits():
    X = [[k, k + 1, 20_000] for k in range(0, 16_000, 2)]
    y = np.arange(len(X)) % 2.0
    model = ItemsetRegressor(alpha=0.3, max_items=None, min_support=1).fit(X, y)
    assert model.certificate_.n_candidates >= 2**16_000
    assert "among" in str(model.certificate_)


def test_columns_of_the_same_name_are_refused():
    for frame in (
        pd.DataFrame(ONES[:, :4], columns=["milk", "bread", "milk", "bread"]),
        pd.DataFrame(ONES[:, :4], columns=[7, 8, 7, 8]),
    ):
        with pytest.raises(ValueError, match=r"more than one column named ('milk', 'bread'|7, 8); .*rename"):
            ItemsetRegressor(alpha=0.01).fit(frame, SUM)


def test_numbers_as_names_of_columns_are_shown():
    frame = pd.DataFrame(ONES, columns=range(101, 108))
    model = ItemsetRegressor(alpha=0.01).fit(frame, SUM)
    assert model.feature_names_in_.tolist() == [str(j) for j in range(101, 108)]
    assert {word for p in model.patterns_ for word in p.text.split(" and ")} <= set(model.feature_names_in_)
    again = type(model).from_json(model.to_json())
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[frame.columns[::-1]])
    numbered = ItemsetRegressor(alpha=0.01).fit(pd.DataFrame(ONES), SUM)
    assert not hasattr(numbered, "feature_names_in_")
    with pytest.raises(TypeError, match="text and others that are not"):
        model.fit(frame.rename(columns={101: "a"}), SUM)


def test_sparse_frames_of_pandas():
    names = [f"item {j}" for j in range(7)]
    dense = pd.DataFrame(ONES.astype(float), columns=names)
    wanted = ItemsetRegressor(alpha=0.01).fit(dense, SUM)
    stored = sparse.csc_matrix(dense.to_numpy())
    frames = {
        "matrix": pd.DataFrame.sparse.from_spmatrix(stored, columns=names),
        "booleans": pd.DataFrame(ONES, columns=names).astype(pd.SparseDtype(bool, False)),
        "fill of 1": dense.astype(pd.SparseDtype(float, 1.0)),
        "without fill": dense.astype(pd.SparseDtype(float)),
        "one column": dense.assign(**{names[0]: pd.arrays.SparseArray(dense[names[0]], fill_value=0.0)}),
    }
    for form, frame in frames.items():
        model = ItemsetRegressor(alpha=0.01).fit(frame, SUM)
        assert [p.text for p in model.patterns_] == [p.text for p in wanted.patterns_], form
        np.testing.assert_array_equal(model.predict(frame), wanted.predict(dense))
        np.testing.assert_array_equal(wanted.predict(frame), wanted.predict(dense))
    missing = dense.copy()
    missing.iloc[3, 2] = np.nan
    for fill in (0.0, np.nan):
        with pytest.raises(ValueError, match=r"contains NaN. \(column 'item 2'"):
            ItemsetRegressor(alpha=0.01).fit(missing.astype(pd.SparseDtype(float, fill)), SUM)


def test_dicts_are_records_of_the_items_they_count():
    sets = [dict.fromkeys(record, True) for record in BASKETS]
    counts = [Counter({**dict.fromkeys(record, 2), "soap": 0}) for record in BASKETS]
    wanted = ItemsetRegressor(alpha=0.01).fit(BASKETS, SPENT)
    for records in (sets, counts):
        model = ItemsetRegressor(alpha=0.01).fit(records, SPENT)
        assert [p.text for p in model.patterns_] == [p.text for p in wanted.patterns_]
        np.testing.assert_array_equal(model.predict(records), wanted.predict(BASKETS))
    for wrong in ("yes", None, float("nan")):
        with pytest.raises(TypeError, match=r"record 1 has 'milk': .*counts or booleans"):
            ItemsetRegressor().fit([{"milk": 1}, {"milk": wrong}], [0.0, 1.0])


def test_records_for_a_model_of_a_matrix():
    unnamed = ItemsetClassifier(alpha=0.01).fit(ONES.astype(float), KIND)
    for records in ([{0, 1}, {2}], [[0, 1, 0], [1]], [[0, 1, 0, 0, 1, 0, 1]] * 2, [{"x0"}]):
        with pytest.raises(
            TypeError, match="list of records, but ItemsetClassifier was fitted on a matrix of 7"
        ):
            unnamed.predict(records)
    frame = pd.DataFrame(ONES, columns=list("abcdefg"))
    named = ItemsetClassifier(alpha=0.01).fit(frame, KIND)
    sets = [{name for name, there in zip("abcdefg", row, strict=True) if there} for row in ONES]
    assert named.predict(sets).tolist() == named.predict(frame).tolist()
    with pytest.raises(TypeError, match="or sets of the columns' names"):
        named.predict([{0, 1}, {3}])
    assert len(named.predict([set(), set()])) == 2


@pytest.mark.parametrize("kind", [list, pd.Series, lambda y: pd.Series(y, dtype=object), np.asarray])
def test_dates_are_no_classes(kind):
    days = [dt.datetime(2026, 1, 1), dt.datetime(2026, 1, 2)] * 6
    for y in (kind(days), np.asarray(days, dtype="datetime64[us]")):
        with pytest.raises(ValueError, match=r"the label '2026-01-01.*, a date or duration; turn"):
            ItemsetClassifier(alpha=0.1).fit([["a"], ["b"]] * 6, y)


GENOTYPES = pd.DataFrame({"rs1": [0, 1, 2, 0] * 5, "rs2": [0, 1, 0, 1] * 5})
HAS_RS1 = [0, 1, 1, 0] * 5


@pytest.mark.parametrize(
    "form",
    [
        lambda frame: frame,
        lambda frame: frame.astype(float),
        lambda frame: frame.astype({"rs1": "Float64"}),
        lambda frame: frame.astype({"rs2": bool}).astype({"rs1": object}),
        lambda frame: frame.astype(pd.SparseDtype(float, 0.0)),
        lambda frame: pl.from_pandas(frame),
        lambda frame: frame.to_numpy(),
        lambda frame: frame.astype(float).to_numpy(),
        lambda frame: sparse.csr_array(frame.to_numpy().astype(float)),
    ],
    ids=[
        "frame",
        "floats",
        "nullable",
        "objects",
        "sparse frame",
        "polars",
        "array",
        "floats in an array",
        "sparse",
    ],
)
def test_every_matrix_reads_codes_alike(form):
    name = "rs1" if hasattr(form(GENOTYPES), "columns") else "x0"
    with pytest.warns(
        UserWarning, match=f"X holds 2 in column '{name}', row 2: every number other than 0"
    ) as caught:
        model = ItemsetClassifier(alpha=0.01).fit(form(GENOTYPES), HAS_RS1)
    assert len(caught) == 1
    assert [pattern.text for pattern in model.patterns_] == [name]
    assert model.predict(form(GENOTYPES)).tolist() == HAS_RS1  # no warning
    for code in (-9, -9999):
        marked = GENOTYPES.copy()
        marked.loc[6, "rs1"] = code
        message = rf"Negative values.* {code} \(column '{name}', row 6"
        with pytest.raises(ValueError, match=message):
            ItemsetClassifier().fit(form(marked), HAS_RS1)
        with pytest.raises(ValueError, match=message):
            model.predict(form(marked))


@pytest.mark.parametrize("as_frame", [True, False])
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_missing_cells_are_named_by_column_and_row(as_frame, value, word):
    marked = (GENOTYPES > 0).astype(float)
    marked.iloc[7, 1] = value
    name = "rs2" if as_frame else "x1"
    with pytest.raises(ValueError, match=rf"Input X contains {word}. \(column '{name}', row 7"):
        ItemsetClassifier().fit(marked if as_frame else marked.to_numpy(), HAS_RS1)
    with pytest.raises(ValueError, match=rf"contains {word}. \(column 'x1', row 7"):
        ItemsetClassifier().fit(sparse.csr_array(marked.to_numpy()), HAS_RS1)


def test_negative_counts_of_dicts_are_an_error():
    with pytest.raises(ValueError, match=r"record 1 has 'rs1': -9"):
        ItemsetClassifier().fit([{"rs1": 1}, {"rs1": -9}], [0, 1])


def test_full_lists_of_equal_patterns_say_so():
    module = np.random.default_rng(0).random(200) < 0.4
    model = ItemsetClassifier(alpha=0.02, max_items=2).fit(np.tile(module[:, None], 30), module)
    [pattern] = model.patterns_
    assert len(pattern.equivalents) == 20  # of 29 items and 435 pairs
    assert "20 or more others have the same records" in pattern.describe()
    assert "`equivalents` lists 20 others" in str(model.summary())
    short = ItemsetClassifier(alpha=0.02, max_items=2).fit(np.tile(module[:, None], 3), module)
    assert "or more others" not in short.patterns_[0].describe()
    assert "equivalents" not in str(short.summary())


def test_a_table_of_the_records_of_training_says_so():
    rng = np.random.default_rng(1)
    X = rng.random((400, 6)) < 0.4
    y = np.where((X[:, 0] & X[:, 1]) ^ (rng.random(400) < 0.2), "yes", "no")
    model = ItemsetClassifier(alpha=0.02).fit(X[:200], y[:200])
    own = "intervals and p-values are far too good"
    loaded = ItemsetClassifier.from_json(model.to_json())
    for fitted in (model, loaded):
        table = fitted.pattern_table(X[:200], y[:200])
        assert own in str(table).splitlines()[-1]
        assert own in table.to_html()
        assert own not in str(fitted.pattern_table(X[200:], y[200:]))
        assert own not in str(fitted.pattern_table(X, y))


def test_items_of_single_records_take_no_time_each():
    records = [[f"i{row * 8 + k}" for k in range(8)] for row in range(5000)]
    y = np.arange(5000) % 2
    began = time.process_time()
    ItemsetClassifier(alpha=0.05, min_support=2500, n_jobs=1).fit(records, y)
    assert time.process_time() - began < 2.5
