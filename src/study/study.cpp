#include "acuity/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "acquisition/precision_search.hpp"
#include "acuity/data/money.hpp"
#include "acuity/data/pool_file.hpp"
#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/numerics/errors.hpp"
#include "data/csv_scanner.hpp"
#include "study/nearest.hpp"
#include "study/noise_law.hpp"

namespace acuity {

namespace {

// Half of the cells being numbers decides, so the rest need not be looked at.
std::vector<std::string> numeric_columns(const Table& table, const std::optional<std::string>& id) {
  std::vector<csv::ColumnCount> counts(table.columns().size());
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const Index column = static_cast<Index>(k);
    for (Index row = 0; row < table.rows() && 2 * counts[k].numbers <= table.rows(); ++row) {
      const bool number = table.parse_number(row, column).has_value();
      counts[k].numbers += number ? 1 : 0;
      counts[k].filled += number || !table.empty(row, column) ? 1 : 0;
    }
  }
  return csv::numeric_columns(table.columns(), counts, id, table.source(), "pool.inputs");
}

Points read_columns(const Table& table, const std::vector<std::string>& names, std::string_view needed_for) {
  Points points(table.rows(), static_cast<Index>(names.size()));
  std::vector<Index> columns;
  for (const std::string& name : names) columns.push_back(table.column(name, needed_for));
  for (std::size_t k = 0; k < columns.size(); ++k)
    table.numbers(columns[k], points.data() + k, points.cols());
  return points;
}

Pool read_pool(const StudyFile& study, const Table& table) {
  if (table.rows() == 0)
    throw InputError(table.source() + ":1: the pool has no rows, must have at least one");
  std::optional<Index> id_column;
  if (study.pool_id) id_column = table.column(*study.pool_id, "pool.id");
  std::vector<std::string> inputs = study.inputs ? *study.inputs : numeric_columns(table, study.pool_id);
  Points points = read_columns(table, inputs, "pool.inputs");
  std::vector<std::string> ids;
  std::vector<std::int64_t> lines;
  for (Index row = 0; row < table.rows(); ++row) {
    lines.push_back(table.line(row));
    if (!id_column) continue;
    ids.push_back(table.text(row, *id_column));
    if (ids.back().empty()) table.complain(row, *id_column, "an id");
  }
  return {std::move(points), std::move(inputs), std::move(ids), table.source(), std::move(lines)};
}

// As from a CSV file with the same columns. Its ids are used where the study asks for them.
Pool read_pool(const StudyFile& study, const PoolFile& file) {
  if (study.pool_id && study.pool_id != file.id_column())
    throw InputError(fmt::format(
        "{}: column \"{}\" is missing, must be there for pool.id; {}", file.source(), *study.pool_id,
        file.id_column() ? "the ids of the file are those of \"" + *file.id_column() + '"'
                         : "the file has no ids (convert it with --id)"));
  return file.pool(study.inputs ? *study.inputs : file.columns(), study.pool_id.has_value());
}

template <typename Rows>
Vector noise_over(const NoiseLaw& noise, const Pool& pool, const Rows& table) {
  if (const std::optional<double> constant = noise.constant())
    return Vector::Constant(pool.size(), *constant);
  Vector variances(pool.size());
  for (Index row = 0; row < pool.size(); ++row) variances(row) = noise(pool.point(row), table, row);
  return variances;
}

std::shared_ptr<const CostFunction> make_cost(const StudyFile& study) {
  const CostSetting& setting = study.ladder->cost;
  if (const auto* power = std::get_if<PowerCostSetting>(&setting))
    return std::make_shared<PowerCost>(PowerCostOptions{.c = power->c, .q = power->q});
  if (const auto* linear = std::get_if<LinearCostSetting>(&setting))
    return std::make_shared<LinearCost>(LinearCostOptions{.b = linear->b, .c = linear->c});
  try {
    return std::make_shared<ExpressionCost>(std::get<std::string>(setting));
  } catch (const InputError& error) {
    study.complain(std::string("precision.cost: ") + error.what());
  }
}

std::string price_text(double price) {
  return std::isnan(price) ? "not a number" : shortest(price);
}

// What must be different about a price; empty: nothing.
std::string price_requirement(double price) {
  if (!(std::isfinite(price) && price > 0.0)) return "a finite number above 0";
  return price <= largest_amount ? "" : fmt::format("at most {}", largest_amount_text);
}

// The rungs of the ladder, priced; or the price list as it is.
std::vector<Level> make_levels(const StudyFile& study, const CostFunction* cost) {
  if (!study.ladder) return study.price_list;
  std::vector<Level> levels;
  for (const Precision& rung : study.ladder->rungs) {
    const double price = (*cost)(rung.alpha);
    if (const std::string required = price_requirement(price); !required.empty())
      study.complain(fmt::format("precision.cost is {} at alpha = {}, must be {}", price_text(price),
                                 rung.alpha, required));
    levels.push_back({.name = {},
                      .alpha = rung.alpha,
                      .channel = study.ladder->law(rung),
                      .cost = price,
                      .value = rung.alpha});
  }
  return levels;
}

// Every precision of a continuous range has a price, also those between the ends. The lowest prices of a scan
// are followed down, so that a formula that touches 0 is found out here and not at some pool point.
void check_continuous_cost(const StudyFile& study, const CostFunction& cost) {
  constexpr int steps = 1024;
  const Precision &from = study.ladder->rungs.front(), &to = study.ladder->rungs.back();
  const auto precision = [&](double share) {
    return study.binary ? Precision::of(std::lerp(from.alpha, to.alpha, share))
                        : Precision::of_inverse(std::lerp(from.inverse, to.inverse, share));
  };
  const auto price = [&](double share) { return cost(precision(share).alpha); };
  const auto check = [&](double share, double counts_as_0) {
    const double found = price(share), alpha = precision(share).alpha;
    if (found > largest_amount)
      study.complain(fmt::format("precision.cost is {} at alpha = {}, must be {}", price_text(found), alpha,
                                 price_requirement(found)));
    if (found > counts_as_0) return;
    study.complain(
        found > 0.0
            ? fmt::format("precision.cost falls to 0 at alpha = {}, must stay above 0", alpha)
            : fmt::format("precision.cost is {} at alpha = {}, must be above 0", price_text(found), alpha));
  };
  std::vector<double> prices;
  double highest = 0.0;
  for (int i = 0; i <= steps; ++i) {
    check(i / double{steps}, 0.0);
    prices.push_back(price(i / double{steps}));
    if (std::isfinite(prices.back())) highest = std::max(highest, prices.back());
  }
  for (int i = 1; i < steps; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (prices[at] > prices[at - 1] || prices[at] > prices[at + 1]) continue;
    const double lowest =
        precision_search::polish([&](double share) { return -price(share); }, (i - 1) / double{steps},
                                 i / double{steps}, (i + 1) / double{steps});
    check(lowest, 1e-15 * highest);
  }
}

void check_total_noise(const StudyFile& study, const Pool& pool, const Offer& offer) {
  if (study.binary) return;
  const bool has_nugget = study.nugget != 0.0;  // one that is learned is never 0
  Index quietest = 0;
  const double base = offer.base_noise.minCoeff(&quietest), loudest = offer.base_noise.maxCoeff();
  for (const Level& level : offer.levels) {
    const std::string which =
        level.alpha ? "alpha = " + shortest(*level.alpha) : "level \"" + level.name + "\"";
    if (!std::isfinite(loudest + noise_variance(level.channel)))
      study.complain(fmt::format("the total noise of {} is too large for a number, must be finite", which));
    if (level.exact || has_nugget || base + noise_variance(level.channel) > 0.0) continue;
    study.complain(fmt::format("the total noise of {} is 0 at {}, must be above 0{}", which,
                               pool.where(quietest), level.alpha ? "" : " (or say exact = true)"));
  }
}

Acquisition make_acquisition(const StudyFile& study, const Offer& offer,
                             std::shared_ptr<const CostFunction> cost) {
  using Kind = AcquisitionSetting::Kind;
  const AcquisitionSetting& setting = study.acquisition;
  Acquisition acquisition;
  acquisition.seed = study.seed;
  if (study.ladder && study.ladder->continuous)
    acquisition.continuous = ContinuousPrecision{.vaguest = study.ladder->rungs.front(),
                                                 .sharpest = study.ladder->rungs.back(),
                                                 .law = study.ladder->law,
                                                 .cost = std::move(cost)};
  if (setting.kind == Kind::bald) acquisition.ranking = Ranking::information;
  if (setting.kind == Kind::random) acquisition.ranking = Ranking::random;
  if (study.binary) {
    if (setting.kind == Kind::target)
      acquisition.information = std::make_shared<ClassTargetInformation>(setting.target.graph);
    else
      acquisition.information = std::make_shared<ClassModelInformation>(setting.approximation);
    return acquisition;
  }
  if (setting.kind == Kind::target) {
    acquisition.information = std::make_shared<TargetInformation>(setting.target);
    if (setting.target.graph == TargetGraph::b && setting.target.infinite == InfinitePolicy::refuse)
      for (const Level& level : offer.levels)
        if (noise_variance(level.channel) == 0.0)
          study.complain(fmt::format(
              "acquisition.infinite is \"refuse\": with graph \"b\" an answer at {} is Y itself, so its "
              "information is "
              "infinite at every point and ranks none; must be \"limit\" or \"first\", or leave that level "
              "out",
              level.alpha ? "alpha = " + shortest(*level.alpha) : "level \"" + level.name + "\""));
  }
  return acquisition;
}

std::vector<std::string> make_remarks(const StudyFile& study, const Pool& pool, const Offer& offer) {
  std::vector<std::string> remarks;
  if (const auto* noise = std::get_if<NoiseColumn>(&study.noise))
    if (!study.inputs &&
        std::find(pool.inputs().begin(), pool.inputs().end(), noise->name) != pool.inputs().end())
      remarks.push_back(fmt::format(
          "column \"{}\" is both noise.variance and an input; pool.inputs can leave it out", noise->name));
  using Kind = AcquisitionSetting::Kind;
  const AcquisitionSetting& how = study.acquisition;
  const bool ranks_infinities = how.kind == Kind::target && how.target.graph == TargetGraph::b &&
                                how.target.infinite == InfinitePolicy::limit;
  for (const Level& level : offer.levels)
    if (level.exact && offer.base_noise.minCoeff() == 0.0 && how.kind != Kind::random && !ranks_infinities)
      remarks.push_back(
          fmt::format("level \"{}\" is exact where sigma^2(x) is 0: its information is infinite there, all "
                      "such points tie, and the "
                      "lowest pool row wins",
                      level.name));
  return remarks;
}

Pool some_of(const Pool& pool, const std::vector<Index>& rows) {
  std::vector<std::string> ids;
  for (const Index row : rows) ids.push_back(pool.id(row));
  return {Points(pool.points()(rows, Eigen::all)), pool.inputs(), std::move(ids), "the sample of the pool"};
}

}  // namespace

Study::Study(StudyFile file, Pool pool, Offer offer, Acquisition acquisition,
             std::shared_ptr<const CostFunction> cost, std::shared_ptr<const NoiseLaw> noise,
             std::vector<std::string> remarks)
    : file_(std::move(file)),
      pool_(std::move(pool)),
      offer_(std::move(offer)),
      acquisition_(std::move(acquisition)),
      cost_(std::move(cost)),
      noise_(std::move(noise)),
      remarks_(std::move(remarks)) {
  if (file_.standardise == Standardise::pool) pool_scaling_ = Scaling::standardise(pool_.points());
  if (file_.standardise == Standardise::none) input_spread_ = Scaling::standardise(pool_.points()).scale();
}
Study::~Study() = default;
Study::Study(Study&&) noexcept = default;
Study& Study::operator=(Study&&) noexcept = default;

Study Study::open(const std::filesystem::path& path, StudyDefaults defaults) {
  StudyFile file = read_study_file(path, defaults);
  for (const std::filesystem::path& part : {file.initial.file, file.annotator.truth}) require_no_pipe(part);
  const std::shared_ptr<const CostFunction> cost = file.ladder ? make_cost(file) : nullptr;
  Offer offer{.levels = make_levels(file, cost.get()), .base_noise = {}};
  if (file.ladder && file.ladder->continuous) check_continuous_cost(file, *cost);

  const auto table = PoolFile::recognises(file.pool_file)
                         ? std::variant<Table, PoolFile>(PoolFile::open(file.pool_file))
                         : Table::parse(read_regular_file(file.pool_file), file.pool_file.string());
  Pool pool = std::visit([&](const auto& rows) { return read_pool(file, rows); }, table);
  if (file.lengthscale_per_input && !file.lengthscale.empty() &&
      file.lengthscale.size() != pool.inputs().size())
    file.complain(
        fmt::format("model.lengthscale has {} entries, must be one number or a list of {}, one per input",
                    file.lengthscale.size(), pool.inputs().size()));
  const auto noise = std::make_shared<const NoiseLaw>(file, pool.inputs());
  offer.base_noise = std::visit([&](const auto& rows) { return noise_over(*noise, pool, rows); }, table);
  check_total_noise(file, pool, offer);

  Acquisition acquisition = make_acquisition(file, offer, cost);
  std::vector<std::string> remarks = make_remarks(file, pool, offer);
  return {std::move(file), std::move(pool),   std::move(offer), std::move(acquisition), cost,
          noise,           std::move(remarks)};
}

Study Study::variant(const StudyVariant& different) const {
  StudyFile file = file_;
  if (different.information) file.acquisition.kind = *different.information;
  if (different.seed) file.seed = *different.seed;
  if (different.budget) file.budget = different.budget;
  if (different.initial) file.initial = *different.initial;
  if (different.stop) file.stop = *different.stop;
  Offer offer = offer_;
  Pool pool = pool_;
  if (!different.rows.empty()) {
    pool = some_of(pool_, different.rows);
    offer.base_noise = offer_.base_noise(different.rows);
  }
  Acquisition acquisition = make_acquisition(file, offer, cost_);
  if (different.only_level) {
    acquisition.only_level = different.only_level;
    acquisition.continuous.reset();
  }
  std::vector<std::string> remarks = make_remarks(file, pool, offer);
  Study study(std::move(file), std::move(pool), std::move(offer), std::move(acquisition), cost_, noise_,
              std::move(remarks));
  study.pool_scaling_ = pool_scaling_;
  study.input_spread_ = input_spread_;
  return study;
}

Points Study::read_inputs(const Table& table) const {
  return read_columns(table, pool_.inputs(), "pool.inputs");
}

std::unique_ptr<PoolBelief> Study::belief(const StudyModel& model, const PoolStorage& storage,
                                          int threads) const {
  if (file_.binary)
    return std::make_unique<EpPoolBelief>(model.prior, pool_.points(), model.observations, threads);
  return std::make_unique<GpPoolBelief>(model.prior, pool_.points(), model.observations, threads, storage);
}

Prior Study::prior_given(const std::vector<Annotation>& annotations) const {
  return prior_for(Observations(observations_of(annotations), pool_.points()));
}

Prior Study::prior_for(const Observations& observations) const {
  Prior prior;
  const Vector& values = observations.values();
  if (file_.standardise == Standardise::pool) prior.scaling = pool_scaling_;
  if (file_.standardise == Standardise::annotations)
    prior.scaling = Scaling::standardise(observations.points());
  if (file_.mean)
    prior.mean = *file_.mean;
  else
    prior.mean = values.size() == 0 ? 0.0 : values.mean();
  // Squares of the residuals must be numbers, or nothing the model says would be one.
  for (const double value : values)
    if (!std::isfinite((value - prior.mean) * (value - prior.mean)))
      throw NumericalError(fmt::format(
          "{}: an annotation is {} and the mean {}, too far apart to compute with; must be rescaled",
          file_.path.string(), value, prior.mean));

  // What is to be learned starts where it suits the spread of answers and inputs.
  const Index inputs = pool_.points().cols();
  double amplitude = file_.binary ? 3.0 : 1.0;
  if (!file_.binary && values.size() > 0) {
    const double spread = std::sqrt((values.array() - prior.mean).square().mean());
    if (std::isnormal(spread * spread)) amplitude = spread;
  }
  Vector lengthscale =
      Vector::Constant(file_.lengthscale_per_input ? inputs : 1, std::sqrt(static_cast<double>(inputs)));
  if (input_spread_.size() > 0) {
    if (file_.lengthscale_per_input)
      lengthscale = lengthscale.cwiseProduct(input_spread_);
    else
      lengthscale *= input_spread_.norm() / std::sqrt(static_cast<double>(inputs));
  }
  if (!file_.lengthscale.empty())
    lengthscale =
        Eigen::Map<const Vector>(file_.lengthscale.data(), static_cast<Index>(file_.lengthscale.size()));
  prior.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
      .family = file_.kernel, .amplitude = file_.amplitude.value_or(amplitude), .lengthscale = lengthscale});
  return prior;
}

// What is learned of the noise, or of the accuracy, on from what was learned before.
LearnOptions Study::learn_options(const std::vector<Annotation>& annotations,
                                  const Observations& observations, const Learned* before,
                                  int threads) const {
  LearnOptions options{.optimiser = file_.fit.optimiser,
                       .restarts = file_.fit.restarts,
                       .seed = file_.seed,
                       .threads = threads,
                       .hyperparameter_prior = file_.fit.prior,
                       .nugget = std::nullopt,
                       .noise = std::nullopt,
                       .accuracy = std::nullopt,
                       .progress = {},
                       .pool = spread_sample(pool_.points()),
                       .input_spread = input_spread_};
  if (!file_.binary && !file_.nugget) options.nugget = before != nullptr ? before->nugget : 0.0;
  if (!file_.fit.noise) return options;
  if (file_.binary) {
    AccuracyParts accuracy{.law = before && before->accuracy ? *before->accuracy : file_.ladder->accuracy(),
                           .alpha = {}};
    for (const Annotation& annotation : annotations) accuracy.alpha.push_back(annotation.alpha);
    // Where every accuracy was reported there is nothing to learn, and the study's values stay.
    if (std::any_of(accuracy.alpha.begin(), accuracy.alpha.end(), [](const auto& alpha) { return alpha; }))
      options.accuracy = std::move(accuracy);
    return options;
  }
  const Index n = observations.size();
  NoiseParts parts{.fixed = observations.noise(), .base = Vector::Zero(n), .added = Vector::Zero(n)};
  if (!is_ladder()) parts.levels.assign(offer_.levels.size(), Vector::Zero(n));
  for (Index i = 0; i < n; ++i) {
    const Annotation& annotation = annotations[static_cast<std::size_t>(i)];
    parts.base(i) = annotation.base_noise;
    parts.fixed(i) -= annotation.base_noise;
    if (is_ladder())
      parts.added(i) = annotation.added_noise;
    else if (annotation.level)
      parts.levels[static_cast<std::size_t>(*annotation.level)](i) = annotation.added_noise;
    if (is_ladder() || annotation.level) parts.fixed(i) -= annotation.added_noise;
  }
  parts.fixed = parts.fixed.cwiseMax(0.0);
  if (before != nullptr)
    parts.start = {.added = before->added_scale, .base = before->base_scale, .levels = before->level_scales};
  options.noise = std::move(parts);
  return options;
}

Learned Study::learn_from(const std::vector<Annotation>& annotations,
                          const std::function<void(int, double)>& progress, int threads,
                          const Learned* before) const {
  // The paper's rule starts from the study's values each time.
  if (file_.fit.optimiser == Optimiser::adam) before = nullptr;
  const Observations given(observations_of(annotations), pool_.points());
  Prior prior = prior_for(given);
  if (before) prior.kernel = before->prior.kernel;
  // A nugget that is given is noise that is known.
  const Observations observations =
      file_.nugget.value_or(0.0) > 0.0
          ? Observations(given.points(), given.values(), Vector(given.noise().array() + *file_.nugget))
          : given;
  const Vector& values = observations.values();
  const bool modern = !file_.nugget || file_.fit.prior == HyperparameterPrior::weak;
  if (modern && (values.size() < 3 || values.minCoeff() == values.maxCoeff())) {
    const std::string why = values.size() < 3
                                ? fmt::format("there are {} values, must be three or more", values.size())
                                : "all values are the same";
    Learned kept{.prior = prior, .reason = "the earlier values are kept: " + why};
    if (before) kept = *before, kept.reason = "the earlier values are kept: " + why;
    if (!before) kept.nugget = nugget({}, prior);
    kept.log_marginal_likelihood =
        values.size() == 0 || file_.binary ? 0.0 : likelihood(prior, observations).log_marginal;
    return kept;
  }
  LearnOptions options = learn_options(annotations, observations, before, threads);
  options.progress = progress;
  Learned learned = learn(prior, observations, options);
  if (file_.nugget) learned.nugget = *file_.nugget;
  return learned;
}

double Study::nugget(const std::optional<Learned>& learned, const Prior& prior) const {
  if (file_.binary) return 0.0;
  if (file_.nugget) return *file_.nugget;
  if (learned) return learned->nugget;
  constexpr double share = 0.01;  // the centre of what is believed about it (math.md 11.2)
  return share * prior.kernel->diagonal(Points::Zero(1, pool_.points().cols()))(0);
}

Channel Study::channel_of(const Annotation& annotation, const StudyModel& model) const {
  return channel_of(annotation, model.learned, model.nugget);
}

// Where the noise or the accuracy itself was reported it stays as it is, but for the nugget.
Channel Study::channel_of(const Annotation& annotation, const std::optional<Learned>& learned,
                          double nugget) const {
  if (file_.binary) {
    if (!learned || !file_.fit.noise || !learned->accuracy || !annotation.alpha) return annotation.channel;
    return FlipChannel{(*learned->accuracy)(*annotation.alpha)};
  }
  double noise = noise_variance(annotation.channel) + nugget;
  if (!learned || !file_.fit.noise) return GaussianChannel{noise};
  double added_scale = is_ladder() ? learned->added_scale : 1.0;  // a price list has no gamma
  if (!is_ladder() && annotation.level &&
      static_cast<std::size_t>(*annotation.level) < learned->level_scales.size())
    added_scale = learned->level_scales[static_cast<std::size_t>(*annotation.level)];
  noise += (learned->base_scale - 1.0) * annotation.base_noise + (added_scale - 1.0) * annotation.added_noise;
  return GaussianChannel{noise};
}

std::int64_t Study::learns_from(std::int64_t annotations, std::int64_t last) const {
  if (!file_.fit.automatic) return file_.fit.every > 0 ? annotations / file_.fit.every * file_.fit.every : 0;
  constexpr std::int64_t least = 3;
  if (annotations < least) return 0;
  const auto grown = static_cast<std::int64_t>(std::ceil(1.15 * static_cast<double>(last) - 1e-9));
  const bool is_due = annotations >= std::max(last + 1, grown);
  return is_due ? annotations : std::min(last, annotations);
}

StudyModel Study::model_given(const std::vector<Annotation>& annotations, int threads) const {
  const std::int64_t used = learns_from(static_cast<std::int64_t>(annotations.size()));
  std::optional<Learned> learned;
  if (used > 0) learned = learn_from({annotations.begin(), annotations.begin() + used}, {}, threads);
  return model_given(annotations, std::move(learned));
}

StudyModel Study::model_given(const std::vector<Annotation>& annotations,
                              std::optional<Learned> learned) const {
  StudyModel model{.prior = prior_given(annotations),
                   .observations = observations_of(annotations),
                   .offer = offer_,
                   .acquisition = acquisition_,
                   .learned = std::move(learned)};
  if (model.learned) model.prior.kernel = model.learned->prior.kernel;
  model.nugget = nugget(model.learned, model.prior);
  for (std::size_t i = 0; i < annotations.size(); ++i)
    model.observations[i].channel = channel_of(annotations[i], model);
  if (!file_.binary) {
    if (model.learned && file_.fit.noise) model.offer.base_noise *= model.learned->base_scale;
    model.offer.base_noise.array() += model.nugget;
  }
  if (!model.learned || !file_.fit.noise) return model;
  std::optional<ContinuousPrecision>& continuous = model.acquisition.continuous;
  if (file_.binary) {
    if (!model.learned->accuracy) return model;
    const AccuracyLaw& law = *model.learned->accuracy;
    if (continuous) continuous->law = {.gamma = law.gamma, .kappa = law.kappa};
    for (Level& level : model.offer.levels) level.channel = FlipChannel{law(*level.alpha)};
    return model;
  }
  const double added_scale = is_ladder() ? model.learned->added_scale : 1.0;
  if (continuous) continuous->law.gamma *= added_scale;
  for (std::size_t k = 0; k < model.offer.levels.size(); ++k) {
    Level& level = model.offer.levels[k];
    const double scale =
        k < model.learned->level_scales.size() ? model.learned->level_scales[k] : added_scale;
    level.channel = GaussianChannel{scale * noise_variance(level.channel)};
  }
  return model;
}

AveragedModel Study::averaged(const StudyModel& model, const std::vector<Annotation>& annotations,
                              int threads) const {
  const Observations as_seen(model.observations, pool_.points());
  const bool can_average = file_.average > 1 && model.learned && annotations.size() >= 3;
  if (!can_average) return AveragedModel::point(model.prior, as_seen, model.nugget);
  const Observations as_told(observations_of(annotations), pool_.points());
  LearnOptions options = learn_options(annotations, as_told, &*model.learned, threads);
  options.accuracy.reset();
  const Observations& used = file_.binary || (file_.nugget && !options.noise) ? as_seen : as_told;
  const Vector& values = used.values();
  if (values.minCoeff() == values.maxCoeff()) return AveragedModel::point(model.prior, as_seen, model.nugget);
  if (options.noise && file_.nugget) options.noise->fixed.array() += *file_.nugget;
  AveragedModel averaged = AveragedModel::around(model.prior, used, options, file_.average);
  return averaged;
}

Level Study::level_named(const std::string& name) const {
  std::vector<std::string> names;
  for (const Level& level : offer_.levels) {
    if (level.name == name && !is_ladder()) return level;
    names.push_back(level.name);
  }
  throw InputError(
      fmt::format("level is \"{}\", must be {}", name,
                  is_ladder() ? "left out: the study has [precision]" : "one of " + quoted_list(names)));
}

Level Study::level_of(double alpha) const {
  if (!is_ladder()) throw InputError("alpha must be left out: the study has [[level]]");
  const bool in_range = file_.binary ? alpha >= 0.0 && alpha <= 1.0 : alpha >= 1.0;
  if (!in_range)
    throw InputError(
        fmt::format("alpha is {}, must be {}", alpha,
                    file_.binary ? "a number from 0 to 1" : "a number of at least 1 (inf is one)"));
  for (const Level& rung : offer_.levels)
    if (rung.alpha == alpha) return rung;
  const double price = (*cost_)(alpha);
  if (const std::string required = price_requirement(price); !required.empty())
    throw InputError(
        fmt::format("precision.cost is {} at alpha = {}, must be {}", price_text(price), alpha, required));
  return {.name = {},
          .alpha = alpha,
          .channel = file_.ladder->law(Precision::of(alpha)),
          .cost = price,
          .value = alpha};
}

double Study::base_noise_at(const std::vector<double>& inputs) const {
  return noise_->outside_of_tables(inputs.data());
}

Vector Study::base_noise_of(const Table& table) const {
  if (const auto* column = std::get_if<NoiseColumn>(&file_.noise))
    if (!table.find(column->name)) return Vector::Constant(table.rows(), std::nan(""));
  const Points points = read_inputs(table);
  Vector noise(table.rows());
  for (Index row = 0; row < table.rows(); ++row)
    noise(row) = (*noise_)(points.data() + row * points.cols(), table, row);
  return noise;
}

Annotation Study::annotation(Place place, double base_noise, const Level& level, double value,
                             double cost) const {
  Annotation annotation{.place = std::move(place),
                        .value = value,
                        .channel = level.channel,
                        .level = {},
                        .cost = cost,
                        .alpha = level.alpha};
  for (std::size_t k = 0; k < offer_.levels.size(); ++k)
    if (offer_.levels[k].alpha == level.alpha && offer_.levels[k].name == level.name)
      annotation.level = static_cast<Index>(k);
  if (file_.binary) return annotation;
  annotation.base_noise = base_noise;
  annotation.added_noise = noise_variance(level.channel);
  annotation.channel = channel_at(level, base_noise);
  return annotation;
}

namespace {

// Annotations by their inputs, for pool rows that may be the same point whatever their id: -0 equals 0.
class PlacesByInputs {
 public:
  PlacesByInputs(const std::vector<Annotation>& annotations, Index inputs) : inputs_(inputs) {
    for (const Annotation& annotation : annotations)
      if (!annotation.place.pool_row()) annotations_.push_back(&annotation);
    std::sort(annotations_.begin(), annotations_.end(),
              [](const Annotation* a, const Annotation* b) { return first(a) < first(b); });
  }

  bool empty() const { return annotations_.empty(); }

  // Calls visit(annotation) for those that were made at x.
  template <typename Visit>
  void at(const double* x, const Visit& visit) const {
    auto candidate = std::lower_bound(annotations_.begin(), annotations_.end(), x[0],
                                      [](const Annotation* a, double value) { return first(a) < value; });
    for (; candidate != annotations_.end() && first(*candidate) == x[0]; ++candidate)
      if (std::equal(x, x + inputs_, (*candidate)->place.coordinates().data())) visit(**candidate);
  }

 private:
  static double first(const Annotation* annotation) { return annotation->place.coordinates()(0); }

  Index inputs_;
  std::vector<const Annotation*> annotations_;  // by their first input
};

}  // namespace

Candidates Study::candidates_after(const std::vector<Annotation>& annotations,
                                   std::optional<double> remaining) const {
  Candidates candidates;
  candidates.step = annotations.size();
  double spent = 0.0;
  for (const Annotation& annotation : annotations) spent += annotation.cost;
  candidates.remaining = remaining.value_or(file_.budget.value_or(candidates.remaining) - spent);
  candidates.slack =
      1e-9 * file_.budget.value_or(std::isfinite(candidates.remaining) ? candidates.remaining : 0.0);

  candidates.open.assign(static_cast<std::size_t>(pool_.size()), 1);
  const auto close = [&](Index row, const Annotation& annotation) {
    if (!file_.repeat) candidates.open[static_cast<std::size_t>(row)] = 0;
    const bool sold =
        annotation.level && offer_.levels[static_cast<std::size_t>(*annotation.level)].repeats_itself;
    if (sold) candidates.sold.emplace(row, *annotation.level);
  };
  for (const Annotation& annotation : annotations)
    if (const std::optional<Index> row = annotation.place.pool_row()) close(*row, annotation);
  const PlacesByInputs places(annotations, pool_.points().cols());
  for (Index row = 0; !places.empty() && row < pool_.size(); ++row)
    places.at(pool_.point(row), [&](const Annotation& annotation) { close(row, annotation); });
  return candidates;
}

std::vector<Observation> observations_of(const std::vector<Annotation>& annotations) {
  std::vector<Observation> observations;
  observations.reserve(annotations.size());
  for (const Annotation& a : annotations)
    observations.push_back({.place = a.place, .value = a.value, .channel = a.channel});
  return observations;
}

}  // namespace acuity
