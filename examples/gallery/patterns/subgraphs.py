"""
Networks: which motif matters
=============================

A record is a graph: people of a team, and who talks to whom. Teams where a manager talks to two engineers
who also talk to each other (a triangle) deliver; the others do so by chance. The model searches all
connected subgraphs.
"""
# sphinx_gallery_thumbnail_number = 1

import networkx as nx
import numpy as np

from thresher import GraphClassifier

rng = np.random.default_rng(0)
triangle = nx.Graph([(0, 1), (1, 2), (2, 0)])
nx.set_node_attributes(triangle, {0: "manager", 1: "engineer", 2: "engineer"}, "label")


def is_same(a, b):
    """Whether two people have the same role."""
    return a["label"] == b["label"]


teams = []
for _ in range(400):
    team = nx.gnp_random_graph(
        int(rng.integers(5, 9)), 0.35, seed=int(rng.integers(2**31))
    )
    roles = rng.choice(["manager", "engineer", "sales"], len(team), p=[0.25, 0.5, 0.25])
    nx.set_node_attributes(team, dict(enumerate(roles.tolist())), "label")
    teams.append(team)
has_motif = [
    nx.isomorphism.GraphMatcher(
        t, triangle, node_match=is_same
    ).subgraph_is_monomorphic()
    for t in teams
]
delivers = np.where(rng.random(400) < np.where(has_motif, 0.9, 0.25), "on time", "late")

model = GraphClassifier(
    max_edges=6,
    max_patterns=6,
    relax="cv",
    one_standard_error=True,
    pos_label="on time",
).fit(teams, delivers)
model.summary()

# %%
# ``certificate_`` counts all connected graphs of up to six edges over these labels:

print(model.certificate_)

# %%
# One team, and the people whom the pattern covers:

first = model.patterns_[0]
team = next(t for t in teams if list(model.matches([t], first, limit=1)[0]))
model.plot_matches(team, pattern=first)

# %%
# The model: the triangle, and nothing else. ``one_standard_error=True`` keeps out patterns that chance made.

model.plot_patterns()
