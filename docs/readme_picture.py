"""Draw the picture of the README: `python docs/readme_picture.py` writes docs/_static/readme.svg."""

import warnings
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning

from thresher import RuleClassifier

mpl.rcParams.update(
    {
        "axes.spines.right": False,
        "axes.spines.top": False,
        "font.size": 9,
        "svg.hashsalt": "readme",
        "svg.fonttype": "path",
    }
)
data = load_breast_cancer(as_frame=True)
diagnosis = data.target.map({0: "malignant", 1: "benign"})

settings = {
    "alpha": 0.02,
    "max_features": 2,
    "min_support": 0.05,
    "bins": 5,
    "linear": False,
    "pos_label": "malignant",
}
model = RuleClassifier(**settings).fit(data.data, diagnosis)
rules = sorted(model.rules_, key=lambda rule: rule.coef)
print(model.certificate_)

proofs = []
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)
    while not proofs or not proofs[-1].complete:
        stopped = RuleClassifier(**settings, strategy="column_generation", max_iter=len(proofs) + 1)
        proofs.append(stopped.fit(data.data, diagnosis).certificate_)
rounds = range(1, len(proofs) + 1)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), width_ratios=[1, 1], layout="constrained")
left.barh(range(len(rules)), [r.coef for r in rules], color=["C3" if r.coef < 0 else "C0" for r in rules])
left.set_yticks(range(len(rules)), [r.text for r in rules])
left.axvline(0, color="0.3", lw=0.8)
left.set(title=f"a model: {len(rules)} rules", xlabel="effect on the log-odds of a malignant tumour")
primal, dual = [c.primal for c in proofs], [c.dual for c in proofs]
right.plot(rounds, primal, "o-", ms=4, label="the model's objective")
right.plot(rounds, dual, "s-", ms=4, label="no model is below")
right.fill_between(rounds, dual, primal, color="0.92")
right.set(
    title=f"its proof: the best of all {proofs[-1].n_candidates:,} rules",
    xlabel="round of the search",
    ylabel="objective",
)
right.legend(frameon=False)
figure.savefig(Path(__file__).parent / "_static" / "readme.svg", metadata={"Date": None})
