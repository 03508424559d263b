"""The tables of docs/VALIDATION.md that compare models: part of tools/validate.

Effort is lower than in the tables of the bars: 8 loads, two mixes, 300 k requests a point. Every
function takes a Tools (how to run panem and read a set), returns rows, and is deterministic.
"""
import csv
import os
import re
import tempfile

MODELS = ["panem", "panem:paper", "fixed:idle", "fixed:high", "md1", "mess", "mg1", "nextfree"]
LOADS = "10%,30%,50%,60%,70%,80%,90%,95%"
FEW = ["--requests-max", "300k", "--no-compare"]
PHASES = ["2us", "10us", "50us", "200us", "2ms"]
STEADY_HEADER = ["family", "model", "mean %", "worst %", "peak error %", "run/peak", "window/peak",
                 "deviation at 150 % (ns)", "step after 2", "after 4"]
PHASE_HEADER = ["family", "model"] + PHASES
DRAM_HEADER = ["set", "traffic"] + MODELS + ["truth", "panem / paper", "over the noise"]
CHECKED = ["panem", "mess"]


def num(value, decimals=2):
    return "n/a" if value is None or value != value else "%.*f" % (decimals, value)


def deviation(values):
    if not values:
        return None
    mean = sum(values) / len(values)
    return (sum((v - mean) ** 2 for v in values) / len(values)) ** 0.5


def two_mixes(curves):
    have = sorted(curves)
    return [have[len(have) // 2], have[-1]] if len(have) > 1 else have


def window_deviations(tools, path, mix, models):
    """model -> standard deviation of the latency of 520 ns windows at 150 % of peak."""
    with tempfile.TemporaryDirectory() as folder:
        series = os.path.join(folder, "series.csv")
        tools.traffic(path, [mix], ["-m", ",".join(models), "--load", "150%", "--series", series,
                                    "--requests-max", "100k"])
        latencies = {}
        with open(series, encoding="utf-8") as f:
            for row in csv.DictReader(f):
                latencies.setdefault(row["model"], []).append(float(row["latency_ns"] or "nan"))
    # the first half is the way to saturation
    return {m: deviation(v[len(v) // 2:]) for m, v in latencies.items()}


def rows_steady(tools, name, path, models=MODELS):
    mixes = two_mixes(tools.kept_points(path))
    names = ",".join(models)
    loads = tools.traffic(path, mixes, ["-m", names, "--load", LOADS] + FEW)
    push = tools.traffic(path, mixes, ["-m", names, "--load", "100%,150%"] + FEW)
    step = tools.traffic(path, mixes[-1:], ["-m", names, "--step", "20%:80%", "--seeds", "20"])
    spread = window_deviations(tools, path, mixes[-1], models)
    rows = []
    for model in models:
        def of(result, part, which=model):
            return [r for r in result[part] if r["model"] == which]
        errors = [abs(r["error_pct"]) for r in of(loads, "rows") if r["error_pct"] is not None]
        peaks = {s["read_pct"]: s["peak_gbs"] for s in of(push, "summary")}
        most = [(r["achieved_gbs"] / peaks[r["read_pct"]], r["max_window_gbs"] /
                 peaks[r["read_pct"]]) for r in of(push, "rows")]
        final = [s["achieved_at_150pct_gbs"] / s["peak_gbs"] - 1 for s in of(push, "summary")]
        settled = of(step, "summary")[0]
        rows.append([name, model, num(sum(errors) / len(errors) if errors else None),
                     num(max(errors, default=None)), num(100 * max(final, key=abs), 1),
                     num(max(m[0] for m in most), 3), num(max(m[1] for m in most), 3),
                     num(spread.get(model), 1),
                     num(settled["deviation_after_2_windows_pct"]),
                     num(settled["deviation_after_4_windows_pct"])])
    return rows


def rows_phases(tools, name, path, models=MODELS):
    text = tools.panem(["judge", "-c", path, "-t", "curve", "--traffic", "phase", "--length", "5ms",
                        "-m", ",".join(models), "--format", "csv"])
    cells = {m: [] for m in models}
    for row in csv.DictReader(text.splitlines()):
        cells[row["model"]].append("%.1f / %.1f" % (float(row["low_bias_pct"]),
                                                    float(row["high_bias_pct"])))
    return [[name, m] + cells[m] for m in models]


def reference_of(path):
    """Options of judge that name the reference a set was made from; None when it was not."""
    with open(path, encoding="utf-8") as f:
        command = re.search(r"^# command: panem characterize (.*)$", f.read(), re.M)
    if not command or "--row-hit mixed" not in command.group(1):
        return None
    words = command.group(1).split()
    value = dict(zip(words, words[1:]))
    sets = [b for a, b in zip(words, words[1:]) if a == "--set"]
    spec = ":".join(["dram:" + value["--dram"], "channels=" + value["--channels"]] + sets)
    return ["-t", spec, "--fabric-latency", value["--fabric-latency"]]


def rows_dram(tools, name, path, models=MODELS, only=()):
    reference = reference_of(path)
    if reference is None:
        return []
    text = tools.panem(["judge", "-c", path, "--length", "200us", "-m", ",".join(models),
                        "--format", "csv"] + reference + list(only))
    errors = {}
    for row in csv.DictReader(text.splitlines()):
        errors.setdefault(row["traffic"], {})[row["model"]] = float(row["mean_abs_error_pct"])
    rows = []
    for traffic, by in errors.items():
        ours, paper, noise = by["panem"], by["panem:paper"], by["(truth)"]

        def above(e, floor=noise):
            return max(e * e - floor * floor, 0.0) ** 0.5
        clear = above(ours) / above(paper) if above(paper) > 0 else float("nan")
        rows.append([name, traffic] + [num(by[m], 1) for m in models] +
                    [num(noise, 1), num(ours / paper), num(clear)])
    return rows


def check_steady(tools, name, path):
    return rows_steady(tools, name, path, CHECKED)


def check_phases(tools, name, path):
    return rows_phases(tools, name, path, CHECKED[:1])


def check_dram(tools, name, path):
    return rows_dram(tools, name, path, only=["--traffic", "poisson 30%"])


# ---- the ranking, from the rows of the three tables ----

def value(cell):
    return abs(float(cell)) if cell != "n/a" else float("nan")


def average(cells):
    numbers = [v for v in map(value, cells) if v == v]
    return sum(numbers) / len(numbers) if numbers else float("nan")


def criteria(steady, phases, dram):
    """(what, {model: figure}) with less being better; means over families or sets."""
    def column(rows, at):
        return {m: average([r[at] for r in rows if r[1] == m]) for m in MODELS}

    def phase(at):
        return {m: average([part for r in phases if r[1] == m for part in r[at].split(" / ")])
                for m in MODELS}

    def judged(start):
        rows = [r for r in dram if r[1].startswith(start)]
        return {m: average([r[2 + i] for r in rows]) for i, m in enumerate(MODELS)}

    return ([("steady, mean error %", column(steady, 2)),
             ("steady, worst error %", column(steady, 3)),
             ("bandwidth at 150 %, error %", column(steady, 4)),
             ("step, after 2 windows %", column(steady, 8))] +
            [("phases of %s, error %%" % p, phase(2 + i)) for i, p in enumerate(PHASES)] +
            [("DRAM truth, %s %%" % t, judged(t)) for t in ("poisson", "burst", "phase", "step")])


def ranking(steady, phases, dram):
    """Rows, and sentences that name every criterion where panem is not the best."""
    rows, losses = [], []
    for what, by in criteria(steady, phases, dram):
        known = {m: v for m, v in by.items() if v == v}
        order = sorted(known, key=known.get)
        rows.append([what] + [num(by[m], 1 if by[m] >= 10 else 2) for m in MODELS] +
                    [str(order.index("panem") + 1) if "panem" in order else "n/a"])
        better = [m for m in order if known[m] < known.get("panem", 0.0)]
        if better:
            losses.append("- %s: %s" % (what, ", ".join(
                "%s %s against panem's %s" % (m, num(known[m]), num(known["panem"]))
                for m in better)))
    return rows, losses


def family_losses(steady):
    """Families on which another model's steady mean is below panem's."""
    out = []
    for name in dict.fromkeys(r[0] for r in steady):
        by = {r[1]: value(r[2]) for r in steady if r[0] == name}
        better = [m for m in MODELS[1:] if by[m] < by["panem"]]
        if better:
            out.append("- steady mean on %s: %s" % (name, ", ".join(
                "%s %.2f against %.2f" % (m, by[m], by["panem"]) for m in better)))
    return out
