#include "explain/explanation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "acuity/campaign/campaign.hpp"
#include "acuity/selection/full_scan.hpp"
#include "campaign/state_queries.hpp"
#include "numerics/random.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"
#include "text/json.hpp"
#include "views/explanation_json.hpp"

namespace acuity::explanation_test {
namespace {

// A study of three levels with prices and precisions of its own, and a campaign of some answers.
class Random {
 public:
  Random(std::uint32_t seed, bool binary) : draws_(11, numerics::Purpose::data, seed) {
    std::string pool = "x,z\n";
    for (int i = 0; i < 40; ++i)
      pool += std::to_string(draws_.uniform(0, 4)) + "," + std::to_string(draws_.uniform(0, 4)) + "\n";
    folder_.write("pool.csv", pool);
    std::string study = "[pool]\nfile = \"pool.csv\"\n[campaign]\nbudget = 60\nseed = 3\n";
    if (binary) study += "[target]\nkind = \"binary\"\n";
    double precision = binary ? 0.6 : draws_.uniform(0.5, 1.5), cost = 1.0;
    for (const char* name : {"coarse", "medium", "fine"}) {
      study += std::string("[[level]]\nname = \"") + name + "\"\n" +
               (binary ? "accuracy = " : "noise_sd = ") + std::to_string(precision) +
               "\ncost = " + std::to_string(cost) + "\n";
      precision = binary ? precision + draws_.uniform(0.05, 0.19) : precision * draws_.uniform(0.2, 0.7);
      cost *= draws_.uniform(1.2, 6.0);
    }
    campaign_.emplace(Study::open(folder_.write("study.toml", testing::with_given_model(study))),
                      make_memory_event_store(), CampaignOptions{.threads = 1});
    const int steps = static_cast<int>(draws_.below(8));
    for (int k = 0; k < steps; ++k)
      for (const Suggestion& s : campaign_->ask().suggestions) {
        Answer answer;
        answer.id = s.id;
        answer.values = {binary ? (draws_.uniform() < 0.5 ? -1.0 : 1.0)
                                : std::sin(s.inputs[0]) + draws_.normal()};
        if (k % 3 != 2) campaign_->tell({answer});  // some stay pending
      }
  }
  Campaign& campaign() { return *campaign_; }

 private:
  testing::Folder folder_;
  numerics::Draws draws_;
  std::optional<Campaign> campaign_;
};

// The level that is chosen with this one instead of what is on offer.
std::string chosen_with(Campaign& campaign, const Level& instead) {
  StudyModel model = campaign.model();
  for (Level& level : model.offer.levels)
    if (level.name == instead.name) level = instead;
  const auto best = select_by_full_scan(campaign.belief().marginals(), model.offer, model.acquisition,
                                        campaign.candidates(), {.threads = 1});
  return best ? model.offer.levels[static_cast<std::size_t>(best->level)].name : "";
}

void check_flips(std::uint32_t seed, bool binary) {
  Random random(seed, binary);
  Campaign& campaign = random.campaign();
  const NextExplanation next = explain_next(campaign, 1);
  ASSERT_TRUE(next.explanation);
  const std::string chosen = next.explanation->chosen.level.name;
  ASSERT_EQ(next.explanation->counterfactuals.size(), 3U);
  for (const Explanation::Counterfactual& one : next.explanation->counterfactuals) {
    const std::string& name = one.level.name;
    const auto wins = [&](const Level& level) { return chosen_with(campaign, level) == name; };
    if (one.price) {
      Level below = one.level, above = one.level;
      below.cost = *one.price * (1 - 1e-6);
      above.cost = *one.price * (1 + 1e-6);
      EXPECT_TRUE(wins(below)) << seed << " " << name << " chosen " << chosen;
      EXPECT_FALSE(wins(above)) << seed << " " << name << " chosen " << chosen;
    }
    if (one.noise_sd) {
      Level below = one.level, above = one.level;
      below.channel = GaussianChannel{*one.noise_sd * *one.noise_sd * (1 - 1e-6)};
      above.channel = GaussianChannel{*one.noise_sd * *one.noise_sd * (1 + 1e-6)};
      EXPECT_TRUE(wins(below)) << seed << " " << name << " chosen " << chosen;
      EXPECT_FALSE(wins(above)) << seed << " " << name << " chosen " << chosen;
    }
    if (one.accuracy) {
      Level below = one.level, above = one.level;
      below.channel = FlipChannel{*one.accuracy - 1e-7};
      above.channel = FlipChannel{std::min(1.0, *one.accuracy + 1e-7)};
      EXPECT_FALSE(wins(below)) << seed << " " << name << " chosen " << chosen;
      EXPECT_TRUE(wins(above)) << seed << " " << name << " chosen " << chosen;
    }
    EXPECT_TRUE(one.price) << "every level has a price at which the choice flips";
  }
}

TEST(Explanation, PricesAndNoisesOfRegressionFlipTheChoice) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) check_flips(seed, false);
}

TEST(Explanation, PricesAndAccuraciesOfClassesFlipTheChoice) {
  for (std::uint32_t seed = 0; seed < 15; ++seed) check_flips(seed, true);
}

// Levels of counts; answers are 0.3 everywhere.
class Counting {
 public:
  explicit Counting(const std::string& scale) {
    const std::string key = scale == "fraction" ? "trials" : "exposure";
    std::string study = "[pool]\nfile = \"pool.csv\"\nrepeat = true\n[campaign]\nbudget = 240\nseed = 1\n" +
                        fmt::format("[target]\nscale = \"{}\"\n", scale);
    for (const int trials : {25, 100, 400})
      study += fmt::format("[[level]]\nname = \"of {}\"\n{} = {}\ncost = {}\n", trials, key, trials,
                           2.0 + 0.02 * trials);
    std::string pool = "x\n";
    for (int i = 0; i < 20; ++i) pool += fmt::format("{}\n", 0.2 * i);
    folder_.write("pool.csv", pool);
    campaign_.emplace(Study::open(folder_.write("study.toml", testing::with_given_model(study))),
                      make_memory_event_store(), CampaignOptions{.threads = 1});
    for (int k = 0; k < 6; ++k) {
      Answer answer;
      answer.id = campaign_->ask().suggestions.at(0).id;
      answer.values = {0.3};
      campaign_->tell({answer});
    }
  }
  Campaign& campaign() { return *campaign_; }

 private:
  testing::Folder folder_;
  std::optional<Campaign> campaign_;
};

// The text says for which numbers of trials a level is chosen, so it is tried with one more and one less.
TEST(Explanation, TrialsOfCountsFlipTheChoice) {
  Counting counting("fraction");
  Campaign& campaign = counting.campaign();
  const Explanation found = *explain_next(campaign, 1).explanation;
  int tried = 0;
  for (const Explanation::Counterfactual& one : found.counterfactuals) {
    const std::string text = counterfactual_text(one, found, campaign.study());
    const std::string words = one.chosen ? "its trials were under " : "its trials were over ";
    const std::size_t at = text.find(words);
    if (at == std::string::npos) continue;
    const double said = std::stod(text.substr(at + words.size()));
    const auto wins = [&](double trials) {
      Level level = one.level;
      level.channel = GaussianChannel{AnswerScale::variance_of(trials)};
      return chosen_with(campaign, level) == level.name;
    };
    EXPECT_TRUE(wins(one.chosen ? said : said + 1.0)) << text;
    EXPECT_FALSE(wins(one.chosen ? said - 1.0 : said)) << text;
    ++tried;
  }
  EXPECT_GE(tried, 2) << to_text(found, campaign.study());
  EXPECT_EQ(to_text(found, campaign.study()).find("noise_sd"), std::string::npos);
}

TEST(Explanation, NoisesOfCountsAreTrialsOrExposures) {
  const auto text_of = [](const std::string& scale, bool chosen, bool no_noise, bool has_bias = false) {
    Counting counting(scale);
    const Explanation found = *explain_next(counting.campaign(), 1).explanation;
    Explanation::Counterfactual one = found.counterfactuals.at(0);
    one.level.name = "a";
    if (has_bias) one.level.bias.offset_sd = 0.1;
    one.point = found.chosen.point;
    one.chosen = chosen;
    one.price = 5.0;
    one.noise_sd = no_noise ? std::nullopt : std::optional(0.06423);  // of 60.6 trials
    one.no_noise = no_noise;
    return counterfactual_text(one, found, counting.campaign().study());
  };
  EXPECT_EQ(text_of("fraction", true, false),
            "\"a\" would not be chosen if it cost over 5, or if its trials were under 61.");
  EXPECT_EQ(text_of("fraction", false, false),
            "\"a\" would be chosen if it cost under 5, or if its trials were over 60.");
  EXPECT_EQ(text_of("rate", true, false),
            "\"a\" would not be chosen if it cost over 5, or if its exposure were under 60.6.");
  EXPECT_EQ(text_of("fraction", false, true),
            "\"a\" would be chosen if it cost under 5; no number of trials would make it win.");
  EXPECT_EQ(text_of("rate", false, true),
            "\"a\" would be chosen if it cost under 5; no exposure would make it win.");
  EXPECT_EQ(
      text_of("fraction", true, false, true),
      "\"a\" would not be chosen if it cost over 5, or if the white part of its error were the noise of "
      "trials under 60.6.");
}

TEST(Explanation, JsonOfCountsHasTheirTrials) {
  for (const std::string scale : {"fraction", "rate"}) {
    Counting counting(scale);
    const Explanation found = *explain_next(counting.campaign(), 1).explanation;
    const Json json = Json::parse(explanation_json(found, counting.campaign().study()));
    const char* key = scale == "fraction" ? "trials" : "exposure";
    int present = 0;
    for (const Json& one : json.at("counterfactuals")) {
      ASSERT_TRUE(one.contains(key));
      if (one.at(key).is_null()) continue;
      const double sd = one.at("noise_sd").get<double>();
      EXPECT_NEAR(one.at(key).get<double>(), 0.25 / (sd * sd), 1e-9 / (sd * sd));
      ++present;
    }
    EXPECT_GE(present, 2);
  }
}

TEST(Explanation, OfASuggestionIsWhatWasBelievedWhenItWasMade) {
  Random random(5, false);
  Campaign& campaign = random.campaign();
  const NextExplanation before = explain_next(campaign, 1);
  const Suggestion made = campaign.ask().suggestions.front();
  EXPECT_EQ(before.explanation->chosen.point, made.point);
  Answer answer;
  answer.id = made.id;
  answer.values = {5.0};
  campaign.tell({answer});
  const Explanation after = explain(campaign, made.id, 1);
  EXPECT_NEAR(after.chosen.variance, before.explanation->chosen.variance, 1e-12);
  EXPECT_NEAR(after.levels.front().information, before.explanation->levels.front().information, 1e-12);
  EXPECT_EQ(after.pending, before.explanation->pending);
  EXPECT_NEAR(after.levels.front().information, made.information, 1e-12);
  EXPECT_TRUE(after.levels.front().chosen);
}

// What the answer is expected to do is what it does: in regression the variance does not depend on it.
TEST(Explanation, SaysWhatTheAnswerWillDo) {
  Random random(7, false);
  Campaign& campaign = random.campaign();
  const Explanation expected = *explain_next(campaign, 1).explanation;
  const Suggestion made = campaign.ask().suggestions.front();
  Answer answer;
  answer.id = made.id;
  answer.values = {0.3};
  campaign.tell({answer});
  const Marginals after = campaign.belief().marginals();
  EXPECT_NEAR(std::sqrt(after.variance(made.row)), expected.sd_after, 1e-10);
  EXPECT_NEAR(after.variance.cwiseSqrt().mean(), expected.pool_sd_after, 1e-10);
  EXPECT_LT(expected.pool_sd_after, expected.pool_sd_before);
}

TEST(Explanation, ReadsAsText) {
  Random random(2, false);
  const std::string text =
      to_text(*explain_next(random.campaign(), 1).explanation, random.campaign().study());
  for (const char* part : {"Why this point.", "Why this level.", "What would change the choice.", "<- chosen",
                           "would not be chosen if it cost over", "would be chosen"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

// Three levels, an initial design and points that can fail.
class Lab {
 public:
  explicit Lab(const std::string& campaign = "initial = 0\n", int units = 1) {
    std::string pool = "id,speed\n";
    for (int i = 0; i < 30; ++i) pool += fmt::format("p{},{}\n", i, 0.1 * i);
    folder_.write("pool.csv", pool);
    campaign_.emplace(
        Study::open(folder_.write(
            "study.toml",
            testing::with_given_model(
                "[pool]\nfile = \"pool.csv\"\nid = \"id\"\n"
                "[[input]]\nname = \"speed\"\nunit = \"m/s\"\n[campaign]\nbudget = 500\nseed = 3\n" +
                campaign +
                fmt::format("[[level]]\nname = \"rough\"\nnoise_sd = 0.6\ncost = 1\nunits = {}\n", units) +
                "[[level]]\nname = \"fine\"\nnoise_sd = 0.05\ncost = 30\n"))),
        make_memory_event_store(), CampaignOptions{.threads = 1});
  }
  Campaign& campaign() { return *campaign_; }
  Suggestion answered(const AskOptions& options = {}) {
    const Suggestion asked = campaign_->ask(options).suggestions.at(0);
    Answer answer;
    answer.id = asked.id;
    answer.values = {std::sin(asked.inputs[0])};
    campaign_->tell({answer});
    return asked;
  }
  std::string text(const Explanation& explanation) { return to_text(explanation, campaign_->study()); }

 private:
  testing::Folder folder_;
  std::optional<Campaign> campaign_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Explanation, AnAnswerOfTheInitialDesignIsCalledThat) {
  Lab lab("initial = { rough = 4, fine = 2 }\n");
  std::set<std::string> levels;
  for (int k = 0; k < 6; ++k) {
    const Suggestion asked = lab.answered();
    levels.insert(asked.level.name);
    const Explanation found = explain(lab.campaign(), asked.id, 1);
    const std::string text = lab.text(found);
    EXPECT_TRUE(found.in_design);
    EXPECT_TRUE(has(text, "It belongs to the initial design (4 at \"rough\", 2 at \"fine\")")) << text;
    EXPECT_FALSE(has(text, "highest precision")) << text;
  }
  EXPECT_EQ(levels.size(), 2U);
  EXPECT_FALSE(explain(lab.campaign(), lab.answered().id, 1).in_design);
}

TEST(Explanation, APointThatFailedWaitsAndRestrictsNothing) {
  Lab lab;
  for (int k = 0; k < 3; ++k) lab.answered();
  const Suggestion failed = lab.campaign().ask().suggestions.at(0);
  lab.campaign().fail({.id = failed.id, .reason = "diverged", .charge = 0.0, .exclude = false});
  const Suggestion asked = lab.answered();
  ASSERT_NE(asked.row, failed.row);
  const Explanation found = explain(lab.campaign(), asked.id, 1);
  EXPECT_EQ(found.allowed, Explanation::Allowed::everything);
  EXPECT_EQ(found.better, "");
  EXPECT_EQ(found.counterfactuals.size(), 2U);
  const Explanation waits = explain_point(lab.campaign(), failed.point, 1);
  const std::string text = lab.text(waits);
  EXPECT_TRUE(has(text, "This one failed, and waits until nothing else is left")) << text;
  EXPECT_FALSE(has(text, "% of that")) << text;
  EXPECT_TRUE(waits.counterfactuals.empty());
  EXPECT_GT(waits.instead->rank, 25) << "behind all that did not fail";
}

TEST(Explanation, ARestrictedAskIsComparedWithWhatWasAllowed) {
  Lab lab;
  for (int k = 0; k < 3; ++k) lab.answered();
  const Suggestion asked = lab.answered({.level = "fine"});
  const Explanation found = explain(lab.campaign(), asked.id, 1);
  EXPECT_EQ(found.allowed, Explanation::Allowed::one_level);
  EXPECT_TRUE(has(found.better, "rough")) << found.better;
  const std::string text = lab.text(found);
  EXPECT_TRUE(has(text, "Not every candidate was allowed: \"fine\" was asked for. Otherwise point ")) << text;
  EXPECT_FALSE(has(text, "What would change the choice")) << text;
  lab.campaign().add_person({.name = "anna", .levels = {"fine"}});
  const Suggestion hers = lab.answered({.worker = "anna"});
  ASSERT_EQ(hers.level.name, "fine");
  const Explanation of_anna = explain(lab.campaign(), hers.id, 1);
  EXPECT_EQ(of_anna.allowed, Explanation::Allowed::of_person);
  EXPECT_EQ(of_anna.better, "");
  EXPECT_TRUE(has(lab.text(of_anna), "Allowed were the levels of the person who asked")) << lab.text(of_anna);
}

TEST(Explanation, ChoicesThatShareACapacityAreExplainedByIt) {
  Lab lab("initial = 0\n", 4);
  for (int k = 0; k < 3; ++k) lab.answered();
  int others = 0;
  for (const Suggestion& asked : lab.campaign().ask({.count = 9, .capacity = 9}).suggestions) {
    const Explanation found = explain(lab.campaign(), asked.id, 1);
    if (found.better.empty()) continue;
    ++others;
    EXPECT_TRUE(has(lab.text(found), " capacity")) << lab.text(found);
    EXPECT_TRUE(found.counterfactuals.empty());
  }
  EXPECT_GT(others, 0);
}

// No word of the mathematics before the details, and the reason first.
TEST(Explanation, BeginsWithTheReasonInWords) {
  Lab lab;
  for (int k = 0; k < 6; ++k) lab.answered();
  const Explanation found = *explain_next(lab.campaign(), 1).explanation;
  const std::string text = lab.text(found), first = text.substr(0, text.find("\n\n"));
  EXPECT_GT(found.reach.points, 0);
  EXPECT_TRUE(has(first, "\nIt ")) << first;
  EXPECT_TRUE(has(first, fmt::format("the uncertainty of {}", found.reach.points))) << first;
  EXPECT_TRUE(has(first, "No other candidate ")) << first;
  for (const char* word : {"nats", "length scale", "variance"}) EXPECT_FALSE(has(first, word)) << first;
  EXPECT_FALSE(has(text, "length scales away")) << text;
  EXPECT_TRUE(has(text, " m/s in speed)")) << text;
  const auto placed = [&](double more_certain) {
    Explanation other = found;
    other.candidates = 1500;
    other.more_certain = more_certain;
    return lab.text(other);
  };
  EXPECT_TRUE(has(placed(0.334), "It was less certain than 33 % of the 1500 candidates; their median"));
  EXPECT_TRUE(has(placed(1497.0 / 1500.0), "It was less certain than more than 99 % of the 1500 candidates"));
  EXPECT_TRUE(has(placed(1499.0 / 1500.0), "It was the least certain of the 1500 candidates;"));
  EXPECT_TRUE(has(placed(3.0 / 1500.0), "It was less certain than less than 1 % of the 1500 candidates"));
  EXPECT_TRUE(has(placed(0.0), "None of the 1500 candidates was more certain;"));
  // As many points as are said have at most that share of their standard deviation left.
  const Vector before = lab.campaign().belief().marginals().variance;
  lab.answered();
  const Vector after = lab.campaign().belief().marginals().variance;
  Index points = 0;
  for (Index i = 0; i < before.size(); ++i)
    if (i != found.chosen.row &&
        std::sqrt(after(i)) <= (1.0 - found.reach.share) * std::sqrt(before(i)) * (1.0 + 1e-9))
      ++points;
  EXPECT_EQ(points, found.reach.points);
}

}  // namespace
}  // namespace acuity::explanation_test
