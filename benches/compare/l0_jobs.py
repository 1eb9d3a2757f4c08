"""Whole paths of sparse models on one data set, ours and others', and what each point is worth.

A job's params: ``loss``, ``lambda2``, ``grid`` (prices lambda0, decreasing; None: the library's own
path up to ``most`` terms), ``dummies`` (whether the columns stand for all their thresholds) and, for
generated data, ``truth`` (which columns count). Building threshold columns is not timed: only the
fit is. Every point's objective is computed here from its coefficients, in the same way for all.
"""

import time

import numpy as np
from datasets import thresholds

LOSSES = {
    "logistic": lambda y, f: np.logaddexp(0.0, -y * f),
    "exponential": lambda y, f: np.exp(-y * f),
    "squared": lambda y, f: 0.5 * (y - f) ** 2,
}
REPEATS, REPEAT_SECONDS = 5, 1.0


def timed(run):
    """(what run gave, median wall and CPU seconds); short runs are repeated."""
    wall, cpu = [], []
    while not wall or (len(wall) < REPEATS and sum(wall) < REPEAT_SECONDS):
        start, spent = time.perf_counter(), time.process_time()
        fitted = run()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - spent)
    return fitted, float(np.median(wall)), float(np.median(cpu))


def recovery(columns, truth):
    """F1 score of a support."""
    return 2 * len(np.intersect1d(columns, truth)) / max(len(columns) + len(truth), 1)


def path_job(fit):
    """Makes the job of a function that gives (run, points, design).

    ``run()`` fits, ``points(fitted)`` yields (lambda0, intercept, coefficients) and ``design`` holds
    the columns of these coefficients.
    """

    def job(description):
        data, params = np.load(description["data"]), description["params"]
        X, y = data["X_train"], data["y_train"]
        run, points, design = fit(X, y, params)
        fitted, seconds, cpu = timed(run)
        rows = {name: [] for name in ("lambda0", "smooth", "n_nonzero", "f1")}
        for lambda0, intercept, w in points(fitted):
            columns = np.flatnonzero(w)
            f = intercept + design[:, columns] @ w[columns]
            rows["lambda0"].append(None if lambda0 is None else float(lambda0))
            loss = LOSSES[params["loss"]](y, f).sum()
            rows["smooth"].append(float(loss + params["lambda2"] * (w @ w)))
            rows["n_nonzero"].append(len(columns))
            rows["f1"].append(recovery(columns, params.get("truth", [])))
        return {"seconds": seconds, "cpu_seconds": cpu, **rows}

    return job


def _design(X, params):
    return thresholds(X) if params["dummies"] else np.asfortranarray(X)


def ours_linear(X, y, params):
    import thresher

    settings = {"lambda2": params["lambda2"], "max_nonzero": params.get("most"), "n_jobs": 1}
    if params["loss"] == "squared":
        model = thresher.L0Regressor(**settings)
    else:
        model = thresher.L0Classifier(loss=params["loss"], **settings)

    def points(fitted):
        for lambda0 in np.unique(fitted.path_.lambda0)[::-1]:
            point = fitted.path_.at(lambda0)
            yield lambda0, point.intercept_, point.coef_

    return lambda: model.fit_path(X, y, lambda0=params["grid"]), points, _design(X, params)


def ours_additive(X, y, params):
    """Step functions; a jump down of c at the cut t is the coefficient c of 1[x_j <= t]."""
    import thresher

    values = [np.unique(x) for x in X.T]
    first = np.cumsum([0] + [len(v) - 1 for v in values])
    settings = {"loss": params["loss"], "lambda2": params["lambda2"], "bins": None, "n_jobs": 1}
    # The default ridge is left out: the peers' objective has none.
    model = thresher.L0AdditiveClassifier(ridge=0.0, **settings)

    def points(fitted):
        for lambda0 in params["grid"]:
            point = fitted.path_.at(lambda0)
            start, w = point.intercept_, np.zeros(first[-1])
            for shape in point.shape_functions_:
                level = np.array([step.value for step in shape.steps])
                cuts = [step.upper for step in shape.steps[:-1]]
                at = np.searchsorted(values[shape.feature_index], cuts, side="right") - 1
                w[first[shape.feature_index] + at] = level[:-1] - level[1:]
                start += level[-1]
            yield lambda0, start, w

    return lambda: model.fit_path(X, y, lambda0=params["grid"]), points, thresholds(X)


def fastsparse(X, y, params):
    """The swap search; its exponential loss takes columns of 0 and 1 and no ridge."""
    import fastsparsegams

    design = _design(X, params)
    names = {"logistic": "Logistic", "exponential": "Exponential", "squared": "SquaredError"}
    settings = {"loss": names[params["loss"]], "algorithm": "CDPSI", "penalty": "L0"}
    settings["max_support_size"] = params.get("most") or min(design.shape)
    if params["grid"]:
        settings |= {"lambda_grid": [params["grid"]], "num_lambda": None, "num_gamma": None}
    if params["lambda2"]:
        settings |= {"penalty": "L0L2", "gamma_min": params["lambda2"], "gamma_max": params["lambda2"]}

    def points(fitted):
        coefs = fitted.coeffs[0].toarray()
        yield from zip(fitted.lambda_0[0], fitted.intercepts[0], coefs.T, strict=True)

    return lambda: fastsparsegams.fit(design, y, **settings), points, design


def abess(X, y, params):
    """Splicing over 0 to ``most`` terms; it hands over the one model that its criterion takes."""
    from abess import LinearRegression, LogisticRegression

    design = np.ascontiguousarray(_design(X, params))
    make = LinearRegression if params["loss"] == "squared" else LogisticRegression
    target = y if params["loss"] == "squared" else (y > 0).astype(int)
    model = make(support_size=range(params.get("most", 100) + 1), thread=1)
    points = lambda fitted: [(None, float(np.ravel(fitted.intercept_)[0]), np.ravel(fitted.coef_))]
    return lambda: model.fit(design, target), points, design


def lasso(X, y, params):
    """scikit-learn's L1 path: 100 strengths by coordinate descent, or 20 by liblinear."""
    from sklearn.linear_model import LogisticRegression, lasso_path
    from sklearn.svm import l1_min_c

    design = _design(X, params)
    if params["loss"] == "squared":
        mean, middle = design.mean(axis=0), y.mean()
        run = lambda: lasso_path(design - mean, y - middle, alphas=100)
        return run, lambda path: ((None, middle - mean @ w, w) for w in path[1].T), design
    settings = {"penalty": "l1", "solver": "liblinear", "intercept_scaling": 10.0}
    strengths = l1_min_c(design, y, loss="log") * np.geomspace(1, 100, 20)
    run = lambda: [LogisticRegression(**settings, C=c).fit(design, y) for c in strengths]
    return run, lambda path: ((None, m.intercept_[0], m.coef_[0]) for m in path), design


PEERS = {"fastsparse": fastsparse, "abess": abess, "lasso": lasso}
FITS = {"ours_linear": ours_linear, "ours_additive": ours_additive, **PEERS}
JOBS = {f"{name}_path" if name in PEERS else name: path_job(fit) for name, fit in FITS.items()}
