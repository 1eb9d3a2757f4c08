"""Fits of many data sets: in threads, processes or on the machines of a cluster, with checkpoints."""

from ._fit_many import fit_many

__all__ = ["fit_many"]
