#include "views/prequential.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "acuity/model/gp_posterior.hpp"
#include "campaign/state_queries.hpp"
#include "numerics/normal.hpp"

namespace acuity {

namespace {

// The posterior given the answers recorded so far. With few answers it is recomputed each time; with more it
// is extended, with a fixed prior mean, until their number has grown by 15 %, because the mean then hardly
// changes.
class RunningPosterior {
 public:
  explicit RunningPosterior(const Study& study) : study_(study) {}

  const StudyModel& model() const { return model_; }
  const GpPosterior& given(const State& state) {
    constexpr std::int64_t few = 60;
    const std::vector<Annotation> annotations = annotations_of(study_, state);
    const auto count = static_cast<std::int64_t>(annotations.size());
    const bool grew_by_one = posterior_ && fits_ == state.fits() && count == count_ + 1;
    if (grew_by_one && count > few && static_cast<double>(count) < 1.15 * static_cast<double>(built_)) {
      const Annotation& last = annotations.back();
      const std::vector<Observation> one{
          {.place = last.place, .value = last.value, .channel = study_.channel_of(last, model_)}};
      posterior_ = posterior_->given(Observations(one, study_.pool().points()));
    } else if (!posterior_ || fits_ != state.fits() || count != count_) {
      model_ = study_.model_given(annotations, learned_of(study_, state));
      built_ = count;
      posterior_.emplace(model_.prior, Observations(model_.observations, study_.pool().points()), 1);
    }
    fits_ = state.fits();
    count_ = count;
    return *posterior_;
  }

 private:
  const Study& study_;
  StudyModel model_;
  std::optional<GpPosterior> posterior_;
  std::int64_t fits_ = -1, count_ = -1, built_ = 0;
};

Points inputs_of(const Study& study, const Annotation& annotation) {
  if (const std::optional<Index> row = annotation.place.pool_row()) return study.pool().points().row(*row);
  return annotation.place.coordinates().transpose();
}

// Uses the prediction recorded when the label was requested: one label contains too little information about
// f for the labels in between to matter.
PrequentialScore score_of_label(const SuggestionRecord& record, double value) {
  const double clean =
      numerics::normal_cdf(record.asked.mean / std::sqrt(1.0 + std::max(0.0, record.asked.variance)));
  const double accuracy = std::get<FlipChannel>(record.asked.channel).accuracy;
  return {.value = value, .mean = accuracy * clean + (1.0 - accuracy) * (1.0 - clean)};
}

// Against the answer of that level: f and the level's bias.
PrequentialScore score_of_number(const Study& study, const GpPosterior& posterior, const StudyModel& model,
                                 const Annotation& annotation) {
  const Channel channel = study.channel_of(annotation, model);
  const Points x = inputs_of(study, annotation);
  const Marginals answer = bias_of(channel) > 0 ? posterior.predict_part(x, bias_of(channel))
                                                : posterior.predict(x, {.threads = 1});
  const double noise = noise_variance(channel);
  return {.value = annotation.value,
          .mean = answer.mean(0),
          .sd = std::sqrt(answer.variance(0) + noise),
          .noise = noise};
}

}  // namespace

bool has_scale(const Study& study, const State& state) {
  if (study.file().fit.never()) return true;
  return state.fitted().has_value() || (study.file().amplitude && !study.file().lengthscale.empty());
}

std::vector<PrequentialScore> prequential_scores(const Campaign& campaign, std::size_t most) {
  const Study& study = campaign.study();
  const std::vector<std::int64_t>& answered = campaign.state().answered();
  const std::size_t skipped = answered.size() - std::min(most, answered.size());
  const std::vector<std::int64_t> wanted(answered.begin() + static_cast<std::ptrdiff_t>(skipped),
                                         answered.end());
  std::vector<PrequentialScore> scores;
  RunningPosterior running(study);
  const bool is_real = study.file().target->is_real();
  State before;
  for (const StoredEvent& stored : campaign.events()) {
    const auto* told = std::get_if<Told>(&stored.event);
    const bool counts = told != nullptr && !told->unasked && before.annotations() > 0 &&
                        has_scale(study, before) &&
                        std::find(wanted.begin(), wanted.end(), told->id) != wanted.end() &&
                        before.find(told->id)->asked.worker != "initial";
    const std::int64_t known = before.annotations();
    if (!counts) {
      before.apply(stored);
      continue;
    }
    std::optional<GpPosterior> posterior;
    StudyModel model;
    if (is_real) posterior = running.given(before), model = running.model();
    before.apply(stored);
    const SuggestionRecord& record = *before.find(told->id);
    PrequentialScore score;
    if (!is_real) {
      score = score_of_label(record, told->values.front());
    } else {
      const std::vector<Annotation> annotations = annotations_of(study, before);
      // Only the first of replicates is scored: it determines the others up to noise.
      const Annotation& first = annotations[annotations.size() - told->values.size()];
      score = score_of_number(study, *posterior, model, first);
    }
    score.id = told->id;
    score.before = known;
    scores.push_back(score);
  }
  return scores;
}

}  // namespace acuity
