"""Several models side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..formatting.text import with_article
from ._metrics import metrics_of
from ._overview import class_name, class_sentence, is_own, size_of
from ._scored import Scored


def named(models: Any) -> dict[str, Any]:
    """Return models by name: a mapping, a list, or a single model; classes of the same name are numbered."""
    if hasattr(models, "items"):
        found = {str(name): model for name, model in models.items()}
    else:
        listed = list(models) if isinstance(models, (list, tuple)) else [models]
        found = {}
        for model in listed:
            name, k = class_name(model), 1
            while (name if k == 1 else f"{name} {k}") in found:
                k += 1
            found[name if k == 1 else f"{name} {k}"] = model
    if not found:
        raise ValueError("models: got none; give a fitted estimator, or a dict of names to estimators")
    return found


def beside(model: Any, compare: Any, noun: str) -> Any:
    """Return a model and those it is compared with, by name or listed, as :func:`named` takes them."""
    if not isinstance(compare, Mapping):
        return [model, *compare]
    name = class_name(model)
    return {f"{name}, this {noun}" if name in compare else name: model, **compare}


def check_one_task(models: dict[str, Any]) -> None:
    """Raise an error unless the models are all classifiers, or all regressions."""
    (first, kind), *others = ((name, _kind(model)) for name, model in models.items())
    for other, theirs in others:
        if theirs != kind:
            raise ValueError(
                f"compare: {first!r} is {kind} and {other!r} {theirs}; compare models of one task"
            )


def _kind(model: Any) -> str:
    return "a regression" if getattr(model, "classes_", None) is None else "a classifier"


def check_same_targets(models: dict[str, Any], answers: Sequence[Scored]) -> None:
    """Raise an error unless all models predict the same classes or the same number of targets."""
    first, *others = zip(models.items(), answers, strict=True)
    (name, _), found = first
    for (other, _), answer in others:
        if answer.classes is not None and answer.classes != found.classes:
            raise ValueError(
                f"compare: {name!r} has the classes {found.classes!r} and {other!r} {answer.classes!r}; "
                "fit them on the same labels"
            )
        if answer.decision.shape[1] != found.decision.shape[1]:
            raise ValueError(f"compare: {name!r} and {other!r} have different numbers of targets")


def table_of(
    models: dict[str, Any], summaries: Sequence[Any], answers: Sequence[Scored] | None
) -> dict[str, Any]:
    """Return the table that compares the models: what they are, their size, certificate and metrics."""
    listed = list(models.values())
    texts = [
        ("Class", [class_name(model) for model in listed]),
        ("Size", [size_of(model, summary) for model, summary in zip(listed, summaries, strict=True)]),
        ("Columns in use", [_n_columns(model) for model in listed]),
        (
            "Certificate",
            [
                "none: a model of another library" if summary is None else certificate_of(summary.proof)
                for summary in summaries
            ],
        ),
    ]
    numbers: list[tuple[str, list[float | None]]] = []
    for part, blocks in enumerate(zip(*map(metrics_of, answers), strict=True)) if answers else ():
        label = blocks[0][0]
        names = dict.fromkeys(name for _, lines in blocks for name, _ in lines)
        for name in names:
            if name == "Rows" and part:
                continue
            values = [dict(lines).get(name) for _, lines in blocks]
            numbers.append((f"{label}: {name}" if label and name != "Rows" else name, values))
    return {"names": list(models), "texts": texts, "numbers": numbers}


def certificate_of(proof: str) -> str:
    """Return a sentence about what is proved, without the word before it."""
    text = proof.removeprefix("Certificate: ")
    return text[:1].upper() + text[1:]


def _n_columns(model: Any) -> str:
    if not is_own(model):
        known = getattr(model, "n_features_in_", None)
        return "–" if known is None else f"{known:,}"
    schema = model._fitted.schema
    return "–" if schema is None else f"{len(model._used_columns()):,} of {len(schema.names):,}"


def refuse_unreadable(name: str, model: Any) -> None:
    """Raise an error for what is no estimator."""
    if not hasattr(model, "predict"):
        raise TypeError(f"models: {name!r} is {with_article(type(model).__name__)}, which cannot predict")


def sentence_of(model: Any) -> str:
    """Say what a model is."""
    if is_own(model):
        return class_sentence(model)
    library = type(model).__module__.split(".")[0]
    return f"A model of another library, {library}: its answers are compared, not read."
