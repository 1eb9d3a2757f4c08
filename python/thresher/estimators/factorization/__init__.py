"""Factorization machines with sparse interactions.

===================================== =================================
the two classes, and what they share  ``_estimators.py``, ``_model.py``
parameters, also as the core has them ``_parameters.py``
``interactions_``, those of a row     ``_interactions.py``
``partial_fit``                       ``_batches.py``
``warm_start``                        ``_starts.py``
``early_stopping``                    ``_held_out.py``
warnings                              ``_messages.py``
===================================== =================================
"""

from ._estimators import FactorizationMachineClassifier, FactorizationMachineRegressor

__all__ = ["FactorizationMachineClassifier", "FactorizationMachineRegressor"]
