"""How the examples are run and shown: settings of sphinx-gallery.

It is that of scikit-learn and matplotlib, examples stay plain scripts that run anywhere, and pictures are
made in the build.
"""

from pathlib import Path

import matplotlib as mpl
from PIL import Image, ImageChops
from sphinx.application import Sphinx

_ORDER = [
    "ten_rules.py",
    "alpha_path.py",
    "hierarchy.py",
    "stability.py",
    "shapes.py",
    "points.py",
    "trends.py",
    "baskets.py",
    "visits.py",
    "subgraphs.py",
    "best_subset.py",
    "interactions.py",
    "how_the_certificate_works.py",
    "gap_over_time.py",
    "size_and_error.py",
    "credit.py",
    "clinic.py",
    "insurance.py",
    "recommendations.py",
    "clickstreams.py",
    "chemistry.py",
]
_SECTIONS = ["rules", "cards", "patterns", "columns", "proof"]


class ExampleOrder:
    """The order of the examples of a section, by the list above; new ones come last."""

    def __init__(self, src_dir: str) -> None:
        self.src_dir = src_dir

    def __call__(self, filename: str) -> tuple[int, str]:
        """Sort by place in the list, then by name."""
        name = Path(filename).name
        return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)


def section_order(folder: str) -> tuple[int, str]:
    """Sort the folders of examples."""
    name = Path(folder).name
    return (_SECTIONS.index(name) if name in _SECTIONS else len(_SECTIONS), name)


def set_look(gallery_conf: dict, fname: str) -> None:
    """Give every picture the same plain look."""
    mpl.rcdefaults()
    mpl.use("Agg")
    mpl.rcParams.update(
        {
            "axes.spines.right": False,
            "axes.spines.top": False,
            "figure.constrained_layout.use": True,
            "figure.dpi": 90,
            "font.size": 10,
            "savefig.bbox": "tight",
        }
    )


def trim(path: Path) -> None:
    """Cut the empty margins off a thumbnail, so that the picture fills its card."""
    with Image.open(path) as opened:
        white = Image.new("RGBA", opened.size, "white")
        flat = Image.alpha_composite(white, opened.convert("RGBA")).convert("RGB")
    box = ImageChops.difference(flat, Image.new("RGB", flat.size, "white")).getbbox()
    flat.crop(box).save(path)


def trim_thumbnails(app: Sphinx) -> None:
    """Trim the thumbnails of all examples."""
    for folder in SETTINGS["gallery_dirs"]:
        for path in (Path(app.srcdir) / folder).rglob("thumb/*.png"):
            trim(path)


SETTINGS = {
    "examples_dirs": ["../examples/gallery", "../examples/fields"],
    "gallery_dirs": ["gallery", "fields"],
    "filename_pattern": r"\.py$",
    "subsection_order": "gallery.section_order",
    "within_subsection_order": "gallery.ExampleOrder",
    "reset_modules": ("gallery.set_look",),
    "image_srcset": ["2x"],
    "backreferences_dir": "reference/generated/examples",
    "doc_module": ("thresher",),
    "reference_url": {"thresher": None},
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
    "plot_gallery": True,
    "abort_on_example_error": False,
    "capture_repr": ("_repr_html_", "__repr__"),
    "ignore_repr_types": r"matplotlib|Display",
    "remove_config_comments": True,
    "thumbnail_size": (840, 520),
}
