"""Fits of many data sets: in threads, processes or on the machines of a cluster, with checkpoints.

========================= =============================
``fit_many()``            ``_fit_many.py``
its tasks and their names ``_tasks.py``, ``_names.py``
the fit of one task       ``_fit_task.py``
workers: joblib, Dask     ``_workers.py``, ``_dask.py``
data that tasks share     ``_shared.py``
========================= =============================
"""

from ._fit_many import fit_many

__all__ = ["fit_many"]
