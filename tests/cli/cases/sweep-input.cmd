# What is wrong in a study is told with its place, and nothing is made.
python3 "$SOURCE/tests/cli/make_trace.py" 2000 1 >a.champsim
cp "$SOURCE/curves/ddr5-5200x8.csv" set.csv
try() {
    cat >study.yaml
    panem sweep run study.yaml -o out
    echo "$?"
    ls -d out 2>/dev/null
}
good='base: {curves: set.csv, instructions: 1k}
traces: [a.champsim]'
printf '%s\nmodles: [panem]\n' "$good" | try
printf '%s\naxes: {rbo: [96]}\n' "$good" | try
printf '%s\naxes: {rob: [many]}\n' "$good" | try
printf '%s\naxes: {rob: []}\n' "$good" | try
printf '%s\naxes: {zip: {rob: [96, 192], lob: [24]}}\n' "$good" | try
printf '%s\nloads: [full]\n' "$good" | try
# Values: the line of the key they are for, and what a range is.
printf '%s\nloads: [whole]\naxes:\n  rob: [192]\n  llc_size: [2MiB, 2ms]\n' "$good" | try
printf '%s\naxes:\n  rob: [96, 32]\n  store_buffer: [16, 64]\n' "$good" | try
printf '%s\naxes:\n  zip:\n    rob: [96, 192]\n    lob: [24, none]\n' "$good" | try
printf 'base:\n  curves: set.csv\n  set:\n    clock: 3\ntraces: [a.champsim]\n' | try
printf 'base:\n  curves: set.csv\n  core: arm-sever\ntraces: [a.champsim]\n' | try
for range in 512:32:16 32:512:0 1:2 1:100000000:1 1MiB:4MB:1MiB; do printf '%s\naxes: {rob: %s}\n' "$good" $range | try; done
printf '%s\naxes: {rob: 256:300:1, lob: 32:99:1, l1d_mshrs: 1:60:1, l2_mshrs: 1:60:1}\n' "$good" | try
printf '%s\nmodels: [panem]\naxes: {model: [md1]}\n' "$good" | try
printf '%s\naxes: {rob: [96], zip: {rob: [96], lob: [24]}}\n' "$good" | try
printf '%s\nbase: {load: heavy}\n' "$good" | try
printf '%s\nloads: [whole\n' "$good" | try
printf '%s\nloads: *none\n' "$good" | try
: | try
printf '%s\nmetrics: [icp]\n' "$good" | try
models="$good
models: [panem, fixed:idle]"
printf '%s\nplots: [curves, scater]\n' "$models" | try
printf '%s\nplots:\n  - box:ipc\n  - box:icp_mpki\n' "$models" | try
printf '%s\nplots: [box]\n' "$models" | try
printf '%s\nplots: [windows:ipc]\n' "$models" | try
printf '%s\nplots: [ratio]\n' "$models" | try
printf '%s\nplots: [series]\n' "$models" | try
printf '%s\nseries: true\nplots: [series:b]\n' "$models" | try
printf '%s\nseries: yes\n' "$models" | try
printf '%s\nthreshold: much\n' "$models" | try
printf '%s\ncompare: fixed:idel\n' "$models" | try
printf '%s\ncompare: panem\n' "$good" | try
printf 'traces: [missing/*.ptrace]\n' | try
printf 'traces: [absent.ptrace]\n' | try
printf 'base: {instructions: 1k}\ntraces: [a.champsim]\nmodels: [panam]\n' | try
printf 'just words\n' | try
printf '%s\n' "$good" >study.yaml
mkdir closed && chmod 500 closed
[ "$(id -u)" = 0 ] || panem sweep run study.yaml -o closed/out 2>/dev/null
[ "$(id -u)" = 0 ] && echo 1 || echo "$?"
: >file
panem sweep run study.yaml -o file
echo "$?"
panem sweep run study.yaml -o ok --shard 3/2
panem sweep run study.yaml -o ok -j 0
panem sweep run study.yaml
panem sweep status absent
panem sweep export absent
mkdir other && echo 'not a database' >other/store.db
panem sweep status other
# Without Slurm; options that do not go together; lists that are none.
mkdir bare && ln -s "$(command -v panem)" bare/panem
PATH=$PWD/bare panem sweep run study.yaml -o none --slurm
echo "$?"
panem sweep run study.yaml -o none --slurm --shard 1/2
panem sweep run study.yaml -o none --points-per-task 3
panem sweep run study.yaml -o none --slurm --array-limit 0
echo 0123 >list
panem sweep run study.yaml -o none --list list
echo 0123456789abcdef0123456789abcdef >list
panem sweep run study.yaml -o none --list list
panem sweep merge study.yaml -o none
