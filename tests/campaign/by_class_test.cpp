// Accuracies by class in a campaign: keys of the study, the log, who is asked and what is said of people.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "acuity/base/errors.hpp"
#include "acuity/study/study_learner.hpp"
#include "numerics/random.hpp"
#include "support/campaigns.hpp"
#include "support/memory_campaigns.hpp"
#include "views/event_json.hpp"
#include "views/people_view.hpp"

namespace acuity::by_class_test {
namespace {

constexpr int points = 60;

double x_of(Index row) {
  return -3.0 + 6.0 * static_cast<double>(row) / (points - 1);
}
double class_of(Index row) {
  return std::sin(1.5 * x_of(row)) > 0.0 ? 1.0 : -1.0;
}

// `level`: further lines of the level.
std::string study_text(const std::string& level,
                       const std::string& people = "[people]\ngold = \"gold.csv\"\n",
                       const std::string& more = "fit = 30\n") {
  return "[campaign]\nbudget = 1000\ninitial = 0\nseed = 7\n[pool]\nfile = \"pool.csv\"\nid = \"item\"\n"
         "[target]\nkind = \"binary\"\nclasses = [\"no\", \"yes\"]\n" +
         people + "[[level]]\nname = \"crowd\"\ncost = 1\n" + level +
         "[model]\namplitude = 2\nlengthscale = 0.5\n" + more;
}

struct Desk {
  testing::Folder folder;
  explicit Desk(const std::string& study) {
    std::string pool = "item,x\n", gold = "id,class\n";
    for (int k = 0; k < points; ++k) {
      pool += fmt::format("i{},{}\n", k, x_of(k));
      if (k % 4 == 0) gold += fmt::format("i{},{}\n", k, class_of(k) > 0 ? "yes" : "no");
    }
    folder.write("pool.csv", pool);
    folder.write("gold.csv", gold);
    folder.write("study.toml", study);
  }
  Study study() const { return Study::open(folder.path() / "study.toml"); }
  Campaign in_memory() const { return {study(), make_memory_event_store(), {.threads = 1}}; }
};

std::string refusal(const std::string& study) {
  try {
    Desk(study).study();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

Level level_of(const std::string& accuracy, const std::string& people = "[people]\n") {
  return Desk(study_text(accuracy, people)).study().offer().levels.at(0);
}

TEST(ByClass, IsTheDefaultWithPeopleAndAKeyOfALevel) {
  for (const Level& level : {level_of(""), level_of("accuracy = \"learn-by-class\"\n"),
                             level_of("accuracy = \"learn-by-class\"\n", "")}) {
    EXPECT_TRUE(level.accuracy_by_class);
    EXPECT_EQ(level.accuracy_weight, 20.0);
    EXPECT_EQ(std::get<FlipChannel>(level.channel), FlipChannel(0.8));
  }
  EXPECT_FALSE(level_of("accuracy = \"learn\"\n").accuracy_by_class);
  const Level given = level_of("accuracy = { yes = 0.9, no = 0.7 }\n");
  EXPECT_EQ(std::get<FlipChannel>(given.channel), FlipChannel(0.9, 0.7));
  EXPECT_EQ(given.accuracy_weight, 0.0);
  const Level guessed = level_of("accuracy = { yes = 0.9, no = 0.3, weight = 8 }\n");
  EXPECT_TRUE(guessed.accuracy_by_class);
  EXPECT_EQ(guessed.accuracy_weight, 8.0);
}

TEST(ByClass, RefusesWhatIsNone) {
  EXPECT_NE(refusal(study_text("", "")).find("accuracy is missing"), std::string::npos);
  EXPECT_NE(refusal(study_text("accuracy = { yes = 0.9 }\n")).find("level 1.accuracy.no"), std::string::npos);
  EXPECT_NE(refusal(study_text("accuracy = { yes = 1.0, no = 0.5 }\n")).find("above 0 and below 1"),
            std::string::npos);
  EXPECT_NE(
      refusal(study_text("accuracy = { yes = 0.6, no = 0.3 }\n")).find("the sum of yes and no is at least 1"),
      std::string::npos);
  EXPECT_NE(refusal(study_text("accuracy = { yes = 0.6, no = 0.5, guess = 0.8 }\n")).find("guess"),
            std::string::npos);
  const std::string target = "[acquisition]\ninformation = \"target\"\n",
                    taylor = "[acquisition]\napproximation = \"taylor\"\n";
  EXPECT_NE(refusal(study_text("", "[people]\n", "fit = 30\n" + target)).find("by class"), std::string::npos);
  EXPECT_NE(refusal(study_text("", "[people]\n", "fit = 30\n" + taylor)).find("by class"), std::string::npos);
}

// ---- Campaigns --------------------------------------------------------------------------------------------

struct Worker {
  std::string name;
  FlipChannel channel;
};

// They come in turn; returns how often each was asked.
std::map<std::string, int> label(Campaign& campaign, const std::vector<Worker>& workers, int rounds) {
  numerics::Draws draws(3, numerics::Purpose::data, 1601);
  std::map<std::string, int> asked;
  for (int k = 0; k < rounds; ++k)
    for (const Worker& worker : workers) {
      const std::vector<Suggestion> found = campaign.ask({.worker = worker.name}).suggestions;
      if (found.empty()) continue;
      ++asked[worker.name];
      const double truth = class_of(found[0].row);
      Answer answer;
      answer.id = found[0].id;
      answer.values = {draws.uniform() < worker.channel.given(truth, truth) ? truth : -truth};
      campaign.tell({answer});
    }
  return asked;
}

const std::vector<Worker> crew{{"anna", {0.9, 0.85}}, {"bert", {0.85, 0.9}}, {"yes", {1.0, 0.0}}};

TEST(ByClass, WhoSaysYesToEverythingIsSoonNotAsked) {
  const Desk desk(
      study_text("", "[people]\ngold = \"gold.csv\"\ngold_rate = 0.2\nmax_per_item = 3\n", "fit = 10\n"));
  Campaign campaign = desk.in_memory();
  const std::map<std::string, int> asked = label(campaign, crew, 40);
  EXPECT_LT(asked.at("yes"), 25);
  EXPECT_EQ(asked.at("anna"), 40);
  std::map<std::string, PersonView> people;
  for (const PersonView& one : people_view(campaign)) people[one.name] = one;
  EXPECT_EQ(people.at("yes").remark, fmt::format("yes {0} of {0} times", asked.at("yes")));
  EXPECT_GT(people.at("yes").by_class->coin, 0.95);
  EXPECT_LT(people.at("yes").by_class->no, 0.2);
  EXPECT_EQ(people.at("anna").remark, "");
  EXPECT_GT(people.at("anna").by_class->yes, 0.7);
  const auto rows = people_json(people_view(campaign));
  EXPECT_TRUE(rows.at(0).at("by_class").at("yes").contains("low"));
  EXPECT_NE(people_text(people_view(campaign), Format::csv).find(",of_yes,of_no,"), std::string::npos);
}

TEST(ByClass, IsRecordedAndNeverLearnedAgainByReplay) {
  const Desk desk(study_text("", "[people]\ngold = \"gold.csv\"\ngold_rate = 0.2\nmax_per_item = 3\n"));
  Campaign campaign = desk.in_memory();
  label(campaign, crew, 15);
  campaign.ask({.worker = "anna"});
  ASSERT_TRUE(campaign.state().fitted());
  const Fitted& fitted = *campaign.state().fitted();
  EXPECT_EQ(fitted.level_by_class.size(), 4U);
  EXPECT_EQ(fitted.people_by_class.size(), 5U * fitted.people.size());
  const auto channel = std::get<FlipChannel>(campaign.pending().back().channel);
  EXPECT_FALSE(channel.is_symmetric()) << "asked as somebody with two accuracies";

  auto store = make_memory_event_store();
  std::vector<Event> events;
  for (const StoredEvent& stored : campaign.events())
    events.push_back(event_from_json(event_name(stored.event), to_json(stored.event)));
  store->add(0, [&](const auto&) { return events; });
  Campaign again(desk.study(), std::move(store), {.threads = 1});
  EXPECT_EQ(std::get<FlipChannel>(again.pending().back().channel), channel);
  EXPECT_LT((again.belief().marginals().mean - campaign.belief().marginals().mean).cwiseAbs().maxCoeff(),
            1e-12);
  EXPECT_EQ(again.ask({.worker = "bert"}).suggestions.at(0).row,
            campaign.ask({.worker = "bert"}).suggestions.at(0).row);
  for (const StoredEvent& stored : campaign.events())
    if (const auto* asked = std::get_if<Asked>(&stored.event);
        asked != nullptr && asked->channel == Channel(channel)) {
      EXPECT_NE(to_json(stored.event).find("accuracy_yes"), std::string::npos);
    }
}

TEST(ByClass, GivenAccuraciesCountInTheModel) {
  const Desk desk(study_text("accuracy = { yes = 0.95, no = 0.6 }\n", ""));
  Campaign campaign = desk.in_memory();
  label(campaign, {{"anna", {0.95, 0.6}}}, 12);
  const StudyModel model = campaign.model();
  for (const Observation& one : model.observations)
    EXPECT_EQ(std::get<FlipChannel>(one.channel), FlipChannel(0.95, 0.6));
  const Marginals& known = campaign.belief().marginals();
  EXPECT_TRUE(known.mean.allFinite());
}

}  // namespace
}  // namespace acuity::by_class_test
