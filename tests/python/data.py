"""Data that several files use."""

import numpy as np
import pandas as pd

from oracle import graphs

_RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age in years": _RNG.integers(18, 90, 300).astype(float),
        "bmi": _RNG.normal(26, 4, 300),
        "color": _RNG.choice(["red", "green", "blue"], 300),
        "smoker": _RNG.choice([True, False], 300),
    }
)
FRAME.loc[::10, "bmi"] = np.nan
BOX = (FRAME["age in years"] > 50) & (FRAME["color"] == "red")
Y = 2.0 * BOX + 0.05 * FRAME["age in years"] + _RNG.normal(0, 0.1, 300)
"""A table with names, gaps, categories and truth values, whose target is a box and a line."""

_RNG = np.random.default_rng(0)
GRAPHS = [graphs.random_graph(_RNG, ["a", "b", "c"], ["x", "y"]) for _ in range(60)]
EDGES = np.array([len(edges) for _, edges, _ in GRAPHS], dtype=float)
_LETTERS = np.array([len(set(nodes)) for nodes, _, _ in GRAPHS], dtype=float)
EDGE_SUM = 2.0 * (EDGES > 2) - 0.3 * EDGES + _LETTERS + 0.1 * _RNG.normal(size=60)
EDGE_KIND = np.where(np.median(EDGE_SUM) < EDGE_SUM, "high", "low")
"""Random graphs, with a numeric target and classes."""

MOLECULES = ["CCO", "CC(=O)O", "c1ccccc1O", "c1ccccc1Cl", "CC(=O)C", "OC(=O)c1ccccc1", "[Na+].[Cl-]", "C#N"]
IS_ACID = np.array(["C(=O)O" in s or "OC(=O)" in s for s in MOLECULES])
"""Molecules as SMILES, and whether they are acids."""
