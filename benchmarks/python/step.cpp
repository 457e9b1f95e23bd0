// Steps of active learning in C++ that step.py takes in Python: the same data, the same choices. Prints the
// CPU time of every run of them, and what was chosen, as one line of JSON.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "../peers/measure.hpp"
#include "../peers/workload_data.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/selection/selector.hpp"
#include "acuity/selection/suggestion.hpp"

namespace acuity::workloads {
namespace {

constexpr Index points = 6000, level_count = 100, known = 300;

Offer offer_of(const Points& pool) {
  Offer offer{.levels = {}, .base_noise = Vector::Constant(pool.rows(), 0.01)};
  for (Index k = 0; k < level_count; ++k) {
    const double b = static_cast<double>(k) / (level_count - 1.0);
    offer.levels.push_back(
        {.alpha = 1.0 / b, .channel = GaussianChannel{0.09 * b}, .cost = 1.0 / (1.0 + 9.0 * b)});
  }
  return offer;
}

std::vector<std::string> names(Index inputs) {
  std::vector<std::string> all;
  for (Index i = 0; i < inputs; ++i) all.push_back("x" + std::to_string(i + 1));
  return all;
}

nlohmann::json run(Index inputs, int steps, int repeats) {
  const Points x = box(2, points, inputs, 0.0, 2.0);
  const Vector values = noisy_values(100, x, 0.1);
  const Offer offer = offer_of(x);
  const Acquisition acquisition;
  const Pool pool(x, names(inputs));
  std::vector<Observation> observations;
  for (Index i = 0; i < known; ++i) observations.push_back({Place(i), values(i), GaussianChannel{0.01}});
  nlohmann::json result{{"system", "C++"}, {"cpu", nlohmann::json::array()}};
  for (int repeat = 0; repeat < repeats; ++repeat) {
    GpPoolBelief belief({}, x, observations, 1);
    Selector selector(offer, acquisition, 1);
    Candidates candidates(offer);
    for (Index i = 0; i < known; ++i) candidates.close(i);
    nlohmann::json chosen = nlohmann::json::array();
    selector.choose(belief, candidates);  // the first one looks at everything
    const double begin = cpu_seconds();
    for (int step = 0; step < steps; ++step) {
      const std::optional<Score> best = selector.choose(belief, candidates);
      const Suggestion suggestion = make_suggestion(*best, pool, offer, acquisition, belief);
      belief.condition(suggestion.row, suggestion.channel, values(suggestion.row));
      candidates.buy(*best);
      chosen.push_back(suggestion.row);
    }
    result["cpu"].push_back((cpu_seconds() - begin) / steps);
    result["chosen"] = chosen;
  }
  return result;
}

}  // namespace
}  // namespace acuity::workloads

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: acuity_python_step INPUTS STEPS REPEATS\n";
    return 2;
  }
  std::cout << acuity::workloads::run(std::stol(arguments[1]), std::stoi(arguments[2]),
                                      std::stoi(arguments[3]))
            << '\n';
  return 0;
}
