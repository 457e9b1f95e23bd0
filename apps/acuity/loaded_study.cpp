#include "loaded_study.hpp"

#include <fmt/format.h>

#include "acuity/base/errors.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/last_fit.hpp"
#include "explain/look_ahead.hpp"
#include "notes.hpp"

namespace acuity {

LoadedStudy::LoadedStudy(const CampaignAddress& study_or_campaign, const std::string& annotations,
                         CampaignOptions options, Job job)
    : options_(std::move(options)), job_(std::move(job)) {
  const bool is_study = !study_or_campaign.is_in_database() && !Campaign::recognises(study_or_campaign);
  if (job_.as_leader_says(is_study)) {
    study_ = open_study(study_or_campaign.text(), options_.tables, job_);
    if (annotations.empty()) return;
    job_.together([&] {
      // A pipe can be read once.
      std::error_code none;
      const bool is_file = std::filesystem::is_regular_file(annotations, none);
      if (!job_.is_alone() && !is_file)
        throw InputError(fmt::format("{}: it is no file that every rank can read, must be one", annotations));
      annotations_ = study_->read_annotations(annotations);
      if (is_file) exclusions_ = read_exclusions(*study_, annotations);
    });
    return;
  }
  if (!annotations.empty())
    throw InputError(
        fmt::format("{}: a campaign has its annotations in its log, --annotations must be left out",
                    study_or_campaign.text()));
  campaign_ = Campaign::open(study_or_campaign, Access::read, options_, job_);
  annotations_ = campaign_->annotations();
}

LoadedStudy::LoadedStudy(Campaign campaign)
    : campaign_(std::move(campaign)), annotations_(campaign_->annotations()) {}

std::optional<AskResult> LoadedStudy::look_ahead() {
  if (!campaign_) return std::nullopt;
  LookAhead ahead = acuity::look_ahead(*campaign_, options_);
  campaign_ = std::move(ahead.campaign);
  annotations_ = campaign_->annotations();
  model_.reset();
  predicting_.reset();
  return std::move(ahead.next);
}

const StudyModel& LoadedStudy::model() {
  if (!model_)
    model_ =
        campaign_ ? campaign_->model() : StudyLearner(*study_).model_given(annotations_, options_.threads);
  return *model_;
}

const StudyModel& LoadedStudy::model_for_predictions() {
  if (!campaign_) return model();
  if (!predicting_) predicting_ = acuity::model_for_predictions(*campaign_, options_.threads);
  return *predicting_;
}

PoolBelief& LoadedStudy::belief() {
  if (campaign_) return campaign_->belief();
  if (!belief_) belief_ = StudyLearner(*study_).belief(model(), options_.storage, options_.threads);
  return *belief_;
}

void LoadedStudy::plan(const Candidates& candidates) {
  if (campaign_ || !StudyLearner(*study_).plans(model())) return;
  if (!study_->file().knows_scale() && !model().learned) return;
  const BudgetPlan plan =
      StudyLearner(*study_).plan(*model_, annotations_, belief(), candidates,
                                 {.threads = options_.threads, .seconds = options_.plan_seconds});
  model_->acquisition.price_weight = plan.price_weight;
}

Candidates LoadedStudy::candidates(std::optional<double> remaining) const {
  if (!campaign_) {
    Candidates candidates = study_->candidates_after(annotations_, remaining);
    for (const Exclusion& one : exclusions_) {
      if (const std::optional<Index> level = study_->find_level(one.level))
        candidates.exclude(one.row, *level);
      else
        candidates.close(one.row);
    }
    return candidates;
  }
  Candidates candidates = campaign_->candidates();
  if (remaining) candidates.set_money(*remaining, campaign_->state().budget());
  return candidates;
}

std::optional<Forecast> forecast(const LoadedStudy& loaded, const TrialOptions& options,
                                 const EarlyForecast& early, const Job& job) {
  return loaded.campaign() != nullptr ? forecast(*loaded.campaign(), options, early, job)
                                      : forecast(loaded.study(), options, early, job);
}

}  // namespace acuity
