/* logs.h - logarithm and exponential from additions and multiplications alone, so that a drawing
 * and a mean have the same bytes on every machine. Relative error below 1e-9: enough for pixels and
 * for means that are shown with few digits, and for nothing else. */
#ifndef PN_REPORT_LOGS_H
#define PN_REPORT_LOGS_H

/* x > 0. */
double pn_report_ln(double x);
/* |x| < 700. */
double pn_report_exp(double x);

#endif
