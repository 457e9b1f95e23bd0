#include "service/live_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/background.hpp"
#include "base/clock.hpp"
#include "pages/campaign_figures.hpp"
#include "service/first_screen.hpp"
#include "service/http_message.hpp"
#include "service/watchers_view.hpp"
#include "views/people_view.hpp"
#include "views/three_verdicts.hpp"

namespace acuity {

namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

std::chrono::duration<double> as_duration(double seconds) {
  return std::chrono::duration<double>(seconds);
}

}  // namespace

LiveView::LiveView(const CampaignAddress& address, Options options, Publish publish)
    : address_(address),
      options_(std::move(options)),
      publish_(std::move(publish)),
      follower_([this] { follow(); }),
      computer_([this] { compute(); }) {}

LiveView::~LiveView() {
  end();
}

void LiveView::end() {
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

// Every request that waits has a thread of the server: if many did, asks would find none.
template <typename IsThere>
std::shared_ptr<const ViewSnapshot> LiveView::wait_for(double seconds, const IsThere& is_there) const {
  std::unique_lock lock(mutex_);
  const auto is_done = [&] { return ends_ || (snapshot_ && is_there(*snapshot_)); };
  if (!is_done() && waiting_ < options_.most_waiting) {
    ++waiting_;
    changed_.wait_for(lock, as_duration(seconds), [&] { return is_done() || !parts_.problem.empty(); });
    --waiting_;
  }
  if (snapshot_ && is_there(*snapshot_)) return snapshot_;
  const std::string& problem = problem_.empty() ? parts_.problem : problem_;
  throw HttpProblem(503, problem.empty() ? "this is being computed" : problem, 2.0);
}

std::shared_ptr<const ViewSnapshot> LiveView::snapshot_with_slices(double seconds) const {
  return wait_for(seconds, [](const ViewSnapshot& one) { return one.slices != nullptr; });
}

std::shared_ptr<const ViewSnapshot> LiveView::snapshot_with_pool(double seconds) const {
  return wait_for(seconds, [](const ViewSnapshot& one) { return one.pool != nullptr; });
}

void LiveView::show(const Campaign& campaign, const CampaignData& quick, const ModelParts& parts,
                    double quick_seconds) {
  const auto start = SteadyClock::now();
  CampaignData data = parts.data ? with_model_parts(quick, *parts.data) : quick;
  if (!parts.problem.empty())
    data.warnings.push_back(fmt::format("What needs the model cannot be computed: {}.", parts.problem));
  ViewSnapshot snapshot;
  snapshot.sequence = campaign.state().sequence();
  snapshot.slices = parts.slices;
  snapshot.pool = parts.pool;
  ViewFacts facts;
  snapshot.figures = parts.figures;
  facts.figures = parts.captions;
  if (parts.data) facts.model_sequence = parts.data_sequence;
  if (parts.slices) facts.slices_sequence = parts.slices_sequence;
  if (parts.pool) facts.pool_sequence = parts.pool_sequence;
  const NextExplanation* next = parts.pool ? &parts.pool->next() : nullptr;
  facts.verdicts = three_verdicts(campaign, data, next, parts.pool ? parts.pool->note() : "");
  facts.first_screen = first_screen(campaign, data, facts.verdicts, next);
  tell_news(data, facts.verdicts, next);
  facts.people = people_json(people_view(campaign));
  facts.runs = options_.runs;
  facts.computed_at = now();
  facts.computed_seconds = quick_seconds + seconds_since(start);
  snapshot.view = view_json(campaign, data, facts);
  snapshot.view_for_watchers = view_for_watchers(campaign, snapshot.view);
  snapshot.answers =
      std::make_shared<const AnswerList>(campaign, std::make_shared<const CampaignData>(std::move(data)));
  const std::int64_t sequence = snapshot.sequence;
  {
    const std::lock_guard lock(mutex_);
    snapshot_ = std::make_shared<const ViewSnapshot>(std::move(snapshot));
    problem_.clear();
  }
  changed_.notify_all();
  publish_("view", sequence);
}

void LiveView::tell_news(const CampaignData& data, const std::vector<CampaignVerdict>& verdicts,
                         const NextExplanation* next) {
  if (!options_.news || next == nullptr || !data.is_complete) return;
  const auto look = [&](std::optional<bool>& before, bool now, const std::string& event,
                        const std::string& sentence) {
    if (before == std::optional(false) && now) options_.news(event, sentence);
    before = now;
  };
  look(was_finished_, next->result.suggestions.empty() && next->result.status == AskStatus::finished,
       "finished", verdicts.at(2).answer);
  look(was_untrusted_, verdicts.at(1).state == CampaignVerdict::State::bad, "untrusted",
       verdicts.at(1).answer);
}

bool LiveView::pause(double seconds, std::int64_t seen_version) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, as_duration(seconds), [&] { return ends_ || parts_.version != seen_version; });
  return !ends_;
}

void LiveView::follow() {
  const base::InBackground in_background(ends_);
  std::optional<Campaign> reader;
  CampaignData quick;
  double quick_seconds = 0.0;
  std::int64_t seen = -1, shown = -1, shown_version = -1;
  SteadyClock::time_point shown_at;
  ModelParts parts;
  do {
    try {
      if (!reader) reader.emplace(Campaign::open(address_, Access::read, options_.campaign));
      if (const std::int64_t sequence = reader->refresh().sequence(); sequence != seen) {
        if (seen >= 0) publish_("log", sequence);
        seen = sequence;
        const std::lock_guard lock(mutex_);
        log_sequence_ = sequence;
        changed_.notify_all();
      }
      {
        const std::lock_guard lock(mutex_);
        parts = parts_;
      }
      const bool has_grown =
          seen != shown &&
          (shown < 0 || seconds_since(shown_at) >= std::max(options_.pause_seconds, 4.0 * quick_seconds));
      if (has_grown) {
        const auto begin = SteadyClock::now();
        quick = quick_campaign_data(*reader);
        quick_seconds = seconds_since(begin);
      } else if (shown < 0 || parts.version == shown_version || shown != seen) {
        continue;  // parts of a log that has grown are shown with it, soon
      }
      show(*reader, quick, parts, quick_seconds);
      shown = seen;
      shown_version = parts.version;
      shown_at = SteadyClock::now();
    } catch (const base::BackgroundEnded&) {
      return;
    } catch (const std::exception& error) {
      {
        const std::lock_guard lock(mutex_);
        problem_ = error.what();
      }
      changed_.notify_all();
      reader.reset();
      shown = -1;
      if (!pause(2.0, parts.version)) return;
    }
  } while (pause(options_.poll_seconds, parts.version));
}

void LiveView::keep(const std::function<void(ModelParts&)>& change) {
  {
    const std::lock_guard lock(mutex_);
    change(parts_);
    ++parts_.version;
  }
  changed_.notify_all();
}

// What people look at first comes first.
void LiveView::compute_parts(Campaign& reader) {
  const std::int64_t sequence = reader.state().sequence();
  const auto belief = std::make_shared<const AveragedBelief>(reader, options_.campaign.threads);
  auto slices = std::make_shared<const BeliefSlices>(reader, belief);
  keep([&](ModelParts& parts) {
    parts.slices = std::move(slices);
    parts.slices_sequence = sequence;
  });
  auto pool = std::make_shared<const PoolScores>(reader, options_.campaign);
  keep([&](ModelParts& parts) {
    parts.pool = std::move(pool);
    parts.pool_sequence = sequence;
  });
  auto data = std::make_shared<const CampaignData>(campaign_data(reader, course_, belief.get()));
  std::vector<ViewFacts::Figure> captions;
  auto figures = std::make_shared<std::map<std::string, std::string>>();
  for (CampaignFigure& figure : campaign_figures(*data)) {
    captions.push_back(
        {figure.name, figure.heading, figure.caption, figure.svg.empty() ? figure.absent : ""});
    if (!figure.svg.empty()) figures->emplace(figure.name, std::move(figure.svg));
  }
  keep([&](ModelParts& parts) {
    parts.data = std::move(data);
    parts.captions = std::move(captions);
    parts.figures = std::move(figures);
    parts.data_sequence = sequence;
    parts.problem.clear();
  });
}

void LiveView::compute() {
  const base::InBackground in_background(ends_);
  std::optional<Campaign> reader;
  std::int64_t computed = -1;
  double rest = 0.0;  // that others get, so that they have about two thirds of the time
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, as_duration(rest), [this] { return ends_.load(); });
      // The first view is not to wait for the model.
      changed_.wait(lock, [&] { return ends_ || (snapshot_ && log_sequence_ != computed); });
      if (ends_) return;
    }
    const auto begin = SteadyClock::now();
    try {
      if (!reader) reader.emplace(Campaign::open(address_, Access::read, options_.campaign));
      computed = reader->refresh().sequence();
      compute_parts(*reader);
      rest = std::max(options_.pause_seconds, 2.0 * seconds_since(begin));
    } catch (const base::BackgroundEnded&) {
      return;
    } catch (const std::exception& error) {
      keep([&](ModelParts& parts) { parts.problem = error.what(); });
      reader.reset();
      computed = -1;
      rest = std::max(2.0, 2.0 * seconds_since(begin));
    }
  }
}

}  // namespace acuity
