"""Every item-set or sequence of a case scored against one residual by array arithmetic, without pruning.

This is the work of a search that knows no bound: for every pattern z_k the correlation
``|sum_i u_i z_ik| / c_k`` with the dual residual u. Its largest value is also what a proof of
optimality needs, so that a fit's gap can be computed anew by code that shares nothing with the product.
"""

import time

import numpy as np


class StoppedError(Exception):
    """The time is over."""


class Scores:
    """The largest score so far, and the clock."""

    def __init__(self, growth, least, limit):
        self.growth, self.least, self.limit = growth, least, limit
        self.top, self.n_patterns, self.begin = 0.0, 0, time.process_time()

    def add(self, scores, counts, length):
        """Take the scores of patterns of one length, and their numbers of rows."""
        self.n_patterns += scores.size
        scores = np.where(counts >= self.least, np.abs(scores), 0.0)
        self.top = max(self.top, float(scores.max(initial=0.0)) / (1 + self.growth * (length - 1)))
        if time.process_time() - self.begin > self.limit:
            raise StoppedError


def itemsets(held, u, most, negations, found):
    """Score all sets: pairs by a matrix product, larger ones by a product for each prefix."""
    held = np.asarray(held, dtype=np.float64)
    if negations:
        held = np.hstack([held, 1 - held])
    found.add(u @ held, held.sum(0), 1)
    if most > 1:
        _pairs(held, u, 2, most, found)


def _pairs(held, u, length, most, found):
    """Score all pairs of columns, then those with each first column before them."""
    m = held.shape[1]
    if m < 2 or not len(u):
        return
    upper = np.triu_indices(m, 1)
    found.add(((held * u[:, None]).T @ held)[upper], (held.T @ held)[upper], length)
    if length < most:
        for j in range(m - 2):
            rows = held[:, j] > 0
            _pairs(held[rows, j + 1 :], u[rows], length + 1, most, found)


def sequences(records, u, n_symbols, most, gap, found):
    """Score all sequences of single symbols, by the positions at which they can end, as bits."""
    at = np.zeros((len(records), n_symbols), np.uint64)
    for row, record in enumerate(records):
        for place, symbol in enumerate(record):
            at[row, symbol] |= np.uint64(1) << np.uint64(place)
    _extend(at, np.full(len(records), ~np.uint64(0)), u, 1, most, gap, found)


def _extend(at, allowed, u, length, most, gap, found):
    """Score the extensions by each symbol at allowed places, and extend those that occur."""
    ends = at & allowed[:, None]
    occurs = (ends != 0).astype(np.float64)
    counts = occurs.sum(0)
    found.add(u @ occurs, counts, length)
    if length == most:
        return
    for symbol in np.flatnonzero(counts >= found.least):
        rows = np.flatnonzero(occurs[:, symbol])
        _extend(at[rows], _after(ends[rows, symbol], gap), u[rows], length + 1, most, gap, found)


def _after(ends, gap):
    """The places at which the next symbol may stand."""
    if gap is None:
        lowest = ends & (~ends + np.uint64(1))
        return ~(lowest | (lowest - np.uint64(1)))
    places = np.zeros_like(ends)
    for step in range(1, gap + 2):
        places |= ends << np.uint64(step)
    return places
