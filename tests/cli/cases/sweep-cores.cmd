# A study of several cores: a row has the means of what panem run --cores says of each core.
python3 "$SOURCE/tests/cli/make_trace.py" 20000 1 >a.champsim
cp "$SOURCE/curves/ddr5-5200x8.csv" set.csv
cat >study.yaml <<Y
study: reference
base: {curves: set.csv, warmup: 2k, instructions: 6k, stagger: 3k, set: {llc_size: 256KiB}}
traces: [a.champsim]
axes:
  zip: {cores: ["", 1, 3], model: [panem, panem, "dram:ddr5-4800"]}
series: true
Y
panem sweep run study.yaml -o out -j 2 --quiet
panem sweep export out >out.csv
panem run a.champsim -m dram:ddr5-4800 --cores 3 -w 2k -i 6k --stagger 3k --set llc_size=256KiB --quiet --json run.json >/dev/null
python3 - <<'Y'
import csv, json
single, one, three = csv.DictReader(open("out.csv"))
run = json.load(open("run.json"))
skip = {"ordinal", "axis_cores", "axis_model", "key"}
print("one core among cores is the core alone:", all(single[k] == one[k] for k in single if k not in skip))
print("keys differ:", len({single["key"], one["key"], three["key"]}) == 3)
wrong = []
for name in run["each"][0]:
    values = [core[name] for core in run["each"] if core[name] is not None]
    if name in three:
        if name == "trace":
            continue
        mean = sum(values) / len(values) if values else None
        if (mean is None) != (three[name] == "") or mean is not None and abs(float(three[name]) - mean) > 1e-9 * abs(mean):
            wrong.append(name)
print("metrics that are not the cores' means:", wrong)
ipcs = [core["ipc"] for core in run["each"]]
print("the cores differ:", len(set(ipcs)) > 1, "and the mean is the run's:", abs(run["total"]["ipc_mean"] - float(three["ipc"])) < 1e-9)
Y
# Another place to enter, another loop: other points. The words of one core alone do not count them.
sed -i 's/stagger: 3k/stagger: 2k/' study.yaml
panem sweep plan study.yaml -o out | grep points:
sed -i 's/instructions: 6k, //' study.yaml
panem sweep plan study.yaml
echo "$?"
sed -i 's/warmup: 2k/warmup: 2k, instructions: 6k, load: heavy/' study.yaml
panem sweep plan study.yaml
echo "$?"
sed -i 's/load: heavy/load: whole/; s/cores: \["", 1, 3\]/cores: ["", 1, 65]/' study.yaml
panem sweep plan study.yaml
echo "$?"
sed -i 's/stagger:/staggers:/' study.yaml
panem sweep plan study.yaml
echo "$?"
