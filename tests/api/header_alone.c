/* The public header by itself, twice, in any of its languages; compiled, never run. */
#include <panem.h>

const char *panem_header_alone(void);

const char *panem_header_alone(void)
{
    panem_curves_options curves = PANEM_CURVES_OPTIONS_INIT;
    panem_model_options ours = PANEM_MODEL_OPTIONS_INIT;
    panem_model_options papers = PANEM_MODEL_OPTIONS_PAPER;
    panem_error err = PANEM_ERROR_INIT;
    if (curves.size != sizeof curves || ours.size != sizeof ours || papers.size != ours.size)
        return err.message[0] ? "message" : "size";
    return panem_status_text(PANEM_OK);
}
