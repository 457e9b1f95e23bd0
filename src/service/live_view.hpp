#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "acuity/campaign/campaign.hpp"
#include "service/answer_list.hpp"
#include "views/belief_slices.hpp"
#include "views/campaign_course.hpp"
#include "views/pool_view.hpp"
#include "views/view_json.hpp"

namespace acuity {

/// What the page shows of a campaign. Immutable.
struct ViewSnapshot {
  std::int64_t sequence = 0;      ///< events of the log, of what needs no model
  std::string view;               ///< the answer to GET /v1/view
  std::string view_for_watchers;  ///< watchers_view.hpp
  std::shared_ptr<const AnswerList> answers;
  std::shared_ptr<const std::map<std::string, std::string>> figures;  ///< SVG by name; null: none yet
  // Absent until the first is computed; later those of an earlier log, until they are computed again.
  std::shared_ptr<const BeliefSlices> slices;
  std::shared_ptr<const PoolScores> pool;
};

/// Follows the log of a campaign and computes what the page shows, in the background. What needs no model is
/// shown soon after the log has grown. Slices, scores of the pool and the rest follow, each when it is there,
/// from a second thread, which computes for no more than about a third of the time if it takes long.
///
/// Two threads, each with its own reader of the log, which the other never touches: `follower_` reads the log
/// and makes every snapshot; `computer_` computes the parts that need a model. They share `parts_`,
/// `log_sequence_`, `problem_` and `snapshot_`, always under `mutex_`, and `changed_` says that one of them
/// has changed. A snapshot never changes once it is published, so callers on any thread may keep one. Its
/// parts may be of an earlier log than the rest: each says its number of events. The destructor interrupts a
/// computation and joins both threads; no Publish is called after it.
class LiveView {
 public:
  /// Called from its threads with "log" or "view" when the log has grown or a new snapshot is there, and the
  /// number of events.
  using Publish = std::function<void(const std::string& event, std::int64_t sequence)>;

  struct Options {
    CampaignOptions campaign = {};
    std::filesystem::path runs = {};  ///< of annotators, for the output of failed attempts; empty: not known
    double poll_seconds = 0.25;
    double pause_seconds = 1.0;  ///< at least, between two snapshots of logs that have grown
    /// Called from a thread of the view when the campaign ends or its intervals are found to be wrong: with
    /// "finished" or "untrusted" and a sentence. What was so at the first look is no news.
    std::function<void(const std::string& event, const std::string& sentence)> news = {};
    int most_waiting = 16;  ///< callers of snapshot_with_...() at a time; others are refused
  };

  LiveView(const CampaignAddress& address, Options options, Publish publish);
  ~LiveView();
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  /// Interrupts what is being computed. Nobody waits any more, and no Publish is called soon after it.
  void end();
  /// The last one; waits for the first, which is there soon.
  std::shared_ptr<const ViewSnapshot> snapshot() const;
  /// The last one if it has slices, or scores; waits for the first such. Throws HttpProblem 503 if it takes
  /// longer than this, or if many are waiting already.
  std::shared_ptr<const ViewSnapshot> snapshot_with_slices(double seconds) const;
  std::shared_ptr<const ViewSnapshot> snapshot_with_pool(double seconds) const;

 private:
  // What needs a model, each part with the number of events that it was computed from.
  struct ModelParts {
    std::shared_ptr<const BeliefSlices> slices;
    std::shared_ptr<const PoolScores> pool;
    std::shared_ptr<const CampaignData> data;
    std::vector<ViewFacts::Figure> captions;  // of the figures
    std::shared_ptr<const std::map<std::string, std::string>> figures;
    std::int64_t slices_sequence = 0, pool_sequence = 0, data_sequence = 0;
    std::string problem;  // why the last attempt failed
    std::int64_t version = 0;
  };

  void follow();                         // the thread of what needs no model
  void compute();                        // the thread of what does
  void compute_parts(Campaign& reader);  // one after the other
  void keep(const std::function<void(ModelParts&)>& change);
  void show(const Campaign& campaign, const CampaignData& quick, const ModelParts& parts,
            double quick_seconds);
  void tell_news(const CampaignData& data, const std::vector<CampaignVerdict>& verdicts,
                 const NextExplanation* next);
  bool pause(double seconds, std::int64_t seen_version);  // false: the end
  template <typename IsThere>
  std::shared_ptr<const ViewSnapshot> wait_for(double seconds, const IsThere& is_there) const;

  const CampaignAddress address_;
  const Options options_;
  const Publish publish_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable int waiting_ = 0;
  std::shared_ptr<const ViewSnapshot> snapshot_;
  ModelParts parts_;
  MeasuredCourse course_;                             // used by the second thread alone
  std::int64_t log_sequence_ = -1;                    // as the first thread has seen it
  std::string problem_;                               // why the last attempt to read the log failed
  std::optional<bool> was_finished_, was_untrusted_;  // at the last look of the first thread
  std::atomic<bool> ends_ = false;
  std::jthread follower_, computer_;
};

}  // namespace acuity
