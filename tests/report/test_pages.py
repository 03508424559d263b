#!/usr/bin/env python3
"""Writes a page with panem and opens it in Chromium (browser.py), light and dark; draws every SVG
of it and reads that as XML. Usage: test_pages.py curves|report --panem P --source S --out DIR
"""
import argparse
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

SKIPPED = 77


def run(command, **more):
    print("$", " ".join(command), flush=True)
    return subprocess.run(command, **more)


def write_curves(args):
    """The page and the drawings of a set that ships; None when this build draws no HTML."""
    curves = os.path.join(args.source, "curves", "ddr5-5200x8.csv")
    drawings = []
    for plot in ("raw", "converted"):
        drawings.append(os.path.join(args.out, f"curves-{plot}.svg"))
        run([args.panem, "curves", "plot", curves, "--plot", plot, "-o", drawings[-1]], check=True)
    page = os.path.join(args.out, "curves.html")
    done = run([args.panem, "curves", "plot", curves, "-o", page], stderr=subprocess.PIPE, text=True)
    if done.returncode == 1 and "npm" in done.stderr:
        return None, drawings
    assert done.returncode == 0, done.stderr
    return page, drawings


def write_report(args):
    """The page of a store with invented results, and every plot of it."""
    folder = os.path.join(args.out, "store")
    here = os.path.dirname(os.path.abspath(__file__))
    run([sys.executable, os.path.join(here, "make_store.py"), folder, "432"], check=True)
    done = run([args.panem, "report", folder, "--svg", "none", "-o", "-"], stderr=subprocess.PIPE,
               text=True)
    names = done.stderr.split("there are ")[1].strip().split(", ")
    assert len(names) >= 10, names
    drawings = []
    for name in names:
        drawings.append(os.path.join(args.out, f"report-{name}.svg"))
        run([args.panem, "report", folder, "--svg", name, "-o", drawings[-1]], check=True)
    page = os.path.join(args.out, "report.html")
    done = run([args.panem, "report", folder, "-o", page], stderr=subprocess.PIPE, text=True)
    if done.returncode == 1 and "npm" in done.stderr:
        return None, drawings
    assert done.returncode == 0, done.stderr
    return page, drawings


def check_svg(path):
    root = ElementTree.parse(path).getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == space + "svg"
    drawn = [e for e in root.iter() if e.tag in (space + "circle", space + "polyline", space + "rect")]
    assert len(drawn) > 3, f"{path}: {len(drawn)} marks"
    for e in root.iter(space + "circle"):
        assert -1 <= float(e.get("cx")) <= 901 and -1 <= float(e.get("cy")) <= 541, path
    print(f"{path}: {len(drawn)} marks")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["curves", "report"])
    parser.add_argument("--panem", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    page, drawings = (write_curves if args.what == "curves" else write_report)(args)
    for drawing in drawings:
        check_svg(drawing)
    if not page:
        print("skipped: this build draws no HTML pages")
        return SKIPPED
    browser = os.path.join(os.path.dirname(os.path.abspath(__file__)), "browser.py")
    for look in ([], ["--dark"]):
        shot = page.replace(".html", "-dark.png" if look else ".png")
        code = run([sys.executable, browser, page, shot, *look]).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
