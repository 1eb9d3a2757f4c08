"""What a fresh environment with nothing but the wheel must be able to do.

Run by ``check_wheel.py`` with the fresh environment's own Python, outside the repository.
"""

import pickle
import sys
from pathlib import Path

import numpy as np

import thresher

assert "site-packages" in str(Path(thresher.__file__)), thresher.__file__

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 4))
X[::17, 3] = np.nan
y = np.where((X[:, 0] > 0.2) & (X[:, 1] <= 0.5), 2.0, -1.0) + 0.1 * rng.normal(size=200)

model = thresher.RuleRegressor(alpha=0.05, max_features=2).fit(X, y)
assert model.certificate_.complete
assert model.certificate_.relative_gap <= 1e-6
assert len(model.rules_) > 0
predicted = model.predict(X)
assert model.score(X, y) > 0.8

again = thresher.RuleRegressor.from_json(model.to_json())
assert np.array_equal(again.predict(X), predicted)
assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), predicted)

Path(sys.argv[1]).write_text(model.to_json())
print(f"thresher {thresher.__version__} on Python {sys.version.split()[0]}: {model.certificate_}")
