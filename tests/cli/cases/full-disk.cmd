# Standard output that cannot be written is a failure, exit code 1, in every format.
set=$SOURCE/curves/ddr4-2666x6.csv
[ -w /dev/full ] || { echo "no /dev/full"; exit 77; }
for format in table csv json; do
    panem traffic -c "$set" --read-pct 100 --load 20% --requests-max 1000 --format $format >/dev/full
    echo "$?"
done
panem traffic -c "$set" --read-pct 100 --load 20% --requests-max 1000 >&-
echo "$?"
panem --help >/dev/full
echo "$?"
panem --version >/dev/full
echo "$?"
panem curves show "$set" >/dev/full
echo "$?"
panem traffic -c "$set" --read-pct 100 --load 20% --requests-max 1000 --series /nonexistent/series.csv
echo "$?"
