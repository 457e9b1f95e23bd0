#include "acuity/study/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>

#include "acuity/base/errors.hpp"
#include "acuity/data/precision.hpp"
#include "acuity/data/table.hpp"
#include "acuity/model/averaged_model.hpp"
#include "acuity/model/chained_pool_belief.hpp"
#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/joint_pool_belief.hpp"
#include "acuity/model/leave_one_out.hpp"
#include "acuity/study/study_file.hpp"
#include "text/nearest.hpp"

namespace acuity {

namespace {

Index whole_rows(const PoolStorage& storage) {
  return storage.whole ? storage.whole->rows : 0;
}

constexpr double normal_95 = 1.959963984540054;  // half the 95 % interval of a standard normal

// An answer that only says where the value is not: "<5".
bool is_limit(const std::string& text) {
  return text.starts_with('<') || text.starts_with('>');
}

// ASCII letters; those of other alphabets must be written as in the study.
std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

class RealPosterior final : public TargetPosterior {
 public:
  RealPosterior(const Prior& prior, const Observations& observations)
      : prior_(prior), observations_(observations), posterior_(prior, observations) {}

  Marginals predict(const PointsRef& x) const override { return posterior_.predict(x); }
  Marginals predict_part(const PointsRef& x, int bias, AnswerPart part) const override {
    return posterior_.predict_part(x, bias, part);
  }
  Vector mean(const PointsRef& x) const override { return posterior_.mean(x); }
  Vector expectation(const PointsRef& x) const override { return mean(x); }
  PredictionError error_at(const PointsRef& x, const Vector& values) const override {
    return error_of(predict(x), values);
  }
  double predicted_error(const PointsRef& x, const Vector& weights) const override {
    return std::sqrt(weights.dot(predict(x).variance));
  }
  Matrix covariance(const PointsRef& x) const override { return posterior_.covariance(x, x); }
  Marginals leave_one_out() const override {
    std::call_once(is_left_out_, [this] { left_out_ = acuity::leave_one_out(prior_, observations_); });
    return {left_out_.mean, left_out_.variance};
  }
  PredictionError leave_one_out_error() const override {
    return error_of(leave_one_out(), observations_.values());
  }
  std::string convergence_problem() const override { return ""; }

 private:
  static PredictionError error_of(const Marginals& predicted, const Vector& values) {
    return {.actual = std::sqrt((values - predicted.mean).squaredNorm() / static_cast<double>(values.size())),
            .predicted = std::sqrt(predicted.variance.mean())};
  }

  Prior prior_;
  Observations observations_;
  GpPosterior posterior_;
  // Computed when first asked for: it takes as long as the posterior.
  mutable std::once_flag is_left_out_;
  mutable LeaveOneOut left_out_;
};

class ClassPosterior final : public TargetPosterior {
 public:
  ClassPosterior(const Prior& prior, const Observations& observations)
      : observations_(observations), posterior_(prior, observations) {}

  Marginals predict(const PointsRef& x) const override { return posterior_.predict(x); }
  Marginals predict_part(const PointsRef& x, int, AnswerPart part) const override {
    if (part == AnswerPart::all) return predict(x);
    return {Vector::Zero(x.rows()), Vector::Zero(x.rows())};
  }
  Vector mean(const PointsRef& x) const override { return posterior_.mean(x); }
  Vector expectation(const PointsRef& x) const override {
    const Marginals latent = predict(x);
    Vector positive(x.rows());
    for (Index i = 0; i < x.rows(); ++i)
      positive(i) = clean_probabilities({latent.mean(i), latent.variance(i)}).positive;
    return positive;
  }
  PredictionError error_at(const PointsRef& x, const Vector& values) const override {
    return error_of(expectation(x), values);
  }
  double predicted_error(const PointsRef& x, const Vector& weights) const override {
    const Vector positive = expectation(x);
    return weights.dot(positive.cwiseMin((1.0 - positive.array()).matrix()));
  }
  Matrix covariance(const PointsRef&) const override {
    throw std::logic_error("the covariance of f is computed for real targets only");
  }
  Marginals leave_one_out() const override {
    return {leave_one_out_probabilities(posterior_, observations_), Vector::Zero(observations_.size())};
  }
  PredictionError leave_one_out_error() const override {
    return error_of(leave_one_out().mean, observations_.values());
  }
  std::string convergence_problem() const override { return posterior_.convergence_problem(); }

 private:
  static PredictionError error_of(const Vector& probabilities, const Vector& labels) {
    PredictionError error;
    for (Index i = 0; i < labels.size(); ++i) {
      error.actual += (probabilities(i) > 0.5) == (labels(i) > 0.0) ? 0.0 : 1.0;
      error.predicted += std::min(probabilities(i), 1.0 - probabilities(i));
    }
    const auto count = static_cast<double>(labels.size());
    return {.actual = error.actual / count, .predicted = error.predicted / count};
  }

  Observations observations_;
  EpPosterior posterior_;
};

std::shared_ptr<const Information> finder(const Finding& finding) {
  using Best = BestInformation::Best;
  if (finding.is_contour()) return std::make_shared<ContourInformation>(finding.threshold);
  return std::make_shared<BestInformation>(finding.sought == Finding::Sought::maximum ? Best::highest
                                                                                      : Best::lowest);
}

class RealTarget final : public Target {
 public:
  RealTarget() = default;
  RealTarget(TargetLabel label, AnswerScale scale) : Target(std::move(label), std::move(scale)) {}

  std::string_view kind() const override { return "real"; }
  const std::vector<std::string>& class_names() const override { return none_; }
  const TargetDefaults& defaults() const override {
    static const TargetDefaults defaults{.mean = std::nullopt,
                                         .amplitude = std::nullopt,
                                         .lengthscale_per_input = true,
                                         .has_nugget = true,
                                         .has_structures = true,
                                         .has_biases = true,
                                         .has_approximation = false,
                                         .has_inverse_spacing = true,
                                         .graph = TargetGraph::c,
                                         .criterion = GoalCriterion::variance};
    return defaults;
  }

  std::optional<WrittenAnswer> read_written(const std::string& text) const override {
    return scale().read(text);
  }
  std::string text_requirement() const override { return scale().text_requirement(); }
  // Tables may have decimal commas; on the command line "5,6" could be two answers.
  std::string remark_on(const std::string& text) const override {
    std::string with_point = text;
    std::replace(with_point.begin(), with_point.end(), ',', '.');
    if (std::count(text.begin(), text.end(), ',') == 1 && read(with_point))
      return fmt::format("it has a decimal comma, write {}", with_point);
    return is_limit(text) ? "a limit is no value, and the model cannot use it; tell what was measured, or "
                            "fail the suggestion"
                          : "";
  }
  bool accepts(double value) const override { return scale().accepts(value); }
  std::string_view value_requirement() const override { return scale().requirement(); }
  std::string show(double value) const override { return shortest(value); }
  double clean_answer(double f) const override { return f; }
  ExpectedAnswer expected_answer(const LatentMarginal& latent, const Channel& channel) const override {
    const double noise = std::sqrt(noise_variance(channel));
    return {.value = latent.mean, .sd = std::sqrt(latent.variance + noise * noise)};
  }

  bool has_noise() const override { return true; }
  std::string_view channel_noun() const override { return "a noise"; }
  std::string_view misfit() const override {
    return "it has an accuracy, must have a noise variance: the study's answers are numbers";
  }
  std::string_view channel_column() const override { return "noise_variance"; }
  std::vector<std::string> channel_columns() const override { return {"noise_sd", "noise_variance"}; }
  bool fits(const Channel& channel) const override {
    return std::holds_alternative<GaussianChannel>(channel);
  }
  Channel stated_channel(double value) const override { return GaussianChannel{value}; }
  bool accepts(const Channel& channel) const override {
    const auto* gaussian = std::get_if<GaussianChannel>(&channel);
    return gaussian != nullptr && gaussian->noise_variance > 0.0 && gaussian->noise_variance < 1e300;
  }
  std::string_view channel_requirement() const override { return "a finite number above 0"; }
  std::string level_problem(const std::string& level, const Channel& channel) const override {
    const auto* gaussian = std::get_if<GaussianChannel>(&channel);
    if (gaussian == nullptr)
      return fmt::format("level \"{}\" has no noise variance, must have one for a real target", level);
    if (!(gaussian->noise_variance >= 0.0))
      return fmt::format("the noise variance of level \"{}\" is {}, must be 0 or more", level,
                         gaussian->noise_variance);
    return "";
  }
  bool accepts_alpha(double alpha) const override { return alpha >= 1.0; }
  std::string_view alpha_requirement() const override { return "a number of at least 1 (inf is one)"; }
  std::shared_ptr<const Information> information(const AcquisitionSetting& setting) const override {
    if (setting.kind == AcquisitionSetting::Kind::target)
      return std::make_shared<TargetInformation>(setting.target);
    if (setting.kind == AcquisitionSetting::Kind::goal && setting.finding) return finder(*setting.finding);
    if (setting.kind == AcquisitionSetting::Kind::goal)
      return std::make_shared<GoalInformation>(setting.criterion);
    return std::make_shared<ModelInformation>();
  }
  bool information_depends_on_answers() const override { return false; }
  std::string_view information_unit() const override { return "nats"; }

  std::unique_ptr<PoolBelief> belief(const Prior& prior, const PointsRef& pool,
                                     std::shared_ptr<const Goal> goal,
                                     const std::vector<Observation>& observations, int threads,
                                     const PoolStorage& storage, bool) const override {
    if (prior.chain)
      return std::make_unique<ChainedPoolBelief>(
          prior, pool, std::move(goal), observations,
          JointPoolOptions{.threads = threads, .whole_pool = whole_rows(storage)});
    if (goal || prior.has_bias())
      return std::make_unique<JointPoolBelief>(
          prior, pool, std::move(goal), observations,
          JointPoolOptions{.threads = threads, .whole_pool = whole_rows(storage)});
    return std::make_unique<GpPoolBelief>(prior, pool, observations, threads, storage);
  }
  std::unique_ptr<const TargetPosterior> posterior(const Prior& prior,
                                                   const Observations& observations) const override {
    return std::make_unique<RealPosterior>(prior, observations);
  }

  double expectation(const LatentMarginal& latent) const override { return latent.mean; }
  Marginals expectation(const AveragedMarginals& f) const override {
    return {f.mean, f.variance.cwiseMax(0.0)};
  }
  std::string_view error_measure() const override {
    switch (scale().kind()) {
      case TargetScale::linear:
        break;
      case TargetScale::logarithmic:
        return "root mean square error of the logarithm";
      case TargetScale::fraction:
        return "root mean square error of the arcsine of the root";
      case TargetScale::rate:
        return "root mean square error of the root";
    }
    return "root mean square error";
  }
  double error_of(const Vector& mean, const Vector& truth) const override {
    return std::sqrt((mean - truth).squaredNorm() / static_cast<double>(truth.size()));
  }
  double error_of(const Vector& mean, const Vector& truth, const Vector& weights) const override {
    double sum = 0.0;
    for (Index i = 0; i < truth.size(); ++i) {
      const double error = error_of(mean.segment(i, 1), truth.segment(i, 1));
      sum += weights(i) * (error * error);
    }
    return std::sqrt(sum);
  }
  // Of counts in the unit of the answers, to first order; with a logarithm it is a factor.
  ExpectedError expected_error(const AveragedMarginals& f, const Vector& weights) const override {
    const Vector slope = f.mean.unaryExpr([&](double at) { return scale().slope(at); });
    const double low = f.mean.minCoeff(), high = f.mean.maxCoeff();
    return {.size = std::sqrt(weights.dot((slope.array().square() * f.variance.array().max(0.0)).matrix())),
            .range = is_counted() ? to_answer(high) - to_answer(low) : high - low};
  }
  std::optional<double> surprise(const LatentMarginal& predicted, const Channel& channel,
                                 double value) const override {
    const double variance = predicted.variance + std::get<GaussianChannel>(channel).noise_variance;
    if (!(variance > 0.0)) return std::nullopt;
    return (value - predicted.mean) / std::sqrt(variance);
  }
  bool is_surprising(double surprise) const override { return std::abs(surprise) > 4.0; }
  std::string_view surprise_column() const override { return "z"; }

 private:
  std::vector<std::string> none_;
};

class ClassTarget final : public Target {
 public:
  ClassTarget(std::vector<std::string> names, TargetLabel label)
      : Target(std::move(label)), names_(std::move(names)) {
    if (!names_.empty() && (names_.size() != 2 || names_[0] == names_[1]))
      throw InputError("target.classes must be two different names, the first for -1");
  }

  std::string_view kind() const override { return "binary"; }
  const std::vector<std::string>& class_names() const override { return names_; }
  const TargetDefaults& defaults() const override {
    static const TargetDefaults defaults{.mean = 0.0,
                                         .amplitude = 3.0,
                                         .lengthscale_per_input = false,
                                         .has_nugget = false,
                                         .has_structures = false,
                                         .has_biases = false,
                                         .has_approximation = true,
                                         .has_inverse_spacing = false,
                                         .graph = TargetGraph::b,
                                         .criterion = GoalCriterion::prediction};
    return defaults;
  }

  std::optional<WrittenAnswer> read_written(const std::string& text) const override {
    const std::optional<double> known = class_of(text);
    return known ? std::optional(WrittenAnswer{.value = *known}) : std::nullopt;
  }
  std::optional<double> class_of(const std::string& text) const {
    if (!names_.empty() && text == names_[0]) return -1.0;
    if (!names_.empty() && text == names_[1]) return 1.0;
    // Spreadsheets capitalise. If the names differ by more than that, it does not matter how they are
    // written.
    const bool is_unambiguous = !names_.empty() && lower_case(names_[0]) != lower_case(names_[1]);
    if (is_unambiguous && lower_case(text) == lower_case(names_[0])) return -1.0;
    if (is_unambiguous && lower_case(text) == lower_case(names_[1])) return 1.0;
    const std::optional<double> number = to_number(text);
    if (number == 1.0) return 1.0;
    if (number == -1.0 || number == 0.0) return -1.0;
    return std::nullopt;
  }
  std::string text_requirement() const override {
    return names_.empty() ? "-1 or 1 (or 0 or 1)" : quoted_list(names_) + " (or -1 or 1, or 0 or 1)";
  }
  std::string remark_on(const std::string&) const override { return ""; }
  bool accepts(double value) const override { return std::abs(value) == 1.0; }
  std::string_view value_requirement() const override { return "-1 or 1"; }
  std::string show(double value) const override {
    return names_.empty() ? shortest(value) : names_[value > 0.0 ? 1 : 0];
  }
  double clean_answer(double f) const override { return f < 0.0 ? -1.0 : 1.0; }
  ExpectedAnswer expected_answer(const LatentMarginal& latent, const Channel& channel) const override {
    const auto& flips = std::get<FlipChannel>(channel);
    const double clean = expectation(latent);
    if (!flips.is_symmetric()) return {.value = flips.positive(clean), .sd = std::nullopt};
    const double wrong = 1.0 - flips.accuracy();
    return {.value = (1.0 - wrong) * clean + wrong * (1.0 - clean), .sd = std::nullopt};
  }

  bool has_noise() const override { return false; }
  std::string_view channel_noun() const override { return "an accuracy"; }
  std::string_view misfit() const override {
    return "it has a noise variance, must have an accuracy: the study's answers are classes";
  }
  std::string_view channel_column() const override { return "accuracy"; }
  std::vector<std::string> channel_columns() const override { return {"accuracy"}; }
  bool fits(const Channel& channel) const override { return std::holds_alternative<FlipChannel>(channel); }
  Channel stated_channel(double value) const override { return FlipChannel{value}; }
  bool accepts(const Channel& channel) const override {
    const auto* flip = std::get_if<FlipChannel>(&channel);
    if (flip == nullptr) return false;
    if (flip->is_symmetric()) return flip->yes >= 0.5 && flip->yes <= 1.0;
    const auto is_probability = [](double p) { return p >= 0.0 && p <= 1.0; };
    return is_probability(flip->yes) && is_probability(flip->no) && flip->gain() >= -1e-9;
  }
  std::string_view channel_requirement() const override { return "a number from 0.5 to 1"; }
  std::string level_problem(const std::string& level, const Channel& channel) const override {
    const auto* flip = std::get_if<FlipChannel>(&channel);
    if (flip == nullptr)
      return fmt::format("level \"{}\" has no accuracy, must have one for a binary target", level);
    if (!accepts(channel))
      return fmt::format("the accuracy of level \"{}\" is {}, must be {}", level, flip->accuracy(),
                         channel_requirement());
    return "";
  }
  bool accepts_alpha(double alpha) const override { return alpha >= 0.0 && alpha <= 1.0; }
  std::string_view alpha_requirement() const override { return "a number from 0 to 1"; }
  std::shared_ptr<const Information> information(const AcquisitionSetting& setting) const override {
    if (setting.kind == AcquisitionSetting::Kind::target)
      return std::make_shared<ClassTargetInformation>(setting.target.graph);
    if (setting.kind == AcquisitionSetting::Kind::goal)
      return std::make_shared<ClassGoalInformation>(setting.criterion);
    return std::make_shared<ClassModelInformation>(setting.approximation);
  }
  bool information_depends_on_answers() const override { return true; }
  std::string_view information_unit() const override { return "bits"; }

  std::unique_ptr<PoolBelief> belief(const Prior& prior, const PointsRef& pool,
                                     std::shared_ptr<const Goal> goal,
                                     const std::vector<Observation>& observations, int threads,
                                     const PoolStorage& storage, bool one_class_per_point) const override {
    constexpr Index kept = Index{1} << 25, most_covariances = 100'000'000;
    return std::make_unique<EpPoolBelief>(prior, pool, observations, threads, kept, std::move(goal),
                                          most_covariances, whole_rows(storage), one_class_per_point);
  }
  std::unique_ptr<const TargetPosterior> posterior(const Prior& prior,
                                                   const Observations& observations) const override {
    return std::make_unique<ClassPosterior>(prior, observations);
  }

  double expectation(const LatentMarginal& latent) const override {
    return clean_probabilities(latent).positive;
  }
  Marginals expectation(const AveragedMarginals& f) const override {
    return {f.probability, Vector::Zero(f.probability.size())};
  }
  std::string_view error_measure() const override { return "share of wrong classes"; }
  double error_of(const Vector& mean, const Vector& truth) const override {
    double wrong = 0.0;
    for (Index row = 0; row < truth.size(); ++row)
      wrong += mean(row) == 0.0 ? 0.5 : (mean(row) < 0.0) == (truth(row) < 0.0) ? 0.0 : 1.0;
    return wrong / static_cast<double>(truth.size());
  }
  double error_of(const Vector& mean, const Vector& truth, const Vector& weights) const override {
    double sum = 0.0;
    for (Index i = 0; i < truth.size(); ++i)
      sum += weights(i) * error_of(mean.segment(i, 1), truth.segment(i, 1));
    return sum;
  }
  ExpectedError expected_error(const AveragedMarginals& f, const Vector& weights) const override {
    return {.size = weights.dot(f.probability.cwiseMin((1.0 - f.probability.array()).matrix())),
            .range = std::nullopt};
  }
  std::optional<double> surprise(const LatentMarginal& predicted, const Channel& channel,
                                 double value) const override {
    const double positive = answer_probabilities(predicted, std::get<FlipChannel>(channel)).positive;
    return value > 0.0 ? positive : 1.0 - positive;
  }
  bool is_surprising(double surprise) const override { return surprise < 0.01; }
  std::string_view surprise_column() const override { return "probability"; }

 private:
  std::vector<std::string> names_;
};

}  // namespace

std::shared_ptr<const Target> Target::real() {
  static const auto target = std::make_shared<const RealTarget>();
  return target;
}

std::shared_ptr<const Target> Target::real(TargetLabel label, AnswerScale scale) {
  return std::make_shared<const RealTarget>(std::move(label), std::move(scale));
}

std::shared_ptr<const Target> Target::classes(std::vector<std::string> names, TargetLabel label) {
  return std::make_shared<const ClassTarget>(std::move(names), std::move(label));
}

std::string Target::name_or(std::string_view otherwise) const {
  return label_.name.empty() ? std::string(otherwise) : label_.name;
}

std::string Target::title_or(std::string_view otherwise) const {
  return name_or(otherwise) + (label_.unit.empty() ? "" : " (" + label_.unit + ")");
}

std::optional<double> Target::read(const std::string& text) const {
  const std::optional<WrittenAnswer> written = read_written(text);
  return written ? std::optional(written->value) : std::nullopt;
}

std::string Target::modelled() const {
  return is_mapped() ? fmt::format("{} {}", scale_.map_name(), name_or("f")) : name_or("f");
}

std::string Target::belief_text(double mean, double sd, int digits) const {
  const std::string unit = label_.unit.empty() ? "" : fmt::format(" {}", printable(label_.unit, 40));
  if (!is_mapped())
    return fmt::format("{:.{}g} +- {:.{}g}{} (mean and standard deviation)", to_answer(mean), digits, sd,
                       digits, unit);
  const double low = to_answer(mean - normal_95 * sd), high = to_answer(mean + normal_95 * sd);
  return fmt::format("{:.{}g}{} (median; 95 % interval {:.{}g} to {:.{}g})", to_answer(mean), digits, unit,
                     low, digits, high, digits);
}

std::string Target::difference_text(double difference, int digits) const {
  if (is_logarithmic()) return fmt::format("{:.{}g} times", to_answer(difference), digits);
  return fmt::format("{:.{}g} {}{}", std::abs(difference), digits, difference >= 0.0 ? "above" : "below",
                     is_mapped() ? " in " + modelled() : "");
}

Channel Target::reported_channel(double noise_sd, const std::vector<double>& answers) const {
  if (is_counted())
    throw InputError(
        fmt::format("noise_sd is given, must be {}: the noise of counts follows from it",
                    scale_.kind() == TargetScale::fraction ? "n, the number of trials" : "n, the exposure"));
  if (!is_logarithmic()) return stated_channel(noise_sd * noise_sd);
  double mean = 0.0;
  for (const double answer : answers) mean += answer / static_cast<double>(answers.size());
  const double relative = noise_sd / mean;
  return stated_channel(relative * relative);
}

}  // namespace acuity
