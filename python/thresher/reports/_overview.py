"""The head of a report: what a model is, its parameters, its columns, and a fingerprint."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..data.columns import Column, Level
from ..data.frames import column_names
from ..formatting.numbers import format_count, format_percent, format_value
from ..formatting.quoting import quote_category
from ..formatting.text import format_level, format_list, pluralize
from ..results.summary import Summary
from ._data import Data
from ._shapes import codes_of

MOST_COLUMNS = 300  # lines of the table of columns; those that the model uses come first
MOST_LEVELS = 12  # categories that are listed by name
_QUIET = ("verbose", "n_jobs")  # parameters that no result depends on

Pairs = list[tuple[str, str]]


def is_own(model: Any) -> bool:
    """Return whether an estimator is one of this package, which can say what it adds up."""
    return hasattr(model, "_summary_rows") and hasattr(model, "_fitted")


def class_name(model: Any) -> str:
    """Return the name of the class of an estimator, or of a card."""
    return type(getattr(model, "card", model)).__name__


def class_sentence(model: Any) -> str:
    """Return the first sentence of the documentation of a class."""
    text = inspect.getdoc(type(model)) or type(model).__name__
    return " ".join(text.split("\n\n")[0].split())


def properties_of(model: Any, summary: Summary) -> Pairs:
    """List what the head says of a model, as pairs of a name and a text."""
    fitted = model._fitted
    properties = [("Model", class_name(model)), ("Speaks about", _subject(model))]
    properties += model.properties() if hasattr(model, "properties") else []
    if fitted.target_names:
        properties.append(("Target", format_list(fitted.target_names, MOST_LEVELS)))
    if fitted.classes is not None:
        properties.append(("Classes", format_list(fitted.classes.tolist(), MOST_LEVELS)))
    properties.append(("Loss", str(fitted.document["loss"]).replace("_", " ")))
    properties.append(("Size", size_of(model, summary)))
    if fitted.schema is not None:
        used, known = len(model._used_columns()), len(fitted.schema.names)
        properties.append(("Columns", f"{used:,} in use of {known:,} in training"))
    if fitted.n_rows:
        properties.append((f"Training {summary.row_noun}", format_count(fitted.n_rows)))
    candidates = getattr(getattr(model, "certificate_", None), "n_candidates", None)
    if isinstance(candidates, int):
        properties.append(("Candidates", format_count(candidates)))
    return properties


def _subject(model: Any) -> str:
    names = model._fitted.output_names()
    if len(names) == 1:
        return f"the {model._effect()}"
    return f"the {model._effect()}, for each of {format_list(names, MOST_LEVELS)}"


def n_steps_of(model: Any) -> int | None:
    """Return the number of steps of a model of step functions, or of a card; None for other models."""
    model = getattr(model, "model", model)
    return int(np.sum(model.n_nonzero_)) if hasattr(model, "shape_functions_") else None


def size_of(model: Any, summary: Summary | None) -> str:
    """Say how many terms a model has; of step functions the steps, which lie between pieces or bins."""
    if summary is None:
        return "–"
    steps = n_steps_of(model)
    if steps:
        return f"{pluralize(steps, 'step')} ({pluralize(len(summary), summary_noun(summary))})"
    counts: dict[str, int] = {}
    for row in summary.rows:
        noun = "linear term" if row.kind == "linear" else row.kind
        counts[noun] = counts.get(noun, 0) + 1
    if unlisted := n_unlisted_of(model, summary):
        counts["interaction"] = counts.get("interaction", 0) + unlisted
    return ", ".join(pluralize(count, noun) for noun, count in counts.items()) or "an intercept alone"


def n_unlisted_of(model: Any, summary: Summary) -> int:
    """Return the number of interactions that the summary of a factorization machine has not."""
    listed = sum(row.kind == "interaction" for row in summary.rows)
    return int(np.sum(getattr(model, "n_interactions_", listed))) - listed


def summary_noun(summary: Summary) -> str:
    """Return the noun for a term: a step is where a step function changes, its terms are pieces."""
    return "piece" if summary.term_noun == "step" else summary.term_noun


def parameters_of(model: Any) -> Pairs:
    """List the parameters that differ from their defaults; of a card those of its model."""
    model = getattr(model, "model", model)
    defaults = {name: p.default for name, p in inspect.signature(type(model).__init__).parameters.items()}
    return [
        (name, _short(value))
        for name, value in sorted(model.get_params(deep=False).items())
        if name not in _QUIET and not _same(value, defaults.get(name))
    ]


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(np.all(np.asarray(value == default)))


def _short(value: Any, most: int = 160) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def fingerprint_of(model: Any) -> str | None:
    """Return the SHA-256 of the model's file; None where JSON cannot hold its labels."""
    try:
        return hashlib.sha256(model.to_json().encode()).hexdigest()
    except TypeError:
        return None


def columns_of(model: Any, data: Data | None) -> dict[str, Any] | None:
    """Compare the columns of training with those of the data; None for records."""
    fitted = model._fitted
    features = fitted.document.get("features")
    if fitted.schema is None or hasattr(model, "get_patterns"):
        return None
    used = set(model._used_columns())
    order = sorted(range(len(fitted.schema.names)), key=lambda j: (j not in used, j))
    table = None if data is None or not data.is_readable else model._table(data.X).columns
    lacks = set() if data is None else _absent(data, fitted.schema)
    excluded = getattr(model, "model", model)._excluded_columns()
    rows = []
    for j in order[:MOST_COLUMNS]:
        if j in excluded:
            rows.append([fitted.schema.names[j], "no", "excluded", "", *[""] * 3 * (table is not None)])
            continue
        levels = fitted.schema.levels[j]
        feature = features[j] if isinstance(features[j], Mapping) else {}
        row = [
            fitted.schema.names[j],
            "yes" if j in used else "no",
            "number" if levels is None else "category",
            _training(feature, levels),
        ]
        if table is not None:
            absent = j in lacks
            row += ["not given", "", ""] if absent else _found(table[j], feature, levels)
        rows.append(row)
    return {"rows": rows, "omitted": len(order) - len(rows), "has_data": table is not None}


def _absent(data: Data, schema: Any) -> set[int]:
    """Find the columns that a frame lacks."""
    names = column_names(data.X)
    if names is None or not schema.named:
        return set()
    return {j for j, name in enumerate(schema.names) if name not in set(names)}


def _training(feature: Mapping[str, Any], levels: list[Level] | None) -> str:
    if levels is not None:
        return format_list(levels, MOST_LEVELS, _level_text)
    low, high = feature.get("lower"), feature.get("upper")
    return "–" if low is None or high is None else f"{format_value(low)} to {format_value(high)}"


def _level_text(level: Level) -> str:
    return quote_category(format_level(level))


def _found(column: Column, feature: Mapping[str, Any], levels: list[Level] | None) -> list[str]:
    """Describe a column of the data: its range, missing values, and values unknown from training."""
    if isinstance(column, tuple):
        codes, known = column[0], len(levels or ())
        counts = np.bincount(codes[codes >= 0], minlength=1)
        shown = f"{_level_text(column[1][int(counts.argmax())])} most often" if counts.sum() else "no value"
        outside = float(np.mean(codes >= known))
        return [shown, format_percent(float(np.mean(codes < 0))), format_percent(outside)]
    special = codes_of(feature)
    present = column[~(np.isnan(column) | np.isin(column, special))]
    texts, beyond, low, high = [], "", feature.get("lower"), feature.get("upper")
    if present.size:
        texts.append(f"{format_value(float(present.min()))} to {format_value(float(present.max()))}")
        if low is not None and high is not None:
            beyond = format_percent(float(np.mean((present < low) | (present > high))))
    fractions = {code: float(np.mean(column == code)) for code in special}
    texts += [f"{format_value(code)} ({format_percent(part)})" for code, part in fractions.items() if part]
    return [", ".join(texts) or "no value", format_percent(float(np.isnan(column).mean())), beyond]
