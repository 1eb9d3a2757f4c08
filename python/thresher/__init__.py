"""Sparse, interpretable models over very large feature spaces, with a certificate of optimality.

Examples
--------
>>> import numpy as np
>>> from thresher import RuleRegressor
>>> X = np.arange(40.0)[:, None]
>>> model = RuleRegressor(alpha=0.01, linear=False).fit(X, 2.0 * (X[:, 0] > 19))
>>> model.rules_[0].text in ("x0 > 19", "x0 <= 19")
True
"""

from . import _interrupted as _interrupted  # first: what follows may take seconds
from . import public_names
from ._native import CertificateError, FormatError
from .model_io.envelope import library_version

__version__ = library_version()

__all__ = ["CertificateError", "FormatError", "__version__", *public_names.MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name not in (*public_names.MODULES, *public_names.SUBMODULES):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = public_names.load(name)
    return found


def __dir__() -> list[str]:
    special = (name for name in globals() if name.startswith("__"))
    return sorted({*special, *__all__, *public_names.SUBMODULES})
