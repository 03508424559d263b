/* textmem.c - memory-only traces in text: DRAMsim3, Ramulator 1 and 2, DRAMSys, valgrind lackey.
 *
 * Forms (facts of the formats):
 *   DRAMsim3     0xADDR READ|WRITE CYCLE                 (also read, write, P_MEM_RD, P_MEM_WR,
 * BOFF) Ramulator    0xADDR R|W  ·  LD|ST ADDR  ·  R|W ADDR  (no time) COUNT ADDR [WRITEBACK-ADDR]
 * (COUNT instructions, then one access) DRAMSys      CYCLE: read|write 0xADDR lackey       "I
 * hex,size", " L hex,size", " S hex,size", " M hex,size" (a load and a store) Blank lines, #
 * comments, CRLF and a missing last line end are fine; lackey's ==pid== lines are skipped. A
 * Ramulator file keeps to the form of its first line. Sizes are unknown but in lackey. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "trace/trace_priv.h"

enum { BUFFER_BYTES = 1 << 16, WORDS = 5 };

typedef struct textmem textmem;

/* Turns the words of a line into records; NULL or what is wrong. */
typedef const char *line_parser(textmem *t, char **words, int n);

struct textmem {
    pn_trace base;
    pn_source source;
    line_parser *parse;
    int form; /* of Ramulator: fixed by the first line */
    char *buffer;
    size_t used, length;
    bool ended;
    uint64_t line, time, delivered;
    pn_mem_record out[2];
    int n_out, next_out;
};

static bool parse_hex(const char *text, uint64_t *value)
{
    uint64_t v = 0;
    if (!*text || strlen(text) > 16)
        return false;
    for (const char *p = text; *p; p++) {
        int digit = *p >= '0' && *p <= '9'   ? *p - '0'
                    : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10
                    : *p >= 'A' && *p <= 'F' ? *p - 'A' + 10
                                             : -1;
        if (digit < 0)
            return false;
        v = v << 4 | (uint64_t)digit;
    }
    *value = v;
    return true;
}

static bool is_hex(const char *text)
{
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

static bool parse_address(const char *text, uint64_t *value)
{
    return is_hex(text) ? parse_hex(text + 2, value) : pn_num_parse_u64(text, value);
}

static bool one_of(const char *word, const char *const *list)
{
    for (; *list; list++) {
        if (strcmp(word, *list) == 0)
            return true;
    }
    return false;
}

static void emit(textmem *t, uint64_t time, uint64_t address, uint32_t bytes, uint8_t write)
{
    t->out[t->n_out++] = (pn_mem_record){time, address, bytes, write};
}

/* ---- the forms ------------------------------------------------------------------------------- */

static const char bad_address[] = "the address is not a number";

static const char *parse_dramsim3(textmem *t, char **words, int n)
{
    static const char *const writes[] = {"WRITE", "write", "P_MEM_WR", "BOFF", NULL};
    static const char *const reads[] = {"READ", "read", "P_MEM_RD", "P_FETCH", NULL};
    uint64_t address, cycle;
    if (n != 3)
        return "expected three words: 0xADDRESS READ|WRITE CYCLE";
    if (!is_hex(words[0]) || !parse_hex(words[0] + 2, &address))
        return "the address is not of the form 0x1f";
    bool write = one_of(words[1], writes);
    if (!write && !one_of(words[1], reads))
        return "the operation is neither READ nor WRITE";
    if (!pn_num_parse_u64(words[2], &cycle))
        return "the cycle is not a whole number";
    if (cycle < t->time)
        return "the cycle is before the one of the line above";
    t->time = cycle;
    emit(t, cycle, address, 0, write);
    return NULL;
}

enum { RAMULATOR_ANY, RAMULATOR_ADDRESS_FIRST, RAMULATOR_WORD_FIRST, RAMULATOR_COUNTS };

static bool parse_rw(const char *word, uint8_t *write)
{
    static const char *const reads[] = {"R", "LD", "READ", NULL};
    static const char *const writes[] = {"W", "ST", "WRITE", NULL};
    *write = one_of(word, writes);
    return *write || one_of(word, reads);
}

static const char *parse_counts(textmem *t, char **words, int n)
{
    uint64_t count, read, write;
    if (n > 3 || !pn_num_parse_u64(words[0], &count))
        return "expected: COUNT ADDRESS [WRITEBACK-ADDRESS]";
    if (!parse_address(words[1], &read) || (n == 3 && !parse_address(words[2], &write)))
        return bad_address;
    t->time += count;
    emit(t, t->time, read, 0, 0);
    if (n == 3)
        emit(t, t->time, write, 0, 1);
    t->time++;
    return NULL;
}

static const char *parse_ramulator(textmem *t, char **words, int n)
{
    uint8_t write;
    uint64_t address;
    if (n < 2)
        return "expected at least two words";
    int form = parse_rw(words[0], &write)             ? RAMULATOR_WORD_FIRST
               : n == 2 && parse_rw(words[1], &write) ? RAMULATOR_ADDRESS_FIRST
                                                      : RAMULATOR_COUNTS;
    if (t->form == RAMULATOR_ANY) {
        t->form = form;
        t->base.info.time_unit = form == RAMULATOR_COUNTS ? PN_TIME_INSTRUCTIONS : PN_TIME_NONE;
    }
    if (form != t->form)
        return "not of the form of the first line (a memory trace and a CPU trace mixed?)";
    if (form == RAMULATOR_COUNTS)
        return parse_counts(t, words, n);
    if (n != 2)
        return "expected two words";
    const char *text = words[form == RAMULATOR_WORD_FIRST];
    if (strchr(text, ','))
        return "address vectors (channel,rank,..) have no byte address; use the linear form";
    if (!parse_address(text, &address))
        return bad_address;
    emit(t, 0, address, 0, write);
    return NULL;
}

static const char *parse_dramsys(textmem *t, char **words, int n)
{
    uint64_t address, cycle;
    size_t length = strlen(words[0]);
    if (n != 3 || words[0][length - 1] != ':')
        return "expected: CYCLE: read|write 0xADDRESS";
    words[0][length - 1] = '\0';
    if (!pn_num_parse_u64(words[0], &cycle))
        return "the cycle is not a whole number";
    bool write = strcmp(words[1], "write") == 0;
    if (!write && strcmp(words[1], "read") != 0)
        return "the operation is neither read nor write (lower case)";
    if (!is_hex(words[2]) || !parse_hex(words[2] + 2, &address))
        return "the address is not of the form 0x1f";
    if (cycle < t->time)
        return "the cycle is before the one of the line above";
    t->time = cycle;
    emit(t, cycle, address, 0, write);
    return NULL;
}

static const char *parse_lackey(textmem *t, char **words, int n)
{
    uint64_t address, bytes;
    if (strncmp(words[0], "==", 2) == 0)
        return NULL;
    char *comma = n == 2 ? strchr(words[1], ',') : NULL;
    if (!comma || strlen(words[0]) != 1)
        return "expected: I|L|S|M ADDRESS,SIZE";
    *comma = '\0';
    if (!parse_hex(words[1], &address))
        return "the address is not hexadecimal";
    if (!pn_num_parse_u64(comma + 1, &bytes) || bytes == 0 || bytes > UINT32_MAX)
        return "the size is not a whole number of bytes";
    /* A data line belongs to the instruction line before it. */
    uint64_t time = t->time ? t->time - 1 : 0;
    switch (words[0][0]) {
    case 'I':
        t->time++;
        return NULL;
    case 'M':
        emit(t, time, address, (uint32_t)bytes, 0);
        emit(t, time, address, (uint32_t)bytes, 1);
        return NULL;
    case 'L':
    case 'S':
        emit(t, time, address, (uint32_t)bytes, words[0][0] == 'S');
        return NULL;
    default:
        return "the first letter is none of I, L, S, M";
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static panem_status bad_line(const textmem *t, panem_error *err, const char *what)
{
    uint32_t line = t->line > UINT32_MAX ? 0 : (uint32_t)t->line;
    return pn_err_at(err, PANEM_E_FORMAT, t->base.path, line, 0, "%s", what);
}

static panem_status refill(textmem *t, panem_error *err)
{
    memmove(t->buffer, t->buffer + t->used, t->length - t->used);
    t->length -= t->used;
    t->used = 0;
    size_t want = BUFFER_BYTES - 1 - t->length, got = 0;
    if (want == 0)
        return bad_line(t, err, "the line is too long");
    panem_error own = PANEM_ERROR_INIT;
    panem_status status = pn_source_read(&t->source, t->buffer + t->length, &got, want, &own);
    if (status == PANEM_E_DAMAGED && t->base.options.accept_truncated) {
        t->base.truncated = t->ended = true;
        t->length += got;
        return PANEM_OK;
    }
    if (status == PANEM_E_DAMAGED)
        return pn_err_at(err, status, t->base.path, 0, 0,
                         "unexpected end of compressed data after line %" PRIu64, t->line);
    if (status != PANEM_OK) {
        if (err && err->status == PANEM_OK)
            *err = own;
        return status;
    }
    t->length += got;
    t->ended = got < want;
    return PANEM_OK;
}

/* The next line without its end, or NULL at the end of the input. */
static panem_status next_line(textmem *t, char **line, panem_error *err)
{
    for (;;) {
        char *start = t->buffer + t->used;
        char *end = memchr(start, '\n', t->length - t->used);
        if (!end && t->ended && (t->used == t->length || t->base.truncated)) {
            *line = NULL;
            return PANEM_OK;
        }
        if (!end && t->ended)
            end = t->buffer + t->length; /* the last line has no end: there is room for a NUL */
        if (end) {
            t->line++;
            t->used = (size_t)(end - t->buffer) + (end < t->buffer + t->length);
            *end = '\0';
            *line = start;
            return PANEM_OK;
        }
        PN_TRY(refill(t, err));
    }
}

static int split(char *line, char **words)
{
    int n = 0;
    char *p = line;
    while (n < WORDS) {
        p += strspn(p, " \t\r");
        if (!*p || *p == '#')
            break;
        words[n++] = p;
        p += strcspn(p, " \t\r");
        if (*p)
            *p++ = '\0';
    }
    return n;
}

static panem_status next_mem(pn_trace *trace, pn_mem_record *records, size_t *count,
                             size_t capacity, panem_error *err)
{
    textmem *t = (textmem *)trace;
    size_t n = 0;
    while (n < capacity) {
        if (t->next_out < t->n_out) {
            records[n++] = t->out[t->next_out++];
            continue;
        }
        char *line = NULL, *words[WORDS];
        PN_TRY(next_line(t, &line, err));
        if (!line)
            break;
        int n_words = split(line, words);
        t->n_out = t->next_out = 0;
        const char *wrong = n_words ? t->parse(t, words, n_words) : NULL;
        if (wrong)
            return bad_line(t, err, wrong);
    }
    *count = n;
    return PANEM_OK;
}

/* ---- open and close -------------------------------------------------------------------------- */

static void close_trace(pn_trace *trace)
{
    textmem *t = (textmem *)trace;
    pn_source_close(&t->source);
    free(t->buffer);
    pn_trace_base_release(trace);
    free(t);
}

static const pn_trace_ops textmem_ops = {NULL, next_mem, NULL, NULL, close_trace};

static void set_format(textmem *t, pn_trace_format format)
{
    pn_trace_info *info = &t->base.info;
    info->kind = PN_TRACE_MEMORY;
    info->unknown = format == PN_TRACE_FORMAT_LACKEY ? 0 : PN_UNKNOWN_SIZE;
    info->source = pn_trace_format_names[format];
    switch (format) {
    case PN_TRACE_FORMAT_DRAMSIM3:
        t->parse = parse_dramsim3;
        info->time_unit = PN_TIME_CYCLES;
        break;
    case PN_TRACE_FORMAT_DRAMSYS:
        t->parse = parse_dramsys;
        info->time_unit = PN_TIME_CYCLES;
        break;
    case PN_TRACE_FORMAT_LACKEY:
        t->parse = parse_lackey;
        info->time_unit = PN_TIME_INSTRUCTIONS;
        break;
    default:
        t->parse = parse_ramulator;
        break;
    }
}

/* Reads ahead to the first record, which fixes the form and with it the unit of time. */
static panem_status first_record(textmem *t, panem_error *err)
{
    pn_mem_record r;
    size_t n = 0;
    PN_TRY(next_mem(&t->base, &r, &n, 1, err));
    if (n == 0)
        return pn_err_at(err, PANEM_E_EMPTY, t->base.path, 0, 0, "has no memory access in it");
    t->next_out--;
    return PANEM_OK;
}

panem_status pn_textmem_open(pn_trace **trace, pn_source *source, const pn_trace_options *options,
                             panem_error *err)
{
    textmem *t = calloc(1, sizeof *t);
    bool good = t && pn_trace_base(&t->base, &textmem_ops, source->path, options, options->format);
    if (good)
        t->buffer = malloc(BUFFER_BYTES);
    if (!good || !t->buffer) {
        pn_source_close(source);
        if (t)
            close_trace(&t->base);
        return pn_err(err, PANEM_E_NOMEM, "no memory to open a trace");
    }
    t->source = *source;
    set_format(t, options->format);
    panem_status status = first_record(t, err);
    if (status != PANEM_OK) {
        close_trace(&t->base);
        return status;
    }
    *trace = &t->base;
    return PANEM_OK;
}
