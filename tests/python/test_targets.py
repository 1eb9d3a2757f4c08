"""Targets that new users give: labels that are rare, several or named, and values beyond a limit."""

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.model_selection import GroupKFold, KFold, cross_val_predict, cross_val_score
from sklearn.multioutput import MultiOutputClassifier

import thresher
from thresher import (
    FactorizationMachineClassifier,
    ItemsetClassifier,
    L0AdditiveClassifier,
    L0Classifier,
    L0Regressor,
    RuleClassifier,
    RuleRegressor,
    examine,
)
from thresher.cli import main

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(60, 3)), columns=list("abc"))
LABELS = np.where(X["a"] > 0, "high", "low").astype(object)
ITEMS = [[name for name in "abc" if row[name] > 0] for _, row in X.iterrows()]


def with_rare(*counts):
    labels, start = LABELS.copy(), 0
    for number, count in enumerate(counts):
        labels[start : start + count] = f"rare{number}"
        start += count
    return labels


# ------------------------------------------------------------------ spellings


SPELLED = np.where(np.arange(60) < 20, "high ", np.where(np.arange(60) < 40, "Low", LABELS)).astype(object)


def test_classes_that_differ_in_spaces_or_case_are_named(tmp_path, monkeypatch, capsys):
    said = r"y has classes that differ in spaces or case alone: 'Low', 'low' \(and 1 more such group\)"
    with pytest.warns(UserWarning, match=said):
        RuleClassifier(alpha=0.1, max_features=1).fit(X, SPELLED)
    with pytest.warns(UserWarning, match=said):
        ItemsetClassifier(alpha=0.1).fit(ITEMS, SPELLED)
    found = thresher.examine(X, SPELLED).findings[-1]
    assert (found.column, found.kind) == ("(target)", "target")
    assert re.match("spells classes in two ways: 'high ' and 'high', 'Low' and 'low'", found.found)
    monkeypatch.chdir(tmp_path)
    X.assign(y=SPELLED).to_csv("d.csv", index=False)
    assert main(["doctor", "d.csv", "--target", "y"]) == 0
    assert "spells classes in two ways" in capsys.readouterr().out


def test_a_class_of_training_spelled_otherwise_is_told(tmp_path, monkeypatch, capsys):
    model = RuleClassifier(alpha=0.1, max_features=1).fit(X, LABELS)
    alike = "'High' is 'high' of training but for spaces, case or leading zeros: spell them as in training"
    capitals = [label.capitalize() for label in LABELS]
    with pytest.raises(
        ValueError, match=r"y holds the class .* the model knows 'high', 'low'; .* of training"
    ):
        model.verify(X, capitals)
    monkeypatch.chdir(tmp_path)
    X.assign(y=LABELS).to_csv("d.csv", index=False)
    X.assign(y=np.where(LABELS == "high", "High", LABELS)).to_csv("c.csv", index=False)
    X.assign(y=np.where(LABELS == "high", "medium", LABELS)).to_csv("m.csv", index=False)
    assert main(["fit", "d.csv", "-t", "y", "--alpha", "0.1", "-o", "m.json"]) == 0
    assert main(["verify", "m.json", "c.csv"]) == 1
    err = capsys.readouterr().err
    assert alike in err
    assert "--target" not in err
    assert main(["verify", "m.json", "m.csv"]) == 1
    assert capsys.readouterr().err.count("--target names the column of the target") == 1


# ------------------------------------------------------------------ texts and others

TABLES = ["Rule", "L0", "L0Additive", "HierarchicalRule", "FactorizationMachine"]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(("other", "kind"), [(1, "int"), (True, "bool"), (("a",), "tuple")])
def test_texts_among_other_labels_are_named(name, other, kind):
    labels = LABELS.copy()
    labels[3] = other
    message = rf"in row 0 and {re.escape(repr(other))} \({kind}\) in row 3: .* Make all of them texts"
    with pytest.raises(ValueError, match=message):
        getattr(thresher, f"{name}Classifier")().fit(X, labels)
    if name == "L0":
        with pytest.raises(ValueError, match=message):
            L0Classifier(lambda0=1).fit(X, LABELS).score(X, labels)


# ------------------------------------------------------------------ truth values


@pytest.mark.parametrize(
    "estimator", [RuleClassifier(alpha=0.05), FactorizationMachineClassifier(alpha=0.01)]
)
def test_truth_values_in_an_array_of_objects_are_scored(estimator):
    y = np.array([bool(x > 0) for x in X["a"]], dtype=object)
    fitted = estimator.fit(X, y)
    assert fitted.classes_.dtype == bool
    assert fitted.score(X, y) == fitted.score(X, pd.Series(y)) == np.mean(fitted.predict(X) == y)


# ------------------------------------------------------------------ classes with fewer rows than folds


@pytest.mark.parametrize("estimator", [RuleClassifier, L0AdditiveClassifier, L0Classifier, ItemsetClassifier])
def test_a_class_with_fewer_rows_than_folds_is_named_once(estimator):
    rows = ITEMS if estimator is ItemsetClassifier else X
    model = estimator(cv=5) if estimator is not L0Classifier else estimator(cv=5, lambda0="cv")
    with pytest.warns(UserWarning, match=r"^cv: the class 'rare0' \(2 rows\) has fewer rows than") as caught:
        model.fit(rows, with_rare(2))
    caught = [entry for entry in caught if str(entry.message).startswith("cv:")]
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("estimator", "strength"),
    [
        (L0AdditiveClassifier, "lambda0"),
        (L0Classifier, "lambda0"),
        (FactorizationMachineClassifier, "alpha"),
        (RuleClassifier, "alpha"),
    ],
)
def test_one_row_a_class_names_the_strength(estimator, strength):
    with pytest.raises(ValueError, match=rf"nothing to hold out. Give {strength} a number$"):
        estimator().fit([[0.0], [1.0]], ["a", "b"])


def test_several_rare_classes_are_listed():
    model = RuleClassifier(cv=4, n_alphas=3, max_features=1)
    said = (
        r"^cv: the classes 'rare0' \(2 rows\), 'rare1' \(3 rows\) have fewer rows than there are folds "
        r"\(4\), so that some folds have none of them to test\."
    )
    with pytest.warns(UserWarning, match=said):
        model.fit(X, with_rare(2, 3))
    with pytest.warns(UserWarning, match=r"'rare4' \(2 rows\) and 2 more have"):
        model.fit(X, with_rare(*[2] * 7))


@pytest.mark.parametrize(
    ("model", "rows", "strength"),
    [
        (RuleClassifier(max_features=2), X, "alpha"),
        (RuleClassifier(max_features=2, max_rules=3), X, "alpha"),
        (ItemsetClassifier(max_patterns=3), ITEMS, "alpha"),
        (L0AdditiveClassifier(bins=20), X, "lambda0"),
        (L0Classifier(), X, "lambda0"),
    ],
    ids=str,
)
def test_a_class_of_one_row_has_no_terms(model, rows, strength):
    y = np.where(np.arange(60) == 7, "yes", "no")
    said = rf"^cv: no fold has rows of the class 'yes' \(1 row\) .* Give {strength} a number"
    with pytest.warns(UserWarning, match=said) as caught:
        model = clone(model).fit(rows, y)
    assert not any("fewer rows than there are folds" in str(each.message) for each in caught)
    assert len(model.summary()) == 0
    assert model.predict_proba(rows)[:, 1] == pytest.approx(1 / 60)


def test_a_class_that_no_fold_learns_and_tests():
    y = np.where(np.arange(60) < 10, "first", np.where(X["a"] > 0, "high", "low"))
    model = RuleClassifier(n_alphas=3, max_features=1)
    said = r"no fold has rows of the class 'first' \(10 rows\)"
    with pytest.warns(UserWarning, match=said):
        model.fit(X, y, groups=np.arange(60) // 10)
    with pytest.warns(UserWarning, match=said):
        model.set_params(cv=KFold(6)).fit(X, y)
    assert not any(row.output == "first" for row in model.summary().rows)
    assert any(row.output == "high" for row in model.summary().rows)
    elsewhere = [(np.arange(10, 60), np.arange(10)), (np.arange(1, 60, 2), np.arange(0, 60, 2))]
    untested = [(np.arange(40), np.arange(40, 60))]
    for splits in (elsewhere, untested):
        model.set_params(cv=splits).fit(X, y)


def test_no_warning_without_rare_classes_or_folds():
    RuleClassifier(cv=4, n_alphas=3, max_features=1).fit(X, with_rare(4))
    RuleClassifier(alpha=0.1).fit(X, with_rare(1))
    RuleClassifier(cv=KFold(3), n_alphas=3, max_features=1).fit(X, with_rare(21))
    RuleClassifier(cv=3, n_alphas=3, max_features=1).fit(X[:6], ["a", "a", "a", "b", "b", "b"])


def test_rows_of_weight_zero_do_not_count():
    weight = np.ones(60)
    weight[:2] = 0
    with pytest.warns(UserWarning, match=r"'rare0' \(2 rows\) has"):
        RuleClassifier(cv=4, n_alphas=3, max_features=1).fit(X, with_rare(4), weight)


@pytest.mark.parametrize(
    ("label", "found"),
    [(np.array([1, 2]), "ndarray of 2"), (pd.Series([1, 2]), "Series of 2"), (pd.NA, "<NA>")],
)
def test_a_positive_class_is_one_label(label, found):
    with pytest.raises(TypeError, match=f"^pos_label: got {found}; give one label, or None"):
        RuleClassifier(alpha=0.1, pos_label=label).fit(X, with_rare(4))


def test_a_positive_class_among_numbered_classes_is_a_number():
    labels = np.where(X["a"] > 0, "bad", "good")
    inner = L0AdditiveClassifier(lambda0=1.0, pos_label="bad")
    advice = (
        r"or None\. cross_val_predict, VotingClassifier and .* y as 0 and 1, \(y == 'bad'\)\.astype\(int\)"
    )
    with pytest.raises(ValueError, match=advice):
        VotingClassifier([("a", inner)], voting="soft").fit(X, labels)
    with pytest.raises(ValueError, match=advice):
        cross_val_predict(inner, X, labels, cv=3, method="predict_proba")
    numbered = L0AdditiveClassifier(lambda0=1.0, pos_label=0)
    assert VotingClassifier([("a", numbered)], voting="soft").fit(X, labels).estimators_[0].pos_label_ == 0


# ------------------------------------------------------------------ several labels


@pytest.mark.parametrize(
    "y", [np.c_[X["a"] > 0, X["b"] > 0].astype(int), X[["a", "b"]] > 0], ids=["array", "frame"]
)
@pytest.mark.parametrize(
    "estimator",
    [RuleClassifier, L0AdditiveClassifier, L0Classifier, ItemsetClassifier, FactorizationMachineClassifier],
)
def test_several_columns_of_labels(estimator, y):
    rows = ITEMS if estimator is ItemsetClassifier else X
    with pytest.raises(
        ValueError, match=r"shape \(60, 2\) instead.*MultiOutputClassifier\(\w+\(\)\).*argmax"
    ):
        estimator().fit(rows, y)


def test_what_the_message_says_about_several_labels_works():
    y = (X[["a", "b"]] > 0).to_numpy().astype(int)
    found = MultiOutputClassifier(RuleClassifier(alpha=0.05)).fit(X, y).predict(X)
    assert (found == y).mean() > 0.9
    assert RuleClassifier(alpha=0.05).fit(X, y.argmax(axis=1)).score(X, y.argmax(axis=1)) > 0.5


def test_lists_of_labels_of_several_lengths():
    for model in (RuleClassifier(), RuleRegressor()):
        with pytest.raises(ValueError, match=r"lists of different lengths.*MultiLabelBinarizer"):
            model.fit(X, [["p"], ["p", "q"]] * 30)


# ------------------------------------------------------------------ names of columns

FRAME = X.assign(t=LABELS)


@pytest.mark.parametrize(
    "name", ["RuleClassifier", "L0Classifier", "L0AdditiveClassifier", "ItemsetClassifier"]
)
def test_the_name_of_a_column_as_y(name):
    said = r"^y: got 't', the name of a column of X.*X.drop\(columns='t'\) as X, and X\['t'\] as y"
    with pytest.raises(ValueError, match=said):
        getattr(thresher, name)().fit(FRAME, "t")
    if name != "ItemsetClassifier":  # it takes columns of 0 and 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert getattr(thresher, name)().fit(FRAME.drop(columns="t"), FRAME["t"]).classes_.size == 2


def test_names_of_columns_in_other_places():
    frame = pl.from_pandas(FRAME)
    with pytest.raises(ValueError, match=r"X.drop\('t'\) as X, and X\['t'\] as y"):
        RuleClassifier().fit(frame, "t")
    assert RuleClassifier(alpha=0.1).fit(frame.drop("t"), frame["t"]).n_features_in_ == 3
    with pytest.raises(ValueError, match=r"^y: got \['a', 'b'\], the name of"):
        RuleRegressor().fit(X, ["a", "b"])
    with pytest.raises(
        ValueError, match=r"^y: got 'no', and X has no column 'no'; its columns are 'a', 'b', 'c'"
    ):
        RuleRegressor().fit(X, "no")
    with pytest.raises(ValueError, match=r"^sample_weight: got 'c', the name of a column of X"):
        RuleRegressor().fit(X, X["a"], "c")
    with pytest.raises(ValueError, match="y should be a 1d array, got 't' instead: give one value"):
        RuleRegressor().fit(X.to_numpy(), "t")
    with pytest.raises(ValueError, match="y should be a 1d array, got 't' instead: give one value"):
        ItemsetClassifier().fit(ITEMS, "t")


def test_labels_that_are_names_of_columns_are_labels():
    y = ["a", "b", "c"] * 20
    assert RuleClassifier(alpha=0.2).fit(X, y).classes_.tolist() == ["a", "b", "c"]
    assert cross_val_score(RuleClassifier(alpha=0.2), X, y, cv=3).size == 3


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_lists_of_texts_beside_sparse_matrices(make):
    items = (X > 0).astype(float)
    labels, rows = LABELS.tolist(), make(items)
    for given in (ItemsetClassifier(alpha=0.02), RuleClassifier(alpha=0.02), L0Classifier(lambda0=2)):
        expected = clone(given).fit(items.to_numpy(), labels)
        np.testing.assert_array_equal(
            given.fit(rows, labels).decision_function(rows), expected.decision_function(items.to_numpy())
        )
    groups = [f"site {row % 6}" for row in range(len(X))]
    model = ItemsetClassifier(cv=GroupKFold(3)).fit(rows, labels, groups=groups, sample_weight=["1"] * len(X))
    np.testing.assert_array_equal(model.predict(rows), LABELS)


# ------------------------------------------------------------------ values beyond a limit


def beyond(cells, rows, value=">6"):
    changed = cells.round(2).astype(object)
    changed[rows] = value
    return changed


@pytest.mark.parametrize("limit", [">6", "< 0.1", "≥6", "<=1,000", "> 1e3"])
@pytest.mark.parametrize("as_text", [False, True])
def test_limits_in_a_target_are_named(limit, as_text):
    y = beyond(X["a"], [3, 7], limit)
    said = rf"most are, but not '{limit}' in row 3 and 1 more such cells; leave rows with a limit out"
    with pytest.raises(ValueError, match=said):
        RuleRegressor().fit(X, y.astype(str) if as_text else y)


def test_other_texts_in_a_target():
    with pytest.raises(ValueError, match="most are, but not 'n/a' in row 5; give numbers"):
        RuleRegressor().fit(X, beyond(X["a"], [5], "n/a"))
    with pytest.raises(ValueError, match=r"got 'high'; for labels use a RuleClassifier|got 'low'"):
        RuleRegressor().fit(X, LABELS)
    y = np.c_[X["a"].astype(object), beyond(X["b"], [4])]
    with pytest.raises(ValueError, match="not '>6' in row 4;"):
        RuleRegressor().fit(X, y)
    with pytest.raises(ValueError, match=r"for numbers fit a RuleRegressor, but '>6' is a limit: leave rows"):
        RuleClassifier().fit(X, beyond(X["a"], [3]).astype(str))


@pytest.mark.filterwarnings("ignore:column .b. has 52 categories")
def test_limits_in_columns_are_named():
    mixed = X.astype(object)
    mixed.loc[3, "b"] = ">6"
    with pytest.raises(TypeError, match=r"'>6' \(row 3\).*replace a limit by its number"):
        RuleRegressor(alpha=0.1).fit(mixed, X["a"])
    texts = X.assign(b=beyond(X["b"], [3, 9]).astype(str))
    said = r"^column 'b' holds numbers as text, because of '>6' in row 3, and becomes categories: replace a"
    with pytest.warns(UserWarning, match=said) as caught:
        RuleRegressor(alpha=0.1).fit(texts, X["a"])
    limits = [entry for entry in caught if "holds numbers as text" in str(entry.message)]
    assert [entry.filename for entry in limits] == [__file__]
    with pytest.raises(TypeError, match="'b' must be numeric but holds '>6' in row 3; replace a limit"):
        L0Regressor().fit(texts, X["a"])
    [limit] = [own for own in thresher.examine(texts, X["a"]).findings if own.column == "b"]
    assert limit.found == "holds numbers as text, and '>6' in row 3"  # counted as by the fit


def test_columns_of_bands_are_categories():
    bands = X.assign(age=["<18", "18-65", ">65"] * 20)
    RuleRegressor(alpha=0.1).fit(bands, X["a"])
    counts = X.assign(children=["0", "1", ">1"] * 20)
    RuleRegressor(alpha=0.1, categorical_features=["children"]).fit(counts, X["a"])
    RuleRegressor(alpha=0.1).fit(counts.astype({"children": "category"}), X["a"])


def test_the_command_line_names_limits_once(tmp_path, capsys):
    path = tmp_path / "rows.csv"
    X.assign(b=beyond(X["b"], [3])).to_csv(path, index=False)
    model = str(tmp_path / "model.json")
    assert main(["fit", str(path), "--target", "a", "--alpha", "0.1", "-o", model, "--keep", "b"]) == 0
    err = capsys.readouterr().err
    assert err.count("replace a limit by its number") == 1
    assert "because of '>6' in data row 4" in err
    X.assign(b=beyond(X["b"], [3]).where(X.index > 0)).to_csv(path, index=False)
    assert main(["fit", str(path), "--target", "b", "--alpha", "0.1", "-o", model]) == 1
    err = capsys.readouterr().err
    assert "but not '>6' in data row 4; leave rows with a limit out" in err


@pytest.mark.parametrize("estimator", [RuleRegressor, RuleClassifier])
def test_scores_refuse_masked_weights(estimator):
    X = np.arange(20.0)[:, None]
    model = estimator(alpha=0.1).fit(X, (X[:, 0] > 9).astype(int))
    weights = np.ma.masked_array(np.ones(20), mask=np.arange(20) < 2)
    with pytest.raises(ValueError, match="sample_weight is nan in row 0"):
        model.score(X, X[:, 0] > 9, sample_weight=weights)
    assert model.score(X, X[:, 0] > 9, sample_weight=np.ma.masked_array(np.ones(20))) > 0.5


LEVELS = ["low", "mid", "high"]


@pytest.mark.parametrize("estimator", [RuleClassifier(alpha=0.1), L0AdditiveClassifier(lambda0=2.0)])
@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow"])
def test_an_order_of_classes_that_is_not_used_is_told(estimator, form):
    x = np.arange(90.0)
    y = pd.Series(pd.Categorical(np.repeat(LEVELS, 30), LEVELS, ordered=True))
    if form == "polars":
        y = pl.Series(y.tolist(), dtype=pl.Enum(LEVELS))
    elif form == "pyarrow":
        y = pa.chunked_array([pa.array(y)])
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        estimator.fit(x[:, None], y).predict(x[:, None])
    told = [str(each.message) for each in found if "ordered categories" in str(each.message)]
    assert len(told) == 1
    assert told[0].startswith("y has ordered categories, whose order is not used")
    assert "fit a regressor to the numbers of the levels" in told[0]
    assert [own.column for own in examine({"x": x}, y).findings if "ordered" in own.found] == ["(target)"]


def test_two_ordered_classes_and_classes_without_order_are_not_told():
    y = pd.Series(pd.Categorical(np.repeat(LEVELS[:2], 45), ordered=True))
    RuleClassifier(alpha=0.1).fit(np.arange(90.0)[:, None], y)
    RuleClassifier(alpha=0.1).fit(
        np.arange(90.0)[:, None], pd.Series(np.repeat(LEVELS, 30), dtype="category")
    )
