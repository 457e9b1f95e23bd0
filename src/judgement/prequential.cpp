#include "judgement/prequential.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "acuity/model/gp_posterior.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/state_queries.hpp"
#include "model/noise_floor.hpp"
#include "numerics/normal.hpp"
#include "store/worker_name.hpp"

namespace acuity {

namespace {

// Predicts answers one after another, each from all that were recorded before it. With few answers the model
// is built again for each. With more its prior mean is kept until their number has grown by 15 %, because it
// then hardly changes, and the answers of that time are predicted together: the factor of the answers before
// them is used once, not once for each of them.
class RunningPredictions {
 public:
  explicit RunningPredictions(const Study& study) : study_(study) {}

  // Must be called with the state before the answer that is predicted next.
  void follow(const State& before) {
    constexpr std::int64_t few = 60;
    const std::int64_t count = before.annotations(), replaced = before.replaced();
    const bool has_grown_by_last = posterior_ && fits_ == before.fits() && replaced == replaced_ &&
                                   count == count_ + 1 && !waiting_.empty() &&
                                   before.answered().back() == waiting_.back().score.id;
    count_ = count;
    if (has_grown_by_last && count > few && static_cast<double>(count) < 1.15 * static_cast<double>(built_))
      return;
    predict_waiting();
    model_ = StudyLearner(study_).model_given(annotations_of(study_, before), learned_of(study_, before));
    posterior_.emplace(model_.prior, Observations(model_.observations, study_.pool().points()));
    built_ = count;
    fits_ = before.fits();
    replaced_ = replaced;
  }

  void predict(const Annotation& next, PrequentialScore score) {
    const Channel channel = StudyLearner(study_).channel_of(next, model_);
    score.value = next.value;
    score.noise = noise_variance(channel);
    waiting_.push_back({{.place = next.place, .value = next.value, .channel = channel}, score});
  }

  std::vector<PrequentialScore> scores() {
    predict_waiting();
    return std::move(scores_);
  }

 private:
  struct Waiting {
    Observation answer;
    PrequentialScore score;
  };

  // One answer after another is predicted and then known (math.md eq. (2.3)).
  void predict_waiting() {
    if (waiting_.empty()) return;
    std::vector<Observation> answers;
    for (const Waiting& one : waiting_) answers.push_back(one.answer);
    const Observations observed(answers, study_.pool().points());
    JointPrediction left = posterior_->predict_answers(observed);
    const double prior_variance =
        model_.prior.kernel->diagonal(model_.prior.scaling.apply(observed.points().topRows(1)))(0);
    for (Index i = 0; i < observed.size(); ++i) {
      PrequentialScore& score = waiting_[static_cast<std::size_t>(i)].score;
      const double variance = std::max(left.covariance(i, i), 0.0);
      score.mean = left.mean(i);
      score.sd = std::sqrt(variance + score.noise);
      scores_.push_back(score);
      const Index rest = observed.size() - i - 1;
      const Vector shared = left.covariance.col(i).tail(rest);
      const double known = pivot(variance, score.noise, prior_variance).squared;
      left.mean.tail(rest) += (score.value - score.mean) / known * shared;
      left.covariance.bottomRightCorner(rest, rest) -= shared * shared.transpose() / known;
    }
    waiting_.clear();
  }

  const Study& study_;
  StudyModel model_;
  std::optional<GpPosterior> posterior_;  // of the answers before the first that waits
  std::vector<Waiting> waiting_;          // in the order recorded; each is known to those after it
  std::vector<PrequentialScore> scores_;
  std::int64_t fits_ = -1, count_ = -1, built_ = 0, replaced_ = 0;
};

// Uses the prediction recorded when the label was requested: one label contains too little information about
// f for the labels in between to matter.
PrequentialScore score_of_label(const SuggestionRecord& record, double value, PrequentialScore score) {
  const double clean =
      numerics::normal_cdf(record.asked.mean / std::sqrt(1.0 + std::max(0.0, record.asked.variance)));
  score.value = value;
  score.mean = std::get<FlipChannel>(record.asked.channel).positive(clean);
  return score;
}

// The valid answers in the order in which they were recorded. Those whose runs were continued count as they
// were; of the answers that replaced them most was known. Answers of an audit are judged by themselves.
std::vector<std::int64_t> predicted_answers(const State& state) {
  std::vector<std::int64_t> ids = state.answered();
  std::erase_if(ids, [&](std::int64_t id) { return state.find(id)->asked.audit; });
  if (state.replaced() == 0) return ids;
  std::erase_if(ids, [&](std::int64_t id) { return state.find(id)->asked.replaces.has_value(); });
  for (const SuggestionRecord& record : state.suggestions())
    if (record.replaced_by && !record.asked.replaces) ids.push_back(record.asked.id);
  std::stable_sort(ids.begin(), ids.end(), [&](std::int64_t a, std::int64_t b) {
    return state.find(a)->told_at < state.find(b)->told_at;
  });
  return ids;
}

}  // namespace

bool has_scale(const Study& study, const State& state) {
  if (study.file().fit.never()) return true;
  return state.fitted().has_value() || (study.file().amplitude && !study.file().lengthscale.empty());
}

std::vector<PrequentialScore> prequential_scores(const Campaign& campaign, std::size_t most,
                                                 PredictedAnswers which) {
  const Study& study = campaign.study();
  std::vector<std::int64_t> answered = predicted_answers(campaign.state());
  if (which == PredictedAnswers::at_reference)
    std::erase_if(answered, [&](std::int64_t id) {
      const std::optional<Index> level = study.find_level(campaign.state().find(id)->asked.level);
      return !level || study.offer().levels[static_cast<std::size_t>(*level)].bias.any();
    });
  const std::size_t skipped = answered.size() - std::min(most, answered.size());
  const std::set<std::int64_t> wanted(answered.begin() + static_cast<std::ptrdiff_t>(skipped),
                                      answered.end());
  std::vector<PrequentialScore> of_labels;
  RunningPredictions running(study);
  const bool is_real = study.file().target->is_real();
  State before;
  for (const StoredEvent& stored : campaign.events()) {
    const auto* told = std::get_if<Told>(&stored.event);
    const bool counts = told != nullptr && !told->unasked && before.annotations() > 0 &&
                        has_scale(study, before) && wanted.contains(told->id) &&
                        before.find(told->id)->asked.worker != worker_name::initial;
    PrequentialScore score{.id = told != nullptr ? told->id : 0, .before = before.annotations()};
    if (counts && is_real) running.follow(before);
    before.apply(stored);
    if (!counts) continue;
    if (!is_real) {
      of_labels.push_back(score_of_label(*before.find(told->id), told->values.front(), score));
      continue;
    }
    const std::vector<Annotation> annotations = annotations_of(study, before);
    // Only the first of replicates is scored: it determines the others up to noise.
    running.predict(annotations[annotations.size() - told->values.size()], score);
  }
  return is_real ? running.scores() : of_labels;
}

}  // namespace acuity
