# D10: more is asked than there is. Open loop at twice the peak: achieved at most the peak + 0.5 %,
# latency finite, saturation reported. Closed loop: no more than outstanding x 64 B / latency.
set=$SOURCE/tests/data/curves/formula/formula.csv
panem traffic -c "$set" --read-pct 50,100 --load 200% --error 1% --format json >open.json
panem traffic -c "$set" --read-pct 100 --cores 1 --closed-loop 16 --error 1% --format json >closed16.json
panem traffic -c "$set" --read-pct 100 --cores 1 --closed-loop 48 --error 1% --format json >closed48.json
python3 - <<'END'
import json, math
for row in json.load(open("open.json"))["rows"]:
    peak = 127.968 * (0.70 + 0.20 * row["read_pct"] / 100.0)
    assert 0.9 * peak <= row["achieved_gbs"] <= 1.005 * peak, row
    assert abs(row["offered_gbs"] - 2 * peak) < 0.01 * peak, row
    assert 90 < row["read_latency_ns_mean"] < 1e6 and math.isfinite(row["read_latency_ns_p99"]), row
    assert row["saturated_pct"] > 50, row
for outstanding in (16, 48):
    row = json.load(open(f"closed{outstanding}.json"))["rows"][0]
    bound = outstanding * 64 / row["read_latency_ns_mean"]
    assert row["offered_gbs"] is None and row["load_pct"] is None, row
    assert 0.97 * bound <= row["achieved_gbs"] <= 1.01 * bound, (row, bound)
print("bounded")
END
