/* Replaces import.c and export.c in builds without the OTF2 library. */
#include "foreign/export.h"
#include "foreign/import.h"

static enum core_status without_otf2(void)
{
    return core_report(CORE_UNSUPPORTED, "this crosswait was built without the OTF2 library: "
                                         "install it (Debian: libotf2-trace-dev) and build again");
}

enum core_status import_otf2(const char *path, const char *folder,
                             struct import_summary *out_summary)
{
    (void)path, (void)folder, (void)out_summary;
    return without_otf2();
}

enum core_status export_otf2(struct trace *trace, const char *folder)
{
    (void)trace, (void)folder;
    return without_otf2();
}
