"""Sparse additive models of step functions.

============================================ =============================================================
the two classes, and what they share         ``_estimators.py``, ``_model.py``
the parameters                               ``_parameters.py``
the number of bins                           ``_bins_choice.py``
columns of many categories                   ``_chance.py``, ``_left_out.py``
binning tables, cards in points, ``monitor`` ``_scorecards.py``
``edit_bins``                                ``_editing.py``, ``_edits.py``, ``_pieces.py``, ``_refit.py``
its bins that break a trend                  ``_trend_breaks.py``
its candidate cut points                     ``_candidate_cuts.py``
what keeps a gap open                        ``_gap.py``
``drop_column_importance``                   ``_importance.py``, ``_one_strength.py``
whether rows are those of the fit            ``_training_rows.py``
============================================ =============================================================
"""

from ._estimators import L0AdditiveClassifier, L0AdditiveRegressor

__all__ = ["L0AdditiveClassifier", "L0AdditiveRegressor"]
