/* err.h - filling a panem_error and passing statuses on.
 *
 * Rules: the first failure writes, later ones leave it alone; a NULL error is fine; messages are
 * lower case, name what failed first, and carry no full stop. */
#ifndef PN_BASE_ERR_H
#define PN_BASE_ERR_H

#include <panem.h>

#if defined(__GNUC__)
#define PN_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define PN_PRINTF(a, b)
#endif

/* Record a failure without a place; returns status so that callers can `return pn_err(...)`. */
panem_status pn_err(panem_error *err, panem_status status, const char *format, ...) PN_PRINTF(3, 4);

/* Record a failure at file:line:col (0 = not known). file may be NULL. */
panem_status pn_err_at(panem_error *err, panem_status status, const char *file, uint32_t line,
                       uint32_t col, const char *format, ...) PN_PRINTF(6, 7);

/* clang's analyzer sees one file at a time and would try paths on which a failure became OK. */
#ifdef __clang_analyzer__
#define pn_err(err, status, ...) ((void)pn_err(err, status, __VA_ARGS__), (status))
#define pn_err_at(err, status, ...) ((void)pn_err_at(err, status, __VA_ARGS__), (status))
#endif

/* Forward any status but OK. */
#define PN_TRY(expr)                   \
    do {                               \
        panem_status pn_try_ = (expr); \
        if (pn_try_ != PANEM_OK)       \
            return pn_try_;            \
    } while (0)

#endif
