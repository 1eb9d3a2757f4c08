"""The one schema of several files, whose columns must be the same and have types that go together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..formatting.text import format_names


def common_schema(schema: Any, files: Mapping[str, Any]) -> Any:
    """Return a schema that holds the columns of all files.

    Parameters
    ----------
    schema : pyarrow.Schema
        That of the first file, with the columns that folders name.
    files : mapping of str to pyarrow.Schema
        The schemas of the files by their names.

    Returns
    -------
    pyarrow.Schema
        Whole numbers and reals are reals, texts and categories of texts are texts.

    Raises
    ------
    ValueError
        If two files have different columns, or a column of types that do not go together.

    Examples
    --------
    >>> import pyarrow as pa
    >>> whole, real = pa.schema({"a": pa.int8()}), pa.schema({"a": pa.float64()})
    >>> str(common_schema(whole, {"1.parquet": whole, "2.parquet": real}).field("a").type)
    'double'
    """
    import pyarrow as pa

    first, columns = next((name, file.names) for name, file in files.items())
    for name, file in files.items():
        check_same_columns(first, columns, name, file.names)
    schemas = _with_texts_alike([schema, *files.values()])
    try:
        return pa.unify_schemas(schemas, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        raise _of_different_types(list(files), schemas[1:]) from None


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


def _with_texts_alike(schemas: list[Any]) -> list[Any]:
    """Return the schemas with one type for the texts of a column, as categories or not."""
    import pyarrow as pa

    for name in schemas[-1].names:
        types = {schema.field(name).type for schema in schemas} - {pa.null()}
        orders = {getattr(type_, "ordered", None) for type_ in types}  # categories have one
        is_merged = len(types) < 2 or (len(orders) == 1 and orders != {None})  # Arrow merges such categories
        if not is_merged and all(map(_is_text, types)):
            text = pa.field(name, pa.large_string())
            schemas = [schema.set(schema.get_field_index(name), text) for schema in schemas]
    return schemas


def _is_text(type_: Any) -> bool:
    import pyarrow as pa

    cells = type_.value_type if pa.types.is_dictionary(type_) else type_
    return str(cells) in ("string", "large_string", "string_view")


def _of_different_types(names: list[str], schemas: list[Any]) -> ValueError:
    """Create the error that names two files whose columns do not go together."""
    merged, last, reason = schemas[0], 0, None
    while reason is None:
        last += 1
        merged, reason = _merged(merged, schemas[last])
    pairs = ((k, _merged(schemas[k], schemas[last])[1]) for k in range(last))
    first, reason = next((pair for pair in pairs if pair[1]), (0, reason))
    return ValueError(f"{names[first]} and {names[last]} have columns of different types: {reason}")


def _merged(first: Any, second: Any) -> tuple[Any, str | None]:
    """Return the schema of two, or why there is none."""
    import pyarrow as pa

    try:
        return pa.unify_schemas([first, second], promote_options="permissive"), None
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        return None, str(error).splitlines()[0]
