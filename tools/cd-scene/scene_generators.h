// scene_generators -- the table of generators (generators.def) and what they share.
// Contract, binding on each: the same seed and parameters give the same bodies; nothing random depends on the step; all
// bodies pass through cd_scene_add_body; bad parameters end in one sentence with a line.
// SPDX-License-Identifier: MIT
#ifndef SCENE_GENERATORS_H
#define SCENE_GENERATORS_H

#include "cd_scene_builder.h"

#define X(name) extern const cd_generator cd_generator_##name;
#include "generators.def"
#undef X

extern const cd_generator *const cd_generators[];  // NULL-ended
void cd_generators_help(cd_buffer *out);

// Keys of a generator, members of its struct `params`: with a default, and without one.
#define CD_PARAM(member, kind, least, most, text) CD_YAML_KEY(params, member, kind, least, most, text)
#define CD_PARAM_NEEDED(member, kind, least, most, text) CD_YAML_KEY_NEEDED(params, member, kind, least, most, text)

// A polygon of its own for a body: the convex hull of `points` points uniform in the square of edge `scale` [m], with
// its centre of mass as its own origin. Draws 2 numbers a point (again in the event, of probability zero, that they lie
// on a line).
cd_status cd_random_polygon(cd_scene *scene, const cd_yaml_node *where, cd_random *random, int64_t points, double scale,
                            int32_t *shape, cd_diag *diag) CD_MUST_CHECK;
// Whole steps of the scene between two releases: those nearest to `period` [s], 1 at least; 0 for the period 0.
// CD_ERR_FORMAT when the scene has no step.
cd_status cd_generator_release_steps(const cd_scene *scene, const cd_yaml_node *node, double period, double *steps,
                                     cd_diag *diag) CD_MUST_CHECK;
// The generator's own seed when it has one, else the stream it was given.
cd_random cd_generator_seed(int64_t seed, cd_random given);
enum { CD_POLYGON_POINTS_MAX = 100000 };  // a hull of more is not what anybody wants

#endif
