"""A process for each job: a server that has its modules in memory and forks for every job.

A new interpreter takes longer to import than most fits take; a fork has nothing of the job before it.
"""

import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from common import THREAD_VARIABLES


def timed(work, *arguments):
    """The result and the CPU seconds of a call."""
    begin = time.process_time()
    found = work(*arguments)
    return found, time.process_time() - begin


def serve(work):
    """Read jobs from standard input, one a line, and answer each with a line of JSON."""
    for line in sys.stdin:
        job = json.loads(line)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            signal.alarm(int(job["timeout"]) + 1)
            try:
                answer = work(job)
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}
            os.write(write, json.dumps(answer).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            text = pipe.read().decode()
        status = os.waitpid(child, 0)[1]
        ended = "timeout" if os.WTERMSIG(status) == signal.SIGALRM else "signal"
        print(text or json.dumps({ended: job["timeout"] if ended == "timeout" else status}), flush=True)


class Worker:
    """A server under an interpreter, on one thread."""

    def __init__(self, python, script):
        environment = dict(os.environ, PYTHONHASHSEED="0", **dict.fromkeys(THREAD_VARIABLES, "1"))
        command = [python, "-W", "ignore", str(script)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def __call__(self, job, timeout):
        """The answer to a job, or why there is none."""
        self.process.stdin.write(json.dumps(job | {"timeout": timeout}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())
