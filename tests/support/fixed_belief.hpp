#pragma once

#include <stdexcept>

#include "acuity/model/pool_belief.hpp"

namespace acuity::testing {

/// A belief with given marginals, as a user might write one by the public interface alone. It never changes.
class FixedBelief : public PoolBelief {
 public:
  explicit FixedBelief(Marginals marginals) : marginals_(std::move(marginals)) {}

  const Marginals& marginals() const override { return marginals_; }
  AnnotationHandle condition(const Place&, const Channel&, std::optional<double>) override { refuse(); }
  void answer(AnnotationHandle, double) override { refuse(); }
  void cancel(AnnotationHandle) override { refuse(); }
  Index size() const override { return 0; }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("FixedBelief: cannot change"); }

  Marginals marginals_;
};

}  // namespace acuity::testing
