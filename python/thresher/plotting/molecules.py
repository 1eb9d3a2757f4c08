"""Drawings of molecules and of their patterns by rdkit: structures in two dimensions, as SVG or pixels."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

from ..data.graph_records import LabelledGraph
from ..data.graph_text import ANY_EDGE, ANY_NODE
from ..data.molecules import BONDS, DUMMY, OTHER_BOND, atom_of, chem

Color = tuple[float, float, float]
"""Red, green and blue, between 0 and 1."""

Part = tuple[set[int], set[int]]
"""Atoms and bonds of a drawing, by their numbers."""

_SCALE = 42.0  # pixels of a bond of a pattern, 1.5 Angstrom: room for two symbols and their charges
_FONT = 13  # pixels of the symbols
_GAP = 0.1  # around symbols, in rdkit's units: the upper line of a double bond is as high as a minus
_MARGIN = 4  # pixels around a drawing: letters are wider in some fonts than rdkit assumes
_SIZE = (260, 180)  # pixels of the drawing of a molecule
_BLACK = "#000000"
_GREY = "#9a9a9a"
# Colours by atomic number that can be read on white and on dark paper, which not all of rdkit's can.
_PALETTE = {
    0: (0.0, 0.0, 0.0),
    7: (0.2, 0.4, 0.9),
    8: (0.85, 0.2, 0.15),
    9: (0.1, 0.55, 0.45),
    16: (0.65, 0.52, 0.0),
    17: (0.1, 0.55, 0.1),
    35: (0.68, 0.36, 0.15),
}


@dataclass(frozen=True)
class Drawing:
    """A drawing of lines, filled shapes and letters, without styles or scripts.

    Parameters
    ----------
    width, height : float
        The size in pixels.
    parts : tuple of (tag, attributes, text)
        The elements of the SVG.
    label : str
        What is drawn, for whom does not see it.
    """

    width: float
    height: float
    parts: tuple[tuple[str, Mapping[str, str], str], ...]
    label: str

    @property
    def view_box(self) -> str:
        """The part of the plane that is shown."""
        return f"{-_MARGIN} {-_MARGIN} {self.width:g} {self.height:g}"

    def svg(self) -> str:
        """Return the drawing as an element of HTML.

        Returns
        -------
        str
            SVG; black lines have the colour of the text around it.
        """
        parts = "".join(
            f"<{tag}{_attributes_text(attributes)}>{html.escape(text)}</{tag}>"
            for tag, attributes, text in self.parts
        )
        size = {"width": f"{self.width:g}", "height": f"{self.height:g}"}
        view = {"viewBox": self.view_box, "role": "img", "aria-label": self.label}
        space = {"xmlns": "http://www.w3.org/2000/svg"}
        return f"<svg{_attributes_text(space | size | view)}>{parts}</svg>"

    def payload(self) -> dict[str, Any]:
        """Return the drawing as JSON.

        Returns
        -------
        dict
            Size, label and elements.
        """
        parts = [[tag, dict(attributes), text] for tag, attributes, text in self.parts]
        size = {"width": self.width, "height": self.height, "view_box": self.view_box}
        return {**size, "label": self.label, "parts": parts}


def _attributes_text(attributes: Mapping[str, str]) -> str:
    return "".join(f' {name}="{html.escape(value)}"' for name, value in attributes.items())


def molecule_of_pattern(graph: LabelledGraph) -> Any:
    """Create the molecule of a pattern: its atoms and bonds, without hydrogen.

    Parameters
    ----------
    graph : LabelledGraph
        A graph with labels of molecules, and wildcards.

    Returns
    -------
    rdkit.Chem.Mol
        The molecule, with coordinates; a bond of any kind, or of an unusual one, is a dotted line, and an
        aromatic atom without an aromatic bond has a small letter.
    """
    Chem = chem()
    from rdkit.Chem import rdDepictor

    kinds = {label: getattr(Chem.BondType, name) for name, label in BONDS.items()}
    kinds |= {ANY_EDGE: Chem.BondType.ZERO, OTHER_BOND: Chem.BondType.ZERO}
    mol = Chem.RWMol()
    for label in graph.nodes:
        atom = atom_of(label)
        drawn = Chem.Atom(0 if atom is None else atom.number)
        if atom is not None:
            drawn.SetIsAromatic(atom.is_aromatic)
            drawn.SetFormalCharge(atom.charge or 0)
        if label in (ANY_NODE, DUMMY):
            drawn.SetProp("atomLabel", "*")
        drawn.SetNoImplicit(True)
        mol.AddAtom(drawn)
    for (u, v), label in zip(graph.edges, graph.labels, strict=True):
        mol.AddBond(u, v, kinds[label])
        mol.GetBondBetweenAtoms(u, v).SetIsAromatic(label == ":")
    for atom in mol.GetAtoms():  # without a dashed line an aromatic atom is known by its small letter
        if atom.GetIsAromatic() and not any(bond.GetIsAromatic() for bond in atom.GetBonds()):
            charge = atom.GetFormalCharge()
            sign = ("" if abs(charge) == 1 else str(abs(charge))) + "-+"[charge > 0]
            atom.SetProp("atomLabel", atom.GetSymbol().lower() + f"<sup>{sign}</sup>" * (charge != 0))
    found = mol.GetMol()
    found.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(found)
    rdDepictor.Compute2DCoords(found)
    return found


def draw_pattern(graph: LabelledGraph, label: str = "", part: Part | None = None) -> Drawing:
    """Draw a pattern of molecules; all patterns have bonds of the same length.

    Parameters
    ----------
    graph : LabelledGraph
        The pattern.
    label : str, default=""
        Its text.
    part : (set of int, set of int), optional
        The atoms and bonds to emphasise: all others are grey.

    Returns
    -------
    Drawing
        The drawing.
    """
    drawer = _drawer("SVG", (-1, -1))
    options = drawer.drawOptions()
    options.scalingFactor = _SCALE / 1.5
    options.padding = 0.12
    _leave_open(options)
    drawer.DrawMolecule(molecule_of_pattern(graph))
    return _drawing(drawer, label, part)


def draw_molecule(
    mol: Any, colors: Mapping[int, Color], label: str = "", size: tuple[int, int] = _SIZE
) -> Drawing:
    """Draw a molecule with coloured atoms, and the bonds between them.

    Parameters
    ----------
    mol : rdkit.Chem.Mol
        The molecule.
    colors : mapping of int to (float, float, float)
        The colours of atoms.
    label : str, default=""
        What it is, for whom does not see it.
    size : (int, int), default=(260, 180)
        Width and height in pixels.

    Returns
    -------
    Drawing
        The drawing.
    """
    drawer = _drawer("SVG", size)
    _draw_colored(drawer, mol, colors)
    return _drawing(drawer, label)


def pixels(
    mol: Any, colors: Mapping[int, Color], size: tuple[int, int], *, is_pattern: bool = False
) -> bytes:
    """Draw a molecule as a picture.

    Parameters
    ----------
    mol : rdkit.Chem.Mol
        The molecule.
    colors : mapping of int to (float, float, float)
        The colours of atoms.
    size : (int, int)
        Width and height.
    is_pattern : bool, default=False
        Whether it is a pattern, to which no hydrogen is added.

    Returns
    -------
    bytes
        PNG.
    """
    drawer = _drawer("Cairo", size)
    options = drawer.drawOptions()
    if is_pattern:
        _leave_open(options)
        options.fixedBondLength = min(size) / 4.5  # a single bond does not fill the panel
        options.bondLineWidth = max(2, min(size) // 130)
        drawer.DrawMolecule(mol)
    else:
        _draw_colored(drawer, mol, colors)
    drawer.FinishDrawing()
    picture: bytes = drawer.GetDrawingText()
    return picture


def _drawer(kind: str, size: tuple[int, int]) -> Any:
    from rdkit.Chem.Draw import rdMolDraw2D

    letters = {"noFreetype": True} if kind == "SVG" else {}
    drawer = getattr(rdMolDraw2D, f"MolDraw2D{kind}")(*size, **letters)
    options = drawer.drawOptions()
    options.clearBackground = kind != "SVG"
    options.updateAtomPalette(_PALETTE)
    if kind == "SVG":
        options.fixedFontSize = _FONT
        options.padding = 0.06
    return drawer


def _leave_open(options: Any) -> None:
    """Set the options of a pattern: no hydrogen is added, and no bond covers the sign of a charge."""
    options.prepareMolsBeforeDrawing = False
    options.additionalAtomLabelPadding = _GAP


def _draw_colored(drawer: Any, mol: Any, colors: Mapping[int, Color]) -> None:
    from rdkit.Chem.Draw import rdMolDraw2D

    drawn = _flat(mol)
    bonds = {
        b.GetIdx(): colors[b.GetBeginAtomIdx()]
        for b in drawn.GetBonds()
        if b.GetBeginAtomIdx() in colors and b.GetEndAtomIdx() in colors
    }
    try:
        drawn = rdMolDraw2D.PrepareMolForDrawing(drawn)
    except ValueError:  # a molecule that has no Kekule structure
        drawn = rdMolDraw2D.PrepareMolForDrawing(drawn, kekulize=False)
    drawer.drawOptions().prepareMolsBeforeDrawing = False
    drawer.DrawMolecule(
        drawn,
        highlightAtoms=list(colors),
        highlightBonds=list(bonds),
        highlightAtomColors=dict(colors),
        highlightBondColors=bonds,
    )


def _flat(mol: Any) -> Any:
    """Return a copy of a molecule with coordinates in the plane."""
    Chem = chem()
    from rdkit.Chem import rdDepictor

    copy = Chem.Mol(mol)
    if not copy.GetNumConformers() or copy.GetConformer().Is3D():
        rdDepictor.Compute2DCoords(copy)
    return copy


def _drawing(drawer: Any, label: str, part: Part | None = None) -> Drawing:
    """Read rdkit's SVG; lines of one kind become one element, and styles become attributes."""
    drawer.FinishDrawing()
    root = ET.fromstring(drawer.GetDrawingText())
    fills: list[tuple[str, Mapping[str, str], str]] = []
    letters: list[tuple[str, Mapping[str, str], str]] = []
    lines: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for element in root:
        tag = element.tag.rpartition("}")[2]
        style = dict(re.findall(r"([\w-]+):([^;]+)", element.get("style", "")))
        if part is not None and _is_outside(element.get("class", ""), part):
            style = {name: _GREY if value.startswith("#") else value for name, value in style.items()}
            element.set("fill", _GREY)
        fill = style.get("fill", element.get("fill", _BLACK))
        if tag == "path" and fill == "none":
            kind = {"stroke": _ink(style["stroke"]), "stroke-width": style["stroke-width"].removesuffix("px")}
            if "stroke-dasharray" in style:
                kind["stroke-dasharray"] = style["stroke-dasharray"]
            lines.setdefault(tuple(kind.items()), []).append(element.get("d", "").replace(" ", ""))
        elif tag == "path":
            fills.append((tag, {"d": element.get("d", "").replace(" ", ""), **_filled(fill)}, ""))
        elif tag == "ellipse":
            places = {name: element.get(name, "0") for name in ("cx", "cy", "rx", "ry")}
            fills.append((tag, places | _filled(fill), ""))
        elif tag == "text":
            places = {name: element.get(name, "0") for name in ("x", "y")}
            size = style.get("font-size", f"{_FONT}px").removesuffix("px")
            kind = {"font-size": size, "font-family": "sans-serif", "fill": _ink(fill)}
            letters.append((tag, places | kind, (element.text or "").replace("-", "−")))
    strokes = [("path", {"d": "".join(d), "fill": "none"} | dict(kind), "") for kind, d in lines.items()]
    width, height = drawer.Width() + 2 * _MARGIN, drawer.Height() + 2 * _MARGIN
    return Drawing(width, height, (*fills, *strokes, *letters), label)


def _is_outside(kind: str, part: Part) -> bool:
    """Whether an element of rdkit's SVG shows an atom or a bond that is no part, by its class."""
    atoms, bonds = ({int(k) for k in re.findall(rf"{name}-(\d+)", kind)} for name in ("atom", "bond"))
    return not (bonds <= part[1] if bonds else atoms <= part[0])


def _filled(color: str) -> dict[str, str]:
    """Fill a shape: a wedge with the colour of the text, the ground of an atom so that its letters show."""
    return {"fill": _ink(color)} | ({} if color == _BLACK else {"fill-opacity": "0.6"})


def _ink(color: str) -> str:
    return "currentColor" if color == _BLACK else color
