#!/usr/bin/env python3
"""Writes a store of a sweep with invented results, for what needs many points: the bar of
docs/report.md is a report of 4,300. Usage: make_store.py DIR [POINTS [PLOT ...]]

The tables are those of docs/formats/store.md; of results, the columns that a report reads. The
numbers follow a queue's curve (latency = idle + c u / (1 - u)) with seeded noise; some points
failed, traces have weights; one trace ends before what was asked for, and a fixed latency gets more
than there is.
"""
import json
import os
import random
import sqlite3
import sys

MODELS = ["panem", "fixed:idle", "fixed:high", "md1"]
LOADS = ["whole", "moderate", "heavy"]
MSHRS = ["8", "16", "24"]
PEAK_GBS = 34.0
SHORT = 2  # the trace that ends too early
SERIES_TRACES = 5  # more than a report draws unasked
STEPS = 400
SCHEMA = """
PRAGMA application_id = 1347308849; PRAGMA user_version = 2;
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE configs(config TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID;
CREATE TABLE curves(fingerprint TEXT PRIMARY KEY, path TEXT, csv TEXT) WITHOUT ROWID;
CREATE TABLE points(key TEXT PRIMARY KEY, config TEXT, trace_hash TEXT, curves TEXT, model TEXT,
 warmup_asked INTEGER, instructions_asked INTEGER, state INTEGER NOT NULL DEFAULT 0, message TEXT) WITHOUT ROWID;
CREATE TABLE timing(key TEXT PRIMARY KEY, seconds REAL, attempts INTEGER, host TEXT, at TEXT)
 WITHOUT ROWID;
CREATE TABLE windows(key TEXT PRIMARY KEY, windows INTEGER, above_peak INTEGER,
 below_curve INTEGER, judged INTEGER, lag1 REAL, bandwidth_bin_gbs REAL, latency_bin_ns REAL,
 bandwidth TEXT, latency TEXT, both TEXT) WITHOUT ROWID;
CREATE TABLE series(key TEXT PRIMARY KEY, windows INTEGER, window_ns REAL,
 windows_per_step INTEGER, read_gbs TEXT, write_gbs TEXT, latency_ns TEXT) WITHOUT ROWID;
CREATE TABLE plan(ordinal INTEGER PRIMARY KEY, key TEXT, trace TEXT, trace_path TEXT, weight REAL,
 "axis_model" TEXT, "axis_load" TEXT, "axis_l1d_mshrs" TEXT);
CREATE TABLE results(key TEXT PRIMARY KEY, ipc REAL, instructions REAL, bandwidth_gbs REAL, read_latency_ns REAL,
 read_pct REAL, utilization_pct REAL, llc_mpki REAL, active_cores REAL, time_us REAL,
 cpi_base REAL, cpi_llc REAL, cpi_memory_latency REAL, cpi_memory_bandwidth REAL) WITHOUT ROWID;
"""


def point(db, dice, ordinal):
    rest, mshrs = divmod(ordinal, len(MSHRS))
    rest, load = divmod(rest, len(LOADS))
    trace, model = divmod(rest, len(MODELS))
    key = f"{ordinal:032x}"
    name = f"trace{trace:03d}"
    own = random.Random(trace)
    use = min(0.97, own.uniform(0.02, 0.5) * (1 + load) * (1 + 0.1 * mshrs))
    latency = {"fixed:idle": 90.0, "fixed:high": 180.0}.get(
        MODELS[model], 90.0 + 25.0 * use / (1 - use)) * dice.uniform(0.97, 1.03)
    ipc = 4.0 / (1.0 + own.uniform(0.1, 3.0) * latency / 100.0)
    bins = [0] * 64
    for _ in range(200):
        bins[min(47, max(0, int(48 * dice.gauss(use, 0.08))))] += 1
    db.execute("INSERT INTO plan VALUES(?,?,?,?,?,?,?,?)", (
        ordinal, key, name, f"traces/{name}.ptrace", 1 + trace % 3, MODELS[model], LOADS[load],
        MSHRS[mshrs]))
    failed = ordinal % 61 == 60
    db.execute("INSERT INTO points VALUES(?,'c0','0123456789abcdef','0000000000000000',?,0,1000000,?,?)",
               (key, MODELS[model], 2 if failed else 1, "it was not its day" if failed else None))
    if failed:
        return
    db.execute("INSERT INTO timing VALUES(?,?,1,'host','2026-01-01T00:00:00Z')",
               (key, dice.uniform(0.2, 0.4)))
    memory = 1 / ipc - 0.25
    got = use * (1.5 if MODELS[model] == "fixed:idle" else 1.0)
    db.execute("INSERT INTO results VALUES(?,?,?,?,?,?,?,?,?,?,0.2,0.05,?,?)", (
        key, ipc, 900000 if trace == SHORT else 1000000, got * PEAK_GBS, latency, own.uniform(60, 100), 100 * got, 10.0, 8.0, 300.0,
        memory * min(1, 90 / latency), memory * max(0, 1 - 90 / latency)))
    cells = [[b, min(63, int(latency * (0.7 + 0.6 * b / 48) / 10)), n]
             for b, n in enumerate(bins) if n]
    db.execute("INSERT INTO windows VALUES(?,200,0,0,200,0.1,?,10,?,'[]',?)",
               (key, PEAK_GBS / 48, str(bins), json.dumps(cells)))
    if trace < SERIES_TRACES:
        series(db, dice, key, use)


def series(db, dice, key, use):
    """Phases: the use of a step wanders around the mean; now and then nothing completes."""
    reads, writes, latency = [], [], []
    now = use
    for step in range(STEPS):
        now = min(0.97, max(0.0, now + 0.2 * (use - now) + dice.gauss(0, 0.05)))
        idle = step % 97 == 96
        reads.append(0 if idle else round(0.7 * now * PEAK_GBS, 4))
        writes.append(0 if idle else round(0.3 * now * PEAK_GBS, 4))
        latency.append(None if idle else round(90.0 + 25.0 * now / (1 - now), 3))
    db.execute("INSERT INTO series VALUES(?,?,520.0,4,?,?,?)",
               (key, 4 * STEPS - 3, json.dumps(reads), json.dumps(writes), json.dumps(latency)))


def main():
    folder = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 4300
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "store.db")
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    db.executescript(SCHEMA)
    dice = random.Random(1)
    db.execute("INSERT INTO meta VALUES('study','invented')")
    db.execute("INSERT INTO meta VALUES('compare','fixed:idle')")
    db.execute("INSERT INTO meta VALUES('plots',?)", ("\n".join(sys.argv[3:]),))
    db.execute("INSERT INTO configs VALUES('c0','l1d_mshrs=16')")
    shipped = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "curves",
                           "ddr5-5200x8.csv")
    with open(shipped, encoding="utf-8") as f:
        db.execute("INSERT INTO curves VALUES('0000000000000000','curves/ddr5-5200x8.csv',?)",
                   (f.read(),))
    for ordinal in range(count):
        point(db, dice, ordinal)
    db.commit()


if __name__ == "__main__":
    main()
