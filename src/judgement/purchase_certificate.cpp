#include "judgement/purchase_certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/acquisition/regression_information.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/selection/certificate.hpp"
#include "campaign/state_queries.hpp"

namespace acuity {

namespace {

// The bound holds after any number of purchases, so it is enough to look at some of them.
constexpr std::size_t most_prefixes = 24;

bool applies_to(const Study& study) {
  return !study.file().target->information_depends_on_answers() && !study.file().has_bias() &&
         !study.is_ladder() && study.file().acquisition.kind == AcquisitionSetting::Kind::model;
}

}  // namespace

std::optional<PurchaseCertificate> purchase_certificate(const Study& study, const State& state,
                                                        double most_operations) {
  if (!applies_to(study)) return std::nullopt;
  const std::vector<Annotation> annotations = annotations_of(study, state);
  const StudyModel model = model_of(study, state, annotations);
  if (model.offer.has_point_costs()) return std::nullopt;
  std::vector<Observation> known;
  std::vector<std::size_t> bought;  // places in the list of annotations
  PurchaseCertificate certificate;
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    if (!(annotations[i].cost > 0.0)) {
      known.push_back(model.observations[i]);
      continue;
    }
    if (!annotations[i].place.pool_row() || !annotations[i].level) return std::nullopt;
    bought.push_back(i);
    certificate.spent += annotations[i].cost;
  }
  const double pool = static_cast<double>(study.pool().size()),
               rows = static_cast<double>(annotations.size());
  if (bought.empty() || pool * rows * rows > most_operations) return std::nullopt;

  GpPoolBelief belief(model.prior, study.pool().points(), known);
  const PurchaseRule rule = purchase_rule(model.offer, study.file().repeat);
  std::vector<Purchase> purchases;
  certificate.bound = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0;; ++i) {
    const bool looked_at = i == bought.size() || bought.size() <= most_prefixes ||
                           i * most_prefixes / bought.size() != (i + 1) * most_prefixes / bought.size();
    if (looked_at)
      certificate.bound = std::min(
          certificate.bound,
          certificate.information + most_additional_information(belief.marginals().variance, model.offer,
                                                                rule, purchases, certificate.spent));
    if (i == bought.size()) break;
    const Observation& one = model.observations[bought[i]];
    const Index row = *annotations[bought[i]].place.pool_row();
    certificate.information +=
        model_information(belief.marginals_at({{row}}).variance(0), 0.0, noise_variance(one.channel));
    belief.condition(row, one.channel, one.value);
    purchases.push_back({row, *annotations[bought[i]].level});
  }
  if (!std::isfinite(certificate.bound) || !std::isfinite(certificate.information)) return std::nullopt;
  return certificate;
}

std::string to_text(const PurchaseCertificate& certificate) {
  return fmt::format(
      "what was bought tells at least {:.0f} % of the most that this money could have bought, if "
      "the model is right",
      std::floor(100.0 * std::min(certificate.share(), 1.0)));
}

}  // namespace acuity
