# The windows of a run add up to its bandwidth, and watching changes nothing.
python3 "$SOURCE/tests/cli/make_trace.py" 60000 1 >a.champsim
panem run a.champsim -c "$SOURCE/curves/ddr5-5200x8.csv" --load heavy --series s.csv --json with.json >/dev/null
panem run a.champsim -c "$SOURCE/curves/ddr5-5200x8.csv" --load heavy --json without.json >/dev/null
cmp with.json without.json
head -1 s.csv
python3 - <<P
import csv, json
rows = list(csv.DictReader(open("s.csv")))
run = json.load(open("with.json"))
whole = run["views_of_whole_run"]["interface"]
lines = lambda key: round(sum(float(r[key]) for r in rows) * 520 / 64)
late = whole["read_lines"] - lines("read_gbs")
print("windows:", len(rows) > 100, "steps:", {float(b["time_ns"]) - float(a["time_ns"]) for a, b in zip(rows, rows[1:])})
print("reads but those of the last window:", 0 <= late < 520, "writes never more:", lines("write_gbs") <= whole["write_lines"])
core = run["core"]
dispatched = round(sum(float(r["ipc"] or 0) for r in rows) * 1560)
print("instructions but those of the last window:", 0 <= core["instructions"] - dispatched < 1560 * 5)
mean = sum(float(r["outstanding_lines"]) for r in rows) / len(rows)
told = run["reads"]["outstanding_lines"] + run["writes"]["outstanding_lines"]
print("lines outstanding:", abs(mean / told - 1) < 0.01, "busy levels:", {0 <= float(r["cbusy_mean"]) <= 3 for r in rows if r["cbusy_mean"]})
print("latencies at or above idle:", all(float(r["latency_ns"]) > 50 for r in rows if r["latency_ns"]))
P
panem run a.champsim -c "$SOURCE/curves/ddr5-5200x8.csv" --series absent/s.csv
echo "$?"
