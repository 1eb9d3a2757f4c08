"""Progress of a running fit: scikit-learn's callbacks and log messages."""

from __future__ import annotations

import logging
import re
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TypeVar

_Method = TypeVar("_Method")

try:  # scikit-learn 1.9 has callbacks
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:  # pragma: no cover (older scikit-learn)

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Replacement for scikit-learn without callbacks."""

    def _with_callbacks(method: _Method) -> _Method:
        """Return the method unchanged."""
        return method


def with_callbacks(method: _Method) -> _Method:
    """Let a fit run the callbacks of scikit-learn, where it has any.

    Parameters
    ----------
    method : callable
        A fit.

    Returns
    -------
    callable
        The method, of the same type.
    """
    wrapped: _Method = _with_callbacks(method)
    return wrapped


if TYPE_CHECKING:
    Report = Callable[..., None]

__all__ = [
    "CallbackSupportMixin",
    "Progress",
    "cancelled_by",
    "log",
    "logging_lines",
    "signs_of_life",
    "with_callbacks",
]

log = logging.getLogger("thresher")

_LINES = 20  # lines for each part of the work at verbose=1
_SILENCE = 5.0  # seconds after which a step that is not done says how far it is
_PATIENCE = 30.0  # seconds after which a silent fit says how to see more of it, and how to end it
_told: set[type] = set()  # the classes of which this was said
_cancelled: ContextVar[Event | None] = ContextVar("cancelled", default=None)


@contextmanager
def cancelled_by(event: Event) -> Iterator[None]:
    """End the fits of this thread soon after an event is set.

    Signals such as that of Ctrl-C reach the main thread only.

    Parameters
    ----------
    event : threading.Event
        The event.

    Yields
    ------
    None
        While fits may be cancelled; they raise ``CancelledError``.
    """
    token = _cancelled.set(event)
    try:
        yield
    finally:
        _cancelled.reset(token)


@contextmanager
def logging_lines(verbose: int | bool) -> Iterator[None]:
    """Show log messages during a fit.

    Parameters
    ----------
    verbose : int or bool
        0: silent, 1: up to twenty lines for each part of the work, 2: a line for each
        step. Messages go to the logger ``thresher``; if it has no handler, to standard error.

    Yields
    ------
    None
        While messages are shown.
    """
    if not verbose:
        yield
        return
    before = log.level
    handler = None
    log.setLevel(logging.DEBUG if int(verbose) > 1 else logging.INFO)
    if not log.hasHandlers():
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("thresher: %(message)s"))
        log.addHandler(handler)
    try:
        yield
    finally:
        log.setLevel(before)
        if handler is not None:
            log.removeHandler(handler)


@contextmanager
def signs_of_life(step: str, content: str, verbose: int | bool) -> Iterator[None]:
    """Log what a step does that cannot tell how far it is: at its begin, every few seconds, and at its end.

    Parameters
    ----------
    step : str
        The name of the step.
    content : str
        What it does.
    verbose : int or bool
        As in :func:`logging_lines`.

    Yields
    ------
    None
        While the step runs.
    """
    if not verbose:
        yield
        return
    started, is_over = time.monotonic(), Event()

    def speak() -> None:
        while not is_over.wait(_SILENCE):
            log.info("%s, after %.0f s: %s goes on", step, time.monotonic() - started, content)

    with logging_lines(verbose):
        log.info("%s: %s", step, content)
        speaker = Thread(target=speak, daemon=True)
        speaker.start()
        try:
            yield
            log.info("%s: done after %.1f s", step, time.monotonic() - started)
        finally:
            is_over.set()
            speaker.join()


def progress_bar() -> Any:
    """Return scikit-learn's progress bar if it can be shown.

    Returns
    -------
    ProgressBar or None
        None without scikit-learn >= 1.9 or rich, or where standard output is neither
        a terminal nor a notebook.
    """
    try:
        from rich.console import Console
        from sklearn.callback import ProgressBar

        console = Console()
        return ProgressBar() if console.is_terminal or console.is_jupyter else None
    except ImportError:
        return None


def _readable(message: str) -> str:
    """Write a gap that rounding made negative as 0, and one candidate in the singular."""
    message = re.sub(r"\bgap -[0-9][0-9.e-]*", "gap 0", message)
    return re.sub(r"\b1 (rule|pattern|term)s\b", r"1 \1", message)


class Progress:
    """Forward the progress of the core to the log and to an estimator's callbacks.

    Parameters
    ----------
    estimator : estimator
        The estimator that is fitted.
    verbose : int or bool
        As in :func:`logging_lines`.
    """

    def __init__(self, estimator: Any, verbose: int | bool) -> None:
        self._estimator = estimator
        self._listeners = bool(getattr(estimator, "_skl_callbacks", None))
        self.bar = progress_bar() if int(verbose) == 1 and not self._listeners else None
        self._verbose = int(verbose)
        self._root: Any = None
        self._stage: Any = None
        self._stage_name = ""
        self._done = 0
        self._most = 0
        self._cancelled = _cancelled.get()
        self._started = self._spoke = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the fit began."""
        return time.monotonic() - self._started

    @property
    def report(self) -> Report:
        """The function that the core calls.

        It is called for each step, and without arguments several times a second: if it raises, the fit ends.
        """
        is_heard = self._verbose or self._listeners or hasattr(self._estimator, "_parent_callback_ctx")
        return self._report if is_heard else self._wait

    @contextmanager
    def running(self) -> Iterator[None]:
        """Begin the fit, show log messages, and end the fit unless it fails.

        Yields
        ------
        None
            While the fit runs.
        """
        with logging_lines(0 if self.bar is not None else self._verbose):
            try:
                self.begin()
                yield
                self.end()
            finally:
                self.release()

    def begin(self) -> None:
        """Notify the callbacks that the fit begins."""
        self._started = self._spoke = time.monotonic()
        if self.bar is not None:
            self._estimator.set_callbacks(self.bar)
        if hasattr(self._estimator, "_init_callback_context"):
            self._root = self._estimator._init_callback_context(max_subtasks=None)
            self._root.call_on_fit_task_begin(estimator=self._estimator)

    def release(self) -> None:
        """Remove the progress bar that was added for `verbose`."""
        if self.bar is not None:
            self._estimator.set_callbacks()

    def end(self) -> None:
        """Notify the callbacks that the fit ended."""
        self._close_stage()
        if self._root is not None:
            self._root.call_on_fit_task_end(estimator=self._estimator)

    def _check_cancelled(self) -> None:
        if self._cancelled is not None and self._cancelled.is_set():
            raise CancelledError

    def _wait(self, stage: str | None = None, step: int = 0, of: int = 0, _message: str = "") -> None:
        """Keep silent, but say once a class how to see more of a long fit, and how to end it."""
        self._check_cancelled()
        if stage is not None:
            self._stage_name = f"{stage} {step}/{of}"
        estimator = self._estimator
        is_long = self.seconds > _PATIENCE and estimator.time_limit is None
        if is_long and type(estimator) not in _told:
            _told.add(type(estimator))
            log.warning(
                "%s.fit goes on after %.0f s (%s). verbose=1 shows how far it is; time_limit=60, in seconds, "
                "gives the best model of that time%s%s.",
                type(estimator).__name__,
                self.seconds,
                self._stage_name or "it began",
                ", with its gap" if hasattr(estimator, "verify") else "",
                f"; it takes less time with {' or '.join(faster)}" if (faster := estimator._faster()) else "",
            )

    def _report(self, stage: str | None = None, step: int = 0, of: int = 0, message: str = "") -> None:
        self._check_cancelled()
        if stage is None:
            self._tell(message)
            return
        if stage != self._stage_name:
            self._close_stage()
            self._open_stage(stage, of)
        self._log(stage, step, of, message)
        if self._stage is not None and self._done < self._most:
            self._done += 1
            task = self._stage.subcontext(task_name=f"{stage} step", max_subtasks=0)
            task.call_on_fit_task_begin(estimator=self._estimator)
            task.call_on_fit_task_end(estimator=self._estimator)

    def _tell(self, message: str) -> None:
        """Log what a long step is doing, once a few seconds."""
        now = time.monotonic()
        if message and now - self._spoke >= _SILENCE:
            self._spoke = now
            log.info("%s, after %.0f s: %s", self._stage_name or "fit", self.seconds, message)

    def _log(self, stage: str, step: int, of: int, message: str) -> None:
        """Log a message, at most twenty for each stage unless `verbose` is 2."""
        self._spoke = time.monotonic()
        spoken = step == of or step % max(1, of // _LINES) == 0
        level = logging.INFO if spoken else logging.DEBUG
        log.log(level, "%s %d/%d: %s", stage, step, of, _readable(message))

    def _open_stage(self, stage: str, of: int) -> None:
        # Outputs may have paths of different lengths; callbacks get the path of the first output.
        self._stage_name, self._done, self._most = stage, 0, max(of, 1)
        if self._root is not None:
            self._stage = self._root.subcontext(task_name=stage, max_subtasks=self._most)
            self._stage.call_on_fit_task_begin(estimator=self._estimator)

    def _close_stage(self) -> None:
        if self._stage is not None:
            self._stage.call_on_fit_task_end(estimator=self._estimator)
        self._stage, self._stage_name = None, ""
