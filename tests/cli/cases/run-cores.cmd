# One core of --cores is the core of panem run; several share a memory; what makes no sense is told.
python3 "$SOURCE/tests/cli/make_trace.py" 60000 1 >a.champsim
python3 "$SOURCE/tests/cli/make_trace.py" 50000 2 >b.champsim
panem run a.champsim -c "$SOURCE/curves/ddr5-5200x8.csv" --load heavy -w 10k -i 40k --json one.json >/dev/null
panem run a.champsim -c "$SOURCE/curves/ddr5-5200x8.csv" --load heavy -w 10k -i 40k --cores 1 --json same.json >/dev/null
panem run a.champsim b.champsim --cores 5 -w 5k -i 60k --stagger 9k --loop 30k --model dram:ddr5-5200:subchannels=1 --set llc_size=1MiB --json five.json >five.txt
panem run a.champsim b.champsim --cores 5 -w 5k -i 60k --stagger 9k --loop 30k --model dram:ddr5-5200:subchannels=1 --set llc_size=1MiB --json again.json --series s.csv >/dev/null
cmp five.json again.json
python3 - <<P
import json
one, same, five = (json.load(open(f + ".json")) for f in ("one", "same", "five"))
core = same["each"][0]
print("alone:", core["cycles"] == one["core"]["cycles"], core["read_latency_p95_ns"] == one["reads"]["latency_p95_ns"],
      core["llc_mpki"] == one["levels"]["llc"]["mpki"], same["views_of_whole_run"]["memory_read_lines"] == one["views_of_whole_run"]["memory"]["read_lines"])
each = five["each"]
print("traces:", [c["trace"][0] for c in each], "entered at:", [c["entered_at"] for c in each])
print("measured:", {c["instructions"] for c in each}, "lines agree:", five["views_of_whole_run"]["lines_agree"])
print("contention:", 0 < five["total"]["utilization_pct"] <= 100, all(c["read_latency_ns"] > 55 for c in each))
P
grep -c champsim five.txt
panem run a.champsim b.champsim -i 10k --model dram:ddr4-2666
panem run a.champsim --cores 4 --model dram:ddr4-2666
panem run a.champsim --cores 65 -i 10k --model dram:ddr4-2666
panem run a.champsim --cores 4 --load heavy -i 10k --model dram:ddr4-2666
panem run a.champsim --loop 10k -i 10k --model dram:ddr4-2666
panem run - --cores 2 -i 10k --model dram:ddr4-2666 <a.champsim
