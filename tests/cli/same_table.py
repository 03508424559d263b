#!/usr/bin/env python3
"""Has the table `results` of a SQLite file the same cells as a CSV of the same sweep?

Usage: same_table.py FILE.db FILE.csv. Says so on stdout; numbers are compared as numbers.
"""
import csv
import sqlite3
import sys


def same(cell, text):
    if cell is None:
        return text == ""
    return float(text) == cell if isinstance(cell, (int, float)) else text == cell


def main():
    rows = sqlite3.connect(sys.argv[1]).execute("SELECT * FROM results")
    names = [d[0] for d in rows.description]
    with open(sys.argv[2], newline="", encoding="utf-8") as f:
        table = list(csv.reader(f))
    have = rows.fetchall()
    if names != table[0] or len(have) != len(table) - 1:
        sys.exit(f"other columns or rows: {names}, {len(have)} rows")
    bad = [i for i, (row, texts) in enumerate(zip(have, table[1:]))
           if not all(same(c, t) for c, t in zip(row, texts))]
    print(f"{len(have)} rows, {len(bad)} differ")


main()
