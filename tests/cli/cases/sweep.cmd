# A study: planned, run, shown, in shards, failed and tried again; always the same bytes.
python3 "$SOURCE/tests/cli/make_trace.py" 20000 1 >a.champsim
python3 "$SOURCE/tests/cli/make_trace.py" 20000 2 >b.champsim
cp "$SOURCE/curves/ddr5-5200x8.csv" set.csv
cat >study.yaml <<Y
study: small
base: {core: arm-server, curves: set.csv, warmup: 2k, instructions: 10k}
traces: ["a.champsim", {file: b.champsim, name: second, weight: 2.5}]
models: [panem, "fixed:idle"]
loads: [whole, heavy]
axes:
  lob: 24:48:24
  zip: {rob: [96, 192], store_buffer: [16, 32]}
metrics: [ipc, read_latency_ns]
compare: fixed:idle
Y
panem sweep plan study.yaml | sed 's/  [0-9a-f]\{32\}  /  KEY  /'
panem sweep run study.yaml -o one -j 1 --quiet
panem sweep status one
panem sweep export one >one.csv
head -1 one.csv
cut -d, -f1-8 one.csv | sed -n '2,4p;33p'
cut -d, -f11 one.csv | sed 1d | awk '{ if (!($1 > 0.05 && $1 < 4)) bad++ } END { print bad + 0, "of", NR, "without a sound IPC" }'
# Any number of workers, another folder, language and zone; shards in any order; twice.
LANG=de_DE.UTF-8 TZ=Asia/Tokyo panem sweep run study.yaml -o two -j 2 --quiet
panem sweep export two | cmp - one.csv
for i in 3 1 2; do panem sweep run study.yaml -o three -j 1 --shard $i/3 --quiet; done
panem sweep merge study.yaml -o three
panem sweep merge study.yaml -o three | tail -1
panem sweep export three | cmp - one.csv
# The same as a database: the same cells, the same bytes, host times only when asked for.
panem sweep export one --format sqlite -o one.db
python3 "$SOURCE/tests/cli/same_table.py" one.db one.csv
for folder in two three; do panem sweep export $folder --format sqlite -o $folder.db; cmp $folder.db one.db; done
panem sweep export one --format sqlite --timing -o timed.db
python3 -c '
import sqlite3
for name in "one.db", "timed.db":
    db = sqlite3.connect(name)
    columns = [c[1] for c in db.execute("PRAGMA table_info(results)")]
    print(name, [t[0] for t in db.execute("SELECT name FROM sqlite_master ORDER BY 1")], "host" in columns,
          db.execute("SELECT count(*), sum(windows > 0) FROM windows").fetchone())'
panem sweep export one --timing | head -1 | grep -c ,seconds,attempts,host,at,key
panem sweep export one --format sqlite
panem sweep export one --format sqlite -o absent/one.db
echo "$?"
panem query one "SELECT 1" --format sqlite -o q.db
panem sweep run study.yaml -o one 2>&1 | sed 's/, [0-9.]* s$/, T s/'
panem query one "SELECT axis_model, count(*) AS points FROM plan JOIN results USING(key) GROUP BY 1"
panem query one "DELETE FROM plan"
echo "$?"
panem query one " ; "
panem query one "SELECT count(*) AS n FROM windows WHERE windows > 0" --format json
# Series are kept when the study asks; points that had none run again, with the same results.
python3 - <<'Y'
import sqlite3
db = sqlite3.connect("two/store.db")
db.executescript("DROP TABLE series; PRAGMA user_version = 1;")
Y
panem sweep status two
cp study.yaml kept.yaml && echo 'series: true' >>kept.yaml
panem sweep plan kept.yaml -o two | grep points:
panem sweep run kept.yaml -o two -j 2 --quiet
panem sweep plan kept.yaml -o two | grep points:
panem sweep export two | cmp - one.csv
panem sweep export two --series >series.csv
head -2 series.csv
panem sweep run kept.yaml -o five -j 1 --quiet --shard 1/2
panem sweep run kept.yaml -o five -j 1 --quiet --shard 2/2
panem sweep merge kept.yaml -o five | tail -1
panem sweep export five --series | cmp - series.csv
panem query two "SELECT count(*) AS wrong FROM series JOIN results USING(key) WHERE json_array_length(series.read_gbs) <> (windows + windows_per_step - 1) / windows_per_step"
# A larger study on the same folder runs only what is new.
sed -i 's/loads: .*/loads: [whole, moderate, heavy]/' study.yaml
panem sweep plan study.yaml -o one | grep points:
# A trace that ends before what was asked for is told of; a report of points that all failed.
sed 's/instructions: 10k/instructions: 30k/; s/, {file.*\]/]/' study.yaml >long.yaml
panem sweep run long.yaml -o long --quiet
panem sweep status long
cp -r long lost && python3 - <<'Y'
import sqlite3
db = sqlite3.connect("lost/store.db")
db.executescript("UPDATE points SET state = 2, message = 'no'; DELETE FROM results;")
Y
panem report lost --plots
echo "$?"
# A trace that is gone fails before anything runs; one that is damaged fails by itself.
mv b.champsim c.champsim
panem sweep run study.yaml -o one
echo "$?"
head -c 700000 c.champsim >b.champsim
panem sweep run study.yaml -o four -j 2 --quiet 2>/dev/null
echo "$?"
panem sweep status four | head -2
