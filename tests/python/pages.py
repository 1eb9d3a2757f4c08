"""Reports taken apart: what the tests of the pages share."""

from __future__ import annotations

import json
import subprocess
from html.parser import HTMLParser


class Page(HTMLParser):
    """A page of a report: its elements, its text, its scripts and its data."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.source = path.read_text(encoding="utf-8")
        self.elements, self.scripts, self.words = [], [], []
        self._open = []
        self.feed(self.source)
        self.close()
        self.data = json.loads(next(text for kind, text in self.scripts if kind == "application/json"))
        self.models = self.data["models"]

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "input", "link", "img", "hr"):
            self._open.append(tag)
        if tag == "script":
            self.scripts.append((dict(attrs).get("type", ""), ""))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag, tag

    def handle_data(self, data):
        if self._open and self._open[-1] == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        elif self._open and self._open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        """The words of the page, without those that its scripts write."""
        return " ".join(" ".join(self.words).split())

    @property
    def tags(self):
        """The names of all elements."""
        return [tag for tag, _ in self.elements]

    def metrics(self, model=0):
        """The metrics that the template writes, by name: the text of each."""
        article = self.source.split('<article id="m')[model + 1]
        table = article.split('aria-label="Metrics')[1].split("</table>")[0]
        cells = [part.split(">", 1)[1].split("<", 1)[0] for part in table.split("<t")[1:] if part[0] in "hd"]
        cells = [cell for cell in cells if cell.strip()]
        return dict(zip(cells[2::2], cells[3::2], strict=True))

    def run(self, expression, folder, given=None):
        """Evaluate an expression by node with the page's logic, its data, and the functions that score."""
        own = [text for kind, text in self.scripts if not kind]
        logic = [text for text in own if "const Report = " in text or text.startswith("Report.scores[")]
        assert logic, "the page has no logic"
        (folder / "page.js").write_text(
            "\n".join(logic).replace("module.exports = { score }", "0"), encoding="utf-8"
        )
        (folder / "data.json").write_text(json.dumps({"page": self.data, "given": given}), encoding="utf-8")
        main = (
            "const { Report } = require('./page.js');"
            "const { page, given } = JSON.parse(require('fs').readFileSync('data.json'));"
            f"console.log(JSON.stringify({expression}));"
        )
        done = subprocess.run(["node", "-e", main], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


HOSTILE = "</script><img src=x onerror=window.pwned=1><!--"
"""A name that would run code wherever a page forgets to escape it."""
