"""What the page says of each model, collected; the function that writes it."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..formatting.text import pluralize, with_article
from ..model_io.envelope import library_version
from ..model_io.files import write
from . import _comparison, _overview
from ._card import bands_of, points_of
from ._curves import MOST_CLASSES, curves_of
from ._cutoffs import cutoffs_of
from ._data import Data
from ._drawings import pattern_drawings
from ._form import form_of, formula_or_none
from ._metrics import confusion_of, groups_of, metrics_of
from ._paths import path_of
from ._plain_words import plain_words
from ._reasons import DEFAULT_ROWS, Reasons, check_rows
from ._render import render
from ._scored import Scored, in_order, scored
from ._sets import Sets, beside, naming, sets_of
from ._shapes import LEAST_SHAPES, MOST_SHAPES, shapes_of
from ._terms import terms_of

_DATA_SUFFIXES = (".csv", ".tsv", ".gz", ".parquet", ".pq", ".json", ".jsonl", ".xlsx")
"""Files that a page would replace by mistake."""

MOST_MODELS = 12  # on one page: six colours, each with two kinds of lines


def report(
    path: str | Path,
    models: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    group: str | ArrayLike | None = None,
    rows: int | Sequence[int] = DEFAULT_ROWS,
    title: str | None = None,
) -> None:
    """Write a report of one or several fitted models: one page of HTML that needs no network.

    The page shows the terms, the effects of single columns, the models along the path, the certificate, and a
    form that predicts in the browser. With `X` it explains single rows and shows how the data are
    distributed; with `y` it shows metrics, calibration, ROC and lift, or the errors of a regression.

    Parameters
    ----------
    path : str or Path
        The file to write; ``-`` is standard output.
    models : estimator, list of estimator, or dict of str to estimator
        The fitted models, or score cards in points, at most 12. Estimators of other libraries that follow
        scikit-learn are compared by their answers, and need `X`.
    X : table or records, or dict of str to tuple, optional
        Rows on which the models are shown, in one of the forms that ``predict`` accepts. A frame may have
        further columns, such as that of `group`. Of several data sets, ``{"train": (X, y), "test": (X, y)}``
        or with weights ``(X, y, sample_weight)``, the metrics are shown side by side, and all else on the
        last.
    y : array-like of shape (n_rows,) or (n_rows, n_outputs), or str, optional
        Their targets, or the name of a column of `X`.
    sample_weight : array-like of shape (n_rows,) or str, optional
        Weights of the rows in metrics and curves, or the name of a column of `X`; densities and explanations
        count every row once. Rows of weight 0 are left out. Weights of the fit are not remembered.
    group : str or array-like of shape (n_rows,), optional
        A column of `X`, or one value for each row: metrics are also shown group by group. More than 12
        distinct numbers are divided at their quartiles.
    rows : int or list of int, default=100
        How many rows are explained, spread evenly over the predictions, or their positions from 0. The page
        counts rows from 1.
    title : str, optional
        The title of the page; by default the names of the models.

    Raises
    ------
    ValueError
        If the models predict different things, or `y`, `sample_weight` or `group` do not match `X`, or are
        given without it, or there are more than 12 models.
    TypeError
        If `path` is no path, or `X` has another type than in training.
    ImportError
        If Jinja is not installed.
    OSError
        If the file cannot be written; an existing one is then unchanged.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> import numpy as np
    >>> import thresher
    >>> X = np.arange(40.0)[:, None]
    >>> model = thresher.L0AdditiveRegressor(lambda0=0.5).fit(X, X[:, 0] > 19)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     thresher.report(Path(folder) / "report.html", {"card": model}, X, X[:, 0] > 19)
    ...     "what if" in (Path(folder) / "report.html").read_text().lower()
    True
    """
    _check_path(path)
    found = _comparison.named(models)
    if len(found) > MOST_MODELS:
        raise ValueError(f"models: got {len(found)}; a page compares at most {MOST_MODELS}")
    for name, model in list(found.items()):
        if hasattr(model, "_report_reading"):
            found[name] = model._report_reading()
            continue
        _comparison.refuse_unreadable(name, model)
        check_is_fitted(model)
        if X is None and not _overview.is_own(model):
            raise ValueError(
                f"X: {name!r} is a model of another library, which is shown by its answers; give X"
            )
    _comparison.check_one_task(found)
    reads_graphs = all(hasattr(model, "_valid_rows") for model in found.values())
    sets = sets_of(X, y, group, sample_weight, reads_graphs=reads_graphs).without_invalid(found.values())
    if sets.data is not None:
        rows = check_rows(rows, sets.data)
    write(path, _html(found, sets, rows, title or ", ".join(found)))


def _check_path(path: Any) -> None:
    """Refuse what is no path, or that of a file of data, which the page would replace."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(
            f"path: got {with_article(type(path).__name__)}; the first argument is the file to write, "
            "such as 'report.html'"
        )
    if Path(path).suffix.lower() in _DATA_SUFFIXES:
        raise ValueError(
            f"path: got {os.fspath(path)!r}; the page is HTML and would replace this file of data: give a "
            "name such as 'report.html', and the rows as X"
        )


def _html(models: dict[str, Any], sets: Sets, rows: int | Sequence[int], title: str) -> str:
    """Return the page."""
    data, answers, compared = sets.data, None, None
    order = _classes_of(next(iter(models.values())))
    if data is not None:
        with naming(sets.name):
            answers = [_answers(model, data, order) for model in models.values()]
        compared = [in_order(found, order) for found in answers]
        _comparison.check_same_targets(models, compared)
    answers_on: dict[str, list[Scored]] = {}
    for name, further in sets.others.items():
        with naming(name):
            answers_on[name] = [_answers(model, further, order) for model in models.values()]
    summaries = [model.summary() if _overview.is_own(model) else None for model in models.values()]
    views, payloads, codes = [], [], []
    for number, (name, model) in enumerate(models.items()):
        found = None if answers is None else answers[number]
        view: dict[str, Any] = {
            "id": f"m{number}",
            "name": name,
            "sentence": _comparison.sentence_of(model),
            **_performance(found, sets, {name: answers_on[name][number] for name in sets.others}),
        }
        payload: dict[str, Any] = {
            "name": name,
            "curves": None if found is None else curves_of(found),
            "cutoffs": None,
        }
        if found is not None and data is not None:
            card, own_rows = getattr(model, "card", None), data.of_model(model).X
            payload["cutoffs"] = cutoffs_of(found, card, own_rows, data.groups)
        view["has_cutoffs"] = payload["cutoffs"] is not None
        code = None
        if summaries[number] is None:
            view["is_own"] = False
        else:
            rows_of_model = None if data is None else data.of_model(model)
            own, payload_of_own, code = _own_parts(model, summaries[number], rows_of_model, found, rows)
            view |= own
            payload |= payload_of_own
            if own["bands"] is not None and payload["curves"] is not None:
                for curves in payload["curves"]["parts"]:
                    curves.pop("histogram", None)  # the bands show the score itself
        views.append(view)
        payloads.append(payload)
        codes.append(code)
    page = {
        "title": title,
        "models": views,
        "comparison": _comparison.table_of(models, summaries, compared) if len(models) > 1 else None,
        "data": _data_sentence(data) + sets.sentence,
        "set": sets.name,
        "has_weights": data is not None and data.weights is not None,
        "has_steps": any(map(_overview.n_steps_of, models.values())),
        "has_curves": order is not None and data is not None and data.y is not None,
        "has_certificates": any(hasattr(model, "certificate_") for model in models.values()),
        "has_support": any("support" in each.get("terms", {}).get("columns", {}) for each in payloads),
        "version": library_version(),
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
    }
    return render(page, {"models": payloads}, codes)


def _answers(model: Any, data: Data, order: list[Any] | None) -> Scored:
    """Let a model answer; one of another library has the order of the classes of the first model."""
    return scored(model, data.of_model(model), _classes_of(model) if _overview.is_own(model) else order)


def _classes_of(model: Any) -> list[Any] | None:
    """Return the classes, the positive one of two last."""
    own = _overview.is_own(model)
    classes = model._fitted.classes if own else getattr(model, "classes_", None)
    return None if classes is None else np.asarray(classes).tolist()


def _data_sentence(data: Data | None) -> str:
    if data is None:
        return "No rows were given: the page says what the model itself says."
    truth = "without their targets" if data.y is None else "with their targets"
    weighted = "" if data.weights is None else ", each with a weight"
    sentence = f"Shown on {pluralize(data.n_rows, 'row')} that were given {truth}{weighted}."
    if data.n_uncounted:
        sentence += f" {pluralize(data.n_uncounted, 'further row')} of weight 0 "
        sentence += f"{'is' if data.n_uncounted == 1 else 'are'} left out."
    if not data.n_invalid:
        return sentence
    rest = "a molecule and is left out" if data.n_invalid == 1 else "molecules and are left out"
    return f"{sentence} {pluralize(data.n_invalid, 'further row')} cannot be read as {rest}."


def _performance(found: Scored | None, sets: Sets, others: dict[str, Scored]) -> dict[str, Any]:
    """Return the tables of metrics."""
    data = sets.data
    if found is None or data is None:
        return {"metrics": [], "confusion": None, "groups": None, "omitted_curves": 0}
    return {
        "metrics": beside({name: metrics_of(each) for name, each in {**others, sets.name: found}.items()}),
        "confusion": confusion_of(found),
        "omitted_curves": max(0, len(found.classes or ()) - MOST_CLASSES),
        "groups": None if data.groups is None else groups_of(found, data.groups),
    }


def _own_parts(
    model: Any, summary: Any, data: Data | None, found: Scored | None, rows: int | Sequence[int]
) -> tuple[dict[str, Any], dict[str, Any], str | None]:
    """Return what only a model of this package says: for the template, for the scripts, and its function."""
    formula, features = formula_or_none(model), model._fitted.document["features"]
    of_table = formula if not hasattr(model, "get_patterns") else None
    columns = None
    if data is not None and data.is_readable and of_table is not None:
        columns = model._table(data.X).columns
    reasons = None if data is None else Reasons(model, data, len(summary))
    form = None if formula is None else form_of(model, formula, columns)
    code = None if form is None else form.pop("code")
    shapes = [] if of_table is None else shapes_of(of_table, features, columns)
    most = max(LEAST_SHAPES, MOST_SHAPES // max(1, len(shapes)))
    classes = model._fitted.classes
    terms = terms_of(summary, reasons)
    drawings = pattern_drawings(model, terms["columns"])
    if drawings is not None:
        terms["columns"]["drawing"] = drawings
    payload = {
        "effect": model._effect(),
        "outputs": [str(label) for label in model._fitted.output_names()],
        "classes": None if classes is None else list(map(str, classes.tolist())),
        "terms": terms,
        "shapes": [charts[:most] for charts in shapes],
        "path": path_of(model),
        "form": form,
        "names": None if of_table is None else [column.name for column in of_table.columns],
        "intercepts": [value for _, value in summary.intercepts],
        "reasons": None,
    }
    if reasons is not None and found is not None:
        fields = None if of_table is None else [column.position for column in of_table.columns]
        payload["reasons"] = reasons.payload(found, reasons.chosen(found, rows), fields)
    card = getattr(model, "card", None)
    if card is not None:
        payload["card"] = {"event": str(card.event)}
        payload["bands"] = None if data is None or found is None else bands_of(card, data, found)
    view = _view(model, summary, data, payload) | {
        "points": None if card is None else points_of(card, data),
        "bands": payload.get("bands"),
        "omitted_shapes": max((len(charts) - most for charts in shapes), default=0),
        "has_densities": columns is not None,
    }
    return view, payload, code


def _view(model: Any, summary: Any, data: Data | None, payload: dict[str, Any]) -> dict[str, Any]:
    """Return what the template says of a model of this package."""
    form, path = payload["form"], payload["path"]
    n_unlisted = _overview.n_unlisted_of(model, summary)
    return {
        "is_own": True,
        "note": summary.note,
        "proof": _comparison.certificate_of(summary.proof),
        "plain_words": plain_words(getattr(model, "certificate_", None)),
        "is_unverified": hasattr(model, "certificate_") and model._fitted.is_loaded,
        "properties": _overview.properties_of(model, summary),
        "parameters": _overview.parameters_of(model),
        "fingerprint": _overview.fingerprint_of(model),
        "columns": _overview.columns_of(model, data),
        "effect": payload["effect"],
        "n_terms": len(summary) + n_unlisted,
        "omitted_terms": payload["terms"]["omitted"] + n_unlisted,
        "intercepts": [("" if label is None else str(label), value) for label, value in summary.intercepts],
        "has_shapes": any(payload["shapes"]),
        "path": None if path is None else {"sentence": path.pop("sentence")},
        "reasons": _reason_counts(payload["reasons"]),
        "has_form": form is not None,
        "takes_missing": form is not None and any(field.get("allows_missing") for field in form["fields"]),
        "form_kind": None if form is None else form["fields"][0]["kind"],
        "is_of_graphs": hasattr(model, "_valid_rows"),
    }


def _reason_counts(reasons: Mapping[str, Any] | None) -> dict[str, int] | None:
    if reasons is None:
        return None
    return {
        "shown": len(reasons["rows"]),
        "all": reasons["n_rows"],
        "reference": reasons["n_reference"],
    }
