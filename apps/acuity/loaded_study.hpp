#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "acuity/study/study_learner.hpp"
#include "judgement/forecast.hpp"
#include "study/exclusions.hpp"

namespace acuity {

/// What commands on a model work with, loaded from a study file and a table of annotations or from a campaign
/// and its log. Model and belief are computed when they are first used.
class LoadedStudy {
 public:
  /// `annotations`: a CSV file for a study file, empty for none. The processes of a job share the pool.
  LoadedStudy(const CampaignAddress& study_or_campaign, const std::string& annotations,
              CampaignOptions options = {}, Job job = {});
  explicit LoadedStudy(Campaign campaign);

  const Study& study() const { return campaign_ ? campaign_->study() : *study_; }
  const std::vector<Annotation>& annotations() const { return annotations_; }
  /// A campaign has what was learned in its log; for a study file it is learned here.
  const StudyModel& model();
  /// Of a campaign that is over: with everything that can be learned from its answers.
  const StudyModel& model_for_predictions();
  /// Plans the rest of the budget of a study file as a campaign with these annotations would before its first
  /// choice; a campaign has its plan in its log. Changes the acquisition of model().
  void plan(const Candidates& candidates);
  /// In a campaign it is conditioned on what is pending.
  PoolBelief& belief();
  /// Points that may be bought, those pending in a campaign excluded. `remaining` replaces the rest of the
  /// budget.
  Candidates candidates(std::optional<double> remaining = std::nullopt) const;

  /// A campaign as the next `ask` would find it before its choice, with what it would learn and plan; returns
  /// what it would choose. Nothing for a study file.
  std::optional<AskResult> look_ahead();

  /// For what only a campaign has; null for a study file.
  const Campaign* campaign() const { return campaign_ ? &*campaign_ : nullptr; }

 private:
  CampaignOptions options_;
  Job job_;
  std::optional<Campaign> campaign_;
  std::optional<Study> study_;
  std::vector<Annotation> annotations_;
  std::vector<Exclusion> exclusions_;  // of a study file's annotations
  std::optional<StudyModel> predicting_;
  std::optional<StudyModel> model_;
  std::unique_ptr<PoolBelief> belief_;  // of a study file
};

/// Nothing if it was interrupted.
std::optional<Forecast> forecast(const LoadedStudy& loaded, const TrialOptions& options,
                                 const EarlyForecast& early = {}, const Job& job = {});

}  // namespace acuity
