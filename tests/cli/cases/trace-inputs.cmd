# What is no trace, or a damaged one, is refused by name: exit code 3, one line.
panem trace info absent.ptrace
echo "$?"
: >empty
panem trace info empty
echo "$?"
printf '0x10 READ 1\n0x20 REED 2\n' >bad.trace
panem trace info bad.trace
echo "$?"
printf '3 100\n1 200 300\n' >cpu.trace
panem trace convert cpu.trace -o cpu.ptrace
panem trace verify cpu.ptrace
panem trace head cpu.ptrace
panem trace convert cpu.ptrace --to champsim -o no.champsim
echo "$?"
ls no.champsim 2>/dev/null
panem trace head --from cpu cpu.trace
echo "$?"
printf '#!/bin/sh\n' >script
panem trace record -o s.ptrace -- ./script
echo "$?"
panem trace record -o s.ptrace
echo "$?"
