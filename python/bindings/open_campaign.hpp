#pragma once

#include <unistd.h>

#include <memory>
#include <optional>

#include "acuity/campaign/campaign.hpp"
#include "bindings.hpp"

namespace acuity::python {

/// What acuity.Campaign shows. Every call is a turn, so that threads may share one.
class OpenCampaign {
 public:
  static std::unique_ptr<OpenCampaign> open(const std::string& address, bool write, int threads) {
    return std::make_unique<OpenCampaign>(
        Campaign::open(address, write ? Access::write : Access::read, {.threads = threads}), threads);
  }
  static std::unique_ptr<OpenCampaign> in_memory(const Study& study, int threads) {
    return std::make_unique<OpenCampaign>(
        Campaign(study.variant({}), make_memory_event_store(), {.threads = threads}), threads);
  }
  OpenCampaign(Campaign campaign, int threads)
      : is_stored_(!campaign.address().is_nowhere()),
        threads_(threads),
        names_(std::make_shared<const std::vector<Input>>(campaign.study().pool().columns())),
        campaign_(std::move(campaign)) {}
  ~OpenCampaign() { let_go(); }

  // Calls work(campaign) in a turn and without the interpreter's lock.
  template <typename Work>
  auto with(const Work& work) {
    const Released unlocked;
    if (is_forked())
      throw std::invalid_argument("the campaign was opened before a fork, must be opened again after it");
    const Turn::Holder turn(turn_);
    if (!campaign_) throw std::invalid_argument("the campaign is closed, must be open");
    return work(*campaign_);
  }
  int threads() const { return threads_; }
  const InputNames& names() const { return names_; }
  void close() {
    const Released unlocked;
    if (is_forked()) return let_go();
    const Turn::Holder turn(turn_);
    campaign_.reset();
  }

 private:
  // SQLite must not meet a connection that another process has opened, not even to close it.
  bool is_forked() const { return is_stored_ && ::getpid() != process_; }
  void let_go() {
    if (is_forked() && campaign_) static_cast<void>(new Campaign(std::move(*campaign_)));
    campaign_.reset();
  }

  bool is_stored_;
  int threads_;
  InputNames names_;
  ::pid_t process_ = ::getpid();
  Turn turn_;
  std::optional<Campaign> campaign_;
};

/// ("open" | "nothing_now" | "finished", reason, suggestions, note)
inline py::tuple tuple_of(const AskResult& result, const InputNames& names) {
  const char* status = result.status == AskStatus::open          ? "open"
                       : result.status == AskStatus::nothing_now ? "nothing_now"
                                                                 : "finished";
  return py::make_tuple(status, result.reason, with_names(result.suggestions, names), result.note);
}

/// The verbs of a campaign, and what can be read of it.
void bind_verbs(py::class_<OpenCampaign>& campaign);
void bind_views(py::class_<OpenCampaign>& campaign);
void bind_pictures(py::class_<OpenCampaign>& campaign);

}  // namespace acuity::python
