"""The shape of the package: few own classes above an estimator, and arrows that point one way."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import get_scorer

import thresher
from thresher.public_names import SUBMODULES
from thresher.validation import list_parameters

ESTIMATORS = [
    getattr(thresher, name)
    for name in thresher.__all__
    if name.endswith(("Regressor", "Classifier")) and isinstance(getattr(thresher, name), type)
]
PACKAGE = Path(thresher.__file__).parent
_RESULTS = {"formatting", "data", "results"}
BELOW = {
    "formatting": set(),
    "data": {"formatting"},
    "results": {"formatting", "data"},
    "model_io": _RESULTS,
    "plotting": _RESULTS,
    "export": {*_RESULTS, "model_io"},
    "reports": {*_RESULTS, "model_io", "export"},
    "monitoring": {*_RESULTS, "plotting"},
    "scorecard": {*_RESULTS, "model_io", "plotting", "export", "reports", "monitoring"},
    "comparison": {*_RESULTS, "plotting"},
    "examination": _RESULTS,
    "estimators": {*_RESULTS, "model_io", "plotting", "export", "reports", "scorecard", "monitoring"},
    "batches": {"model_io", "estimators"},
    "cli": {
        *_RESULTS,
        "model_io",
        "export",
        "reports",
        "monitoring",
        "scorecard",
        "comparison",
        "examination",
        "estimators",
    },
}
"""What each folder may import, from the bottom up: a folder names those above it in the table alone."""
SINGLE = {
    "cluster": {"threads"},
    "__main__": {"cli"},
    "__init__": {"_interrupted", "model_io", "public_names"},
}
"""What single modules import; the others import none of the package, and every folder may import them."""


def test_there_are_sixteen_estimators():
    assert len(ESTIMATORS) == 16


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_at_most_three_own_classes_above_an_estimator(estimator):
    own = [cls.__name__ for cls in estimator.__mro__[1:] if cls.__module__.startswith("thresher")]
    assert len(own) <= 3, own


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_every_parameter_is_declared_and_documented(estimator):
    listed = list_parameters(estimator)
    assert [info.name for info in listed] == list(estimator.__init__.__annotations__)[:-1]
    assert set(estimator._parameter_constraints) == {info.name for info in listed}
    for info in listed:
        assert f"\n{info.name} : {info.kind}, default=" in estimator.__doc__
        if info.allowed != (object,):
            estimator._parameters[info.name].check(info.name, info.default)


def imported(file):
    """The parts of the package that a module imports from, at any place of its text, as paths."""
    folder = file.relative_to(PACKAGE).parts[:-1]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert not any(alias.name.split(".")[0] == "thresher" for alias in node.names), file
        if isinstance(node, ast.ImportFrom):
            assert node.level or (node.module or "").split(".")[0] != "thresher", file
            base = folder[: len(folder) - node.level + 1]
            target = (*base, *(node.module or "").split("."))
            names = [target] if node.module else [(*base, alias.name) for alias in node.names]
            yield from names if node.level else ()


def modules_of(folder):
    return sorted((PACKAGE / folder).rglob("*.py"))


def test_every_folder_has_a_layer_and_no_cycle_is_allowed():
    assert set(BELOW) == {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    folders = list(BELOW)
    for place, folder in enumerate(folders):
        assert BELOW[folder] <= set(folders[:place]), folder


@pytest.mark.parametrize("folder", BELOW)
def test_a_folder_imports_only_what_lies_below_it(folder):
    wrong = [
        f"{file.relative_to(PACKAGE)} imports {'.'.join(path)}"
        for file in modules_of(folder)
        for path in imported(file)
        if path[0] in BELOW and path[0] != folder and path[0] not in BELOW[folder]
    ]
    assert wrong == []


def test_single_modules_import_next_to_nothing_of_the_package():
    found = {file.stem: {path[0] for path in imported(file)} - {"_native"} for file in PACKAGE.glob("*.py")}
    assert {name: parts for name, parts in found.items() if parts} == SINGLE


def test_a_family_of_estimators_imports_no_other():
    folder = PACKAGE / "estimators"
    families = {path.stem for path in folder.iterdir() if path.stem[0] != "_"}
    wrong = [
        f"{file.relative_to(PACKAGE)} imports {path[1]}"
        for file in modules_of("estimators")
        for path in imported(file)
        if path[0] == "estimators"
        and path[1] in families - {file.relative_to(folder).parts[0].removesuffix(".py")}
    ]
    assert wrong == []


def loaded_by(code):
    """The modules that a program has loaded at its end."""
    code = f"import sys\n{code}\nprint(*sys.modules)"
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()


def test_the_import_alone_loads_almost_nothing():
    found = {name.split(".")[1] for name in loaded_by("import thresher") if name.startswith("thresher.")}
    assert found == {"_interrupted", "_native", "data", "model_io", "public_names"}


@pytest.mark.parametrize(
    ("file", "entry", "module"),
    [
        ("0.1.0-graph-regression.json", "model", "thresher.estimators.graphs"),
        ("cards/0.1.0-exact.json", "card", "thresher.scorecard.card"),
    ],
)
def test_a_file_loads_the_module_of_its_class(tmp_path, file, entry, module):
    golden = json.loads((PACKAGE.parents[1] / "tests/golden" / file).read_text(encoding="utf-8"))
    path = tmp_path / "model.json"
    path.write_text(json.dumps(golden[entry]), encoding="utf-8")
    assert module in loaded_by(f"from thresher import load_model; load_model({str(path)!r})")


def test_a_family_loads_neither_others_nor_what_single_methods_need():
    fit = (
        "from thresher import RuleRegressor\nRuleRegressor(alpha=0.1).fit([[0], [1]], [0, 1]).predict([[0]])"
    )
    late = {"batches", "cli", "comparison", "examination", "export", "monitoring", "plotting", "reports"}
    late = {
        f"thresher.{folder}" for folder in (*late, "scorecard", "estimators.graphs", "estimators.additive")
    }
    late |= {"matplotlib", "jinja2", "onnx", "openpyxl", "rdkit", "networkx"}
    late |= {"sklearn.metrics", "sklearn.model_selection", "sklearn.preprocessing"}
    assert not late.intersection(loaded_by(fit))


def test_the_command_line_loads_no_models_of_scikit_learn():
    late = {"sklearn.datasets", "sklearn.ensemble", "sklearn.linear_model", "sklearn.model_selection"}
    assert not late.intersection(loaded_by("import thresher.cli"))


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_help_and_version_of_the_program_load_next_to_nothing(option):
    run = f"from thresher.cli import main\ntry: main([{option!r}])\nexcept SystemExit: pass"
    assert not {"sklearn", "scipy", "pandas", "thresher.cli.commands"}.intersection(loaded_by(run))


def test_a_public_name_is_not_that_of_a_module():
    # Python gives the package an attribute for each module that is loaded, of the module's name.
    assert not {path.stem for path in PACKAGE.iterdir()}.intersection(thresher.__all__)


def test_type_checkers_see_the_public_names():
    names = re.findall(r" as (\w+)$", (PACKAGE / "__init__.pyi").read_text(encoding="utf-8"), re.MULTILINE)
    assert {*names, "__version__"} == {*thresher.__all__, *SUBMODULES}
    assert len(thresher.__all__) == len(set(thresher.__all__))


@pytest.mark.parametrize("name", ["plotting.PathDisplay", "export.pipelines.register_converters"])
def test_documented_modules_are_loaded_when_they_are_first_used(name):
    assert f"thresher.{name.rsplit('.', 1)[0]}" in loaded_by(f"import thresher; thresher.{name}")
    with pytest.raises(AttributeError, match=r"module 'thresher.export' has no attribute 'pipeline'"):
        thresher.export.pipeline  # noqa: B018


def test_the_package_lists_names_and_refuses_others():
    listed = {name for name in dir(thresher) if not name.startswith("__")}
    assert listed | {"__version__"} == {*thresher.__all__, *SUBMODULES}
    with pytest.raises(AttributeError, match="module 'thresher' has no attribute 'RuleRegresor'"):
        thresher.RuleRegresor  # noqa: B018


COLORS = pd.DataFrame({"age": np.arange(40.0), "color": ["red", "blue", "green", "red"] * 10})
SHADE = (COLORS["color"] == "red") * 2.0 + (COLORS["age"] > 19)


@pytest.mark.parametrize(
    "model",
    [
        thresher.RuleRegressor(alpha=0.01),
        thresher.L0AdditiveRegressor(lambda0=0.5),
        thresher.FactorizationMachineRegressor(rank=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_unknown_categories_are_refused_or_missing(model):
    pink, none = COLORS.head(3).assign(color="pink"), COLORS.head(3).assign(color=None)
    model.fit(COLORS, SHADE)
    with pytest.raises(ValueError, match=r"column 'color' holds .pink. in row 0"):
        model.set_params(handle_unknown="error").predict(pink)
    with pytest.warns(UserWarning, match="'pink' in row 0, a category that training did not see"):
        warned = model.set_params(handle_unknown="warn").predict(pink)
    silent = model.set_params(handle_unknown="missing").predict(pink)
    np.testing.assert_array_equal(silent, model.predict(none.astype({"color": object})))
    np.testing.assert_array_equal(silent, warned)


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", "balanced_accuracy"])
@pytest.mark.parametrize(
    "estimator",
    [thresher.RuleClassifier(alpha=0.02, max_features=1), thresher.L0AdditiveClassifier(lambda0=1.0)],
)
def test_the_scorers_of_scikit_learn_do_not_depend_on_pos_label(estimator, scoring):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] + rng.normal(size=120) > 0.3, "bad", "good")
    labels = [None, "good", "bad"]
    scorer = get_scorer(scoring)
    scores = [scorer(clone(estimator).set_params(pos_label=label).fit(X, y), X, y) for label in labels]
    assert scores[0] == scores[1] == pytest.approx(scores[2], abs=1e-6)


@pytest.mark.parametrize("label", ["early", "late"])
def test_pos_label_is_the_class_that_the_model_speaks_about(label):
    y = np.where(COLORS["age"] > 19, "late", "early")
    model = thresher.RuleClassifier(alpha=0.02, pos_label=label).fit(COLORS[["age"]], y)
    assert model.classes_.tolist() == ["early", "late"]
    assert model.pos_label_ == label
    assert model.score(COLORS[["age"]], y) == 1
    X = COLORS[["age"]]
    np.testing.assert_array_equal(model.decision_function(X) > 0, y == "late")
    np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), y == "late")
    speaks = [explanation.decisions[0][1] > 0 for explanation in model.explain(X)]
    np.testing.assert_array_equal(speaks, y == label)
    again = thresher.load_model(model.to_json())
    assert (again.classes_.tolist(), again.pos_label_) == (model.classes_.tolist(), label)
    with pytest.raises(ValueError, match="pos_label: got 'never'; give one of 'early', 'late'"):
        model.set_params(pos_label="never").fit(COLORS[["age"]], y)


def test_the_citation_names_the_version():
    citation = (PACKAGE.parents[1] / "CITATION.cff").read_text(encoding="utf-8")
    assert f'\nversion: "{thresher.__version__}"\n' in citation


def test_the_reference_lists_every_public_name():
    page = (Path(__file__).parents[2] / "docs/reference/index.rst").read_text(encoding="utf-8")
    listed = {line.strip() for line in page.splitlines()}
    assert {name for name in thresher.__all__ if not name.startswith("__")} <= listed
