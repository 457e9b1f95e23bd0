// A campaign with meshes whose errors shrink as a power of their size (docs/math.md 12.8).
#include <gtest/gtest.h>

#include <cmath>

#include "acuity/campaign/campaign.hpp"

namespace acuity::mesh_campaign_test {
namespace {

constexpr double order = 1.5;

double truth(double x) {
  return std::sin(1.5 * x);
}

double solve(double x, double size) {
  return truth(x) + (0.5 + 0.3 * std::cos(x)) * std::pow(size, order);
}

double size_of(const std::string& level) {
  return level == "coarse" ? 0.4 : level == "medium" ? 0.2 : 0.1;
}

std::string settings(const std::string& of_fine) {
  std::string text = "[campaign]\nbudget = 150\nseed = 4\n";
  for (const auto& [name, noise, cost, more] :
       {std::tuple("coarse", 0.1, 1, std::string("h = 0.4\n")),
        std::tuple("medium", 0.03, 4, std::string("h = 0.2\n")), std::tuple("fine", 0.01, 16, of_fine)})
    text += "[[level]]\nname = \"" + std::string(name) + "\"\nnoise_sd = " + std::to_string(noise) +
            "\ncost = " + std::to_string(cost) + "\nrepeat = \"same\"\n" + more;
  return text;
}

Points line() {
  Points points(40, 1);
  for (Index i = 0; i < points.rows(); ++i) points(i, 0) = -3.0 + 0.15 * static_cast<double>(i);
  return points;
}

Campaign started(const std::string& text, std::unique_ptr<EventStore> store = make_memory_event_store()) {
  return {Study::make(read_study_text(text), Pool(line(), {"x"})), std::move(store), {.threads = 1}};
}

void spend(Campaign& campaign) {
  while (true) {
    const AskResult result = campaign.ask();
    if (result.suggestions.empty()) return;
    for (const Suggestion& s : result.suggestions) {
      Answer answer;
      answer.id = s.id;
      answer.values = {solve(s.inputs[0], size_of(s.level.name))};
      campaign.tell({answer});
    }
  }
}

double rms_error(Campaign& campaign, double size) {
  const Vector& mean = campaign.belief().marginals().mean;
  double squares = 0.0;
  for (Index i = 0; i < mean.size(); ++i) squares += std::pow(mean(i) - solve(line()(i, 0), size), 2);
  return std::sqrt(squares / static_cast<double>(mean.size()));
}

// The last event of learning.
Fitted last_fit(const Campaign& campaign) {
  Fitted last;
  for (const StoredEvent& stored : campaign.events())
    if (const auto* fitted = std::get_if<Fitted>(&stored.event)) last = *fitted;
  return last;
}

TEST(MeshCampaign, PredictsBeyondTheFinestMesh) {
  Campaign campaign = started(settings("h = 0.1\nreference = \"limit\"\n"));
  spend(campaign);
  const Fitted fitted = last_fit(campaign);
  ASSERT_TRUE(fitted.mesh_order.has_value());
  EXPECT_GT(*fitted.mesh_order, 0.8);
  EXPECT_LT(*fitted.mesh_order, 3.0);
  const double finest = 0.5 * std::pow(0.1, order);  // about how far the finest mesh is off
  EXPECT_LT(rms_error(campaign, 0.0), finest);
  EXPECT_EQ(campaign.study().reference_name(), "the limit of the mesh");
}

TEST(MeshCampaign, PredictsTheReferenceIfItIsALevel) {
  Campaign campaign = started(settings("h = 0.1\n"));
  spend(campaign);
  EXPECT_EQ(campaign.study().reference_name(), "fine");
  EXPECT_LT(rms_error(campaign, 0.1), 0.02);
}

// What was learned is in the log: a campaign that is opened again predicts the same.
TEST(MeshCampaign, IsTheSameAfterReplay) {
  const std::string text = settings("h = 0.1\nreference = \"limit\"\n");
  Campaign campaign = started(text);
  spend(campaign);
  std::unique_ptr<EventStore> store = make_memory_event_store();
  std::vector<Event> events;
  for (const StoredEvent& stored : campaign.events())
    events.push_back(event_from_json(event_name(stored.event), to_json(stored.event)));
  store->add(0, [&](const auto&) { return events; });
  Campaign again = started(text, std::move(store));
  const Vector &before = campaign.belief().marginals().mean, &after = again.belief().marginals().mean;
  EXPECT_LT((before - after).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_EQ(last_fit(again).mesh_order, last_fit(campaign).mesh_order);
  for (std::size_t k = 0; k < 3; ++k) {
    const LevelBias &first = campaign.model().prior.biases[k], &second = again.model().prior.biases[k];
    EXPECT_NEAR(first.offset_sd, second.offset_sd, 1e-12);
    EXPECT_NEAR(first.order, second.order, 1e-12);
  }
}

}  // namespace
}  // namespace acuity::mesh_campaign_test
