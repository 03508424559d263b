# A file system that is full, before and after the first points: exit 1, what is stored stays and can
# be read, and the same command goes on once there is room.
python3 "$SOURCE/tests/cli/make_trace.py" 20000 1 >a.champsim
cp "$SOURCE/curves/ddr5-5200x8.csv" set.csv
cat >study.yaml <<Y
base: {curves: set.csv, instructions: 2k}
traces: [a.champsim]
axes: {lob: "16:96:1", rob: [128, 192, 256, 320]}
Y
panem sweep run study.yaml -o calm -j 2 --quiet
panem sweep export calm >calm.csv
cat >full.sh <<'S'
mkdir small
mount -t tmpfs -o size=300k none small || exit 77
run() { panem sweep run study.yaml -o small/out -j 2 --quiet; echo "exit $?"; }
points() { panem query small/out "SELECT count(*) FROM results" | tail -1; }
run
panem sweep status small/out
mount -o remount,size=4500k small
run
first=$(points)
[ "$first" -gt 0 ] && [ "$first" -lt 324 ] && echo "some points fit"
panem sweep status small/out | grep -c "to run$"
run
mount -o remount,size=20m small
[ "$(points)" -ge "$first" ] && echo "nothing is lost"
run
panem sweep export small/out | cmp - calm.csv && echo "the same bytes"
# A report, an export and a database that do not fit.
mount -o remount,size="$(($(du -k small | tail -1 | cut -f1) + 8))k" small
panem sweep export small/out -o small/out.csv; echo "exit $?"
panem sweep export small/out --format sqlite -o small/out.db; echo "exit $?"
ls small
S
unshare --map-root-user --mount true 2>/dev/null || { echo "no mounts of one's own here"; exit 77; }
unshare --map-root-user --mount bash full.sh
