// export_zip -- a ZIP archive written from front to back (PKWARE APPNOTE 6.3.4, sections 4.3 and 4.4): entries stored
// or deflated, no ZIP64, no time (1980-01-01), so that the same entries give the same bytes.
// SPDX-License-Identifier: MIT
#ifndef EXPORT_ZIP_H
#define EXPORT_ZIP_H

#include "export_target.h"

typedef struct cd_export_zip {
    cd_export_sink *sink;
    int level;          // of zlib, 0: stored
    cd_buffer central;  // the directory that comes last
    uint64_t place;     // [bytes] written so far
    int32_t count;
} cd_export_zip;

typedef struct cd_export_piece {
    const void *bytes;
    size_t size;
} cd_export_piece;
// One entry: `count` pieces of memory behind one another. An entry that does not get smaller is stored. CD_ERR_LIMIT
// beyond 4 GiB or 65534 entries.
cd_status cd_export_zip_add(cd_export_zip *zip, const char *name, const cd_export_piece *piece, int count,
                            cd_diag *diag) CD_MUST_CHECK;
cd_status cd_export_zip_finish(cd_export_zip *zip, cd_diag *diag) CD_MUST_CHECK;
void cd_export_zip_release(cd_export_zip *zip);

#endif
