#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "acuity/campaign/campaign.hpp"
#include "views/belief_slices.hpp"
#include "views/pool_view.hpp"

namespace acuity {

/// What the page shows of a campaign at one moment of its log. Immutable.
struct ViewSnapshot {
  std::shared_ptr<const Campaign> campaign;    ///< at that moment; nobody changes it
  std::int64_t sequence = 0;                   ///< events of the log
  std::string view;                            ///< the answer to GET /v1/view
  std::map<std::string, std::string> figures;  ///< SVG by name
  // Absent as long as only what needs no model is known.
  std::shared_ptr<const BeliefSlices> slices;
  std::shared_ptr<const PoolScores> pool;
};

/// Follows the log of a campaign with a reader of its own and computes what the page shows, again when the
/// log has grown: soon if it is quick, and never for more than about a third of the time if it is not.
class LiveView {
 public:
  /// Called from its thread with "log" or "view" when the log has grown or a new snapshot is there, and the
  /// number of events.
  using Publish = std::function<void(const std::string& event, std::int64_t sequence)>;

  struct Options {
    CampaignOptions campaign = {};
    std::filesystem::path runs = {};  ///< of annotators, for the output of failed attempts; empty: not known
    double poll_seconds = 0.25;
    double pause_seconds = 1.0;  ///< at least, between two snapshots
  };

  LiveView(const CampaignAddress& address, Options options, Publish publish);
  ~LiveView();
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  /// The last one; waits for the first, which is there soon.
  std::shared_ptr<const ViewSnapshot> snapshot() const;
  /// The last one if it has a model; waits for the first such. Throws HttpProblem 503 if it takes longer than
  /// this.
  std::shared_ptr<const ViewSnapshot> complete_snapshot(double seconds) const;

 private:
  void follow();
  void show_quickly();
  void show_everything();
  void keep(ViewSnapshot snapshot);
  bool pause(double seconds);  // false: the end
  std::shared_ptr<const Campaign> campaign_now() const;

  const CampaignAddress address_;
  const Options options_;
  const Publish publish_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::shared_ptr<const ViewSnapshot> snapshot_;
  std::string problem_;  // why the last attempt failed
  bool ends_ = false;
  std::jthread thread_;
};

}  // namespace acuity
