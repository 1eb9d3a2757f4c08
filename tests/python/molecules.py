"""Molecules made up from fragments: rings, charges, stereochemistry, isotopes, salts, metals."""

import numpy as np
from rdkit import Chem, rdBase

CORES = [
    "c1ccc({})cc1", "c1cc({})ccn1", "c1c({})[nH]cc1", "c1c({})occ1", "c1c({})sc2ccccc12", "C1CCC({})CC1",
    "C1CN({})CCO1", "c1ccc(-c2ccc({})cc2)cc1", "[se]1cccc1{}", "O=C1CCN({})C1=O", "C1CC2CC1CC2{}",
    "[n+]1ccccc1{}", "C({})C", "B1OC(C)(C)C(C)(C)O1", "p1ccccc1{}", "C[Si](C)(C){}", "C1({})CC1",
    "[Se]1CCCC1{}",
]  # fmt: skip
GROUPS = [
    "C(=O)O", "C(=O)[O-]", "[N+](=O)[O-]", "N", "[NH3+]", "[N+](C)(C)C", "S(=O)(=O)N", "C#N", "[N+]#[C-]",
    "F", "Cl", "Br", "I", "O", "OC", "SC", "P(=O)(O)O", "[13CH3]", "[2H]", "C([2H])[2H]", "/C=C/C",
    "/C=C\\C", "[C@H](N)C(=O)O", "[C@@H](N)C(=O)O", "N=[N+]=[N-]", "C(F)(F)F", "C1CC1", "[Si](C)(C)C",
    "[Sn](C)(C)C", "[As](C)C", "S", "[S-]", "[Mg+]", "[Zn]C", "C=O", "N=O", "C[O]", "[CH2]", "*", "[Xe]F",
    "[Hg]C", "[Te]C", "[B-](F)(F)F", "C$C",
]  # fmt: skip
SALTS = [
    ".[Na+].[Cl-]",
    ".Cl",
    ".O",
    ".[K+]",
    ".[Fe+2]",
    ".[H+]",
    ".[H][H]",
    ".N->[Pt+2](<-N)(Cl)Cl",
    ".O=C=O",
]


def smiles(n: int, seed: int = 0) -> list[str]:
    """Return n SMILES that rdkit reads."""
    rng = np.random.default_rng(seed)
    found: list[str] = []
    while len(found) < n:
        text = str(rng.choice(CORES))
        group = str(rng.choice(GROUPS)) if rng.random() < 0.8 else str(rng.choice(CORES)).replace("{}", "C")
        text = text.replace("{}", _renumbered(group))
        text += str(rng.choice(SALTS)) * (rng.random() < 0.25)
        with rdBase.BlockLogs():
            if Chem.MolFromSmiles(text) is not None:
                found.append(text)
    return found


def _renumbered(group: str) -> str:
    """Give the rings of a group numbers of their own."""
    return group if "[" in group else group.replace("1", "5").replace("2", "6")
