#include "campaign/fitted_chain.hpp"

#include "acuity/study/study_learner.hpp"
#include "model/chain_learning.hpp"
#include "study/study_chain.hpp"

namespace acuity {

void put_chain(const Study& study, const LearnedChain& learned, Fitted& fitted) {
  fitted.chain_weight = learned.weight;
  for (const ChainLink& link : learned.chain->links) {
    const Vector parameters = link.kernel->log_parameters();
    const std::string level =
        link.bias == 0 ? "" : study.offer().levels[static_cast<std::size_t>(link.bias - 1)].name;
    fitted.chain.push_back({.level = level,
                            .log_parameters = std::vector<double>(parameters.begin(), parameters.end()),
                            .nugget = link.nugget,
                            .mean = link.mean,
                            .centre = link.centre,
                            .spread = link.spread,
                            .low = link.low,
                            .high = link.high});
  }
}

std::optional<LearnedChain> chain_of(const Study& study, const Fitted& fitted) {
  if (fitted.chain.size() < 2 || !fitted.chain_weight || chained_biases(study).empty()) return std::nullopt;
  const Prior prior = StudyLearner(study).prior_given({});
  const Index inputs = study.pool().points().cols();
  LevelChain chain;
  for (const FittedLink& one : fitted.chain) {
    const std::shared_ptr<const StationaryKernel> like =
        kernel_of_link(*prior.kernel, inputs, !chain.links.empty());
    const std::optional<Index> level = one.level.empty() ? std::nullopt : study.find_level(one.level);
    const int bias = level ? bias_of(study.offer().levels[static_cast<std::size_t>(*level)].channel) : 0;
    const bool is_known = one.level.empty() || bias > 0;
    if (!like || !is_known || like->log_parameters().size() != static_cast<Index>(one.log_parameters.size()))
      return std::nullopt;
    chain.links.push_back({.bias = bias,
                           .kernel = like->with_log_parameters(Eigen::Map<const Vector>(
                               one.log_parameters.data(), static_cast<Index>(one.log_parameters.size()))),
                           .mean = one.mean,
                           .nugget = one.nugget,
                           .centre = one.centre,
                           .spread = one.spread,
                           .low = one.low,
                           .high = one.high});
  }
  return LearnedChain{std::make_shared<const LevelChain>(std::move(chain)), *fitted.chain_weight};
}

}  // namespace acuity
