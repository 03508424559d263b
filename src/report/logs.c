/* logs.c - see logs.h. */
#include "report/logs.h"

#include <math.h>

static const double LN_2 = 0.69314718055994531;

/* By x = m * 2^e and the series of artanh. */
double pn_report_ln(double x)
{
    int e;
    double m = frexp(x, &e);
    double z = (m - 0.70710678118654752) / (m + 0.70710678118654752);
    double sum = 0.0;
    double power = z;
    for (int k = 1; k < 20; k += 2) {
        sum += power / k;
        power *= z * z;
    }
    return 2.0 * sum + ((double)e - 0.5) * LN_2;
}

/* By e^x = 2^k * e^r with |r| <= ln 2 / 2, and the series of e^r. */
double pn_report_exp(double x)
{
    double k = floor(x / LN_2 + 0.5);
    double r = x - k * LN_2;
    double term = 1.0;
    double sum = 1.0;
    for (int i = 1; i < 14; i++) {
        term *= r / i;
        sum += term;
    }
    return ldexp(sum, (int)k);
}
