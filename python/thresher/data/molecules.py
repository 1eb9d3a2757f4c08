"""Molecules as graphs: atoms by symbol (aromatic ones in lower case), bonds by type.

Implicit hydrogen atoms, charges and isotopes are omitted.
Patterns of such graphs are written as SMARTS, which other chemistry tools read.
"""

from __future__ import annotations

import re
from typing import Any

BONDS = {"SINGLE": "-", "DOUBLE": "=", "TRIPLE": "#", "QUADRUPLE": "$", "AROMATIC": ":"}
_SYMBOL = re.compile(r"[A-Z][a-z]?|[a-z]{1,2}|\*")
_DUMMY = {"*": "[#0]"}  # a dummy atom is not the wildcard of SMARTS
_BARE = {"B", "C", "N", "O", "P", "S", "F", "Cl", "Br", "I", "b", "c", "n", "o", "p", "s"}


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


def molecule(record: Any, where: str) -> Any:
    """Read a molecule.

    Parameters
    ----------
    record : str or rdkit Mol
        SMILES or the molecule itself.
    where : str
        The name of the record, for messages.

    Returns
    -------
    rdkit.Chem.Mol
        The molecule.

    Raises
    ------
    ImportError
        If rdkit is not installed.
    ValueError
        If the text is not SMILES.
    """
    if not isinstance(record, str):
        return record
    Chem = chem()
    from rdkit import rdBase

    with rdBase.BlockLogs():
        read = Chem.MolFromSmiles(record)
    if read is None:
        raise ValueError(
            f"{where} is {record!r}, which rdkit does not read as SMILES; correct it or leave it out"
        )
    return read


def parts(mol: Any) -> tuple[list[str], list[tuple[int, int]], list[str]]:
    """Return the atoms and bonds of a molecule.

    Parameters
    ----------
    mol : rdkit.Chem.Mol
        The molecule.

    Returns
    -------
    nodes : list of str
        Symbols, in the order of the atoms.
    edges : list of (int, int)
        The bonds.
    labels : list of str
        ``-``, ``=``, ``#``, ``:`` (aromatic), or rdkit's name of another bond.
    """
    symbols = [(a.GetSymbol(), a.GetIsAromatic()) for a in mol.GetAtoms()]
    bonds = list(mol.GetBonds())
    kinds = [b.GetBondType().name for b in bonds]
    return (
        [symbol.lower() if aromatic else symbol for symbol, aromatic in symbols],
        [(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in bonds],
        [BONDS.get(kind, kind.lower()) for kind in kinds],
    )


def query_parts(text: str) -> tuple[list[Any], list[tuple[int, int]], list[Any]]:
    """Return the atoms and bonds of a SMARTS pattern in the form of ``Pattern.text``.

    Parameters
    ----------
    text : str
        Atoms by symbol, and bonds; ``*`` is any atom, ``~`` any bond.

    Returns
    -------
    nodes : list of str or None
        Symbols; None for a wildcard.
    edges : list of (int, int)
        The bonds.
    labels : list of str or None
        As from :func:`parts`; None for a wildcard.

    Raises
    ------
    ImportError
        If rdkit is not installed.
    ValueError
        If the text is not SMARTS.
    """
    Chem = chem()
    from rdkit import rdBase

    with rdBase.BlockLogs():
        query = Chem.MolFromSmarts(text)
    if query is None:
        raise ValueError(f"pattern: rdkit does not read {text!r} as SMARTS")
    symbols = {"*": None, "#0": "*"}
    atoms = [atom.GetSmarts().strip("[]") for atom in query.GetAtoms()]
    edges = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in query.GetBonds()]
    bonds = [bond.GetSmarts() or _implicit_bond(atoms, bond) for bond in query.GetBonds()]
    labels = [None if bond == "~" else bond for bond in bonds]
    return [symbols.get(atom, atom) for atom in atoms], edges, labels


def _implicit_bond(atoms: list[str], bond: Any) -> str:
    ends = atoms[bond.GetBeginAtomIdx()], atoms[bond.GetEndAtomIdx()]
    return ":" if all(symbol.islower() for symbol in ends) else "-"


def are_labels(nodes: list[Any], edges: list[Any]) -> bool:
    """Return whether labels are those of molecules, so that patterns may be written as SMARTS.

    Parameters
    ----------
    nodes, edges : list
        Distinct labels.

    Returns
    -------
    bool
        Whether all are symbols and bonds.
    """
    known = set(BONDS.values())
    symbols = (isinstance(label, str) and bool(_SYMBOL.fullmatch(label)) for label in nodes)
    return bool(edges) and all(symbols) and all(label in known for label in edges)


def atom_text(symbol: str) -> str:
    """Format an atom as SMARTS.

    Parameters
    ----------
    symbol : str
        Its symbol.

    Returns
    -------
    str
        The symbol, in brackets where SMARTS needs them.

    Examples
    --------
    >>> atom_text("C"), atom_text("Na"), atom_text("*")
    ('C', '[Na]', '[#0]')
    """
    return symbol if symbol in _BARE else _DUMMY.get(symbol, f"[{symbol}]")
