#!/usr/bin/env python3
"""How well sweeps do, against the bars of docs/sweeps.md. Run by hand; takes a few minutes.

Usage: bench_sweep.py [--panem PROGRAM] [store] [workers] [overhead] [kills]   (default: all)

store     plan, status and export of a store of 100,000 points: seconds of each (bar: 2)
workers   40 equal points by 1 and by 2 workers: ratio of the times (bar: 1.8); needs 2 idle processors
overhead  points of one instruction: processor time of each beyond the simulation's (bar: 5 ms)
kills     20 times SIGKILL of the whole process group: the same export as of a quiet run, and no
          point that was stored is run again

Times are those of the clock, with processor times behind them: on a busy machine only the latter
say something, so the load is printed too. Exit status 1 when a bar is missed.
"""
import argparse
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Bench:
    def __init__(self, panem, folder):
        self.panem, self.folder, self.missed = panem, folder, 0
        shutil.copy(f"{ROOT}/curves/ddr5-5200x8.csv", f"{folder}/set.csv")
        with open(f"{folder}/a.champsim", "wb") as f:
            subprocess.run([sys.executable, f"{ROOT}/tests/cli/make_trace.py", "600000", "1"],
                           stdout=f, check=True)

    def study(self, name, text):
        with open(f"{self.folder}/{name}.yaml", "w", encoding="utf-8") as f:
            f.write(text)

    def run(self, *words, check=True):
        """(seconds of the clock, seconds of processors) of panem WORDS."""
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run([self.panem, *words], cwd=self.folder, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=check)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (time.monotonic() - start,
                after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    def bar(self, what, value, limit, unit, at_most=True, note=""):
        good = value <= limit if at_most else value >= limit
        self.missed += not good
        print(f"{what:42} {value:8.2f} {unit:3} (bar: at {'most' if at_most else 'least'} {limit}) "
              f"{'' if good else 'MISSED'}{note}", flush=True)

    def output(self, *words):
        return subprocess.run([self.panem, *words], cwd=self.folder, capture_output=True, check=True).stdout

    def database(self, name):
        return sqlite3.connect(f"{self.folder}/{name}/store.db", timeout=60)


def store(b):
    b.study("big", "base: {curves: set.csv, instructions: 10k}\ntraces: [a.champsim]\n"
                   "models: [panem, 'fixed:idle']\naxes: {lob: '16:115:1', rob: '128:627:1'}\n")
    b.run("sweep", "run", "big.yaml", "-o", "big", "--shard", "1/4000")
    b.run("sweep", "merge", "big.yaml", "-o", "big")  # plans all, takes 25 real points
    db = b.database("big")
    for table in "results", "windows":  # of which all others are copies
        columns = ", ".join(f'"{c[1]}"' for c in list(db.execute(f"PRAGMA table_info({table})"))[1:])
        db.execute(f"CREATE TEMP TABLE real AS SELECT row_number() OVER (ORDER BY key) - 1 AS n, {columns} FROM {table}")
        db.execute(f"INSERT INTO {table}(key, {columns}) SELECT key, {columns} FROM plan JOIN real ON ordinal % 25 = n "
                   f"WHERE key NOT IN (SELECT key FROM {table})")
        db.execute("DROP TABLE real")
    keys = [k for k, in db.execute("SELECT key FROM points WHERE state = 0")]
    db.executemany("INSERT INTO timing VALUES(?,0.5,1,'host','2026-01-01T00:00:00Z')", ((k,) for k in keys))
    db.execute("UPDATE points SET state = 1")
    db.commit()
    db.close()
    for name, words in (("plan", ("sweep", "plan", "big.yaml", "-o", "big")),
                        ("status", ("sweep", "status", "big")),
                        ("export as CSV", ("sweep", "export", "big", "-o", "big.csv")),
                        ("export as JSON", ("sweep", "export", "big", "--format", "json", "-o", "big.json")),
                        ("export as SQLite", ("sweep", "export", "big", "--format", "sqlite", "-o", "big.db"))):
        wall, cpu = min(b.run(*words) for _ in range(3))
        b.bar(f"100,000 points: {name}", wall, 2.0, "s", note=f"; processor {cpu:.2f} s")
    shutil.rmtree(f"{b.folder}/big")


def workers(b):
    b.study("equal", "base: {curves: set.csv, instructions: 500k}\ntraces: [a.champsim]\n"
                     "axes: {rob: '224:263:1'}\n")
    best = {}
    for _ in range(3):
        for n in (1, 2):
            shutil.rmtree(f"{b.folder}/equal", ignore_errors=True)
            best[n] = min(best.get(n, (1e9, 0)), b.run("sweep", "run", "equal.yaml", "-o", "equal", "-j", str(n)))
    b.bar("40 equal points: 2 workers over 1", best[1][0] / best[2][0], 1.8, "x", at_most=False,
          note=f"; {best[1][0]:.2f} and {best[2][0]:.2f} s, processor {best[1][1]:.2f} and {best[2][1]:.2f} s")


def overhead(b):
    """The simulation's own part, to be taken off, is that of one instruction: nothing."""
    points = 2000
    b.study("tiny", "base: {curves: set.csv, instructions: 1}\ntraces: [a.champsim]\n"
                    "axes: {lob: '16:115:1', rob: '256:275:1'}\n")
    wall, cpu = b.run("sweep", "run", "tiny.yaml", "-o", "tiny", "-j", "1")
    b.bar(f"{points} points of one instruction: each", cpu / points * 1e3, 5.0, "ms",
          note=f"; clock {wall / points * 1e3:.2f} ms")


def stored(b, name):
    """What was done and when, by key."""
    try:
        with b.database(name) as db:
            return dict(db.execute("SELECT key, at || seconds FROM timing JOIN points USING(key) WHERE state = 1"))
    except sqlite3.Error:
        return {}


def kills(b):
    b.study("killed", "base: {curves: set.csv, instructions: 300k}\ntraces: [a.champsim]\n"
                      "models: [panem, 'panem:paper', 'fixed:idle']\nloads: [whole, heavy]\n"
                      "axes: {lob: '16:96:8', rob: [128, 192, 256]}\n")
    calm = b.run("sweep", "run", "killed.yaml", "-o", "calm", "-j", "2")[0]
    random.seed(2)
    seen, killed, rerun = {}, 0, 0
    for _ in range(20):
        child = subprocess.Popen([b.panem, "sweep", "run", "killed.yaml", "-o", "wild", "-j", "2"], cwd=b.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(0.05 + random.random() * calm / 14)
        killed += child.poll() is None
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        now = stored(b, "wild")
        rerun += sum(now.get(k) != v for k, v in seen.items())
        seen = now
    b.run("sweep", "run", "killed.yaml", "-o", "wild", "-j", "2")
    last = stored(b, "wild")
    rerun += sum(last.get(k) != v for k, v in seen.items())
    same = b.output("sweep", "export", "wild") == b.output("sweep", "export", "calm")
    print(f"killed {killed} times of 20 while at work; {len(seen)} of {len(last)} points stored by then")
    b.bar("stored points lost or run again", rerun, 0, "")
    b.bar("exports that differ", 0 if same else 1, 0, "")


def main():
    parts = {"store": store, "workers": workers, "overhead": overhead, "kills": kills}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--panem", default=f"{ROOT}/build/release/panem")
    parser.add_argument("parts", nargs="*", metavar="part")
    args = parser.parse_args()
    for part in args.parts:
        if part not in parts:
            parser.error(f"'{part}' is not one of: {', '.join(parts)}")
    with tempfile.TemporaryDirectory(prefix="panem-bench-") as folder:
        b = Bench(os.path.abspath(args.panem), folder)
        for name in args.parts or parts:
            print(f"-- {name}: load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors", flush=True)
            parts[name](b)
    return 1 if b.missed else 0


sys.exit(main())
