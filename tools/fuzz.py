#!/usr/bin/env python3
"""libFuzzer over the readers, with address and undefined-behaviour sanitizers.

Usage: tools/fuzz.py [TARGET...] [--seconds 60]      each for so long (all targets where none is named)
       tools/fuzz.py [TARGET...] --long [--jobs 1]   each until nothing new is found, kept in docs/fuzz.tsv
       tools/fuzz.py --list
A long run of a target ends when it has made 2,000,000 executions (500,000 of a binary format) and has found no new edge
for ten minutes of its processor time. It is made of rounds, and a stopped one goes on with the next round; targets with
a row in docs/fuzz.tsv are done, unless they are named. Needs clang and its fuzzer runtime (Debian: clang,
libclang-rt-*-dev, llvm). New inputs are kept in build/fuzz/corpus/TARGET, findings in build/fuzz/findings. Exit status 1
on a finding.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

HOME = pathlib.Path(__file__).resolve().parent.parent
WORK = HOME / "build/fuzz"
PROGRAM = WORK / "fuzz_targets"
TABLE = HOME / "docs/fuzz.tsv"
COLUMNS = ["target", "kind", "date", "commit", "executions", "seconds", "quiet", "edges", "of", "inputs"]
EXECUTIONS = {"text": 2_000_000, "binary": 500_000}
QUIET_SECONDS = 600
ROUND_SECONDS = 120
# Memory far beyond the size of the input is a finding too; so is an input that takes long. Choosing inputs by entropy
# takes half of the time where there are a thousand.
LIMITS = ["-max_len=4096", "-timeout=20", "-rss_limit_mb=2048", "-malloc_limit_mb=512", "-entropic=0"]


def environment(target, **more):
    memory = {"TMPDIR": "/dev/shm"} if os.access("/dev/shm", os.W_OK) else {}  # readers are given files
    checks = {"ASAN_OPTIONS": "malloc_context_size=4", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
    return {**memory, **checks, **os.environ, "MCNS_FUZZ_TARGET": target, **more}


def kinds():
    lines = subprocess.run([PROGRAM], env=environment("", MCNS_FUZZ_LIST="1"), check=True, capture_output=True, text=True)
    return dict(line.split() for line in lines.stdout.splitlines())


def folders(target):
    """Where its inputs are. libFuzzer adds to the first."""
    own, seeds, kept = WORK / "corpus" / target, WORK / "seeds" / target, HOME / "fuzz/corpus" / target
    for folder in (own, seeds):
        folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([PROGRAM], env=environment(target, MCNS_FUZZ_SEEDS=str(seeds)), check=True)
    return [folder for folder in (own, seeds, kept) if folder.is_dir()]


def fuzz(target, seconds):
    """Executions, edges seen and processor time; or None after a finding."""
    (WORK / "findings").mkdir(parents=True, exist_ok=True)
    command = [PROGRAM, *folders(target), f"-max_total_time={seconds}", *LIMITS, "-print_final_stats=1",
               f"-artifact_prefix={WORK}/findings/{target}-"]
    log = WORK / f"{target}.log"
    with open(log, "w") as out:
        process = subprocess.Popen(command, env=environment(target), stderr=out, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    text = log.read_text(errors="replace")
    units = re.search(r"^stat::number_of_executed_units: *(\d+)", text, re.MULTILINE)
    edges = re.findall(r"^#\d+\s.*\bcov: (\d+)", text, re.MULTILINE)
    if "SUMMARY: " in text:
        return None
    if status != 0 or units is None or not edges:
        sys.exit(f"fuzz: {target} was stopped; see {log}")
    return int(units[1]), int(edges[-1]), usage.ru_utime + usage.ru_stime


def coverage(target):
    """Edges of our functions that the inputs enter, and how many edges these functions have."""
    done = subprocess.run([PROGRAM, *folders(target), "-runs=0", "-print_coverage=1"], env=environment(target), check=True,
                          capture_output=True, text=True, errors="replace")
    covered = total = 0
    for line in done.stderr.splitlines():
        entered = re.match(r"COVERED_FUNC: hits: \d+ edges: (\d+)/(\d+) .* (\S+?):\d+", line)
        if entered and any(entered[3].startswith(f"{HOME}/{part}/") for part in ("mcns", "cli")):
            covered += int(entered[1])
            total += int(entered[2])
    return covered, total


def fuzz_long(target, kind):
    """The target's row, or None after a finding."""
    kept = WORK / "state" / f"{target}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    state = json.loads(kept.read_text()) if kept.exists() else {"executions": 0, "edges": 0, "seconds": 0, "found_at": 0}
    while state["executions"] < EXECUTIONS[kind] or state["seconds"] - state["found_at"] < QUIET_SECONDS:
        done = fuzz(target, ROUND_SECONDS)
        if done is None:
            return None
        executions, edges, seconds = done
        state["executions"] += executions
        state["seconds"] += seconds
        if edges > state["edges"]:
            state["edges"], state["found_at"] = edges, state["seconds"]
        kept.write_text(json.dumps(state))
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HOME, capture_output=True, text=True).stdout
    return [target, kind, datetime.date.today(), commit.strip(), state["executions"], round(state["seconds"]),
            round(state["seconds"] - state["found_at"]), *coverage(target), len(list((WORK / "corpus" / target).iterdir()))]


def rows():
    if not TABLE.exists():
        return {}
    lines = [line.split("\t") for line in TABLE.read_text().splitlines()[1:]]
    return {line[0]: line for line in lines}


def keep(row):
    table = rows()
    table[row[0]] = [str(value) for value in row]
    lines = ["\t".join(COLUMNS), *("\t".join(table[name]) for name in sorted(table))]
    partial = TABLE.with_suffix(".new")
    partial.write_text("\n".join(lines) + "\n")
    partial.replace(TABLE)


def record(known):
    """The line of docs/reliability.tsv."""
    table = rows()
    executions = sum(int(row[4]) for row in table.values())
    shares = sorted(int(row[7]) / int(row[8]) for row in table.values())
    text = (f"{len(table)} of {len(known)} readers, {executions / 1e6:.0f} million executions, nothing new in the last ten "
            f"minutes of each, {shares[0]:.0%} to {shares[-1]:.0%} of the edges of the functions entered, no finding")
    subprocess.run([HOME / "tools/record_figure.sh", "fuzz", text], check=True)


def one(target, kind, asked):
    """What to print, and whether there was no finding."""
    if asked.long:
        row = fuzz_long(target, kind)
        if row:
            return row, f"{row[4]:,} executions, {row[7]} of {row[8]} edges, nothing new for {row[6]} s"
    elif done := fuzz(target, asked.seconds):
        return None, f"{done[0]:,} executions, {done[1]} edges, no finding"
    return None, f"FINDING, see {WORK}/{target}.log"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args()
    for command in (["cmake", "--preset", "fuzz"], ["cmake", "--build", "--preset", "fuzz"]):
        subprocess.run(command, cwd=HOME, check=True, stdout=subprocess.DEVNULL)
    known = kinds()
    if unknown := set(asked.targets) - set(known):
        sys.exit(f"fuzz: no target '{unknown.pop()}'; known: {', '.join(known)}")
    if asked.list:
        print("\n".join(f"{target}\t{kind}" for target, kind in known.items()))
        return
    targets = asked.targets or [target for target in known if not (asked.long and target in rows())]
    findings = 0
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        waiting = {pool.submit(one, target, known[target], asked): target for target in targets}
        for done in concurrent.futures.as_completed(waiting):
            row, text = done.result()
            print(f"{waiting[done]}: {text}", flush=True)
            findings += "FINDING" in text
            if row:
                keep(row)
                record(known)
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
