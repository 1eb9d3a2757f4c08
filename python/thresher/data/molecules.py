"""Molecules as graphs: atoms by symbol (aromatic ones in lower case), bonds by type.

Implicit hydrogen atoms, isotopes and stereochemistry are omitted, and charges unless they are asked
for. :mod:`.smarts` converts patterns of such graphs to the language that other chemistry tools
read, and back.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

OTHER_BOND = "!-!=!#!:!$"
"""The label of dative bonds and of all others that are none of the usual, as SMARTS has it."""

BONDS = {"SINGLE": "-", "DOUBLE": "=", "TRIPLE": "#", "QUADRUPLE": "$", "AROMATIC": ":"}
_ELEMENTS = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr "
    "Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb "
    "Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf "
    "Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og"
)
ELEMENTS = tuple(_ELEMENTS.split())
"""The symbols by atomic number, from 1."""

AROMATIC = {"b", "c", "n", "o", "p", "s", "se", "te"}
"""The aromatic atoms of SMARTS."""

DUMMY = "*"
"""The symbol of a dummy atom (an attachment point), which is not the wildcard of SMARTS."""

_ANY_BOND = "~"
"""A bond of SMARTS, which rdkit also reads in SMILES."""

SYMBOLS = {*ELEMENTS, *AROMATIC, DUMMY}
"""The symbols that a label may begin with."""

_NUMBERS = {symbol: number for number, symbol in enumerate(ELEMENTS, start=1)}
_LABEL = re.compile(r"([A-Za-z]+|\*)([+-]\d+)?")


class Atom(NamedTuple):
    """What a label says of an atom.

    Parameters
    ----------
    symbol : str
        The symbol, in lower case where the atom is aromatic.
    charge : int or None
        The formal charge; None where the label does not say.
    """

    symbol: str
    charge: int | None

    @property
    def number(self) -> int:
        """The atomic number, 0 for a dummy atom."""
        return _NUMBERS.get(self.symbol.capitalize(), 0)

    @property
    def is_aromatic(self) -> bool:
        """Whether the atom is aromatic."""
        return self.symbol in AROMATIC

    @property
    def label(self) -> str:
        """The label: ``C``, or ``N+1`` with a charge."""
        return self.symbol if self.charge is None else f"{self.symbol}{self.charge:+d}"


def chem() -> Any:
    """Import rdkit.

    Returns
    -------
    module
        ``rdkit.Chem``.

    Raises
    ------
    ImportError
        If it is not installed; the message explains how to install it.
    """
    try:
        from rdkit import Chem
    except ImportError:
        raise ImportError(
            "SMILES and molecules need rdkit: pip install 'thresher[chem]' (or give graphs as networkx "
            "graphs or tuples)"
        ) from None
    return Chem


def can_draw() -> bool:
    """Return whether rdkit is installed with its drawing libraries, which small systems may lack.

    Returns
    -------
    bool
        Whether they can be imported.
    """
    try:
        chem()
        importlib.import_module("rdkit.Chem.Draw.rdMolDraw2D")
    except ImportError:
        return False
    return True


SKIP = "correct it, drop the record, or give on_invalid='skip'"
"""What to do about one of many records that cannot be read."""


def molecule(record: Any, where: str, advice: str = SKIP) -> Any:
    """Read a molecule.

    Parameters
    ----------
    record : str or rdkit Mol
        SMILES or the molecule itself.
    where : str
        The name of the record, for messages.
    advice : str, default=SKIP
        What to do about one that cannot be read.

    Returns
    -------
    rdkit.Chem.Mol
        The molecule, sanitised.

    Raises
    ------
    ImportError
        If rdkit is not installed.
    ValueError
        If the text is not SMILES or blank, or the molecule is a query or cannot be sanitised.
    """
    read = molecule_or_none(record)
    if read is None:
        raise ValueError(f"{where} is {_why(record)}; {advice}")
    return read


def _why(record: Any) -> str:
    """Say why a record is no molecule."""
    if not isinstance(record, str):
        if is_query(record):
            return "a query (as of MolFromSmarts), which stands for many molecules"
        return "a molecule that rdkit cannot sanitise"
    if _ANY_BOND in record:
        return f"{record!r}, whose ~ is any bond of SMARTS, the language of patterns, and not of SMILES"
    return f"{record!r}, {'which rdkit does not read as SMILES' if record.strip() else 'an empty text'}"


def is_query(mol: Any) -> bool:
    """Return whether a molecule of rdkit is a query, such as SMARTS.

    Parameters
    ----------
    mol : rdkit.Chem.Mol
        The molecule.

    Returns
    -------
    bool
        Whether some atom or bond stands for several.
    """
    return any(atom.HasQuery() for atom in mol.GetAtoms()) or any(bond.HasQuery() for bond in mol.GetBonds())


def molecule_or_none(record: Any) -> Any:
    """Read SMILES, or perceive a molecule again on a copy, without rdkit's messages.

    Parameters
    ----------
    record : str or rdkit Mol
        SMILES or the molecule itself, which may be kekulised or not sanitised.

    Returns
    -------
    rdkit.Chem.Mol or None
        The sanitised molecule; None if rdkit does not read the text or it is blank or has the bond ``~`` of
        SMARTS, or if the molecule is a query or cannot be sanitised.

    Raises
    ------
    ImportError
        If rdkit is not installed.
    """
    Chem = chem()
    from rdkit import rdBase

    with rdBase.BlockLogs():
        if isinstance(record, str):
            mol = Chem.MolFromSmiles(record) if record.strip() else None
            return None if mol is not None and _ANY_BOND in record and is_query(mol) else mol
        if is_query(record):
            return None
        mol = Chem.Mol(record)
        has_failed = Chem.SanitizeMol(mol, catchErrors=True)
        return None if has_failed else mol


def parts(mol: Any, *, charges: bool = False) -> tuple[list[str], list[tuple[int, int]], list[str]]:
    """Return the atoms and bonds of a molecule.

    Parameters
    ----------
    mol : rdkit.Chem.Mol
        The molecule.
    charges : bool, default=False
        Whether labels of atoms tell the formal charge.

    Returns
    -------
    nodes : list of str
        Symbols, in the order of the atoms; with charges ``C+0``, ``N+1``.
    edges : list of (int, int)
        The bonds.
    labels : list of str
        ``-``, ``=``, ``#``, ``$``, ``:`` (aromatic), or `OTHER_BOND`.
    """
    nodes = []
    for atom in mol.GetAtoms():
        symbol = atom.GetSymbol() if atom.GetAtomicNum() else DUMMY
        aromatic = bool(atom.GetAtomicNum()) and atom.GetIsAromatic()
        charge = atom.GetFormalCharge() if charges else None
        nodes.append(Atom(symbol.lower() if aromatic else symbol, charge).label)
    bonds = list(mol.GetBonds())
    return (
        nodes,
        [(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in bonds],
        [BONDS.get(b.GetBondType().name, OTHER_BOND) for b in bonds],
    )


def atom_of(label: Any) -> Atom | None:
    """Parse the label of an atom.

    Parameters
    ----------
    label : object
        A label of a node.

    Returns
    -------
    Atom or None
        What it says; None if it is no label of an atom.

    Examples
    --------
    >>> atom_of("Cl"), atom_of("n+1"), atom_of("red")
    (Atom(symbol='Cl', charge=None), Atom(symbol='n', charge=1), None)
    """
    found = _LABEL.fullmatch(label) if isinstance(label, str) else None
    if found is None or found[1] not in SYMBOLS:
        return None
    return Atom(found[1], None if found[2] is None else int(found[2]))


def are_labels(nodes: Iterable[Any], edges: Iterable[Any]) -> bool:
    """Return whether labels are those of molecules, so that patterns may be shown as SMARTS.

    Parameters
    ----------
    nodes, edges : iterable
        Distinct labels.

    Returns
    -------
    bool
        Whether there are bonds, all labels are symbols and bonds, and all symbols or none have a charge.
    """
    known, bonds = {*BONDS.values(), OTHER_BOND}, list(edges)
    atoms = [atom_of(label) for label in nodes]
    if not bonds or not all(label in known for label in bonds) or None in atoms:
        return False
    return len({atom is not None and atom.charge is None for atom in atoms}) == 1


def have_charges(nodes: Iterable[Any]) -> bool:
    """Return whether the labels of atoms tell their charges.

    Parameters
    ----------
    nodes : iterable
        Distinct labels.

    Returns
    -------
    bool
        Whether some label ends in a charge.
    """
    atoms = map(atom_of, nodes)
    return any(atom is not None and atom.charge is not None for atom in atoms)
