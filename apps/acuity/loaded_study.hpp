#pragma once

#include <optional>
#include <string>

#include "acuity/campaign/campaign.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// What `score`, `predict` and `fit` work on: a study file with the annotations of a table, or a campaign
/// with those of its log.
class LoadedStudy {
 public:
  LoadedStudy(const std::string& study_or_campaign, const std::string& annotations,
              CampaignOptions options = {});

  const Study& study() const { return campaign_ ? campaign_->study() : *study_; }
  const std::vector<Annotation>& annotations() const { return annotations_; }
  /// Null for a study file.
  Campaign* campaign() { return campaign_ ? &*campaign_ : nullptr; }
  /// What was learned in a campaign is on record; for a study file it is learned here.
  StudyModel model(int threads = 0) const;

 private:
  std::optional<Campaign> campaign_;
  std::optional<Study> study_;
  std::vector<Annotation> annotations_;
};

}  // namespace acuity
