"""Reading a model of any kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..estimators.additive import L0AdditiveClassifier, L0AdditiveRegressor
from ..estimators.factorization import FactorizationMachineClassifier, FactorizationMachineRegressor
from ..estimators.hierarchy import HierarchicalRuleClassifier, HierarchicalRuleRegressor
from ..estimators.patterns import (
    GraphClassifier,
    GraphRegressor,
    ItemsetClassifier,
    ItemsetRegressor,
    SequenceClassifier,
    SequenceRegressor,
)
from ..estimators.rules import RuleClassifier, RuleRegressor
from ..estimators.subset import L0Classifier, L0Regressor
from .files import bad_model, parse, read_source
from .mixin import SavedModel
from .persistence import estimator_of, restored

_ESTIMATORS: dict[str, type[SavedModel]] = {
    kind.__name__: kind
    for kind in (
        RuleRegressor,
        RuleClassifier,
        ItemsetRegressor,
        ItemsetClassifier,
        SequenceRegressor,
        SequenceClassifier,
        GraphRegressor,
        GraphClassifier,
        HierarchicalRuleRegressor,
        HierarchicalRuleClassifier,
        L0Regressor,
        L0Classifier,
        L0AdditiveRegressor,
        L0AdditiveClassifier,
        FactorizationMachineRegressor,
        FactorizationMachineClassifier,
    )
}


def load_model(source: str | Path) -> Any:
    """Read a model of any kind.

    Parameters
    ----------
    source : str or Path
        Text or path; the core's own documents of rules are read too, with default
        parameters.

    Returns
    -------
    estimator
        Fitted, of the class that was saved.

    Raises
    ------
    FormatError
        If it is no valid model.
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> from thresher import L0Regressor
    >>> text = L0Regressor(lambda0=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 5.0, 10.0]).to_json()
    >>> load_model(text).predict([[3.0]]).round(6).tolist()
    [15.0]
    """
    envelope = parse(read_source(source))
    name = estimator_of(envelope)
    if name not in _ESTIMATORS:
        raise bad_model(f"unknown estimator {name!r}")
    return restored(_ESTIMATORS[name], envelope)
