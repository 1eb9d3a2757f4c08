"""Texts that users hand over, damaged at random: read, or refused by a documented error.

``FUZZ_DRAWS`` sets how many texts each reader gets, ``FUZZ_SEED`` draws others.
"""

from __future__ import annotations

import math
import os
from random import Random

import numpy as np

from thresher import GraphRegressor, ItemsetRegressor, RuleRegressor, SequenceRegressor
from thresher.data.graph_records import read_gspan
from thresher.data.table_files import read_table

from .data import EDGE_SUM, FRAME, GRAPHS, Y

DRAWS = int(os.environ.get("FUZZ_DRAWS", "300"))
SEED = int(os.environ.get("FUZZ_SEED", "0"))

PARTS = (
    "", " ", "\n", "\r\n", "\r", "\t", "\0", ",", ";", "|", '"', '""', "'", "\\", "\\u0000", "\ufeff",
    "\u202e", "é", "=", "<", "<=", ">", ">=", "!=", " and ", " is ", "missing", "not missing", "->",
    "{", "}", "(", ")", "-", "~", "*", "&1", "[", "]", "#", "%", "t # 0\n", "v 0 a\n", "e 0 1 b\n",
    "t # -1\n", "v", "e", "0", "1", "-1", "1e999", "nan", "inf", "NA", "1_0", "9" * 400, "\x1b[2J",
    "\ud800", "x" * 3000, "((((" * 200, "a-" * 200, "True", "null",
)  # fmt: skip


def damaged(random: Random, text: str) -> str:
    """Return a text with some parts added, left out, doubled or exchanged."""
    for _ in range(random.randrange(5)):
        a, b = sorted(random.randrange(len(text) + 1) for _ in range(2))
        middle = random.choice(
            ("", text[a:b] * 2, random.choice(PARTS), text[a:b][::-1], chr(random.randrange(256)))
        )
        text = text[:a] + middle + text[random.choice((a, b)) :]
    return text


def texts(name: str, seeds: tuple[str, ...]) -> list[str]:
    """Return damaged copies of some texts, the same for each run."""
    random = Random(f"{name} {SEED}")
    return [damaged(random, random.choice(seeds)) for _ in range(DRAWS)]


def test_tables(tmp_path):
    seeds = (
        "a,b\n1,x\n2,y\n",
        "name;size\nanna;1,5\nbob;?\n",
        'a\tb\n"1\n2"\tNA\n2\t3e2\n',
        "a|b|c\ntrue|1|\nfalse||x\n",
    )
    path = tmp_path / "t.csv"
    n_read, messages = 0, []
    for text in texts("tables", seeds):
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            table = read_table(path)
        except ValueError as error:
            messages.append(str(error).strip())
            continue
        n_read += 1
        lengths = {len(table[name]) for name in dict.fromkeys(table.names)}
        assert lengths == {table.n_rows}
        assert table.n_rows > 0
    assert n_read > DRAWS / 10
    assert all(messages)


def test_gspan():
    seeds = ("t # 0 1.5\nv 0 C\nv 1 O\ne 0 1 2\n", "t # 1\nv a N H\nv b\n\n% note\ne a b\nt # -1\n")
    n_read, messages = 0, []
    for text in texts("gspan", seeds):
        try:
            graphs, values = read_gspan("t # first\n" + text)
        except ValueError as error:
            messages.append(str(error).strip())
            continue
        n_read += 1
        assert len(graphs) == len(values) >= 1
        for graph in graphs:
            assert len(graph.edges) == len(graph.labels)
            assert all(0 <= end < len(graph.nodes) for edge in graph.edges for end in edge)
    assert n_read > DRAWS / 10
    assert all(messages)


def prices(model, name: str, seeds: tuple[str, ...]) -> None:
    """Ask for the price of damaged patterns: a price, whose text is read again the same, or an error."""
    n_read, messages = 0, []
    for text in texts(name, seeds):
        try:
            price = model.price(text)
        except ValueError as error:
            messages.append(str(error).strip())
            continue
        n_read += 1
        assert not math.isnan(price.ratio)
        again = model.price(price.term.text)
        assert (again.term.text, again.ratio) == (price.term.text, price.ratio)
    assert n_read > 0
    assert all(messages)


def test_rules():
    model = RuleRegressor(alpha=0.05).fit(FRAME, Y)
    seeds = (
        *(rule.text for rule in model.rules_),
        "age in years > 30 and color = red",
        "20 < bmi <= 25.5",
        "bmi is missing and smoker = True",
        "color != green and bmi is not missing",
    )
    prices(model, "rules", seeds)


def test_itemsets():
    random = np.random.default_rng(0)
    names = ["a", "b and c", "1", "not d"]
    records = [[name for name in names if random.random() < 0.5] for _ in range(60)]
    y = [float("a" in record) + float("b and c" in record and "1" in record) for record in records]
    model = ItemsetRegressor(alpha=0.01, negations=True).fit(records, y)
    prices(
        model, "itemsets", ("a", '"b and c" and 1', 'not a and "not d"', *(p.text for p in model.patterns_))
    )


def test_sequences():
    random = np.random.default_rng(0)
    records = [
        ["".join(random.choice(list("abc"), 1 + random.integers(2))) for _ in range(4)] for _ in range(60)
    ]
    y = [float(record.index("ab") if "ab" in record else -1) for record in records]
    model = SequenceRegressor(alpha=0.01).fit(records, y)
    prices(model, "sequences", ("ab -> c", "a -> bc -> a", "abc", *(p.text for p in model.patterns_)))


def test_graphs():
    model = GraphRegressor(alpha=0.05, max_edges=3).fit(GRAPHS, EDGE_SUM)
    prices(model, "graphs", ("a-x-b", "a(-x-b)-y-c", "a&1-x-b-y-c-x-&1", *(p.text for p in model.patterns_)))
