# Files that may not grow (ulimit -f), which every machine has: exit 1, and the same command goes on.
python3 "$SOURCE/tests/cli/make_trace.py" 20000 1 >a.champsim
cp "$SOURCE/curves/ddr5-5200x8.csv" set.csv
cat >study.yaml <<Y
base: {curves: set.csv, instructions: 2k}
traces: [a.champsim]
axes: {lob: "16:96:1", rob: [128, 192, 256, 320]}
Y
panem sweep run study.yaml -o calm -j 2 --quiet
limited() { (trap '' XFSZ; ulimit -f $1; panem sweep run study.yaml -o small -j 2 --quiet; echo "exit $?"); }
limited 60
limited 4000
some=$(panem query small "SELECT count(*) FROM results" | tail -1)
[ "$some" -gt 0 ] && [ "$some" -lt 324 ] && echo "some points were kept"
panem sweep run study.yaml -o small -j 2 --quiet
echo "exit $?"
panem sweep export small | cmp - <(panem sweep export calm) && echo "the same bytes"
