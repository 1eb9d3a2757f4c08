"""Linear models with an L0 penalty, for regression and classification."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from ... import _native
from ...data.budget import Budget
from ...data.compressed import Compressed, compress, compress_like
from ...data.frames import as_rows
from ...data.inputs import Table, read
from ...results import contributions
from ...results.explanation import Contribution
from ...results.l0_certificate import L0Certificate, l0_certificate
from ...results.summary import SUM_OF_COLUMNS, SummaryRow
from ...results.summary_rows import coefficient_rows
from ...validation import Parameter, integer, number, words
from .._base import Estimator
from .._columns import bounds_of
from .._l0 import (
    L0_PARAMETERS,
    LAMBDA0_HINT,
    choice_of,
    fit_path,
    l0_attributes,
    proof,
    size_of_step,
    strengths,
    warn_of_flat_columns,
    warn_of_gap,
    warn_of_search,
)
from .._optimality import timed, verified
from .._parameters import loss_parameter
from .._plots import plot_path
from .._tables import interpret, problem_of, sparse_problem_of
from .._training import FitResult, PathRequest, TrainingData, one_or_all
from .._within_error import warn_if_within_error
from ._separation import warn_of_growing_coefficients

_Calls = tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]

_BYTES_OF_A_CELL = (16, 16)
"""What the core reserves for each cell of a table, among all rows and in each fold: merged, standardised."""
_BYTES_OF_A_COPIED_CELL = 16
"""What it takes beside that: the cell as given, and in the rows that were checked."""
_BYTES_OF_A_ROW = 200
"""What it takes for each row beside the cells, measured: the response, weights, predictions and the like."""
_BYTES_OF_A_COLUMN = (520, 200)
"""What the core reserves for each column beside its cells, of all rows and in each fold."""
_BYTES_OF_AN_ENTRY = 96
"""What it reserves for each entry of a sparse matrix, without folds: by columns and by rows, four times."""

_EXACT = (
    "gap_tol=0 finds the best of all subsets and proves it, with up to some 40 columns that do not nearly "
    "depend on each other, or with lambda2 > 0."
)

_MOST_COLUMNS = 40
"""The most columns at which an optimum is proven unasked: with more the nodes below are rarely enough."""
_PRODUCTS = 400_000_000
"""Products of numbers that such a proof may take: some tenths of a second."""

_DENSE: _Calls = (problem_of, _native.fit_linear, _native.verify_linear)
_SPARSE: _Calls = (sparse_problem_of, _native.fit_linear_sparse, _native.verify_linear_sparse)
"""What packs a table or a sparse matrix for the core, and the core's functions for it."""


def subset_parameters(*losses: str) -> dict[str, Parameter]:
    """Return the parameters of the estimators with these losses."""
    return {
        **L0_PARAMETERS,
        "lambda0": Parameter(
            (words("cv"), number(0, closed="left"), "array-like", None),
            """Penalty for each non-zero coefficient. "cv": the penalty of least held-out loss on a path
            from the empty model down to half the penalty of Akaike's criterion; a list: the best of these
            by held-out loss; None: no penalty, but at most `max_nonzero` coefficients.""",
            '"cv", float, array-like of float or None',
            LAMBDA0_HINT,
        ),
        "max_nonzero": Parameter((integer(0), None), "The most coefficients."),
        "loss": loss_parameter(losses, probabilities="Both have"),
        "bounds": Parameter(
            (object,),
            """Bounds (lower, upper) on the coefficients of all columns, of each, or of some by name or
            position; None or infinite for no bound. 0 must lie between them. (0, None): no negative
            coefficient.""",
            "pair, sequence of pairs, dict of column: pair, or None",
        ),
        "gap_tol": Parameter(
            (words("auto"), number(0, closed="left"), None),
            """Relative gap of the certificate at which a branch and bound over the columns ends; 0 proves the
            selected model optimal; give a `time_limit` where that may be out of reach. "auto": 0 with at
            most 40 columns, as far as some tenths of a second suffice. None: the bound without branching,
            with `lambda2` > 0 or `bounds` on every coefficient. A branch and bound needs these, or more rows
            than columns that neither nearly depend on each other nor separate the classes (columns that are
            sums of others up to rounding, as the levels of a category, do not matter).""",
            '"auto", float or None',
            '"auto", a number >= 0 (the relative gap of the certificate), or None',
        ),
        "max_candidates": Parameter(
            (integer(1), None),
            """The most columns tried in place of each coefficient in the final check, those of the largest
            gradient; None: all.""",
        ),
    }


class SubsetModel(Estimator):
    """Base class of linear models with few coefficients."""

    _term_noun: ClassVar[str] = "column"
    _size_limits: ClassVar[tuple[str, ...]] = ("max_nonzero",)
    _sum_phrase: ClassVar[str] = SUM_OF_COLUMNS
    fit_path = fit_path  # type: ignore[assignment]
    plot_path = plot_path
    _path_measure: ClassVar[str] = "coefficient"
    _strengths = strengths
    certificate_: L0Certificate

    @classmethod
    def _at(cls, params: Mapping[str, Any], result: FitResult, path_index: list[int]) -> Self:
        estimator = super()._at(params, result, path_index)
        largest = int(np.max(estimator.n_nonzero_))
        size = size_of_step(estimator)
        if size is None and estimator.max_nonzero is not None and largest > estimator.max_nonzero:
            size = largest
        return estimator if size is None else estimator.set_params(max_nonzero=size)

    def _faster(self) -> list[str]:
        proof = ["gap_tol=None (without a proof)"] * (self.gap_tol is not None)
        check = ["max_candidates=100 (a check of fewer columns)"] * (self.max_candidates is None)
        return [*proof, *check, *["a number for lambda0"] * isinstance(self.lambda0, str)]

    def _proof(self) -> str:
        said = proof(self)
        is_asked = self.gap_tol not in (None, "auto")
        return said if self.certificate_.is_optimal or is_asked else f"{said} {_EXACT}"

    def _warn(self, data: TrainingData, seconds: float) -> None:
        warn_of_search(self, data, seconds)
        warn_of_flat_columns(self, data)
        if isinstance(self.lambda0, str) and not self.one_standard_error:
            warn_if_within_error(self, "lambda0", self._size_limits[0])
        if self._task == "classification":
            points = self._fitted.points(self._path_index)
            warn_of_growing_coefficients(data, self._fitted.schema.names, points)
        warn_of_gap(self, "A larger lambda2 or lambda0 makes it smaller")

    def _read_inputs(self, X: Any, budget: Budget) -> Table | Compressed:
        if issparse(X):
            rows = compress(X, budget, _BYTES_OF_AN_ENTRY)
            budget.hold(_BYTES_OF_A_ROW * rows.n_rows, f"a fit of {rows.n_rows} rows")
            return rows

        def copied(n: int, d: int) -> int:
            return n * (d * _BYTES_OF_A_COPIED_CELL + _BYTES_OF_A_ROW)

        def solved(n: int, d: int) -> int:
            return d * (n * budget.of_all(*_BYTES_OF_A_CELL) + budget.of_all(*_BYTES_OF_A_COLUMN))

        table = read(X, categorical=None, budget=budget, fit_bytes=lambda n, d: copied(n, d) + solved(n, d))
        n, d = table.n_rows, len(table.names)
        budget.hold(copied(n, d), f"a fit of {n} rows and {d} columns", solved(n, d))
        return table

    def _core_parameters(self, inputs: Table | Compressed, path: PathRequest | None) -> dict[str, Any]:
        same = ("loss", "max_nonzero", "max_swaps", "time_limit")
        return {
            **choice_of(self, path),
            **{name: getattr(self, name) for name in same},
            **self._proof_limits(inputs, path),
            "n_candidates": self.max_candidates,
            "memory_limit": self.memory_limit,
            "bounds": bounds_of(self.bounds, inputs.names),
        }

    def _proof_limits(self, inputs: Table | Compressed, path: PathRequest | None) -> dict[str, Any]:
        """Return the gap at which a proof ends, and how much it may take."""
        if self.gap_tol != "auto":
            return {"gap_tol": self.gap_tol}
        if path is not None or len(inputs.names) > _MOST_COLUMNS:
            return {"gap_tol": None}
        return {"gap_tol": 0.0, "max_work": _PRODUCTS}

    def _run_core(self, data: TrainingData, n_jobs: int, report: Any) -> tuple[Any, Any]:
        pack, fit, _ = _SPARSE if isinstance(data.inputs, Compressed) else _DENSE
        problem = pack(data.inputs, data.target.values, data.weights, data.folds)
        return fit(problem, data.payload, n_jobs, data.classes, report, data.journal), None

    @classmethod
    def _load_core(cls, text: str) -> _native.LinearModel:
        return _native.LinearModel.from_json(text)

    @classmethod
    def _interpret(
        cls,
        model: Any,
        data: TrainingData | None,
        envelope: Mapping[str, Any],
        vocabulary: Any,  # noqa: ARG003
    ) -> dict[str, Any]:
        return interpret(model, data, envelope)

    def _fitted_attributes(self, result: FitResult, path_index: list[int], select: Any) -> dict[str, Any]:
        coef = np.zeros((len(path_index), len(result.schema.names)))
        for row, point in zip(coef, result.points(path_index), strict=True):
            for feature, value in point["coef"]:
                row[feature] = value
        return {
            **l0_attributes(result, path_index, select, lambda point: len(point["coef"])),
            "coef_": coef[0] if len(path_index) == 1 else coef,
            "n_nonzero_": one_or_all([int(np.count_nonzero(row)) for row in coef]),
            "certificate_": l0_certificate(
                result.points(path_index), "coefficient", of_path=_of_path(result, path_index)
            ),
        }

    def _used_columns(self) -> Collection[int]:
        used: list[int] = np.flatnonzero(np.atleast_2d(self.coef_).any(axis=0)).tolist()
        return used

    def _move(self) -> str:
        return (
            "with the others unchanged no coefficient can be added, dropped or swapped for another to lower "
            "the objective"
        )

    def _as_rows(self, X: Any) -> Any:
        return as_rows(X)

    def _path_terms(self, which: int, places: list[int]) -> list[list[tuple[str, str, float]]]:
        names = self._fitted.schema.names
        points = (self._fitted.point(which, place) for place in places)
        return [[("column", names[feature], value) for feature, value in point["coef"]] for point in points]

    def _summary_rows(self) -> list[SummaryRow]:
        names, rows = self._fitted.schema.names, []
        for output, (point, label) in enumerate(
            zip(self._path_index, self._fitted.output_names(), strict=True)
        ):
            coef = self._fitted.point(output, point)["coef"]
            rows += coefficient_rows(((names[feature], value) for feature, value in coef), label)
        return rows

    def verify(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, time_limit: float | None = None
    ) -> L0Certificate:
        """Compute the model's objective and its lower bound again, by code apart from the fit.

        All else that the model says of the training data is computed again and compared: the loss,
        the objective of the best constant, the bound of each leaf of a tree, whether the classes
        are separated, and the limits of the parameters. Where a search without `max_swaps` and
        `max_candidates` claims to be complete, no coefficient can be dropped, or swapped for that
        of another column, with profit while the others stay as they are; this is left out
        beyond 50 million rows times columns times coefficients. Not checked, because the data do not
        determine them: the time, the number of swaps, held-out scores, and whether a limit ended
        the search.

        Parameters
        ----------
        X, y, sample_weight : array-like
            The training data of the model.
        time_limit : float, optional
            Seconds for the proof and the reading of the data; by default there is no limit.

        Returns
        -------
        L0Certificate
            The new certificate.

        Raises
        ------
        CertificateError
            If a number differs: the data differ, the file was edited, or there is a defect.
        TypeError, ValueError
            If the data cannot be read.
        TimeoutError
            If the time is over before; the message says which outputs are confirmed.
        """
        is_sparse = issparse(X)
        pack, _, verify = _SPARSE if is_sparse else _DENSE
        with timed(time_limit):
            rows: Any = self._compressed(X) if is_sparse else self._table(X, every_column=True)
            found = verified(self, rows, y, sample_weight, pack, verify)
        return l0_certificate(found, "coefficient", of_path=self.certificate_.of_path)

    def _compressed(self, X: Any) -> Compressed:
        check_is_fitted(self)
        return compress_like(X, self._fitted.schema, type(self).__name__)

    def _decision(self, X: Any) -> NDArray[np.float64]:
        if not issparse(X):
            return super()._decision(X)
        found = self._compressed(X)
        decision: NDArray[np.float64] = self._fitted.model.decision_sparse(
            found.n_rows, found.starts, found.rows, found.values, self._path_index
        )
        return decision

    def _contributions(self, X: Any) -> list[list[Contribution]]:
        columns, names = self._table(X).columns, self._fitted.schema.names
        return contributions.concatenate_rows(
            *(
                contributions.of_coefficients(self._fitted.point(o, point)["coef"], names, columns, label)
                for o, (point, label) in enumerate(
                    zip(self._path_index, self._fitted.output_names(), strict=True)
                )
            )
        )


def _of_path(result: FitResult, path_index: list[int]) -> bool:
    """Whether a point is one of a path for which no bound was computed.

    A file has that point alone; with a ridge penalty a search that is complete ends with a bound.
    """
    for output, place in zip(result.outputs, path_index, strict=True):
        point = output["points"][place]
        lacks_bound = not point.get("bound")
        if lacks_bound and (place != output["selected"] or (point["lambda2"] > 0 and point["complete"])):
            return True
    return False
