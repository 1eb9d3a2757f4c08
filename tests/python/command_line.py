"""The command line as the tests call it."""

from thresher.cli import commands as cli


def run(capsys, line):
    """Run a command; return its exit status and what it printed to both streams."""
    status = cli.main(line.split())
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def done(capsys, line):
    """Run a command that succeeds; return what it printed to both streams."""
    status, out, err = run(capsys, line)
    assert status == 0, err
    return out, err
