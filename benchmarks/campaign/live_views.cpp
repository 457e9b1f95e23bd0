// How long the parts of the live page take on a large campaign: what can be shown at once, and what comes
// later.
//
//   live_views [ANSWERS [POINTS]]
//
// 5000 answers to 100,000 points by default, with given hyperparameters.

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "campaign/campaign_model.hpp"
#include "campaign/state_queries.hpp"
#include "judgement/prequential.hpp"
#include "numerics/random.hpp"
#include "store/memory_event_store.hpp"
#include "support/memory_campaigns.hpp"
#include "views/belief_slices.hpp"
#include "views/campaign_course.hpp"
#include "views/pool_view.hpp"
#include "views/view_json.hpp"

namespace {

using namespace acuity;

template <typename Work>
auto timed(const std::string& what, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  auto result = work();
  fmt::print("| {} | {:.3f} | {:.3f} |\n", what,
             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
             static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
  std::fflush(stdout);
  return result;
}

double truth(const double* x) {
  return std::sin(6.0 * x[0]) + x[1] * x[1] * std::cos(4.0 * x[1]) + 0.3 * x[2];
}

std::string pool_text(int points) {
  std::string text = "a,b,c\n";
  numerics::Draws draws(1, numerics::Purpose::resampling, 0);
  for (int k = 0; k < points; ++k)
    text += fmt::format("{:.6f},{:.6f},{:.6f}\n", draws.uniform(), draws.uniform(), draws.uniform());
  return text;
}

// The log of a campaign that was answered by hand.
std::vector<StoredEvent> log_of(const Campaign& campaign, int answers) {
  std::vector<StoredEvent> events = campaign.events();
  const Study& study = campaign.study();
  numerics::Draws draws(2, numerics::Purpose::resampling, 0);
  double time = events.back().time;
  for (int k = 0; k < answers; ++k) {
    const Index row = static_cast<Index>(k) * study.pool().size() / answers;
    const Level& level = study.offer().levels[k % 4 == 0 ? 1 : 0];
    Asked asked;
    asked.id = k + 1;
    asked.row = row;
    asked.point = study.pool().id(row);
    asked.level = level.name;
    asked.channel = study.offer().channel(row, k % 4 == 0 ? 1 : 0);
    asked.cost = level.cost;
    asked.variance = 0.1;
    asked.worker = "run";
    Told told;
    told.id = asked.id;
    told.values = {truth(study.pool().point(row)) +
                   std::sqrt(noise_variance(level.channel)) * draws.normal()};
    told.cost = level.cost;
    for (Event event : {Event(asked), Event(told)})
      events.push_back({events.back().sequence + 1, time += 1.0, std::move(event)});
  }
  return events;
}

}  // namespace

int main(int argc, char** argv) {
  const int answers = argc > 1 ? std::atoi(argv[1]) : 5000, points = argc > 2 ? std::atoi(argv[2]) : 100000;
  acuity::testing::Folder folder;
  folder.write("pool.csv", pool_text(points));
  const Study study = Study::open(folder.write(
      "study.toml",
      acuity::testing::with_given_model(
          "[campaign]\nbudget = 1000000\n[pool]\nfile = \"pool.csv\"\n[model]\nlengthscale = 0.3\n"
          "[acquisition]\nplan = \"none\"\n"
          "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n"
          "[[level]]\nname = \"fine\"\nnoise_sd = 0.05\ncost = 10\n")));
  const Campaign empty(study.variant({}), make_memory_event_store());
  const Campaign campaign(study.variant({}), make_memory_event_store(log_of(empty, answers)));
  fmt::print("{} answers, {} points\n\n| part | s | s of CPU |\n|---|---|---|\n", answers, points);
  const CampaignData quick = timed("quick_campaign_data", [&] { return quick_campaign_data(campaign); });
  timed("view_json of it", [&] { return view_json(campaign, quick, {}).size(); });
  const LevelGroups groups = level_groups(campaign.study(), campaign.state());
  const BeliefSlices slices = timed("BeliefSlices", [&] { return BeliefSlices(campaign); });
  timed("a slice of 101 points", [&] { return slices.json("a").size(); });
  timed("a map of 48 x 48 points", [&] { return slices.json("a", "b").size(); });
  timed("prequential scores", [&] { return prequential_scores(campaign, 500).size(); });
  timed("course", [&] { return course_of(campaign, std::nullopt, groups).course.size(); });
  timed("verdict", [&] { return verdict_on(campaign).text().size(); });
  const CampaignData data = timed("campaign_data", [&] { return campaign_data(campaign); });
  MeasuredCourse course;
  campaign_data(campaign, course);
  timed("campaign_data with the course kept", [&] { return campaign_data(campaign, course).answers.size(); });
  timed("view_json", [&] { return view_json(campaign, data, {}).size(); });
  const PoolScores scores = timed("PoolScores", [&] { return PoolScores(campaign); });
  timed("pool, binned", [&] { return scores.json("a", "b").size(); });
  timed("the next point explained",
        [&] { return scores.explained_point_json(scores.next().result.suggestions.front().point).size(); });
}
