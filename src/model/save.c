/* save.c - the frame of a saved state: magic, version, what it belongs to, payload, checksum.
 * docs/formats/state.md gives it byte by byte. */
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "model/bytes.h"
#include "model/model.h"

/* "PANEMST" and a NUL, little-endian. */
static const uint64_t STATE_MAGIC = UINT64_C(0x0054534d454e4150);
enum { STATE_VERSION = 3, HEADER_BYTES = 40, CHECK_BYTES = 8 };

/* Everything in the options that the state depends on. */
static uint64_t options_hash(const panem_model_options *o)
{
    uint64_t h = PN_HASH_START;
    const uint64_t words[] = {o->kind,
                              o->relation.beyond,
                              o->relation.mix,
                              o->window_ps,
                              o->windows,
                              o->sharers,
                              o->guard,
                              o->guard_slack_ps,
                              o->time_mode,
                              o->early_write_ack,
                              o->ring_windows,
                              o->cbusy_by,
                              o->guard_compensation,
                              o->looks,
                              o->peers.frequency_hz,
                              o->peers.phase_length,
                              o->peers.curve_window_size,
                              o->peers.window_size_ps,
                              o->peers.num_outstanding};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        h = pn_hash_u64(h, words[i]);
    for (int i = 0; i < 3; i++)
        h = pn_hash_double(h, o->cbusy_enter[i]);
    return pn_hash_double(h, o->cbusy_hysteresis);
}

panem_status panem_save(const panem_model *model, void *buffer, size_t capacity, size_t *size)
{
    size_t payload = model->ops->save_size(model);
    size_t total = HEADER_BYTES + payload + CHECK_BYTES;
    *size = total;
    if (!buffer || capacity < total)
        return PANEM_E_SPACE;
    pn_bytes_out out = {buffer, 0};
    pn_put_u64(&out, STATE_MAGIC);
    pn_put_u64(&out, STATE_VERSION);
    pn_put_u64(&out, panem_curves_fingerprint(model->set));
    pn_put_u64(&out, options_hash(&model->options));
    pn_put_u64(&out, payload);
    model->ops->save(model, out.data + out.length);
    out.length += payload;
    pn_put_u64(&out, pn_hash_bytes(PN_HASH_START, out.data, out.length));
    return PANEM_OK;
}

panem_status panem_restore(panem_model *model, const void *buffer, size_t size, panem_error *err)
{
    pn_bytes_in in = {buffer, size, 0, false};
    if (size < HEADER_BYTES + CHECK_BYTES || pn_get_u64(&in) != STATE_MAGIC)
        return pn_err(err, PANEM_E_DAMAGED, "not a saved panem state");
    uint64_t version = pn_get_u64(&in);
    if (version != STATE_VERSION)
        return pn_err(err, PANEM_E_VERSION, "saved state has version %llu; this library reads %d",
                      (unsigned long long)version, STATE_VERSION);
    uint64_t set = pn_get_u64(&in);
    uint64_t options = pn_get_u64(&in);
    uint64_t payload = pn_get_u64(&in);
    if (payload != size - HEADER_BYTES - CHECK_BYTES)
        return pn_err(err, PANEM_E_DAMAGED, "saved state is cut short or too long");
    pn_bytes_in check = {buffer, size, size - CHECK_BYTES, false};
    if (pn_get_u64(&check) != pn_hash_bytes(PN_HASH_START, buffer, size - CHECK_BYTES))
        return pn_err(err, PANEM_E_DAMAGED, "saved state fails its checksum");
    if (set != panem_curves_fingerprint(model->set))
        return pn_err(err, PANEM_E_MISMATCH, "state was saved for another curve set");
    if (options != options_hash(&model->options))
        return pn_err(err, PANEM_E_MISMATCH, "state was saved under other model options");
    if (!model->ops->restore(model, in.data + HEADER_BYTES, (size_t)payload))
        return pn_err(err, PANEM_E_DAMAGED, "saved state is not consistent");
    return PANEM_OK;
}
