# Wrong values of options: one line each, exit code 2, nothing on standard output.
set=$SOURCE/curves/ddr4-2666x6.csv
try() {
    panem traffic -c "$set" --requests-max 1 "$@"
    echo "$?: $*"
}
try --load 50
try --load 0%
try --load -5%
try --load nan
try --load 10%:5%:5%
try --load 10%:50%
try --load ''
try --read-pct 101
try --read-pct -1
try --read-pct 50%
try --read-pct 50,,60
try --read-pct nan
try --cores 0
try --cores -1
try --cores 2.5
try --sharers 0
try --on-chip 5
try --on-chip 5GB/s
try --windows 4x
try --windows x520ns
try --burst 50us..200ns
try --step 20%
try --error -1%
try --error 0
try --model panam 2> >(sed 's/; models: panem, .*/; models: panem, .../' >&2)
wait $!
try --model panem:window
try --model panem:windwo=520ns
try --format xml
try --arrival gauss
try extra
panem traffic
echo "$?: no --curves"
panem traffic --model dram:ddr4-2666,panem
echo "$?: no --curves, dram and another"
panem traffic --model dram:ddr4-2666 --strict
echo "$?: --strict without --curves"
panem traffic --model dram:ddr4-2666 --on-chip 20ns
echo "$?: --on-chip without --curves"
