# The points of a study as array tasks of a real Slurm on loopback: the same bytes as of -j 1.
. "$SOURCE/tests/cli/slurm.sh"
trap 'slurm_stop "$PWD/cluster"' EXIT
slurm_start "$PWD/cluster" >why || { cat why; exit 77; }
python3 "$SOURCE/tests/cli/make_trace.py" 20000 1 >a.champsim
cp "$SOURCE/curves/ddr5-5200x8.csv" set.csv
mkdir 'the studies'
cat >'the studies/study.yaml' <<Y
base: {curves: ../set.csv, instructions: 10k}
traces: [../a.champsim]
models: [panem, "fixed:idle"]
loads: [whole, heavy]
axes: {lob: [16, 32, 48, 64]}
Y
study='the studies/study.yaml'
panem sweep run "$study" -o alone -j 1 --quiet
panem sweep export alone >alone.csv
ends() {
    for _ in $(seq 600); do
        [ -z "$(squeue -h)" ] && return
        sleep 0.1
    done
    echo "the queue does not end"; squeue
}
# What is there already is not submitted: one point of 16 was run here. 15 points, 4 a task, 2 jobs.
panem query alone "SELECT key FROM plan WHERE ordinal = 5" | tail -1 >one
panem sweep run "$study" -o out -j 1 --quiet --list one
scontrol update partition=other state=down
panem sweep run "$study" -o out --slurm --partition other --points-per-task 4 --tasks-per-job 3 --array-limit 2
# Twice is once too often.
panem sweep run "$study" -o out --slurm
echo "$?"
panem sweep status out
sed "s#'[^']*/panem'#PANEM#" out/slurm/task.sh
scontrol update partition=other state=up
ends
cat out/slurm/*.out
panem sweep status out
panem sweep merge "$study" -o out
panem sweep merge "$study" -o out | tail -1
panem sweep status out
panem sweep export out | cmp - alone.csv && echo "the same bytes"
panem sweep run "$study" -o out --slurm
# A job that never ran, a study that was changed meanwhile, a partition that is not there.
scontrol update partition=other state=down
sed -i 's/64/72/' "$study"
panem sweep run "$study" -o out --slurm --partition other -j 2
sed -i 's/72/80/' "$study"
scontrol update partition=other state=up
ends
cat out/slurm/5-*.out | sed 's/points:[0-9]*:/points:LINE:/' | sort | uniq -c
panem sweep run "$study" -o out --slurm --partition nowhere 2>&1
echo "$?"
