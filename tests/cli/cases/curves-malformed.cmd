# A malformed set: exit code 3, one line with path, line and column; nothing on standard output.
try() {
    printf 'read_pct,bandwidth_gbs,latency_ns\n100,1,90\n%s\n100,9,120\n' "$1" >set.csv
    panem traffic -c set.csv --read-pct 100 --load 50%
    echo "$?"
}
try '100,5'
try '100,5,abc'
try '100,0,5,7'
try '100,five,95'
try '101,5,95'
try '100,,95'
printf 'bandwidth,latency\n1,90\n' >other.csv
panem traffic -c other.csv
echo "$?"
gzip -nc "$SOURCE/tests/data/curves/formula/formula.csv" | head -c 800 >cut.csv.gz
panem curves check cut.csv.gz
echo "$?"
