# Without a command: usage on standard error, exit code 2, nothing on standard output.
panem 2>said
code=$?
head -n 3 said
exit $code
