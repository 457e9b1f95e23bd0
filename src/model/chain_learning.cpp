#include "model/chain_learning.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "acuity/model/leave_one_out.hpp"
#include "model/chained_posterior.hpp"
#include "model/learning_problem.hpp"

namespace acuity {

namespace {

constexpr Index fewest_answers = 4;  // answers of a link

Observations without_others(const Observations& all, int bias) {
  std::vector<Index> rows;
  for (Index i = 0; i < all.size(); ++i)
    if (bias_of(all.channels()[static_cast<std::size_t>(i)]) == bias) rows.push_back(i);
  if (rows.empty()) return {Points(0, all.points().cols()), Vector(0), Vector(0)};
  return {Points(all.points()(rows, Eigen::all)), Vector(all.values()(rows)), Vector(all.noise()(rows))};
}

// Learns the links one after the other; what is learned of one is given to the next.
class LinkLearner {
 public:
  LinkLearner(const Prior& prior, const Observations& observations, const ChainLearning& learning)
      : prior_(prior), observations_(observations), learning_(learning) {}

  bool add(int bias, const ChainLink* before);
  const LevelChain& chain() const { return chain_; }

 private:
  void know();
  std::shared_ptr<const Kernel> kernel(double amplitude, double inputs, double column) const;
  LearnOptions options() const;
  double height_of(const Prior& prior, const Observations& answers, double nugget) const;
  void try_exact(const Observations& answers, bool is_code, Learned& best) const;
  std::optional<Learned> climb(const Prior& prior, const Observations& answers, double nugget,
                               bool only_climbs) const;
  std::optional<Learned> search(const ChainLink& link, const Observations& answers,
                                const ChainLink* before) const;
  Prior prior_of(const ChainLink& link, std::shared_ptr<const Kernel> kernel) const {
    return {.kernel = std::move(kernel), .mean = link.mean, .scaling = {}, .biases = {}};
  }
  bool learns_nugget() const { return !learning_.nugget.has_value(); }
  bool has_column() const { return known_.has_value(); }

  const Prior& prior_;
  const Observations& observations_;
  const ChainLearning& learning_;
  LevelChain chain_;
  std::optional<ChainedPosterior> known_;  // of the links so far
};

// Length scales in units of the spread of the inputs, and of the column.
std::shared_ptr<const Kernel> LinkLearner::kernel(double amplitude, double inputs, double column) const {
  const Index all = observations_.points().cols();
  const std::shared_ptr<const StationaryKernel> like = kernel_of_link(*prior_.kernel, all, has_column());
  const Index numeric = all - static_cast<Index>(like->options().categories.size());
  StationaryKernelOptions options = like->options();
  options.amplitude = amplitude;
  options.lengthscale.setConstant(inputs);
  const Vector& spread = learning_.options.input_spread;
  for (Index k = 0, next = 0; spread.size() > 0 && k < all; ++k)
    if (!like->is_category(k)) options.lengthscale(next++) *= spread(k);
  if (has_column()) options.lengthscale(numeric) = column;
  for (CategoryFactor& factor : options.categories)
    if (factor.learned) factor.lengthscale = static_cast<double>(all);
  return std::make_shared<StationaryKernel>(std::move(options));
}

// The column has the prior of an input, but around one standard deviation: with a few answers a shorter one
// would explain everything.
LearnOptions LinkLearner::options() const {
  LearnOptions options = learning_.options;
  options.noise.reset();
  options.accuracy.reset();
  options.progress = {};
  options.nugget = std::nullopt;
  if (options.pool.rows() > 0)
    options.pool = has_column() ? known_->inputs_after(options.pool) : prior_.scaling.apply(options.pool);
  if (!has_column()) return options;
  const Index inputs = observations_.points().cols();
  Vector spread = Vector::Ones(inputs + 1);
  if (options.input_spread.size() > 0) spread.head(inputs) = options.input_spread;
  spread(inputs) = 1.0 / std::sqrt(static_cast<double>(inputs + 1));
  options.input_spread = spread;
  return options;
}

// Empty if no optimum can be used. The result has the height of the optimum in place of the likelihood.
std::optional<Learned> LinkLearner::climb(const Prior& prior, const Observations& answers, double nugget,
                                          bool only_climbs) const {
  LearnOptions options = this->options();
  options.only_climbs = only_climbs;
  if (only_climbs) options.restarts = 0;
  if (learns_nugget()) options.nugget = nugget;
  Learned found = acuity::learn(prior, answers, options);
  if (found.iterations == 0) return std::nullopt;
  if (learns_nugget()) options.nugget = found.nugget;
  const LearningProblem problem(found.prior, answers, options);
  found.log_marginal_likelihood = problem.objective_at(problem.start()).value;
  return found;
}

// From places where f depends on the inputs, and where it depends on the column (math.md 12.7).
std::optional<Learned> LinkLearner::search(const ChainLink& link, const Observations& answers,
                                           const ChainLink* before) const {
  const double inputs = std::sqrt(static_cast<double>(answers.points().cols()));
  const double amplitude = std::sqrt((answers.values().array() - link.mean).square().mean());
  std::optional<Learned> best;
  const auto try_from = [&](std::shared_ptr<const Kernel> start, double nugget, bool only_climbs) {
    std::optional<Learned> found = climb(prior_of(link, std::move(start)), answers, nugget, only_climbs);
    if (found && (!best || found->log_marginal_likelihood > best->log_marginal_likelihood))
      best = std::move(found);
  };
  try_from(kernel(amplitude, inputs, 1.0), 0.0, false);
  const bool has_last = before != nullptr && before->kernel->log_parameters().size() ==
                                                 kernel(1.0, 1.0, 1.0)->log_parameters().size();
  if (has_last) try_from(before->kernel, before->nugget, true);
  if (has_last && learning_.options.restarts == 0) return best;
  if (has_column()) {
    const double little = 1e-4 * amplitude * amplitude;
    try_from(kernel(amplitude, 5.0 * inputs, 0.5), little, true);
    try_from(kernel(amplitude, 5.0 * inputs, 3.0), little, true);
    try_from(kernel(amplitude, inputs / 4.0, 5.0), little, true);
  } else {
    try_from(kernel(amplitude, inputs / 6.0, 1.0), 1e-4 * amplitude * amplitude, true);
  }
  return best;
}

// The objective without the penalty of the nugget.
double LinkLearner::height_of(const Prior& prior, const Observations& answers, double nugget) const {
  const Observations noisy = answers.with_noise(answers.noise().array() + nugget);
  const LearnOptions options = this->options();
  const LearningProblem problem(prior, noisy, options);
  return problem.objective_at(problem.start()).value;
}

// The usual nugget is for tables. Codes are often exact, and what is lost at one link is lost at all after
// it: if answers without a nugget are as likely, there is none. A few answers of a code that oscillates look
// like noise, and then no further ones would be bought: an answer that repeats itself is noise only if that
// is e^6 times as likely.
void LinkLearner::try_exact(const Observations& answers, bool is_code, Learned& best) const {
  constexpr double least = 1e-6, much = 6.0, suspicious = 0.1;
  const double spread = (answers.values().array() - best.prior.mean).square().mean(), tiny = least * spread;
  const Observations without = answers.with_noise(answers.noise().array() + tiny);
  const bool is_noise = is_code && best.nugget > suspicious * spread;
  LearnOptions options = this->options();
  options.only_climbs = true;
  options.restarts = 0;
  double height = height_of(best.prior, answers, best.nugget) - (is_noise ? much : 0.0);
  const auto try_from = [&](const Prior& start) {
    const Learned exact = acuity::learn(start, without, options);
    if (exact.iterations == 0) return;
    const double found = height_of(exact.prior, answers, tiny);
    if (found < height) return;
    height = found;
    best.prior = exact.prior;
    best.nugget = tiny;
  };
  const Prior usual = best.prior;
  try_from(usual);
  if (!is_noise) return;
  const double inputs = std::sqrt(static_cast<double>(observations_.points().cols()));
  for (const double shorter : {2.0, 6.0}) {
    Prior start = usual;
    start.kernel = kernel(std::sqrt(spread), inputs / shorter, 1.0);
    try_from(start);
  }
}

bool LinkLearner::add(int bias, const ChainLink* before) {
  const Observations own = without_others(observations_, bias);
  const Vector& values = own.values();
  if (values.size() < fewest_answers || values.minCoeff() == values.maxCoeff()) return false;
  ChainLink link{.bias = bias, .kernel = nullptr, .mean = values.mean()};
  if (bias == 0 && learning_.mean) link.mean = *learning_.mean;
  Observations answers(has_column() ? known_->inputs_after(own.points()) : prior_.scaling.apply(own.points()),
                       values, own.noise());
  std::optional<Learned> found = search(link, answers, before);
  if (!found) return false;
  if (has_column()) {
    const Vector all = answers.noise().array() + (learns_nugget() ? found->nugget : 0.0);
    const GpPosterior first(found->prior, answers.with_noise(all));
    const Vector slopes = slopes_by_column(first, answers.points(), chain_.links.back());
    const Vector before_it = known_->variance_of(known_->last(), known_->at(own.points()));
    answers = answers.with_noise(answers.noise() + slopes.cwiseAbs2().cwiseProduct(before_it));
    if (std::optional<Learned> again = climb(found->prior, answers, found->nugget, true))
      found = std::move(again);
  }
  const auto& codes = learning_.repeating;
  if (learns_nugget()) try_exact(answers, std::find(codes.begin(), codes.end(), bias) != codes.end(), *found);
  link.kernel = found->prior.kernel;
  link.nugget = learning_.nugget.value_or(found->nugget);
  link.centre = values.mean();
  link.spread = std::sqrt((values.array() - link.centre).square().mean());
  // Beyond what was seen of this level the next one is not known at all.
  constexpr double margin = 0.25;
  const double range = values.maxCoeff() - values.minCoeff();
  link.low = (values.minCoeff() - margin * range - link.centre) / link.spread;
  link.high = (values.maxCoeff() + margin * range - link.centre) / link.spread;
  chain_.links.push_back(std::move(link));
  know();
  return true;
}

// The answers of the links so far, with all noise.
void LinkLearner::know() {
  std::vector<Index> rows;
  std::vector<double> noise;
  for (Index i = 0; i < observations_.size(); ++i) {
    const Channel& channel = observations_.channels()[static_cast<std::size_t>(i)];
    const std::size_t link = link_of(chain_, bias_of(channel));
    if (link == chain_.links.size()) continue;
    rows.push_back(i);
    noise.push_back(noise_variance(channel) + (learns_nugget() ? chain_.links[link].nugget : 0.0));
  }
  std::vector<Channel> channels;
  for (const Index row : rows) channels.push_back(observations_.channels()[static_cast<std::size_t>(row)]);
  const Observations some(Points(observations_.points()(rows, Eigen::all)),
                          Vector(observations_.values()(rows)), std::move(channels));
  Prior prior = prior_;
  prior.chain = std::make_shared<const LevelChain>(chain_);
  known_.emplace(std::move(prior),
                 some.with_noise(Eigen::Map<const Vector>(noise.data(), static_cast<Index>(noise.size()))));
}

}  // namespace

std::shared_ptr<const StationaryKernel> kernel_of_link(const Kernel& like, Index inputs, bool has_column) {
  const auto* stationary = dynamic_cast<const StationaryKernel*>(&like);
  if (stationary == nullptr) return nullptr;
  StationaryKernelOptions options = stationary->options();
  const Index numeric = inputs - static_cast<Index>(options.categories.size()) + (has_column ? 1 : 0);
  options.lengthscale = Vector::Constant(numeric, 1.0);
  return std::make_shared<const StationaryKernel>(std::move(options));
}

std::optional<LevelChain> learn_chain(const Prior& prior, const Observations& observations,
                                      const ChainLearning& learning, const LevelChain* before) {
  if (!kernel_of_link(*prior.kernel, observations.points().cols(), false)) return std::nullopt;
  LinkLearner learner(prior, observations, learning);
  std::vector<int> biases = learning.biases;
  biases.push_back(0);
  for (const int bias : biases) {
    const std::size_t link = before != nullptr ? link_of(*before, bias) : 0;
    if (!learner.add(bias, before != nullptr && link < before->links.size() ? &before->links[link] : nullptr))
      return std::nullopt;
  }
  return learner.chain();
}

double left_out_density(const Prior& prior, const Observations& observations) {
  const LeaveOneOut left_out = leave_one_out(prior, observations);
  double density = 0.0;
  for (Index i = 0; i < observations.size(); ++i) {
    if (bias_of(observations.channels()[static_cast<std::size_t>(i)]) != 0) continue;
    const double error = observations.values()(i) - left_out.mean(i);
    density -= 0.5 * (std::log(2.0 * std::numbers::pi * left_out.variance(i)) +
                      error * error / left_out.variance(i));
  }
  return density;
}

double weight_of_chain(double of_chain, double of_differences) {
  constexpr double tempering = 1.0 / 4.0, margin = 4.0;
  return 1.0 / (1.0 + std::exp(tempering * (of_differences + margin - of_chain)));
}

}  // namespace acuity
