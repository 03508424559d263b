/* fixture.c - see fixture.h. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

static const char *const FLAT = "read_pct,bandwidth_gbs,latency_ns\n100,100,80\n";

static const char *const ONE = "read_pct,bandwidth_gbs,latency_ns\n"
                               "100,1,90\n100,20,93\n100,40,98\n100,60,107\n100,75,121\n"
                               "100,85,142\n100,92,180\n100,97,240\n100,100,320\n100,98,420\n";

static const char *const THREE =
    "read_pct,bandwidth_gbs,latency_ns\n"
    "0,0.5,110\n0,12,114\n0,25,125\n0,36,148\n0,45,190\n0,52,280\n0,51,390\n"
    "50,0.5,100\n50,20,104\n50,40,113\n50,55,130\n50,66,165\n50,73,240\n50,70,380\n"
    "100,0.5,90\n100,25,93\n100,50,101\n100,70,118\n100,84,155\n100,92,230\n100,88,400\n";

static const char *const SLOW = "read_pct,bandwidth_gbs,latency_ns\n"
                                "0,0.1,900\n0,0.5,1100\n0,0.8,1700\n0,0.79,2600\n"
                                "100,0.1,800\n100,0.6,950\n100,1,1500\n100,0.95,2400\n";

static const char *const REST = "read_pct,bandwidth_gbs,latency_ns\n"
                                "50,1,100\n50,30,110\n50,50,150\n50,60,300\n"
                                "75,1,95\n75,35,104\n75,60,140\n75,70,290\n";

panem_curves *fix_parse(const char *csv)
{
    panem_curves *set = NULL;
    if (panem_curves_parse(&set, csv, strlen(csv), "fixture", NULL, NULL) != PANEM_OK)
        abort();
    return set;
}

/* B = peak rho, L = idle (1 + 0.1 rho + 0.1 rho^2 / (1.08 - rho)); peak and idle linear in r. */
static size_t many(panem_point *points)
{
    size_t n = 0;
    for (int c = 0; c <= 50; c++) {
        double r = c / 50.0;
        double peak = 90.0 + 30.0 * r;
        double idle = 105.0 - 15.0 * r;
        for (int i = 1; i <= 24; i++) {
            double rho = i / 24.0;
            double l = idle * (1.0 + 0.1 * rho + 0.1 * rho * rho / (1.08 - rho));
            points[n++] = (panem_point){r, peak * rho, l};
        }
    }
    return n;
}

panem_curves *fix_set(fix_shape shape, const panem_allocator *allocator)
{
    static const char *const texts[FIX_COUNT] = {FLAT, ONE, THREE, NULL, SLOW, REST};
    panem_curves_options options = PANEM_CURVES_OPTIONS_INIT;
    options.allocator = allocator;
    panem_curves *set = NULL;
    panem_status status;
    if (texts[shape]) {
        const char *text = texts[shape];
        status = panem_curves_parse(&set, text, strlen(text), "fixture", &options, NULL);
    } else {
        panem_point points[51 * 24];
        status = panem_curves_create(&set, points, many(points), &options, NULL);
    }
    if (status != PANEM_OK)
        abort();
    return set;
}
