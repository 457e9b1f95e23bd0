#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "acuity/campaign/campaign.hpp"
#include "acuity/numerics/errors.hpp"
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
