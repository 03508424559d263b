# D7: a compressed trace cut at 60 %: an error that counts the whole records, no result; with leave, a result that says so.
set=$SOURCE/curves/ddr5-5200x8.csv
python3 -c "
import random, struct, sys
random.seed(1)
for i in range(100000):
    ip = 0x400000 + 4 * (i % 1000)
    sys.stdout.buffer.write(struct.pack('<QBB2B4B2Q4Q', ip, 0, 0, 10, 0, 7, 0, 0, 0, 0, 0, 64 * random.randrange(1, 1 << 20), 0, 0, 0))" >t.champsim
python3 -c "
import random
random.seed(2)
for i in range(100000):
    print('0x%x %s %d' % (64 * random.randrange(1 << 20), 'READ' if i % 3 else 'WRITE', 9 * i))" >t.trace
for tool in xz gzip bzip2 zstd; do
    command -v $tool >/dev/null || { echo "needs $tool"; exit 77; }
    for t in t.champsim t.trace; do
        $tool -q -c $t >whole
        head -c $(($(wc -c <whole) * 6 / 10)) whole >cut.$t.$tool
    done
    echo "== $tool"
    panem run --quiet cut.t.champsim.$tool -c "$set" --json r.json 2>message
    echo "run: $?"
    panem run --quiet --accept-truncated cut.t.champsim.$tool -c "$set" --json r2.json 2>warning >text
    echo "run --accept-truncated: $?"
    ls r.json s.csv 2>/dev/null
    grep truncated text
    python3 -c "
import json, re
n = int(re.fullmatch(r'panem: cut\.\S+: unexpected end of compressed data after (\d+) records\n', open('message').read())[1])
r = json.load(open('r2.json'))
print('as many as the message counts:', r['core']['instructions'] == n and 0 < n < 100000, 'truncated:', r['trace']['truncated'])"
    sed "s/$tool/TOOL/" warning
    panem traffic --trace cut.t.trace.$tool --clock 1GHz -c "$set" --model fixed:idle --format csv --series s.csv 2>message
    echo "traffic: $?"
    ls s.csv 2>/dev/null
    sed 's/line [0-9]*/line N/; s/\.[a-z0-9]*:/.TOOL:/' message
    panem traffic --accept-truncated --trace cut.t.trace.$tool --clock 1GHz -c "$set" --model fixed:idle --format csv 2>&1 | cut -d, -f1,20 | sed 's/\.[a-z0-9]* is/.TOOL is/'
done
