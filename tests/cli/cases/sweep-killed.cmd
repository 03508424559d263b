# The whole process group is killed at random moments: what was stored stays, and the end is the same.
python3 "$SOURCE/tests/cli/make_trace.py" 40000 1 >a.champsim
cp "$SOURCE/curves/ddr5-5200x8.csv" set.csv
cat >study.yaml <<Y
base: {curves: set.csv, instructions: 30k}
traces: [a.champsim]
models: [panem, "panem:paper", "fixed:idle"]
loads: [whole, heavy]
axes: {lob: "16:96:8", rob: [128, 192, 256]}
Y
panem sweep run study.yaml -o calm -j 2 --quiet
panem sweep export calm >calm.csv
before=0
for pause in 0.05 0.3 0.12 0.2 0.07 0.25; do
    setsid panem sweep run study.yaml -o wild -j 2 --quiet &
    leader=$!
    sleep $pause
    kill -9 -- -$leader 2>/dev/null
    wait $leader 2>/dev/null
    now=$(panem query wild "SELECT count(*) FROM points WHERE state = 1" 2>/dev/null | tail -1)
    [ "${now:-0}" -ge "$before" ] || echo "lost points: $before, then $now"
    before=${now:-0}
done 2>/dev/null
# Two on one folder: the second is told; a worker that is killed is replaced.
panem sweep run study.yaml -o wild -j 2 --quiet
panem sweep export wild | cmp - calm.csv
panem query wild "SELECT count(*) AS results, count(DISTINCT key) AS points FROM results"
sed -i 's/30k/39k/' study.yaml
panem sweep run study.yaml -o busy -j 1 --quiet 2>stopped &
holder=$!
for _ in $(seq 200); do [ -e busy/store.db ] || sleep 0.02; done
kill -STOP $holder
panem sweep run study.yaml -o busy -j 1 --quiet
echo "$?"
kill -INT $holder
kill -CONT $holder
wait $holder 2>/dev/null
echo "stopped: $?"
sed 's/: [0-9]* run, .*/: N run/' stopped
panem sweep run study.yaml -o busy -j 2 --quiet &
runner=$!
sleep 0.3
pkill -9 -P $runner
wait $runner
echo "after its workers were killed: $?"
panem sweep status busy
