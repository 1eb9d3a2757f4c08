"""Sequences: the exhaustive oracle, every form of input, gaps, files."""

import itertools
import re
import time

import numpy as np
import pytest
from scipy import sparse

from oracle import compare, patterns
from thresher import SequenceClassifier, SequenceRegressor

RNG = np.random.default_rng(3)
READS = ["".join(RNG.choice(list("ACGT"), size=RNG.integers(0, 15))) for _ in range(120)]
HAS = np.array(["GA" in read for read in READS])
LEVEL = 2.0 * HAS + 0.1 * RNG.normal(size=120)


@compare.seeds(size=50)
def test_optimal_over_all_sequences(seeds):
    problems = (patterns.sequence_problem(seed) for seed in seeds)
    wrong = [m for p in problems for m in patterns.check(p, patterns.shown_sequence)]
    assert not wrong, "\n".join(wrong)


def test_every_form_of_input_is_the_same_model():
    forms = {
        "text": READS,
        "lists": [list(read) for read in READS],
        "tuples": [tuple(read) for read in READS],
        "arrays": [np.array(list(read), dtype=object) for read in READS],
        "sets": [[{letter} for letter in read] for read in READS],
    }
    fitted = {form: SequenceRegressor(alpha=0.02).fit(X, LEVEL) for form, X in forms.items()}
    wanted = fitted["text"]
    assert wanted.patterns_
    for form, model in fitted.items():
        assert [(p.text, p.coef) for p in model.patterns_] == [(p.text, p.coef) for p in wanted.patterns_]
        np.testing.assert_array_equal(model.predict(forms[form]), wanted.predict(READS))


@pytest.mark.parametrize("gap", [None, 0, 1, 4])
@pytest.mark.parametrize("wide", [False, True])
def test_many_items_and_few_give_the_same_optimum(gap, wide):
    """More items than subtrees begin with in pairs: another way through the same tree."""
    letters = list("ACGT") + ([f"z{k}" for k in range(20)] if wide else [])
    rng = np.random.default_rng(0)
    reads = [[*read, *rng.choice(letters, size=2)] for read in READS]
    model = SequenceRegressor(alpha=0.03, max_gap=gap, tol=1e-9).fit(reads, LEVEL)
    assert model.verify(reads, LEVEL).complete
    again = SequenceRegressor(alpha=0.03, max_gap=gap, strategy="screening").fit(reads, LEVEL)
    assert again.certificate_.primal == pytest.approx(model.certificate_.primal, rel=1e-6)


def test_contiguous_is_a_gap_of_none():
    one = SequenceClassifier(alpha=0.01, contiguous=True).fit(READS, HAS)
    two = SequenceClassifier(alpha=0.01, max_gap=0).fit(READS, HAS)
    assert [(p.text, p.coef) for p in one.patterns_] == [(p.text, p.coef) for p in two.patterns_]
    assert max(one.patterns_, key=lambda p: p.importance).text == "GA"
    with pytest.raises(ValueError, match="max_gap: got 2 with contiguous=True"):
        SequenceClassifier(contiguous=True, max_gap=2).fit(READS, HAS)


def test_gaps_say_where_a_pattern_occurs():
    X = ["ab", "axb", "axxb", "ba"] * 5
    occurs_in = {None: ["ab", "axb", "axxb"], 0: ["ab"], 1: ["ab", "axb"], 2: ["ab", "axb", "axxb"]}
    for gap, wanted in occurs_in.items():
        y = np.array([read in wanted for read in X], dtype=float)
        model = SequenceRegressor(alpha=1e-3, max_gap=gap, max_length=2).fit(X, y)
        price = model.price(["a", "b"])
        assert price.n_rows == 5 * len(wanted)
        assert [read for read in X[:4] if model.predict([read])[0] > 0.5] == wanted


def test_events_may_be_sets():
    visits = [
        [{"fever", "cough"}, {"test"}],
        [{"fever"}, {"cough"}, {"test"}],
        [{"test"}, {"fever", "cough"}],
        [],
    ] * 10
    ill = [1.0, 0.0, 0.0, 0.0] * 10
    model = SequenceRegressor(alpha=0.01).fit(visits, ill)
    assert "{cough, fever} -> test" in [p.text for p in model.patterns_]
    assert model.price("{cough, fever} -> test").in_model
    assert model.price([{"fever", "cough"}, "test"]).in_model
    with pytest.raises(ValueError, match=re.escape("""saw no event "'cough'"; it saw "cough", """)):
        model.price("'cough' -> test")
    # 3 items; sequences of sets of total size 1, 2, 3: f(L) = 3 f(L-1) + 3 f(L-2) + f(L-3)
    assert model.certificate_.n_candidates == 3 + 12 + 46


def test_unknown_events_take_their_place():
    model = SequenceRegressor(alpha=0.01, contiguous=True).fit(READS, LEVEL)
    known = model.predict(["GA", "GNA", "NGAN"])
    assert known[0] > 1.5
    assert known[1] < 0.5
    assert known[2] == pytest.approx(known[0], abs=0.3)


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        ("abc", TypeError, "give a list of sequences"),
        ([], ValueError, "0 sample"),
        ([["a"], {"b"}], TypeError, "record 1 is"),
        ([["a"], 3], TypeError, "record 1 is 3"),
        ([["a"], [None]], ValueError, "record 1 holds None"),
        ([["a"], [{"b": 1}]], TypeError, "not hashable"),
    ],
    ids=[
        "text",
        "no records",
        "set as a record",
        "number as a record",
        "None as an event",
        "event that is a dict",
    ],
)
def test_input_that_is_refused(X, error, words):
    model = SequenceRegressor(alpha=0.1)
    with pytest.raises(error, match=words):
        model.fit(X, [1.0, 2.0])
    assert not hasattr(model, "patterns_")


@pytest.mark.parametrize(
    "parameters", [{"max_length": 0}, {"max_gap": -1}, {"min_support": 0}, {"contiguous": 1}]
)
def test_parameters_that_are_refused(parameters):
    [name] = parameters
    with pytest.raises((TypeError, ValueError), match=name):
        SequenceRegressor(**parameters).fit(READS, LEVEL)


def test_equal_occurrences_are_listed():
    X = ["abc", "abc", "ab", "ba", "c", ""] * 3
    model = SequenceRegressor(alpha=1e-3, max_length=3).fit(X, [2.0, 2.0, 0.0, 0.0, 0.0, 0.0] * 3)
    [best] = [p for p in model.patterns_ if p.n_rows == 6]
    texts = {best.text, *(other.text for other in best.equivalents)}
    assert texts == {"a -> c", "b -> c", "a -> b -> c"}
    assert best.size == 2


def test_length_is_free():
    model = SequenceRegressor(alpha=0.05, max_length=None, min_support=3).fit(READS, LEVEL)
    longest = max(map(len, READS))
    assert model.certificate_.n_candidates == sum(4**k for k in range(1, longest + 1))
    assert model.verify(READS, LEVEL).complete


def test_prices():
    model = SequenceRegressor(alpha=0.05).fit(READS, LEVEL)
    for asked in ("G -> A", "GA", ["G", "A"], [{"G"}, {"A"}]):
        assert model.price(asked).term.text == "G -> A"
    for asked, error in [(["N"], ValueError), (7, TypeError), ({"G"}, TypeError), ([], ValueError)]:
        with pytest.raises(error, match="pattern"):
            model.price(asked)
    assert all(a.ratio >= b.ratio for a, b in itertools.pairwise(model.near_ties(0.5)))


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array])
def test_a_sparse_matrix_is_refused(kind):
    with pytest.raises(TypeError, match="X is a sparse matrix; give a list of sequences"):
        SequenceRegressor().fit(kind(np.eye(4)), np.arange(4.0))


@pytest.mark.parametrize("max_gap", [None, 0, 1, 2])
def test_occurrences_are_those_of_all_choices_of_positions(max_gap):
    rng = np.random.default_rng(4)
    records = [
        [set(rng.choice(list("abcd"), size=rng.integers(1, 4))) for _ in range(rng.integers(0, 7))]
        for _ in range(60)
    ]
    model = SequenceRegressor(alpha=0.001, max_length=3, max_gap=max_gap).fit(records, rng.normal(size=60))
    occurs = model.transform(records).toarray() > 0
    assert model.patterns_
    for k, pattern in enumerate(model.patterns_):
        found = model.matches(records, pattern)
        assert [bool(places) for places in found] == occurs[:, k].tolist()
        labels = model._fitted.view.vocabulary.labels
        wanted = [{labels[item] for item in event} for event in pattern.payload]
        for record, places in zip(records, found, strict=True):
            assert places == [
                chosen
                for chosen in itertools.combinations(range(len(record)), len(wanted))
                if all(event <= record[place] for event, place in zip(wanted, chosen, strict=True))
                and (max_gap is None or all(b - a - 1 <= max_gap for a, b in itertools.pairwise(chosen)))
            ]


def test_occurrences_in_new_records():
    model = SequenceClassifier(alpha=0.01, max_length=2).fit([["a", "b"], ["b", "a"]] * 5, [1, 0] * 5)
    new = [["a", "odd", "b", "b"], [], ["odd"], "ab"]
    assert model.matches(new, "a -> b") == [[(0, 2), (0, 3)], [], [], [(0, 1)]]
    assert model.matches([["a"] * 50 + ["b"] * 50], ["a", "b"], limit=3) == [[(0, 50), (0, 51), (0, 52)]]
    again = type(model).from_json(model.to_json())
    assert again.matches(new, "a -> b") == model.matches(new, "a -> b")
    with pytest.raises(ValueError, match='no event "z"'):
        model.matches(new, ["z"])
    with pytest.raises(ValueError, match="limit"):
        model.matches(new, "a", limit=0)


def test_items_of_single_records_take_no_time_each():
    records = [[f"i{row * 8 + k}" for k in range(8)] for row in range(5000)]
    y = np.arange(5000) % 2
    began = time.process_time()
    SequenceClassifier(alpha=0.05, min_support=2500, n_jobs=1).fit(records, y)
    assert time.process_time() - began < 2.5
