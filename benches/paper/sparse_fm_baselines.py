"""Baselines of [SparseFM] section 8: slow, dense, and only for comparison.

Both take (X, y, seed) and give the strict upper triangle of the weights with its support.

References
----------
Richard, Savalle, Vayatis, "Estimation of Simultaneously Sparse and Low Rank Matrices", ICML 2012.
"""

import numpy as np

STRENGTH, RIDGE = 0.1, 0.1  # of the sparse penalty; of the trace norm or the squared factors


def _quadratic(X, W):
    """Predictions and what they need: sum over i < j of W_ij x_i x_j for symmetric W."""
    return 0.5 * (np.einsum("ni,ij,nj->n", X, W, X) - X**2 @ np.diag(W))


def _gradient(X, rest):
    G = (X * rest[:, None]).T @ X / len(X)
    np.fill_diagonal(G, 0.0)
    return G


def slqr(X, y, seed, steps=500):
    """Quadratic regression with trace norm and 1-norm, by incremental proximal steps with momentum."""
    d = X.shape[1]
    W, before, t = np.zeros((d, d)), np.zeros((d, d)), 1.0
    step = 40.0 / np.mean(np.linalg.norm(X, axis=1) ** 4)

    def objective(W):
        norms = RIDGE * np.abs(np.linalg.eigvalsh(W)).sum() + 0.5 * STRENGTH * np.abs(W).sum()
        return 0.5 * np.mean((_quadratic(X, W) - y) ** 2) + norms

    now = objective(W)
    for _ in range(steps):
        longer = (1 + np.sqrt(1 + 4 * t * t)) / 2
        V = W + (t - 1) / longer * (W - before)
        V = V - step * 0.5 * _gradient(X, _quadratic(X, V) - y)
        values, vectors = np.linalg.eigh(V)
        values = np.sign(values) * np.maximum(np.abs(values) - step * RIDGE, 0.0)
        V = (vectors * values) @ vectors.T
        V = np.sign(V) * np.maximum(np.abs(V) - 0.5 * step * STRENGTH, 0.0)
        value = objective(V)
        if not value <= now:
            # Momentum first, then the step.
            t, before, step = 1.0, W, step if t > 1 else 0.5 * step
            continue
        before, W, now, t = W, V, value, longer
    upper = np.triu(W, 1)
    return upper, upper != 0


def omega_star(X, y, seed, steps=500, rank=30):
    """Factors under lambda / 2 ||P P'||_1, whose subgradient is lambda sign(P P') P, with backtracking."""
    P = 0.01 * np.random.default_rng(seed).normal(size=(X.shape[1], rank))

    def objective(P):
        W = P @ P.T
        loss = 0.5 * np.mean((_quadratic(X, W) - y) ** 2)
        return loss + RIDGE * np.sum(P**2) + 0.5 * STRENGTH * np.abs(W).sum()

    now, step = objective(P), 1e-2
    for _ in range(steps):
        W = P @ P.T
        rest = _quadratic(X, W) - y
        slope = _gradient(X, rest) @ P + 2 * RIDGE * P + STRENGTH * np.sign(W) @ P
        while step > 1e-12:
            tried = P - step * slope
            value = objective(tried)
            if value < now:
                P, now, step = tried, value, step * 1.5
                break
            step *= 0.5
        else:
            break
    upper = np.triu(P @ P.T, 1)
    return upper, upper != 0
