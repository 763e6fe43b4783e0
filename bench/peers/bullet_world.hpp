// A soft body of Bullet's with the mesh, masses and start of a scene, and Lilyan's material for it.
#pragma once

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btDeformableNeoHookeanForce.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>

#include <memory>

#include "app/scene/scene.hpp"

namespace peers {

// P = F (2μE + λ tr(E) I),  E = ½(FᵀF − I), scattered as Bullet's own forces do it.
class StvkForce final : public btDeformableNeoHookeanForce {
 public:
  StvkForce(double mu, double lambda) : btDeformableNeoHookeanForce(mu, lambda, 0) {}

  void addScaledElasticForce(btScalar scale, TVStack& force) override {
    each([&](const btSoftBody::Tetra& tet, const btSoftBody::TetraScratch& s) {
      scatter(tet, s.m_F * second_piola(strain(s.m_F)), scale, force);
    });
  }
  void addScaledElasticForceDifferential(btScalar scale, const TVStack& dx, TVStack& df) override {
    each([&](const btSoftBody::Tetra& tet, const btSoftBody::TetraScratch& s) {
      const btMatrix3x3 dF =
          Ds(tet.m_n[0]->index, tet.m_n[1]->index, tet.m_n[2]->index, tet.m_n[3]->index, dx) *
          tet.m_Dm_inverse;
      const btMatrix3x3 half = s.m_F.transpose() * dF;
      const btMatrix3x3 dE = (half + half.transpose()) * btScalar(0.5);
      scatter(tet, dF * second_piola(strain(s.m_F)) + s.m_F * second_piola(dE), scale, df);
    });
  }

 private:
  template <class Function>
  void each(Function function) {
    for (int b = 0; b < m_softBodies.size(); ++b) {
      btSoftBody& body = *m_softBodies[b];
      for (int j = 0; j < body.m_tetras.size(); ++j) {
        function(body.m_tetras[j], body.m_tetraScratches[j]);
      }
    }
  }
  static btMatrix3x3 strain(const btMatrix3x3& F) {
    return (F.transposeTimes(F) - btMatrix3x3::getIdentity()) * btScalar(0.5);
  }
  btMatrix3x3 second_piola(const btMatrix3x3& e) const {
    return e * (2 * m_mu) + btMatrix3x3::getIdentity() * (m_lambda * (e[0][0] + e[1][1] + e[2][2]));
  }
  static void scatter(const btSoftBody::Tetra& tet, const btMatrix3x3& P, btScalar scale,
                      TVStack& to) {
    const btMatrix3x3 g = P * tet.m_Dm_inverse.transpose() * (scale * tet.m_element_measure);
    for (int k = 0; k < 3; ++k) {
      to[tet.m_n[k + 1]->index] -= g.getColumn(k);
      to[tet.m_n[0]->index] += g.getColumn(k);
    }
  }
};

class BodySolver final : public btDeformableBodySolver {
 public:
  BodySolver(int iterations, double tolerance) {
    m_maxNewtonIterations = iterations;
    m_newtonTolerance = tolerance;
    if (iterations > 1) {
      m_cr.m_tolerance = m_cg.m_tolerance = 1e-3 * tolerance;
      m_cr.m_maxIterations = m_cg.m_maxIterations = 1000;
    }
  }
};

inline btVector3 at(const lilyan::Vector& x, int i) {
  return {btScalar(x[3 * i]), btScalar(x[3 * i + 1]), btScalar(x[3 * i + 2])};
}

// A world with one body. Bullet wants its rest shape first.
class BulletWorld {
 public:
  BulletWorld(const lilyan::Scene& scene, const lilyan::Vector& rest,
              btDeformableNeoHookeanForce& force, int iterations)
      : dispatcher_(&configuration_), solver_(iterations, iterations > 1 ? 1e-9 : 1e-4) {
    constraints_.setDeformableSolver(&solver_);
    world_ = std::make_unique<btDeformableMultiBodyDynamicsWorld>(
        &dispatcher_, &broadphase_, &constraints_, &configuration_, &solver_);
    world_->setGravity({0, 0, 0});
    world_->getWorldInfo().m_gravity.setZero();
    world_->setImplicit(true);
    world_->setLineSearch(false);
    // Without it Bullet 3.24's implicit solve has no preconditioner set and moves nothing.
    world_->setUseProjection(true);
    const int n = scene.system->vertices();
    std::vector<btVector3> points;
    std::vector<btScalar> masses;
    for (int i = 0; i < n; ++i) {
      points.push_back(at(rest, i));
      masses.push_back(btScalar(scene.system->vertex_masses()[i]));
    }
    body_ = new btSoftBody(&world_->getWorldInfo(), n, points.data(), masses.data());
    for (auto t : scene.bodies().tets) {
      const btVector3 &a = points[t[0]], &b = points[t[1]], &c = points[t[2]], &d = points[t[3]];
      if ((b - a).cross(c - a).dot(d - a) < 0) std::swap(t[2], t[3]);
      body_->appendTetra(t[0], t[1], t[2], t[3]);
    }
    body_->m_tetraScratches.resize(body_->m_tetras.size());
    body_->m_tetraScratchesTn.resize(body_->m_tetras.size());
    body_->initializeDmInverse();
    for (int i = 0; i < n; ++i) {
      btSoftBody::Node& node = body_->m_nodes[i];
      node.m_x = node.m_q = at(scene.initial.x, i);
      node.m_v = node.m_vn = at(scene.initial.v, i);
    }
    body_->m_cfg.collisions = 0;
    body_->m_cfg.kDP = body_->m_cfg.drag = 0;
    body_->setDampingCoefficient(0);
    body_->m_sleepingThreshold = 0;
    body_->setActivationState(DISABLE_DEACTIVATION);
    world_->addSoftBody(body_);
    world_->addForce(body_, &force);
  }
  ~BulletWorld() {
    world_->removeSoftBody(body_);
    delete body_;
  }
  BulletWorld(const BulletWorld&) = delete;
  BulletWorld& operator=(const BulletWorld&) = delete;

  void step(double h) { world_->stepSimulation(btScalar(h), 1, btScalar(h)); }
  void read(lilyan::State& state) const {
    for (int i = 0; i < body_->m_nodes.size(); ++i) {
      for (int c = 0; c < 3; ++c) {
        state.x[3 * i + c] = body_->m_nodes[i].m_x[c];
        state.v[3 * i + c] = body_->m_nodes[i].m_v[c];
      }
    }
  }

 private:
  btSoftBodyRigidBodyCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btDeformableMultiBodyConstraintSolver constraints_;
  BodySolver solver_;
  std::unique_ptr<btDeformableMultiBodyDynamicsWorld> world_;
  btSoftBody* body_ = nullptr;
};

}  // namespace peers
