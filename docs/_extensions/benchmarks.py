"""Pages of the benchmarks: the newest record of each kind, with a picture where there are ratios.

Numbers come from `benches/record` alone. A record begins with a title and a list of facts
(``- date: ...``); what follows is shown as it stands.
"""

import math
import re
from collections.abc import Collection
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
_OVER = re.compile(r"over th(at|ose) of")  # of a heading: ours over another's
_OURS = re.compile(r"(\S+?):(\{[^}]*\})")  # of a command: models of ours by names of their own
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
        is_over = _OVER.search(heading) is not None
        if is_over:
            columns = [len(header) - 1] if header[-1].startswith("all") else list(range(1, len(header)))
        n_keys = next((k for k, name in enumerate(header) if _MEASURE.search(name)), 1)
        for k in columns:
            name = heading if is_over else header[k]
            if header[0] in ("model", "solver") and name in summarised:
                continue
            if header[0] == "data":
                summarised.add(name)
            for row in rows:
                value = _number(row[k]) if k < len(row) else None
                if value is not None and value != 1:
                    sub = heading if header[0] in ("model", "solver") and name != heading else ""
                    peer = header[k - 1] if name.startswith("times ours") else ""
                    model = header[k] if is_over and len(columns) > 1 else ""
                    label = ", ".join(part for part in [sub, *row[:n_keys], peer, model] if part)
                    found.setdefault(re.sub(r"^(times ours).*", r"\1", name), []).append((label, value))
    return found


def our_models(record: Record) -> dict[str, str]:
    """Return the models of Thresher that a record compares, with their parameters."""
    found = _OURS.findall(record.facts.get("command", ""))
    return {name: re.sub(r"'(\w+)': ", r"\1=", parameters.strip("{}")) for name, parameters in found}


def is_better_below_one(name: str) -> bool:
    """Whether a ratio is ours over another's, rather than another's over ours."""
    return name.startswith("ours/") or _OVER.search(name) is not None


def _colour(name: str, label: str, value: float, ours: Collection[str]) -> str:
    if ours and label not in ours:
        return "0.7"
    return "#2b7bba" if (value < 1) == is_better_below_one(name) else "#c8553d"


def draw(name: str, bars: list[tuple[str, float]], path: Path, ours: Collection[str] = ()) -> None:
    """Draw ratios as bars from 1, on a logarithmic axis; bars of models that are not of `ours` are grey."""
    bars = bars[:_MOST_BARS]
    with mpl.rc_context({"axes.spines.right": False, "axes.spines.top": False, "font.size": 10}):
        figure = Figure(figsize=(7.5, 1.4 + 0.24 * len(bars)), layout="constrained")
        ax = figure.add_subplot()
        values = [value for _, value in bars]
        colours = [_colour(name, label, value, ours) for label, value in bars]
        ax.barh(range(len(bars)), [value - 1 for value in values], left=1, color=colours, height=0.7)
        ax.set_yticks(range(len(bars)), [label.replace("$", r"\$") for label, _ in bars])
        ax.invert_yaxis()
        ax.axvline(1, color="0.3", lw=1)
        ax.set_xscale("log")
        ax.set_xlim(min([*values, 0.9]) / 1.3, max([*values, 1.1]) * 1.6)
        for k, value in enumerate(values):
            place, align = (1.04, "left") if value > 1 else (1 / 1.04, "right")
            ax.text(value * place, k, f"{value:.3g}", va="center", ha=align, fontsize=8)
        if ax.get_xlim()[1] / ax.get_xlim()[0] < 20:
            ax.xaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(mpl.ticker.NullFormatter())
        better = "\u2190 better for Thresher" if is_better_below_one(name) else "better for Thresher \u2192"
        ax.set_xlabel(f"{_axis(name)}     {better}")
        figure.savefig(path, dpi=180)


def _axis(name: str) -> str:
    if _OVER.search(name):
        return name
    if name.startswith("ours/"):
        return f"error of Thresher / error of {name.removeprefix('ours/')}"
    return "time of the other / time of Thresher"


def _caption(name: str, has_others: bool) -> str:
    others = " Grey: other programs." if has_others else ""
    if is_better_below_one(name):
        return f"{_axis(name)}. Below 1, blue: Thresher needs less, or errs less.{others}"
    return f"{name}: {_axis(name)}. Above 1, blue: Thresher takes less.{others}"


def result(name: str, bars: list[tuple[str, float]], ours: Collection[str]) -> str:
    """Say in a few words what ratios show."""
    means = {label.partition(", ")[2]: value for label, value in bars if label.startswith("geometric mean")}
    if means:
        return f"{name}: " + ", ".join(f"{model} {value:.3g}" for model, value in means.items())
    values = [value for label, value in bars if not ours or label in ours]
    if ours:
        return f"{name}: {min(values):.2g} to {max(values):.2g}, by the model"
    mean = math.exp(sum(map(math.log, values)) / len(values))
    extent = f" ({min(values):.2g} to {max(values):.2g})" if len(values) > 1 else ""
    if is_better_below_one(name):
        return f"{_axis(name)}: {mean:.2g}{extent}"
    took = "the CPU seconds" if name.startswith("CPU") else "the time"
    return f"others take {mean:.2g} times {took}{extent}"


def page(record: Record, pictures: dict[str, str]) -> str:
    """Return the text of a page in MyST."""
    ours = our_models(record)
    machine = record.facts.get("machine", "").partition(", load")[0]
    lines = [
        f"# {record.title}",
        "",
        " on ".join(part for part in [f"*{record.date}*", machine] if part) + ".",
    ]
    lines[-1] += " [How it was measured](#how-it-was-measured)."
    if ours:
        lines += ["", "Models of Thresher: "]
        lines[-1] += "; ".join(f"**{name}** (`{text or 'defaults'}`)" for name, text in ours.items()) + "."
    for name, picture in pictures.items():
        lines += [
            "",
            f"```{{figure}} {picture}",
            f":alt: {name}, as bars",
            "",
            _caption(name, bool(ours)),
            "```",
        ]
    levels = sorted({len(line) - len(line.lstrip("#")) for line in record.body if line.startswith("#")})
    lines.append("")
    for line in record.body:
        if line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            lines.append("#" * (2 + levels.index(level)) + line[level:])
        else:
            lines.append(line.replace("$", r"\$"))
    facts = {"date": record.date, **{name: text for name, text in record.facts.items() if name != "date"}}
    lines += ["", "## How it was measured", "", "| | |", "|---|---|"]
    lines += [f"| {name} | {text.replace('|', chr(92) + '|')} |" for name, text in facts.items()]
    return "\n".join(lines) + "\n"


def index(records: list[Record]) -> str:
    """Return the text of the page that lists the others."""
    lines = [
        "# Benchmarks",
        "",
        "The newest measurement of each kind, with date, machine and command. Other programs run at their",
        "defaults unless the page says otherwise. `make bench-peers bench` measures the comparisons again.",
        "Means of ratios are geometric, with the least and the largest in brackets. Seconds of one page are",
        "of one machine and can be compared; those of two pages cannot.",
    ]
    for group in _GROUPS:
        members = [record for record in records if record.group == group]
        texts = ["; ".join(result(*found, our_models(r)) for found in ratios(r).items()) for r in members]
        lines += ["", f"## {group}", ""]
        lines += ["| measured | result | date |" if any(texts) else "| measured | date |"]
        lines += ["|---|---|---|" if any(texts) else "|---|---|"]
        for record, text in zip(members, texts, strict=True):
            name, date = f"[{record.title}]({record.kind}.md)", f'<span class="date">{record.date}</span>'
            lines.append(f"| {name} | {text} | {date} |" if any(texts) else f"| {name} | {date} |")
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
            draw(name, bars, PAGES / pictures[name], our_models(record))
        (PAGES / f"{record.kind}.md").write_text(page(record, pictures), encoding="utf-8")
    (PAGES / "index.md").write_text(index(records), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
