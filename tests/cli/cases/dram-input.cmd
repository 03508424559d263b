# A DRAM that cannot be, or a curve that cannot be asked for: one line each, exit code 2, no output.
try() {
    "$@" -o out.csv
    echo "$?: ${*:3}"
    [ -e out.csv ] && echo "out.csv is there"
}
measure() { try panem characterize "$@"; }
measure --dram ddr4-2667
measure
measure --dram ddr4-2666 --set trc_ck=61
measure --dram ddr4-2666 --set burst_beats=7
measure --dram ddr4-2666 --set ranks=3
measure --dram ddr4-2666 --set row_hits=3
measure --dram ddr4-2666 --channels 0
measure --dram ddr4-2666 --channels -1
measure --dram ddr4-2666 --channels 2.5
measure --dram ddr4-2666 --read-pct 101
measure --dram ddr4-2666 --read-pct -5
measure --dram ddr4-2666 --read-pct 0:120:10
measure --dram ddr4-2666 --row-hit 1.5
measure --dram ddr4-2666 --row-hit often
measure --dram ddr4-2666 --error 0
measure --dram ddr4-2666 --repeats 0
measure --dram ddr4-2666 --fabric-latency 40
panem traffic --model dram:ddr4-2667
echo "$?"
panem traffic --model dram:ddr4-2666:trc_ck=61
echo "$?"
panem traffic --model dram:ddr4-2666:channels=0
echo "$?"
panem characterize --dram ddr4-2666 -o /nonexistent/x.csv
echo "$?: told before anything is measured"
