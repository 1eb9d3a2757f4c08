"""SMARTS of molecules' labels: atoms of patterns as text, and the labels that a text asks for."""

from __future__ import annotations

import re
from typing import Any

from .molecules import AROMATIC, BONDS, DUMMY, ELEMENTS, OTHER_BOND, SYMBOLS, Atom, atom_of, chem

_BARE = {"B", "C", "N", "O", "P", "S", "F", "Cl", "Br", "I", "b", "c", "n", "o", "p", "s"}
_CHARGES = {1: "+", -1: "-"}
_EITHER_KIND = {"Se", "Te"}  # in brackets rdkit takes these for aromatic atoms as well
_UNKNOWN_TO_SMARTS = {"Nh", "Mc", "Ts", "Og"}  # rdkit reads these by number alone
_QUERY = re.compile(r"\[?(#\d+|[A-Za-z]+|\*)(?:&A)?(?:&?([+-]\d*))?\]?")
_QUERY_BONDS = {OTHER_BOND.replace("!", "&!")[1:]: OTHER_BOND}


def atom_smarts(atom: Atom) -> str:
    """Format an atom as SMARTS that matches this label alone.

    Parameters
    ----------
    atom : Atom
        The atom.

    Returns
    -------
    str
        The symbol, in brackets where SMARTS needs them, with the charge where the label has one.

    Examples
    --------
    >>> [atom_smarts(Atom(*a)) for a in [("C", None), ("Na", None), ("*", None), ("C", 0), ("Se", -1)]]
    ['C', '[Na]', '[#0]', '[C+0]', '[Se;A-]']
    """
    if atom.charge is None and atom.symbol in _BARE:
        return atom.symbol
    return _bracketed(atom, ";A" if atom.symbol in _EITHER_KIND else "")


def _bracketed(atom: Atom, further: str = "") -> str:
    is_number = atom.symbol == DUMMY or atom.symbol in _UNKNOWN_TO_SMARTS
    symbol = f"#{atom.number}" if is_number else atom.symbol
    charge = "" if atom.charge is None else _CHARGES.get(atom.charge, f"{atom.charge:+d}")
    return f"[{symbol}{further}{charge}]"


def atom_text(atom: Atom) -> str:
    """Format an atom for reading: as :func:`atom_smarts`, without a charge of 0 and the like.

    Parameters
    ----------
    atom : Atom
        The atom.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> atom_text(Atom("C", 0)), atom_text(Atom("N", 1)), atom_text(Atom("Fe", 2))
    ('C', '[N+]', '[Fe+2]')
    """
    shown = atom if atom.charge else atom._replace(charge=None)
    return shown.symbol if shown.charge is None and shown.symbol in _BARE else _bracketed(shown)


def query_parts(text: str, *, charges: bool = False) -> tuple[list[Any], list[tuple[int, int]], list[Any]]:
    """Return the atoms and bonds of a SMARTS pattern, by the labels of a model.

    Parameters
    ----------
    text : str
        Atoms by symbol, with a charge where the labels have one, and bonds; ``*`` is any atom, ``~`` any
        bond. An implicit bond is aromatic between two aromatic atoms, else single. An atom without
        a charge is neutral, where the labels have charges.
    charges : bool, default=False
        Whether the labels of atoms tell the formal charge.

    Returns
    -------
    nodes : list of str or None
        Labels of the atoms; None for a wildcard.
    edges : list of (int, int)
        The bonds.
    labels : list of str or None
        Labels of the bonds; None for a wildcard.

    Raises
    ------
    ImportError
        If rdkit is not installed.
    ValueError
        If the text is not SMARTS, or asks for what the labels do not tell.
    """
    Chem = chem()
    from rdkit import rdBase

    with rdBase.BlockLogs():
        query = Chem.MolFromSmarts(text)
    if query is None:
        raise ValueError(f"pattern: rdkit does not read {text!r} as SMARTS")
    if any(atom.GetChiralTag() for atom in query.GetAtoms()) or any(
        bond.GetBondDir() for bond in query.GetBonds()
    ):
        raise ValueError(
            f"pattern: {text!r} asks for stereochemistry (@, / or \\), which is not part of the labels; "
            "leave it out"
        )
    nodes = [_query_atom(atom.GetSmarts(), charges) for atom in query.GetAtoms()]
    edges = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in query.GetBonds()]
    return nodes, edges, [_query_bond(bond, nodes) for bond in query.GetBonds()]


def _query_atom(smarts: str, charges: bool) -> str | None:
    """Return the label that an atom of a query asks for; None for any."""
    if smarts in ("*", "[*]"):
        return None
    found = _QUERY.fullmatch(smarts)
    symbol = None if found is None else _query_symbol(found[1])
    if found is None or symbol is None:
        known = "an element (N), an aromatic one (n)" + (", a charge ([N+])" if charges else "")
        raise ValueError(
            f"pattern: the atom {smarts} has a condition that is not in labels, or several labels; the "
            f"labels of this model know {known}; * is any atom. Isotopes, counts of hydrogen, rings and "
            "stereochemistry are not part of them"
        )
    if found[2] is not None and not charges:
        raise ValueError(
            f"pattern: the atom {smarts} has a charge, which is not part of the labels of this model; fit "
            f"with charges=True, or leave the charge out ({symbol})"
        )
    sign = found[2] or "+0"
    charge = int(sign + "1" if sign in "+-" else sign)
    return Atom(symbol, charge if charges else None).label


def _query_symbol(text: str) -> str | None:
    """Return the symbol of an atom in a query; None if it stands for several."""
    if text.startswith("#"):
        number = int(text[1:])
        symbol = DUMMY if number == 0 else ELEMENTS[number - 1] if number <= len(ELEMENTS) else ""
        return symbol if symbol in _EITHER_KIND or symbol.lower() not in {*AROMATIC, ""} else None
    return text if text in SYMBOLS and text != DUMMY else None


def _query_bond(bond: Any, nodes: list[str | None]) -> str | None:
    """Return the label that a bond of a query asks for; None for any."""
    smarts = bond.GetSmarts()
    if smarts == "~":
        return None
    if not smarts:
        ends = [atom_of(nodes[k]) for k in (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())]
        return ":" if all(atom is not None and atom.is_aromatic for atom in ends) else "-"
    label: str = _QUERY_BONDS.get(smarts, smarts)
    if label not in {*BONDS.values(), OTHER_BOND}:
        raise ValueError(
            f"pattern: the bond {smarts} has a condition that is not in labels, or several labels; give one "
            f"of {', '.join(BONDS.values())}; ~ is any bond"
        )
    return label
