# Two runs give the same bytes; another seed does not.
set=$SOURCE/curves/ddr4-2666x6.csv
run() { panem traffic -c "$set" --read-pct 50,100 --load 30%,80% --error 1% --format "$1" "${@:2}"; }
for format in table csv json; do
    run $format >first
    run $format >second
    cmp first second && [ -s first ] && echo "$format: the same"
done
run csv >first
run csv --seed 2 >other
cmp -s first other || echo "another seed, other bytes"
