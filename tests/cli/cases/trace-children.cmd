# What becomes of children, of exec and of threads is done as documented, and told.
python=$(readlink -f /usr/bin/python3)
[ -x /usr/bin/qemu-x86_64 ] && [ -x /usr/bin/perl ] && [ "$(uname -m)" = x86_64 ] && head -c 4 "$python" | grep -q ELF || {
    echo "needs QEMU, and x86-64's perl and python3"
    exit 77
}
count() { sed 's/recorded [0-9]* \(.*\) after 0, .*/recorded N \1/'; }
panem trace record -o fork.ptrace -- /usr/bin/perl -e 'if (fork == 0) { print "child\n"; exit 3 } wait; print "it ended with ", $? >> 8, "\n"; exit 4' 2>told
echo "fork: $?"
count <told
panem trace verify fork.ptrace | sed -n '1p; s/^\(thread [0-9]*\):.*/\1/p'
panem trace record -o exec.ptrace -- /usr/bin/perl -e 'exec "/bin/echo", "what it became"' 2>told
echo "exec: $?"
count <told
panem trace verify exec.ptrace | sed -n '1p; s/^\(thread [0-9]*\):.*/\1/p'
panem trace record -o threads.ptrace -- "$python" -S -I -c '
import threading
def work():
    sum(range(10000))
for _ in range(3):
    t = threading.Thread(target=work)
    t.start()
    t.join()
print("done")' 2>told
echo "threads: $?"
count <told
panem trace verify threads.ptrace | sed -n '1p; s/^\(thread [0-9]*\):.*/\1/p'
for t in 0 1 2 3; do
    panem trace info threads.ptrace --thread $t --format json | python3 -c "
import json, sys
i = json.load(sys.stdin)
own = next(t for t in i['threads'] if t['thread'] == $t)
print($t, own['instructions'] > 10000, i['measured']['instructions'] == own['instructions'])"
done
# A stream that is not there is an error wherever it is asked for, and leaves no file.
for command in "info" "head" "convert --to champsim -o none" "slice --count 10 -o none"; do
    panem trace $command threads.ptrace --thread 9 2>&1
    echo "$command: $?"
done
panem run --quiet -c "$SOURCE/curves/ddr5-5200x8.csv" threads.ptrace --thread 9 2>&1
echo "run: $?"
ls none 2>/dev/null
# Without a word every stream is kept, also where the first is not there.
panem trace slice threads.ptrace --thread 2 -o two.ptrace 2>/dev/null
panem trace verify two.ptrace | sed -n '1p; s/^\(thread [0-9]*\):.*/\1/p'
panem trace convert two.ptrace -o again.ptrace 2>/dev/null
panem trace verify again.ptrace | sed -n '1p; s/^\(thread [0-9]*\):.*/\1/p'
cmp two.ptrace again.ptrace
