"""The factor of a factorization machine as a sum of products of columns."""

from __future__ import annotations

import itertools
import math

from .formula import Atom, Factor

MAX_PRODUCTS = 100_000
"""The most products into which a sum is expanded: a text of some 10 MB, which databases still read."""

Products = dict[tuple[Atom, ...], float]
"""The coefficient of each set of columns; that of no column is a constant."""

ALMOST_ZERO = 1e-75
"""What the all-subsets kernel takes for a factor 1 + z of 0, as the core does (`factorization/kernel.rs`)."""


def products_of(factor: Factor) -> Products:
    """Multiply a factor of an order out.

    Parameters
    ----------
    factor : Factor
        A factor of an order.

    Returns
    -------
    dict of tuple of Atom to float
        The coefficients. Two levels of one column, which never hold together, make no product.

    Raises
    ------
    ValueError
        If there are more than 100,000 products.

    Examples
    --------
    >>> atoms = (Atom(0), Atom(1), Atom(None))
    >>> found = products_of(Factor(2, atoms, (1.0,), (((0, 2.0), (1, 3.0), (2, 1.0)),)))
    >>> [(len(atoms), coef) for atoms, coef in found.items()]
    [(2, 6.0), (1, 2.0), (1, 3.0)]
    """
    order = factor.order or 0
    count = sum(math.comb(len(own), order) for own in factor.components)
    if count > MAX_PRODUCTS * max(1, len(factor.components)):
        raise _too_many()
    parts: dict[tuple[Atom, ...], list[float]] = {}
    for sign, own in zip(factor.signs, factor.components, strict=True):
        for chosen in itertools.combinations(own, order):
            atoms = tuple(atom for place, _ in chosen if (atom := factor.atoms[place]).column is not None)
            if len({atom.column for atom in atoms}) == len(atoms):
                parts.setdefault(atoms, []).append(sign * math.prod(weight for _, weight in chosen))
        if len(parts) > MAX_PRODUCTS:
            raise _too_many()
    return {atoms: math.fsum(weights) for atoms, weights in parts.items()}


def _too_many() -> ValueError:
    return ValueError(
        f"the model has more than {MAX_PRODUCTS:,} products of columns, too many to list; a fit with a "
        "penalty has fewer, by a larger alpha or a number n_interactions; or use to_python, to_javascript, "
        "to_c or to_onnx"
    )
