// cd_run_model -- the contact model of a run, as its stream names it.
// SPDX-License-Identifier: MIT
#ifndef CD_RUN_MODEL_H
#define CD_RUN_MODEL_H

#include "cd_contact_model.h"
#include "cd_records.h"
#include "cd_status.h"

// The frame's wish, else `option` unless it is "auto", else head.model, else CD_CONTACT_MODEL_DEFAULT.
// CD_ERR_UNSUPPORTED for a word that cd_contact_models does not have.
cd_status cd_run_model(const cd_model *in, const char *option, const cd_contact_model **model,
                       cd_diag *diag) CD_MUST_CHECK;

#endif
