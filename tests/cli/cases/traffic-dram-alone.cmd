# DRAM models alone need no curves: loads are percents of the DRAM's stream law, streams come within
# 2 % of it, nothing is compared. A lone reader waits at least the unloaded law.
options="traffic --model dram:ddr4-2666:channels=2,dram:ddr4-2666 --read-pct 100 --error 1% --requests-max 300k"
panem dram show ddr4-2666 --channels 2 --format json >show.json
panem $options --load 50%,150% --format json >run.json
panem $options --cores 1 --closed-loop 1 --random-share 1 --format json >one.json
panem $options --step 20%:80% --seeds 2 --format csv >/dev/null && echo "step"
python3 - <<'PYTHON'
import json
law = {entry["key"]: entry["value"] for entry in json.load(open("show.json"))["laws"]}
run, one = json.load(open("run.json")), json.load(open("one.json"))
assert run["settings"]["curves"] is None and run["settings"]["curves_fingerprint"] is None
whole = law["stream_law"]
assert [s["peak_gbs"] for s in run["summary"]] == [whole, whole / 2], run["summary"]
for row, peak in zip(run["rows"], (whole, whole, whole / 2, whole / 2)):
    assert row["curve_latency_ns"] is None and row["error_pct"] is None, row
    expected = min(row["load_pct"] / 100, 1)
    assert 0.98 * expected <= row["achieved_gbs"] / peak <= 1.005 * expected, (row, peak)
for row in one["rows"]:
    latency = row["read_latency_ns_mean"]
    assert law["unloaded_with_controller"] <= latency < 1.2 * law["unloaded_with_controller"], row
    assert abs(row["achieved_gbs"] * latency / 64 - 1) < 0.01, row  # Little's law, one in flight
print("sane")
PYTHON
