# The core measures the curve it was given, alone and as one of many; a DRAM its own; what does not fit is told.
panem verify -c "$SOURCE/curves/ddr5-5200x8.csv" --chases 1500 --read-pct 75 --format csv >whole.csv && echo "whole: met"
panem verify -c "$SOURCE/curves/ddr5-5200x8.csv" --chases 1500 --read-pct 100 --load heavy --core neoverse-v2 --format csv >heavy.csv && echo "heavy: met"
python3 - <<P
import csv
for name in ("whole", "heavy"):
    rows = list(csv.DictReader(open(name + ".csv")))
    print(name, len(rows), "rows; below the knee within 1 %:", all(abs(float(r["deviation_pct"])) < 1 for r in rows[:3]),
          "views in order:", all(float(r["core_latency_ns"]) >= float(r["interface_latency_ns"]) for r in rows))
P
panem verify -c "$SOURCE/curves/ddr4-2666x6.csv" --model fixed:high --read-pct 100 --chases 500 >/dev/null || echo "a fixed latency is no curve: $?"
panem verify
panem verify -c absent.csv
panem verify -c "$SOURCE/curves/ddr4-2666x6.csv" --model dram:ddr4-2666 --load heavy
panem verify -c "$SOURCE/curves/ddr4-2666x6.csv" --row-hit 2
