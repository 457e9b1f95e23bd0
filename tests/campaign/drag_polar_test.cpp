// A drag polar on three meshes, with the errors that solvers have: smooth, the same every time and larger
// than declared, with runs that diverge and prices that vary. Everything is learned.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <set>

#include "acuity/campaign/campaign.hpp"
#include "acuity/model/averaged_model.hpp"
#include "acuity/study/study_learner.hpp"
#include "base/parallel.hpp"
#include "numerics/random.hpp"
#include "support/thorough.hpp"

namespace acuity::drag_polar_test {
namespace {

constexpr Index cases = 1500, judged = 500;
constexpr double spread = 0.0195;  // standard deviation of the drag coefficient

struct Mesh {
  std::string name;
  double declared = 0.0;  // noise_sd of the study
  double cost = 0.0;
  double bias = 0.0;  // root mean square of its error, in units of the declared one, without jitter
};
const std::array<Mesh, 3> meshes{
    {{"coarse", 12e-4, 1.0, 2.6}, {"medium", 3.6e-4, 8.0, 2.6}, {"fine", 0.96e-4, 64.0, 0.0}}};

std::size_t number_of(const std::string& name) {
  for (std::size_t k = 0; k < meshes.size(); ++k)
    if (meshes[k].name == name) return k;
  throw std::invalid_argument(name);
}

std::string settings(int seed) {
  std::string text = "[campaign]\nbudget = 600\nmax_cost = 100\nseed = " + std::to_string(seed) + "\n";
  for (const Mesh& mesh : meshes)
    text += "[[level]]\nname = \"" + mesh.name + "\"\nnoise_sd = " + std::to_string(mesh.declared) +
            "\ncost = " + std::to_string(mesh.cost) + "\nrepeat = \"same\"\n" +
            (mesh.bias > 0.0 ? "bias = \"learn\"\n" : "");
  return text;
}

double softplus(double x) {
  return x > 30.0 ? x : std::log1p(std::exp(x));
}

// mach, angle of attack and flap in degrees, the logarithm of the Reynolds number. Friction, lift-induced
// drag, wave drag beyond the drag divergence Mach number, and separation beyond stall.
double polar(double mach, double aoa, double log_re, double flap) {
  const double lift = (0.11 * (aoa + 2.0) + 0.03 * flap) / std::sqrt(1.0 - 0.5 * mach * mach);
  const double attached = 1.6 - softplus(6.0 * (1.6 - lift)) / 6.0;  // the lift saturates
  const double friction = 0.0105 * std::pow(10.0, -0.16 * (log_re - 6.5)) * (1.0 + 0.012 * flap);
  const double wave = 20.0 * std::pow(0.05 * softplus((mach - (0.82 - 0.1 * attached)) / 0.05), 4);
  const double stall = 0.008 * softplus((aoa - (12.0 - 0.15 * flap)) / 1.5);
  return friction + attached * attached / (std::numbers::pi * 0.85 * 9.0) + wave + stall;
}

// A wind tunnel in a computer: pool and answers by the seed.
class Solver {
 public:
  explicit Solver(int seed)
      : seed_(static_cast<std::uint64_t>(seed)), pool_(cases, 4), elsewhere_(judged, 4) {
    numerics::Draws draws(seed_, numerics::Purpose::data, 0);
    for (Points* points : {&pool_, &elsewhere_})
      for (Index i = 0; i < points->rows(); ++i)
        for (Index d = 0; d < 4; ++d) (*points)(i, d) = draws.uniform(lowest[d], highest[d]);
    for (Field& field : fields_) {
      field.offset = draws.normal();
      for (Index w = 0; w < waves; ++w) {
        field.size[w] = draws.normal();
        field.phase[w] = draws.uniform(0.0, 2.0 * std::numbers::pi);
        for (Index d = 0; d < 4; ++d) field.wave[w][d] = 1.5 * draws.normal();
      }
    }
    Vector drag(cases), squares = Vector::Zero(3);
    for (Index i = 0; i < cases; ++i) {
      drag(i) = polar(pool_(i, 0), pool_(i, 1), pool_(i, 2), pool_(i, 3));
      for (std::size_t k = 0; k < 3; ++k)
        squares(static_cast<Index>(k)) += std::pow(fields_[k].at(&pool_(i, 0)), 2);
    }
    scale_ = spread / std::sqrt((drag.array() - drag.mean()).square().mean());
    for (std::size_t k = 0; k < 3; ++k)
      fields_[k].scale =
          meshes[k].bias * meshes[k].declared / std::sqrt(squares(static_cast<Index>(k)) / cases);
  }

  const Points& pool() const { return pool_; }
  const Points& elsewhere() const { return elsewhere_; }
  double truth(const double* x) const { return scale_ * polar(x[0], x[1], x[2], x[3]); }
  /// The same every time.
  double run(Index row, std::size_t mesh) const {
    numerics::Draws draws(seed_, numerics::Purpose::data,
                          1 + static_cast<std::uint32_t>(3 * row + static_cast<Index>(mesh)));
    const double* x = &pool_(row, 0);
    return truth(x) + fields_[mesh].at(x) + 0.5 * meshes[mesh].declared * draws.normal();
  }
  double cost(Index row, std::size_t mesh) const {
    numerics::Draws draws(seed_ + 1000, numerics::Purpose::data,
                          1 + static_cast<std::uint32_t>(3 * row + static_cast<Index>(mesh)));
    return meshes[mesh].cost * draws.uniform(0.85, 1.15);
  }
  /// On every mesh; more often near stall, 4 % of all.
  bool diverges(Index row) const {
    numerics::Draws draws(seed_ + 2000, numerics::Purpose::data, 1 + static_cast<std::uint32_t>(row));
    const double past_stall = pool_(row, 1) - (12.0 - 0.15 * pool_(row, 3));
    return draws.uniform() < 0.02 + 0.1 / (1.0 + std::exp(-past_stall));
  }

 private:
  static constexpr Index waves = 12;
  static constexpr std::array<double, 4> lowest{0.2, -2.0, 6.0, 0.0}, highest{0.85, 14.0, 7.5, 20.0};

  // A sum of waves with long wavelengths: smooth, and not of the model's kind.
  struct Field {
    double at(const double* x) const {
      double sum = offset;
      for (Index w = 0; w < waves; ++w) {
        double angle = phase[w];
        for (std::size_t d = 0; d < 4; ++d)
          angle += wave[w][d] * (x[d] - lowest[d]) / (highest[d] - lowest[d]);
        sum += size[w] * std::sin(angle) * std::sqrt(2.0 / waves);
      }
      return scale * sum;
    }
    double offset = 0.0, scale = 1.0;
    std::array<double, waves> size{}, phase{};
    std::array<std::array<double, 4>, waves> wave{};
  };

  std::uint64_t seed_;
  Points pool_, elsewhere_;
  std::array<Field, 3> fields_;
  double scale_ = 1.0;
};

struct Judged {
  double error = 0.0;  // root mean square over points never asked
  double rms_z = 0.0;  // of the error in units of the standard deviation that is claimed there
  int paired = 0;      // points answered at two meshes or more
  std::array<int, 3> answers{};
  double spent = 0.0;
  int diverged = 0;
};

Judged judge(Campaign& campaign, const Solver& solver) {
  Judged result;
  const AveragedModel model =
      StudyLearner(campaign.study()).averaged(campaign.model(), campaign.annotations());
  const AveragedMarginals belief = model.predict(solver.elsewhere(), 1).marginals;
  for (Index i = 0; i < judged; ++i) {
    const double squared = std::pow(belief.mean(i) - solver.truth(&solver.elsewhere()(i, 0)), 2);
    result.error += squared / judged;
    result.rms_z += squared / belief.variance(i) / judged;
  }
  result.error = std::sqrt(result.error);
  result.rms_z = std::sqrt(result.rms_z);
  result.spent = campaign.state().spent();
  return result;
}

// From the first answer to the last unit of the budget. Diverged runs are paid for.
Judged spend(int seed) {
  const Solver solver(seed);
  Campaign campaign(
      Study::make(read_study_text(settings(seed)), Pool(solver.pool(), {"mach", "aoa", "log_re", "flap"})),
      make_memory_event_store(), {.threads = 1});
  std::map<Index, std::set<std::size_t>> levels;
  std::array<int, 3> answers{};
  int diverged = 0;
  for (AskResult result = campaign.ask(); !result.suggestions.empty(); result = campaign.ask())
    for (const Suggestion& s : result.suggestions) {
      const std::size_t mesh = number_of(s.level.name);
      const double cost = solver.cost(s.row, mesh);
      if (solver.diverges(s.row)) {
        campaign.fail({.id = s.id, .reason = "diverged", .charge = cost, .exclude = true});
        ++diverged;
        continue;
      }
      Answer answer;
      answer.id = s.id;
      answer.values = {solver.run(s.row, mesh)};
      answer.cost = cost;
      campaign.tell({answer});
      levels[s.row].insert(mesh);
      ++answers[mesh];
    }
  Judged result = judge(campaign, solver);
  for (const auto& [row, of_row] : levels) result.paired += of_row.size() > 1;
  result.answers = answers;
  result.diverged = diverged;
  return result;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// By those who took the levels' errors for noise, the same money was spent on 591 coarse answers and 1 medium
// one: an error of 0.00325, 6.5 times what was claimed. A third of it is wanted, and a claim that holds. One
// seed differs from the next by half of the error, so there are nine.
TEST(DragPolar, IsLearnedFromMeshesWithUnknownBias) {
  const std::size_t seeds = testing::thorough() ? 9 : 5;  // each takes four seconds of CPU time
  std::vector<Judged> results(seeds);
  base::parallel_for(static_cast<std::ptrdiff_t>(seeds), base::default_threads(), [&](std::ptrdiff_t i) {
    results[static_cast<std::size_t>(i)] = spend(1 + static_cast<int>(i));
  });
  std::vector<double> errors, ratios;
  std::string all;
  for (const Judged& one : results) {
    errors.push_back(one.error);
    ratios.push_back(one.rms_z);
    all += fmt::format(
        "error {:.5f}, rms z {:.2f}, {} coarse, {} medium, {} fine, {} points at several, {} diverged\n",
        one.error, one.rms_z, one.answers[0], one.answers[1], one.answers[2], one.paired, one.diverged);
    EXPECT_LE(one.spent, 610.0) << "the last answer may cost more than expected";
    EXPECT_GT(one.paired, 4) << "points at two meshes or more; four of them are first answers";
  }
  EXPECT_LE(median(errors), 0.00325 / 3.0) << all;
  EXPECT_GE(median(ratios), 0.8) << all;
  EXPECT_LE(median(ratios), 1.3) << all;
  if (testing::thorough()) std::fputs(all.c_str(), stdout);
}

}  // namespace
}  // namespace acuity::drag_polar_test
