"""Reasons of models that are no cards, beside the contributions that ``explain`` lists."""

import math

import numpy as np
import pandas as pd
import pytest

import thresher as t
from thresher import (
    HierarchicalRuleClassifier,
    ItemsetClassifier,
    L0AdditiveClassifier,
    L0AdditiveRegressor,
    RuleClassifier,
    RuleRegressor,
)


def loans(seed=0, n=400):
    r = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": r.integers(18, 75, n).astype(float),
            "income": r.lognormal(3.6, 0.5, n).round(1),
            "home": r.choice(["own", "rent"], n),
        },
        index=[f"row {k}" for k in range(n)],
    )
    z = 2.0 * ((X.age < 30) & (X.home == "rent")) + 0.02 * X.income + (X.age > 60) + 0.3 * r.normal(size=n)
    X.loc[r.random(n) < 0.1, "income"] = np.nan
    X.loc[r.random(n) < 0.1, "age"] = -9
    return X, z.to_numpy()


def parts(model, X, output=None):
    """What the terms on each set of columns add to each row, from ``explain``."""
    found = []
    for explanation in model.explain(X):
        of_row = {}
        for part in explanation.contributions:
            if part.output != output:
                continue
            term = part.term
            name = part.feature or ", ".join(
                dict.fromkeys(c.feature_name for c in sorted(term.conditions, key=lambda c: c.feature_index))
            )
            of_row[name] = of_row.get(name, 0.0) + part.value
        found.append(of_row)
    return found


def check_reasons(found, added, compared, sign, n):
    """Compare reasons with the contributions of a few rows."""
    frame = found.to_frame()
    for row, own in enumerate(added):
        cost = {name: sign * (own.get(name, 0.0) - compared[name]) for name in compared}
        wanted = sorted((name for name in cost if cost[name] > 1e-7), key=lambda name: -round(cost[name], 6))
        for k in range(min(n, len(compared))):
            line = frame.iloc[row]
            if k < len(wanted):
                assert line[f"points_{k + 1}"] == pytest.approx(cost[wanted[k]], abs=1e-7)
                assert cost[line[f"reason_{k + 1}"]] == pytest.approx(cost[wanted[k]], abs=1e-7)
            else:
                assert pd.isna(line[f"reason_{k + 1}"])
                assert math.isnan(line[f"points_{k + 1}"])


MODELS = {
    "rules": lambda: RuleRegressor(alpha=0.02, max_features=2, special_codes={"age": [-9]}),
    "no linear terms": lambda: RuleRegressor(alpha=0.05, linear=False),
    "additive": lambda: L0AdditiveRegressor(lambda0=2.0, special_codes={"age": [-9]}),
    "classifier": lambda: RuleClassifier(alpha=0.01, pos_label="late"),
    "hierarchy": lambda: HierarchicalRuleClassifier(alpha=0.02, bins=4, loss="logistic"),
    "card": lambda: L0AdditiveClassifier(lambda0=2.0, pos_label="late"),
}


@pytest.mark.parametrize("adverse", ["high", "low"])
@pytest.mark.parametrize("reference", ["mean", "rows"])
@pytest.mark.parametrize("kind", MODELS)
def test_reasons_are_differences_of_contributions(kind, reference, adverse):
    X, z = loans()
    model = MODELS[kind]()
    y = np.where(z > 1.2, "late", "paid") if hasattr(model, "predict_proba") else z
    model.fit(X, y)
    rows = X[:20]
    others = parts(model, X if reference == "mean" else X[50:90])
    names = list(dict.fromkeys(name for own in others for name in own))
    assert len(names) > 1
    compared = {name: np.mean([own.get(name, 0.0) for own in others]) for name in names}
    given = "mean" if reference == "mean" else X[50:90]
    found = model.reasons(rows, 3, reference=given, adverse=adverse)
    check_reasons(found, parts(model, rows), compared, 1 if adverse == "high" else -1, 3)
    frame = found.to_frame()
    assert frame.index.tolist() == rows.index.tolist()
    assert frame["score"].tolist() == [each.decision for each in model.explain(rows)]
    assert ("above its mean" if adverse == "high" else "below its mean") in str(found)


def test_the_best_reference_is_that_of_additive_models():
    X, z = loans()
    model = L0AdditiveRegressor(lambda0=2.0).fit(X, z)
    found = model.reasons(X, reference="best").to_frame()
    best = {f.feature_name: min(s.value for s in f.steps if not s.missing) for f in model.shape_functions_}
    check_reasons(model.reasons(X[:30], reference="best"), parts(model, X[:30]), best, 1, 4)
    assert found["reason_1"].notna().mean() > 0.9
    with pytest.raises(ValueError, match="reference: got 'best'; give 'mean' or rows"):
        RuleRegressor(alpha=0.05).fit(X, z).reasons(X, reference="best")


def test_codes_are_of_columns_of_several_columns_and_of_missing_values():
    X, z = loans()
    model = MODELS["rules"]().fit(X, z)
    pair = next(own for own in ("age, home", "age, income") if own in set(model.reasons(X).reasons.ravel()))
    names = tuple(pair.split(", "))
    codes = {"age": "R01 Age", ("age", -9): "R09 No age", ("income", None): "R10 Not stated"}
    found = model.reasons(X, codes=codes)
    plain = model.reasons(X)
    renamed = {pair: pair.replace("age", "R01 Age")}
    for row, (own, text) in enumerate(zip(plain.reasons.tolist(), found.reasons.tolist(), strict=True)):
        of_row = {
            **renamed,
            "age": "R09 No age" if X["age"].iloc[row] == -9 else "R01 Age",
            "income": "R10 Not stated" if np.isnan(X["income"].iloc[row]) else "income",
        }
        assert text == [of_row.get(name, name) for name in own]
    joint = model.reasons(X, codes={names[::-1]: "R07 Both"})
    assert (joint.reasons == "R07 Both").sum() == (plain.reasons == pair).sum()


def test_each_output_has_reasons():
    X, z = loans()
    three = np.where(z > 2, "high", np.where(z > 0.8, "middle", "low"))
    model = RuleClassifier(alpha=0.02, max_features=1).fit(X, three)
    found = model.reasons(X[:10], output="high").to_frame()
    assert found["score"].tolist() == [each.decision["high"] for each in model.explain(X[:10])]
    means = parts(model, X, "high")
    names = list(dict.fromkeys(name for own in means for name in own))
    compared = {name: np.mean([own.get(name, 0.0) for own in means]) for name in names}
    check_reasons(
        model.reasons(X[:10], output="high"), parts(model, X[:10], "high"), compared, 1, len(compared)
    )
    every = model.reasons(X[:10])
    frame = every.to_frame()
    assert frame["output"].tolist() == ["high", "low", "middle"] * 10
    assert frame.index.tolist() == np.repeat(X.index[:10], 3).tolist()
    for label in model.classes_:
        own = model.reasons(X[:10], output=label).to_frame()
        pd.testing.assert_frame_equal(frame.loc[frame["output"] == label, own.columns], own)
    said = str(every)
    assert said.startswith("The score is the decision value of its class.")
    assert "... and 10 more lines: to_frame() has all." in said
    array = RuleRegressor(alpha=0.05).fit(X[["age"]].to_numpy(), np.column_stack([z, -z]))
    assert [line.split()[:2] for line in str(array.reasons([[20.0], [70.0]])).splitlines()[-4:]] == [
        ["0", "0"],
        ["0", "1"],
        ["1", "0"],
        ["1", "1"],
    ]
    with pytest.raises(ValueError, match="output: got 'no'; the model has several"):
        model.reasons(X, output="no")


def test_patterns_are_reasons_of_records():
    r = np.random.default_rng(0)
    carts = [{item for item in "abcdef" if r.random() < 0.5} for _ in range(300)]
    y = np.array([{"a", "b"} <= own or "f" in own for own in carts])
    model = ItemsetClassifier(alpha=0.02).fit(carts, y)
    found = model.reasons(carts, 2).to_frame()
    assert {"a and b", "f"} >= set(found["reason_1"].dropna())
    with_both = [k for k, own in enumerate(carts) if {"a", "b"} <= own and "f" not in own]
    assert set(found["reason_1"].iloc[with_both]) == {"a and b"}
    pattern = next(p for p in model.patterns_ if p.text == "a and b")
    wanted = pattern.coef * (1 - pattern.support)
    assert found["points_1"].iloc[with_both].to_numpy() == pytest.approx(wanted)
    named = model.reasons(carts, 2, codes={"a and b": "R1"}).reasons
    assert {"R1", "f"} >= set(named[:, 0]) - {None}
    with pytest.raises(ValueError, match="codes: there is no pattern 'a'; the patterns are"):
        model.reasons(carts, codes={"a": "R1"})


def test_records_without_an_answer_have_no_reasons():
    pytest.importorskip("rdkit")
    smiles = ["CCO", "CCN", "CCCO", "CCCN", "CO", "CN"] * 5
    model = t.GraphClassifier(alpha=0.05, on_invalid="skip").fit(smiles, ["O" in s for s in smiles])
    found = model.reasons(["CCO", "no molecule", "CN"], reference=["CN", "??"]).columns()
    assert found["reason_1"][1] is None
    assert np.isnan(found["score"][1])
    assert not np.isnan(found["score"][0])


def test_a_model_without_terms_gives_none_and_wrong_arguments_are_named():
    X, z = loans()
    empty = RuleRegressor(alpha=1e6).fit(X, z)
    assert list(empty.reasons(X).columns()) == ["score"]
    model = MODELS["rules"]().fit(X, z)
    for arguments, message in [
        ({"n": 0}, "n: got 0"),
        ({"adverse": "up"}, "adverse: got 'up'"),
        ({"reference": X[:0]}, "reference has no rows|0 sample"),
        ({"codes": {"aeg": "R01"}}, "codes: there is no column 'aeg'"),
        ({"codes": {("age", "aeg"): "R01"}}, "codes: there is no column 'aeg'"),
        ({"codes": {("age", -7): "R01"}}, "-7 is no special code of column 'age'; it has -9"),
        ({"codes": {"age": ""}}, "has the code ''; give a text"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.reasons(X, **arguments)
