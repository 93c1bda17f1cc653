#!/usr/bin/env python3
"""Runs for a long time where everything around them goes wrong, and looks that nothing is lost.

Usage: tools/soak.py [SECONDS [BUILD]]   (3600, build/release; needs the target fault_clock, and root for the disk)
A round is a training run of a random kind under one kind of trouble, then --resume without it until it is finished. Each
exit code must be one of the contract, with one line of message unless it is 0, and the tables in the end must have the
bytes of a run that nothing disturbed. As many rounds as there are cores go on side by side. Trouble:
  memory   a limit of address space between what --version needs and 20 MiB more, where all fit
  disk     an output folder on a small file system of its own that fills up and empties
  clock    wall time that jumps by up to a day either way
  signals  low priority, stopped and continued at random moments
  ends     SIGINT, SIGTERM, SIGHUP or SIGKILL at a random moment
"""
import collections
import concurrent.futures
import filecmp
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HOME = pathlib.Path(__file__).resolve().parent
TABLES = ["embeddings.npy", "context.npy", "weights.npz", "graph.bin", "nodes.tsv"]
KINDS = {
    "lookup": "--epochs 8",
    "irgan": "--similarity dot --sampler irgan --optimizer adam --epochs 4",
    "lightgcn": "--encoder lightgcn --epochs 4",
    "graphsage": "--encoder graphsage --epochs 2",
    "tune": "--similarity dot --sampler dns --tune 3 --epochs 2",
}
MIB = 1 << 20


class Lost(Exception):
    pass


class Soak:
    def __init__(self, work, build):
        self.work = work
        self.clock = build / "libfault_clock.so"
        self.mcns = work / "mcns"  # a build that goes on meanwhile must not change the program
        shutil.copy(build / "mcns", self.mcns)
        self.edges = work / "g.tsv"
        subprocess.run(
            [self.mcns, "data", "generate", "bipartite", self.edges, "--nodes", "800", "--edges", "6000", "--quiet"],
            check=True,
        )
        self.seconds, self.outcomes, self.lock = {}, collections.Counter(), threading.Lock()
        for kind in KINDS:
            start = time.monotonic()
            subprocess.run(self.command(kind, work / kind), check=True, stdout=subprocess.DEVNULL)
            self.seconds[kind] = time.monotonic() - start
        self.least_memory = self.least(["--version"])

    def command(self, kind, out):
        words = [self.mcns, "run", "--task", "recommend", "--train", self.edges, "--bipartite", "separate", "--dim", "16"]
        words += ["--batch", "256", "--checkpoint-every", "1", "--quiet", "--threads", "2", "--resume", "--out", out]
        return words + KINDS[kind].split()

    def least(self, arguments):
        """The least address space, in MiB, in which the program answers."""
        low, high = 1, 4096
        while low + 1 < high:
            middle = (low + high) // 2
            done = subprocess.run(
                [self.mcns, *arguments], preexec_fn=limited(middle), capture_output=True, timeout=60
            )
            low, high = (low, middle) if done.returncode == 0 else (middle, high)
        return high

    # One kind of trouble each: starts the run, disturbs it, and returns its exit code and messages.
    def memory(self, kind, out, chance):
        limit = self.least_memory + chance.randrange(20)
        return finished(self.start(kind, out, preexec_fn=limited(limit)))

    def disk(self, kind, out, chance):
        out.mkdir()
        size = chance.choice([1, 2, 4])
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}m", "tmpfs", out], capture_output=True).returncode:
            out.rmdir()
            return 0, "no file system of its own: not root"
        filler, model = out / "filler", out / "m"
        process = self.start(kind, model)
        while process.poll() is None:
            try:
                with open(filler, "ab") as file:
                    file.write(bytes(int(chance.random() * size * MIB)))
            except OSError:
                pass
            time.sleep(chance.random() * 0.1)
            if chance.random() < 0.5:
                filler.unlink(missing_ok=True)
            time.sleep(chance.random() * 0.1)
        result = finished(process)
        filler.unlink(missing_ok=True)
        kept = out.with_name(out.name + "-kept")
        if model.exists():
            shutil.copytree(model, kept)
        subprocess.run(["umount", out], check=True)
        out.rmdir()
        if kept.exists():
            kept.rename(out)
        return result

    def clock_steps(self, kind, out, chance):
        steps = str(chance.randrange(1 << 30))
        environment = dict(os.environ, LD_PRELOAD=str(self.clock), MCNS_CLOCK_STEPS=steps)
        return finished(self.start(kind, out, env=environment))

    def signals(self, kind, out, chance):
        process = self.start(kind, out, preexec_fn=lambda: os.nice(15))
        while process.poll() is None:
            time.sleep(chance.random() * 0.2)
            process.send_signal(signal.SIGSTOP)
            time.sleep(chance.random() * 0.2)
            process.send_signal(signal.SIGCONT)
        return finished(process)

    def ends(self, kind, out, chance):
        process = self.start(kind, out)
        time.sleep(chance.random() * self.seconds[kind])
        process.send_signal(chance.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]))
        return finished(process)

    def start(self, kind, out, **how):
        return subprocess.Popen(
            self.command(kind, out), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **how
        )

    def round(self, number):
        chance = random.Random(number)
        kind = chance.choice(sorted(KINDS))
        trouble, codes = chance.choice(
            [
                (self.memory, {0, 1, 4}),
                (self.disk, {0, 4}),
                (self.clock_steps, {0}),
                (self.signals, {0}),
                (self.ends, {0, 130, -signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP, -signal.SIGKILL}),
            ]
        )
        out = self.work / f"round-{number}"
        name = f"round {number}, {kind}, {trouble.__name__}"
        code, err = trouble(kind, out, chance)
        if code not in codes:
            raise Lost(f"{name}: exit {code}: {err}")
        if code in (1, 4) and len(err.splitlines()) != 1:
            raise Lost(f"{name}: exit {code} with other than one line: {err!r}")
        done = subprocess.run(self.command(kind, out), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise Lost(f"{name}: --resume: exit {done.returncode}: {done.stderr}")
        for table in TABLES:
            there = [(folder / table).exists() for folder in (self.work / kind, out)]
            if there[0] != there[1] or (all(there) and not filecmp.cmp(self.work / kind / table, out / table, False)):
                raise Lost(f"{name}: {table} differs")
        if list(out.rglob(".*.tmp")):
            raise Lost(f"{name}: a half-written file is left")
        shutil.rmtree(out)
        with self.lock:
            self.outcomes[trouble.__name__, code] += 1


def limited(mebibytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (mebibytes * MIB, mebibytes * MIB))


def finished(process):
    err = process.communicate(timeout=600)[1]
    return process.returncode, err


def main():
    if sys.argv[1:2] == ["--help"]:
        sys.exit(__doc__)
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3600
    build = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else HOME.parent / "build/release").resolve()
    for needed in ("mcns", "libfault_clock.so"):
        if not (build / needed).exists():
            sys.exit(f"soak: {build / needed} is missing; build it first")
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(pathlib.Path(folder), build)
        start, rounds, lost = time.monotonic(), 0, []
        workers = os.cpu_count() or 1
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            while time.monotonic() - start < seconds and not lost:
                batch = [pool.submit(soak.round, rounds + i) for i in range(4 * workers)]
                rounds += len(batch)
                for future in batch:
                    try:
                        future.result()
                    except (Lost, subprocess.TimeoutExpired) as error:
                        lost.append(error)
                        print(f"soak: {error}", file=sys.stderr)
        for (trouble, code), count in sorted(soak.outcomes.items()):
            print(f"{trouble}: exit {code}: {count} rounds")
        figure = f"{rounds} rounds of {len(KINDS)} kinds of run in {(time.monotonic() - start) / 60:.0f} minutes"
        print(f"soak: {figure}, {len(lost)} lost")
        if not lost:
            subprocess.run([HOME / "record_figure.sh", "soak", f"{figure}, nothing lost"], check=True)
        sys.exit(bool(lost))


if __name__ == "__main__":
    main()
