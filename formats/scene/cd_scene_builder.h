// cd_scene_builder -- a scene while it is being put together: what the readers of scene files and the generators add
// to.
//
// Order: materials, then shapes (a compound's parts before it), then bodies, each referring to earlier rows only;
// cd_scene_build turns the lists into tables. Shapes are given as written and stored about their centre of mass; bodies
// are given by the place of their shape's own origin and stored by their centre of mass (cd_scene.h has the rule).
// Vectors have `dim` components; a rotation is one angle [rad] in 2-D, a unit quaternion [w,x,y,z] in 3-D; spin and
// inertia are one number in 2-D, 3 and 6 ([xx,yy,zz,xy,xz,yz]) in 3-D. NaN in the first component: not given. Sources
// of the moments: Mirtich, J. Graphics Tools 1(2), 1996 (polygons by the shoelace sums of cd_polygon_measure, polyhedra
// by cd_polyhedron_mass); closed forms for balls, boxes and ellipsoids; parallel axes (Steiner) for compounds.
// SPDX-License-Identifier: MIT
#ifndef CD_SCENE_BUILDER_H
#define CD_SCENE_BUILDER_H

#include "cd_element_mesh.h"
#include "cd_polyhedron_mass.h"
#include "cd_random.h"
#include "cd_scene.h"
#include "cd_shape.h"

typedef struct cd_scene_shape {
    cd_shape_kind kind;
#define X(size, width) double size[width];  // [m] of the kinds that have it
#include "shape_sizes.def"
#undef X
    int32_t vertex_count;
    double *vertex;  // [m] dim each
    int32_t face_count, surface_count;
    const int32_t *face_first, *face_vertex;  // face f has face_vertex[face_first[f] .. face_first[f+1]-1]
    const int32_t *surface;
    int32_t triangle_count;
    const int32_t *triangle;   // 3 each
    const cd_mass3 *enclosed;  // of a surface that stands for the solid in it; NULL: for itself
    int32_t part_count;
    const int32_t *part_shape;    // rows
    double *part_position;        // [m] dim each
    const double *part_rotation;  // 1 or 4 each
    int32_t adjacent_count;
    const int32_t *adjacent;   // 2 each
    bool is_hull;              // of points, convex by itself; polygon: vertices that rounding makes flat may be dropped
    bool has_centre;           // `centre` was given by the user, not computed
    double centre[3];          // [m] the centre of mass in the coordinates as written: origin of the stored shape
    double measure;            // [m^2], in 3-D [m^3]; NaN: none (half-space), or not known in closed form
    double inertia[6];         // about `centre` at density 1; [0] NaN: not known
    double diameter, feature;  // [m] largest extent and smallest edge of a leaf; NaN for half-spaces, compounds
    int64_t leaf_count;
    int32_t depth;                 // of nested compounds; a leaf has 0
    const cd_yaml_node *mass_for;  // a body whose mass or inertia was worked out from this shape; NULL: none
} cd_scene_shape;

// What acts on a body over time (load), or where it is to be (drive).
typedef struct cd_scene_samples {
    int32_t count;    // 0: none
    double *time;     // [s] ascending
    double *linear;   // [N] or [m], dim each; NULL: none
    double *angular;  // [N m], 1 or 3 each, or a rotation, 1 or 4 each; NULL: none
} cd_scene_samples;

// What a body of elements is made of, in the mesh's own coordinates.
typedef struct cd_scene_mesh {
    cd_element_mesh mesh;
    bool *is_fixed;  // by node; NULL: none
    bool is_elastic, has_pinballs;
    int32_t split;
} cd_scene_mesh;

typedef struct cd_scene_body {
    const cd_yaml_node *where;   // for messages
    int64_t id;                  // CD_ABSENT_I64: the next free one
    int32_t shape, material;     // rows; -1: none
    const cd_scene_mesh *mesh;   // NULL: it has a shape. Else shape is -1, and mass and inertia are those of its nodes
    int32_t motion;              // CD_MOTION_*
    double position[3];          // [m] of the shape's own origin; stored: of the centre of mass
    double rotation[4];          // about the shape's own origin
    double velocity[3];          // [m/s] of the centre of mass
    double spin[3];              // [rad/s]
    double mass, density;        // [kg], [kg/m^2] or [kg/m^3]
    double inertia[6];           // [kg m^2] about the centre of mass
    const char *group;           // NULL: none
    double mu, release;          // [-], [s]
    double force[3], torque[3];  // [N], [N m] world; NaN: none
    cd_scene_samples load;
    cd_scene_samples drive;  // positions are of the shape's own origin
} cd_scene_body;

// A body of the language before it is resolved: keys given, nodes unread. Kept for `defaults`.
typedef struct cd_scene_body_keys {
    int64_t id;
    const cd_yaml_node *shape, *position, *rotation, *rotation_deg, *velocity, *spin, *inertia;
    const cd_yaml_node *force, *torque, *load, *drive;
    const cd_yaml_node *mesh, *pinballs, *fixed;
    int32_t stiffness;                  // -1: not given
    double mass, density, mu, release;  // [kg], [kg/m^3, in the plane kg/m^2], [-], [s] NaN: not given
    int32_t motion;                     // -1: not given
    const char *material, *group;
} cd_scene_body_keys;

typedef struct cd_scene {
    cd_arena *arena;
    int dim;
    double step, epsilon;  // [s] NaN: not given; [m] NaN: not given, and not yet worked out
    int64_t seed, max_rows;
    const cd_yaml_node *shape_map, *material_map;
    int32_t *named_shape;  // row of each pair of shape_map; -1 while it is not read
    const double *material_density, *material_bulk, *material_shear;  // by row, NaN: none
    cd_symmetry symmetry;
    int64_t node_count, element_count;  // of all bodies
    cd_scene_body_keys defaults;
    int32_t default_shape;  // row, -1 none
    CD_LIST(cd_scene_shape) shapes;
    CD_LIST(cd_scene_body) bodies;
    cd_region body_store;           // of `bodies`
    bool is_of_one;                 // one generator makes all bodies, and they stay where it puts them
    cd_scene_feed *feed;            // of the settings; a generator that fills it is alone in its scene
    const cd_yaml_node *feed_node;  // that generator; NULL: there is none
    const char *feed_name;
    const cd_generator *const *generators;  // of the settings
    int32_t generator_count;                // of those that ran
    int64_t sample_count;                   // of loads and drives of all bodies
    cd_scene_warnings *warnings;
} cd_scene;

// ---- shapes (scene_shapes.c, scene_polyhedra.c, scene_mass.c) ------------------------------------------------------

// A shape by name, or written out in place.
cd_status cd_scene_read_shape(cd_scene *scene, const cd_yaml_node *node, int32_t *row, cd_diag *diag) CD_MUST_CHECK;
// Checks, measures, moves to the centre of mass and stores a shape. Vertices and part positions are changed in place.
cd_status cd_scene_add_shape(cd_scene *scene, cd_scene_shape *shape, const cd_yaml_node *where, int32_t *row,
                             cd_diag *diag) CD_MUST_CHECK;
// 2-D: the convex hull of the points as a polygon; false when they lie on a line.
bool cd_scene_hull(cd_scene *scene, const double *point, int32_t count, cd_scene_shape *shape);
// 3-D: the convex hull of the points as a polyhedron; the dimension of the points, and nothing else, when it is less
// than 3 or when coordinates are too large or small to decide it.
enum { CD_SCENE_OUT_OF_RANGE = -2 };
int32_t cd_scene_hull3(cd_scene *scene, const double *point, int32_t count, cd_scene_shape *shape);
// The sentence for points of so few dimensions.
cd_status cd_scene_fail_hull(const cd_yaml_node *where, const char *label, int32_t dimension, cd_diag *diag);
// A shape that is no compound as its kind takes it, borrowed.
cd_shape_geometry cd_scene_geometry(const cd_scene_shape *shape);
// Is it closed and convex, as far as cd_polyhedron_tolerance? Hulls need not be asked. "file:line: label: faces: ..."
cd_status cd_scene_check_polyhedron(cd_scene *scene, const cd_scene_shape *shape, const cd_yaml_node *where,
                                    const char *label, cd_diag *diag) CD_MUST_CHECK;
// Where a file that the scene names is: relative paths begin at the scene's folder.
const char *cd_scene_path(const cd_scene *scene, const cd_yaml_node *node, const char *file);
// The polyhedron of a mesh file: its name, or a map with file, scale, as.
cd_status cd_scene_read_mesh(cd_scene *scene, const cd_yaml_node *node, cd_scene_shape *shape,
                             cd_diag *diag) CD_MUST_CHECK;
// Fills centre (unless given), measure, inertia, diameter and feature of a shape whose geometry is legal.
void cd_scene_measure(const cd_scene *scene, cd_scene_shape *shape);
// Warns of compounds whose overlapping parts entered a mass (scene_overlap.c; polygons, polyhedra and boxes).
void cd_scene_warn_overlaps(cd_scene *scene);
// A rotation as the language writes it (number, quaternion, axis and angle); the other, in degrees, for 2-D.
cd_status cd_scene_read_rotation(const cd_scene *scene, const cd_yaml_node *rotation, const cd_yaml_node *degrees,
                                 double *value, cd_diag *diag) CD_MUST_CHECK;

// ---- interactions (scene_interactions.c) ---------------------------------------------------------------------------

// Fills the table `interaction` from the scene's list, NULL: none; its materials are there. CD_ERR_FORMAT
cd_status cd_scene_read_interactions(cd_scene *scene, const cd_yaml_node *list, cd_model *model,
                                     cd_diag *diag) CD_MUST_CHECK;

// ---- bodies (scene_bodies.c) ---------------------------------------------------------------------------------------

// Keys that bodies have where theirs do not say otherwise; kept in the scene. CD_ERR_FORMAT
cd_status cd_scene_read_defaults(cd_scene *scene, const cd_yaml_node *map, cd_diag *diag) CD_MUST_CHECK;
// A map of body keys over the defaults. A body without a shape of its own or by default: shape -1.
cd_status cd_scene_read_body(cd_scene *scene, const cd_yaml_node *map, cd_scene_body *body,
                             cd_diag *diag) CD_MUST_CHECK;
// A body that has the defaults alone, for generators; `where` is their own node.
cd_status cd_scene_default_body(cd_scene *scene, const cd_yaml_node *where, cd_scene_body *body,
                                cd_diag *diag) CD_MUST_CHECK;
cd_status cd_scene_find_material(const cd_scene *scene, const cd_yaml_node *where, const char *name, int32_t *row,
                                 cd_diag *diag) CD_MUST_CHECK;
// A spin or a torque: one number in 2-D, three in 3-D.
cd_status cd_scene_read_axial(const cd_scene *scene, const cd_yaml_node *node, const char *label, double *value,
                              cd_diag *diag) CD_MUST_CHECK;
// Works out mass and inertia, moves the position to the centre of mass, and stores the body.
cd_status cd_scene_add_body(cd_scene *scene, const cd_scene_body *body, cd_diag *diag) CD_MUST_CHECK;
// The same of a body that is complete: a place at the end of the list.
void cd_scene_push_body(cd_scene *scene, const cd_scene_body *body);
// May so many bodies like this one be made while they are written? Then the scene gets `feed`, and this body alone.
// Few are kept in memory, where cd-scene looks for such as are placed in one another.
bool cd_scene_may_feed(const cd_scene *scene, const cd_scene_body *like, int64_t count);
// Gives ids to the bodies without one (1, 2, ... leaving out those in use) and refuses duplicates.
cd_status cd_scene_number_bodies(cd_scene *scene, cd_diag *diag) CD_MUST_CHECK;

// ---- elements (scene_elements.c, scene_element_tables.c) -----------------------------------------------------------

enum { CD_STIFFNESS_ELASTIC, CD_STIFFNESS_NONE };  // of cd_scene_body_keys
// The mesh of a body whose other keys are read. CD_ERR_FORMAT
cd_status cd_scene_read_elements(cd_scene *scene, const cd_scene_body_keys *keys, cd_scene_body *body,
                                 cd_diag *diag) CD_MUST_CHECK;
// As cd_scene_add_body, of a body that has a mesh.
cd_status cd_scene_add_mesh_body(cd_scene *scene, cd_scene_body *body, cd_diag *diag) CD_MUST_CHECK;
double cd_scene_element_diameter(const cd_scene_mesh *mesh, int32_t element);  // [m] of its pinball
// The tables element and node of all bodies that have ids. CD_ERR_FORMAT, CD_ERR_LIMIT
cd_status cd_scene_write_elements(const cd_scene *scene, cd_model *model, cd_diag *diag) CD_MUST_CHECK;

// ---- forces and drives (scene_loads.c) -----------------------------------------------------------------------------

// force, torque, load and drive of a body that has its position and rotation; a driven body that is given none starts
// where its table says for time 0. CD_ERR_FORMAT
cd_status cd_scene_read_forces(cd_scene *scene, const cd_scene_body_keys *keys, cd_scene_body *body,
                               cd_diag *diag) CD_MUST_CHECK;
// Samples of its own for a body that came from a template; a drive without positions (rotations) gets the body's.
// CD_ERR_LIMIT when the scene has more than max_rows of them.
cd_status cd_scene_own_samples(cd_scene *scene, cd_scene_body *body, cd_diag *diag) CD_MUST_CHECK;
// The tables load and drive of all bodies. CD_ERR_LIMIT
cd_status cd_scene_write_schedules(const cd_scene *scene, cd_model *model, cd_diag *diag) CD_MUST_CHECK;

// ---- groups (scene_groups.c) ---------------------------------------------------------------------------------------

// What a scene, and a group in it, holds; NULL: nothing of it.
typedef struct cd_scene_group_keys {
    const cd_yaml_node *place, *bodies, *generate, *groups;
} cd_scene_group_keys;
// Adds all its bodies, in this order, placed and turned as a whole. CD_ERR_FORMAT
cd_status cd_scene_read_group(cd_scene *scene, const cd_scene_group_keys *keys, cd_diag *diag) CD_MUST_CHECK;

// ---- generators ----------------------------------------------------------------------------------------------------

// A method that makes bodies by rule. `keys` describe its parameters, with offsets in a struct of `params_size` bytes
// that begins as a copy of *defaults; `make` gets it filled in. Everything random comes from `random`: same seed, same
// scene.
struct cd_generator {
    const char *name, *summary;
    int dim;  // that its scenes must have; 0: 2 or 3
    const cd_yaml_key *keys;
    const void *defaults;
    size_t params_size;
    cd_status (*make)(cd_scene *scene, const cd_yaml_node *node, const void *params, cd_random random, cd_diag *diag);
};

// ---- poses in 2-D and 3-D ------------------------------------------------------------------------------------------

void cd_scene_turn(int dim, const double *rotation, const double *v, double *out);  // out = R v; exact for no rotation

#endif
