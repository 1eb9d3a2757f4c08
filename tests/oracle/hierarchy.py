"""The whole lattice of a hierarchical problem, written out and given to a general convex solver."""

import itertools
import warnings

import cvxpy
import numpy as np
import scipy.sparse


def propositions(feature, column):
    """(0/1 column, kind, bound) of every basic proposition of a column, from its bins in a document."""
    missing = np.array([v is None or v != v for v in column])
    if feature["kind"] == "numeric":
        x = np.where(missing, np.nan, np.asarray(column, dtype=float))
        with np.errstate(invalid="ignore"):
            found = [(x <= c, "<=", c) for c in feature["cuts"]]
            found += [(x > c, ">", c) for c in feature["cuts"]]
        if feature["missing"]:
            found += [(missing, "=", "missing"), (~missing, "!= number", "missing")]
        return found
    levels = [*feature["levels"], *([None] if feature["missing"] else [])]
    holds = [missing if level is None else np.array([v == level for v in column]) for level in levels]
    if len(levels) < 2:
        return []
    found = [(h, "=", level) for h, level in zip(holds, levels, strict=True)]
    if len(levels) > 2:
        found += [(~h, "!=", level) for h, level in zip(holds, levels, strict=True)]
    return found


def can_join(a, b):
    """Whether two propositions of one column may stand together: neither implies or excludes the other."""
    kinds = {a[1], b[1]}
    if kinds == {"!="}:
        return a[2] != b[2]
    if kinds == {"<=", ">"}:
        high, low = (a[2], b[2]) if a[1] == "<=" else (b[2], a[2])
        return low < high
    return False


def numbered(features, columns):
    """(number of the column, 0/1 column, kind, bound) of every basic proposition."""
    return [
        (j, *p) for j, (f, c) in enumerate(zip(features, columns, strict=True)) for p in propositions(f, c)
    ]


def lattice(features, columns):
    """Every conjunction as a frozenset of proposition numbers, and its 0/1 column."""
    found = numbered(features, columns)
    n = len(columns[0])
    conjunctions = {frozenset(): np.ones(n)}
    latest = conjunctions
    while latest:
        longer = {}
        for held, column in latest.items():
            for k in range(max(held, default=-1) + 1, len(found)):
                pairs = ((found[k], found[m]) for m in held)
                if all(p[0] != q[0] or can_join(p[1:], q[1:]) for p, q in pairs):
                    longer[held | {k}] = column * found[k][1]
        latest = longer
        conjunctions = conjunctions | longer
    return conjunctions


def said(features, condition):
    """(column, kind, bound) of the propositions that a condition of a document says."""
    j = condition["feature"]
    if condition.get("missing") is not None:
        if features[j]["kind"] == "numeric":
            return {(j, "=" if condition["missing"] else "!= number", "missing")}
        return {(j, "=" if condition["missing"] else "!=", None)}
    if "category" in condition:
        return {(j, "!=" if condition["negated"] else "=", condition["category"])}
    bounds = {">": condition["lower"], "<=": condition["upper"]}
    return {(j, kind, bound) for kind, bound in bounds.items() if bound is not None}


def objective(document, columns, conjunctions, y, mass):
    """1/2 Omega^2 + sum of mass * loss of a document's coefficients, by the definitions."""
    features, out = document["features"], document["outputs"][0]
    found = [(j, kind, bound) for j, _, kind, bound in numbered(features, columns)]
    point = out["points"][out["selected"]]
    f = dict.fromkeys(conjunctions, 0.0)
    for number, coef in point["terms"]:
        says = set().union(*(said(features, c) for c in out["terms"][number]["pattern"]))
        assert says <= set(found)
        f[frozenset(k for k, p in enumerate(found) if p in says)] += coef
    decision = point["intercept"] + sum(w * conjunctions[v] for v, w in f.items())
    omega = penalty(conjunctions, f.values(), **document["language"])
    return omega**2 / 2 + mass @ loss_values(document["loss"], y, decision)


def penalty(conjunctions, f, rho, depth_base):
    """Omega by its definition."""
    members = list(conjunctions)
    total = 0.0
    for v in members:
        below = [abs(w) for u, w in zip(members, f, strict=True) if v <= u]
        total += depth_base ** len(v) * np.sum(np.power(below, rho)) ** (1 / rho)
    return total


def loss_values(loss, y, f):
    """One loss a row."""
    if loss == "squared":
        return (y - f) ** 2 / 2
    if loss == "logistic":
        return np.logaddexp(0, -y * f)
    margin = np.maximum(0, 1 - y * f)
    return margin if loss == "hinge" else margin**2 / 2


# Where the solver gives up with its own settings, it may not with these.
OPTIONS = ({}, {"equilibrate_enable": False}, {"max_step_fraction": 0.9})


def solve(conjunctions, y, mass, loss, rho, depth_base):
    """1/2 Omega^2 + sum of mass * loss where a general solver ends, and whether it calls that the optimum.

    The objective is evaluated here, at the solver's coefficients: wherever it ends, the optimum is no larger.
    """
    members = [c for c, column in conjunctions.items() if column.any()]
    design = np.column_stack([conjunctions[c] for c in members])
    f, b = cvxpy.Variable(len(members)), cvxpy.Variable()
    # The norm of a group is the least t >= 0 with |f_k| <= s_k^(1/rho) t^(1 - 1/rho) for some s of sum t.
    pairs = np.array([(g, k) for g, v in enumerate(members) for k, u in enumerate(members) if v <= u])
    norms, s = cvxpy.Variable(len(members)), cvxpy.Variable(len(pairs))
    sums = scipy.sparse.csr_array((np.ones(len(pairs)), (pairs[:, 0], np.arange(len(pairs)))))
    cones = [cvxpy.PowCone3D(s, norms[pairs[:, 0]], f[pairs[:, 1]], 1 / rho), sums @ s == norms]
    omega = np.array([depth_base ** len(v) for v in members]) @ norms
    decision = design @ f + b
    if loss == "squared":
        risk = cvxpy.sum(cvxpy.multiply(mass, cvxpy.square(y - decision))) / 2
    elif loss == "logistic":
        risk = cvxpy.sum(cvxpy.multiply(mass, cvxpy.logistic(-cvxpy.multiply(y, decision))))
    else:
        margin = cvxpy.pos(1 - cvxpy.multiply(y, decision))
        risk = cvxpy.sum(cvxpy.multiply(mass, margin if loss == "hinge" else cvxpy.square(margin) / 2))
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.square(omega) / 2 + risk), cones)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        for tol, options in itertools.product((1e-9, 1e-7, 1e-5, 1e-4), OPTIONS):
            limits = {"tol_gap_rel": tol, "tol_gap_abs": tol, "tol_feas": tol}
            try:
                problem.solve(solver=cvxpy.CLARABEL, **options, **limits)
            except cvxpy.SolverError:
                continue
            break
    omega = penalty(dict.fromkeys(members), f.value, rho, depth_base)
    ended = omega**2 / 2 + mass @ loss_values(loss, y, design @ f.value + b.value)
    return ended, problem.status == "optimal" and tol < 1e-6
