#include "conduct/run.hpp"

#include "acuity/base/errors.hpp"
#include "conduct/record_outcome.hpp"
#include "conduct/run_loop.hpp"
#include "store/worker_name.hpp"

namespace acuity {

namespace {

class Ownership {
 public:
  Ownership(Campaign& campaign, bool take_over) : campaign_(campaign) { campaign_.take_ownership(take_over); }
  ~Ownership() {
    try {
      campaign_.give_up_ownership();
    } catch (const std::exception&) {  // the next run takes over from a process that has ended
    }
  }
  Ownership(const Ownership&) = delete;
  Ownership& operator=(const Ownership&) = delete;

 private:
  Campaign& campaign_;
};

}  // namespace

RunEnd run(Campaign& campaign, AnnotatorPool& annotators, const RunOptions& options) {
  const bool after_a_crash = !campaign.refresh().owner().host.empty();
  const Ownership owned(campaign, options.take_over);
  if (options.budget) campaign.change_budget(*options.budget);
  if (options.budget_to) campaign.set_budget(*options.budget_to);
  try {
    for (const Suggestion& started : campaign.pending())
      if (campaign.state().find(started.id)->asked.worker == worker_name::run) annotators.resume(started);
    const bool resumes_any = annotators.busy() > 0;
    if (after_a_crash || annotators.outlives_owner()) annotators.end_leftovers(campaign.state());
    return RunLoop(campaign, annotators, options, resumes_any).run();
  } catch (const OwnedError&) {
    annotators.stop_starting();
    campaign.give_up_ownership();
    record_last_answers(campaign, annotators.wait(0.0));
    annotators.end();
    throw;
  } catch (...) {
    annotators.end();  // before ownership is given up, so that a new owner does not adopt these attempts
    throw;
  }
}

}  // namespace acuity
