"""The directive `estimator-chart`: which estimator for which rows, as a drawing whose boxes are links.

The drawing is SVG inside the page: it has the colours of the theme, light and dark, and its text can be
searched and read aloud. It exists twice, wide and narrow; a style sheet shows the one that fits.
"""

from dataclasses import dataclass
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

log = logging.getLogger(__name__)

ROW = "What is one row?"
MODEL = "What should the model look like?"
TARGETS = ("classes", "a number")
BOX = 34  # height of a box, in the units of the drawing
LONG_NAME = 24  # letters from which on a name has smaller letters


@dataclass(frozen=True)
class Leaf:
    """A family of estimators, with the answers that lead to it."""

    model: str
    family: str

    @property
    def names(self) -> tuple[str, str]:
        """The class for each kind of target."""
        return (f"{self.family}Classifier", f"{self.family}Regressor")


TREE: list[tuple[str, list[Leaf]]] = [
    (
        "columns: numbers, categories",
        [
            Leaf("a short list of rules", "Rule"),
            Leaf("a score card: points for each column", "L0Additive"),
            Leaf("few columns, each with a coefficient", "L0"),
            Leaf("long conjunctions and their parts", "HierarchicalRule"),
            Leaf("products of columns", "FactorizationMachine"),
        ],
    ),
    ("a set of items: a basket", [Leaf("sets that occur together", "Itemset")]),
    ("events in order: a visit, a text", [Leaf("subsequences", "Sequence")]),
    ("a graph: a molecule, a network", [Leaf("subgraphs", "Graph")]),
    (
        "thousands of sparse 0/1 columns",
        [
            Leaf("few columns", "L0"),
            Leaf("sets of columns", "Itemset"),
            Leaf("pairs of columns", "FactorizationMachine"),
        ],
    ),
]


class Drawing:
    """SVG elements, with the links of the site."""

    def __init__(self, width: int, link) -> None:
        self.width, self.height, self._link, self._parts = width, 0, link, []

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> None:
        """Write one line; `y` is the baseline."""
        self._parts.append(
            f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>'
        )

    def box(self, x: float, y: float, width: float, height: float, text: str, kind: str) -> None:
        """Draw a box with a line of text in its middle."""
        self._parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" class="{kind}"/>')
        self.text(x + width / 2, y + height / 2 + 4.5, text, kind, "middle")
        self.height = max(self.height, y + height)

    def linked_box(self, x: float, y: float, width: float, height: float, name: str) -> None:
        """Draw a box that leads to the page of an estimator."""
        self._parts.append(f'<a href="{escape(self._link(name))}">')
        self.box(x, y, width, height, name, "estimator long" if len(name) > LONG_NAME else "estimator")
        self._parts.append("</a>")

    def line(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """Join two boxes."""
        middle = (x0 + x1) / 2
        self._parts.append(f'<path d="M{x0} {y0} C{middle} {y0} {middle} {y1} {x1} {y1}"/>')

    def elbow(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """Join two boxes of an indented list."""
        self._parts.append(f'<path d="M{x0} {y0} V{y1} H{x1}"/>')

    def svg(self, kind: str) -> str:
        """Return the whole drawing."""
        label = f"chart-{kind}"
        return (
            f'<svg class="estimator-chart {kind}" viewBox="0 0 {self.width} {self.height + 2}" role="group" '
            f'aria-labelledby="{label}"><title id="{label}">Estimators by rows, model and target</title>'
            + "".join(self._parts)
            + "</svg>"
        )


def wide(link) -> str:
    """Draw the chart from left to right."""
    rows_width, model_width, name_width, space, step = 230, 250, 204, 22, 44
    model_x = rows_width + space
    names_x = [model_x + model_width + space + k * (name_width + 8) for k in range(2)]
    drawing = Drawing(names_x[1] + name_width + 1, link)
    for x, width, title in (
        (0, rows_width, ROW),
        (model_x, model_width, MODEL),
        *((x, name_width, f"y: {label}") for x, label in zip(names_x, TARGETS, strict=True)),
    ):
        drawing.text(x + width / 2, 18, title, "question", "middle")
    y = 34
    for rows, leaves in TREE:
        middle = y + (len(leaves) - 1) * step / 2
        for k, leaf in enumerate(leaves):
            top = y + k * step
            drawing.line(rows_width, middle + BOX / 2, model_x, top + BOX / 2)
            drawing.line(model_x + model_width, top + BOX / 2, names_x[0], top + BOX / 2)
            drawing.box(model_x, top, model_width, BOX, leaf.model, "answer")
            for x, name in zip(names_x, leaf.names, strict=True):
                drawing.linked_box(x, top, name_width, BOX, name)
        drawing.box(1, middle, rows_width - 1, BOX, rows, "answer")
        y += len(leaves) * step + 10
    return drawing.svg("wide")


def narrow(link) -> str:
    """Draw the chart as an indented list."""
    drawing = Drawing(360, link)
    y = 0
    for rows, leaves in TREE:
        drawing.box(1, y, 358, BOX, rows, "answer")
        top = y + BOX
        y += BOX + 10
        for leaf in leaves:
            drawing.elbow(14, top, 30, y + 8)
            drawing.text(34, y + 13, leaf.model, "question")
            y += 20
            for k, name in enumerate(leaf.names):
                drawing.linked_box(34, y + k * (BOX + 4), 324, BOX, name)
            y += 2 * BOX + 18
        y += 8
    return drawing.svg("narrow")


class EstimatorChart(SphinxDirective):
    """Insert the chart."""

    def run(self) -> list[nodes.Node]:
        """Return both drawings as raw HTML."""

        def link(name: str) -> str:
            page = f"reference/generated/thresher.{name}"
            if page not in self.env.found_docs:
                log.warning(
                    "the chart of estimators links to a missing page: %s", page, location=self.get_location()
                )
            return self.env.app.builder.get_relative_uri(self.env.docname, page)

        return [nodes.raw("", f'<div class="chart">{wide(link)}{narrow(link)}</div>', format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_directive("estimator-chart", EstimatorChart)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
