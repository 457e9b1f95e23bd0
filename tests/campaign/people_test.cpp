// People who annotate: who they are, what they have, what they could not tell, and how long it took.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "acuity/acquisition/classification_information.hpp"
#include "acuity/base/errors.hpp"
#include "support/campaigns.hpp"
#include "support/memory_campaigns.hpp"
#include "views/annotation_rows.hpp"
#include "views/people_view.hpp"

namespace acuity::people_test {
namespace {

std::string study_of_classes(const std::string& rest = "") {
  return "[campaign]\nbudget = 100\ninitial = 0\n[pool]\nfile = \"pool.csv\"\nrepeat = true\n"
         "[target]\nkind = \"binary\"\n"
         "[[level]]\nname = \"crowd\"\naccuracy = 0.8\ncost = 1\n"
         "[[level]]\nname = \"expert\"\naccuracy = 0.99\ncost = 5\n" +
         rest;
}

testing::MemoryCampaign with_classes(int points = 12) {
  return {study_of_classes(), testing::pool_on_a_line(points, 4.0)};
}

Suggestion ask_one(Campaign& campaign, const std::string& worker) {
  const std::vector<Suggestion> found = campaign.ask({.worker = worker}).suggestions;
  return found.at(0);
}

void tell(Campaign& campaign, const Suggestion& suggestion, double y, const std::string& worker = "",
          std::optional<double> seconds = {}) {
  Answer answer;
  answer.id = suggestion.id;
  answer.values = {y};
  answer.worker = worker;
  answer.seconds = seconds;
  campaign.tell({answer});
}

// The log, read again from its JSON by another campaign, gives the same state.
State replayed(const Campaign& campaign) {
  State state;
  for (const StoredEvent& stored : campaign.events())
    state.apply(
        {stored.sequence, stored.time, event_from_json(event_name(stored.event), to_json(stored.event))});
  return state;
}

TEST(People, AreAskedAtTheirLevelOnly) {
  testing::MemoryCampaign campaign = with_classes();
  EXPECT_TRUE(campaign->add_person({"anna", {"expert"}, true}));
  EXPECT_FALSE(campaign->add_person({"anna", {"expert"}, true})) << "again changes nothing";
  for (int k = 0; k < 3; ++k) EXPECT_EQ(ask_one(*campaign, "anna").level.name, "expert");
  EXPECT_TRUE(campaign->add_person({"anna", {"crowd"}, true}));
  EXPECT_EQ(ask_one(*campaign, "anna").level.name, "crowd");
  EXPECT_EQ(campaign->state().people().size(), 1U);
  EXPECT_EQ(replayed(*campaign).find_person("anna")->levels, std::vector<std::string>{"crowd"});
  EXPECT_THROW(campaign->ask({.worker = "anna", .level = "expert"}), InputError);
  EXPECT_TRUE(campaign->add_person({"anna", {"crowd"}, false}));
  EXPECT_THROW(campaign->ask({.worker = "anna"}), InputError);
  const std::size_t before = campaign->events().size();
  EXPECT_THROW(campaign->add_person({"bert", {"guru"}, true}), InputError);
  EXPECT_THROW(campaign->add_person({"run", {"crowd"}, true}), InputError);
  EXPECT_THROW(campaign->add_person({"", {"crowd"}, true}), InputError);
  EXPECT_EQ(campaign->events().size(), before);
}

const std::string trained = "[[level]]\nname = \"trained\"\naccuracy = 0.9\ncost = 2\n";

TEST(People, WithSeveralLevelsAreAskedAtTheBestOfThem) {
  const std::string without_crowd =
      "[campaign]\nbudget = 100\ninitial = 0\n[pool]\nfile = \"pool.csv\"\nrepeat = true\n"
      "[target]\nkind = \"binary\"\n[[level]]\nname = \"expert\"\naccuracy = 0.99\ncost = 5\n" +
      trained;
  testing::MemoryCampaign campaign(study_of_classes(trained), testing::pool_on_a_line(12, 4.0)),
      twin(without_crowd, testing::pool_on_a_line(12, 4.0));
  EXPECT_TRUE(campaign->add_person({"anna", {"expert", "trained"}, true}));
  EXPECT_FALSE(campaign->add_person({"anna", {"expert", "trained"}, true})) << "again changes nothing";
  for (int k = 0; k < 6; ++k) {
    const Suggestion found = ask_one(*campaign, "anna"), expected = ask_one(*twin, "anna");
    EXPECT_EQ(found.row, expected.row);
    EXPECT_EQ(found.level.name, expected.level.name);
    tell(*campaign, found, k % 2 == 0 ? 1.0 : -1.0);
    tell(*twin, expected, k % 2 == 0 ? 1.0 : -1.0);
  }
  EXPECT_EQ(ask_one(*campaign, "bert").level.name, "crowd") << "the best of all";
  EXPECT_EQ(campaign->ask({.worker = "anna", .level = "expert"}).suggestions.at(0).level.name, "expert");
  try {
    campaign->ask({.worker = "anna", .level = "crowd"});
    FAIL() << "not one of hers";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("\"expert\", \"trained\""), std::string::npos) << error.what();
  }
  EXPECT_EQ(replayed(*campaign).find_person("anna")->levels, (std::vector<std::string>{"expert", "trained"}));
  EXPECT_THROW(campaign->add_person({"carl", {"expert", "guru"}, true}), InputError);
  EXPECT_THROW(campaign->add_person({"carl", {"expert", "expert"}, true}), InputError);
}

TEST(People, WithSeveralLevelsTakePartInTheInitialDesignAtThem) {
  std::string text = study_of_classes(trained);
  text.replace(text.find("initial = 0"), 11, "initial = { count = 3, level = \"expert\" }");
  testing::MemoryCampaign campaign(text, testing::pool_on_a_line(12, 4.0));
  campaign->add_person({"anna", {"crowd", "trained"}, true});
  std::set<Index> rows;
  for (const Suggestion& one : campaign->ask({.count = 3, .worker = "anna"}).suggestions) {
    EXPECT_EQ(one.level.name, "crowd") << "the design has none of her levels: the cheapest";
    rows.insert(one.row);
  }
  EXPECT_EQ(rows.size(), 3U);
}

// math.md eq. (15.7): with one class per point a second answer is worth less than the first.
TEST(People, GiveSecondOpinionsThatAreWorthWhatTheyTellBesidesTheFirst) {
  const std::string text = study_of_classes("[people]\nmax_per_item = 3\n");
  testing::MemoryCampaign campaign(text, "x\n0.5\n");
  const auto at = [](const Suggestion& one, const EarlierAnswers& earlier) {
    double bits = 0.0;
    const double accuracy = std::get<FlipChannel>(one.channel).accuracy();
    class_model_information({one.mean, one.variance}, earlier, {&accuracy, 1}, {&bits, 1});
    return bits;
  };
  const auto ask = [&](const char* who) {
    return campaign->ask({.worker = who, .level = "crowd"}).suggestions.at(0);
  };
  const Suggestion first = ask("anna");
  EXPECT_NEAR(first.information, at(first, {}), 1e-14);
  const Suggestion second = ask("bert");  // before anna has answered
  EXPECT_NEAR(second.information, at(second, {.accuracy = 0.5, .pending = {0.8}}), 1e-14);
  EXPECT_LT(second.information, 0.9 * first.information);
  tell(*campaign, first, 1.0);
  tell(*campaign, second, 1.0);
  const double both = 0.64 / (0.64 + 0.04);
  EXPECT_NEAR(campaign->belief().marginals().earlier_at(0)->accuracy, both, 1e-12);
  const Suggestion third = ask("carl");
  EXPECT_NEAR(third.information, at(third, {.accuracy = both}), 1e-12);
  EXPECT_LT(third.information, second.information);
  // Without [people] every answer judges a new draw of the class.
  testing::MemoryCampaign separate(study_of_classes(), "x\n0.5\n");
  EXPECT_TRUE(separate->belief().marginals().earlier.empty());
}

TEST(People, OfALadderHaveNoLevel) {
  testing::MemoryCampaign campaign(testing::class_campaign_study("budget = 20\ninitial = 0"),
                                   testing::line_pool(10));
  EXPECT_THROW(campaign->add_person({"anna", {"1"}, true}), InputError);
  EXPECT_TRUE(campaign->add_person({"anna", {}, true}));
  EXPECT_EQ(campaign->ask({.worker = "anna"}).suggestions.size(), 1U);
}

TEST(People, GetBackWhatTheyHaveNotAnswered) {
  testing::MemoryCampaign campaign = with_classes();
  const std::vector<Suggestion> first =
      campaign->ask({.count = 2, .worker = "anna", .lease = 100.0}).suggestions;
  ask_one(*campaign, "bert");
  const std::size_t before = campaign->events().size();
  const std::vector<Suggestion> again =
      campaign->ask({.count = 2, .worker = "anna", .lease = 100.0, .resume = true}).suggestions;
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[0].id, first[0].id);
  EXPECT_EQ(again[1].id, first[1].id);
  EXPECT_EQ(again[1].row, first[1].row);
  EXPECT_EQ(campaign->events().size(), before) << "nothing is written while the lease is long enough";
  const std::vector<Suggestion> three =
      campaign->ask({.count = 3, .worker = "anna", .lease = 1000.0, .resume = true}).suggestions;
  ASSERT_EQ(three.size(), 3U);
  EXPECT_EQ(three[0].id, first[0].id);
  EXPECT_GT(*campaign->state().find(first[0].id)->asked.lease_until, campaign->now() + 900.0);
  EXPECT_THROW(campaign->ask({.resume = true}), InputError);
}

TEST(People, KeepALeaseByRenewingIt) {
  testing::MemoryCampaign campaign = with_classes();
  const Suggestion suggestion = campaign->ask({.worker = "anna", .lease = 50.0}).suggestions.at(0);
  const std::size_t before = campaign->events().size();
  EXPECT_THROW(campaign->renew({suggestion.id}, "bert", 500.0), InputError);
  EXPECT_THROW(campaign->renew({suggestion.id, 99}, "anna", 500.0), InputError);
  EXPECT_THROW(campaign->renew({suggestion.id}, "anna", -1.0), InputError);
  EXPECT_EQ(campaign->events().size(), before);
  const double now = campaign->now();
  EXPECT_EQ(campaign->renew({suggestion.id, suggestion.id}, "anna", 500.0), std::vector{suggestion.id});
  EXPECT_TRUE(campaign->state().lapsed(now + 60.0).empty());
  EXPECT_EQ(campaign->state().lapsed(now + 600.0), std::vector{suggestion.id});
  EXPECT_EQ(replayed(*campaign).lapsed(now + 600.0), std::vector{suggestion.id});
  tell(*campaign, suggestion, 1.0);
  EXPECT_THROW(campaign->renew({suggestion.id}, "anna", 500.0), InputError) << "it is not pending";
}

TEST(People, WhoCannotTellDoNotFail) {
  testing::MemoryCampaign campaign = with_classes(6);
  std::set<Index> had;
  for (int k = 0; k < 6; ++k) {
    const Suggestion suggestion = ask_one(*campaign, "anna");
    EXPECT_TRUE(had.insert(suggestion.row).second) << "nobody gets a point twice";
    EXPECT_TRUE(campaign->fail({.id = suggestion.id,
                                .reason = "blurred",
                                .cannot_tell = true,
                                .worker = "anna",
                                .seconds = 2.0 + k}));
  }
  EXPECT_TRUE(campaign->ask({.worker = "anna"}).suggestions.empty());
  EXPECT_EQ(campaign->state().failed(), 0);
  EXPECT_EQ(campaign->state().failures_in_a_row(), 0);
  EXPECT_EQ(campaign->state().cannot_tell(), 6);
  EXPECT_EQ(campaign->state().spent(), 0.0);
  // Others get what somebody could not tell first, as if nothing had happened.
  testing::MemoryCampaign fresh = with_classes(6);
  EXPECT_EQ(ask_one(*campaign, "bert").row, ask_one(*fresh, "bert").row);
  const PersonView anna = people_view(*campaign).at(0);
  EXPECT_EQ(anna.cannot_tell, 6);
  EXPECT_EQ(anna.answers, 0);
  EXPECT_EQ(anna.median_seconds, 5.0);
  EXPECT_EQ(replayed(*campaign).cannot_tell(), 6);
  // An answer after all takes its place.
  tell(*campaign, campaign->pending().front(), 1.0);
  Answer late;
  late.id = 1;
  late.values = {-1.0};
  campaign->tell({late});
  EXPECT_EQ(campaign->state().cannot_tell(), 5);
  EXPECT_THROW(campaign->fail({.id = 2, .exclude = true, .cannot_tell = true}), InputError);
}

TEST(People, AreNamedWithTheirAnswers) {
  testing::MemoryCampaign campaign = with_classes();
  tell(*campaign, ask_one(*campaign, "desk"), 1.0, "anna", 4.5);
  tell(*campaign, ask_one(*campaign, "bert"), -1.0);
  const std::vector<AnnotationRow> rows = annotation_rows(*campaign);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].worker, "anna");
  EXPECT_EQ(rows[0].seconds, 4.5);
  EXPECT_EQ(rows[1].worker, "bert");
  EXPECT_FALSE(rows[1].seconds);
  EXPECT_GT(rows[1].told_at, 1.0e9);
  EXPECT_EQ(replayed(*campaign).find(1)->worker(), "anna");
  // Both who was asked and who answered have seen the point.
  const Index seen = campaign->state().find(1)->asked.row;
  for (const char* worker : {"desk", "anna"})
    for (const Suggestion& one : campaign->ask({.count = 20, .worker = worker}).suggestions)
      EXPECT_NE(one.row, seen) << worker;
  Answer bad;
  bad.id = 3;
  bad.values = {1.0};
  bad.seconds = -1.0;
  EXPECT_THROW(campaign->tell({bad}), InputError);
}

TEST(People, AgreeOrNotOnTheSamePoints) {
  testing::MemoryCampaign campaign = with_classes(4);
  for (const auto& [worker, sign] : {std::pair("anna", 1.0), std::pair("bert", 1.0), std::pair("carl", -1.0)})
    for (int k = 0; k < 4; ++k) tell(*campaign, ask_one(*campaign, worker), sign);
  campaign->add_person({"dora", {"crowd"}, true});
  const std::vector<PersonView> people = people_view(*campaign);
  ASSERT_EQ(people.size(), 4U);
  EXPECT_EQ(people[0].name, "dora") << "those who were added come first";
  EXPECT_EQ(people[0].answers, 0);
  EXPECT_EQ(people[1].name, "anna");
  EXPECT_EQ(people[1].same, 4);
  EXPECT_EQ(people[1].different, 4);
  EXPECT_EQ(people[3].name, "carl");
  EXPECT_EQ(people[3].same, 0);
  EXPECT_EQ(people[3].different, 8);
  const auto rows = people_json(people);
  EXPECT_EQ(rows[3]["agreement"]["different"], 8);
  EXPECT_TRUE(rows[3]["accuracy"].is_null());
}

TEST(PeopleCommand, AddsAndLists) {
  const testing::Desk desk(study_of_classes());
  ASSERT_EQ(desk.run({"init", "C", "--study", "study.toml"}).exit_code, 0);
  EXPECT_EQ(desk.run({"people", "C", "add", "anna", "--level", "crowd"}).exit_code, 0);
  ASSERT_EQ(desk.run({"ask", "C", "--worker", "anna"}).exit_code, 0);
  ASSERT_EQ(desk.run({"tell", "C", "1", "1", "--worker", "anna", "--seconds", "2.5"}).exit_code, 0);
  ASSERT_EQ(desk.run({"ask", "C", "--worker", "anna"}).exit_code, 0);
  ASSERT_EQ(desk.run({"fail", "C", "2", "--cannot-tell", "--reason", "blurred"}).exit_code, 0);
  const auto found = nlohmann::json::parse(desk.run({"people", "C", "--format", "json"}).out);
  ASSERT_EQ(found["people"].size(), 1U);
  EXPECT_EQ(found["people"][0]["level"], "crowd");
  EXPECT_EQ(found["people"][0]["answers"], 1);
  EXPECT_EQ(found["people"][0]["cannot_tell"], 1);
  EXPECT_EQ(found["people"][0]["median_seconds"], 2.5);
  const std::string csv = desk.run({"export", "C", "--annotations", "-"}).out;
  EXPECT_NE(csv.find("accuracy,worker,told_at,seconds"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",anna,20"), std::string::npos) << csv;
  const std::string events = desk.run({"export", "C", "--events", "-"}).out;
  EXPECT_NE(events.find("\"cannot_tell\""), std::string::npos) << events;
  EXPECT_NE(events.find("\"event\":\"person\""), std::string::npos) << events;
  EXPECT_EQ(desk.run({"verify", "C"}).exit_code, 0);
  EXPECT_EQ(desk.run({"copy", "C", "D"}).exit_code, 0);
  EXPECT_EQ(desk.run({"people", "D", "--format", "csv"}).out,
            desk.run({"people", "C", "--format", "csv"}).out);
  EXPECT_EQ(desk.run({"people", "C", "add", "bert", "--level", "guru"}).exit_code, 2);
  EXPECT_EQ(desk.run({"people", "C", "add", "bert", "--level", "expert", "--level", "expert"}).exit_code, 2);
  EXPECT_EQ(desk.run({"people", "C", "add", "bert", "--level", "expert", "--level", "crowd"}).exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(desk.run({"people", "C", "--format", "json"}).out)["people"][1]["level"],
            "expert, crowd");
  EXPECT_EQ(desk.run({"people", "C", "add"}).exit_code, 2);
  EXPECT_EQ(desk.run({"people", "C", "sack", "anna"}).exit_code, 2);
  EXPECT_EQ(desk.run({"people", "C", "remove", "anna"}).exit_code, 0);
  EXPECT_EQ(desk.run({"ask", "C", "--worker", "anna"}).exit_code, 2);
}

}  // namespace
}  // namespace acuity::people_test
