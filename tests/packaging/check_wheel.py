"""Prove that what is shipped works: source distribution, wheel, fresh environment, predictions.

1. The files git would publish are copied, and a source distribution is made of the copy alone.
2. pip builds a wheel from that source distribution, as ``pip install`` does without a wheel.
   Without optimisation: what is tried is the packaging, and the release profile takes minutes.
3. The wheel's name and contents are looked at.
4. A fresh environment gets the wheel and nothing else, and fits, saves, loads and predicts there.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "target" / "packaging"
CONSTRAINTS = ROOT / "requirements-dev.lock"
NEEDED = (
    "thresher/__init__.py",
    "thresher/py.typed",
    "thresher/_native.pyi",
    "thresher/cli/__init__.py",
    "thresher/report/page.html.j2",
    "thresher/report/page.css",
    "thresher/report/js/main.js",
)


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
    with tarfile.open(archive) as tar:
        tar.extractall(WORK, filter="data")
    folder = WORK / archive.name.removesuffix(".tar.gz")
    # The archive's fixed dates would make cargo believe that an older build is still good.
    for path in folder.rglob("*"):
        os.utime(path)
    for name in ("README.md", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md", "Cargo.lock"):
        assert (folder / name).is_file(), f"{name} is not in the source distribution"
    return folder


def wheel(source: Path) -> Path:
    """Let pip build the wheel in isolation, and check its name and contents."""
    run(
        sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", WORK, source,
        CARGO_TARGET_DIR=str(ROOT / "target"),
        CARGO_PROFILE_DEV_OPT_LEVEL="0",
        CARGO_PROFILE_DEV_DEBUG="0",
        MATURIN_PEP517_ARGS="--profile dev",
    )  # fmt: skip
    (built,) = WORK.glob("*.whl")
    assert "-cp311-abi3-" in built.name, f"not a wheel for every Python from 3.11: {built.name}"
    names = zipfile.ZipFile(built).namelist()
    for needed in NEEDED:
        assert needed in names, f"{needed} is not in {built.name}"
    licences = [n for n in names if ".dist-info/licenses/LICENSE-" in n]
    assert len(licences) == 2, f"both licences belong into the wheel; found {licences}"
    strays = [n for n in names if n.startswith(("tests/", "src/", "benches/")) or "__pycache__" in n]
    assert not strays, f"not meant to be shipped: {strays}"
    print(f"  {built.name}: {built.stat().st_size / 1e6:.1f} MB, {len(names)} files")
    return built


def fresh_environment(built: Path) -> None:
    """Install the wheel alone and use it from outside the repository."""
    home = WORK / "venv"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--constraint", CONSTRAINTS, built)
    document = WORK / "model.json"
    isolated = ("-I", "-W", "error")
    print(" ", run(python, *isolated, ROOT / "tests" / "packaging" / "smoke.py", document).strip())
    print(run(home / "bin" / "thresher", "summary", document))
    run(home / "bin" / "thresher", "doctor")


def main() -> None:
    """Run the four steps in order."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    fresh_environment(wheel(source_distribution()))
    shutil.rmtree(WORK)
    print("check_wheel: the source distribution, the wheel and a fresh environment work")


if __name__ == "__main__":
    main()
