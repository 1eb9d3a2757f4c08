"""What the files that are published contain: wheels, the source distribution and the crate."""

import re
import subprocess
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NEEDED = (
    "thresher/__init__.py",
    "thresher/__init__.pyi",
    "thresher/py.typed",
    "thresher/_native.pyi",
    "thresher/cli/__init__.py",
    "thresher/reports/page.html.j2",
    "thresher/reports/page.css",
    "thresher/reports/js/main.js",
)
MOST_MEGABYTES = 6.0  # of a wheel: what is installed in the time of its dependencies, each of them larger
CRATE_MEGABYTES = 10.0  # the limit of the registry of crates


def version() -> str:
    """Return the version that the manifest of the workspace states."""
    found = re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return found.group(1)


def check_wheel(path: Path, *, is_released: bool = True) -> None:
    """Check name, files, size and the C library of a wheel; one without optimisation may be larger."""
    _, number, python, abi, platform = path.stem.split("-")
    assert number == version(), f"{path.name} is not a wheel of version {version()}"
    assert (python, abi) == ("cp311", "abi3") or (abi == python + "t"), (
        f"{path.name} is neither for every Python from 3.11 nor for one without a global lock"
    )
    archive = zipfile.ZipFile(path)
    names = archive.namelist()
    for needed in NEEDED:
        assert needed in names, f"{needed} is not in {path.name}"
    licences = [name for name in names if ".dist-info/licenses/LICENSE-" in name]
    assert len(licences) == 2, f"both licences belong into the wheel; found {licences}"
    strays = [name for name in names if not name.startswith("thresher") or "__pycache__" in name]
    assert not strays, f"not meant to be shipped: {strays}"
    (library,) = [name for name in names if name.endswith((".so", ".pyd"))]
    megabytes = path.stat().st_size / 1e6
    if is_released:
        assert megabytes <= MOST_MEGABYTES, f"{path.name} has {megabytes:.1f} MB, more than {MOST_MEGABYTES}"
    needs = check_platform(archive.read(library), platform)
    print(f"  {path.name}: {megabytes:.1f} MB, {len(names)} files{needs}")


def check_platform(library: bytes, platform: str) -> str:
    """Compare the symbols of the C library that an extension needs with its platform; return the newest."""
    # The versions of symbols stand in the table of names, as texts that end with a zero.
    found = {tuple(map(int, text.split(b"."))) for text in re.findall(rb"GLIBC_([\d.]+)\0", library)}
    if "musllinux" in platform:
        assert not found, f"linked to glibc, not to musl: {sorted(found)}"
        return ", musl"
    limit = re.search(r"manylinux_(\d+)_(\d+)", platform)
    if limit is None:
        return ""
    newest = max(found)
    assert newest <= tuple(map(int, limit.groups())), f"needs glibc {newest}, newer than {platform}"
    return f", glibc {'.'.join(map(str, newest))}"


def check_source_distribution(path: Path) -> str:
    """Check the files of a source distribution; return the folder that it unpacks to."""
    folder = path.name.removesuffix(".tar.gz")
    assert folder == f"thresher-{version()}", f"{path.name} is not a source distribution of {version()}"
    with tarfile.open(path) as archive:
        names = set(archive.getnames())
    for name in ("README.md", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md", "Cargo.lock"):
        assert f"{folder}/{name}" in names, f"{name} is not in {path.name}"
    tops = {name.split("/")[1] for name in names if "/" in name}
    allowed = {"Cargo.toml", "PKG-INFO", "README.md", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"}
    strays = tops - allowed - {"Cargo.lock", "pyproject.toml", "src", "python"}
    assert not strays, f"not meant to be shipped in {path.name}: {sorted(strays)}"
    print(f"  {path.name}: {path.stat().st_size / 1e6:.1f} MB, {len(names)} files")
    return folder


def check_crate() -> None:
    """Check the files that the crate would publish, and their size before compression."""
    command = ["cargo", "package", "--package", "thresher", "--list", "--allow-dirty", "--quiet"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    names = listed.stdout.split()
    allowed = {".cargo_vcs_info.json", "Cargo.toml", "Cargo.toml.orig", "Cargo.lock", "README.md"}
    allowed |= {"CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"}
    strays = [name for name in names if name not in allowed and not name.startswith("src/")]
    assert not strays, f"not meant to be in the crate: {strays[:5]}"
    missing = allowed - {".cargo_vcs_info.json"} - set(names)
    assert not missing, f"missing in the crate: {sorted(missing)}"
    megabytes = sum((ROOT / name).stat().st_size for name in names if (ROOT / name).is_file()) / 1e6
    assert megabytes <= CRATE_MEGABYTES
    print(f"  crate thresher {version()}: {megabytes:.1f} MB, {len(names)} files")
