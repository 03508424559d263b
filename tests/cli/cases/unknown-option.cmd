# The nearest option is named; what belongs to an option before it is not mistaken for one.
set=$SOURCE/curves/ddr4-2666x6.csv
panem traffic --curves "$set" --laod 50%
echo "$?"
panem traffic -c --laod --read-pct 50
echo "$?"
panem traffic --curves --laod --read-pct 50
echo "$?"
panem traffic --xyzzyxyzzy
echo "$?"
panem curves import --latency-units=ns x
echo "$?"
panem traffic --read-pct
echo "$?"
