// Campaigns whose answers are counts, k of n or k in a time (docs/math.md 22), or have a range.
#include <gtest/gtest.h>

#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/campaign/campaign.hpp"
#include "campaign/answer_check.hpp"
#include "campaign/answer_noise.hpp"
#include "campaign/answer_reader.hpp"
#include "campaign/campaign_belief.hpp"
#include "campaign/last_fit.hpp"
#include "campaign/reported_cost.hpp"
#include "campaign/state_queries.hpp"
#include "numerics/random.hpp"
#include "study/answer_prediction.hpp"
#include "support/memory_campaigns.hpp"

namespace acuity::testing::counted_answers_test {
namespace {

const std::string levels =
    "[[level]]\nname = \"few\"\ntrials = 50\ncost = 1\n[[level]]\nname = \"many\"\ntrials = 400\ncost = 5\n";

std::string fraction_study(const std::string& campaign = "", const std::string& model = "") {
  return "[campaign]\nbudget = 400\n" + campaign + "[pool]\nfile = \"pool.csv\"\nrepeat = true\n[model]\n" +
         model + "[target]\nname = \"yield\"\nscale = \"fraction\"\n" + levels;
}

Answer counted(std::int64_t id, std::vector<std::string> texts, const Study& study) {
  WrittenValues written = read_values(study, texts, "y");
  Answer answer;
  answer.id = id;
  answer.values = std::move(written.values);
  answer.trials = std::move(written.trials);
  return answer;
}

std::string refusal(const std::function<void()>& what) {
  try {
    what();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CountedAnswers, HaveTheNoiseOfTheirTrials) {
  MemoryCampaign campaign(fraction_study(), pool_on_a_line(20, 4.0));
  const std::vector<Suggestion> asked = campaign->ask({.count = 3, .level = "few"}).suggestions;
  const Study& study = campaign->study();
  campaign->tell({counted(asked[0].id, {"0.3"}, study), counted(asked[1].id, {"30/120"}, study),
                  counted(asked[2].id, {"15/50"}, study)});
  const std::vector<Annotation> known = campaign->annotations();
  EXPECT_DOUBLE_EQ(noise_variance(known[0].channel), 1.0 / 200.0) << "the trials of its level";
  EXPECT_DOUBLE_EQ(noise_variance(known[1].channel), 1.0 / 480.0);
  EXPECT_DOUBLE_EQ(noise_variance(known[2].channel), 1.0 / 200.0);
  EXPECT_FALSE(known[2].reported) << "as many trials as its level has";
  EXPECT_DOUBLE_EQ(known[1].value, std::asin(std::sqrt(0.25)));
  EXPECT_EQ(campaign->state().find(asked[1].id)->values, std::vector<double>{0.25}) << "on the user's scale";
  const StudyModel model = campaign->model();
  EXPECT_DOUBLE_EQ(noise_variance(model.offer.levels[0].channel), 1.0 / 200.0)
      << "another number of trials says nothing about the next answer";
}

TEST(CountedAnswers, OfOneSuggestionAddUp) {
  MemoryCampaign campaign(fraction_study(), pool_on_a_line(20, 4.0));
  const Study& study = campaign->study();
  const std::vector<Suggestion> asked = campaign->ask({.count = 2, .level = "few"}).suggestions;
  const TellResult result = campaign->tell({counted(asked[0].id, {"3/50", "8/100", "0.02"}, study)}).front();
  EXPECT_EQ(result.charge, 3.0) << "three answers were paid for";
  const SuggestionRecord& record = *campaign->state().find(asked[0].id);
  ASSERT_EQ(record.values.size(), 1U);
  EXPECT_NEAR(record.values[0], 12.0 / 200.0, 1e-15);
  EXPECT_DOUBLE_EQ(noise_variance(*record.told->channel), 1.0 / 800.0);
  EXPECT_FALSE(campaign->tell({counted(asked[0].id, {"3/50", "8/100", "0.02"}, study)}).front().changes);
  EXPECT_NE(refusal([&] {
              campaign->tell({counted(asked[0].id, {"4/50"}, study)});
            }).find("already has the answer 0.06"),
            std::string::npos);
}

// Several answers that say nothing of their cost are charged the price for each.
TEST(CountedAnswers, OfOneSuggestionReportNoCost) {
  MemoryCampaign campaign(fraction_study(), pool_on_a_line(20, 4.0));
  const Study& study = campaign->study();
  const auto tell = [&](std::vector<std::string> texts, std::optional<double> cost) {
    Answer answer = counted(campaign->ask({.level = "few"}).suggestions.at(0).id, std::move(texts), study);
    answer.cost = cost;
    return campaign->tell({answer}).front().charge;
  };
  const auto reported = [&] { return reported_costs(study, campaign->state()); };
  EXPECT_EQ(tell({"12/25", "14/25", "9/20"}, std::nullopt), 3.0);
  EXPECT_EQ(tell({"0.2", "0.3"}, std::nullopt), 2.0);
  EXPECT_TRUE(reported().empty());
  EXPECT_TRUE(campaign->model().costs.empty());
  EXPECT_EQ(tell({"12/25"}, 2.5), 2.5) << "no whole number of prices";
  ASSERT_EQ(reported().size(), 1U);
  EXPECT_EQ(reported()[0].count, 6) << "five at the price, and the one that reports";
  EXPECT_DOUBLE_EQ(reported()[0].reported, 7.5 / 6.0);
  EXPECT_EQ(tell({"12/50"}, 2.0), 2.0) << "one answer of as many trials as its level has";
  EXPECT_DOUBLE_EQ(reported()[0].reported, 9.5 / 7.0);
}

TEST(CountedAnswers, HaveNoMoreCountsThanTrials) {
  MemoryCampaign campaign(fraction_study(), pool_on_a_line(20, 4.0));
  EXPECT_EQ(refusal([&] { read_values(campaign->study(), {"30/25"}, "the answer to 2"); }),
            "the answer to 2 is \"30/25\", must be k/n, such as 3/200, where k may not exceed n, or a number "
            "from 0 to 1 (target.scale is \"fraction\")");
}

TEST(CountedAnswers, AmendedCountsBringTheirTrials) {
  MemoryCampaign campaign(fraction_study(), pool_on_a_line(20, 4.0));
  const Study& study = campaign->study();
  const std::int64_t id = campaign->ask({.level = "few"}).suggestions.at(0).id;
  campaign->tell({counted(id, {"3/80"}, study)});
  const auto amend = [&](const std::string& text) {
    WrittenValues written = read_values(study, {text}, "y");
    Amendment amendment;
    amendment.id = id;
    amendment.values = written.values;
    amendment.trials = written.trials;
    amendment.reason = "typo";
    return campaign->amend(amendment);
  };
  EXPECT_TRUE(amend("5/100"));
  EXPECT_DOUBLE_EQ(noise_variance(campaign->annotations().at(0).channel), 1.0 / 400.0);
  EXPECT_TRUE(amend("0.1")) << "a share keeps the trials";
  EXPECT_DOUBLE_EQ(noise_variance(campaign->annotations().at(0).channel), 1.0 / 400.0);
  EXPECT_TRUE(amend("5/50")) << "the trials of the level";
  EXPECT_FALSE(campaign->annotations().at(0).reported);
  EXPECT_DOUBLE_EQ(noise_variance(campaign->annotations().at(0).channel), 1.0 / 200.0);
}

TEST(CountedAnswers, UnaskedOnesNeedALevelOrTrials) {
  MemoryCampaign campaign(fraction_study(), pool_on_a_line(20, 4.0));
  const Study& study = campaign->study();
  Answer answer = counted(0, {"7/70"}, study);
  answer.row = 3;
  campaign->add({answer});
  EXPECT_DOUBLE_EQ(noise_variance(campaign->annotations().at(0).channel), 1.0 / 280.0);
  Answer share = counted(0, {"0.1"}, study);
  share.row = 4;
  EXPECT_NE(refusal([&] { campaign->add({share}); }).find("neither a level nor a noise"), std::string::npos);
  share.level = study.level_named("many");
  campaign->add({share});
  EXPECT_DOUBLE_EQ(noise_variance(campaign->annotations().at(1).channel), 1.0 / 1600.0);
}

TEST(CountedAnswers, AreReadFromTables) {
  MemoryCampaign campaign(fraction_study(), pool_on_a_line(20, 4.0));
  const std::vector<Suggestion> asked = campaign->ask({.count = 2, .level = "few"}).suggestions;
  const Folder folder;
  const auto read = [&](const std::string& text) {
    return read_answers(campaign->study(), campaign->state(), folder.write("A.csv", text)).answers;
  };
  const std::vector<Answer> counts = read("id,k,n\n1,3,60\n2,0,50\n");
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].values, std::vector<double>{0.05});
  EXPECT_EQ(counts[0].trials, std::vector<double>{60.0});
  EXPECT_EQ(read("id,y\n1,3/60\n2,0.5\n")[0].trials, std::vector<double>{60.0});
  EXPECT_EQ(read("id,y_1,y_2\n1,3/60,4/60\n2,0.5,\n")[0].values.size(), 2U);
  const std::vector<Answer> with_commas = read("id;y;n\n1;0,05;60\n2;3/50;\n");
  EXPECT_EQ(with_commas[0].values, std::vector<double>{0.05});
  EXPECT_EQ(with_commas[0].trials, std::vector<double>{60.0});
  EXPECT_EQ(with_commas[1].trials, std::vector<double>{50.0});
  EXPECT_NE(refusal([&] { read("id,k,n\n1,70,60\n"); }).find("must be k/n"), std::string::npos);
  EXPECT_NE(refusal([&] { read("id,k\n1,7\n"); }).find("number of trials in the column \"n\""),
            std::string::npos);
  const std::vector<Annotation> known =
      campaign->study().read_annotations(folder.write("K.csv", "x,level,k,n\n0,few,5,50\n0.5,few,5,100\n"));
  EXPECT_FALSE(known[0].reported);
  EXPECT_DOUBLE_EQ(noise_variance(known[1].channel), 1.0 / 400.0);
  EXPECT_EQ(known[1].answer, 0.05);
}

// A belief that has followed the campaign is that of its log, also where few counts are corrected, and the
// log has the answers as people have them.
TEST(CountedAnswers, TheLogIsAllThereIs) {
  MemoryCampaign campaign(fraction_study(), pool_on_a_line(20, 4.0));
  CampaignBelief followed(campaign->study(), 1, {});
  const Study& study = campaign->study();
  const std::vector<std::string> told{"0/50", "1/50", "20/50", "49/50", "7/90", "0.5"};
  for (const std::string& text : told) {
    followed.follow(campaign->state());
    const std::int64_t id = campaign->ask({.level = "few"}).suggestions.at(0).id;
    followed.follow(campaign->state());
    campaign->tell({counted(id, {text}, study)});
  }
  followed.follow(campaign->state());
  State replayed;
  for (const StoredEvent& stored : campaign->events())
    replayed.apply(
        {stored.sequence, stored.time, event_from_json(event_name(stored.event), to_json(stored.event))});
  CampaignBelief fresh(study, 1, {});
  fresh.follow(replayed);
  EXPECT_EQ(followed.builds(), 1);
  const Marginals one = followed.belief().marginals(), other = fresh.belief().marginals();
  EXPECT_LT((one.mean - other.mean).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((one.variance - other.variance).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_EQ(replayed.find(2)->values, std::vector<double>{1.0 / 50.0});
  EXPECT_DOUBLE_EQ(annotations_of(study, replayed)[1].value, std::asin(std::sqrt(1.375 / 50.75)));
}

TEST(CountedAnswers, FewCountsAreSaidOnce) {
  MemoryCampaign campaign(fraction_study(), pool_on_a_line(20, 4.0));
  const Target& target = *campaign->study().file().target;
  const std::vector<Suggestion> asked = campaign->ask({.count = 2, .level = "few"}).suggestions;
  campaign->tell({counted(asked[0].id, {"25/50"}, campaign->study())});
  EXPECT_EQ(small_counts_text(target, campaign->annotations()), "");
  campaign->tell({counted(asked[1].id, {"48/50"}, campaign->study())});
  EXPECT_EQ(small_counts_text(target, campaign->annotations()),
            "1 of 2 answers has fewer than three counts of one kind (k, or n - k): the noise of such answers "
            "is known only roughly, more trials would tell more");
}

double truth(double x) {
  return 0.5 + 0.42 * std::sin(1.7 * x);
}

struct Coverage {
  Index inside = 0, of = 0;
  double lowest = 1.0, highest = 0.0, squares = 0.0;
};

// Of the intervals of a default campaign with simulated counts.
void add_coverage(std::uint32_t seed, const std::string& model, Coverage& found) {
  const Folder folder;
  folder.write("pool.csv", pool_on_a_line(80, 6.0));
  Study opened = Study::open(
      folder.write("study.toml",
                   fmt::format("[campaign]\nbudget = 60\nseed = {}\n[pool]\nfile = \"pool.csv\"\n{}[target]\n"
                               "scale = \"fraction\"\n{}",
                               seed, model, levels)));
  Campaign campaign(std::move(opened), make_memory_event_store(), CampaignOptions{.threads = 1});
  const Study& study = campaign.study();
  numerics::Draws draws(seed, numerics::Purpose::data);
  for (AskResult asked = campaign.ask(); !asked.suggestions.empty(); asked = campaign.ask()) {
    const Suggestion& one = asked.suggestions.front();
    const int n = one.level.name == "few" ? 50 : 400;
    int k = 0;
    for (int trial = 0; trial < n; ++trial) k += draws.uniform() < truth(one.inputs[0]) ? 1 : 0;
    campaign.tell({counted(one.id, {fmt::format("{}/{}", k, n)}, study)});
  }
  const StudyModel learned = model_for_predictions(campaign, 1);
  const PointsRef pool = study.pool().points();
  const AnswerPredictions answers = answer_predictions(
      study, learned,
      StudyLearner(study).averaged(learned, campaign.annotations(), 1).predict(pool).marginals,
      Vector::Zero(pool.rows()));
  for (Index i = 0; i < pool.rows(); ++i, ++found.of) {
    const double p = truth(pool(i, 0));
    found.inside += answers.low(i) <= p && p <= answers.high(i) ? 1 : 0;
    found.squares += (answers.middle(i) - p) * (answers.middle(i) - p);
    found.lowest = std::min(found.lowest, answers.low(i));
    found.highest = std::max(found.highest, answers.high(i));
    EXPECT_LE(answers.low(i), answers.middle(i));
    EXPECT_LE(answers.middle(i), answers.high(i));
  }
}

Coverage coverage_of(const std::string& more) {
  Coverage found;
  for (std::uint32_t seed = 1; seed <= 4; ++seed) add_coverage(seed, more, found);
  return found;
}

void expect_calibrated(const Coverage& found, double least, double error) {
  EXPECT_GE(found.lowest, 0.0);
  EXPECT_LE(found.highest, 1.0);
  EXPECT_GT(static_cast<double>(found.inside) / static_cast<double>(found.of), least);
  EXPECT_LT(std::sqrt(found.squares / static_cast<double>(found.of)), error);
}

TEST(CountedAnswers, IntervalsCoverAndStayWithinTheRange) {
  const Coverage found = coverage_of("");
  RecordProperty("coverage",
                 std::to_string(static_cast<double>(found.inside) / static_cast<double>(found.of)));
  RecordProperty("error", std::to_string(std::sqrt(found.squares / static_cast<double>(found.of))));
  expect_calibrated(found, 0.88, 0.04);
}

// Answers may be transformed once more, on top of their root: it must not cost anything that shows.
TEST(CountedAnswers, MayBeTransformedBesides) {
  const Coverage all = coverage_of("[model]\nstructure = \"average\"\n"),
                 root = coverage_of("[model]\nstructure = [\"plain\", \"ranked\", \"additive\"]\n");
  RecordProperty("with", std::to_string(std::sqrt(all.squares / static_cast<double>(all.of))));
  RecordProperty("without", std::to_string(std::sqrt(root.squares / static_cast<double>(root.of))));
  expect_calibrated(all, 0.88, 0.04);
  EXPECT_LT(all.squares, 1.25 * root.squares);
}

TEST(CountedAnswers, ServeAGoal) {
  expect_calibrated(coverage_of("[goal]\nbox = { x = [0, 6] }\n"), 0.85, 0.045);
}

// The few are counted by somebody who misses one success in five.
TEST(CountedAnswers, OfALevelWithBiasAreCorrected) {
  const Folder folder;
  folder.write("pool.csv", pool_on_a_line(60, 6.0));
  Campaign campaign(
      Study::open(folder.write("study.toml",
                               "[campaign]\nbudget = 1000\n[pool]\nfile = "
                               "\"pool.csv\"\n[target]\nscale = \"fraction\"\n"
                               "[[level]]\nname = \"few\"\ntrials = 50\ncost = 1\nbias = "
                               "\"learn\"\n[[level]]\nname = \"many\"\ntrials = 400\ncost = 5\n")),
      make_memory_event_store(), CampaignOptions{.threads = 1});
  const Study& study = campaign.study();
  std::vector<Answer> answers;
  for (Index row = 0; row < 60; row += 2) {
    const bool is_few = row % 4 == 0;
    const double n = is_few ? 50.0 : 400.0,
                 k = std::round(n * truth(study.pool().point(row)[0]) * (is_few ? 0.8 : 1.0));
    answers.push_back(counted(0, {fmt::format("{}/{}", k, n)}, study));
    answers.back().row = row;
    answers.back().level = study.level_named(is_few ? "few" : "many");
  }
  campaign.add(answers);
  const StudyModel model = model_for_predictions(campaign, 1);
  const PointsRef pool = study.pool().points();
  const AnswerPredictions found = answer_predictions(
      study, model, StudyLearner(study).averaged(model, campaign.annotations(), 1).predict(pool).marginals,
      Vector::Zero(pool.rows()));
  double squares = 0.0;
  for (Index i = 0; i < pool.rows(); ++i) {
    squares += std::pow(found.median(i) - truth(pool(i, 0)), 2.0) / 60.0;
    EXPECT_GE(found.low(i), 0.0);
    EXPECT_LE(found.high(i), 1.0);
  }
  EXPECT_LT(std::sqrt(squares), 0.04) << "the share of those who miss some is 0.1 too small on average";
}

// Answers of the initial design are compared with each other, before anything can be predicted.
TEST(FirstAnswers, AreComparedWithTheOthers) {
  EXPECT_FALSE(deviation_from({1.0, 2.0}, 500.0, 0.0)) << "two are too few to know a spread";
  EXPECT_GT(*deviation_from({1.0, 1.2, 0.9, 1.1, 1.05}, 110.0, 0.0), 4.0);
  EXPECT_LT(*deviation_from({1.0, 1.2, 0.9, 1.1, 1.05}, -110.0, 0.0), -4.0);
  EXPECT_LT(std::abs(*deviation_from({1.0, 1.2, 0.9, 1.1, 1.05}, 1.5, 0.0)), 4.0);
  EXPECT_LT(std::abs(*deviation_from({1.0, 1.2, 0.9}, 8.0, 0.0)), 4.0) << "three say little";
  EXPECT_FALSE(deviation_from({2.0, 2.0, 2.0}, 3.0, 0.0)) << "no spread to compare with";
  EXPECT_LT(std::abs(*deviation_from({2.0, 2.0, 2.0, 2.0}, 3.0, 1.0)), 4.0) << "the noise is a spread";
  // The t quantile of 9 degrees of freedom whose tail is that of four standard deviations.
  const std::vector<double> others{-1.5, -1.0, -0.5, -0.2, -0.1, 0.1, 0.2, 0.5, 1.0, 1.5};
  double squares = 0.0;
  for (const double other : others) squares += other * other;
  EXPECT_NEAR(*deviation_from(others, 7.0 * std::sqrt(squares / 9.0 * 1.1), 0.0), 3.9736, 0.2);
}

TEST(FirstAnswers, AnImplausibleOneSurprisesInTheInitialDesign) {
  const Folder folder;
  folder.write("pool.csv", pool_on_a_line(40, 6.0));
  Study opened =
      Study::open(folder.write("study.toml",
                               "[campaign]\nbudget = 100\n[pool]\nfile = \"pool.csv\"\n[[level]]\nname = "
                               "\"a\"\nnoise_sd = 0.05\ncost = "
                               "1\n"));
  Campaign campaign(std::move(opened), make_memory_event_store(), CampaignOptions{.threads = 1});
  const Study& study = campaign.study();
  const std::vector<Suggestion> asked = campaign.ask({.count = 6}).suggestions;
  ASSERT_GE(asked.size(), 5U);
  std::vector<Answer> answers;
  for (const Suggestion& one : asked) {
    Answer answer;
    answer.id = one.id;
    answer.values = {1.0 + 0.1 * std::sin(one.inputs[0])};
    answers.push_back(answer);
  }
  answers[2].values = {103.0};  // a comma that was forgotten
  for (const TellResult& result : campaign.would_tell(answers)) {
    ASSERT_TRUE(result.surprise);
    EXPECT_TRUE(result.beside_others);
    EXPECT_EQ(study.file().target->is_surprising(*result.surprise), result.id == asked[2].id) << result.id;
  }
  EXPECT_GT(*campaign.tell(answers)[2].surprise, 4.0);
  EXPECT_FALSE(campaign.tell({answers[2]}).front().surprise) << "it is recorded already";
}

// Clipping never makes a prediction worse, since the truth is inside.
TEST(TargetRange, AnswersOutsideAreRefusedAndPredictionsStayInside) {
  const Folder folder;
  folder.write("pool.csv", pool_on_a_line(41, 4.0));
  Study opened = Study::open(folder.write(
      "study.toml",
      with_given_model("[campaign]\nbudget = 100\n[pool]\nfile = \"pool.csv\"\n[target]\nrange = "
                       "[0, 100]\n[model]\namplitude = 60\nmean = 50\n[[level]]\nname = "
                       "\"a\"\nnoise_sd = 2\ncost = 1\n")));
  Campaign campaign(std::move(opened), make_memory_event_store(), CampaignOptions{.threads = 1});
  const Study& study = campaign.study();
  const std::vector<Suggestion> asked = campaign.ask({.count = 8}).suggestions;
  Answer answer;
  answer.id = asked[0].id;
  answer.values = {100.5};
  EXPECT_EQ(refusal([&] { campaign.tell({answer}); }),
            "the answer to 1 is 100.5, must be a number from 0 to 100 (target.range)");
  for (const Suggestion& one : asked) {
    answer.id = one.id;
    answer.values = {std::clamp(50.0 + 80.0 * std::sin(2.0 * one.inputs[0]), 0.0, 100.0)};
    campaign.tell({answer});
  }
  const StudyModel model = campaign.model();
  const PointsRef pool = study.pool().points();
  const AveragedMarginals f = StudyLearner(study).unaveraged(model).predict(pool).marginals;
  ASSERT_GT(f.high.maxCoeff(), 100.0) << "or the test shows nothing";
  const AnswerPredictions answers = answer_predictions(study, model, f, Vector::Zero(pool.rows()));
  for (Index i = 0; i < pool.rows(); ++i) {
    EXPECT_GE(answers.low(i), 0.0);
    EXPECT_LE(answers.high(i), 100.0);
    EXPECT_EQ(answers.middle(i), std::clamp(f.mean(i), 0.0, 100.0));
  }
}

TEST(TargetRange, LimitsAreNoAnswers) {
  MemoryCampaign campaign(two_level_study("budget = 100\n"), pool_on_a_line(20, 4.0));
  const std::int64_t id = campaign->ask().suggestions.at(0).id;
  EXPECT_EQ(
      refusal([&] { read_values(campaign->study(), {"<5"}, "the answer to 1"); }),
      "the answer to 1 is \"<5\", must be a finite number: a limit is no value, and the model cannot use "
      "it; tell what was measured, or fail the suggestion");
  const Folder folder;
  EXPECT_NE(refusal([&] {
              read_answers(campaign->study(), campaign->state(),
                           folder.write("A.csv", fmt::format("id,y\n{},>90\n", id)));
            }).find("a limit is no value"),
            std::string::npos);
}

}  // namespace
}  // namespace acuity::testing::counted_answers_test
