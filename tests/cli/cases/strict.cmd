# A set that needs a repair runs, and is refused under --strict with exit code 3.
printf 'read_pct,bandwidth_gbs,latency_ns\n100,1,90\n100,5,80\n100,6,95\n100,8,130\n100,9,200\n' >set.csv
panem traffic -c set.csv --read-pct 100 --load 20% --format csv >out.csv
echo "$?, $(wc -l <out.csv) lines"
panem traffic -c set.csv --read-pct 100 --load 20% --strict
echo "$?"
