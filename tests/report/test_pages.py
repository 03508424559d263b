#!/usr/bin/env python3
"""Writes a page with panem and opens it in Chromium (browser.py), light and dark; draws every SVG
of it and reads that as XML. Usage: test_pages.py curves|report --panem P --source S --out DIR
"""
import argparse
import json
import math
import os
import re
import sqlite3
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
    done = run([args.panem, "report", folder, "--svg", "scater", "-o", "-"], stderr=subprocess.PIPE,
               text=True)
    assert done.returncode == 2 and "did you mean 'scatter'?" in done.stderr, done.stderr
    done = run([args.panem, "report", folder, "--plots"], stdout=subprocess.PIPE, text=True,
               check=True)
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert len(names) >= 20, names
    drawings = []
    for name in names:
        drawings.append(os.path.join(args.out, f"report-{name}.svg"))
        run([args.panem, "report", folder, "--svg", name, "-o", drawings[-1]], check=True)
    check_asked(args)
    page = os.path.join(args.out, "report.html")
    done = run([args.panem, "report", folder, "-o", page], stderr=subprocess.PIPE, text=True)
    if done.returncode == 1 and "npm" in done.stderr:
        return None, drawings
    assert done.returncode == 0, done.stderr
    check_numbers(page, folder)
    return page, drawings


def near(a, b, what):
    assert abs(a - b) <= 1e-5 * max(1.0, abs(b)), f"{what}: {a} instead of {b}"


def geomean(pairs):
    """Of (value, weight)."""
    pairs = list(pairs)
    return math.exp(sum(w * math.log(v) for v, w in pairs) / sum(w for _, w in pairs))


def plots_of(page):
    with open(page, encoding="utf-8") as f:
        text = f.read()
    data = re.search(r'id="report">(.*?)</script>', text, re.S).group(1)
    return text, {plot["id"]: plot for plot in json.loads(data)}


def check_numbers(page, folder):
    """What the page draws, against the same worked out here from the store."""
    text, plots = plots_of(page)
    db = sqlite3.connect(os.path.join(folder, "store.db"))
    ipc = {tuple(row[:4]): row[4] for row in db.execute(
        "SELECT trace, axis_model, axis_load, axis_l1d_mshrs, ipc FROM plan JOIN results USING(key)")}
    base = "fixed:idle"
    weight = dict(db.execute("SELECT trace, weight FROM plan"))
    ratios = {key: value / ipc[(key[0], base, *key[2:])] for key, value in ipc.items()
              if (key[0], base, *key[2:]) in ipc}
    assert len(ratios) < len(ipc) < db.execute("SELECT count(*) FROM plan").fetchone()[0]
    plot = plots["ratio"]
    assert plot["x"]["categories"][0] == "all traces" and len(plot["series"]) == 3
    for series in plot["series"]:
        for x, y, _, low, high in series["points"]:
            trace = plot["x"]["categories"][x]
            pairs = [(r, weight[key[0]]) for key, r in ratios.items()
                     if key[1] == series["name"] and trace in (key[0], "all traces")]
            own = [100 * (r - 1) for r, _ in pairs]
            near(y, 100 * (geomean(pairs) - 1), f"ratio of {trace}")
            near(low, min(own), f"least ratio of {trace}")
            near(high, max(own), f"greatest ratio of {trace}")
    mean = geomean((r, weight[key[0]]) for key, r in ratios.items() if key[1] == "panem")
    assert f">{mean:.4f}<" in text, f"the headline has no ratio {mean:.4f}"
    own = [(v, weight[key[0]]) for key, v in ipc.items() if key[1] == "panem"]
    mean = sum(v * w for v, w in own) / sum(w for _, w in own)
    assert f">{mean:.4f}<" in text, f"the headline has no mean IPC {mean:.4f}"
    assert "it was not its day" in text
    for series in plots["sensitivity-l1d-mshrs-models"]["series"]:
        for x, y, *_ in series["points"]:
            value = ["8", "16", "24"][x]
            pairs = [(v / ipc[(*key[:3], "8")], weight[key[0]]) for key, v in ipc.items()
                     if key[1] == series["name"] and key[3] == value and (*key[:3], "8") in ipc]
            near(y, 100 * (geomean(pairs) - 1), f"sensitivity of {series['name']} at {value}")
    check_care(db, text)
    check_series(db, plots)
    check_cells(db, plots)
    check_stacks(db, plots)


def check_care(db, text):
    """What is above the theoretical peak of the set, 332.8 GB/s, and what is shorter than asked."""
    sheet = re.search(r"To be read with care.*?</table>", text, re.S).group(0)
    above = db.execute(
        "SELECT axis_model, count(*), max(bandwidth_gbs * active_cores) / 332.8 FROM plan JOIN "
        "results USING(key) WHERE bandwidth_gbs * active_cores > 332.8 GROUP BY 1").fetchall()
    assert [model for model, *_ in above] == ["fixed:idle"]
    short = db.execute(
        "SELECT trace, count(*) FROM plan JOIN points USING(key) JOIN results USING(key) WHERE "
        "results.instructions < instructions_asked GROUP BY 1").fetchall()
    assert len(short) == 1
    rows = [re.sub(r"<[^>]*>", "|", row) for row in re.findall(r"<tr>(.*?)</tr>", sheet, re.S)[1:]]
    assert len(rows) == 2, rows
    for name, points, why in (*((m, n, f"up to {most:.3g} times: a fixed latency knows no bandwidth")
                                for m, n, most in above),
                              *((t, n, "the trace ends before") for t, n in short)):
        assert any(name in row and f"|{points}|" in row and why in row for row in rows), (name, rows)
    assert f"{above[0][1]} points stand above the memory" in text


def check_series(db, plots):
    first = plots["series-bandwidth-trace000"]
    assert len(first["series"]) == 8
    reads, writes, each, window = db.execute(
        "SELECT read_gbs, write_gbs, windows_per_step, window_ns FROM plan JOIN series USING(key) "
        "WHERE trace = 'trace000' AND axis_model = 'panem' AND axis_load = 'whole' AND "
        "axis_l1d_mshrs = '8'").fetchone()
    sums = [r + w for r, w in zip(json.loads(reads), json.loads(writes))]
    drawn = next(s for s in first["series"] if s["name"] == "panem")
    assert {"fixed:idle", "panem, load=moderate", "panem, l1d_mshrs=16"} <= {s["name"] for s in first["series"]}
    assert len(drawn["points"]) == len(sums)
    for i, (x, y, _) in enumerate(drawn["points"]):
        near(x, (i + 0.5) * each * window / 1000, "time of a step")
        near(y, sums[i], "bandwidth of a step")
    idle = sum(1 for s in sums if s == 0)
    latency = plots["series-latency-trace000"]["series"][0]
    assert idle > 0 and len(latency["points"]) == len(sums) - idle


def check_cells(db, plots):
    """Mean latency of the windows of one bandwidth, from the stored two-dimensional histogram."""
    for series in plots["windows-latency"]["series"]:
        sums = {}
        for cells, width in db.execute(
                "SELECT both, latency_bin_ns FROM plan JOIN windows USING(key) WHERE axis_model = ?",
                (series["name"],)):
            for b, latency, n in json.loads(cells):
                count, total = sums.get(b // 4, (0, 0))
                sums[b // 4] = count + n, total + n * (latency + 0.5) * width
        wanted = [((4 * b + 2) / 0.48, total / n) for b, (n, total) in sorted(sums.items()) if n >= 10]
        assert len(wanted) == len(series["points"]) >= 10
        for (x, y), point in zip(wanted, series["points"]):
            near(point[0], x, "bandwidth of windows")
            near(point[1], y, "latency of windows")


def check_stacks(db, plots):
    """The parts of a bar lie on each other and end at the mean CPI."""
    plot = plots["cpi"]
    for x, category in enumerate(plot["x"]["categories"]):
        trace, model = category.split(", ")
        cpi, = db.execute("SELECT avg(1 / ipc) FROM plan JOIN results USING(key) WHERE trace = ? AND "
                          "axis_model = ?", (trace, model)).fetchone()
        top = 0.0
        for series in plot["series"]:
            _, y, _, low, high = next(p for p in series["points"] if p[0] == x)
            near(low, top, "foot of a part")
            near(high, low + y, "height of a part")
            top = high
        near(top, cpi, f"CPI of {category}")


def check_asked(args):
    """A study's own plots, in its order, and nothing else."""
    here = os.path.dirname(os.path.abspath(__file__))
    folder = os.path.join(args.out, "asked")
    asked = ["series:trace003", "box:read_latency_ns", "ratio:read_latency_ns", "scatter"]
    run([sys.executable, os.path.join(here, "make_store.py"), folder, "180", *asked], check=True)
    done = run([args.panem, "report", folder, "--plots"], stdout=subprocess.PIPE, text=True,
               check=True)
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert names == ["series-bandwidth-trace003", "series-latency-trace003", "box-read-latency-ns",
                     "ratio-read-latency-ns", "scatter"], names


def check_svg(path):
    root = ElementTree.parse(path).getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == space + "svg"
    drawn = [e for e in root.iter() if e.tag in (space + "circle", space + "polyline", space + "rect")]
    assert len(drawn) > 3, f"{path}: {len(drawn)} marks"
    for e in root.iter(space + "circle"):
        assert -1 <= float(e.get("cx")) <= float(root.get("width")), path
        assert -1 <= float(e.get("cy")) <= float(root.get("height")), path
    print(f"{path}: {len(drawn)} marks")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["curves", "report"])
    parser.add_argument("--panem", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--no-browser", action="store_true", help="write and check, open nothing")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    page, drawings = (write_curves if args.what == "curves" else write_report)(args)
    for drawing in drawings:
        check_svg(drawing)
    if not page:
        print("skipped: this build draws no HTML pages")
        return SKIPPED
    if args.no_browser:
        return 0
    browser = os.path.join(os.path.dirname(os.path.abspath(__file__)), "browser.py")
    for look in ([], ["--quick", "--dark"], ["--quick", "--width", "600"]):
        shot = page.replace(".html", "".join(look).replace("--quick", "").replace("--", "-") + ".png")
        code = run([sys.executable, browser, page, shot, *look]).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
