"""Optimal sparse sums of subgraphs.

============================================ =====================================
the two classes                              ``_estimators.py``
graphs as records, subgraphs as patterns     ``_family.py``, ``_vocabulary.py``
reading of graphs, those that cannot be read ``_records.py``, ``_invalid_rows.py``
``matches``, ``counts``, plots               ``_queries.py``
drawings of molecules                        ``_drawings.py``
============================================ =====================================
"""

from ._estimators import GraphClassifier, GraphRegressor

__all__ = ["GraphClassifier", "GraphRegressor"]
