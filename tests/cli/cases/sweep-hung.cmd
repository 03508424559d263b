# A worker that hangs is noticed, replaced and its point run again; a trace that vanishes meanwhile
# fails its points alone.
python3 "$SOURCE/tests/cli/make_trace.py" 40000 1 >a.champsim
cp a.champsim b.champsim
cp "$SOURCE/curves/ddr5-5200x8.csv" set.csv
cat >study.yaml <<Y
base: {curves: set.csv, instructions: 38k}
traces: [a.champsim, b.champsim]
axes: {rob: "128:167:1"}
Y
done_points() { panem query $1 "SELECT count(*) FROM points WHERE state = 1" 2>/dev/null | tail -1; }
# Stopped before its first point is stored: a point is surely at work.
panem sweep run study.yaml -o out -j 1 --timeout 2s --quiet &
runner=$!
for _ in $(seq 1000); do
    worker=$(pgrep -P $runner) && break
    sleep 0.01
done
kill -STOP $worker
wait $runner
echo "exit $?"
panem sweep status out
panem query out "SELECT attempts, count(*) AS points FROM timing GROUP BY 1"
# Equal bytes are one point, whatever the file's name: 40 of 80.
sed -i 's/38k/37k/' study.yaml
python3 "$SOURCE/tests/cli/make_trace.py" 40000 2 >b.champsim
panem sweep run study.yaml -o gone -j 1 --quiet 2>log &
runner=$!
for _ in $(seq 1000); do
    n=$(done_points gone)
    [ "${n:-0}" -ge 1 ] && break
    sleep 0.01
done
rm b.champsim
wait $runner
echo "exit $?"
grep failed: log | sed 's/point [0-9]*/point N/' | sort -u
panem sweep status gone | awk 'NR == 1 { print ($3 >= 1 && $5 >= 1 && $3 + $5 == 80 ? "the points of the other trace are done" : $0) }'
cp a.champsim b.champsim
panem sweep run study.yaml -o gone --quiet
echo "exit $?"
panem sweep status gone
