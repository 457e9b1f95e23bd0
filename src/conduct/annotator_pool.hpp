#pragma once

#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// The final result of a suggestion that was given to an annotator, after all retries.
struct Outcome {
  enum class Kind {
    answered,
    failed,  ///< all retries failed, too
    never    ///< the annotator reported that this point can never be annotated
  };
  Kind kind = Kind::failed;
  std::int64_t id = 0;
  Answer answer;              ///< if answered; its cost includes that of failed attempts before it
  std::string reason;         ///< if not answered
  double cost = 0.0;          ///< of failed attempts; charged unless the answer is recorded
  std::string report = {};    ///< for the user: the last failed attempt, and the last lines of its output
  bool inconclusive = false;  ///< if failed: the last attempt tells nothing about the point
};

/// Annotators that work in parallel, each on one suggestion at a time.
class AnnotatorPool {
 public:
  virtual ~AnnotatorPool() = default;

  /// Starts work on a new suggestion.
  virtual void start(const Suggestion& suggestion) = 0;
  /// Continues with a suggestion that a previous owner may have started: a finished answer is used, an
  /// unfinished attempt is ended and made again.
  virtual void resume(const Suggestion& suggestion) = 0;
  /// Ends work on suggestions that are no longer pending, because another process answered, failed or
  /// released them. An answer that exists already is still reported.
  virtual void end_unwanted(const State&) {}
  /// Ends attempts that a killed owner left running for suggestions that are no longer pending. An answer
  /// that exists already is still reported.
  virtual void end_leftovers(const State&) {}
  /// True if work goes on after end(), so that leftovers are looked for after every owner.
  virtual bool outlives_owner() const { return false; }
  /// True if everything that can be known now is known, and everything that is due was started.
  virtual bool is_up_to_date() const { return true; }
  /// True if start() computes the answer itself, so that wait() never has to wait.
  virtual bool answers_at_once() const { return false; }
  /// Number of suggestions in work.
  virtual int busy() const = 0;
  /// Outcomes since the last call. Waits for the first one for up to `seconds`; returns early on a signal.
  virtual std::vector<Outcome> wait(double seconds) = 0;
  /// From now on no attempt is started; running ones may finish until end() is called.
  virtual void stop_starting() = 0;
  /// Ends running attempts. Their suggestions stay pending.
  virtual void end() = 0;

  /// The study was changed: attempts from now on follow it. False if a new pool has to be made for it.
  virtual bool follow_study(int /*workers*/) { return false; }

  /// Sentences for the user since the last call.
  virtual std::vector<std::string> take_notes() { return {}; }
};

}  // namespace acuity
