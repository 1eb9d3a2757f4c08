"""An independent solver of the L1 problem over the full matrix of all rules.

Every weight is split by sign into non-negative variables x with prices c, so the problem
is smooth but for the bound x >= 0:

    min over b, x >= 0 of  F = 1/n sum_i v_i loss(y_i, b + a_i x) + alpha c' x

An active-set method in the manner of Lawson and Hanson: all x start at 0; the variable
whose bound is most wrong is freed; Newton steps over the free variables, cut short where
one of them reaches 0 (it is then bound again), until their slopes vanish; repeat until no
bound is wrong. Columns enter one at a time, so few are ever free and each step is exact
to rounding; nothing is screened, cached or approximated.

References
----------
Lawson, Hanson, "Solving Least Squares Problems", chapter 23 (the squared loss; here with
Newton steps for the other losses).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oracle import losses
from oracle.certificate import dual_point, primal
from oracle.design import Design, Floats

# Relative to the eigenvalues' sum: keeps a Newton step finite along directions without
# curvature, where it then runs into a bound.
RIDGE = 1e-13


@dataclass(frozen=True)
class Solution:
    """The optimum, its proof, and the weights of the design's columns."""

    primal: float
    dual: float
    intercept: float
    weights: Floats
    predictions: Floats
    slack: Floats  # how far each column's correlation is from its nearer bound, over alpha

    @property
    def gap(self) -> float:
        """P - D."""
        return self.primal - self.dual

    @property
    def relative_gap(self) -> float:
        """(P - D) / P."""
        return self.gap / max(self.primal, np.finfo(float).tiny)


class _Restricted:
    """The problem over the free variables: signed columns and their prices."""

    def __init__(self, design: Design, y: Floats, v: Floats, loss: losses.Loss, alpha: float) -> None:
        # Residuals are what matters: off its mean, y leaves nothing large to cancel.
        self.shift = float(np.average(y, weights=v)) if losses.is_regression(loss) else 0.0
        y = y - self.shift
        self.design, self.y, self.v, self.loss, self.alpha = design, y, v, loss, alpha
        self.n = len(y)
        self.free: list[tuple[int, int]] = []
        self.a = np.ones((self.n, 1))  # the intercept's column, then the free ones
        self.price = np.zeros(1)
        self.x = np.array([losses.best_intercept(loss, y, np.zeros(self.n), v)])

    def add(self, column: int, sign: int) -> None:
        """Frees a variable at 0."""
        price = (self.design.plus if sign > 0 else self.design.minus)[column]
        self.free.append((column, sign))
        self.a = np.column_stack([self.a, sign * self.design.matrix[:, column]])
        self.price = np.append(self.price, self.alpha * price)
        self.x = np.append(self.x, 0.0)

    def drop(self, position: int) -> None:
        """Binds a variable to 0 again."""
        del self.free[position - 1]
        self.a = np.delete(self.a, position, axis=1)
        self.price = np.delete(self.price, position)
        self.x = np.delete(self.x, position)

    def slope(self, f: Floats) -> Floats:
        """dF / dx."""
        return (self.v * losses.slope(self.loss, self.y, f)) @ self.a / self.n + self.price

    def direction(self, f: Floats, slope: Floats) -> Floats:
        """Newton's direction."""
        h = self.v * losses.curvature(self.loss, self.y, f) / self.n
        hessian = (self.a.T * h) @ self.a
        hessian += RIDGE * max(np.trace(hessian), 1e-3) * np.eye(len(hessian))
        return np.asarray(-np.linalg.solve(hessian, slope), dtype=float)

    def step(self) -> bool:
        """One Newton step with exact line search; False if nothing is left to gain."""
        f = self.a @ self.x
        slope = self.slope(f)
        s = self.direction(f, slope)
        if -float(slope @ s) <= 1e-32 * max(1.0, float(np.abs(self.x).max())):
            return False
        # A variable at 0 that would go below is bound before anything moves.
        stuck = [i for i in range(1, len(s)) if self.x[i] <= 0.0 and s[i] < 0.0]
        if stuck:
            self.drop(stuck[0])
            return True
        shrinking = [i for i in range(1, len(s)) if s[i] < 0.0]
        limits = {i: -self.x[i] / s[i] for i in shrinking}
        first = min(limits, key=lambda i: limits[i], default=0)
        reach = min(1.0, limits.get(first, 1.0))
        t = self._search(f, s, reach)
        before, self.x = self.x, self.x + t * s
        if first and t == limits[first]:
            self.drop(first)
            return True
        gained = t * -float(slope @ s)
        return gained > 1e-28 and not np.array_equal(self.x, before)

    def _search(self, f: Floats, s: Floats, reach: float) -> float:
        """The step in (0, reach] that minimises F along s, by bisection on its slope."""
        along, cost = self.a @ s, float(self.price @ s)

        def rate(t: float) -> float:
            slope = losses.slope(self.loss, self.y, f + t * along)
            return float((self.v * slope) @ along) / self.n + cost

        if rate(reach) <= 1e-10 * abs(rate(0.0)):
            return reach
        low, high = 0.0, reach
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if rate(middle) > 0.0 else (middle, high)
        return 0.5 * (low + high)


def solve(design: Design, y: Floats, v: Floats, loss: losses.Loss, alpha: float) -> Solution:
    """The optimum over every column of the design; the caller should check the gap."""
    task = _Restricted(design, y, v, loss, alpha)
    best: Solution | None = None
    stalled = 0
    for _ in range(50 * len(y) + 50):
        for _ in range(200):
            if not task.step():
                break
        f = task.a @ task.x
        corr = (v * -losses.slope(loss, task.y, f)) @ design.matrix / len(y)
        over = np.maximum(corr - alpha * design.plus, -corr - alpha * design.minus)
        worst = int(np.argmax(over)) if len(over) else -1
        found = _solution(task, f, over)
        if best is not None and (found.primal, found.dual) == (best.primal, best.dual):
            break  # the variable that was freed was bound again
        stalled = stalled + 1 if best is not None and found.gap > 0.5 * best.gap else 0
        if best is None or found.gap < best.gap:
            best = found
        if worst < 0 or over[worst] <= 1e-13 * alpha or found.relative_gap <= 1e-12:
            break
        if stalled >= 5 and best.relative_gap <= 1e-11:
            break  # what is left is rounding
        sign = 1 if corr[worst] > 0.0 else -1
        if (worst, sign) in task.free:
            break  # free and still wrong: rounding is all that is left
        task.add(worst, sign)
    assert best is not None
    return best


def _solution(task: _Restricted, f: Floats, over: Floats) -> Solution:
    design = task.design
    w = np.zeros(design.matrix.shape[1])
    for (column, sign), x in zip(task.free, task.x[1:], strict=True):
        w[column] += sign * x
    value = primal(design, task.y, task.v, task.loss, task.alpha, w, f)
    dual, _ = dual_point(design, task.y, task.v, task.loss, task.alpha, f)
    b, f = float(task.x[0]) + task.shift, f + task.shift
    return Solution(value, dual, b, w, f, -over / task.alpha)
