#include "study/study_chain.hpp"

#include <algorithm>
#include <tuple>

#include "acuity/study/study_learner.hpp"
#include "model/chain_learning.hpp"
#include "study/learn_options.hpp"

// Levels of a study that are related in any way (docs/math.md 12.7).

namespace acuity {

namespace {

bool is_chained(const Level& level) {
  return level.relation == LevelRelation::any || level.relation == LevelRelation::learn;
}

// A chain without nuggets: channels under it have the noise that is known.
std::shared_ptr<const LevelChain> bare_chain(const std::vector<int>& biases, double nugget) {
  LevelChain chain;
  for (const int bias : biases) chain.links.push_back({.bias = bias, .kernel = nullptr, .nugget = nugget});
  chain.links.push_back({.bias = 0, .kernel = nullptr, .nugget = nugget});
  return std::make_shared<const LevelChain>(std::move(chain));
}

Learned with_chain(Learned learned, std::optional<LearnedChain> chain) {
  learned.chain = std::move(chain);
  return learned;
}

}  // namespace

std::vector<int> chained_biases(const Study& study) {
  std::vector<int> biases;
  if (!study.file().target->has_noise() || !study.file().learns_by_likelihood()) return biases;
  const std::vector<Level>& levels = study.offer().levels;
  for (const Level& level : levels)
    if (is_chained(level) && bias_of(level.channel) > 0) biases.push_back(bias_of(level.channel));
  const auto coarseness = [&](int bias) {
    const Level& level = levels[static_cast<std::size_t>(bias - 1)];
    return std::tuple(-noise_variance(level.channel), level.cost, bias);
  };
  std::sort(biases.begin(), biases.end(), [&](int a, int b) { return coarseness(a) < coarseness(b); });
  return biases;
}

std::optional<LearnedChain> StudyLearner::learn_chain(const std::vector<Annotation>& annotations,
                                                      const Learned& learned, const Learned* before,
                                                      bool searches, int threads) const {
  const std::vector<int> biases = chained_biases(study_);
  if (biases.empty()) return std::nullopt;
  const StudyFile& file = study_.file();
  StudyModel known{
      .prior = prior_given(annotations), .observations = observations_of(annotations), .learned = learned};
  known.prior.chain = bare_chain(biases, file.nugget.value_or(0.0));
  for (std::size_t i = 0; i < annotations.size(); ++i)
    known.observations[i].channel = channel_of(annotations[i], known);
  const Observations observations(known.observations, study_.pool().points());
  ChainLearning learning{.biases = biases,
                         .mean = file.mean,
                         .nugget = file.nugget,
                         .options = learn_options(study_, annotations, observations, nullptr, threads)};
  for (const Level& level : study_.offer().levels)
    if (level.repeats_itself) learning.repeating.push_back(bias_of(level.channel));
  if (!searches) learning.options.restarts = 0;
  const LevelChain* last = before != nullptr && before->chain ? before->chain->chain.get() : nullptr;
  std::optional<LevelChain> chain = acuity::learn_chain(known.prior, observations, learning, last);
  if (!chain) return std::nullopt;
  LearnedChain found{.chain = std::make_shared<const LevelChain>(std::move(*chain))};
  const auto is_open = [](const Level& level) { return level.relation == LevelRelation::learn; };
  if (std::any_of(study_.offer().levels.begin(), study_.offer().levels.end(), is_open)) {
    const auto density = [&](const std::optional<LearnedChain>& relation) {
      const StudyModel model = model_given(annotations, with_chain(learned, relation));
      return left_out_density(model.prior, Observations(model.observations, study_.pool().points()));
    };
    found.weight = weight_of_chain(density(found), density(std::nullopt));
  }
  return found;
}

// The chain has one set of hyperparameters, and no structures.
AveragedModel StudyLearner::averaged(const StudyModel& model, const std::vector<Annotation>& annotations,
                                     int threads) const {
  return model.prior.chain ? unaveraged(model) : averaged_structures(model, annotations, threads);
}

}  // namespace acuity
