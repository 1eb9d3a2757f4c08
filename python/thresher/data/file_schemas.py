"""The schemas of several files, whose columns must be the same and have types that go together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..formatting.text import format_names


def schemas_to_read(schema: Any, files: Mapping[str, Any]) -> list[Any]:
    """Return the schema with which each file is read, so that all have the same kinds of cells.

    Texts and categories of texts become texts. Numbers are read as they are, whatever their types: a common
    type would have no place for some of them.

    Parameters
    ----------
    schema : pyarrow.Schema
        That of the first file, with the columns that folders name.
    files : mapping of str to pyarrow.Schema
        The schemas of the files by their names.

    Returns
    -------
    list of pyarrow.Schema
        A schema for each file.

    Raises
    ------
    ValueError
        If two files have different columns, or a column of types that do not go together.

    Examples
    --------
    >>> import pyarrow as pa
    >>> missing, text = pa.schema({"a": pa.null()}), pa.schema({"a": pa.string()})
    >>> schemas = schemas_to_read(missing, {"1.parquet": missing, "2.parquet": text})
    >>> [str(schema.field("a").type) for schema in schemas]
    ['string', 'string']
    """
    import pyarrow as pa

    first, columns = next((name, file.names) for name, file in files.items())
    for name, file in files.items():
        check_same_columns(first, columns, name, file.names)
    found = [schema] * len(files)
    for column in columns:
        types = {name: file.field(column).type for name, file in files.items()}
        common = _common_type(column, types)
        place = schema.get_field_index(column)
        for k, own in enumerate(types.values()):
            found[k] = found[k].set(place, pa.field(column, own if _is_number(own) else common))
    return found


def _common_type(column: str, types: Mapping[str, Any]) -> Any:
    """Return the type of a column in all files; raise an error that names two files where there is none."""
    distinct = list(dict.fromkeys(types.values()))
    common = distinct[0]
    for place, own in enumerate(distinct):
        merged = _merged(common, own)
        if merged is None:
            other = next((early for early in distinct[:place] if _merged(early, own) is None), common)
            names = {type_: name for name, type_ in reversed(list(types.items()))}
            raise ValueError(
                f"{names[other]} and {names[own]} have columns of different types: {column!r} is {other} in "
                f"the first and {own} in the second; convert one of them"
            )
        common = merged
    return common


def _merged(first: Any, second: Any) -> Any:
    """Return the type of the cells of two types; None where they do not go together."""
    import pyarrow as pa

    if first == second or pa.types.is_null(second):
        return first
    if pa.types.is_null(first):
        return second
    are_categories = pa.types.is_dictionary(first) and pa.types.is_dictionary(second)
    if are_categories and first.ordered == second.ordered:
        return _by_arrow(first, second)
    if _is_text(first) and _is_text(second):
        return pa.large_string()
    if _is_number(first) and _is_number(second):
        return pa.float64()
    # Arrow makes bytes of a text and bytes.
    return None if _is_text(first) or _is_text(second) else _by_arrow(first, second)


def _by_arrow(first: Any, second: Any) -> Any:
    import pyarrow as pa

    schemas = [pa.schema({"": type_}) for type_ in (first, second)]
    try:
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return None


def _cells(type_: Any) -> Any:
    """Return the type of the values of categories, and any other type itself."""
    import pyarrow as pa

    return type_.value_type if pa.types.is_dictionary(type_) else type_


def _is_number(type_: Any) -> bool:
    from pyarrow.types import is_decimal, is_floating, is_integer

    return bool(is_integer(type_) or is_floating(type_) or is_decimal(type_))


def _is_text(type_: Any) -> bool:
    return str(_cells(type_)) in ("string", "large_string", "string_view")


def check_same_columns(
    first: str | Path, columns: Sequence[str], second: str | Path, others: Sequence[str]
) -> None:
    """Raise an error unless two files have the same columns, in whatever order.

    Parameters
    ----------
    first : str or Path
        A file.
    columns : sequence of str
        The names of its columns.
    second : str or Path
        Another file.
    others : sequence of str
        The names of the columns of that one.

    Raises
    ------
    ValueError
        If one of them has a column that the other has not.
    """
    own, theirs = Counter(columns), Counter(others)
    if different := sorted((own - theirs) | (theirs - own)):
        raise ValueError(
            f"{first} and {second} have different columns: only one of them has {format_names(different)}"
        )
