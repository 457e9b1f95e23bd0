#pragma once

#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// What came of a suggestion that was given to an annotator, once nothing more is tried.
struct Outcome {
  enum class Kind {
    answered,
    failed,  ///< and all retries
    never    ///< it said that this can never work
  };
  Kind kind = Kind::failed;
  std::int64_t id = 0;
  Answer answer;       ///< where it is answered
  std::string reason;  ///< where it is not
};

/// Annotators at work, several at a time.
class Crew {
 public:
  virtual ~Crew() = default;

  /// Somebody begins with this one.
  virtual void start(const Suggestion& suggestion) = 0;
  /// The same for one that an owner before us may have begun: what was finished counts, what is left of it is
  /// ended.
  virtual void resume(const Suggestion& suggestion) = 0;
  /// Ends work at suggestions that are pending no longer: people have told, failed or released them. An
  /// answer that was there by then counts still.
  virtual void keep_pending(const State&) {}
  /// The same for what an owner that was killed has left of suggestions not pending any more.
  virtual void sweep(const State&) {}
  /// Whether answers come as soon as they are asked for.
  virtual bool answers_at_once() const { return false; }
  /// Suggestions in hand.
  virtual int busy() const = 0;
  /// What has come since, waiting for some of it for up to so long. Returns early on a signal.
  virtual std::vector<Outcome> wait(double seconds) = 0;
  /// Nothing new is tried; what runs may finish until end() is called.
  virtual void wind_down() = 0;
  /// Ends what still runs. Suggestions in hand stay pending.
  virtual void end() = 0;

  /// Attempts, retries included.
  virtual int failures_in_a_row() const = 0;
  /// Why the last one failed, and the last lines it wrote.
  virtual std::string last_failure() const = 0;
};

}  // namespace acuity
