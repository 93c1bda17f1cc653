"""Runs the mcns of the release build and reads what it prints."""

import json
import os
import subprocess
import tempfile
import time

BINARY = os.path.join("build", "release", "mcns")


def run(command, *arguments):
    """The metrics of `mcns COMMAND ... --out` a scratch directory, and the seconds of the process."""
    with tempfile.TemporaryDirectory() as scratch:
        start = time.perf_counter()
        done = subprocess.run(
            [BINARY, command, *map(str, arguments), "--quiet", "--json", "--out", scratch + "/model"],
            check=True, capture_output=True, text=True)
        return json.loads(done.stdout), time.perf_counter() - start
