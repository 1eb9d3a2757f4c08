"""What a checkpoint takes, and what a fit takes that begins again.

usage: python benches/checkpoints.py [--threads 1] [--record]

Each fit runs without a checkpoint, with one, and again with the complete journal of its steps, as after a
kill just before its end: what is left then is what a fit repeats. The three models have to be equal.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from common import table, write_record
from sklearn.base import clone

from thresher import (
    FactorizationMachineRegressor,
    HierarchicalRuleRegressor,
    ItemsetClassifier,
    L0AdditiveRegressor,
    L0Regressor,
    RuleRegressor,
)
from thresher.model_io.checkpoint import Checkpoint


def numbers(n, d):
    """A table, with a target of rules."""
    X = np.random.default_rng(0).normal(size=(n, d))
    noise = np.random.default_rng(1).normal(size=n)
    return X, X[:, 0] + 2.0 * ((X[:, 1] > 0.5) & (X[:, 2] < 0)) + (X[:, 3] > 1) * X[:, 4] + noise


def items(n, d):
    """Sets of items, with a class that pairs of them make likely."""
    rng = np.random.default_rng(0)
    holds = rng.random((n, d)) < 0.3
    y = (holds[:, 0] & holds[:, 1]) | (rng.random(n) < 0.3)
    return [[f"i{k}" for k in np.flatnonzero(row)] for row in holds], y


FITS = {
    "rules of 2 conditions, 5,000 x 12, cross-validated": (
        RuleRegressor(max_features=2),
        numbers(5_000, 12),
    ),
    "rules of 3 conditions, 1,000 x 10, cross-validated": (RuleRegressor(max_features=3), numbers(1_000, 10)),
    "item-sets, 1,000 of 25 items, cross-validated": (ItemsetClassifier(), items(1_000, 25)),
    "hierarchies, 400 x 10, cross-validated": (
        HierarchicalRuleRegressor(bins=("uniform", 5)),
        numbers(400, 10),
    ),
    "card, 50,000 x 12, cross-validated": (L0AdditiveRegressor(), numbers(50_000, 12)),
    "best subset, 5,000 x 200, cross-validated": (L0Regressor(), numbers(5_000, 200)),
    "machine, 5,000 x 50, cross-validated": (FactorizationMachineRegressor(), numbers(5_000, 50)),
}


def cpu_of(estimator, data, **options):
    """The CPU seconds of a fit, and its model."""
    began = time.process_time()
    model = clone(estimator).fit(*data, **options)
    seconds, certificate = time.process_time() - began, getattr(model, "certificate_", None)
    return seconds, [model.predict(data[0]).tobytes(), certificate and certificate.gap]


class EndedError(Exception):
    """Takes the place of a kill."""


def ended(*_):
    """Stands in for the writing of the model."""
    raise EndedError


def compared(estimator, data):
    """CPU seconds without a checkpoint, with one and after a kill, and the bytes of the journal."""
    alone, expected = cpu_of(estimator, data)
    saving = Checkpoint.save
    with tempfile.TemporaryDirectory() as folder:
        Checkpoint.save = ended
        began = time.process_time()
        try:
            clone(estimator).fit(*data, checkpoint=folder)
        except EndedError:
            written = time.process_time() - began
        finally:
            Checkpoint.save = saving
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        again, found = cpu_of(estimator, data, checkpoint=folder)
    assert found == expected
    return alone, written, again, size


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    lines = []
    for name, (estimator, data) in FITS.items():
        alone, written, again, size = compared(estimator.set_params(n_jobs=arguments.threads), data)
        lines.append([name, f"{alone:.2f}", f"{written:.2f}", f"{again:.2f}", f"{size / 1e6:.2f}"])
        print(*lines[-1], sep="  ", flush=True)
    text = table(
        ["fit", "CPU s", "with a checkpoint", "again, after a kill at the end", "MB of steps"], lines
    )
    print(text)
    if arguments.record:
        write_record("checkpoints", "Fits with a checkpoint", text)


if __name__ == "__main__":
    main()
