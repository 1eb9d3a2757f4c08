"""Groups of rows in the cross-validation of a fit: rows of one group are in one fold."""

from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut, StratifiedGroupKFold

from contract.data import GRAPHS, ITEMSETS, SEQUENCES
from thresher import (
    FactorizationMachineRegressor,
    GraphRegressor,
    HierarchicalRuleRegressor,
    ItemsetClassifier,
    ItemsetRegressor,
    L0AdditiveRegressor,
    L0Regressor,
    RuleRegressor,
    SequenceRegressor,
    load_model,
    stability_selection,
)
from thresher.cli import main
from thresher.data.folds import make_folds
from thresher.data.groups import group_codes
from thresher.data.targets import classification_target, regression_target

RNG = np.random.default_rng(0)
GROUPS = np.repeat([f"p{k}" for k in range(12)], 5)
X = pd.DataFrame(RNG.normal(size=(60, 3)), columns=list("abc")).assign(a=np.repeat(RNG.normal(size=12), 5))
Y = (X["a"] > 0) * 1.0 + RNG.normal(size=60) + np.repeat(RNG.normal(size=12), 5)
RULES = RuleRegressor(n_alphas=5, max_features=1, bins=4)


def test_a_group_is_in_one_fold():
    codes = group_codes(GROUPS, 60)
    for target in (
        regression_target(Y, 60, "RuleRegressor"),
        classification_target(np.where(Y > 0, "p", "q"), 60, "RuleClassifier"),
    ):
        folds = make_folds(4, target, None, groups=codes)
        assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(60))
        for train, test in folds:
            assert not set(codes[train]) & set(codes[test])
            assert test.size
        weights = np.where(np.arange(60) % 7 == 0, 0.0, 1.0)
        for train, test in make_folds(4, target, weights, groups=codes):
            assert not set(codes[train]) & set(codes[test])
            assert (weights[np.concatenate([train, test])] > 0).all()
        again = make_folds(4, target, None, groups=codes)
        assert all(
            (a == b).all()
            for one, other in zip(folds, again, strict=True)
            for a, b in zip(one, other, strict=True)
        )


def test_each_fold_has_a_group_where_classes_cannot_be_even():
    labels = np.repeat([0, 1, 1, 1, 1], 12)
    target = classification_target(labels, 60, "RuleClassifier")
    with pytest.warns(UserWarning, match=r"no fold has rows of the class 0 \(12 rows\)"):
        folds = make_folds(5, target, None, groups=np.repeat(np.arange(5), 12))
    assert sorted(test[0] // 12 for _, test in folds) == [0, 1, 2, 3, 4]


def source(make, n=60):
    records, signal = make.make(n, 4, 0)
    return records, signal


MODELS = [
    (RULES, X),
    (HierarchicalRuleRegressor(alpha=[0.05, 0.1], bins=("uniform", 3)), X),
    (L0Regressor(lambda0="cv"), X),
    (L0AdditiveRegressor(bins=5), X),
    (FactorizationMachineRegressor(alpha="cv", max_iter=5), X),
    (ItemsetRegressor(n_alphas=5), source(ITEMSETS)[0]),
    (SequenceRegressor(n_alphas=5, max_length=2), source(SEQUENCES)[0]),
    (GraphRegressor(n_alphas=5, max_edges=2), source(GRAPHS)[0]),
]


@pytest.mark.parametrize(("model", "rows"), MODELS, ids=lambda each: type(each).__name__)
def test_groups_are_as_the_splits_of_these_groups(model, rows):
    codes = group_codes(GROUPS, 60)
    folds = make_folds(5, regression_target(Y, 60, "RuleRegressor"), None, groups=codes)
    model.set_params(cv=5).fit(rows, Y, groups=GROUPS)
    found = model.predict(rows)
    model.set_params(cv=folds).fit(rows, Y)
    np.testing.assert_array_equal(model.predict(rows), found)


def test_splitters_get_the_groups():
    by_splitter = RULES.set_params(cv=GroupKFold(4)).fit(X, Y, groups=pd.Series(GROUPS))
    alpha = by_splitter.alpha_
    splits = list(GroupKFold(4).split(X, groups=GROUPS))
    assert RULES.set_params(cv=splits).fit(X, Y).alpha_ == alpha
    RULES.set_params(cv=LeaveOneGroupOut()).fit(X, Y, groups=GROUPS)
    for splitter in (GroupKFold(4), LeaveOneGroupOut(), StratifiedGroupKFold(3)):
        said = rf"^cv: a {type(splitter).__name__} divides groups of rows; .* fit\(..., groups=...\)"
        with pytest.raises(ValueError, match=said):
            RULES.set_params(cv=splitter).fit(X, Y)
    RULES.set_params(cv=KFold(3)).fit(X, Y)
    with pytest.raises(ValueError, match="groups: cv has the splits already; leave groups out"):
        RULES.set_params(cv=splits).fit(X, Y, groups=GROUPS)
    RULES.set_params(cv=5)


class LastWeek:
    """Holds out the rows of the greatest group."""

    seen: ClassVar = []  # also by copies

    def get_n_splits(self, X=None, y=None, groups=None):
        return 1

    def split(self, X, y=None, groups=None):
        self.seen.append(groups)
        is_last = groups == max(groups)
        yield np.flatnonzero(~is_last), np.flatnonzero(is_last)


WEEKS = np.random.default_rng(1).permutation(np.repeat(np.arange(12), 5))


@pytest.mark.parametrize(("model", "rows"), MODELS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("of", ["list", "texts", "series"])
def test_splitters_get_the_groups_as_they_are(model, rows, of):
    groups = {"list": WEEKS.tolist(), "texts": [f"w{k:02}" for k in WEEKS], "series": pd.Series(WEEKS)}[of]
    LastWeek.seen.clear()
    found = clone(model).set_params(cv=LastWeek()).fit(rows, Y, groups=groups).predict(rows)
    assert isinstance(LastWeek.seen[0], np.ndarray)
    assert LastWeek.seen[0].tolist() == list(groups)
    splits = list(LastWeek().split(None, groups=WEEKS))
    np.testing.assert_array_equal(clone(model).set_params(cv=splits).fit(rows, Y).predict(rows), found)


def test_stability_selection_gives_splitters_the_groups_as_they_are():
    LastWeek.seen.clear()
    stability_selection(
        clone(RULES).set_params(cv=LastWeek()), X, Y, groups=[f"w{k:02}" for k in WEEKS], n_resamples=2
    )
    assert LastWeek.seen[0].tolist() == [f"w{k:02}" for k in WEEKS]
    assert all(set(seen) <= set(LastWeek.seen[0]) for seen in LastWeek.seen)


def test_left_out_molecules_leave_their_groups_out():
    LastWeek.seen.clear()
    model, rows = MODELS[-1]
    model = clone(model).set_params(cv=LastWeek(), on_invalid="skip")
    with pytest.warns(UserWarning, match="left out 1 of 60 records"):
        model.fit([None, *rows[1:]], Y, groups=WEEKS.tolist())
    assert LastWeek.seen[0].tolist() == WEEKS[1:].tolist()


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        (GROUPS[:-1], r"groups: got the shape \(59,\); give one group for each of 60 rows"),
        (GROUPS[:, None], r"groups: got the shape \(60, 1\)"),
        ([None, *GROUPS[1:]], "groups: there is no group in row 0"),
        (np.zeros(60), "groups: got 1 group for 5 folds, which need a group each"),
        ("a", "groups: got 'a', the name of a column of X"),
    ],
)
def test_wrong_groups_are_named(groups, words):
    with pytest.raises(ValueError, match=words):
        RULES.set_params(cv=5).fit(X, Y, groups=groups)


def test_few_groups_have_fewer_folds():
    groups = np.repeat([0, 1, 2], 20)
    by_default = RULES.set_params(cv=5).fit(X, Y, groups=groups).path_.cv_mean
    np.testing.assert_array_equal(RULES.set_params(cv=3).fit(X, Y, groups=groups).path_.cv_mean, by_default)
    with pytest.raises(ValueError, match="groups: got 3 groups for 6 folds"):
        RULES.set_params(cv=6).fit(X, Y, groups=groups)


def test_groups_without_cross_validation():
    for model in (RuleRegressor(alpha=0.1), RuleRegressor(alpha="bic"), L0AdditiveRegressor(lambda0=2.0)):
        with pytest.warns(UserWarning, match="^groups: nothing is chosen by cross-validation") as caught:
            model.fit(X, Y, groups=GROUPS)
        assert caught[0].filename == __file__
    with pytest.raises(ValueError, match="groups: got the shape"):
        RuleRegressor(alpha=0.1).fit(X, Y, groups=GROUPS[:3])


def test_tables_in_batches():
    frame = pl.from_pandas(X.assign(y=Y, patient=GROUPS))
    alone = RULES.set_params(cv=5).fit(X, Y, groups=GROUPS).alpha_
    for groups in ("patient", None):
        batches = [frame[:20], frame[20:]]
        if groups is None:
            batches = [batch.drop("patient") for batch in batches]
        found = RULES.fit(batches, "y", groups=groups or GROUPS)
        assert found.alpha_ == alone
        assert list(found.feature_names_in_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="groups: there is no column 'none'"):
        RULES.fit([frame], "y", groups="none")


def test_a_checkpoint_has_its_groups(tmp_path):
    model = RULES.set_params(cv=5).fit(X, Y, groups=GROUPS, checkpoint=tmp_path)
    alpha = model.alpha_
    assert RULES.fit(X, Y, groups=GROUPS, checkpoint=tmp_path).alpha_ == alpha
    assert len(list(tmp_path.iterdir())) == 1
    RULES.fit(X, Y, checkpoint=tmp_path)  # other folds, another fit
    assert len(list(tmp_path.iterdir())) == 2


def test_invalid_molecules_leave_their_groups_out():
    pytest.importorskip("rdkit")
    smiles = ["CCO", "not a molecule", "CCN", "CCC", "c1ccccc1", "CCCl"] * 4
    model = GraphRegressor(n_alphas=3, max_edges=2, cv=3, on_invalid="skip")
    with pytest.warns(UserWarning, match="left out 4 of 24"):
        model.fit(smiles, np.arange(24.0), groups=np.repeat(np.arange(8), 3))
    assert model.alpha_ > 0


@pytest.mark.filterwarnings("default")
def test_the_command_line(tmp_path, capsys):
    rows, out = tmp_path / "rows.csv", tmp_path / "model.json"
    X.assign(y=Y, patient=GROUPS).to_csv(rows, index=False)
    fit = ["fit", str(rows), "-t", "y", "--groups", "patient", "-o", str(out)]
    assert main([*fit, "--n-alphas", "5", "--max-features", "1", "--bins", "4"]) == 0
    model = load_model(out)
    expected = RULES.set_params(cv=5).fit(X, Y, groups=GROUPS)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert model.alpha_ == pytest.approx(expected.alpha_)
    capsys.readouterr()
    assert main(["fit", str(rows), "-t", "y", "--groups", "none", "-o", str(out)]) == 1
    assert "there is no such column 'none'" in capsys.readouterr().err
    assert main([*fit, "--alpha", "0.1"]) == 0
    assert "warning: groups: nothing is chosen by cross-validation" in capsys.readouterr().err
    X.assign(y=Y, patient=GROUPS).to_parquet(tmp_path / "rows.parquet")
    fit[1] = str(tmp_path / "rows.parquet")
    assert main([*fit, "--n-alphas", "5", "--max-features", "1", "--bins", "4", "--from-disk"]) == 0
    assert load_model(out).alpha_ == pytest.approx(expected.alpha_)


def test_the_command_line_with_records(tmp_path, capsys):
    items = [(k, f"i{j}") for k in range(40) for j in range(4) if (k >> j) & 1]
    long = pd.DataFrame(items, columns=["order", "item"])
    long = long.assign(y=[float(item == "i1") for item in long["item"]], shop=long["order"] // 4)
    long["y"] = long.groupby("order")["y"].transform("max")
    long.to_csv(tmp_path / "long.csv", index=False)
    wide = pd.crosstab(long["order"], long["item"]).assign(
        y=long.groupby("order")["y"].max(), shop=lambda f: f.index // 4
    )
    wide.to_csv(tmp_path / "wide.csv", index=False)
    records = [[name for name in ("i0", "i1", "i2", "i3") if row[name]] for _, row in wide.iterrows()]
    expected = ItemsetClassifier(n_alphas=5).fit(records, wide["y"], groups=wide["shop"])
    out = tmp_path / "model.json"
    fit = [
        "--model",
        "itemsets",
        "-t",
        "y",
        "--groups",
        "shop",
        "--n-alphas",
        "5",
        "--task",
        "classification",
    ]
    assert main(["fit", str(tmp_path / "wide.csv"), *fit, "-o", str(out)]) == 0
    assert load_model(out).alpha_ == pytest.approx(expected.alpha_)
    assert "shop" not in str(load_model(out).summary())
    long_options = ["--record", "order", "--item", "item"]
    assert main(["fit", str(tmp_path / "long.csv"), *fit, *long_options, "-o", str(out)]) == 0
    assert load_model(out).alpha_ == pytest.approx(expected.alpha_)
    capsys.readouterr()
