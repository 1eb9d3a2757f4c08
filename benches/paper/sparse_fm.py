"""The synthetic experiments, Table 3 on a9a and the scaling of [SparseFM] with our estimators.

usage: python benches/paper/sparse_fm.py [synthetic] [a9a] [scaling] [--sets 100] [--baselines]

  synthetic  section 8.2: error, F1 and exact recovery of the support for N = 50 ... 200, blocks of
             interacting features among noise (FIS) and one block of relevant features (FS)
  a9a        Table 3(a): AUC on the test set with about 1,000 interactions
  scaling    seconds of an epoch against the number of features

--baselines adds the paper's other methods to the synthetic experiments: sparse and low-rank
quadratic regression, and the norm of all interactions by subgradients (see sparse_fm_baselines.py).

References
----------
Atarashi, Oyama, Kurihara, "Factorization Machines with Regularization for Sparse Feature
Interactions", JMLR 22(153), 2021.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]
import datasets
import sparse_fm_baselines as baselines
from common import table, write_record

SETTINGS = {"FIS": (80, 8, 20), "FS": (20, 1, 80)}
SIZES = (50, 100, 150, 200)
# (setting, penalty, l2_factors, alpha)
METHODS = [
    ("FIS", "ti", 1.0, 1.0),
    ("FIS", "ti", 0.1, 0.1),
    ("FIS", "cs", 0.1, 0.1),
    ("FIS", "l1", 0.1, 1.0),
    ("FIS", "l21", 0.1, 1.0),
    ("FS", "ti", 0.1, 0.1),
    ("FS", "cs", 0.01, 0.1),
    ("FS", "l1", 0.01, 1.0),
    ("FS", "l21", 0.1, 1.0),
]


def draw(seed, n, d_true, blocks, d_noise):
    """(X, y, W): ones in the upper triangles of the diagonal blocks of W, correlation 0.2 inside them."""
    rng = np.random.default_rng(seed)
    d, size = d_true + d_noise, d_true // blocks
    W, cov = np.zeros((d, d)), np.eye(d)
    for k in range(blocks):
        part = slice(k * size, (k + 1) * size)
        W[part, part] = 1.0
        cov[part, part] = 0.2
    np.fill_diagonal(cov, 1.0)
    W = np.triu(W, 1)
    X = rng.multivariate_normal(np.zeros(d), cov, size=n, method="cholesky")
    return X, np.einsum("ni,ij,nj->n", X, W, X) + 0.1 * rng.normal(size=n), W


def measures(W, weights, support):
    """Relative error, F1 of the support, and whether it is exactly the true one."""
    true = W > 0
    hits = (support & true).sum()
    f1 = 2 * hits / max(1, support.sum() + true.sum())
    return np.linalg.norm(W - weights) / np.linalg.norm(W), f1, float((support == true).all())


def ours(penalty, l2_factors, alpha, refit=False):
    """The paper's protocol: no linear term, no bias, factors from N(0, 0.01^2)."""

    def fit(X, y, seed):
        import thresher

        model = thresher.FactorizationMachineRegressor(
            standardize=False,
            penalty=penalty,
            l2_factors=l2_factors,
            alpha=alpha,
            refit=refit,
            fit_linear=False,
            fit_intercept=False,
            init_scale=0.01,
            max_iter=2000,
            random_state=seed,
            n_jobs=1,
        ).fit(X, y)
        P = model.factors_[0]
        used = (P != 0).astype(np.int64)
        return np.triu(P @ P.T, 1), np.triu(used @ used.T > 0, 1)

    return fit


def _row(setting, name, fit, n, sets):
    start, found = time.process_time(), []
    for seed in range(sets):
        X, y, W = draw(seed, n, *SETTINGS[setting])
        found.append(measures(W, *fit(X, y, seed)))
    error, f1, exact = np.mean(found, axis=0)
    seconds = (time.process_time() - start) / sets
    row = [setting, str(n), name, f"{error:.3f}", f"{f1:.3f}", f"{100 * exact:.0f} %", f"{seconds:.3f}"]
    print(*row, flush=True)
    return row


def synthetic(options):
    """Error, F1 and exact recovery over the data sets."""
    rows = []
    for setting, penalty, l2_factors, alpha in METHODS:
        name = f"{penalty}, l2_factors {l2_factors:g}, alpha {alpha:g}"
        fit = ours(penalty, l2_factors, alpha)
        rows += [_row(setting, name, fit, n, options.sets) for n in SIZES]
    rows.append(_row("FIS", "ti, 1, 1, refit", ours("ti", 1.0, 1.0, refit=True), 200, options.sets))
    if options.baselines:
        for setting in SETTINGS:
            for name, fit in (("SLQR", baselines.slqr), ("omega*, subgradient", baselines.omega_star)):
                rows.append(_row(setting, name, fit, 200, min(options.sets, 10)))
    return table(["setting", "N", "method", "error", "F1", "exact", "CPU s a fit"], rows)


def a9a(options):
    """AUC of about 1,000 interactions; the paper's ridge of the plain machine, divided by ten."""
    from sklearn.datasets import load_svmlight_file
    from sklearn.metrics import roc_auc_score

    import thresher

    folder = datasets.data_folder()
    if not (folder / "a9a.libsvm.gz").exists():
        return "skipped: no a9a in the data folder"
    X, y = load_svmlight_file(str(folder / "a9a.libsvm.gz"), n_features=123)
    X_test, y_test = load_svmlight_file(str(folder / "a9a.t.libsvm.gz"), n_features=123)
    paper = {
        "ti": (0.90301, 1001.6),
        "cs": (0.90259, 1035.0),
        "l1": (0.90197, 1026.0),
        "l21": (0.90259, 990.0),
    }
    rows = []
    for penalty, (auc, count) in paper.items():
        start = time.process_time()
        model = thresher.FactorizationMachineRegressor(
            standardize=False,
            penalty=penalty,
            l2_linear=5e-4,
            l2_factors=5e-5,
            alpha=1e-4,
            n_interactions=1000,
            n_jobs=1,
        ).fit(X, y)
        got = roc_auc_score(y_test, model.predict(X_test))
        seconds = time.process_time() - start
        rows.append(
            [penalty, f"{got:.5f}", str(model.n_interactions_), f"{auc:.5f}", f"{count:g}", f"{seconds:.1f}"]
        )
        print(*rows[-1], flush=True)
    return table(["penalty", "AUC", "interactions", "AUC of the paper", "interactions", "CPU s"], rows)


def scaling(_):
    """CPU seconds of an epoch with TI and CS, N = 2,500."""
    import thresher

    rows = []
    for d in (1000, 2000, 4000):
        X, y, _ = draw(0, 2500, d, d // 100, 0)
        row = [str(d)]
        for penalty in ("ti", "cs"):
            seconds = []
            for epochs in (1, 4):
                model = thresher.FactorizationMachineRegressor(
                    standardize=False,
                    penalty=penalty,
                    l2_factors=0.1,
                    alpha=0.1,
                    max_iter=epochs,
                    tol=0.0,
                    n_jobs=1,
                )
                start = time.process_time()
                model.fit(X, y)
                seconds.append(time.process_time() - start)
            row.append(f"{(seconds[1] - seconds[0]) / 3:.3f}")
        rows.append(row)
        print(*row, flush=True)
    return table(["d", "TI", "CS"], rows)


PARTS = {"synthetic": synthetic, "a9a": a9a, "scaling": scaling}


def main():
    """Runs the parts asked for and writes the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--baselines", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    body = [f"## {name}\n\n{PARTS[name](options)}" for name in options.parts or PARTS]
    write_record("sparse-fm", "Sparse factorization machines", "\n\n".join(body))


if __name__ == "__main__":
    main()
