#include "experiments/run_store.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "acuity/base/errors.hpp"
#include "base/checksum.hpp"
#include "support/program.hpp"

namespace acuity::run_store_test {
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
  EXPECT_EQ(again.complete_repeats(), 0);
  EXPECT_EQ(again.runs()[0].seconds.total, 2.5);
  again.add(a_run(0, "bald"));
  again.add(a_run(1, "bald"));
  EXPECT_TRUE(RunStore::completed(place, "{\"seed\": 1}").empty());
  again.add(a_run(2, "model"));
  again.complete({"bald", "model"}, 2);
  EXPECT_EQ(again.runs().size(), 4U);
  EXPECT_EQ(RunStore::completed(place, "{\"seed\": 1}").size(), 4U);
  EXPECT_TRUE(RunStore::completed(place, "{\"seed\": 2}").empty());
  EXPECT_TRUE(RunStore(place, "{\"seed\": 1}").has(2, "model")) << "kept for another time";
  std::filesystem::remove_all(place / "parts");
  EXPECT_FALSE(std::filesystem::exists(place / "parts"));
  EXPECT_EQ(folder.read("sine/runs.csv"),
            runs_csv({a_run(0, "bald"), a_run(0, "model"), a_run(1, "bald"), a_run(1, "model")}));
  RunStore more(place, "{\"seed\": 1}");
  EXPECT_EQ(more.runs().size(), 4U);
  more.add(a_run(2, "bald"));
  EXPECT_EQ(RunStore(place, "{\"seed\": 1}").runs().size(), 5U);
}

// Spaces and their places are no settings; a table that does not have the checksum beside it is damaged.
TEST(RunStore, ReadsSettingsWithOtherSpacesAndChecksItsTables) {
  const testing::Folder folder;
  const std::filesystem::path place = folder.path() / "sine";
  RunStore store(place, "{\"seed\":1,\"q\":0.5}");
  store.add(a_run(0, "model"));
  store.complete({"model"}, 1);
  folder.write("sine/settings.json", "{\"seed\": 1, \"q\": 0.5}\n");
  const std::string part = runs_csv({a_run(1, "model")});
  std::filesystem::create_directories(place / "parts");
  folder.write("sine/parts/00001-model.csv", "# " + base::checksum(part) + " 2.5 0 0 0 0\n" + part);
  RunStore again(place, "{\"seed\":1,\"q\":0.5}");
  EXPECT_TRUE(again.has(0, "model"));
  EXPECT_TRUE(again.has(1, "model"));
  folder.write("sine/runs.check", base::checksum("other") + "\n");
  EXPECT_THROW(RunStore(place, "{\"seed\":1,\"q\":0.5}"), InputError);
}

TEST(RunStore, RefusesRunsOfOtherSettings) {
  const testing::Folder folder;
  RunStore(folder.path() / "sine", "{\"seed\": 1}").add(a_run(0, "bald"));
  EXPECT_THROW(RunStore(folder.path() / "sine", "{\"seed\": 2}"), InputError);
  EXPECT_EQ(RunStore(folder.path() / "sine", "{\"seed\": 1}").runs().size(), 1U) << "and nothing is lost";
}

// Whatever is cut off or changed, in a part or in the whole.
TEST(RunStore, RefusesWhatIsNotAsItWasWritten) {
  const testing::Folder folder;
  const std::filesystem::path place = folder.path() / "sine";
  const auto complaint = [&] {
    try {
      RunStore store(place, "{}");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  RunStore(place, "{}").add(a_run(0, "bald"));
  const std::string part = folder.read("sine/parts/00000-bald.csv");
  for (const std::size_t length : {std::size_t{0}, std::size_t{9}, part.size() / 2, part.size() - 1}) {
    folder.write("sine/parts/00000-bald.csv", part.substr(0, length));
    EXPECT_NE(complaint().find("00000-bald.csv is damaged"), std::string::npos) << length;
  }
  folder.write("sine/parts/00000-bald.csv", part);
  RunStore store(place, "{}");
  store.add(a_run(1, "bald"));
  store.complete({"bald"}, 2);
  const std::string whole = folder.read("sine/runs.csv");
  const std::string one_run_less = whole.substr(0, whole.find("\n1,bald") + 1);
  for (const std::string& other : {one_run_less, whole + whole.substr(whole.find('\n') + 1), std::string()}) {
    folder.write("sine/runs.csv", other);
    EXPECT_NE(complaint().find("runs.csv is damaged"), std::string::npos) << other;
  }
  folder.write("sine/runs.csv", whole);
  EXPECT_EQ(complaint(), "");
  std::filesystem::remove(place / "settings.json");
  EXPECT_NE(complaint().find("holds runs.csv without settings.json"), std::string::npos);
}

// As if it had ended in the middle of complete().
TEST(RunStore, HasOneOfTwoWhenOneTakesThePlaceOfTheOther) {
  const testing::Folder folder;
  const std::filesystem::path place = folder.path() / "sine";
  RunStore store(place, "{}");
  store.add(a_run(0, "bald"));
  store.complete({"bald"}, 1);
  const std::string old_check = folder.read("sine/runs.check"), old_runs = folder.read("sine/runs.csv");
  store.add(a_run(1, "bald"));
  store.complete({"bald"}, 2);
  folder.write("sine/runs.check", old_check + folder.read("sine/runs.check"));
  EXPECT_EQ(RunStore(place, "{}").runs().size(), 2U);
  folder.write("sine/runs.csv", old_runs);
  EXPECT_EQ(RunStore(place, "{}").runs().size(), 1U);
}

}  // namespace
}  // namespace acuity::run_store_test
