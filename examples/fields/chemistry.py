"""
Chemistry: structural alerts from a list of SMILES
==================================================

For chemists and toxicologists: which groups make a compound toxic, and does that hold for compounds that the
model has not seen? The molecules are drawn from eight cores with two groups each, all different, and the
truth is known: nitro and nitroso groups are toxic in nine of ten compounds, the others in one of ten.
"""
# sphinx_gallery_thumbnail_number = 2

from itertools import combinations_with_replacement

import matplotlib.pyplot as plt
import numpy as np

from thresher import GraphClassifier

rng = np.random.default_rng(1)
cores = [
    "c1cc({})cc({})c1",
    "c1cc({})ccc1{}",
    "c1cc({})c({})cc1",
    "c1cc({})nc({})c1",
    "C1CC({})CC({})C1",
    "CC({})C({})C",
    "C({})CC{}",
    "c1c({})oc({})c1",
]
groups = ["[N+](=O)[O-]", "N=O", "N", "[NH3+]", "O", "C(=O)O", "OC", "Cl", "C#N", "F"]
pairs = list(combinations_with_replacement(groups, 2))
smiles = rng.permutation([core.format(*pair) for core in cores for pair in pairs])
has_group = np.array(["[N+](=O)" in text or "N=O" in text for text in smiles])
is_toxic = rng.random(len(smiles)) < np.where(has_group, 0.9, 0.1)
toxic = np.where(is_toxic, "toxic", "safe")
known, unseen = slice(0, 300), slice(300, None)
print(smiles[:4], toxic[:4])

# %%
# The model
# ---------
#
# ``charges=True`` makes the formal charge a part of an atom's label, so that ``[N+]`` of a nitro group and
# ``N`` of an amine differ. All connected substructures of at most three bonds are candidates.
# ``alpha="ebic"`` keeps out patterns that chance made among so many.

model = GraphClassifier(max_edges=3, charges=True, alpha="ebic", pos_label="toxic").fit(
    smiles[known], toxic[known]
)
print(model.certificate_)
model.plot_patterns()

# %%
# These are the two groups of the truth: of the nitro group the bond that tells it from the nitroso group.
#
# Alerts, on compounds that the fit has not seen
# ----------------------------------------------
#
# The rate of toxic compounds with and without each pattern, with an interval of 95 %, and a molecule that has
# it. Grey atoms and bonds are no part of a pattern and come with it in every molecule that has it.
# ``to_html`` writes the same table as a page, with SMARTS for other programs.

model.pattern_table(smiles[unseen], toxic[unseen])

# %%
# Which atoms?
# ------------
#
# Each atom has the colour of what its patterns add to the log-odds of being toxic. The second compound has
# none of the patterns.

figure, axes = plt.subplots(1, 3, figsize=(9, 3))
shown = ["c1cc([N+](=O)[O-])cc(Cl)c1", "c1cc(N)cc(Cl)c1", "CC(N=O)C(O)C"]
for ax, text in zip(axes, shown, strict=True):
    model.plot_matches(text, ax=ax)
    ax.set_title(
        f"toxic with {model.predict_proba([text])[0, 1]:.0%}", fontsize="medium"
    )

# %%
# Why is my group not in the model?
# ---------------------------------
#
# A question in SMARTS, answered by the optimality conditions: how much the nitrile group is worth beside the
# others.

print(model.price("C#N"))
print(model.price("[N+](=O)[O-]"))

# %%
# More: :doc:`/guide/chemistry` (labels, SMARTS, SMILES that cannot be read, the command line) and
# :doc:`/guide/graphs`. The patterns are associations in these compounds: an alert is a reason to look.
