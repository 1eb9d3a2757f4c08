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
    benchmarks.draw("times ours", [("big, 3, peer", 20.0)], folder / "things-0.png")
    assert (folder / "things-0.png").stat().st_size > 1000


def test_every_record_can_be_read():
    records = [benchmarks.read(path) for path in benchmarks.newest(benchmarks.RECORDS)]
    assert len(records) >= 30
    assert all(record.title and record.body for record in records)
    index = benchmarks.index(records)
    assert all(f"({record.kind}.md)" in index for record in records)
