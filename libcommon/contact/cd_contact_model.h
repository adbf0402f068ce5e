// cd_contact_model -- the words for a run's contact model, and the contacts that each asks for. The tools agree by this
// table: scenes and cd-loop name a model, cd-narrow finds what it needs, cd-peg-assemble makes it.
// SPDX-License-Identifier: MIT
#ifndef CD_CONTACT_MODEL_H
#define CD_CONTACT_MODEL_H

#include "cd_contact_words.h"

#include <stdbool.h>

// What pairs of polytopes give to a model. Contacts by closed form, distance, depth or volume serve every model.
typedef enum cd_contact_want {
    CD_CONTACT_WANT_FEATURES,
    CD_CONTACT_WANT_SEPARATORS,
    CD_CONTACT_WANT_DEPTHS  // of what overlaps; balls as pinballs
} cd_contact_want;

typedef struct cd_contact_model {
    const char *name;
    cd_contact_want wants;
} cd_contact_model;

#define CD_CONTACT_MODEL_DEFAULT "separating"  // of a run that names none

extern const cd_contact_model cd_contact_models[];                // ended by name NULL
extern const char *const cd_contact_model_names[];                // the same order, NULL-ended
const cd_contact_model *cd_contact_model_find(const char *name);  // NULL: there is none of this name

// Whether contacts of this kind are of no use to a model that wants these.
bool cd_contact_is_unwanted(cd_contact_kind kind, cd_contact_want wants);

#endif
