#!/usr/bin/env python3
"""The report of a sweep of 4,300 points: its size, how long it takes to write, and how long Chromium
takes from opening it until every plot is painted, by the clock and in processor time of the page's
thread (which does not depend on who else uses the machine; the bar is for this one). Usage: bench_report.py [PANEM]

The store is that of tests/report/make_store.py, with every kind of plot. Times are the best of
several runs. Bars: below 5 MB, drawn below 2 s. Exit code 1 when one
is missed, 77 without Chromium or without HTML pages in this build.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

POINTS, RUNS, SIZE_MB, DRAWN_S = 4300, 5, 5.0, 2.0
HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..", "tests", "report")


def timed(command):
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    return time.monotonic() - start, done


def main():
    panem = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "../build/release/panem")
    with tempfile.TemporaryDirectory(prefix="panem-bench-") as folder:
        store, page = os.path.join(folder, "store"), os.path.join(folder, "report.html")
        subprocess.run([sys.executable, os.path.join(TESTS, "make_store.py"), store, str(POINTS)],
                       check=True)
        written = [timed([panem, "report", store, "-o", page]) for _ in range(RUNS)]
        if any(done.returncode for _, done in written):
            return 77
        size_mb = os.path.getsize(page) / 1e6
        drawn_s, thread_s = [], []
        for _ in range(RUNS):
            _, done = timed([sys.executable, os.path.join(TESTS, "browser.py"), page,
                             os.path.join(folder, "report.png"), "--quick"])
            if done.returncode:
                print(done.stdout)
                return done.returncode
            drawn_s.append(float(re.search(r"drawn in (\d+) ms", done.stdout).group(1)) / 1000)
            thread_s.append(float(re.search(r"with (\d+) ms", done.stdout).group(1)) / 1000)
        plots = len(re.findall(r"^plot ", done.stdout, re.M))
    print(f"{POINTS} points, {plots} plots: {size_mb:.2f} MB (bar {SIZE_MB:g}), written in "
          f"{min(t for t, _ in written):.2f} s, drawn with {min(thread_s):.2f} s of its thread (bar "
          f"{DRAWN_S:g}), {min(drawn_s):.2f} s by the clock at load {os.getloadavg()[0]:.1f}")
    return 0 if size_mb < SIZE_MB and min(thread_s) < DRAWN_S else 1


if __name__ == "__main__":
    sys.exit(main())
