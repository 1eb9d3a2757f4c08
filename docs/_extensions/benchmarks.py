"""Pages of the benchmarks: the newest record of each kind, with a picture where there are ratios.

Numbers come from `benches/record` alone. A record begins with a title and a list of facts
(``- date: ...``); what follows is shown as it stands.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from sphinx.application import Sphinx

RECORDS = Path(__file__).parents[2] / "benches" / "record"
PAGES = Path(__file__).parents[1] / "benchmarks"
_NAME = re.compile(r"(\d{4}-\d\d-\d\d)-(.+)\.md")
_FACT = re.compile(r"- ([a-z]+): (.*)")
_RATIO = re.compile(r"/ ours$|^ours/|^times ours")
_MEASURE = re.compile(r"ours|seconds|CPU|F1|mse|logloss|build|k = ")  # columns after those that name a row
_MOST_BARS = 30  # bars that fit a picture of the height of a screen

_GROUPS = {
    "Beside other programs": "benches/compare/",
    "The experiments of the papers": "benches/paper/",
    "Cases drawn at random": "benches/breadth/",
    "What the parts are worth": "",
}


@dataclass
class Record:
    """A file of benches/record: its facts, and the text after them."""

    kind: str
    date: str
    title: str
    facts: dict[str, str] = field(default_factory=dict)
    body: list[str] = field(default_factory=list)

    @property
    def group(self) -> str:
        """The first group whose folder the command names."""
        command = self.facts.get("command", "")
        return next(group for group, folder in _GROUPS.items() if folder in command)


def newest(folder: Path) -> list[Path]:
    """Return the newest record of each kind, in the order of the kinds."""
    found = {}
    for path in sorted(folder.glob("*.md")):
        if match := _NAME.fullmatch(path.name):
            found[match[2]] = path
    return [found[kind] for kind in sorted(found)]


def read(path: Path) -> Record:
    """Take a record apart."""
    date, kind = _NAME.fullmatch(path.name).groups()
    lines = path.read_text(encoding="utf-8").splitlines()
    record = Record(kind, date, lines[0].removeprefix("# "))
    last = None
    for number, line in enumerate(lines[1:], start=1):
        if match := _FACT.fullmatch(line):
            last = match[1]
            record.facts[last] = match[2]
        elif last and line.startswith("  "):
            record.facts[last] += " " + line.strip()
        elif line.strip():
            record.body = lines[number:]
            break
    return record


def tables(body: list[str]) -> list[tuple[str, list[list[str]]]]:
    """Return the tables of a text, each with the heading above it."""
    found, heading, rows = [], "", []
    for line in [*body, ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        else:
            if len(rows) > 2:
                found.append((heading, [rows[0], *rows[2:]]))
            rows = []
            if line.startswith("#"):
                heading = line.lstrip("# ")
    return found


def _number(text: str) -> float | None:
    """Read a cell such as '31.5x' or '0.881 (27)'; None for '> 35x', '-' and words."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)x?(?: \(\d+\))?", text)
    return float(match[1]) if match else None


def ratios(record: Record) -> dict[str, list[tuple[str, float]]]:
    """Return the ratios to other programs: for each name of a column, labels and values."""
    found: dict[str, list[tuple[str, float]]] = {}
    summarised = set()  # ratios of a table of data sets, which tables of single sets only repeat
    for heading, (header, *rows) in tables(record.body):
        columns = [k for k, name in enumerate(header) if _RATIO.search(name)]
        if "over that of" in heading:
            columns = [len(header) - 1]
        n_keys = next((k for k, name in enumerate(header) if _MEASURE.search(name)), 1)
        for k in columns:
            name = heading if "over that of" in heading else header[k]
            if header[0] in ("model", "solver") and name in summarised:
                continue
            if header[0] == "data":
                summarised.add(name)
            for row in rows:
                value = _number(row[k]) if k < len(row) else None
                if value is not None and value != 1:
                    sub = heading if header[0] in ("model", "solver") and name != heading else ""
                    peer = header[k - 1] if name.startswith("times ours") else ""
                    label = ", ".join(part for part in [sub, *row[:n_keys], peer] if part)
                    found.setdefault(re.sub(r"^(times ours).*", r"\1", name), []).append((label, value))
    return found


def draw(name: str, bars: list[tuple[str, float]], path: Path) -> None:
    """Draw ratios as bars from 1, on a logarithmic axis."""
    is_error = name.startswith("ours/") or "over that of" in name
    bars = bars[:_MOST_BARS]
    with mpl.rc_context({"axes.spines.right": False, "axes.spines.top": False, "font.size": 10}):
        figure = Figure(figsize=(7.5, 1.1 + 0.24 * len(bars)), layout="constrained")
        ax = figure.add_subplot()
        values = [value for _, value in bars]
        good = [(value < 1) == is_error for value in values]
        colours = ["#2b7bba" if is_good else "#c8553d" for is_good in good]
        ax.barh(range(len(bars)), [value - 1 for value in values], left=1, color=colours, height=0.7)
        ax.set_yticks(range(len(bars)), [label.replace("$", r"\$") for label, _ in bars])
        ax.invert_yaxis()
        ax.axvline(1, color="0.3", lw=1)
        ax.set_xscale("log")
        ax.set_xlim(min([*values, 0.9]) / 1.3, max([*values, 1.1]) * 1.6)
        for k, value in enumerate(values):
            place, align = (1.04, "left") if value > 1 else (1 / 1.04, "right")
            ax.text(value * place, k, f"{value:.3g}", va="center", ha=align, fontsize=8)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(mpl.ticker.NullFormatter())
        figure.savefig(path, dpi=180)


def _caption(name: str) -> str:
    if name.startswith("ours/") or "over that of" in name:
        return f"{name}. Below 1, blue: a smaller error than the other's."
    return f"{name}: the time of the other program over that of Thresher. Above 1, blue: Thresher takes less."


def page(record: Record, pictures: dict[str, str]) -> str:
    """Return the text of a page in MyST."""
    facts = {"date": record.date, **{name: text for name, text in record.facts.items() if name != "date"}}
    lines = [f"# {record.title}", "", "| | |", "|---|---|"]
    lines += [f"| {name} | {text.replace('|', chr(92) + '|')} |" for name, text in facts.items()]
    for name, picture in pictures.items():
        lines += ["", f"```{{figure}} {picture}", f":alt: {name}, as bars", "", _caption(name), "```"]
    levels = sorted({len(line) - len(line.lstrip("#")) for line in record.body if line.startswith("#")})
    lines.append("")
    for line in record.body:
        if line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            lines.append("#" * (2 + levels.index(level)) + line[level:])
        else:
            lines.append(line.replace("$", r"\$"))
    return "\n".join(lines) + "\n"


def index(records: list[Record]) -> str:
    """Return the text of the page that lists the others."""
    lines = [
        "# Benchmarks",
        "",
        "The newest measurement of each kind, with date, machine and command. Other programs run at their",
        "defaults unless the page says otherwise. `make bench-peers bench` measures the comparisons again.",
    ]
    for group in _GROUPS:
        members = [record for record in records if record.group == group]
        lines += ["", f"## {group}", "", "| measured | date |", "|---|---|"]
        lines += [f"| [{record.title}]({record.kind}.md) | {record.date} |" for record in members]
    names = [record.kind for group in _GROUPS for record in records if record.group == group]
    lines += ["", "```{toctree}", ":hidden:", "", *names, "```", ""]
    return "\n".join(lines)


def write_pages(app: Sphinx) -> None:
    """Write the pages before the sources are read."""
    PAGES.mkdir(exist_ok=True)
    records = [read(path) for path in newest(RECORDS)]
    for record in records:
        pictures = {}
        for k, (name, bars) in enumerate(ratios(record).items()):
            pictures[name] = f"{record.kind}-{k}.png"
            draw(name, bars, PAGES / pictures[name])
        (PAGES / f"{record.kind}.md").write_text(page(record, pictures), encoding="utf-8")
    (PAGES / "index.md").write_text(index(records), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
