#include "loaded_study.hpp"

#include <fmt/format.h>

#include "acuity/numerics/errors.hpp"

namespace acuity {

LoadedStudy::LoadedStudy(const std::string& study_or_campaign, const std::string& annotations,
                         CampaignOptions options) {
  if (!Campaign::recognises(study_or_campaign)) {
    study_ = Study::open(study_or_campaign);
    if (!annotations.empty()) annotations_ = study_->read_annotations(annotations);
    return;
  }
  if (!annotations.empty())
    throw InputError(fmt::format(
        "{}: a campaign has its annotations in its log, --annotations must be left out", study_or_campaign));
  campaign_ = Campaign::open(study_or_campaign, Access::read, std::move(options));
  annotations_ = campaign_->annotations();
}

StudyModel LoadedStudy::model(int threads) const {
  return campaign_ ? campaign_->model() : study_->model_given(annotations_, threads);
}

}  // namespace acuity
