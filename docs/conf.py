"""How `make docs` builds the site."""

import importlib.metadata
import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

import gallery  # of that folder

project = "Thresher"
author = "The Thresher developers"
copyright = f"2026, {author}"
release = importlib.metadata.version("thresher")
version = release

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "benchmarks",
    "chart",
    "formulas",
    "mathml",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "_extensions", "_templates", "schema", "reference/generated/examples"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "amsmath"]
myst_heading_anchors = 3
copybutton_exclude = ".linenos, .gp, .go"

sphinx_gallery_conf = gallery.SETTINGS

# Methods inherited from scikit-learn point to labels of its own site.
suppress_warnings = ["ref.ref"]

autosummary_generate = True
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "pydata_sphinx_theme"
html_title = "Thresher"
html_static_path = ["_static"]
html_css_files = ["thresher.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "Thresher"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"index": [], "quickstart": [], "changelog": []}


# In a docstring a bar means an absolute value, never a substitution.
def _keep_bars(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    for k, line in enumerate(lines):
        if "|" in line and not line.lstrip().startswith(">>>"):
            parts = line.split("``")
            parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
            lines[k] = "``".join(parts)


# Rustdoc runs, and does not show, lines of a block of Rust that begin with a number sign and a space.
def _drop_hidden_lines(app: Sphinx, page: str, source: list[str]) -> None:
    blocks = re.compile(r"^```rust\n.*?^```$", re.MULTILINE | re.DOTALL)
    hidden = re.compile(r"^# .*\n", re.MULTILINE)
    source[0] = blocks.sub(lambda block: hidden.sub("", block[0]), source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what the lines above define."""
    app.connect("autodoc-process-docstring", _keep_bars, priority=900)
    app.connect("source-read", _drop_hidden_lines)
    app.connect("builder-inited", gallery.trim_thumbnails, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
