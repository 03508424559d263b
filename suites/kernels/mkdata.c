/* mkdata - invented input for the workloads, the same on every machine.
 * Arguments: KIND AMOUNT; kinds: text (MB of words), source (functions of C), sql (rows), xml
 * (records), image (edge of a PPM), video (frames of 4:2:0 CIF), csv (rows). On standard output. */
#include <string.h>

#include "kernel.h"

static uint64_t state = 2463534242u;

/* A word from a skewed vocabulary of a million: small numbers are frequent. */
static void put_word(void)
{
    static const char letters[] = "etaoinshrdlucmfwypvbgk";
    uint64_t r = kernel_random(&state);
    uint64_t range = (r & 0xfffff) >> (r >> 20 & 15); /* its logarithm is about even */
    uint64_t word = (r >> 32) % (range + 1);
    for (uint64_t h = word * 2654435761u + 12345, i = 0; i < 2 + word % 7; i++, h = h * 31 + 7)
        putchar(letters[h % (sizeof letters - 1)]);
}

static void text(uint64_t megabytes)
{
    for (uint64_t i = 0; i < megabytes * 190000; i++) {
        put_word();
        putchar(i % 13 == 12 ? '\n' : ' ');
    }
}

static void source(uint64_t functions)
{
    puts("#include <stdint.h>\nuint64_t table[4096];");
    for (uint64_t i = 0; i < functions; i++)
        printf(
            "static uint64_t f%llu(uint64_t a, uint64_t b)\n{\n    for (int i = 0; i < %d; i++) {\n"
            "        a = a * %llu + table[(b + i) & 4095];\n        if (a & %d)\n            b ^= "
            "a >> "
            "%d;\n        switch (a & 7) {\n        case 1: b += %d; break;\n        case 3: "
            "table[b & "
            "4095] = a; break;\n        default: a -= b;\n        }\n    }\n    return a + b;\n}\n",
            (unsigned long long)i, (int)(i % 37 + 2), (unsigned long long)(i * 77 + 3),
            1 << (i % 9), (int)(i % 31 + 1), (int)(i % 100));
    puts("uint64_t run(uint64_t x)\n{");
    for (uint64_t i = 0; i < functions; i++)
        printf("    x = f%llu(x, x + %d);\n", (unsigned long long)i, (int)(i % 5));
    puts("    return x;\n}");
}

static void rows(uint64_t n, const char *format)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t r = kernel_random(&state);
        printf(format, (unsigned long long)i, (unsigned long long)(r % 1000003),
               (unsigned long long)(r >> 40), (unsigned long long)(r % 97));
    }
}

static void pixels(uint64_t n, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        putchar((int)((i * 7 / (n + 1) + (i % n) * 3 + (kernel_random(&state) & 15)) & 255));
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    uint64_t n = kernel_argument(argc, argv, 2, 1);
    if (strcmp(kind, "text") == 0) {
        text(n);
    } else if (strcmp(kind, "source") == 0) {
        source(n);
    } else if (strcmp(kind, "sql") == 0) {
        puts("create table t(id integer primary key, k integer, v integer, s text);\n"
             "create index i on t(k);\nbegin;");
        rows(n, "insert into t values(%llu,%llu,%llu,'name%llu');\n");
        puts("commit;\nselect count(*), sum(v) from t where k > 500000;\n"
             "select s, count(*), avg(v) from t group by s order by 2 desc limit 5;\n"
             "select count(*) from t a join t b on a.k = b.k where a.id < b.id;");
    } else if (strcmp(kind, "csv") == 0) {
        rows(n, "%llu,%llu,%llu,name%llu\n");
    } else if (strcmp(kind, "xml") == 0) {
        puts("<?xml version=\"1.0\"?>\n<rows>");
        rows(n, "<row id=\"%llu\"><k>%llu</k><v>%llu</v><s>name%llu</s></row>\n");
        puts("</rows>");
    } else if (strcmp(kind, "image") == 0) {
        printf("P6\n%llu %llu\n255\n", (unsigned long long)n, (unsigned long long)n);
        pixels(n, n * n * 3);
    } else if (strcmp(kind, "video") == 0) {
        pixels(352, n * 352 * 288 * 3 / 2);
    } else {
        (void)fprintf(stderr, "mkdata: unknown kind '%s'\n", kind);
        return 2;
    }
    return 0;
}
