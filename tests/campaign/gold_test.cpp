// Gold items, and accuracies that are learned from them and from the other answers.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "acuity/base/errors.hpp"
#include "acuity/model/ep_posterior.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/state_queries.hpp"
#include "model/person_accuracy.hpp"
#include "numerics/normal.hpp"
#include "numerics/random.hpp"
#include "support/campaigns.hpp"
#include "support/memory_campaigns.hpp"
#include "support/thorough.hpp"
#include "views/annotation_rows.hpp"
#include "views/event_json.hpp"
#include "views/people_view.hpp"

namespace acuity::gold_test {
namespace {

constexpr int points = 60;

std::string study_text(const std::string& people, const std::string& model = "fit = 30\n",
                       const std::string& accuracy = "\"learn\"") {
  return "[campaign]\nbudget = 1000\ninitial = 0\nseed = 7\n[pool]\nfile = \"pool.csv\"\nid = \"item\"\n"
         "[target]\nkind = \"binary\"\nclasses = [\"no\", \"yes\"]\n[model]\namplitude = 2\nlengthscale = "
         "0.5\n" +
         model + "[people]\n" + people + "[[level]]\nname = \"crowd\"\naccuracy = " + accuracy +
         "\ncost = 1\n[[level]]\nname = \"expert\"\naccuracy = 0.99\ncost = 20\n";
}

double x_of(Index row) {
  return -3.0 + 6.0 * static_cast<double>(row) / (points - 1);
}
double class_of(Index row) {
  return std::sin(1.5 * x_of(row)) > 0.0 ? 1.0 : -1.0;
}

std::string pool_text() {
  std::string text = "item,x\n";
  for (int k = 0; k < points; ++k) text += fmt::format("i{},{}\n", k, x_of(k));
  return text;
}

std::string gold_text(int every = 4) {
  std::string text = "id,class\n";
  for (int k = 0; k < points; k += every) text += fmt::format("i{},{}\n", k, class_of(k) > 0 ? "yes" : "no");
  return text;
}

struct Desk {
  testing::Folder folder;
  explicit Desk(const std::string& study, const std::string& gold = gold_text()) {
    folder.write("pool.csv", pool_text());
    folder.write("gold.csv", gold);
    folder.write("study.toml", study);
  }
  Study study() const { return Study::open(folder.path() / "study.toml"); }
  Campaign in_memory() const { return {study(), make_memory_event_store(), {.threads = 1}}; }
};

std::string refusal(const Desk& desk) {
  try {
    desk.study();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// Answers of somebody who is right with this probability.
class Annotator {
 public:
  Annotator(std::string name, double accuracy, std::uint32_t seed)
      : name_(std::move(name)), accuracy_(accuracy), draws_(seed, numerics::Purpose::data, 1530) {}

  // False if there was nothing to answer.
  bool answer(Campaign& campaign) {
    const std::vector<Suggestion> found = campaign.ask({.worker = name_, .level = "crowd"}).suggestions;
    if (found.empty()) return false;
    const double right = class_of(found[0].row);
    Answer answer;
    answer.id = found[0].id;
    answer.values = {draws_.uniform() < accuracy_ ? right : -right};
    campaign.tell({answer});
    return true;
  }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  double accuracy_;
  numerics::Draws draws_;
};

TEST(GoldItems, AreReadWithTheirClasses) {
  const Study study = Desk(study_text("gold = \"gold.csv\"\n")).study();
  EXPECT_EQ(study.gold().size(), 15U);
  EXPECT_EQ(study.gold_class(4), class_of(4));
  EXPECT_FALSE(study.gold_class(5));
  EXPECT_TRUE(study.file().learns_accuracy());
  EXPECT_EQ(study.offer().levels[0].accuracy_weight, 20.0);
  EXPECT_EQ(std::get<FlipChannel>(study.offer().levels[0].channel).accuracy(), 0.8);
}

TEST(GoldItems, ThatCannotBeUsedAreRefusedInOneSentence) {
  const std::string people = "gold = \"gold.csv\"\n";
  const auto with_gold = [&](const std::string& gold) { return refusal(Desk(study_text(people), gold)); };
  EXPECT_NE(with_gold("id,class\nnone,yes\n").find("gold.csv:2: column \"id\" is \"none\""),
            std::string::npos)
      << with_gold("id,class\nnone,yes\n");
  EXPECT_NE(with_gold("id,class\ni1,maybe\n").find("gold.csv:2: column \"class\" is \"maybe\""),
            std::string::npos);
  EXPECT_NE(with_gold("id,class\ni1,yes\ni1,no\n").find("gold.csv:3"), std::string::npos);
  EXPECT_NE(with_gold("id,class\n").find("no items"), std::string::npos);
  EXPECT_NE(with_gold("id,y\ni1,yes\n").find("class"), std::string::npos);
  EXPECT_NE(refusal(Desk(study_text("gold = \"nowhere.csv\"\n"))).find("nowhere.csv"), std::string::npos);
  EXPECT_NE(refusal(Desk(study_text("gold_rate = 0.1\n"))).find("must come with people.gold"),
            std::string::npos);
  EXPECT_NE(refusal(Desk(study_text(people + "gold_rate = 1.5\n"))).find("people.gold_rate"),
            std::string::npos);
}

TEST(LearnedAccuracy, IsAKeyOfALevel) {
  const Desk given(study_text("", "fit = 30\n", "{ guess = 0.7, weight = 5 }"));
  EXPECT_EQ(given.study().offer().levels[0].accuracy_weight, 5.0);
  EXPECT_EQ(std::get<FlipChannel>(given.study().offer().levels[0].channel).accuracy(), 0.7);
  for (const char* wrong :
       {"\"lern\"", "{ guess = 1.0 }", "{ guess = 0.5 }", "{ weight = 0 }", "true", "{ mean = 0.8 }", "1.2"})
    EXPECT_NE(refusal(Desk(study_text("", "fit = 30\n", wrong))).find("accuracy"), std::string::npos)
        << wrong;
  EXPECT_NE(refusal(Desk(study_text("", "fit = \"never\"\n"))).find("must be a number if model.fit"),
            std::string::npos);
}

TEST(GoldItems, AreMixedInAtTheirRateAndAreNoAnnotations) {
  const Desk desk(study_text("gold = \"gold.csv\"\ngold_rate = 0.3\nmax_per_item = 3\n", "fit = 500\n"));
  Campaign campaign = desk.in_memory();
  std::vector<Annotator> people;
  for (std::uint32_t k = 0; k < 4; ++k) people.emplace_back(fmt::format("p{}", k), 0.9, k);
  for (int k = 0; k < 30; ++k)
    for (Annotator& one : people) ASSERT_TRUE(one.answer(campaign));
  std::int64_t gold = 0;
  std::map<std::string, std::set<Index>> had;
  for (const SuggestionRecord& record : campaign.state().suggestions()) {
    EXPECT_EQ(record.asked.gold, campaign.study().gold_class(record.asked.row).has_value());
    EXPECT_TRUE(had[record.worker()].insert(record.asked.row).second) << "nobody gets an item twice";
    EXPECT_EQ(record.asked.cost, 1.0) << "a person cannot tell it by its price";
    EXPECT_GT(record.asked.information, 0.0);
    gold += record.asked.gold ? 1 : 0;
  }
  EXPECT_GT(gold, 20);
  EXPECT_LT(gold, 56);
  EXPECT_EQ(campaign.state().annotations(), 120 - gold);
  EXPECT_EQ(campaign.annotations().size(), static_cast<std::size_t>(120 - gold));
  EXPECT_EQ(campaign.state().spent(), 120.0) << "people are paid for them";
  for (const Annotation& annotation : campaign.annotations())
    EXPECT_FALSE(campaign.study().gold_class(*annotation.place.pool_row()));
  EXPECT_EQ(annotation_rows(campaign).size(), static_cast<std::size_t>(120 - gold));
  std::int64_t shown = 0;
  for (const PersonView& one : people_view(campaign)) shown += one.gold_right + one.gold_wrong;
  EXPECT_EQ(shown, gold);
  // Programs get none.
  for (const Suggestion& one : campaign.ask({.count = 20, .worker = "run"}).suggestions)
    EXPECT_FALSE(campaign.study().gold_class(one.row));
}

// People who label may read the log of a served campaign.
TEST(GoldItems, LookLikeOthersWhereTheyMustNotShow) {
  const Desk desk(study_text("gold = \"gold.csv\"\ngold_rate = 0.5\n", "fit = 500\n"));
  Campaign campaign = desk.in_memory();
  Annotator anna("anna", 0.9, 1);
  for (int k = 0; k < 12; ++k) anna.answer(campaign);
  State state;
  std::string shown, hidden;
  for (const StoredEvent& stored : campaign.events()) {
    state.apply(stored);
    shown += event_json(stored, state, &campaign.study().pool());
    hidden += event_json(stored, state, &campaign.study().pool(), false);
  }
  EXPECT_NE(shown.find("gold"), std::string::npos);
  EXPECT_EQ(hidden.find("gold"), std::string::npos) << hidden;
}

TEST(GoldItems, FollowFromSeedAndLog) {
  const Desk desk(study_text("gold = \"gold.csv\"\ngold_rate = 0.5\n", "fit = 500\n"));
  std::vector<Index> first, again;
  for (std::vector<Index>* rows : {&first, &again}) {
    Campaign campaign = desk.in_memory();
    Annotator anna("anna", 0.9, 1), bert("bert", 0.9, 2);
    for (int k = 0; k < 12; ++k) anna.answer(campaign), bert.answer(campaign);
    for (const SuggestionRecord& record : campaign.state().suggestions()) rows->push_back(record.asked.row);
  }
  EXPECT_EQ(first, again);
}

TEST(GoldItems, TellTheBeliefNothing) {
  const Desk desk(study_text("gold = \"gold.csv\"\ngold_rate = 0.5\n", "fit = 500\n"));
  Campaign campaign = desk.in_memory();
  Annotator anna("anna", 0.9, 1);
  for (int k = 0; k < 16; ++k) anna.answer(campaign);
  campaign.ask({.count = 3, .worker = "anna", .level = "crowd"});  // pending ones, gold among them or not
  const Vector mean = campaign.belief().marginals().mean;
  const StudyModel model = campaign.model();
  EXPECT_EQ(model.observations.size(), campaign.annotations().size());
  // The same ordinary answers without any gold.
  const auto alone = StudyLearner(campaign.study()).belief(model, {}, 1);
  EXPECT_LT((alone->marginals().mean - mean).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(GoldItems, AreAnsweredByTheirQuestionsOnly) {
  const Desk desk(study_text("gold = \"gold.csv\"\ngold_rate = 0.9\n", "fit = 500\n"));
  Campaign campaign = desk.in_memory();
  Answer unasked;
  unasked.values = {1.0};
  unasked.row = 4;  // a gold item
  unasked.level = campaign.study().level_named("crowd");
  EXPECT_THROW(campaign.add({unasked}), InputError);
  const Suggestion ordinary = campaign.ask({.worker = "run"}).suggestions.at(0);
  Answer elsewhere;
  elsewhere.id = ordinary.id;
  elsewhere.values = {1.0};
  elsewhere.row = 4;
  EXPECT_THROW(campaign.tell({elsewhere}), InputError);
  campaign.add_person({"anna", {}, true});
  std::optional<Suggestion> gold;
  while (!gold)
    for (const Suggestion& one : campaign.ask({.worker = "anna"}).suggestions)
      if (campaign.study().gold_class(one.row)) gold = one;
  Answer moved;
  moved.id = gold->id;
  moved.values = {1.0};
  moved.row = 5;
  EXPECT_THROW(campaign.tell({moved}), InputError);
  moved.row.reset();
  campaign.tell({moved});
  EXPECT_EQ(campaign.state().annotations(), 0);
  // A correction of the answer counts, and a retracted one does not.
  const auto right = [&] {
    const PersonView view = people_view(campaign).at(0);
    return std::pair(view.gold_right, view.gold_wrong);
  };
  const bool was_right = class_of(gold->row) > 0.0;
  using Counts = std::pair<std::int64_t, std::int64_t>;
  const Counts one_right(1, 0), one_wrong(0, 1);
  EXPECT_EQ(right(), was_right ? one_right : one_wrong);
  campaign.amend(gold->id, {-1.0}, "typo");
  EXPECT_EQ(right(), was_right ? one_wrong : one_right);
  EXPECT_EQ(campaign.state().annotations(), 0);
  campaign.retract(gold->id, "mistake");
  EXPECT_EQ(right(), Counts(0, 0));
}

// A person who may choose the precision must not notice which questions are about gold items.
TEST(GoldItems, CountAtTheLevelAtWhichTheyWereAnswered) {
  const Desk desk(study_text("gold = \"gold.csv\"\ngold_rate = 0.9\n", "fit = 500\n"));
  Campaign campaign = desk.in_memory();
  std::optional<Suggestion> gold;
  while (!gold)
    for (const Suggestion& one : campaign.ask({.worker = "anna", .level = "crowd"}).suggestions)
      if (campaign.study().gold_class(one.row)) gold = one;
  Answer answer;
  answer.id = gold->id;
  answer.values = {class_of(gold->row)};
  answer.level = campaign.study().level_named("expert");
  EXPECT_EQ(campaign.tell({answer}).at(0).charge, 20.0);
  const std::vector<GoldAnswer> answers = gold_answers_of(campaign.study(), campaign.state());
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].level, campaign.study().find_level("expert"));
  EXPECT_TRUE(answers[0].is_right);
}

// A campaign in which a good annotator, a poor one and a coin answer the same items.
Campaign labelled(const Desk& desk, int rounds) {
  Campaign campaign = desk.in_memory();
  Annotator good("good", 0.95, 1), poor("poor", 0.65, 2), coin("coin", 0.5, 3), rare("rare", 0.9, 4);
  for (int k = 0; k < rounds; ++k)
    for (Annotator* one : {&good, &poor, &coin}) one->answer(campaign);
  for (int k = 0; k < 3; ++k) rare.answer(campaign);
  campaign.ask({.worker = "good", .level = "crowd"});
  return campaign;
}

TEST(LearnedAccuracy, IsRecordedUsedAndNeverLearnedAgainByReplay) {
  const Desk desk(study_text("gold = \"gold.csv\"\ngold_rate = 0.3\nmax_per_item = 3\n"));
  Campaign campaign = labelled(desk, 34);
  ASSERT_TRUE(campaign.state().fitted());
  const Fitted& fitted = *campaign.state().fitted();
  ASSERT_EQ(fitted.level_accuracy.size(), 2U);
  EXPECT_EQ(fitted.level_accuracy[1], 0.99) << "it is given";
  EXPECT_EQ(fitted.level_accuracy_sd[1], 0.0);
  std::map<std::string, double> accuracy;
  for (std::size_t k = 0; k < fitted.people.size(); ++k)
    accuracy[fitted.people[k]] = fitted.people_accuracy[k];
  EXPECT_FALSE(accuracy.contains("rare")) << "fewer than five answers";
  EXPECT_GT(accuracy.at("good"), accuracy.at("poor"));
  EXPECT_GT(accuracy.at("poor"), accuracy.at("coin") - 0.1);
  EXPECT_GT(accuracy.at("good"), 0.83);
  EXPECT_LT(accuracy.at("coin"), 0.72);

  // The model has one site per item, of the accuracies that were learned.
  const StudyModel model = campaign.model();
  const std::vector<Annotation> annotations = campaign.annotations();
  std::map<Index, std::vector<std::size_t>> items;
  for (std::size_t k = 0; k < annotations.size(); ++k) items[*annotations[k].place.pool_row()].push_back(k);
  bool has_several = false;
  for (const auto& [row, answers] : items) {
    std::vector<double> values;
    std::vector<FlipChannel> accuracies;
    for (const std::size_t k : answers) {
      values.push_back(annotations[k].value);
      accuracies.push_back(model.learned->accuracies->of(annotations[k].worker, 0));
    }
    const MergedAnswer merged = merge_answers(values, accuracies);
    const Observation& site = model.observations[answers.front()];
    EXPECT_EQ(site.value, merged.y);
    EXPECT_NEAR(std::get<FlipChannel>(site.channel).accuracy(), merged.accuracy, 1e-12);
    for (std::size_t k = 1; k < answers.size(); ++k)
      EXPECT_EQ(std::get<FlipChannel>(model.observations[answers[k]].channel).accuracy(), 0.5);
    has_several = has_several || answers.size() > 1;
  }
  EXPECT_TRUE(has_several);
  // The person who asks is expected to be as good as was learned.
  const Suggestion last = campaign.pending().back();
  EXPECT_NEAR(std::get<FlipChannel>(last.channel).accuracy(), accuracy.at("good"), 1e-12);

  // A log in JSON gives the same state and model; nothing is learned.
  auto store = make_memory_event_store();
  std::vector<Event> events;
  for (const StoredEvent& stored : campaign.events())
    events.push_back(event_from_json(event_name(stored.event), to_json(stored.event)));
  store->add(0, [&](const auto&) { return events; });
  Campaign again(desk.study(), std::move(store), {.threads = 1});
  EXPECT_EQ(again.events().size(), events.size());
  EXPECT_LT((again.belief().marginals().mean - campaign.belief().marginals().mean).cwiseAbs().maxCoeff(),
            1e-8);
  EXPECT_EQ(again.ask({.worker = "poor", .level = "crowd"}).suggestions.at(0).row,
            campaign.ask({.worker = "poor", .level = "crowd"}).suggestions.at(0).row);
}

TEST(LearnedAccuracy, IsShownWithItsInterval) {
  const Desk desk(study_text("gold = \"gold.csv\"\ngold_rate = 0.3\nmax_per_item = 3\n"));
  const Campaign campaign = labelled(desk, 34);
  std::map<std::string, PersonView> people;
  for (const PersonView& one : people_view(campaign)) people[one.name] = one;
  ASSERT_EQ(people.size(), 4U);
  for (const auto& [name, one] : people) {
    ASSERT_TRUE(one.accuracy && one.low && one.high) << name;
    EXPECT_LE(*one.low, *one.accuracy) << name;
    EXPECT_GE(*one.high, *one.accuracy) << name;
  }
  EXPECT_EQ(people.at("rare").accuracy, campaign.state().fitted()->level_accuracy[0]);
  EXPECT_EQ(people.at("good").remark, "");
  EXPECT_GT(people.at("good").gold_right, people.at("good").gold_wrong);
  EXPECT_LT(people.at("coin").high, people.at("good").high);
}

// With the answers of one person to every item, a site per item is a site per answer.
TEST(LearnedAccuracy, BeliefThatFollowsIsTheOneBuiltAgain) {
  const Desk desk(study_text("max_per_item = 3\n", "fit = 500\n"));
  Campaign campaign = desk.in_memory();
  Annotator anna("anna", 0.9, 1), bert("bert", 0.7, 2);
  for (int k = 0; k < 20; ++k) {
    anna.answer(campaign), bert.answer(campaign);
    const auto alone = StudyLearner(campaign.study()).belief(campaign.model(), {}, 1);
    ASSERT_LT((alone->marginals().mean - campaign.belief().marginals().mean).cwiseAbs().maxCoeff(), 1e-6)
        << k;
  }
}

TEST(PeopleView, NoticesWhoGetsWorse) {
  const Desk desk(study_text("gold = \"gold.csv\"\ngold_rate = 0.9\nmax_per_item = 3\n", "fit = 500\n"));
  // Every point but a few is gold.
  std::string gold = "id,class\n";
  for (int k = 0; k < points - 5; ++k) gold += fmt::format("i{},{}\n", k, class_of(k) > 0 ? "yes" : "no");
  desk.folder.write("gold.csv", gold);
  Campaign campaign = desk.in_memory();
  const auto answer = [&](const std::string& worker, bool rightly) {
    const std::vector<Suggestion> found = campaign.ask({.worker = worker, .level = "crowd"}).suggestions;
    if (found.empty()) return;
    Answer one;
    one.id = found[0].id;
    one.values = {rightly ? class_of(found[0].row) : -class_of(found[0].row)};
    campaign.tell({one});
  };
  for (int k = 0; k < 30; ++k) {
    answer("tired", k < 15 || k % 3 == 0);
    answer("steady", k % 10 != 0);
    answer("coin", k % 2 == 0);
  }
  std::map<std::string, PersonView> people;
  for (const PersonView& one : people_view(campaign)) people[one.name] = one;
  EXPECT_TRUE(people.at("tired").remark.starts_with("worse since 20")) << people.at("tired").remark;
  EXPECT_EQ(people.at("steady").remark, "");
  EXPECT_EQ(people.at("coin").remark, "no better than a coin");
}

// Items that are asked twice are the contested ones, and the other answer is often a coin's or a yes-sayer's.
TEST(PeopleView, AccusesNobodyForDisagreeingWithThoseWhoGuess) {
  constexpr int items = 240;
  const auto x = [](Index row) { return -3.0 + 6.0 * static_cast<double>(row) / (items - 1); };
  const auto truth = [&](Index row) { return std::sin(1.5 * x(row)) > 0.0 ? 1.0 : -1.0; };
  const Desk desk(study_text("gold = \"gold.csv\"\ngold_rate = 0.3\nmax_per_item = 2\n", "fit = 150\n"));
  std::string pool = "item,x\n", gold = "id,class\n";
  for (int k = 0; k < items; ++k) {
    pool += fmt::format("i{},{}\n", k, x(k));
    if (k % 4 == 0) gold += fmt::format("i{},{}\n", k, truth(k) > 0 ? "yes" : "no");
  }
  desk.folder.write("pool.csv", pool);
  desk.folder.write("gold.csv", gold);
  Campaign campaign = desk.in_memory();
  numerics::Draws draws(5, numerics::Purpose::data, 1532);
  const std::vector<std::pair<std::string, double>> people = {
      {"coin", 0.5}, {"good1", 0.85}, {"yesman", 0.0}, {"good2", 0.78}, {"good3", 0.72}};
  for (int k = 0; k < 60; ++k)
    for (const auto& [name, accuracy] : people) {
      const std::vector<Suggestion> found = campaign.ask({.worker = name, .level = "crowd"}).suggestions;
      if (found.empty()) continue;
      Answer one;
      one.id = found[0].id;
      const double right = truth(found[0].row);
      one.values = {name == "yesman" ? 1.0 : draws.uniform() < accuracy ? right : -right};
      campaign.tell({one});
      // From ten answers on.
      if (name == "yesman" && k == 9)
        for (const PersonView& view : people_view(campaign)) {
          EXPECT_EQ(view.remark, view.name == name ? "yes 10 of 10 times" : "") << view.name;
        }
    }
  std::int64_t contradicted = 0;
  for (const PersonView& one : people_view(campaign)) {
    if (one.name.starts_with("good")) {
      EXPECT_EQ(one.remark, "") << one.name;
      contradicted += one.different >= one.same ? 1 : 0;
    }
    if (one.name == "coin") {
      EXPECT_EQ(one.remark, "no better than a coin") << *one.high;
    }
    if (one.name == "yesman") {
      EXPECT_EQ(one.remark, fmt::format("yes {} of {} times", one.answers, one.answers));
    }
  }
  EXPECT_GE(contradicted, 1) << "somebody good agrees with the others in half of the cases at most";
}

TEST(GoldItems, BelongToTheCampaign) {
  const Desk desk(study_text("gold = \"gold.csv\"\ngold_rate = 0.5\n"));
  const auto run = [&](const std::vector<std::string>& words) {
    return testing::run_acuity(words, desk.folder.path());
  };
  ASSERT_EQ(run({"init", "C", "--study", "study.toml"}).exit_code, 0)
      << run({"init", "D", "--study", "study.toml"}).err;
  EXPECT_EQ(desk.folder.read("C/gold.csv"), gold_text());
  for (int k = 1; k <= 6; ++k) {
    ASSERT_EQ(run({"ask", "C", "--worker", "anna"}).exit_code, 0);
    ASSERT_EQ(run({"tell", "C", std::to_string(k), "yes"}).exit_code, 0);
  }
  EXPECT_EQ(run({"verify", "C"}).exit_code, 0);
  ASSERT_EQ(run({"copy", "C", "D"}).exit_code, 0);
  EXPECT_EQ(run({"people", "D", "--format", "csv"}).out, run({"people", "C", "--format", "csv"}).out);
  const std::string sheet = run({"ask", "C", "--worker", "anna", "--format", "json"}).out;
  EXPECT_EQ(sheet.find("gold"), std::string::npos) << sheet;
  // Another table is a change of the study.
  std::string other = "id,class\n";
  for (int k = 0; k < points; k += 3) other += fmt::format("i{},{}\n", k, class_of(k) > 0 ? "yes" : "no");
  desk.folder.write("gold.csv", other);
  EXPECT_EQ(run({"run", "C", "--study", "study.toml"}).exit_code, 6);
  const testing::ProgramResult changed = run({"change", "C", "--study", "study.toml", "--yes"});
  EXPECT_EQ(changed.exit_code, 0) << changed.err;
  EXPECT_EQ(desk.folder.read("C/gold.csv"), other);
  EXPECT_EQ(run({"verify", "C"}).exit_code, 0);
  EXPECT_EQ(run({"ask", "C", "--worker", "anna"}).exit_code, 0);
  std::filesystem::remove(desk.folder.path() / "C" / "gold.csv");
  EXPECT_NE(run({"ask", "C", "--worker", "anna"}).exit_code, 0);
}

// Of the 95 % intervals of simulated people, about 95 % contain the truth.
TEST(LearnedAccuracy, CoversTheTruthAsOftenAsItClaims) {
  const int campaigns = testing::thorough() ? 200 : 10;
  int count = 0, covered = 0;
  for (int c = 0; c < campaigns; ++c) {
    const auto seed = static_cast<std::uint32_t>(c);
    numerics::Draws draws(seed, numerics::Purpose::data, 1531);
    const Desk desk(
        study_text(fmt::format("gold = \"gold.csv\"\ngold_rate = 0.2\nmax_per_item = 3\n"), "fit = 66\n"));
    Campaign campaign = desk.in_memory();
    std::vector<Annotator> people;
    std::map<std::string, double> truth;
    for (std::uint32_t p = 0; p < 3; ++p) {
      // Beta(16, 4), the guess: the 16th smallest of 19 uniform draws.
      std::vector<double> uniform(19);
      for (double& u : uniform) u = draws.uniform();
      std::sort(uniform.begin(), uniform.end());
      const std::string name = fmt::format("p{}", p);
      truth[name] = std::max(0.5, uniform[15]);
      people.emplace_back(name, truth[name], 100 * seed + p);
    }
    while (!campaign.state().fitted()) {
      bool any = false;
      for (Annotator& one : people) any = one.answer(campaign) || any;
      if (!any) break;
    }
    ASSERT_TRUE(campaign.state().fitted()) << c;
    for (const PersonView& one : people_view(campaign)) {
      ASSERT_TRUE(one.low && one.high);
      ++count;
      covered += *one.low <= truth.at(one.name) && truth.at(one.name) <= *one.high ? 1 : 0;
    }
  }
  const double share = static_cast<double>(covered) / count;
  const double error = std::sqrt(0.95 * 0.05 / count);
  RecordProperty("coverage", fmt::format("{:.4f}", share));
  RecordProperty("standard_error", fmt::format("{:.4f}", error));
  std::printf("coverage %.4f, standard error %.4f, %d intervals\n", share, error, count);
  EXPECT_GT(share, 0.95 - 3.5 * error);
}

}  // namespace
}  // namespace acuity::gold_test
