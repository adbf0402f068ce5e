// engine-mujoco-step -- a whole step by MuJoCo, in double precision.
//
// Its conventions, and what becomes of them:
//   contacts of the start of the step, of bodies that overlap: gap, its point half way, its normal from the first to the
//            second. They are soft by its design, with the softness that it has by itself (solref 0.02 s, 1)
//   law      friction of each pair is ours, its elliptic cone; put into its contacts between its search for them and its
//            making of constraints, since it would take the larger one of both bodies. It has no restitution: refused
//   spin     of its free joints is in the body's frame: turned there and back
//   bodies   are free or stand: prescribed ones and facets are refused. Half-spaces are its planes
// SPDX-License-Identifier: MIT
#include "engine_step.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mujoco/mujoco.h>
#include <string>

static_assert(sizeof(mjtNum) == sizeof(double), "MuJoCo in double precision");

using namespace engine;

namespace
{

struct Settings {
    int64_t iterations = 100;
};

void add(std::string &text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void add(std::string &text, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text += line;
}

class MujocoWorld : public World
{
  public:
    explicit MujocoWorld(const Settings &asked) : settings(asked) {}
    ~MujocoWorld() override
    {
        mj_deleteData(data);
        mj_deleteModel(model);
    }
    int make(cds_frame *f, const std::vector<Body> &given) override
    {
        std::string meshes, bodies;
        for (const Body &body : given) {
            if (body.is_prescribed)
                return refused(f, body.row, "prescribed motion");
            is_free.push_back(body.is_dynamic);
            int status = describe(f, body, meshes, bodies);
            if (status != CDS_OK)
                return status;
        }
        std::string text = "<mujoco><compiler inertiafromgeom=\"false\" boundmass=\"0\"/>";
        add(text, "<option cone=\"elliptic\" jacobian=\"sparse\" iterations=\"%lld\"/>",
            static_cast<long long>(settings.iterations));
        size_t contacts = 500 + 12 * given.size();
        add(text, "<size nconmax=\"%zu\" njmax=\"%zu\"/>", contacts, 3 * contacts);
        text += "<asset>" + meshes + "</asset><worldbody>" + bodies + "</worldbody></mujoco>";
        return load(f, text);
    }
    void set(size_t k, const State &state, const Push &push) override
    {
        size_t id = k + 1;
        const double *p = state.pose.position, *q = state.pose.rotation;
        if (!is_free[k]) {
            std::copy_n(p, 3, model->body_pos + 3 * id);
            std::copy_n(q, 4, model->body_quat + 4 * id);
            return;
        }
        double *place = data->qpos + model->jnt_qposadr[model->body_jntadr[id]];
        double *speed = data->qvel + model->body_dofadr[id], back[4];
        std::copy_n(p, 3, place);
        std::copy_n(q, 4, place + 3);
        std::copy_n(state.velocity, 3, speed);
        mju_negQuat(back, q);
        mju_rotVecQuat(speed + 3, state.spin, back);
        std::copy_n(push.force, 3, data->xfrc_applied + 6 * id);
        std::copy_n(push.torque, 3, data->xfrc_applied + 6 * id + 3);
    }
    int step(cds_frame *f, const cds_run &run, const Laws &laws, std::vector<Pressed> &found) override
    {
        std::copy_n(run.gravity, 3, model->opt.gravity);
        model->opt.timestep = run.step;
        data->time = run.time;
        // what mj_forward does, with our laws in between
        mj_kinematics(model, data);
        mj_comPos(model, data);
        mj_camlight(model, data);
        mj_tendon(model, data);
        mj_crb(model, data);
        mj_factorM(model, data);
        mj_collision(model, data);
        for (int k = 0; k < data->ncon; k++) {
            int status = set_law(f, laws, data->contact[k]);
            if (status != CDS_OK)
                return status;
        }
        mj_makeConstraint(model, data);
        mj_transmission(model, data);
        mj_projectConstraint(model, data);
        mj_fwdVelocity(model, data);
        mj_fwdActuation(model, data);
        mj_fwdAcceleration(model, data);
        mj_fwdConstraint(model, data);
        for (int k = 0; k < data->ncon; k++)
            tell(k, found);
        mj_Euler(model, data);
        for (int warning : {mjWARN_CONTACTFULL, mjWARN_CNSTRFULL, mjWARN_BADQACC})
            if (data->warning[warning].number)
                return cds_fail(f, CDS_NUMERIC, nullptr, 0, nullptr, "%s",
                                mju_warningText(warning, static_cast<size_t>(data->warning[warning].lastinfo)));
        return CDS_OK;
    }
    State get(size_t k) const override
    {
        size_t id = k + 1;
        const double *place = data->qpos + model->jnt_qposadr[model->body_jntadr[id]],
                     *speed = data->qvel + model->body_dofadr[id];
        State state = {};
        std::copy_n(place, 3, state.pose.position);
        std::copy_n(place + 3, 4, state.pose.rotation);
        std::copy_n(speed, 3, state.velocity);
        mju_normalize4(state.pose.rotation);
        mju_rotVecQuat(state.spin, speed + 3, state.pose.rotation);
        return state;
    }

  private:
    Settings settings;
    mjModel *model = nullptr;
    mjData *data = nullptr;
    std::vector<bool> is_free;
    std::vector<std::pair<size_t, int32_t>> owner;  // body and part of each geom

    int load(cds_frame *f, const std::string &text)
    {
        auto files = std::make_unique<mjVFS>();
        char error[300] = "";
        mj_defaultVFS(files.get());
        mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(text.size()));
        memcpy(files->filedata[0], text.data(), text.size());
        model = mj_loadXML("scene.xml", files.get(), error, sizeof error);
        mj_deleteVFS(files.get());
        if (!model)
            return cds_fail(f, CDS_UNSUPPORTED, nullptr, 0, nullptr, "MuJoCo: %s", error);
        data = mj_makeData(model);
        return data ? CDS_OK : cds_fail(f, CDS_IO, nullptr, 0, nullptr, "MuJoCo: no memory");
    }
    int describe(cds_frame *f, const Body &body, std::string &meshes, std::string &bodies)
    {
        bodies += "<body>";
        if (body.is_dynamic) {
            const double *j = body.inertia;
            add(bodies, "<freejoint/><inertial pos=\"0 0 0\" mass=\"%.17g\"", body.mass);
            add(bodies, " fullinertia=\"%.17g %.17g %.17g %.17g %.17g %.17g\"/>", j[0], j[1], j[2], j[3], j[4], j[5]);
        }
        for (size_t k = 0; k < body.parts.size(); k++) {
            const cds_part &part = body.parts[k].part;
            if (!add_geom(part, meshes, bodies))
                return refused(f, body.row, Shapes<int>::kind_name(part.kind));
            owner.emplace_back(is_free.size() - 1, static_cast<int32_t>(k));
        }
        bodies += "</body>";
        return CDS_OK;
    }
    // false: it does not have the kind.
    bool add_geom(const cds_part &part, std::string &meshes, std::string &bodies) const
    {
        const double *c = part.centre, *q = part.rotation, *n = part.normal;
        if (part.kind == CDS_HALFSPACE) {
            add(bodies, "<geom type=\"plane\" size=\"0 0 1\" pos=\"%.17g %.17g %.17g\"", part.offset * n[0],
                part.offset * n[1], part.offset * n[2]);
            add(bodies, " zaxis=\"%.17g %.17g %.17g\"/>", n[0], n[1], n[2]);
        } else if (part.kind == CDS_SPHERE) {
            add(bodies, "<geom type=\"sphere\" size=\"%.17g\" pos=\"%.17g %.17g %.17g\"/>", part.radius, c[0], c[1],
                c[2]);
        } else if (is_box(part) || part.kind == CDS_ELLIPSOID) {
            const double *size = is_box(part) ? part.halfsizes : part.semiaxes;
            add(bodies, "<geom type=\"%s\" size=\"%.17g %.17g %.17g\"", is_box(part) ? "box" : "ellipsoid", size[0],
                size[1], size[2]);
            add(bodies, " pos=\"%.17g %.17g %.17g\"", c[0], c[1], c[2]);
            add(bodies, " quat=\"%.17g %.17g %.17g %.17g\"/>", q[0], q[1], q[2], q[3]);
        } else if (part.kind == CDS_POLYHEDRON) {
            add(meshes, "<mesh name=\"m%zu\" vertex=\"", owner.size());
            for (int32_t k = 0; k < 3 * part.vertex_count; k++)
                add(meshes, "%.17g ", part.vertex[k]);
            meshes += "\"/>";
            add(bodies, "<geom type=\"mesh\" mesh=\"m%zu\"/>", owner.size());
        } else {
            return false;
        }
        return true;
    }
    int set_law(cds_frame *f, const Laws &laws, mjContact &contact) const
    {
        Law law =
            laws(owner[static_cast<size_t>(contact.geom1)].first, owner[static_cast<size_t>(contact.geom2)].first);
        if (law.restitution > 0)
            return cds_fail(f, CDS_UNSUPPORTED, nullptr, 0, nullptr, "MuJoCo has no restitution");
        contact.dim = law.mu > 0 ? 3 : 1;
        contact.friction[0] = contact.friction[1] = std::max(law.mu, mjMINMU);
        return CDS_OK;
    }
    void tell(int number, std::vector<Pressed> &found) const
    {
        const mjContact &contact = data->contact[number];
        const auto &a = owner[static_cast<size_t>(contact.geom1)], &b = owner[static_cast<size_t>(contact.geom2)];
        double local[6], world[3];
        mj_contactForce(model, data, number, local);
        mju_rotVecMatT(world, local, contact.frame);
        found.push_back({touch_between(vec(contact.pos), vec(contact.frame), contact.dist), a.first, b.first, a.second,
                         b.second, vec(world)});
    }
};

}  // namespace

int main(int argc, char **argv)
{
    Settings settings;
    Stepper stepper;
    stepper.dim = 3;
    stepper.make_world = [&settings]() { return std::make_unique<MujocoWorld>(settings); };
    const cds_option options[] = {
        {CDS_INT, "iterations", &settings.iterations, "N", 1, 1e6, nullptr, "of its solver at most"},
        {},
    };
    return step_main(argc, argv, "engine-mujoco-step", "a whole step by MuJoCo", options, stepper);
}
