"""Optimal sparse sums of subgraphs."""

from __future__ import annotations

from typing import Any

from ...validation import Parameter, integer, words
from .._classifier import Classifier
from .._parameters import CLASSES, LOSSES, public_estimator
from .._patterns import PatternModel, pattern_parameters
from .._regressor import Regressor
from .._typing import ClassWeight, Folds, Relax, Strength
from . import _invalid_rows as invalid_rows
from . import _records as records
from ._family import GraphFamily
from ._queries import counts, matches, plot_matches, plot_patterns


def _parameters(*losses: str) -> dict[str, Parameter]:
    return {
        **pattern_parameters("edge", losses),
        "max_edges": Parameter(
            (integer(1),),
            "The most edges of a subgraph, 1 to 32. A larger value makes the search longer.",
        ),
        "wildcards": Parameter(
            ("boolean", words("nodes", "edges")),
            """Wildcards in a subgraph: for labels of nodes, of edges, or (True) both. A node
            ``*`` and an edge ``~`` match any label, as in SMARTS. The number of
            candidates and the time grow fast with `max_edges`; start with a small
            value.""",
            hint="False, 'nodes', 'edges', or True for both",
        ),
        "charges": Parameter(
            ("boolean",),
            """Whether the formal charge of an atom is part of its label, so that ``[N+]`` and ``N`` differ.
            For SMILES and rdkit molecules.""",
        ),
        "on_invalid": Parameter(
            (words("raise", "skip"),),
            """What happens to SMILES that rdkit does not read, and to records that are None or NaN. "raise":
            an error. "skip": a fit leaves them out with their targets and weights, warns, and lists them in
            ``invalid_rows_``; predictions, probabilities and :meth:`transform` of such records are NaN.""",
        ),
    }


@public_estimator
class GraphRegressor(Regressor, PatternModel):
    """Sparse sum of subgraphs for numbers, with a certificate.

    The model is f(x) = b + sum_k w_k [x contains subgraph k], over all connected graphs of
    at most `max_edges` edges. It minimises

        (1/n) sum_i v_i loss(y_i, f(x_i)) + alpha sum_k c_k |w_k|

    with loss = (y - f)^2 / 2 or Huber's, v_i the sample weights normalised to mean 1, and
    c_k = 1 + `penalty_growth` (size_k - 1). ``certificate_`` bounds how far the objective
    can be from the optimum over all candidates.

    With ``penalty="l0"`` the model is a best subset of the terms in place of an L1 solution.

    `X` holds labelled undirected graphs, a list of them in one of these forms (or mixed):

    - networkx graphs; labels are the ``label`` of nodes and edges (none: unlabelled);
    - tuples (node labels, edges) or (node labels, edges, edge labels), edges being pairs of
      node numbers;
    - SMILES, or rdkit molecules (``pip install 'thresher[chem]'``): atoms by symbol,
      aromatic ones in lower case, bonds by type, without implicit hydrogen, isotopes and
      stereochemistry, and without charges unless `charges` is True;
    - instead of a list, the text or the path of a file in gSpan's format (:func:`read_gspan`).

    Labels are text, numbers, or anything hashable. Graphs may be disconnected or empty; an
    edge from a node to itself and two edges between the same nodes are refused. A pattern has
    at least one edge, and occurs in a graph that contains it as a subgraph: its nodes
    map to distinct nodes of the same labels, and its edges to edges of the same labels.
    Labels unknown from training match only wildcards. Patterns of molecules have ``smarts``, and
    `price` and `matches` read SMARTS of symbols, bonds, wildcards and, with `charges`, charges.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    patterns_ : list of Pattern
        The patterns of the model with their coefficients, by size and labels: the columns of
        :meth:`transform`. ``summary()`` and ``get_patterns()`` list the most important first.
    intercept_ : float or ndarray of shape (n_outputs,)
        The intercept b.
    alpha_ : float or ndarray of shape (n_outputs,)
        The selected regularisation strength.
    relaxation_ : Relaxation or None, or list of them
        Blend and ridge penalty of the relaxed coefficients; None where they were not relaxed.
    ridge_ : float or None, or list of them
        Ridge penalty of a best subset; None with ``penalty="l1"``.
    path_ : PatternPath
        The regularisation path: ``alphas, objective, relative_gap, n_patterns, n_iter, at(alpha)``.
    certificate_ : Certificate or SubsetCertificate
        The certificate: ``primal, dual, gap, relative_gap, n_candidates, ...``. The candidates are
        all connected graphs over the labels of training (and wildcards), including those that do not occur.
    n_iter_ : int
        Number of iterations of the solver.
    invalid_rows_ : ndarray of int
        Positions of the records that the fit left out with ``on_invalid="skip"``.

    References
    ----------
    Nakagawa, Suzumura, Karasuyama, Tsuda, Takeuchi, "Safe Pattern Pruning: An Efficient
    Approach for Predictive Pattern Mining", KDD 2016.
    Yan, Han, "gSpan: Graph-Based Substructure Pattern Mining", ICDM 2002.

    Examples
    --------
    >>> from thresher import GraphRegressor
    >>> acid = (["C", "C", "O", "O"], [(0, 1), (1, 2), (1, 3)], ["-", "=", "-"])
    >>> ketone = (["C", "C", "O", "C"], [(0, 1), (1, 2), (1, 3)], ["-", "=", "-"])
    >>> model = GraphRegressor(alpha=0.01).fit([acid, ketone] * 5, [2.0, 0.0] * 5)
    >>> model.patterns_[0].text, model.patterns_[0].size
    ('O-C', 1)
    >>> bool(model.certificate_.relative_gap <= 1e-6)
    True

    Any atom between two oxygens:

    >>> pair = [(["O", x, "O"], [(0, 1), (1, 2)], ["-", "-"]) for x in "CNPS"]
    >>> lone = [(["O", x, x], [(0, 1), (1, 2)], ["-", "-"]) for x in "CNPS"]
    >>> model = GraphRegressor(alpha=0.01, wildcards="nodes").fit(pair + lone, [1.0] * 4 + [0.0] * 4)
    >>> model.patterns_[0].text, model.patterns_[0].n_rows
    ('O-*-O', 4)
    """

    _family = GraphFamily()
    matches = matches
    counts = counts
    _graphs = records.graphs
    _as_rows = records.as_rows
    _read = records.read
    _warn = records.warn
    verify = records.verify
    _finite_decision = records.finite_decision
    _activations = records.activations
    _contributions = records.contributions
    _valid_rows = records.valid_rows
    _draw_pattern = records.draw_pattern
    _draw_record = records.draw_record
    pattern_table = records.pattern_table
    plot_patterns = plot_patterns  # type: ignore[assignment]
    plot_matches = plot_matches
    score = records.score
    _interpret = invalid_rows.interpret
    _fitted_attributes = invalid_rows.fitted_attributes
    _saved_parts = invalid_rows.saved_parts
    _parameters = _parameters(*LOSSES["regression"])

    def __init__(
        self,
        *,
        alpha: Strength = "cv",
        n_alphas: int = 100,
        alpha_min_ratio: float = 0.01,
        cv: Folds = 5,
        one_standard_error: bool = False,
        relax: Relax = None,
        penalty: str = "auto",
        ridge: float | None = None,
        max_patterns: int | None = None,
        loss: str | tuple[str, float] = "squared",
        penalty_growth: float = 0.0,
        max_edges: int = 5,
        min_support: float = 1,
        wildcards: bool | str = False,
        charges: bool = False,
        on_invalid: str = "raise",
        closed: bool = True,
        sparse_output: bool = True,
        strategy: str = "working_set",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.n_alphas = n_alphas
        self.alpha_min_ratio = alpha_min_ratio
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.relax = relax
        self.penalty = penalty
        self.ridge = ridge
        self.max_patterns = max_patterns
        self.loss = loss
        self.penalty_growth = penalty_growth
        self.max_edges = max_edges
        self.min_support = min_support
        self.wildcards = wildcards
        self.charges = charges
        self.on_invalid = on_invalid
        self.closed = closed
        self.sparse_output = sparse_output
        self.strategy = strategy
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose


@public_estimator
class GraphClassifier(Classifier, PatternModel):
    """Sparse sum of subgraphs for classes, with a certificate.

    The decision function is f(x) = b + sum_k w_k [x contains subgraph k], over all
    connected graphs of at most `max_edges` edges. With y in {-1, +1} it
    minimises

        (1/n) sum_i v_i loss(y_i f(x_i)) + alpha sum_k c_k |w_k|

    with v_i the sample weights normalised to mean 1 and c_k = 1 + `penalty_growth` (size_k - 1).
    ``certificate_`` bounds how far the objective can be from the optimum over all
    candidates. More than two classes are fitted one against the rest over a shared
    search tree; their probabilities are the sigmoids, normalised to sum 1.

    With ``penalty="l0"`` the model is a best subset of the terms in place of an L1 solution.

    `X` holds labelled undirected graphs, a list of them in one of these forms (or mixed):

    - networkx graphs; labels are the ``label`` of nodes and edges (none: unlabelled);
    - tuples (node labels, edges) or (node labels, edges, edge labels), edges being pairs of
      node numbers;
    - SMILES, or rdkit molecules (``pip install 'thresher[chem]'``): atoms by symbol,
      aromatic ones in lower case, bonds by type, without implicit hydrogen, isotopes and
      stereochemistry, and without charges unless `charges` is True;
    - instead of a list, the text or the path of a file in gSpan's format (:func:`read_gspan`).

    Labels are text, numbers, or anything hashable. Graphs may be disconnected or empty; an
    edge from a node to itself and two edges between the same nodes are refused. A pattern has
    at least one edge, and occurs in a graph that contains it as a subgraph: its nodes
    map to distinct nodes of the same labels, and its edges to edges of the same labels.
    Labels unknown from training match only wildcards. Patterns of molecules have ``smarts``, and
    `price` and `matches` read SMARTS of symbols, bonds, wildcards and, with `charges`, charges.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels; of two, a positive decision value predicts the last.
    patterns_ : list of Pattern
        The patterns with their coefficients, class by class where there are more than two, by size and
        labels: the columns of :meth:`transform`. ``summary()`` and ``get_patterns()`` list the most
        important first.
    intercept_ : float or ndarray of shape (n_outputs,)
        The intercept b.
    alpha_ : float or ndarray of shape (n_outputs,)
        The selected regularisation strength.
    relaxation_ : Relaxation or None, or list of them
        Blend and ridge penalty of the relaxed coefficients; None where they were not relaxed.
    ridge_ : float or None, or list of them
        Ridge penalty of a best subset; None with ``penalty="l1"``.
    path_ : PatternPath
        The regularisation path: ``alphas, objective, relative_gap, n_patterns, n_iter, at(alpha)``.
    certificate_ : Certificate or SubsetCertificate
        The certificate: ``primal, dual, gap, relative_gap, n_candidates, ...``. The candidates are
        all connected graphs over the labels of training (and wildcards), including those that do not occur.
    n_iter_ : int
        Number of iterations of the solver.
    invalid_rows_ : ndarray of int
        Positions of the records that the fit left out with ``on_invalid="skip"``.

    References
    ----------
    Nakagawa, Suzumura, Karasuyama, Tsuda, Takeuchi, "Safe Pattern Pruning: An Efficient
    Approach for Predictive Pattern Mining", KDD 2016.
    Yan, Han, "gSpan: Graph-Based Substructure Pattern Mining", ICDM 2002.

    Examples
    --------
    >>> from thresher import GraphClassifier
    >>> ring = (["a", "a", "a"], [(0, 1), (1, 2), (2, 0)])
    >>> path = (["a", "a", "a"], [(0, 1), (1, 2)])
    >>> model = GraphClassifier(alpha=0.01).fit([ring, path] * 5, ["ring", "path"] * 5)
    >>> model.patterns_[0].text
    'a&1-a-a-&1'
    >>> model.predict([(["a"] * 4, [(0, 1), (1, 2), (0, 2), (2, 3)]), (["b"], [])]).tolist()
    ['ring', 'path']
    """

    _family = GraphFamily()
    matches = matches
    counts = counts
    _graphs = records.graphs
    _as_rows = records.as_rows
    _read = records.read
    _warn = records.warn
    verify = records.verify
    _finite_decision = records.finite_decision
    _activations = records.activations
    _contributions = records.contributions
    _valid_rows = records.valid_rows
    _draw_pattern = records.draw_pattern
    _draw_record = records.draw_record
    pattern_table = records.pattern_table
    plot_patterns = plot_patterns  # type: ignore[assignment]
    plot_matches = plot_matches
    score = records.score
    _interpret = invalid_rows.interpret
    _fitted_attributes = invalid_rows.fitted_attributes
    _saved_parts = invalid_rows.saved_parts
    _parameters = {**_parameters(*LOSSES["classification"]), **CLASSES}

    def __init__(
        self,
        *,
        alpha: Strength = "cv",
        n_alphas: int = 100,
        alpha_min_ratio: float = 0.01,
        cv: Folds = 5,
        one_standard_error: bool = False,
        relax: Relax = None,
        penalty: str = "auto",
        ridge: float | None = None,
        max_patterns: int | None = None,
        loss: str = "logistic",
        penalty_growth: float = 0.0,
        max_edges: int = 5,
        min_support: float = 1,
        wildcards: bool | str = False,
        charges: bool = False,
        on_invalid: str = "raise",
        closed: bool = True,
        class_weight: ClassWeight = None,
        pos_label: Any = None,
        sparse_output: bool = True,
        strategy: str = "working_set",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.n_alphas = n_alphas
        self.alpha_min_ratio = alpha_min_ratio
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.relax = relax
        self.penalty = penalty
        self.ridge = ridge
        self.max_patterns = max_patterns
        self.loss = loss
        self.penalty_growth = penalty_growth
        self.max_edges = max_edges
        self.min_support = min_support
        self.wildcards = wildcards
        self.charges = charges
        self.on_invalid = on_invalid
        self.closed = closed
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.sparse_output = sparse_output
        self.strategy = strategy
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
