"""The maps of the source: they name what is there, and leave no part out."""

import ast
import re
from fnmatch import fnmatch
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import thresher
from thresher import estimators
from thresher.estimators import _base as base
from thresher.estimators._base import Estimator
from thresher.validation import list_parameters

ROOT = Path(__file__).parents[2]
PACKAGE = Path(thresher.__file__).parent
DESIGN, CONTRIBUTING, README = (ROOT / name for name in ("docs/design.md", "CONTRIBUTING.md", "README.md"))
SOURCES = ("src", "python", "tests", "docs", "benches", "examples", "fuzz", ".github")
GENERATED = ("target/", ".venv", "dist", "site")
SUFFIXES = (".rs", ".py", ".pyi", ".md", ".toml", ".sh", ".yml", ".cff", ".json", ".js", ".css")
CLASSES = [getattr(thresher, name) for name in thresher.__all__ if name.endswith(("Regressor", "Classifier"))]
PACKAGES = sorted(path.parent for path in PACKAGE.rglob("__init__.py") if path.parent != PACKAGE)


def text_of(page):
    """A page without its blocks of code."""
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def is_path(word):
    return bool(re.fullmatch(r"[\w.*/-]+", word)) and ("/" in word or word.endswith(SUFFIXES))


def patterns_of(line):
    """The paths that a line names, each with the patterns of which the tree must have one.

    A name without a folder is in one of the folders that the line has named before it, if there are any, or
    among the estimators.
    """
    folders = []
    for word in re.findall(r"`([^`\n]+)`", line):
        word = word.rstrip("/")
        if not is_path(word) or word.startswith(GENERATED):
            continue
        if "/" in word or not folders:
            yield word, [f"*/{word}"]
        else:
            places = [*folders, "thresher/estimators"]
            yield word, [f"*/{folder}/{part}{word}" for folder in places for part in ("", "*/")]
        if "/" in word:
            folders += [word, word.rsplit("/", 1)[0]]


@pytest.fixture(scope="module")
def tree():
    """The paths of files and folders, each with a slash before it, so that ends of paths can be compared."""
    below = [path for name in SOURCES for path in (ROOT / name).rglob("*") if "__pycache__" not in path.parts]
    return [f"/{path.relative_to(ROOT).as_posix()}" for path in [*below, *ROOT.iterdir()]]


@pytest.mark.parametrize("page", [DESIGN, CONTRIBUTING], ids=lambda page: page.name)
def test_a_page_names_files_and_folders_that_exist(page, tree):
    named = [pair for line in text_of(page).splitlines() for pair in patterns_of(line)]
    assert len(named) > 20
    wrong = [word for word, patterns in named if not any(fnmatch(path, p) for p in patterns for path in tree)]
    assert wrong == []


def test_the_readme_links_to_files_and_headings_that_exist():
    links = re.findall(r"\]\((?!https?://)([^)\s]+)\)", text_of(README))
    for link in links:
        path, _, anchor = link.partition("#")
        assert (ROOT / path).exists(), link
        headings = re.findall(r"^#+ (.+)$", text_of(ROOT / path), re.MULTILINE) if anchor else []
        anchors = [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings]
        assert anchor in ["", *anchors], link


def test_the_design_names_every_part_of_the_source():
    places = text_of(DESIGN).split("## Where things are")[1]
    named = set(re.findall(r"[\w/]+", " ".join(re.findall(r"`([^`\n]+)`", places))))
    core = ROOT / "src"
    folders = [path for depth in ("*", "*/*") for path in core.glob(depth) if path.is_dir()]
    parts = [path.relative_to(core).as_posix() for path in folders if path.name != "tests"]
    parts += [path.stem for path in core.glob("*.rs")]
    parts += [path.stem for path in (ROOT / "python/native/src").glob("*.rs")]
    parts += [path.relative_to(PACKAGE).as_posix() for path in PACKAGES]
    parts += [path.stem for path in PACKAGE.glob("*.py")]
    assert sorted(part for part in parts if part not in named) == []


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_package_of_more_than_five_modules_says_what_each_is_for(package):
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8")))
    modules = {path.name for path in package.glob("*.py")} - {"__init__.py"}
    modules |= {path.parent.name for path in package.glob("*/__init__.py")}
    named = set(re.findall(r"``([\w.]+)``", text)) & {*modules, *re.findall(r"``(\w+\.py)``", text)}
    assert named <= modules
    assert named == modules or len(modules) <= 5, modules - named


ABOVE = {"estimators", "batches", "cli", "results"}  # those of results are of its own paths


def private_uses(folder):
    """The private attributes of other objects that the modules of a folder use."""
    for file in (PACKAGE / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            is_private = isinstance(node, ast.Attribute) and re.match("_[a-z]", node.attr)
            if is_private and ast.unparse(node.value) not in ("self", "cls"):
                yield node.attr


def test_the_estimators_list_what_a_family_implements():
    assert set(Estimator.__abstractmethods__) <= set(re.findall(r"``(_\w+)``", base.__doc__))


def test_the_estimators_list_what_folders_below_them_use():
    attributes = {name for cls in CLASSES for name in (*dir(cls), *Estimator.__annotations__)}
    below = {path.relative_to(PACKAGE).parts[0] for path in PACKAGES} - ABOVE
    used = {
        name
        for folder in below
        for name in private_uses(folder)
        if name in attributes - set(dir(BaseEstimator))
    }
    listed = set(re.findall(r"``(_\w+)``", estimators.__doc__))
    assert used - listed == set()


def test_the_table_of_parameters_names_both_ends():
    table = text_of(CONTRIBUTING).split("## Parameters on their way to the core")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|", table, flags=re.MULTILINE)[2:]
    parameters = {info.name for cls in CLASSES for info in list_parameters(cls)}
    text = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "src").rglob("*.rs"))
    fields = set(re.findall(r"^    pub (\w+):", text, flags=re.MULTILINE))
    assert len(rows) > 10
    for given, core in rows:
        assert set(re.findall(r"`(\w+)[`=]", given)) <= parameters, given
        assert set(re.findall(r"`(\w+)[`=:]", core)) <= fields, core
