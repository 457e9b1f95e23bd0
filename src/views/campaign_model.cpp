#include "views/campaign_model.hpp"

#include "acuity/acquisition/classification_information.hpp"
#include "acuity/model/leave_one_out.hpp"
#include "campaign/books.hpp"

namespace acuity {

namespace {

std::variant<GpPosterior, EpPosterior> posterior_of(bool binary, const StudyModel& model,
                                                    const Observations& observations) {
  if (binary) return EpPosterior(model.prior, observations);
  return GpPosterior(model.prior, observations);
}

}  // namespace

CampaignModel::CampaignModel(const Study& study, const State& state)
    : model_(study.model_given(annotations_of(study, state), learned_of(study, state))),
      observations_(model_.observations, study.pool().points()),
      posterior_(posterior_of(study.file().binary, model_, observations_)) {}

Marginals CampaignModel::predict(const PointsRef& x) const {
  return std::visit([&](const auto& posterior) { return posterior.predict(x); }, posterior_);
}

Vector CampaignModel::probabilities(const PointsRef& x) const {
  const Marginals latent = predict(x);
  Vector positive(x.rows());
  for (Index i = 0; i < x.rows(); ++i)
    positive(i) = clean_probabilities({latent.mean(i), latent.variance(i)}).positive;
  return positive;
}

std::string CampaignModel::convergence_problem() const {
  const auto* classes = std::get_if<EpPosterior>(&posterior_);
  return classes != nullptr ? classes->convergence_problem() : "";
}

Marginals CampaignModel::left_out() const {
  const LeaveOneOut found = leave_one_out(model_.prior, observations_);
  return {found.mean, found.variance};
}

Matrix CampaignModel::covariance(const PointsRef& x) const {
  return std::get<GpPosterior>(posterior_).covariance(x, x);
}

Vector CampaignModel::left_out_probabilities() const {
  return leave_one_out_probabilities(std::get<EpPosterior>(posterior_), observations_);
}

}  // namespace acuity
