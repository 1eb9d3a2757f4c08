"""What every benchmark needs: workers in their own process, medians, the machine, the record."""

import datetime as dt
import hashlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np

BENCHES = Path(__file__).resolve().parent
ROOT = BENCHES.parent
RECORD = BENCHES / "record"
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
)


def default_python(name):
    """The interpreter of a virtual environment at the repository root, or the running one."""
    path = ROOT / name / "bin" / "python"
    return str(path) if path.exists() else sys.executable


def run_json(python, script, job, threads=1, timeout=600.0):
    """Runs ``script JOB`` and returns the object it printed after RESULT, or what went wrong."""
    env = dict(os.environ, PYTHONHASHSEED="0", **dict.fromkeys(THREAD_VARIABLES, str(threads)))
    command = [python, str(script), json.dumps(job)]
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return {"timeout": timeout}
    for line in done.stdout.splitlines():
        if line.startswith("RESULT "):
            return json.loads(line[len("RESULT ") :])
    tail = (done.stderr.strip() or "no output").splitlines()[-1]
    return {"error": tail.replace(str(ROOT), ".")[:300]}


def array_hash(*arrays):
    """A short fingerprint of the data, so that a stored result is used for the same data only."""
    digest = hashlib.sha1(usedforsecurity=False)
    for a in arrays:
        digest.update(np.ascontiguousarray(a).tobytes())
    return digest.hexdigest()[:12]


class Store:
    """Results as JSON lines, one per (suite, data, split, model, fingerprint)."""

    def __init__(self, path):
        self.path = Path(path)
        self.rows = {}
        self._read()

    def _read(self):
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                row = json.loads(line)
                self.rows[self._key(row)] = row

    @staticmethod
    def _key(row):
        return tuple(str(row.get(k)) for k in ("suite", "data", "split", "model", "fingerprint"))

    def get(self, row):
        """The stored result for this description, or None."""
        return self.rows.get(self._key(row))

    def put(self, row):
        """Adds or replaces a result and writes the file (other runs may have written meanwhile)."""
        self._read()
        self.rows[self._key(row)] = row
        lines = (json.dumps(r, sort_keys=True) for _, r in sorted(self.rows.items()))
        self.path.write_text("\n".join(lines) + "\n")


def machine():
    """CPU, cores, load and memory in one line."""
    cpu = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        fields = dict(line.split(":", 1) for line in info.read_text().splitlines() if ":" in line)
        named = {k.strip(): v.strip() for k, v in fields.items()}
        cpu = f"{named.get('model name')} (family {named.get('cpu family')}, model {named.get('model')})"
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = " ".join(f"{v:.2f}" for v in os.getloadavg())
    runs_on = f"{platform.system()}, Python {platform.python_version()}"
    return f"{cpu}, {os.cpu_count()} cores, {gib:.0f} GiB, load {load}, {runs_on}"


def today():
    """The date for file names and headings."""
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%d")


def commit():
    """The commit the tree is at, with a + when files differ from it."""
    run = lambda *a: subprocess.run(
        ["git", *a], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    head = run("rev-parse", "--short", "HEAD") or "none"
    return head + ("+" if run("status", "--porcelain", "--untracked-files=no") else "")


def write_record(name, title, body, versions=None):
    """Writes benches/record/<date>-<name>.md and returns its path."""
    RECORD.mkdir(exist_ok=True)
    path = RECORD / f"{today()}-{name}.md"
    script = Path(sys.argv[0]).resolve()
    shown = script.relative_to(ROOT) if script.is_relative_to(ROOT) else script.name
    head = [f"# {title}", "", f"- date: {today()}", f"- machine: {machine()}", f"- commit: {commit()}"]
    arguments = [Path(a).name if Path(a).is_absolute() else a for a in sys.argv[1:]]
    head.append(f"- command: `python {' '.join([str(shown), *arguments])}`")
    if versions:
        head.append("- versions: " + ", ".join(f"{k} {v}" for k, v in sorted(versions.items())))
    path.write_text("\n".join([*head, "", body.rstrip(), ""]))
    return path


def table(header, rows):
    """A Markdown table with padded columns."""
    cells = [[str(c) for c in row] for row in [header, *rows]]
    widths = [max(len(row[k]) for row in cells) for k in range(len(header))]
    line = lambda row: "| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |"
    return "\n".join(
        [line(cells[0]), "|" + "|".join("-" * (w + 2) for w in widths) + "|", *map(line, cells[1:])]
    )


def geometric_mean(values):
    """exp of the mean logarithm."""
    return float(np.exp(np.mean(np.log(values))))
