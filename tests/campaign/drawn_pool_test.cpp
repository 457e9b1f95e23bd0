// A campaign whose pool is drawn keeps the points, whatever happens later to its study.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/campaign/campaign.hpp"
#include "campaign/campaign_folder.hpp"
#include "campaign/verification.hpp"
#include "study/drawn_pool.hpp"
#include "study/pool_table.hpp"
#include "support/program.hpp"

namespace acuity::drawn_pool_test {
namespace {

using testing::Folder;

const std::string by_where = "where = \"speed * load < 20000\"\n";

std::string box(const std::string& pool, int seed = 5, const std::string& speed = "[0, 40]") {
  return "# wear of three alloys\n[campaign]\nname = \"c\"\nbudget = 30\nseed = " + std::to_string(seed) +
         "\n[pool]\n" + pool + "[[input]]\nname = \"speed\"\nrange = " + speed +
         "\n[[input]]\nname = \"load\"\nrange = [1, 1000]\nscale = \"log\"\n"
         "[[input]]\nname = \"alloy\"\nvalues = [\"A\", \"B\", \"C\"]\n"
         "[[level]]\nname = \"rough\"\ncost = 1\nnoise_sd = 0.3\n"
         "[[level]]\nname = \"fine\"\ncost = 5\nnoise_sd = 0.05\n";
}

struct Desk {
  Folder folder;
  std::filesystem::path study;

  explicit Desk(const std::string& text = box("points = 400\n" + by_where))
      : study(folder.write("study.toml", text)) {
    Campaign::create(at("c.acuity"), study);
  }
  CampaignAddress at(const std::string& name) const { return CampaignAddress(folder.path() / name); }
  Campaign open(const std::string& name = "c.acuity") const { return Campaign::open(at(name)); }
  std::string kept(const std::string& file = "pool.csv") const { return folder.read("c.acuity/" + file); }

  std::vector<std::string> change(const std::string& text) const {
    Campaign campaign = open();
    return campaign.change(folder.write("new.toml", text));
  }
  std::string refusal(const std::string& text) const {
    const std::string before = kept();
    try {
      change(text);
    } catch (const InputError& error) {
      EXPECT_EQ(kept(), before);
      const std::string message = error.what(), prefix = (folder.path() / "new.toml").string() + ": ";
      EXPECT_TRUE(message.starts_with(prefix)) << message;
      return message.substr(prefix.size());
    }
    return "";
  }
};

double truth(const Campaign& campaign, Index row) {
  const double* x = campaign.study().pool().point(row);
  return x[0] / 20.0 + std::log(x[1]) / 7.0 + 0.1 * x[2];
}

// The rows that it asks for, answered at once.
std::vector<Index> asked_by(Campaign& campaign, int rounds) {
  std::vector<Index> rows;
  for (int round = 0; round < rounds; ++round) {
    const AskResult asked = campaign.ask();
    if (asked.suggestions.empty()) break;
    const Suggestion& one = asked.suggestions.front();
    rows.push_back(one.row);
    Answer answer;
    answer.id = one.id;
    answer.values = {truth(campaign, one.row)};
    campaign.tell({answer});
  }
  return rows;
}

TEST(DrawnPool, IsKeptWithTheSeedItWasDrawnBy) {
  const Desk desk;
  const Study study = Study::open(desk.study);
  EXPECT_EQ(desk.kept(), write_points(study.pool()));
  EXPECT_EQ(desk.kept("study.toml"),
            box("points = 400\n" + by_where) + "\n[pool.drawn]\nfile = \"pool.csv\"\nseed = 5\n");
  const Campaign campaign = desk.open();
  EXPECT_EQ(campaign.study().pool().points(), study.pool().points());
  EXPECT_EQ(campaign.study().pool().columns(), study.pool().columns());
  EXPECT_EQ(verify_campaign(desk.at("c.acuity")).problem_count, 0);
  // The study of its folder is a study file like others, with the points of the campaign.
  EXPECT_EQ(Study::open(desk.folder.path() / "c.acuity/study.toml").pool().points(), study.pool().points());
}

TEST(DrawnPool, ChoicesAreTheSameAfterEveryOpeningAndInAnotherCampaign) {
  const Desk desk;
  Campaign::create(desk.at("other.acuity"), desk.study);
  Campaign other = desk.open("other.acuity");
  const std::vector<Index> at_once = asked_by(other, 12);
  std::vector<Index> reopened;
  for (int k = 0; k < 12; ++k) {
    Campaign campaign = desk.open();
    const std::vector<Index> one = asked_by(campaign, 1);
    reopened.insert(reopened.end(), one.begin(), one.end());
  }
  EXPECT_EQ(reopened, at_once);
  EXPECT_GE(at_once.size(), 9U);
  EXPECT_EQ(verify_campaign(desk.at("c.acuity")).problem_count, 0);
  EXPECT_NO_THROW(require_same(desk.open(), desk.study));
  EXPECT_NO_THROW(require_same(desk.open(), Study::open(desk.study)));
}

TEST(DrawnPool, AnotherSeedMovesNoPoint) {
  const Desk desk;
  const std::string before = desk.kept();
  const std::vector<std::string> said = desk.change(box("points = 400\n" + by_where, 6));
  EXPECT_EQ(said, (std::vector<std::string>{"campaign.seed: 5 -> 6; draws from now on use it"}));
  EXPECT_EQ(desk.kept(), before);
  EXPECT_TRUE(desk.kept("study.toml").ends_with("\n[pool.drawn]\nfile = \"pool.csv\"\nseed = 5\n"));
  EXPECT_EQ(desk.open().study().file().seed, 6U);
}

TEST(DrawnPool, MorePointsAreMoreOfTheSameSequence) {
  const Desk desk;
  Campaign running = desk.open();
  asked_by(running, 3);
  const std::string before = desk.kept();
  const std::vector<std::string> said = desk.change(box("points = 500\n" + by_where, 6));
  EXPECT_NE(std::find(said.begin(), said.end(),
                      "pool.points: 400 -> 500; the points so far are the first ones of the same sequence"),
            said.end());
  EXPECT_TRUE(desk.kept().starts_with(before));
  EXPECT_EQ(desk.open().study().pool().size(), 500);
  EXPECT_EQ(verify_campaign(desk.at("c.acuity")).problem_count, 0);
  Campaign after = desk.open();
  EXPECT_EQ(asked_by(after, 2).size(), 2U);
  EXPECT_EQ(desk.change(box("points = 500\n" + by_where, 6)), std::vector<std::string>());
}

TEST(DrawnPool, WhatItWasDrawnInCannotChange) {
  const Desk desk;
  const auto begin_new = [](const std::string& sentence) {
    return sentence + "; begin a new campaign for it";
  };
  EXPECT_EQ(
      desk.refusal(box("points = 350\n" + by_where)),
      begin_new("pool.points: 400 -> 350 cannot be applied: points that were drawn stay, must be at least "
                "400; fail --exclude excludes one"));
  EXPECT_EQ(
      desk.refusal(box("points = 400\n")),
      begin_new("pool.where: \"speed * load < 20000\" -> not given cannot be applied: the points so far "
                "were drawn by it"));
  EXPECT_EQ(
      desk.refusal(box("points = 400\n" + by_where, 5, "[0, 50]")),
      begin_new("input speed.range: [0, 40] -> [0, 50] cannot be applied: the points so far were drawn in "
                "it"));
  desk.folder.write("table.csv", "speed,load,alloy\n1,1,A\n");
  EXPECT_NE(desk.refusal("[campaign]\nname = \"c\"\nbudget = 30\nseed = 5\n[pool]\nfile = \"table.csv\"\n"
                         "[[input]]\nname = \"speed\"\n[[input]]\nname = \"load\"\nscale = \"log\"\n"
                         "[[input]]\nname = \"alloy\"\ntype = \"category\"\n"
                         "[[level]]\nname = \"rough\"\ncost = 1\nnoise_sd = 0.3\n"
                         "[[level]]\nname = \"fine\"\ncost = 5\nnoise_sd = 0.05\n"),
            "");
}

TEST(DrawnPool, ACopyThatWasEditedIsNoticed) {
  const Desk desk;
  std::string pool = desk.kept();
  pool.replace(pool.find('\n') + 1, 1, "9");
  desk.folder.write("c.acuity/pool.csv", pool);
  EXPECT_THROW(desk.open(), DifferentStudyError);
}

TEST(DrawnPool, ACampaignInMemoryHasTheSamePoints) {
  const Desk desk;
  const Study study = Study::open(read_study_text(box("points = 400\n" + by_where)));
  Campaign campaign(Study::open(read_study_text(box("points = 400\n" + by_where))),
                    make_memory_event_store());
  Campaign in_folder = desk.open();
  EXPECT_EQ(asked_by(campaign, 8), asked_by(in_folder, 8));
  Campaign::create(desk.at("text.acuity"), study);
  EXPECT_EQ(desk.folder.read("text.acuity/pool.csv"), desk.kept());
}

}  // namespace
}  // namespace acuity::drawn_pool_test
