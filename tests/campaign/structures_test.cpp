// f under several structures in a campaign: from when on, what is recorded, and that it is never learned
// again.
#include <gtest/gtest.h>

#include <cmath>

#include "campaign/state_queries.hpp"
#include "support/memory_campaigns.hpp"

namespace acuity::campaign_structures_test {
namespace {

using testing::MemoryCampaign;

std::string study(const std::string& model = "") {
  return "[campaign]\nbudget = 100\n[pool]\nfile = \"pool.csv\"\n[model]\nkernel = \"matern52\"\nfit = "
         "\"auto\"\n"
         "amplitude = \"learn\"\nlengthscale = \"learn\"\nprior = \"weak\"\naverage = 8\n" +
         model + "[noise]\nnugget = \"learn\"\n[[level]]\nname = \"one\"\nnoise_sd = 0.05\ncost = 1\n";
}

std::string pool() {
  std::string text = "x,z\n";
  for (int k = 0; k < 60; ++k) text += fmt::format("{},{}\n", k % 10, 0.3 * (k * 7 % 60));
  return text;
}

double answer(const Suggestion& asked) {
  return std::exp(0.2 * asked.inputs[0]) + std::sin(0.4 * asked.inputs[1]);
}

AveragedMarginals predicted(const Study& study, const State& state) {
  const std::vector<Annotation> annotations = annotations_of(study, state);
  return StudyLearner(study)
      .averaged(model_of(study, state, annotations), annotations, 1)
      .predict(study.pool().points(), 1)
      .marginals;
}

TEST(CampaignStructures, AreLearnedFromTwentyAnswersOnAndRecorded) {
  MemoryCampaign campaign(study(), pool());
  campaign.go(26, answer);
  State replayed;
  bool has_structures = false;
  for (const StoredEvent& stored : campaign->events()) {
    StoredEvent read_back = stored;
    read_back.event = event_from_json(event_name(stored.event), to_json(stored.event));
    replayed.apply(read_back);
    const auto* fitted = std::get_if<Fitted>(&stored.event);
    if (fitted == nullptr) continue;
    EXPECT_EQ(fitted->structures.empty(), fitted->annotations < 20) << fitted->annotations;
    has_structures = has_structures || !fitted->structures.empty();
  }
  ASSERT_TRUE(has_structures);
  // A state from the log alone predicts the same, bit for bit.
  const AveragedMarginals live = predicted(campaign->study(), campaign->state()),
                          again = predicted(campaign->study(), replayed);
  EXPECT_EQ(live.mean, again.mean);
  EXPECT_EQ(live.variance, again.variance);
  EXPECT_EQ(live.low, again.low);

  // What is read back is what was learned: the mixture has two draws of each structure at most.
  const StudyModel model = model_of(campaign->study(), replayed, annotations_of(campaign->study(), replayed));
  EXPECT_EQ(model.learned->structures.size(), 5U);
  const AveragedModel averaged = StudyLearner(campaign->study()).averaged(model, campaign->annotations(), 1);
  EXPECT_LE(averaged.draws().size(), 10U);
  double sum = 0.0;
  bool is_mapped = false;
  for (const HyperparameterDraw& draw : averaged.draws()) {
    sum += draw.weight;
    is_mapped = is_mapped || draw.map != nullptr;
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
  EXPECT_TRUE(is_mapped);
}

TEST(CampaignStructures, ThePlainStructureIsTheModelWithoutThem) {
  MemoryCampaign plain(study("structure = \"plain\"\n"), pool()), all(study(), pool());
  plain.go(24, answer);
  all.go(24, answer);
  // Choices are the same, because they are made by the plain structure.
  ASSERT_EQ(plain->state().suggestions().size(), all->state().suggestions().size());
  for (std::size_t k = 0; k < plain->state().suggestions().size(); ++k)
    EXPECT_EQ(plain->state().suggestions()[k].row(), all->state().suggestions()[k].row());
  EXPECT_TRUE(plain->state().fitted()->structures.empty());
  const std::vector<Annotation> annotations = all->annotations();
  const StudyModel model = model_of(all->study(), all->state(), annotations);
  const AveragedMarginals without = StudyLearner(all->study())
                                        .without_structures()
                                        .averaged(model, annotations, 1)
                                        .predict(all->study().pool().points(), 1)
                                        .marginals;
  EXPECT_EQ(without.mean, predicted(plain->study(), plain->state()).mean);
  EXPECT_GT((predicted(all->study(), all->state()).mean - without.mean).norm(), 1e-6);
}

TEST(CampaignStructures, OneByNamePredictsAloneAndChoicesStayPlain) {
  MemoryCampaign campaign(study("structure = \"transformed\"\n"), pool());
  campaign.go(24, answer);
  const StudyModel model =
      model_of(campaign->study(), campaign->state(), annotations_of(campaign->study(), campaign->state()));
  ASSERT_EQ(model.learned->structures.size(), 1U);
  EXPECT_EQ(model.learned->structures.front().structure, Structure::transformed);
  EXPECT_NE(dynamic_cast<const StationaryKernel*>(model.prior.kernel.get()), nullptr);
  for (const HyperparameterDraw& draw :
       StudyLearner(campaign->study()).averaged(model, campaign->annotations(), 1).draws())
    EXPECT_NE(draw.map, nullptr);
}

}  // namespace
}  // namespace acuity::campaign_structures_test
