"""Prove that what is shipped works: crate, source distribution, wheels, fresh environments, predictions.

Without arguments:

1. The list of files of the crate is looked at.
2. The files git would publish are copied, and a source distribution is made of the copy alone.
3. pip builds a wheel from that source distribution, as ``pip install`` does without a wheel.
   Without optimisation: what is tried is the packaging, and the release profile takes minutes.
4. A fresh environment gets the wheel and nothing else, and fits, saves, loads and predicts there.

With a folder, ``check_wheel.py dist --python python3.11 --python python3.14``: every wheel and source
distribution in it is looked at, and a fresh environment of each Python installs the wheel that fits it.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from contents import check_crate, check_source_distribution, check_wheel

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
WORK = ROOT / "target" / "packaging"
CONSTRAINTS = ROOT / "requirements-dev.lock"
MOST_OF_IMPORT = 0.15  # of the CPU time of NumPy and scikit-learn: .07 of 1.1 s


def run(*command: object, cwd: Path = WORK, **environment: str) -> str:
    """Run a command, show it, and stop here with its output if it fails."""
    words = [str(word) for word in command]
    print("  $", " ".join(words).replace(str(ROOT), "."), flush=True)
    done = subprocess.run(
        words,
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\ncheck_wheel: exit status {done.returncode}: {' '.join(words)}")
    return done.stdout


def published_copy(target: Path) -> None:
    """Copy every file that git tracks, or would track, to `target`."""
    listing = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    for name in listing.splitlines():
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def source_distribution() -> Path:
    """Make the source distribution and return the folder it unpacks to."""
    published_copy(WORK / "clone")
    run(sys.executable, "-m", "maturin", "sdist", "--out", WORK, cwd=WORK / "clone")
    (archive,) = WORK.glob("thresher-*.tar.gz")
    folder = WORK / check_source_distribution(archive)
    with tarfile.open(archive) as tar:
        tar.extractall(WORK, filter="data")
    # The archive's fixed dates would make cargo believe that an older build is still good.
    for path in folder.rglob("*"):
        os.utime(path)
    return folder


def wheel(source: Path) -> None:
    """Let pip build the wheel in isolation, and check its name and contents."""
    run(
        sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", WORK, source,
        CARGO_TARGET_DIR=str(ROOT / "target"),
        CARGO_PROFILE_DEV_OPT_LEVEL="0",
        CARGO_PROFILE_DEV_DEBUG="0",
        MATURIN_PEP517_ARGS="--profile dev",
    )  # fmt: skip
    (built,) = WORK.glob("*.whl")
    check_wheel(built, is_released=False)


def fresh_environment(python: str, wheels: Path) -> Path:
    """Install the wheel that fits and its dependencies alone, and return the environment's Python."""
    home = WORK / "venv"
    run(python, "-m", "venv", "--clear", home)
    own = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    install = (own, "-m", "pip", "install", "--quiet", "--only-binary", ":all:")
    run(*install, "--no-index", "--no-deps", "--find-links", wheels, "thresher")
    run(*install, "--constraint", CONSTRAINTS, "thresher")
    return own


def use(python: Path) -> None:
    """Use the package from outside the repository."""
    document = WORK / "model.json"
    print(" ", run(python, "-I", "-W", "error", HERE / "smoke.py", document).strip())
    print(run(python, "-m", "thresher", "summary", document))
    run(python.with_name("thresher" + python.suffix), "doctor")


def check_import_time(python: Path, attempts: int = 9) -> None:
    """Compare the import of a family with that of NumPy and scikit-learn; other work slows both down."""
    code = (
        "from time import process_time as now; a = now(); import numpy, sklearn; b = now(); "
        "from thresher import RuleRegressor; "
        "print(b - a, now() - b)"
    )

    def seconds() -> tuple[float, float]:
        base, own = map(float, subprocess.check_output([python, "-I", "-c", code], text=True).split())
        return base, own

    seconds()  # reads the files once
    base, own = min((seconds() for _ in range(attempts)), key=lambda pair: pair[1] / pair[0])
    print(f"  import: {own:.3f} s beyond {base:.3f} s of NumPy and scikit-learn")
    assert own <= MOST_OF_IMPORT * base, (
        f"the import takes {own / base:.2f} of that of NumPy and scikit-learn"
    )


def main() -> None:
    """Make what is shipped, or take it from a folder, and try it."""
    parser = argparse.ArgumentParser(description="Try the wheels and the source distribution.")
    parser.add_argument("folder", nargs="?", type=Path, help="with wheels to try; by default one is built")
    parser.add_argument("--python", action="append", help="of a fresh environment; by default this one")
    options = parser.parse_args()
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    if options.folder is None:
        check_crate()
        wheel(source_distribution())
    else:
        for path in sorted(options.folder.glob("*.whl")):
            check_wheel(path)
        for path in options.folder.glob("*.tar.gz"):
            check_source_distribution(path)
    for python in options.python or [sys.executable]:
        own = fresh_environment(python, WORK if options.folder is None else options.folder.resolve())
        use(own)
        check_import_time(own)
    shutil.rmtree(WORK)
    print("check_wheel: what is published works in fresh environments")


if __name__ == "__main__":
    main()
