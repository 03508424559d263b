# A recorder that is killed leaves a file that says it is cut short, and whose whole frames can be had by asking.
[ -x /usr/bin/qemu-x86_64 ] && [ -x /usr/bin/perl ] && [ "$(uname -m)" = x86_64 ] || { echo "needs QEMU's and perl's x86-64"; exit 77; }
panem trace record -o k.ptrace -- /usr/bin/perl -e '$x=($x*1103515245+12345)%2147483648, $a[$x%1000000]=$x while 1' 2>/dev/null &
recorder=$!
until [ "$(cat k.ptrace.* 2>/dev/null | wc -c)" -gt 400000 ]; do sleep 0.1; done
# bash tells of the kill whenever it notices it: both commands keep quiet.
{ kill -9 $recorder; wait $recorder; } 2>/dev/null
echo "killed: $?"
ls k.ptrace 2>/dev/null
left=$(ls k.ptrace.*)
panem trace verify "$left" 2>&1 | sed 's/k.ptrace.[a-zA-Z0-9]*/LEFT/; s/byte [0-9]*, within [A-Z]*/byte N, within a frame/'
panem trace verify "$left" >/dev/null 2>&1
echo "verify: $?"
panem trace convert "$left" -o none.ptrace >/dev/null 2>&1
echo "convert: $?"
ls none.ptrace 2>/dev/null
whole=$(panem trace convert --accept-truncated "$left" -o rescued.ptrace 2>&1 | sed -n 's/.*wrote \([0-9]*\) instructions.*/\1/p')
panem trace verify rescued.ptrace | head -1
panem trace info rescued.ptrace --format json | python3 -c "
import json, sys
n = json.load(sys.stdin)['total_instructions']
print('as many as the whole frames held:', n == int('$whole') and n > 1000000)"
