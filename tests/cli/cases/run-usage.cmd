# Machines that cannot be built, unknown words, and nothing to run are one line, and exit 2 or 3.
set="$SOURCE/curves/ddr5-5200x8.csv"
python3 "$SOURCE/tests/cli/make_trace.py" 2000 1 >a.champsim
: >empty.champsim
try() {
    panem run "$@" >told
    echo "$?: $(wc -l <told) lines"
}
try a.champsim -c "$set" --set l1d_ways=0
try a.champsim -c "$set" --set lob=193
try a.champsim -c "$set" --set rob=100 --set lob=100 --set store_buffer=101
try a.champsim -c "$set" --set l1d_mshr=4
try a.champsim -c "$set" --set l2_latency=3
try a.champsim -c "$set" --set llc_size=64KiB --active-cores 96
try a.champsim -c "$set" --set l2_tlb_entries=4
try a.champsim -c "$set" --set cbusy_control=some
try a.champsim -c "$set" --set clock=0
try a.champsim -c "$set" --set page_size=5000B
try a.champsim -c "$set" --core arm-servre
try a.champsim -c "$set" --model panen
try a.champsim -c "$set" --load busy
try a.champsim -c "$set" --active-cores 0
try a.champsim -c "$set" --active-cores -1
try a.champsim -c "$set" -i 0
try a.champsim
try -c "$set"
try empty.champsim -c "$set"
try absent.champsim -c "$set"
try a.champsim -c absent.csv
