#!/usr/bin/env python3
"""Runs the cases of the command line: one file of shell each, with what it must print.

Usage: run_cases.py [--bless] --panem PROGRAM --source ROOT CASE.cmd...

A case NAME.cmd is run by bash in an empty scratch folder, with the panem under test first on PATH
and ROOT in $SOURCE. Its standard output must be the bytes of NAME.out, its standard error those of
NAME.err (no file: nothing), its exit code the number in NAME.exit (no file: 0). The scratch folder
and ROOT stand as $SCRATCH and $SOURCE in those files. A case that exits with 77 was skipped; its
output says why.

--bless writes .out, .err and .exit as they are now, instead of comparing. Read the difference
before you commit it:
    tests/cli/run_cases.py --bless --panem build/release/panem --source . tests/cli/cases/NAME.cmd
"""
import argparse
import difflib
import os
import subprocess
import sys
import tempfile

SKIPPED = 77


def run(case, panem, source):
    """(standard output, standard error, exit code) of a case, paths replaced."""
    with tempfile.TemporaryDirectory(prefix="panem-cli-") as scratch:
        environment = dict(os.environ, SOURCE=source, LC_ALL="C")
        environment["PATH"] = os.path.dirname(panem) + os.pathsep + environment.get("PATH", "/usr/bin:/bin")
        environment.pop("LANGUAGE", None)
        with open(case, encoding="utf-8") as f:
            done = subprocess.run(["bash", "-c", f.read(), os.path.basename(case)], cwd=scratch,
                                  env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                                  check=False)
        texts = [text.decode("utf-8", "backslashreplace").replace(scratch, "$SCRATCH")
                 .replace(source, "$SOURCE") for text in (done.stdout, done.stderr)]
        return texts[0], texts[1], done.returncode


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as f:
        return f.read()


def write(path, text, nothing):
    if text != nothing:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    elif os.path.exists(path):
        os.unlink(path)


def check(case, panem, source, bless):
    """0 when as expected, 1 when not, 77 when skipped."""
    stem = case[:-len(".cmd")]
    out, err, code = run(case, panem, source)
    if code == SKIPPED:
        print(f"{stem}: skipped: {out}{err}")
        return SKIPPED
    if bless:
        write(stem + ".out", out, "")
        write(stem + ".err", err, "")
        write(stem + ".exit", f"{code}\n", "0\n")
        return 0
    wrong = False
    for ending, have in ((".out", out), (".err", err), (".exit", f"{code}\n")):
        want = read(stem + ending) or ("0\n" if ending == ".exit" else "")
        if have != want:
            wrong = True
            sys.stdout.writelines(difflib.unified_diff(
                want.splitlines(True), have.splitlines(True), stem + ending, "what came"))
            print()
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("--panem", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("cases", nargs="+")
    args = parser.parse_args()
    codes = [check(case, os.path.abspath(args.panem), os.path.abspath(args.source), args.bless)
             for case in args.cases]
    return 1 if 1 in codes else max(codes)


sys.exit(main())
