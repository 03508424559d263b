# A memory trace in place of the abstract cores; what does not fit together is refused by name.
set=$SOURCE/curves/ddr5-5200x8.csv
printf '0x0 READ 0\n0x40 WRITE 100\n0x80 READ 200\n' >t.trace
columns() { cut -d, -f1-3,6,7,18; }
panem traffic --trace t.trace -c "$set" --clock 1GHz --model fixed:idle --format csv --series s.csv | columns
wc -l <s.csv
panem traffic --trace t.trace --closed-loop 2 --model dram:ddr4-2666 --format csv | columns
panem trace convert t.trace -o t.ptrace
panem traffic --trace t.ptrace -c "$set" --clock 1GHz --model fixed:idle --format csv | columns
try() {
    panem traffic "$@"
    echo "$?"
}
try --trace t.trace -c "$set"
try --trace t.trace --clock 1GHz
try --trace t.trace --clock 1GHz -c "$set" --load 50%
try --clock 1GHz -c "$set"
try --trace absent.trace -c "$set"
panem trace record --quiet -o i.ptrace --max 1000 --stop -- /bin/true
try --trace i.ptrace -c "$set"
cat t.trace | panem traffic --trace - --clock 1GHz --model dram:ddr4-2666,dram:ddr5-5200
echo "$?"
