/* The `panem curves` commands as a user runs them: exit codes, one clear line, results in files or
 * on standard output, nothing half-written. */
#include "../cmocka_pn.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DATA PN_SOURCE_DIR "/tests/data/curves/"
#define FORMULA PN_SOURCE_DIR "/tests/data/curves/formula/formula.csv"

enum { TEXT_MAX = 1 << 20 };

static char dir[64];
static char said[TEXT_MAX]; /* standard output and error of the last command */

static int make_dir(void **state)
{
    (void)state;
    (void)snprintf(dir, sizeof dir, "/tmp/panem-cli-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
    char command[100];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command);
}

/* Runs a line of shell in the scratch folder, with panem on the path; exit code. */
static int sh(const char *line)
{
    char command[2000];
    (void)snprintf(command, sizeof command,
                   "{ cd '%s' && PATH='%s':$PATH && D='" DATA "' && %s ; } 2>&1", dir,
                   PN_BINARY_DIR, line);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(said, 1, sizeof said - 1, pipe);
    said[length] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect(int code, const char *says, const char *line)
{
    int have = sh(line);
    if (have != code || !strstr(said, says))
        fail_msg("%s\nexit code %d: %.600s", line, have, said);
}

static bool exists(const char *name)
{
    char path[200];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    return access(path, F_OK) == 0;
}

static void usage_faults_are_one_line_and_exit_2(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"panem curves import -o x.csv", "no input"},
        {"panem curves import $D/d1", "-o FILE"},
        {"panem curves import $D/d1 --format excel -o x.csv", "mess2-json"},
        {"panem curves import $D/d1 --clock 2600 -o x.csv", "has no unit"},
        {"panem curves import $D/d1 --clock -1GHz -o x.csv", "positive"},
        {"panem curves import $D/d1 --label both -o x.csv", "traffic, kernel"},
        {"panem curves import $D/d1 --latency-unit us -o x.csv", "ns, cycles"},
        {"panem curves import $D/d1 --bandwidth-unit Gbit/s -o x.csv", "MiB/s"},
        {"panem curves import $D/d1 --read-pct 101 -o x.csv", "0..100"},
        {"panem curves import $D/d1 --table 0 -o x.csv", "--table"},
        {"panem curves import $D/d1 --theoretical-peak 8x8 -o x.csv", "MT/s"},
        {"panem curves import $D/d1 --latency-offset 28 -o x.csv", "has no unit"},
        {"panem curves import $D/d1 --latency-unit ns --clock 2GHz -o x.csv", "no meaning"},
        {"panem curves import $D/d1 --latency-unit ns -o x.csv", "--label"},
        {"panem curves import $D/mess1/bwlat_52.txt -o x.csv", "--latency-unit"},
        {"panem curves check", "no set given"},
        {"panem curves check a b", "one set"},
        {"panem curves check --format xml a", "table, csv, json"},
        {"panem curves show --read-pct 101 a", "0..100"},
        {"panem curves scale " FORMULA, "-o FILE"},
        {"panem curves scale " FORMULA " --latency-factor 0 -o x.csv", "positive"},
        {"panem curves scale " FORMULA " --clock 2GHz -o x.csv", "FROM:TO"},
        {"panem curves merge -o x.csv", "no set given"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect(2, cases[i][1], cases[i][0]);
        if (strncmp(said, "panem: ", 7) != 0 || strchr(said, '\n') != said + strlen(said) - 1)
            fail_msg("%s: not one line: %s", cases[i][0], said);
        assert_false(exists("x.csv"));
    }
}

static void bad_input_exits_3_names_its_line_and_writes_nothing(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"panem curves import absent -o x.csv", "absent: cannot open"},
        {"panem curves import $D/mess1/bwlat_7.txt --latency-unit ns --label traffic -o x.csv",
         "bwlat_7.txt:1: no latency"},
        {"panem curves import $D/mlc/two-tables.txt -o x.csv", "two-tables.txt:10: 2 loaded"},
        {"panem curves import $D/mlc/idle-only.txt -o x.csv", "no loaded-latency table found"},
        {"panem curves import $D/mlc/annotated.txt --strict -o x.csv", "annotated.txt:6: text"},
        {"panem curves import $D/d1 --latency-unit ns --label traffic --strict -o x.csv",
         "bwlat_0.txt:6: bandwidth is negative"},
        {"panem curves import $D/asct -o x.csv", "neither bwlat_<n>.txt"},
        {"panem curves check $D/csv/damaged.csv", "damaged.csv:4:5: "},
        {"panem curves show $D/csv/damaged.csv", "damaged.csv:4:5: "},
        {"panem curves scale " FORMULA " --on-chip 95ns -o x.csv", "must stay positive"},
        {"panem curves merge " FORMULA " " FORMULA " -o x.csv", "second curve"},
        {"head -c 300 " FORMULA " | xz | head -c 100 | panem curves check -", "cannot read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect(3, cases[i][1], cases[i][0]);
        assert_false(exists("x.csv"));
    }
}

static void an_output_that_cannot_be_written_exits_1(void **state)
{
    (void)state;
    expect(1, "cannot create", "panem curves scale " FORMULA " -o /nonexistent/x.csv");
    expect(1, "standard output", "panem curves scale " FORMULA " -o - >/dev/full");
    expect(1, "standard output", "panem curves show " FORMULA " >/dev/full");
}

static void import_says_what_it_did(void **state)
{
    (void)state;
    expect(0, "51.3 % of the theoretical 307.2 GB/s",
           "sed 's/ 41..... / /' $D/same/mlc-3.5-blanks.txt | sed 's/  42991.616/ 157596.000/' | "
           "panem curves import - --theoretical-peak 8x8x4800 -o a.csv");
    expect(0, "# theoretical_peak_gbs: 307.2", "cat a.csv");
    expect(
        0, "4 repairs",
        "panem curves import $D/d1 --latency-unit cycles --clock 2GHz --label traffic -o d1.csv");
    assert_non_null(strstr(said, "bwlat_100.txt:6: bandwidth is negative"));
    assert_non_null(strstr(said, "past the peak, kept: 3"));
    expect(0, "# converted_from: mess1: MB/s, cycles at 2 GHz", "cat d1.csv");
}

static void quiet_import_keeps_warnings_only(void **state)
{
    (void)state;
    expect(0, "warning", "panem curves import $D/mess1/bwlat_52.txt -q --latency-unit ns -o q.csv");
    assert_null(strstr(said, "repair"));
}

static void skipped_files_are_named(void **state)
{
    (void)state;
    expect(0, "bwlat_7.txt:1: file left out: no latency",
           "panem curves import $D/mess1/bwlat_52.txt $D/mess1/bwlat_7.txt --skip-bad "
           "--latency-unit ns --label traffic -o s.csv");
    expect(3, "no usable input",
           "panem curves import $D/mess1/bwlat_7.txt --skip-bad --latency-unit ns --label traffic "
           "-o none.csv");
    assert_false(exists("none.csv"));
}

static void gates_warn_of_a_wrong_unit(void **state)
{
    (void)state;
    expect(0, "unit, clock or offset",
           "panem curves import $D/d1 --latency-unit cycles --clock 9GHz --label traffic -o g.csv");
    expect(
        0, "the theoretical 102.4 GB/s",
        "panem curves import $D/d1 --latency-unit ns --label traffic --theoretical-peak 4x8x3200 "
        "-o g.csv");
}

static void check_exits_1_only_when_strict_and_something_was_found(void **state)
{
    (void)state;
    expect(0, "0 warnings, 0 repairs", "panem curves check --strict " FORMULA);
    expect(0, "negative_bandwidth", "panem curves check d1.csv");
    expect(1, "negative_bandwidth", "panem curves check --strict d1.csv");
    expect(0, "",
           "panem curves check --format json d1.csv 2>/dev/null | python3 -c 'import json, "
           "sys; r = json.load(sys.stdin)[\"rows\"]; "
           "assert sum(x[\"severity\"] == \"repair\" for x in r) == 4, r'");
}

static void show_prints_raw_and_converted_points(void **state)
{
    (void)state;
    expect(0, "dropped", "panem curves show d1.csv");
    expect(0, "100,-0.725,94,-68.14999999999999,dropped,",
           "panem curves show --read-pct 100 --format csv d1.csv");
    expect(0, "beyond paper", "panem curves show --converted d1.csv");
    expect(0, "interpolated", "panem curves show --converted --read-pct 52 " FORMULA);
    expect(0, "no curve at 52 % reads: the nearest, at 50 %",
           "panem curves show --read-pct 52 " FORMULA);
    expect(0, "",
           "panem curves show --converted --format json " FORMULA
           " | python3 -c 'import json, sys; j = json.load(sys.stdin); "
           "assert j[\"metadata\"][\"synthetic\"] == \"yes\"; "
           "assert len(j[\"curves\"]) == 11 and len(j[\"rows\"]) == 11 * (20 + 12); "
           "assert all(abs(r[\"outstanding_bytes\"] - r[\"bandwidth_gbs\"] * "
           "r[\"latency_ns\"]) < 1e-6 * r[\"outstanding_bytes\"] + 1e-9 for r in "
           "j[\"rows\"])'");
}

static void scale_then_scale_back_gives_the_same_curves(void **state)
{
    (void)state;
    expect(0, "",
           "panem curves scale " FORMULA
           " --bandwidth-factor 2 --latency-factor 0.5 --on-chip 16ns -o s1.csv && panem "
           "curves scale s1.csv --latency-offset 16ns -o s2.csv && panem curves scale s2.csv "
           "--bandwidth-factor 0.5 --latency-factor 2 -o s3.csv");
    expect(0,
           "# transforms: bandwidth x 2; latency x 0.5; on-chip part off: latency - 16 ns; "
           "latency + 16 ns; bandwidth x 0.5; latency x 2",
           "cat s3.csv");
    expect(0, "# theoretical_peak_gbs: 127.968", "cat s3.csv");
    expect(0, "",
           "grep -v '#' " FORMULA " > a.txt; grep -v '#' s3.csv > b.txt; python3 -c 'import "
           "csv; a, b = ([[float(v) for v in r] for r in list(csv.reader(open(f)))[1:]] for f "
           "in (\"a.txt\", \"b.txt\")); assert len(a) == len(b) == 220; assert all(abs(x - y) "
           "<= 1e-12 * abs(x) for p, q in zip(a, b) for x, y in zip(p, q))'");
    expect(0, "", "panem curves scale " FORMULA " --clock 2GHz:2.98GHz -o c.csv");
    expect(0, "100,0,60.4026845637583", "cat c.csv"); /* 90 x 2 / 2.98 */
}

static void merge_keeps_shared_metadata_and_both_curves(void **state)
{
    (void)state;
    expect(0, "metadata",
           "grep -E '^#|^read|^50,' " FORMULA " > m1.csv; grep -E '^#|^read|^60,' " FORMULA
           " | sed 's/^# hardware: none/# hardware: other/' > m2.csv; panem "
           "curves merge m1.csv m2.csv -o m.csv");
    expect(0, "# theoretical_peak_gbs: 127.968\n", "cat m.csv");
    assert_null(strstr(said, "hardware"));
    assert_non_null(strstr(said, "\n60,0,92.4\n"));
    expect(0, "2 curves of 40 points", "panem curves check m.csv");
}

static void help_and_manual_list_every_option(void **state)
{
    (void)state;
    static const char *const commands[] = {"import", "check", "show", "merge", "scale"};
    for (size_t i = 0; i < 5; i++) {
        char line[400];
        (void)snprintf(
            line, sizeof line,
            "panem curves %s --help > h.txt && panem --man curves %s | sed 's/\\\\-/-/g' > "
            "m.txt && grep -oE -- '--[a-z-]+' h.txt | grep -vE -- "
            "'--(help|usage|version|beyond)$' | sort -u > o.txt && test -s o.txt && while "
            "read o; do grep -q -- \"$o\" m.txt || echo \"missing $o\"; done < o.txt",
            commands[i], commands[i]);
        expect(0, "", line);
        if (said[0])
            fail_msg("%s: %s", commands[i], said);
    }
}

static void the_set_of_the_formula_is_what_its_maker_writes(void **state)
{
    (void)state;
    expect(0, "", "'" PN_SOURCE_DIR "/tests/data/curves/formula/make' | cmp - " FORMULA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(usage_faults_are_one_line_and_exit_2),
        PN_TEST(bad_input_exits_3_names_its_line_and_writes_nothing),
        PN_TEST(an_output_that_cannot_be_written_exits_1),
        PN_TEST(import_says_what_it_did),
        PN_TEST(quiet_import_keeps_warnings_only),
        PN_TEST(skipped_files_are_named),
        PN_TEST(gates_warn_of_a_wrong_unit),
        PN_TEST(check_exits_1_only_when_strict_and_something_was_found),
        PN_TEST(show_prints_raw_and_converted_points),
        PN_TEST(scale_then_scale_back_gives_the_same_curves),
        PN_TEST(merge_keeps_shared_metadata_and_both_curves),
        PN_TEST(help_and_manual_list_every_option),
        PN_TEST(the_set_of_the_formula_is_what_its_maker_writes),
    };
    return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
