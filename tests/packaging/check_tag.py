"""Compare the tag of a release with the manifest, the changelog and the citation: ``check_tag.py v0.1.0``.

The pages of the registries have none of the folders that the README links to: it has addresses by then.
"""

import re
import sys
import tomllib

from contents import ROOT, version


def main(tag: str) -> None:
    """Stop with a message unless all of them name one version."""
    if tag != f"v{version()}":
        sys.exit(f"check_tag: the tag is {tag!r}, Cargo.toml has version {version()}")
    heading = rf"^## \[{re.escape(version())}\] - (\d{{4}}-\d\d-\d\d)$"
    changes = re.search(heading, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    if changes is None:
        sys.exit(f"check_tag: CHANGELOG.md has no heading '## [{version()}] - DATE'; rename Unreleased")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    for line in (f'version: "{version()}"', f'date-released: "{changes.group(1)}"'):
        if line not in citation:
            sys.exit(f"check_tag: CITATION.cff lacks the line {line}")
    for file, table in (("pyproject.toml", "project"), ("Cargo.toml", "package")):
        settings = tomllib.loads((ROOT / file).read_text(encoding="utf-8"))[table]
        if not settings.get("urls", settings.get("repository")):
            sys.exit(f"check_tag: {file} has no address of the repository")
    links = re.findall(r"\]\((?!https://)([^)\s]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    if links:
        sys.exit(f"check_tag: README.md has links that are no addresses: {', '.join(dict.fromkeys(links))}")
    print(f"check_tag: {tag}, of {changes.group(1)}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
