# Names near the unknown one; 2 each.
for words in trafic "curves improt" curves "curves xyzzy" "curves --help" xyzzy "--man trafic" "--man xyzzy" -v; do
    # Commands may be added; the first two of a list will do.
    panem $words 2>said
    echo "$?"
    sed 's/: import, check, .*/: import, check, .../' said >&2
done
