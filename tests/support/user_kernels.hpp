#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>

#include "acuity/model/kernel.hpp"

namespace acuity::testing {

/// A kernel as a user might write one: lines through any height, k(a, b) = 1 + a'b. Its prior variance
/// differs from point to point, and its rank is that of the inputs plus one.
class LinearKernel : public Kernel {
 public:
  Matrix cross(const PointsRef& a, const PointsRef& b) const override {
    return ((a * b.transpose()).array() + 1.0).matrix();
  }
  Vector diagonal(const PointsRef& x) const override { return x.rowwise().squaredNorm().array() + 1.0; }
  Vector log_parameters() const override { return Vector(0); }
  std::shared_ptr<const Kernel> with_log_parameters(const Vector&) const override {
    return std::make_shared<LinearKernel>();
  }
  Vector weighted_gradient(const PointsRef&, const Matrix&) const override { return Vector(0); }
};

/// Another kernel that the library knows nothing about, and whose calls fail on demand.
class FailingKernel : public Kernel {
 public:
  explicit FailingKernel(std::shared_ptr<const Kernel> inner = std::make_shared<StationaryKernel>())
      : inner_(std::move(inner)) {}

  /// The call after `calls` more throws, and all that follow it. Negative: none does.
  void fail_after(int calls) const { left_ = calls; }

  Matrix cross(const PointsRef& a, const PointsRef& b) const override {
    count();
    return inner_->cross(Points(a), Points(b));
  }
  Vector diagonal(const PointsRef& x) const override {
    count();
    return inner_->diagonal(x);
  }
  Vector log_parameters() const override { return inner_->log_parameters(); }
  std::shared_ptr<const Kernel> with_log_parameters(const Vector& p) const override {
    return inner_->with_log_parameters(p);
  }
  Vector weighted_gradient(const PointsRef& x, const Matrix& w) const override {
    return inner_->weighted_gradient(x, w);
  }

 private:
  void count() const {
    if (left_ < 0) return;
    if (left_ == 0) throw std::runtime_error("the kernel failed");
    --left_;
  }

  std::shared_ptr<const Kernel> inner_;
  mutable std::atomic<int> left_ = -1;
};

}  // namespace acuity::testing
