#include "service/live_view.hpp"

#include <algorithm>
#include <chrono>

#include "numerics/clock.hpp"
#include "pages/campaign_figures.hpp"
#include "service/http_message.hpp"
#include "views/people_view.hpp"
#include "views/three_verdicts.hpp"
#include "views/view_json.hpp"

namespace acuity {

namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

ViewFacts facts_of(const std::vector<CampaignFigure>& figures) {
  ViewFacts facts;
  for (const CampaignFigure& figure : figures)
    facts.figures.push_back(
        {figure.name, figure.heading, figure.caption, figure.svg.empty() ? figure.absent : ""});
  return facts;
}

}  // namespace

LiveView::LiveView(const CampaignAddress& address, Options options, Publish publish)
    : address_(address),
      options_(std::move(options)),
      publish_(std::move(publish)),
      thread_([this] { follow(); }) {}

LiveView::~LiveView() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
}

std::shared_ptr<const ViewSnapshot> LiveView::snapshot() const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::seconds(20),
                    [this] { return ends_ || snapshot_ || !problem_.empty(); });
  if (snapshot_) return snapshot_;
  throw HttpProblem(503, problem_.empty() ? "the campaign is still being read" : problem_, 2.0);
}

std::shared_ptr<const ViewSnapshot> LiveView::complete_snapshot(double seconds) const {
  std::unique_lock lock(mutex_);
  const auto is_complete = [this] { return ends_ || (snapshot_ && snapshot_->slices); };
  if (!changed_.wait_for(lock, std::chrono::duration<double>(seconds), is_complete) || !snapshot_)
    throw HttpProblem(503, problem_.empty() ? "the model is still being computed" : problem_, 2.0);
  return snapshot_;
}

// A campaign of its own for every snapshot: requests use it while this thread already reads on.
std::shared_ptr<const Campaign> LiveView::campaign_now() const {
  return std::make_shared<const Campaign>(Campaign::open(address_, Access::read, options_.campaign));
}

void LiveView::keep(ViewSnapshot snapshot) {
  const std::int64_t sequence = snapshot.sequence;
  {
    const std::lock_guard lock(mutex_);
    snapshot_ = std::make_shared<const ViewSnapshot>(std::move(snapshot));
    problem_.clear();
  }
  changed_.notify_all();
  publish_("view", sequence);
}

void LiveView::show_quickly() {
  const auto start = SteadyClock::now();
  ViewSnapshot snapshot;
  snapshot.campaign = campaign_now();
  snapshot.sequence = snapshot.campaign->state().sequence();
  const CampaignData data = quick_campaign_data(*snapshot.campaign);
  ViewFacts facts;
  facts.verdicts = three_verdicts(*snapshot.campaign, data, nullptr);
  facts.people = people_json(people_view(*snapshot.campaign));
  facts.runs = options_.runs;
  facts.computed_at = now();
  facts.computed_seconds = seconds_since(start);
  snapshot.view = view_json(*snapshot.campaign, data, facts);
  keep(std::move(snapshot));
}

void LiveView::show_everything() {
  const auto start = SteadyClock::now();
  ViewSnapshot snapshot;
  snapshot.campaign = campaign_now();
  const Campaign& campaign = *snapshot.campaign;
  snapshot.sequence = campaign.state().sequence();
  const CampaignData data = campaign_data(campaign);
  snapshot.pool = std::make_shared<const PoolScores>(campaign, options_.campaign);
  snapshot.slices = std::make_shared<const BeliefSlices>(campaign, options_.campaign.threads);
  const std::vector<CampaignFigure> figures = campaign_figures(data);
  for (const CampaignFigure& figure : figures)
    if (!figure.svg.empty()) snapshot.figures[figure.name] = figure.svg;
  ViewFacts facts = facts_of(figures);
  facts.verdicts = three_verdicts(campaign, data, &snapshot.pool->next());
  facts.people = people_json(people_view(*snapshot.campaign));
  facts.runs = options_.runs;
  facts.computed_at = now();
  facts.computed_seconds = seconds_since(start);
  snapshot.view = view_json(campaign, data, facts);
  keep(std::move(snapshot));
}

bool LiveView::pause(double seconds) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return ends_; });
}

void LiveView::follow() {
  std::optional<Campaign> reader;
  std::int64_t seen = 0, shown = -1;
  double busy_until = 0.0;  // by the time since the start, so that others get two thirds of it
  const auto start = SteadyClock::now();
  do {
    try {
      if (!reader) {
        show_quickly();
        reader.emplace(Campaign::open(address_, Access::read, options_.campaign));
      }
      if (const std::int64_t sequence = reader->refresh().sequence(); sequence != seen) {
        seen = sequence;
        publish_("log", sequence);
      }
      if (seen != shown && seconds_since(start) >= busy_until) {
        const auto begin = SteadyClock::now();
        shown = seen;
        show_everything();
        busy_until = seconds_since(start) + std::max(options_.pause_seconds, 2.0 * seconds_since(begin));
      }
    } catch (const std::exception& error) {
      {
        const std::lock_guard lock(mutex_);
        problem_ = error.what();
      }
      changed_.notify_all();
      reader.reset();
      if (!pause(2.0)) return;
    }
  } while (pause(options_.poll_seconds));
}

}  // namespace acuity
