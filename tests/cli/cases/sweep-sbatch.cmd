# What is said to sbatch and squeue, and what becomes of their answers: with stand-ins that keep
# what they were told. A real Slurm is in sweep-slurm.
python3 "$SOURCE/tests/cli/make_trace.py" 2000 1 >a.champsim
cp "$SOURCE/curves/ddr5-5200x8.csv" set.csv
cat >study.yaml <<Y
base: {curves: set.csv, instructions: 1k}
traces: [a.champsim]
axes: {lob: "16:80:8"}
Y
mkdir fake "it's here"
export PATH=$PWD/fake:$PATH
cat >fake/sbatch <<'S'
#!/bin/sh
for word in "$@"; do printf '<%s>' "$word"; done >>sbatch.log
echo >>sbatch.log
echo "4$(wc -l <sbatch.log);cluster"
S
cat >fake/squeue <<'S'
#!/bin/sh
cat queue
S
chmod +x fake/*
: >queue
panem sweep run study.yaml -o "it's here" --slurm -j 3 --timeout 90s --retry --partition p --points-per-task 2 --tasks-per-job 2 --array-limit 1
sed "s#$PWD#.#g" sbatch.log
sed "s#'[^']*/panem'#PANEM#; s#$PWD#.#g" "it's here/slurm/task.sh"
wc -l <"it's here/slurm/points"
# Tasks of other jobs are not ours.
printf '41 RUNNING\n42 PENDING\n42 PENDING\n7 RUNNING\n' >queue
panem sweep status "it's here"
# By default about a hundred tasks, of one job.
rm sbatch.log
panem sweep run study.yaml -o out --slurm
sed "s#$PWD#.#g" sbatch.log
# sbatch that refuses the second job: the first one is known. Answers that are none.
printf '#!/bin/sh\n[ -e second ] && exit 4\n: >second\necho 51\n' >fake/sbatch
panem sweep run study.yaml -o refused --slurm --points-per-task 5 --tasks-per-job 1
echo "$?"
cat refused/slurm/jobs
printf '#!/bin/sh\necho what?\n' >fake/sbatch
panem sweep run study.yaml -o asked --slurm
echo "$?"
printf '#!/bin/sh\nexit 1\n' >fake/squeue
panem sweep status refused
