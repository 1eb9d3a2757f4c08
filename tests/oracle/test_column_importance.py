"""Cards without a column against every card without it, on small problems."""

from dataclasses import replace

import numpy as np
import pytest

from . import compare
from .test_step_functions import draw


@pytest.mark.parametrize("has_codes", [False, True])
@compare.each_seed(range(200))
def test_the_optimum_without_a_column_lies_between_the_two(seed, has_codes):
    model, X, y, weights, problem = draw(seed, has_codes=has_codes)
    found = model.drop_column_importance(X, y, weights)
    assert [column.feature_index for column in found.columns_] == [
        column.feature_index
        for column in sorted(found.columns_, key=lambda c: (-c.objective, c.feature_index))
    ]
    assert {column.feature_index for column in found.columns_} == {
        shape.feature_index for shape in model.shape_functions_
    }
    for column in found.columns_:
        rest = [own for place, own in enumerate(problem.columns) if place != column.feature_index]
        optimum = replace(problem, columns=rest).optimum()
        tiny = 1e-7 * (1 + abs(optimum))
        assert column.dual <= optimum + tiny
        assert column.objective >= optimum - tiny
        assert column.card_objective == pytest.approx(model.objective_)
        # Less than 0 only where the card itself is not the best.
        assert column.at_least >= 0 or problem.optimum() < model.objective_
        if column.card_objective > 1e-6:
            least, most = optimum / model.objective_ - 1, column.objective / model.objective_ - 1
            assert column.at_least <= max(least, 0.0) + 1e-6
            assert column.at_most == pytest.approx(most, abs=1e-9)
    if problem.ridge == 0:
        assert all(column.dual == -np.inf for column in found.columns_) or problem.lambda2 > 0


@compare.each_seed(range(100))
def test_a_branch_and_bound_makes_the_least_the_most(seed):
    model, X, y, weights, problem = draw(seed, gap_tol=0.0)
    has_rules = all(c.ordered and c.n_present == c.n_bins and c.direction == 0 for c in problem.columns)
    if problem.lambda2 > 0 or not has_rules:
        return
    for column in model.drop_column_importance(X, y, weights).columns_:
        assert column.objective - column.dual <= 2e-6 * column.objective + 1e-9


@compare.each_seed(range(100))
def test_an_excluded_column_is_a_column_that_is_not_there(seed):
    model, X, y, weights, problem = draw(seed, has_codes=bool(seed % 2))
    place = seed % X.shape[1]
    directions = [own.direction for k, own in enumerate(problem.columns) if k != place]
    codes = {name: own for name, own in model.special_codes.items() if name != X.columns[place]}
    without = type(model)(**model.get_params()).set_params(exclude=[place]).fit(X, y, sample_weight=weights)
    assert all(shape.feature_index != place for shape in without.shape_functions_)
    fresh = without.verify(X, y, sample_weight=weights)
    assert fresh.dual == pytest.approx(without.certificate_.dual, rel=1e-7, abs=1e-7)
    if X.shape[1] == 1:
        return
    gone = type(model)(**model.get_params()).set_params(monotonic_cst=directions, special_codes=codes)
    gone.fit(X.drop(columns=X.columns[place]), y, sample_weight=weights)
    # Other positions of the columns lead to another sequence of steps, which ends at other large values where
    # classes are separated and there is no ridge.
    near = 1e-5 if problem.ridge > 0 or problem.loss == "squared" else 1e-2
    assert gone.objective_ == pytest.approx(without.objective_, rel=near, abs=1e-12)
    assert gone.certificate_.dual == pytest.approx(without.certificate_.dual, rel=near, abs=1e-9)
