# A short judgement: the model made from the reference's own curves is nearer to it than a fixed
# latency wherever the load is not low, latencies lie above idle, and bad words are refused.
set=$SOURCE/curves/lpddr5-6400x4.csv
truth=dram:lpddr5-6400:channels=4:refresh=per_bank:refresh_spread=on:refresh_stagger=on
panem judge -c "$set" -t "$truth" --fabric-latency 40ns --length 60us --runs 4 --read-pct 100 \
    --model panem,fixed:idle --format csv >judge.csv
python3 - <<'END'
import csv
rows = list(csv.DictReader(open("judge.csv")))
assert len(rows) == 9 * 4, len(rows)
by = {(r["traffic"], r["model"]): r for r in rows}
for (traffic, model), r in by.items():
    assert int(r["windows"]) >= (12 if "step" in traffic else 30), r
    assert float(r["truth_latency_ns"]) > 100 and float(r["model_latency_ns"]) > 100, r
    if traffic in ("poisson 60%", "poisson 80%", "poisson 90%", "step 20%->80%"):
        panem = float(by[traffic, "panem"]["mean_abs_error_pct"])
        fixed = float(by[traffic, "fixed:idle"]["mean_abs_error_pct"])
        assert panem < 0.6 * fixed, (traffic, panem, fixed)
    # the mean of the runs is better known than one of them, but not exactly
    if model == "(truth)":
        assert 0 < float(r["mean_abs_error_pct"]) < float(by[traffic, "(one run)"]["mean_abs_error_pct"]), r
print("36 rows sane")
END
try() {
    panem judge "$@"
    echo "$?"
}
try -c "$set"
try -c "$set" -t ddr4-2666
try -c "$set" -t dram:ddr4-2667
try -c "$set" -t "$truth" --read-pct 0
try -c absent.csv -t "$truth"
try -c "$set" -t "$truth" --traffic storm
try -c "$set" -t "$truth" --runs 1
exit 0
