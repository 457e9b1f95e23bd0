#include "experiments/run_store.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "acuity/numerics/errors.hpp"
#include "support/program.hpp"

namespace acuity {
namespace {

ExperimentRun a_run(int repeat, const std::string& method) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  return {.method = method,
          .repeat = repeat,
          .steps = {{"17", std::numeric_limits<double>::infinity(), none, 1.0, 1.0, 0.1 + repeat, none},
                    {"4", 1.0 / 3.0, 0.25, 0.1, 1.1, -2.0 / 3.0, 1e-300}},
          .seconds = {.total = 2.5, .learning = 1.0}};
}

TEST(RunsCsv, GivesBackEveryDigit) {
  const std::vector<ExperimentRun> runs{a_run(0, "bald"), a_run(0, "model"), a_run(1, "bald")};
  const std::vector<ExperimentRun> back = parse_runs_csv(runs_csv(runs), "runs.csv");
  ASSERT_EQ(back.size(), 3U);
  EXPECT_EQ(runs_csv(back), runs_csv(runs));
  EXPECT_EQ(back[1].method, "model");
  EXPECT_EQ(back[2].repeat, 1);
  EXPECT_EQ(back[0].steps[1].alpha, 1.0 / 3.0);
  EXPECT_TRUE(std::isinf(back[0].steps[0].alpha));
  EXPECT_TRUE(std::isnan(back[0].steps[0].information));
  EXPECT_TRUE(std::isnan(back[0].steps[0].error));
}

TEST(RunStore, RemembersFinishedRunsUntilAllAreThere) {
  const testing::Folder folder;
  const std::filesystem::path place = folder.path() / "sine";
  {
    RunStore store(place, "{\"seed\": 1}");
    store.add(a_run(1, "model"));
    store.add(a_run(0, "model"));
  }
  RunStore again(place, "{\"seed\": 1}");
  EXPECT_TRUE(again.has(1, "model"));
  EXPECT_FALSE(again.has(1, "bald"));
  EXPECT_EQ(again.repeats(), 2);
  EXPECT_EQ(again.runs()[0].seconds.total, 2.5);
  again.add(a_run(0, "bald"));
  again.add(a_run(1, "bald"));
  again.complete({"bald", "model"});
  EXPECT_FALSE(std::filesystem::exists(place / "parts"));
  EXPECT_EQ(folder.read("sine/runs.csv"),
            runs_csv({a_run(0, "bald"), a_run(0, "model"), a_run(1, "bald"), a_run(1, "model")}));
  RunStore more(place, "{\"seed\": 1}");
  EXPECT_EQ(more.runs().size(), 4U);
  more.add(a_run(2, "bald"));
  EXPECT_EQ(RunStore(place, "{\"seed\": 1}").runs().size(), 5U);
}

TEST(RunStore, RefusesRunsOfOtherSettings) {
  const testing::Folder folder;
  RunStore(folder.path() / "sine", "{\"seed\": 1}").add(a_run(0, "bald"));
  EXPECT_THROW(RunStore(folder.path() / "sine", "{\"seed\": 2}"), InputError);
  EXPECT_EQ(RunStore(folder.path() / "sine", "{\"seed\": 1}").runs().size(), 1U) << "and nothing is lost";
}

TEST(RunStore, SaysWhatIsDamaged) {
  const testing::Folder folder;
  RunStore(folder.path() / "sine", "{}").add(a_run(0, "bald"));
  folder.write("sine/parts/00000-bald.csv", "nonsense\n");
  try {
    RunStore store(folder.path() / "sine", "{}");
    FAIL() << "must complain";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("00000-bald.csv is damaged"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace acuity
