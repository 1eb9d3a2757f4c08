"""Opening of files, pipes and devices; ``-`` is standard input or output."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

STANDARD = "-"
"""The name of standard input or output in place of a path."""

_GZIP = b"\x1f\x8b"  # the first bytes of a compressed file (RFC 1952)
OTHER_CONTENT = {
    b"PK\x03\x04": "a workbook or an archive (zip); save the table as CSV",
    b"\xd0\xcf\x11\xe0": "a workbook; save the table as CSV",
    b"\x28\xb5\x2f\xfd": "compressed (zstd); decompress it, or compress it with gzip",
    b"BZh": "compressed (bzip2); decompress it, or compress it with gzip",
    b"\xfd7zXZ": "compressed (xz); decompress it, or compress it with gzip",
    b"\xff\xfe": "text in UTF-16; save it in UTF-8",
    b"\xfe\xff": "text in UTF-16; save it in UTF-8",
}
"""What a file is by its first bytes that is neither Parquet nor text in UTF-8."""


@contextmanager
def open_input(path: str | Path) -> Iterator[io.BufferedReader[Any]]:
    """Open a file, a pipe or standard input for reading; compressed content is decompressed.

    Parameters
    ----------
    path : str or Path
        The file; ``-`` is standard input.

    Yields
    ------
    binary file
        Its content, with ``peek``.

    Raises
    ------
    ValueError
        If compressed content is incomplete or damaged.
    OSError
        If it cannot be read.
    """
    with contextlib.ExitStack() as stack:
        source: Any = None
        if str(path) == STANDARD:
            if sys.stdin is None:
                raise OSError("standard input is closed; give a file")
            source = _Unclosed(sys.stdin.buffer)
        else:
            source = stack.enter_context(Path(path).open("rb", buffering=0))
        file: io.BufferedReader[Any] = io.BufferedReader(source)
        if file.peek(len(_GZIP))[: len(_GZIP)] == _GZIP:
            unpacked: Any = stack.enter_context(gzip.GzipFile(fileobj=file))
            file = io.BufferedReader(unpacked)
        try:
            yield file
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(
                f"{input_name(path)} is compressed, and incomplete or damaged ({error}); copy or compress it "
                "again"
            ) from None


def input_name(path: str | Path) -> str:
    """Return what messages call an input.

    Parameters
    ----------
    path : str or Path
        The file; ``-`` is standard input.

    Returns
    -------
    str
        The path, or ``standard input``.

    Examples
    --------
    >>> input_name("rows.csv"), input_name("-")
    ('rows.csv', 'standard input')
    """
    return "standard input" if str(path) == STANDARD else str(path)


class _Unclosed(io.RawIOBase):
    """A stream that stays open when the reader above it is closed."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def is_standard_output(path: str | Path | None) -> bool:
    """Return whether output to a path goes to standard output.

    Parameters
    ----------
    path : str, Path or None
        The path.

    Returns
    -------
    bool
        True for ``-`` and ``/dev/stdout``.
    """
    return str(path) in (STANDARD, "/dev/stdout")


def target_of(path: str | Path) -> Path | None:
    """Return the regular file that output to a path replaces.

    Parameters
    ----------
    path : str or Path
        The path; symbolic links are followed.

    Returns
    -------
    Path or None
        The file, which need not exist yet; None for standard output, devices, pipes and
        files without a name, which are written through.
    """
    if is_standard_output(path):
        return None
    target = Path(os.path.realpath(path))
    try:
        found = os.stat(path)  # noqa: PTH116 (Path.stat of a link into /proc would look up a deleted name)
    except FileNotFoundError:
        return target
    return target if stat.S_ISREG(found.st_mode) and target.exists() else None


@contextmanager
def open_output(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that replaces an existing one only when all of it is written.

    Parameters
    ----------
    path : str or Path
        The file. Devices and pipes are written through, symbolic links are followed, an
        existing file keeps its mode and owner; ``-`` is standard output.

    Yields
    ------
    binary file
        The file to write to.

    Raises
    ------
    OSError
        If it cannot be written; an existing regular file is unchanged.
    """
    target = target_of(path)
    try:
        if is_standard_output(path):
            if sys.stdout is None:
                raise OSError("it is closed; give a file")
            sys.stdout.flush()
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        elif target is None:
            with Path(path).open("wb") as file:
                yield file
        else:
            with _replacing(target) as file:
                yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        unchanged = "" if target is None or not target.exists() else f"; {path} is unchanged"
        shown = "standard output" if is_standard_output(path) else path
        raise type(error)(f"cannot write {shown}: {error.strerror or error}{unchanged}") from None


@contextmanager
def _replacing(target: Path) -> Iterator[IO[bytes]]:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name[:100], suffix=".part")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        if target.exists():
            kept = target.stat()
            with contextlib.suppress(PermissionError):
                os.chown(temporary, kept.st_uid, kept.st_gid)
            temporary.chmod(stat.S_IMODE(kept.st_mode))
        else:
            umask = os.umask(0)
            os.umask(umask)
            temporary.chmod(0o666 & ~umask)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
