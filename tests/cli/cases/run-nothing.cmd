# Case D9: no memory operation, no miss, no measured instruction: what there is none of is null or
# n/a, never not-a-number; and the three views of the whole run agree.
set="$SOURCE/curves/ddr5-5200x8.csv"
python3 - <<P
import struct
with open("adds.champsim", "wb") as f:
    for i in range(5000):
        f.write(struct.pack("<QBB2B4B2Q4Q", 0x1000 + i % 16 * 4, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0))
P
cat >look.py <<P
import json, sys
text = open(sys.argv[1]).read()
r = json.loads(text, parse_constant=lambda c: sys.exit(f"constant {c}"))
print("-0" in text.replace("e-0", ""), r["core"]["instructions"], r["core"]["ipc"], r["reads"]["lines"],
      r["reads"]["latency_mean_ns"], r["reads"]["latency_p99_ns"], r["writes"]["bandwidth_gbs"],
      r["prefetches"]["l2"]["accuracy_pct"], sum(r["cpi_stack"]["cycles"].values()) == r["core"]["cycles"],
      r["views_of_whole_run"]["lines_agree"])
P
panem run adds.champsim -c "$set" --json adds.json | grep -iE 'nan|inf|-0' || echo "no such number"
python3 look.py adds.json
panem run adds.champsim -c "$set" -w 1000 --json - >late.json
python3 look.py late.json
panem run adds.champsim -c "$set" -w 5000 -i 100 --json - >none.json
python3 look.py none.json
panem run adds.champsim -c "$set" -w 5000 -i 100 --series none.csv | grep -iE 'nan|inf|-0' || echo "no such number"
