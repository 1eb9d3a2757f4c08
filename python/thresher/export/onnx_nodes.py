"""Nodes and constants of an ONNX graph, before names are given and operators are versioned.

Only forms of operators are used that have not changed since opset 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

DOUBLE, INT64 = 11, 7
"""The element types of ``onnx.TensorProto``."""


@dataclass(frozen=True)
class Node:
    """One operator.

    Parameters
    ----------
    operator : str
        Its type.
    inputs, outputs : list of str
        Names of values.
    domain : str
        Its domain; empty for the standard.
    attributes : dict
        Its attributes.
    """

    operator: str
    inputs: list[str]
    outputs: list[str]
    domain: str
    attributes: dict[str, Any]


@dataclass
class Nodes:
    """A growing list of nodes and constants.

    Parameters
    ----------
    nodes : list of Node
        The operators in order.
    constants : dict of str to ndarray
        The constants by name.
    prefix : str, default="thresher"
        What their names begin with.
    """

    nodes: list[Node] = field(default_factory=list)
    constants: dict[str, NDArray[Any]] = field(default_factory=dict)
    prefix: str = "thresher"

    def add(
        self, operator: str, *inputs: str, n_outputs: int = 1, domain: str = "", **attributes: Any
    ) -> str:
        """Append an operator.

        Parameters
        ----------
        operator : str
            Its type.
        *inputs : str
            Names of values.
        n_outputs : int, default=1
            How many values it returns.
        domain : str, default=""
            Its domain.
        **attributes : object
            Its attributes.

        Returns
        -------
        str
            The name of its first value; further ones have this name with ``_1`` and so on.
        """
        first = f"{self.prefix} v{len(self.nodes)}"
        outputs = [first, *(f"{first}_{k}" for k in range(1, n_outputs))]
        self.nodes.append(Node(operator, list(inputs), outputs, domain, attributes))
        return first

    def constant(self, values: ArrayLike, dtype: Any = np.float64) -> str:
        """Add a constant.

        Parameters
        ----------
        values : array-like
            Its entries.
        dtype : dtype, default=float64
            Its type.

        Returns
        -------
        str
            Its name.
        """
        name = f"{self.prefix} c{len(self.constants)}"
        self.constants[name] = np.asarray(values, dtype=dtype)
        return name

    def row(self, values: Sequence[Any], dtype: Any = np.float64) -> str:
        """Add a constant of shape (1, n).

        Parameters
        ----------
        values : sequence
            Its entries.
        dtype : dtype, default=float64
            Its type.

        Returns
        -------
        str
            Its name.
        """
        return self.constant(np.asarray(values, dtype=dtype)[None, :], dtype)

    def take(self, matrix: str, columns: Sequence[int]) -> str:
        """Select columns of a matrix.

        Parameters
        ----------
        matrix : str
            The matrix.
        columns : sequence of int
            Their positions.

        Returns
        -------
        str
            The columns.
        """
        return self.add("Gather", matrix, self.constant(columns, np.int64), axis=1)

    def total(self, matrix: str, width: int) -> str:
        """Add up the columns of a matrix in any order.

        Parameters
        ----------
        matrix : str
            The matrix, of numbers.
        width : int
            How many columns it has.

        Returns
        -------
        str
            One column.
        """
        return self.add("MatMul", matrix, self.constant(np.ones((width, 1))))

    def number(self, condition: str) -> str:
        """Convert conditions to 1 and 0.

        Parameters
        ----------
        condition : str
            Booleans.

        Returns
        -------
        str
            Numbers.
        """
        return self.add("Cast", condition, to=DOUBLE)

    def concat(self, blocks: Sequence[str]) -> str:
        """Put matrices side by side.

        Parameters
        ----------
        blocks : sequence of str
            The matrices.

        Returns
        -------
        str
            One matrix.
        """
        return blocks[0] if len(blocks) == 1 else self.add("Concat", *blocks, axis=1)
