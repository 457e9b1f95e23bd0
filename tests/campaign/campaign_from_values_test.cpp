#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "acuity/base/errors.hpp"
#include "acuity/campaign/campaign.hpp"
#include "support/program.hpp"

namespace acuity::campaign_from_values_test {
namespace {

using testing::Folder;

const std::string settings =
    "[campaign]\nname = \"Größe \\\"1\\\"\"\nbudget = 30\nseed = 3\n"
    "[model]\nkernel = \"rbf\"\namplitude = 1.0\nlengthscale = [0.3, 0.7]\nmean = 0.1\nfit = \"never\"\n"
    "[[level]]\nname = \"coarse\"\nnoise_sd = 0.30000000000000004\ncost = 1\n"
    "[[level]]\nname = \"fine\"\nvalue = 12\nnoise_sd = 0.03\ncost = 5\n";

Points awkward_points() {
  Points points(4, 2);
  points << 0.1 + 0.2, 1e-300, std::nextafter(1.0, 2.0), 1e30, -1.0 / 3.0, 5e-324, 2.0, -0.0;
  return points;
}

Study made(bool with_noise) {
  Vector noise;
  StudyFile read = read_study_text(settings + (with_noise ? "[noise]\nvariance = { column = \"x\" }\n" : ""));
  if (with_noise) noise = Vector::LinSpaced(4, 0.1, 0.7);
  return Study::make(std::move(read), Pool(awkward_points(), {"x", "point id"}, {"a,b", "\"c\"", " d", "e"}),
                     noise);
}

TEST(CampaignFromValues, TheFolderKeepsEveryDigitAndEveryName) {
  for (const bool with_noise : {false, true}) {
    const Folder folder;
    const Study original = made(with_noise);
    Campaign::create(folder.path() / "c.acuity", original);
    const Campaign campaign = Campaign::open(folder.path() / "c.acuity");
    const Study& kept = campaign.study();
    EXPECT_EQ(Points(kept.pool().points()), awkward_points());
    EXPECT_EQ(kept.pool().inputs(), original.pool().inputs());
    for (Index row = 0; row < 4; ++row) EXPECT_EQ(kept.pool().id(row), original.pool().id(row));
    EXPECT_EQ(kept.offer().base_noise, original.offer().base_noise);
    ASSERT_EQ(kept.offer().levels.size(), 2U);
    EXPECT_EQ(noise_variance(kept.offer().levels[0].channel),
              noise_variance(original.offer().levels[0].channel));
    EXPECT_EQ(std::get<std::int64_t>(kept.offer().levels[1].value), 12);
    EXPECT_EQ(kept.file().name, "Größe \"1\"");
    EXPECT_EQ(kept.file().lengthscale, original.file().lengthscale);
  }
}

TEST(CampaignFromValues, ChoosesAsTheSameCampaignInMemory) {
  const Folder folder;
  Campaign::create(folder.path() / "c.acuity", made(true));
  Campaign stored = Campaign::open(folder.path() / "c.acuity");
  Campaign in_memory(made(true), make_memory_event_store());
  for (int step = 0; step < 4; ++step) {
    const auto ours = stored.ask(), theirs = in_memory.ask();
    ASSERT_EQ(ours.suggestions.size(), theirs.suggestions.size());
    for (std::size_t k = 0; k < ours.suggestions.size(); ++k) {
      EXPECT_EQ(ours.suggestions[k].id, theirs.suggestions[k].id);
      EXPECT_EQ(ours.suggestions[k].information, theirs.suggestions[k].information);
      Answer answer;
      answer.id = ours.suggestions[k].id;
      answer.values = {std::sin(static_cast<double>(step))};
      stored.tell({answer});
      in_memory.tell({answer});
    }
  }
}

TEST(CampaignFromValues, TheFolderKeepsAGoal) {
  Goal wanted{Points(3, 2), Vector(3), Vector::LinSpaced(3, 0.1, 0.3)};
  wanted.points << 0.1 + 0.2, -1.0 / 3.0, std::nextafter(1.0, 2.0), 1e-300, 2.0, 7.0;
  wanted.weights << 1.0, 1.0 / 3.0, 0.0;
  for (const bool by_column : {false, true})
    for (const std::string criterion : {"variance", "prediction"}) {
      const Folder folder;
      const std::string text = settings + "[goal]\nbox = { x = [0, 1] }\ncriterion = \"" + criterion +
                               "\"\n[noise]\nvariance = " + (by_column ? "{ column = \"x\" }" : "0.2") + "\n";
      const Study original = Study::make(read_study_text(text), Pool(awkward_points(), {"x", "point id"}),
                                         by_column ? Vector(Vector::LinSpaced(4, 0.1, 0.7)) : Vector(),
                                         std::make_shared<const Goal>(wanted));
      Campaign::create(folder.path() / "c.acuity", original);
      const Campaign campaign = Campaign::open(folder.path() / "c.acuity");
      const StudyFile& kept = campaign.study().file();
      EXPECT_EQ(kept.goal->file.filename(), "goal.csv");
      EXPECT_TRUE(kept.goal->box.empty());
      EXPECT_EQ(campaign.study().goal()->points, original.goal()->points);
      EXPECT_EQ(campaign.study().goal()->weights, original.goal()->weights);
      EXPECT_EQ(campaign.study().goal()->noise, original.goal()->noise);
      EXPECT_EQ(original.goal()->noise(0), criterion == "variance" ? 0.0 : by_column ? 0.1 : 0.2);
    }
}

TEST(CampaignFromValues, TheTableOfAGoalIsCopied) {
  const Folder folder;
  folder.write("pool.csv", "x\n0\n1\n2\n");
  folder.write("wanted.csv", "x,weight\n0.5,2\n1.5,1\n");
  const std::filesystem::path study =
      folder.write("study.toml",
                   "[pool]\nfile = \"pool.csv\"\n# kept\n[goal]\nfile = \"wanted.csv\"\n"
                   "[[level]]\nname = \"a\"\nnoise_sd = 0.1\ncost = 1\n");
  Campaign::create(folder.path() / "c.acuity", study);
  std::filesystem::remove(folder.path() / "wanted.csv");
  const Campaign campaign = Campaign::open(folder.path() / "c.acuity");
  EXPECT_EQ(campaign.study().goal()->size(), 2);
  EXPECT_NE(campaign.study().file().text.find("# kept"), std::string::npos);
  EXPECT_EQ(campaign.study().file().goal->file, folder.path() / "c.acuity" / "goal.csv");
}

// What was learned about the errors of levels comes back from the log with every digit.
TEST(CampaignFromValues, LearnedBiasesComeBackFromTheLog) {
  const Folder folder;
  const std::string text =
      "[campaign]\nbudget = 60\n"
      "[[level]]\nname = \"coarse\"\nnoise_sd = 0.2\ncost = 1\nrepeat = \"same\"\n"
      "[[level]]\nname = \"fine\"\nnoise_sd = 0.02\ncost = 5\nrepeat = \"same\"\n";
  Points pool(12, 1);
  for (Index i = 0; i < 12; ++i) pool(i, 0) = 0.5 * static_cast<double>(i);
  Campaign::create(folder.path() / "c.acuity", Study::make(read_study_text(text), Pool(pool, {"x"})));
  Vector mean, variance;
  std::vector<LevelBias> biases;
  {
    Campaign campaign = Campaign::open(folder.path() / "c.acuity");
    for (int step = 0; step < 16; ++step)  // the pilot, and a few choices
      for (const Suggestion& s : campaign.ask().suggestions) {
        Answer answer;
        answer.id = s.id;
        const double x = pool(s.row, 0);
        answer.values = {std::sin(x) + (s.level.name == "coarse" ? 0.3 + 0.1 * x : 0.0)};
        campaign.tell({answer});
      }
    mean = campaign.belief().marginals().mean, variance = campaign.belief().marginals().variance;
    biases = campaign.model().prior.biases;
    ASSERT_TRUE(campaign.state().fitted().has_value());
    EXPECT_EQ(campaign.state().fitted()->smooth_sd.size(), 2U);
    EXPECT_EQ(campaign.state().fitted()->smooth_sd[1], 0.0);
  }
  Campaign again = Campaign::open(folder.path() / "c.acuity");
  EXPECT_EQ(again.model().prior.biases, biases);
  EXPECT_NE(again.model().prior.biases[0].smooth_sd, 0.2) << "it was learned";
  EXPECT_LT((again.belief().marginals().mean - mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((again.belief().marginals().variance - variance).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(CampaignFromValues, SettingsWithoutATextLiveInMemoryOnly) {
  const Folder folder;
  StudyFile assembled;
  assembled.amplitude = 1.0;
  assembled.lengthscale = {1.0};
  assembled.mean = 0.0;
  assembled.price_list = {{.name = "only", .channel = GaussianChannel{0.1}, .cost = 1.0, .value = {}}};
  const Study study = Study::make(assembled, Pool(awkward_points(), {"a", "b"}));
  EXPECT_THROW(Campaign::create(folder.path() / "c.acuity", study), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "c.acuity"));
}

}  // namespace
}  // namespace acuity::campaign_from_values_test
