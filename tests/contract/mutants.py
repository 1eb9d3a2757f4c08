"""Damaged copies of saved models: entries of another type, huge numbers, swapped parts, damaged bytes."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

Path = tuple[Any, ...]

_RAW = "@raw@"
_TWICE = "@twice@"

NUMBERS = (
    0, 1, -1, 2, 7, 255, 2**16, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -(2**63),
    -(2**63) - 1, 10**30, 10**400, 0.5, -0.5, 1.0, 1.5, 1e-9, 5e-324, -0.0, 1e15, 1e153, -1e153, 1e300,
    1.7e308, -1.7e308,
)  # fmt: skip
LITERALS = (
    "NaN",
    "Infinity",
    "-Infinity",
    "1e999",
    "-1e999",
    "1e-999",
    "1E5",
    "01",
    "+1",
    "1.",
    "0x10",
    "9" * 5000,
)
TEXTS = (
    "", " ", "x", "0", "-1", "1.5", "1e999", "nan", "inf", "None", "cv", "auto", "log", "squared", "\0",
    "\x1b[2J", "a\nb",
    "{0}", "%s", "é", "\u202e", "x" * 10_000, "9" * 5000, "1_0", "<b>", "$", "\\", "'", '"',
)  # fmt: skip
ODD: tuple[Any, ...] = (
    None, True, False, [], {}, [[]], [None], [0] * 1000, ["huber", "x"], ["x", 5], [1.5, 2], {"x": 1},
    {"pairs": [[1]]}, {"pairs": [[[], 1]]}, {"pairs": [["a", 1], ["a", 2]]}, {"pairs": 3},
)  # fmt: skip
ESCAPES = ('"\\ud800"', '"\\udfff\\ud800"', '"\\u0000"', '"\\x"')


def deep(depth: int, kind: str) -> str:
    """Nested lists or objects as JSON."""
    return "[" * depth + "]" * depth if kind == "list" else '{"a":' * depth + "1" + "}" * depth


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every place in a document."""
    yield path
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, entry in entries:
        yield from paths(entry, (*path, key))


def shape(path: Path) -> Path:
    """A path without the positions in lists: entries of one list are of one kind."""
    return tuple("*" if isinstance(key, int) else key for key in path)


class Mutator:
    """Makes damaged copies of one document, each from a seed."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.text = json.dumps(document, ensure_ascii=False)
        kinds: dict[Path, list[Path]] = {}
        for path in paths(document):
            kinds.setdefault(shape(path), []).append(path)
        self.kinds = list(kinds.values())

    def mutant(self, seed: int) -> bytes:
        """One damaged copy."""
        rng = Random(seed)
        if rng.random() < 0.15:
            return damaged(self.text.encode(), rng)
        document = json.loads(self.text)  # faster than a copy
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            self._edit(document, rng)
        text = json.dumps(document, ensure_ascii=True)
        while (start := text.find(f'"{_RAW}')) >= 0:
            end = text.index('"', start + 1)
            text = text[:start] + bytes.fromhex(text[start + 1 + len(_RAW) : end]).decode() + text[end + 1 :]
        return text.replace(f'"{_TWICE}', '"').encode()

    def _path(self, document: Any, rng: Random) -> Path:
        for _ in range(20):
            path = rng.choice(rng.choice(self.kinds))
            if _find(document, path) is not None:
                return path
        return ()

    def _edit(self, document: Any, rng: Random) -> None:
        path = self._path(document, rng)
        found = _find(document, path)
        if not path or found is None:
            return
        parent, key = found
        old = parent[key]
        change = rng.random()
        if change < 0.1:
            del parent[key]
        elif change < 0.15:
            _double(parent, key, rng)
        elif change < 0.25:
            other = self._path(document, rng)
            place = _find(document, other)
            if place is not None and other[: len(path)] != path and path[: len(other)] != other:
                parent[key], place[0][place[1]] = place[0][place[1]], old
        elif change < 0.65:
            parent[key] = _alike(old, rng)
        else:
            parent[key] = _anything(rng)


def _find(document: Any, path: Path) -> tuple[Any, Any] | None:
    """The container of a place and its key there; None where an earlier edit removed it."""
    if not path:
        return {"": document}, ""
    for key in path[:-1]:
        if (isinstance(document, dict) and key in document) or (
            isinstance(document, list) and isinstance(key, int) and key < len(document)
        ):
            document = document[key]
        else:
            return None
    last = path[-1]
    fits = (
        last in document
        if isinstance(document, dict)
        else isinstance(document, list) and isinstance(last, int)
    )
    return (document, last) if fits and (isinstance(document, dict) or last < len(document)) else None


def _double(parent: Any, key: Any, rng: Random) -> None:
    if isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    else:
        parent[rng.choice((_TWICE, "surprise", _TWICE)) + str(key)] = copy.deepcopy(parent[key])


def _raw(text: str) -> str:
    return _RAW + text.encode().hex()


def _alike(old: Any, rng: Random) -> Any:
    """Another value of the same type."""
    if isinstance(old, bool):
        return not old
    if isinstance(old, int) and abs(old) >= 2**1023:
        return rng.choice(NUMBERS)
    if isinstance(old, (int, float)):
        return rng.choice((rng.choice(NUMBERS), -old, old + 1, old - 1, old * 1000, float(old), old * 1e300))
    if isinstance(old, str) and old.startswith(_RAW):  # put there by an earlier edit; half of it is no text
        return rng.choice(TEXTS)
    if isinstance(old, str):
        cut = rng.randrange(len(old) + 1)
        return rng.choice(
            (rng.choice(TEXTS), old[:cut], old + old, old[:cut] + "0" + old[cut:], old.upper(), old + " ")
        )
    if isinstance(old, list):
        cut = rng.randrange(len(old) + 1)
        return rng.choice(
            (old[:cut], old[::-1], old + old, old + old[-1:], rng.sample(old, len(old)), [*old, None], [old])
        )
    if isinstance(old, dict):
        keys = rng.sample(list(old), len(old))
        return rng.choice(
            (
                {k: old[k] for k in keys[1:]},
                {**old, "surprise": 1},
                dict(zip(old, map(old.get, keys), strict=True)),
            )
        )
    return rng.choice((0, "x", [], {}))


def _anything(rng: Random) -> Any:
    kind = rng.randrange(8)
    if kind < 2:
        return rng.choice(NUMBERS)
    if kind == 2:
        return rng.choice(TEXTS)
    if kind == 3:
        return _raw(rng.choice(LITERALS))
    if kind == 4:
        return _raw(rng.choice(ESCAPES))
    if kind == 5:
        return _raw(deep(rng.choice((3, 120, 130, 5000)), rng.choice(("list", "object"))))
    return rng.choice(ODD)


def damaged(text: bytes, rng: Random) -> bytes:
    """Flipped, removed, repeated or inserted bytes."""
    data = bytearray(text)
    for _ in range(rng.choice((1, 1, 2, 5))):
        if not data:
            break
        at, size = rng.randrange(len(data)), rng.choice((1, 1, 2, 10, 200))
        change = rng.randrange(6)
        if change == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif change == 1:
            data[at] = rng.choice(b'0123456789-+eE.,:"[]{} \n\\utnf')
        elif change == 2:
            del data[at : at + size]
        elif change == 3:
            data[at:at] = data[at : at + size]
        elif change == 4:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 5)))
        elif rng.random() < 0.5:
            del data[at:]
    return bytes(data)
