"""The pages of the benchmarks, from records as they are written."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "_extensions"))
pytest.importorskip("sphinx")
benchmarks = pytest.importorskip("benchmarks")

RECORD = """# Speed of things

- date: 2026-01-02
- command: `python benches/compare/things.py
  --all`

## Speed

| data | at most | ours 1e-6 | peer | times ours 1e-6 |
|---|---|---|---|---|
| big | 3 | 1.0 | 20.0 | 20.0x |
| huge | 4 | 2.0 | > 60 | > 30x |
"""


@pytest.fixture
def folder(tmp_path):
    for day in (1, 2):
        path = tmp_path / f"2026-01-0{day}-things.md"
        path.write_text(RECORD.replace("2026-01-02", f"2026-01-0{day}"), encoding="utf-8")
    (tmp_path / "peers.jsonl").write_text("{}", encoding="utf-8")
    return tmp_path


def test_the_newest_of_each_kind(folder):
    assert [path.name for path in benchmarks.newest(folder)] == ["2026-01-02-things.md"]


def test_facts_ratios_and_page(folder):
    record = benchmarks.read(benchmarks.newest(folder)[0])
    assert record.facts == {"date": "2026-01-02", "command": "`python benches/compare/things.py --all`"}
    assert record.group == "Beside other programs"
    assert benchmarks.ratios(record) == {"times ours": [("big, 3, peer", 20.0)]}
    page = benchmarks.page(record, {"times ours": "things-0.png"})
    assert page.startswith("# Speed of things\n")
    assert "| command | `python benches/compare/things.py --all` |" in page
    assert "```{figure} things-0.png" in page
    assert page.index("## Speed") < page.index("## How it was measured")
    assert "| others take 20 times the time | " in benchmarks.index([record])
    benchmarks.draw("times ours", [("big, 3, peer", 20.0)], folder / "things-0.png")
    assert (folder / "things-0.png").stat().st_size > 1000


def test_ratios_of_several_models():
    text = (
        RECORD.partition("## Speed")[0]
        + """## Error over that of trees

| data | rules | card |
|---|---|---|
| big | 0.5 | 2.0 |
| geometric mean | 0.7 | 1.5 |
"""
    )
    lines = text.splitlines()
    found = benchmarks.ratios(benchmarks.Record("things", "2026-01-02", "Things", body=lines))
    bars = [
        ("big, rules", 0.5),
        ("geometric mean, rules", 0.7),
        ("big, card", 2.0),
        ("geometric mean, card", 1.5),
    ]
    assert found == {"Error over that of trees": bars}
    assert (
        benchmarks.result("Error over that of trees", bars, ())
        == "Error over that of trees: rules 0.7, card 1.5"
    )


def test_models_of_ours_are_told_from_peers():
    record = benchmarks.Record("t", "2026-01-02", "T", {"command": "`run --ours l0:{'a': 1} l1:{} --x`"})
    assert benchmarks.our_models(record) == {"l0": "a=1", "l1": ""}
    bars = [("l0", 0.8), ("l1", 1.2), ("cart", 1.5)]
    shown = benchmarks.result("Error over that of the best peer", bars, benchmarks.our_models(record))
    assert shown == "Error over that of the best peer: 0.8 to 1.2, by the model"


def test_every_record_can_be_read():
    records = [benchmarks.read(path) for path in benchmarks.newest(benchmarks.RECORDS)]
    assert len(records) >= 30
    assert all(record.title and record.body for record in records)
    index = benchmarks.index(records)
    assert all(f"({record.kind}.md)" in index for record in records)


def test_the_readme_states_the_recorded_price():
    root = benchmarks.RECORDS.parents[1]
    readme = (root / "README.md").read_text(encoding="utf-8")
    path = next(p for p in benchmarks.newest(benchmarks.RECORDS) if p.stem.endswith("compare-readability"))
    assert f"](benches/record/{path.name})" in readme
    error, seconds = benchmarks.tables(benchmarks.read(path).body)[:2]
    for (_, (header, *rows)), column in ((error, 2), (seconds, 4)):
        for k, model in enumerate(header[1:], start=1):
            stated = next(line for line in readme.splitlines() if line.startswith(f"| {model} |"))
            cell = stated.split("|")[column]
            assert float(cell.split()[0]) == pytest.approx(float(rows[-1][k]), rel=0.02)  # as rounded
