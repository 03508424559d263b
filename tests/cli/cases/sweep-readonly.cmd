# A folder that cannot be written: its results can be read all the same, and a sweep says what is wrong.
python3 "$SOURCE/tests/cli/make_trace.py" 2000 1 >a.champsim
cp "$SOURCE/curves/ddr5-5200x8.csv" set.csv
cat >study.yaml <<Y
base: {curves: set.csv, instructions: 1k}
traces: [a.champsim]
axes: {rob: [128, 192]}
Y
panem sweep run study.yaml -o out --quiet
panem sweep run study.yaml -o parts --quiet --shard 1/2
panem sweep merge study.yaml -o parts
ls out parts/shards/1-of-2
panem sweep export out >out.csv
cat >closed.sh <<'S'
mount --bind out out && mount -o remount,bind,ro out || exit 77
panem sweep status out
panem sweep export out | cmp - out.csv && echo "the same rows"
panem sweep export out --format sqlite -o out.db; echo "exit $?"
panem sweep plan study.yaml -o out | tail -2 | head -1
panem sweep run study.yaml -o out; echo "exit $?"
panem sweep run study.yaml -o out/deeper; echo "exit $?"
S
unshare --map-root-user --mount true 2>/dev/null || { echo "no mounts of one's own here"; exit 77; }
unshare --map-root-user --mount bash closed.sh
