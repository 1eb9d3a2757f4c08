"""The sets of Safe Pattern Pruning and our estimators for them; for every pattern benchmark."""

import datasets
import numpy as np

GRAPHS = ("cpdb", "bergstrom")


def load(name):
    """Records and responses of a set."""
    module = datasets._paper_data()
    if name.startswith("splice"):
        levels, y = module.splice()
        levels = levels.to_numpy()
        # One item for each position and letter.
        return (levels[:, :, None] == np.arange(4)).reshape(len(levels), -1), y
    if name == "a9a":
        return module.a9a()
    import thresher

    graphs, values = thresher.read_gspan(str(gspan_file(name)))
    return graphs, [float(v[0]) for v in values]


def gspan_file(name):
    """Where the graphs of a set are."""
    return datasets.data_folder() / f"spp_{name}.gspan"


def estimator(name, size, **run):
    """Our estimator of a set: 100 strengths down to a hundredth, one thread."""
    import thresher

    run = {"n_jobs": 1, "alpha_min_ratio": 1e-2, "n_alphas": 100, **run}
    if name == "cpdb":
        return thresher.GraphClassifier(max_edges=size, **{"loss": "squared_hinge", **run})
    if name == "bergstrom":
        return thresher.GraphRegressor(max_edges=size, **run)
    if name == "splice-lasso":
        return thresher.ItemsetRegressor(max_items=size, **run)
    return thresher.ItemsetClassifier(loss="squared_hinge", max_items=size, **run)
