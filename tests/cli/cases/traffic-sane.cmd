# A small run: JSON is valid without NaN, CSV says the same, and the numbers obey the curve: achieved
# bandwidth at most the peak, latency at least idle, and near the curve's below saturation.
set=$SOURCE/tests/data/curves/formula/formula.csv
options="traffic -c $set --read-pct 0,50,100 --load 10%:90%:40%,100% --error 0.5%"
panem $options --format json >run.json
panem $options --format csv >run.csv
panem $options >run.txt
python3 - <<'END'
import csv, json
def refuse(text):
    raise SystemExit(f"{text} in JSON")
data = json.load(open("run.json"), parse_constant=refuse)
rows = list(csv.DictReader(open("run.csv")))
assert len(rows) == len(data["rows"]) == 12, len(rows)
for text, row in zip(rows, data["rows"]):
    assert list(text) == list(row), (list(text), list(row))
    for key, value in row.items():
        assert (text[key] == "") == (value is None), (key, text[key], value)
        if isinstance(value, (int, float)):
            assert abs(float(text[key]) - value) <= 1e-12 * abs(value), (key, text[key], value)
peaks = {s["read_pct"]: s["peak_gbs"] for s in data["summary"]}
for row in data["rows"]:
    reads = row["read_pct"]
    peak, idle = peaks[reads], 96.0 - 6.0 * reads / 100.0  # the set's own formulas
    assert abs(peak - 127.968 * (0.70 + 0.20 * reads / 100.0)) < 0.001, peak
    kinds = [k for k, used in (("read", reads > 0), ("write", reads < 100)) if used]
    assert row["achieved_gbs"] <= 1.005 * peak, row
    for kind in ("read", "write"):
        latency = row[f"{kind}_latency_ns_mean"]
        assert (latency is not None) == (kind in kinds), row
        assert latency is None or latency >= idle - 0.01, row
    if row["load_pct"] <= 90:
        assert abs(row["error_pct"]) < 1.5, row
        assert abs(row["achieved_gbs"] / row["offered_gbs"] - 1) < 0.03, row
    else:
        assert row["saturated_pct"] > 0, row
print("12 points sane")
END
grep -c -i nan run.json run.csv run.txt
exit 0
