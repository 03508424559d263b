# A trace that is replaced while its study runs: no result of the new file stands under the old one's
# points, which fail and say why; the next start plans and runs them anew.
python3 "$SOURCE/tests/cli/make_trace.py" 20000 1 >a.champsim
python3 "$SOURCE/tests/cli/make_trace.py" 20000 2 >b.champsim
cp "$SOURCE/curves/ddr5-5200x8.csv" set.csv
mkdir studies
cat >studies/study.yaml <<Y
base: {curves: ../set.csv, instructions: 15k}
traces: [../a.champsim]
axes: {lob: "16:96:1"}
Y
cp b.champsim a2.champsim
panem sweep run studies/study.yaml -o out -j 1 --quiet 2>log &
runner=$!
done_points() { panem query out "SELECT count(*) FROM points WHERE state = 1" 2>/dev/null | tail -1; }
for _ in $(seq 500); do
    n=$(done_points)
    [ "${n:-0}" -ge 1 ] && break
    sleep 0.01
done
mv a2.champsim a.champsim
wait $runner
echo "$?"
grep failed: log | sed 's/point [0-9]*/point N/' | sort -u
panem sweep run studies/study.yaml -o out -j 2 --quiet
echo "$?"
panem sweep run studies/study.yaml -o fresh -j 2 --quiet
panem sweep export out | cmp - <(panem sweep export fresh) && echo "the same as of the new trace alone"
