#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "acuity/acquisition/optimal_precision.hpp"
#include "acuity/base/public.hpp"
#include "acuity/data/level.hpp"
#include "acuity/data/precision.hpp"
#include "acuity/model/marginals.hpp"

namespace acuity ACUITY_PUBLIC {

/// A range of precisions on offer, priced by a cost function.
struct ContinuousPrecision {
  Precision vaguest = Precision::of(1.0), sharpest;
  PrecisionLaw law;
  std::shared_ptr<const CostFunction> cost;
  /// If present, the best precision is that of the most information less cost times this price, instead of
  /// the most information per cost (docs/math.md eq. (17.2)).
  std::optional<double> shadow_price = std::nullopt;
};

/// The information an annotation gives, regardless of its cost (docs/math.md 4), computed from the marginals
/// of the whole pool. Derive from it to add an information measure: overriding unit() and worth() is enough,
/// and selections then call worth() for every open point and level. The library's own classes are final,
/// because selections rely on properties of them that worth() does not show. All functions must be safe to
/// call from several threads.
class Information {
 public:
  virtual ~Information() = default;

  /// "nats" or "bits".
  virtual std::string_view unit() const = 0;

  /// out[(i - begin) * levels.size() + k]: the information from annotating pool point i, begin <= i < end, at
  /// level levels[k].
  virtual void worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
                     std::span<const Index> levels, double* out) const = 0;

  /// The best precision at a point if any in a range may be bought, not only those of a ladder; nothing if
  /// none can be paid for with `remaining`. The default throws std::invalid_argument: not every information
  /// measure supports it.
  virtual std::optional<BestPrecision> best_precision_at(const Marginals& belief, const Offer& offer,
                                                         Index point, const ContinuousPrecision& range,
                                                         double remaining) const;

  /// Orders points whose information is infinite, larger first. By default they are all tied.
  virtual double order_when_infinite(const Marginals& belief, const Offer& offer, Index point) const;
};

/// MI(answer; f) in regression. At a level with bias that of the answer with f at its point (docs/math.md eq.
/// (12.9)).
class ModelInformation final : public Information {
 public:
  std::string_view unit() const override { return "nats"; }
  void worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
             std::span<const Index> levels, double* out) const override;
  std::optional<BestPrecision> best_precision_at(const Marginals& belief, const Offer& offer, Index point,
                                                 const ContinuousPrecision& range,
                                                 double remaining) const override;
};

/// How the noisy answer and Y are related: in graph b the answer is a noisy copy of Y; in graph c both depend
/// on f independently.
enum class TargetGraph { b, c };

/// What to do if MI(answer; Y) of graph b is infinite, at every point, because a level adds no noise.
enum class InfinitePolicy {
  refuse,  ///< throw an error that says why
  limit,   ///< the order of the values as the added noise goes to 0: by latent plus base variance
  first    ///< all are tied, so the lowest pool row wins
};

struct TargetInformationOptions {
  TargetGraph graph = TargetGraph::c;
  InfinitePolicy infinite = InfinitePolicy::refuse;
};

/// MI(answer; Y) in regression, Y an answer of the highest precision.
class TargetInformation final : public Information {
 public:
  explicit TargetInformation(TargetInformationOptions options = {}) : options_(options) {}

  std::string_view unit() const override { return "nats"; }
  /// Throws std::invalid_argument under InfinitePolicy::refuse if a value is infinite by construction.
  void worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
             std::span<const Index> levels, double* out) const override;
  std::optional<BestPrecision> best_precision_at(const Marginals& belief, const Offer& offer, Index point,
                                                 const ContinuousPrecision& range,
                                                 double remaining) const override;
  double order_when_infinite(const Marginals& belief, const Offer& offer, Index point) const override;
  const TargetInformationOptions& options() const { return options_; }

 private:
  TargetInformationOptions options_;
};

/// How MI(answer; f) is computed in classification.
enum class Approximation {
  exact,  ///< by quadrature, to about twelve digits
  taylor  ///< the paper's; off by up to 0.01 bits, and negative at some points whose class is nearly certain
};

/// MI(answer; f) in classification, in bits (docs/math.md 4.2). Levels are FlipChannels.
class ClassModelInformation final : public Information {
 public:
  explicit ClassModelInformation(Approximation approximation = Approximation::exact)
      : approximation_(approximation) {}

  std::string_view unit() const override { return "bits"; }
  void worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
             std::span<const Index> levels, double* out) const override;
  std::optional<BestPrecision> best_precision_at(const Marginals& belief, const Offer& offer, Index point,
                                                 const ContinuousPrecision& range,
                                                 double remaining) const override;
  Approximation approximation() const { return approximation_; }

 private:
  Approximation approximation_;
};

/// MI(answer; Y) in classification, in bits, Y an answer at the best accuracy on offer.
class ClassTargetInformation final : public Information {
 public:
  explicit ClassTargetInformation(TargetGraph graph = TargetGraph::b) : graph_(graph) {}

  std::string_view unit() const override { return "bits"; }
  void worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
             std::span<const Index> levels, double* out) const override;
  std::optional<BestPrecision> best_precision_at(const Marginals& belief, const Offer& offer, Index point,
                                                 const ContinuousPrecision& range,
                                                 double remaining) const override;
  TargetGraph graph() const { return graph_; }

 private:
  TargetGraph graph_;
};

}  // namespace acuity ACUITY_PUBLIC
