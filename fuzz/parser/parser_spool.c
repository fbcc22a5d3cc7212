/* Fuzzes the spool reader: a lane's ring and spool file of any content must yield records and a
 * reason for the end, and never crash. The input is four bytes with the length of the ring file
 * (which is then padded to its usual size), the ring file, the spool file. */
#include <string.h>

#include "core/check.h"
#include "core/spool/spool_read.h"
#include "fuzz/parser/parser.h"

enum { RING_BYTES = 4096 + (256 << 10), RECORDS_MAX = 1 << 22 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct spool_reader reader;
    uint32_t ring;
    if (size < 4)
        return 0;
    memcpy(&ring, data, 4);
    data += 4;
    size -= 4;
    if (ring > size)
        ring = (uint32_t)size;
    parser_quiet();
    parser_write("0.0.ring", data, ring, RING_BYTES);
    parser_write("0.0.spool", data + ring, size - ring, 0);
    if (spool_reader_open(&reader, parser_folder(), 0, 0) != CORE_OK) {
        CORE_CHECK(reader.why[0]);
        return 0;
    }
    uint64_t records = 0;
    while (spool_reader_next(&reader))
        CORE_CHECK(++records < RECORDS_MAX);
    CORE_CHECK(records == reader.records && (!reader.torn || reader.why[0]));
    spool_reader_close(&reader);
    return 0;
}
