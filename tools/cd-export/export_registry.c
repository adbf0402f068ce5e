// SPDX-License-Identifier: MIT
#include "export_format.h"

#define X(name) extern const cd_export_format cd_export_##name;
#include "export_formats.def"
#undef X

const cd_export_format *const cd_export_formats[] = {
#define X(name) &cd_export_##name,
#include "export_formats.def"
#undef X
    NULL};

const char *const cd_export_names[] = {
#define X(name) #name,
#include "export_formats.def"
#undef X
    NULL};
