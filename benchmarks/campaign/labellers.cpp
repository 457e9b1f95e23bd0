// Who gets the money of a labelling campaign: four people who look, one who guesses and one who says yes to
// everything come in turn until the budget is spent. labellers [SEEDS] [ACCURACY ...], by default 20 "learn"
// "learn-by-class". Prints one line per seed and means: the share of the money that went to the two, the
// error over the pool, who was accused.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "acuity/store/event_store.hpp"
#include "acuity/study/study_learner.hpp"
#include "numerics/random.hpp"
#include "views/people_view.hpp"

namespace {

using namespace acuity;

constexpr int items = 400;
constexpr int gold_every = 14;  // about 30 gold items
constexpr double price = 0.1, budget = 60.0;

// Two inputs, of which some 44 % are yes.
struct World {
  explicit World(std::uint32_t seed) : draws(seed, numerics::Purpose::data, 1600) {
    const double turn = draws.uniform(0.0, 6.28);
    for (int k = 0; k < items; ++k) {
      const double x = draws.uniform(-2.0, 2.0), y = draws.uniform(-2.0, 2.0);
      const double f = std::sin(1.3 * x + turn) + std::cos(1.1 * y - turn) - 0.15 + 0.15 * draws.normal();
      inputs.push_back({x, y});
      classes.push_back(f > 0.0 ? 1.0 : -1.0);
    }
  }
  numerics::Draws draws;
  std::vector<std::pair<double, double>> inputs;
  std::vector<double> classes;
};

struct Worker {
  std::string name;
  FlipChannel channel;
  bool is_good;
};

const std::vector<Worker> workers{{"c1", 0.78, true}, {"c2", 0.72, true},   {"c3", 0.82, true},
                                  {"c4", 0.70, true}, {"spam", 0.5, false}, {"yesman", {1.0, 0.0}, false}};

void write_study(const std::filesystem::path& folder, const World& world, const std::string& accuracy,
                 std::uint32_t seed) {
  std::ofstream pool(folder / "pool.csv"), gold(folder / "gold.csv"), study(folder / "study.toml");
  pool << "item,length,tone\n";
  gold << "id,class\n";
  for (int k = 0; k < items; ++k) {
    const auto at = static_cast<std::size_t>(k);
    pool << fmt::format("i{},{},{}\n", k, world.inputs[at].first, world.inputs[at].second);
    if (k % gold_every == 0) gold << fmt::format("i{},{}\n", k, world.classes[at] > 0.0 ? "yes" : "no");
  }
  study << fmt::format(
      "[campaign]\nbudget = {}\nseed = {}\n[pool]\nfile = \"pool.csv\"\nid = \"item\"\n[target]\nkind = "
      "\"binary\"\n"
      "classes = [\"no\", \"yes\"]\n[people]\ngold = \"gold.csv\"\ngold_rate = 0.1\nmax_per_item = "
      "3\n[[level]]\n"
      "name = \"crowd\"\naccuracy = \"{}\"\ncost = {}\n",
      budget, seed, accuracy, price);
}

struct Outcome {
  double share = 0.0, error = 0.0;
  std::map<std::string, int> answers;
  std::map<std::string, double> coin;  // the probability that their answers do not depend on the item
  std::string accused;
  int wrongly = 0;
};

Outcome run(std::uint32_t seed, const std::string& accuracy) {
  World world(seed);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("labellers-{}-{}", seed, accuracy);
  std::filesystem::create_directories(folder);
  write_study(folder, world, accuracy, seed);
  Campaign campaign(Study::open(folder / "study.toml"), make_memory_event_store(), {.threads = 1});
  Outcome result;
  double all = 0.0, wasted = 0.0;
  for (bool anybody = true; anybody;) {
    anybody = false;
    for (const Worker& worker : workers) {
      const auto found = campaign.ask({.worker = worker.name}).suggestions;
      if (found.empty()) continue;
      anybody = true;
      const double truth = world.classes[static_cast<std::size_t>(found[0].row)];
      Answer answer;
      answer.id = found[0].id;
      answer.values = {world.draws.uniform() < worker.channel.given(truth, truth) ? truth : -truth};
      campaign.tell({answer});
      all += price;
      if (!worker.is_good) wasted += price;
      ++result.answers[worker.name];
    }
  }
  result.share = wasted / all;
  const StudyModel model = campaign.model();
  const Vector mean = StudyLearner(campaign.study()).belief(model, {}, 1)->marginals().mean;
  for (int k = 0; k < items; ++k)
    result.error += mean(k) * world.classes[static_cast<std::size_t>(k)] > 0.0 ? 0.0 : 1.0 / items;
  for (const PersonView& one : people_view(campaign)) {
    if (one.by_class) result.coin[one.name] = one.by_class->coin;
    if (!one.remark.empty()) {
      result.accused += fmt::format(" {} ({})", one.name, one.remark);
      for (const Worker& worker : workers)
        if (worker.name == one.name && worker.is_good) ++result.wrongly;
    }
  }
  std::filesystem::remove_all(folder);
  return result;
}

}  // namespace

int main(int count, char** arguments) {
  const int seeds = count > 1 ? std::atoi(arguments[1]) : 20;
  std::vector<std::string> ways(arguments + std::min(count, 2), arguments + count);
  if (ways.empty()) ways = {"learn", "learn-by-class"};
  for (const std::string& way : ways) {
    double share = 0.0, error = 0.0;
    int wrongly = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
      const Outcome one = run(static_cast<std::uint32_t>(seed), way);
      share += one.share / seeds;
      error += one.error / seeds;
      wrongly += one.wrongly;
      std::string answers;
      for (const auto& [name, number] : one.answers)
        answers += fmt::format(" {} {}{}", name, number,
                               one.coin.contains(name) ? fmt::format(" ({:.3f})", one.coin.at(name)) : "");
      fmt::print("{} seed {}: share {:.3f} error {:.3f} answers{} | remarks:{}\n", way, seed, one.share,
                 one.error, answers, one.accused.empty() ? " none" : one.accused);
      std::fflush(stdout);
    }
    fmt::print("{}: share {:.3f}, error {:.4f}, good people accused {} times, {} seeds\n", way, share, error,
               wrongly, seeds);
  }
}
