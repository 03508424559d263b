# D9: where nothing happened there is no number: n/a, an empty field, null; never NaN.
set=$SOURCE/curves/ddr4-2666x6.csv
run() { panem traffic -c "$set" --read-pct "$1" --load 1% --requests-max 1 --format "$2"; }
for reads in 0 100; do
    run $reads json >run.json
    run $reads csv >run.csv
    run $reads table >run.txt
    grep -i -e nan -e inf run.json run.csv run.txt
    grep -q n/a run.txt && echo "n/a"
    python3 - $reads <<'END'
import json, sys
rows = json.load(open("run.json"), parse_constant=lambda text: sys.exit(f"{text} in JSON"))["rows"]
silent = "write" if sys.argv[1] == "100" else "read"
missing = [key for key, value in rows[0].items() if value is None]
assert all(f"{silent}_latency_ns_{part}" in missing for part in ("mean", "p50", "p95", "p99")), missing
assert rows[0]["achieved_gbs"] >= 0
print("null:", silent)
END
done
