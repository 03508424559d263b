# Real programs of both instruction sets: recorded, verified, and nothing in them unknown to the decoder.
kernels=$(dirname "$(command -v panem)")/suites/kernels
[ -x /usr/bin/qemu-x86_64 ] && [ "$(uname -m)" = x86_64 ] && [ -x "$kernels/graph.aarch64" ] || {
    echo "needs an x86-64 machine with qemu-user and gcc-aarch64-linux-gnu"
    exit 77
}
"$kernels/mkdata" text 2 >text
record() {
    name=$1
    shift
    panem trace record --quiet --skip 1M --max 3M --stop -o "$name.ptrace" "$@" >/dev/null
    echo "$name: $?"
    panem trace verify "$name.ptrace" | head -1
    panem trace info "$name.ptrace" --format json | python3 -c "
import json, sys
i = json.load(sys.stdin)
m = i['measured']
print(i['isa'], i['total_instructions'], 'undecoded', i['total_undecoded'])
print('reads:', 0.05 < m['loads'] / 3e6 < 0.6, 'writes:', 0.0 < m['stores'] / 3e6 < 0.4, 'branches:', 0.02 < m['branch_frac'] < 0.4)"
}
record sort -- /usr/bin/sort text
record gzip -- /usr/bin/gzip -c text
record perl -- /usr/bin/perl -ne '$n{$_}++ for split; END { print scalar keys %n }' text
record graph -- "$kernels/graph.aarch64"
# Behind the window the program runs on as if nobody had looked.
for program in gzip sort perl; do
    case $program in
    gzip) set -- /usr/bin/gzip -c text ;;
    sort) set -- /usr/bin/sort text ;;
    perl) set -- /usr/bin/perl -ne '$n{$_}++ for split; END { print join ",", map { "$_=$n{$_}" } sort keys %n; exit 5 }' text ;;
    esac
    panem trace record --quiet --skip 1M --max 1M -o w.ptrace -- "$@" >recorded.out
    echo "$program: $?"
    LC_ALL=C "$@" >native.out
    cmp recorded.out native.out
done
