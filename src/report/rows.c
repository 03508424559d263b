/* rows.c - see rows.h. */
#include "report/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

static void take_names(void *user, int columns, const char *const *names)
{
    pn_answer *a = user;
    a->columns = (size_t)columns;
    a->names = calloc(a->columns, sizeof *a->names);
    a->failed = !a->names;
    for (size_t i = 0; i < a->columns && !a->failed; i++) {
        a->names[i] = strdup(names[i]);
        a->failed = !a->names[i];
    }
}

static void take_row(void *user, int columns, const char *const *cells, const bool *numbers)
{
    pn_answer *a = user;
    (void)numbers;
    if (a->failed)
        return;
    size_t count = (size_t)columns;
    /* Grown by doubling: whenever the number of rows is a power of two. */
    if ((a->rows & (a->rows - 1)) == 0) {
        size_t room = (a->rows ? 2 * a->rows : 1) * count;
        char **all = realloc(a->cells, room * sizeof *all);
        if (!all) {
            a->failed = true;
            return;
        }
        a->cells = all;
    }
    for (size_t i = 0; i < count; i++) {
        char *copy = cells[i] ? strdup(cells[i]) : NULL;
        a->failed |= cells[i] && !copy;
        a->cells[a->filled++] = copy;
    }
    a->rows++;
}

panem_status pn_answer_fetch(pn_answer *answer, pn_store *store, const char *sql, panem_error *err)
{
    const pn_rows rows = {take_names, take_row, answer};
    PN_TRY(pn_store_query(store, sql, &rows, err));
    return answer->failed ? pn_err(err, PANEM_E_NOMEM, "no memory for the results") : PANEM_OK;
}

void pn_answer_release(pn_answer *answer)
{
    for (size_t i = 0; i < answer->filled; i++)
        free(answer->cells[i]);
    for (size_t i = 0; answer->names && i < answer->columns; i++)
        free(answer->names[i]);
    free(answer->cells);
    free(answer->names);
    memset(answer, 0, sizeof *answer);
}

size_t pn_answer_column(const pn_answer *answer, const char *name)
{
    size_t i = 0;
    while (i < answer->columns && strcmp(answer->names[i], name) != 0)
        i++;
    return i;
}

const char *pn_answer_text(const pn_answer *answer, size_t row, size_t column)
{
    const char *cell =
        column < answer->columns ? answer->cells[row * answer->columns + column] : NULL;
    return cell ? cell : "";
}

double pn_answer_number(const pn_answer *answer, size_t row, size_t column)
{
    double value;
    return pn_num_parse_all(pn_answer_text(answer, row, column), &value) ? value : (double)NAN;
}
