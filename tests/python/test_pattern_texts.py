"""Texts of patterns: no two have the same, and each is read as its pattern, whatever the items are."""

from random import Random

from thresher import ItemsetRegressor, SequenceRegressor
from thresher.data.events import parse_sequence
from thresher.data.items import parse_items
from thresher.data.vocabulary import Vocabulary

ODD = (
    "a", "b", "aa", "ab", "->", "a -> b", "a ->", "-> b", "and", "a and", "and b", "a and b", "not",
    "not a", "{", "}", "{x}", "{a, b}", "{a", "b}", "x", "y", "x,y", "x, y", ",", '"', '"a"', 'q"r',
    'a "b" c', 'a {"b', '5" tv', "\\", "a\\", " ", " a", "", "\n", "\u2028", "2", 2, "1.5", 1.5, "True",
    True, (1, 2), "(1, 2)",
)  # fmt: skip
RANDOM = Random(0)


def _vocabulary() -> Vocabulary:
    return Vocabulary.of(RANDOM.sample(ODD, RANDOM.randint(2, 8)))


def test_sequences_are_read_as_they_are_printed():
    for _ in range(3000):
        words = _vocabulary()
        sizes = [RANDOM.choice((1, 1, 1, 2)) for _ in range(RANDOM.randint(1, 3))]
        events = [sorted(RANDOM.sample(range(len(words)), size)) for size in sizes]
        for gap in (0, None):
            text = SequenceRegressor._family.pattern(events, words, {"max_gap": gap}).text
            assert parse_sequence(text, words) == events, (text, words.labels)


def test_itemsets_are_read_as_they_are_printed():
    for _ in range(3000):
        words = _vocabulary()
        items, cut = RANDOM.sample(range(len(words)), 2), RANDOM.randint(0, 2)
        payload = {"present": sorted(items[:cut]), "absent": sorted(items[cut:])}
        text = ItemsetRegressor._family.pattern(payload, words, {}).text
        assert parse_items(text, words) == payload, (text, words.labels)


def test_an_event_of_two_letters_is_not_two_events():
    records = [["aa", "b"], ["a", "a", "b"], ["b"], ["aa", "a"]] * 10
    model = SequenceRegressor(alpha=0.001, max_length=3, contiguous=True)
    model.fit(records, [1.0, 5.0, 0.0, 2.0] * 10)
    texts = [pattern.text for pattern in model.patterns_]
    assert len(set(texts)) == len(texts)
    assert model.price("aa").term.text == model.price(["aa"]).term.text == "aa"
    assert model.price(["a", "a"]).term.text == "a -> a"
    assert model.price(["a", "b"]).term.text == "ab"
