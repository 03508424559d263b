# A curve set that is absent, a folder, empty: exit code 3, one line.
panem traffic -c absent.csv
echo "$?"
mkdir folder
panem traffic -c folder
echo "$?"
: >empty.csv
panem traffic -c empty.csv
echo "$?"
printf 'read_pct,bandwidth_gbs,latency_ns\n' >header-only.csv
panem traffic -c header-only.csv
echo "$?"
