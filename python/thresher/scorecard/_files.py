"""Files of scaled cards: the scale, the points and the model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sklearn.utils._param_validation import InvalidParameterError

from ..model_io import persistence
from ..model_io.envelope import library_version
from ..model_io.files import bad_model, parse, write
from ..model_io.registry import CARD_FORMAT
from ..public_names import load
from .bins import ColumnBins, bins_of_output
from .scaling import LARGEST, SCALING, Scaling

if TYPE_CHECKING:
    from .card import ScaledCard

_C = TypeVar("_C", bound="ScaledCard")

VERSION = 1
_KEYS = {"format", "version", "library", "scaling", "whole", "base_points", "points", "max_error", "model"}
TOLERANCE = 1e-6  # points: what exact points of another machine may differ by


def to_json(self: ScaledCard, path: str | Path | None = None) -> str:
    """Serialise the card as JSON: its scale, its points and the model.

    Parameters
    ----------
    path : str or Path, optional
        A file to which the text is also written.

    Returns
    -------
    str
        The text; :meth:`from_json` restores a card with the same scores.
    """
    content = {
        "format": CARD_FORMAT,
        "version": VERSION,
        "library": library_version(),
        "scaling": {name: getattr(self.scaling, name) for name in SCALING},
        "whole": self.whole,
        "base_points": self._number(self.base_points),
        "points": [
            {"feature": column.feature_name, "points": list(map(self._number, points))}
            for column, points in zip(self.bins, self.points, strict=True)
        ],
        "max_error": self.max_error,
        "model": self.model.to_json(),
    }
    text = json.dumps(content, allow_nan=False, ensure_ascii=False)
    if path is not None:
        write(path, text)
    return text


def restored(kind: type[_C], content: dict[str, Any]) -> _C:
    """Create the card of a file.

    Parameters
    ----------
    kind : type
        The class of cards.
    content : dict
        The parsed contents of the file.

    Returns
    -------
    ScaledCard
        The card.

    Raises
    ------
    FormatError
        If it is not a card, or its points are not those of its model.
    """
    if content.get("format") != CARD_FORMAT:
        raise bad_model(f"format is {content.get('format')!r}, a card has {CARD_FORMAT!r}")
    if content.get("version") != VERSION:
        raise bad_model(f"version {content.get('version')!r}, expected {VERSION}")
    if odd := set(content) ^ _KEYS:
        raise bad_model(f"missing or unknown entries: {', '.join(sorted(odd))}")
    if not isinstance(content["whole"], bool) or not isinstance(content["library"], str):
        raise bad_model("'whole' must be true or false, and 'library' text")
    if not isinstance(content["model"], str):
        raise bad_model("'model' must be the text of a model file")
    model: Any = persistence.restored(load("L0AdditiveClassifier"), parse(content["model"]))
    if len(model.classes_) != 2:
        raise bad_model(f"a card is for two classes, its model has {len(model.classes_)}")
    scaling, whole = _scaling(content["scaling"]), content["whole"]
    base = _numbers([content["base_points"]], whole, "base_points")[0]
    points = _points(content["points"], bins_of_output(model, 0), whole)
    card = kind(model, scaling, whole, base, points)
    claimed = content["max_error"]
    if (
        not isinstance(claimed, float)
        or not abs(card.max_error - claimed) <= TOLERANCE
        or not (whole or claimed <= TOLERANCE * (1 + abs(base)))
    ):
        raise bad_model(
            f"the points are not those of the model: they move a score by up to {card.max_error:.6g} points, "
            f"the file says {claimed!r}"
        )
    return card


def _scaling(found: Any) -> Scaling:
    if not isinstance(found, dict) or set(found) != set(SCALING):
        raise bad_model(f"'scaling' must have the entries {', '.join(SCALING)}")
    try:
        return Scaling.checked(**found)
    except InvalidParameterError as error:
        raise bad_model(f"scaling: {error}") from None


def _points(found: Any, bins: tuple[ColumnBins, ...], whole: bool) -> tuple[tuple[float, ...], ...]:
    if not isinstance(found, list) or len(found) != len(bins):
        raise bad_model(f"'points' must be a list of the {len(bins)} columns in use")
    points = []
    for column, entry in zip(bins, found, strict=True):
        name = column.feature_name
        if not isinstance(entry, dict) or set(entry) != {"feature", "points"} or entry["feature"] != name:
            raise bad_model(f"an entry of 'points' must have 'feature': {name!r} and 'points'")
        values = _numbers(entry["points"], whole, f"points of {name!r}")
        if len(values) != len(column.texts):
            raise bad_model(f"points of {name!r}: {len(values)} for {len(column.texts)} bins")
        points.append(values)
    return tuple(points)


def _numbers(found: Any, whole: bool, where: str) -> tuple[float, ...]:
    kinds = (int,) if whole else (int, float)
    if not isinstance(found, list) or any(type(value) not in kinds for value in found):
        raise bad_model(f"{where} must be {'whole ' if whole else ''}numbers")
    if not all(abs(value) < LARGEST for value in found):
        raise bad_model(f"{where} must be numbers below {LARGEST:g}")
    return tuple(found)
