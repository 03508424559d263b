# A locale with a decimal comma changes no byte of a result, whether it is read, printed or parsed.
set=$SOURCE/tests/data/curves/formula/formula.csv
run() {
    panem traffic -c "$set" --read-pct 62.5 --load 33.3% --error 1% --format csv
    panem curves show "$set" --read-pct 62.5 --converted
}
run >plain
if [ "$(LC_ALL=de_DE.UTF-8 /usr/bin/printf '%.1f' 0,5 2>/dev/null)" != 0,5 ]; then
    localedef -i de_DE -f UTF-8 "$PWD/de_DE.UTF-8" 2>/dev/null
    export LOCPATH=$PWD
    if [ "$(LC_ALL=de_DE.UTF-8 /usr/bin/printf '%.1f' 0,5 2>/dev/null)" != 0,5 ]; then
        echo "no locale with a decimal comma here, and none could be made"
        exit 77
    fi
fi
LC_ALL=de_DE.UTF-8 run >comma
cmp plain comma && echo "the same"
