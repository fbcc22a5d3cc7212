/* A library of which it is not known how it raises errors. */
#include "interpose/layer/layer.h"

void layer_errors_start(const char *version)
{
    (void)version;
}

void layer_errors_stop(void)
{
}
