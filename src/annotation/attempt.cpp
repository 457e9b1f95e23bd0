#include "annotation/attempt.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "annotation/attempt_state.hpp"
#include "text/duration.hpp"

namespace acuity {

namespace {

using namespace std::chrono_literals;
using Clock = Attempt::Clock;
using Kind = AttemptOutcome::Kind;

// Polling interval for members of a session that are not our children, whose exit is not signalled.
constexpr auto interval = 20ms;
// A process that survives SIGKILL for this long hangs in a system call.
constexpr auto patience = 5s;

Clock::duration seconds_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(seconds, 1e9)));
}

std::string numbers_of(const std::vector<ProcessEntry>& processes) {
  std::vector<pid_t> numbers;
  for (const ProcessEntry& one : processes) numbers.push_back(one.process);
  return fmt::format("{}", fmt::join(numbers, ", "));
}

// Kills until no process is left, for one second at most.
void kill_states(std::vector<Attempt::State*> states) {
  ProcessTable table;
  for (const auto until = Clock::now() + 1s; !states.empty() && Clock::now() < until;) {
    table.refresh();
    bool any = false;
    std::erase_if(states, [&](Attempt::State* state) {
      const ProcessSession::Sighting seen = state->session.kill(table);
      any = any || !seen.members.empty();
      state->looks_at_none = seen.members.empty() ? state->looks_at_none + 1 : 0;
      const bool gone = seen.members.empty() && (seen.certain || state->looks_at_none >= enough_looks);
      if (gone) state->abandon();
      return gone;
    });
    if (any) std::this_thread::sleep_for(5ms);
  }
  for (Attempt::State* state : states) state->abandon();
}

}  // namespace

void Attempt::State::abandon() {
  if (child) ::waitpid(session.leader(), nullptr, WNOHANG);
  phase = Phase::over;
}

Attempt::State::~State() {
  if (phase != Phase::over) kill_states({this});
  if (descriptor >= 0) ::close(descriptor);
}

// Does not reap the leader (WNOWAIT): as long as the zombie exists, the session number cannot be reused.
bool Attempt::State::leader_has_ended() const {
  siginfo_t info{};
  const int result = ::waitid(P_PID, static_cast<id_t>(session.leader()), &info, WEXITED | WNOHANG | WNOWAIT);
  return result != 0 || info.si_pid != 0;
}

void Attempt::State::look() {
  if (phase != Phase::running) return;
  if (leader_has_ended()) {
    session.note_dead_leader();
    begin_ending(grace);
  } else if (Clock::now() >= deadline) {
    verdict = {.kind = Kind::failed, .answer = {}, .reason = "timed out after " + in_words(*timeout)};
    folder.note_end(*verdict);
    begin_ending(grace);
  }
}

void Attempt::State::begin_ending(double grace_seconds) {
  phase = Phase::ending;
  kill_at = Clock::now() + seconds_of(grace_seconds);
  give_up_at = kill_at + patience;
}

bool Attempt::State::go_on_ending(const ProcessTable& table) {
  const Clock::time_point now = Clock::now();
  const bool kills = now >= kill_at;
  const ProcessSession::Sighting seen = kills ? session.kill(table) : session.terminate(table);
  looks_at_none = seen.members.empty() ? looks_at_none + 1 : 0;
  if (seen.members.empty()) {
    if (!seen.certain && looks_at_none < enough_looks) return false;
    finish("");
  } else if (now >= give_up_at) {
    finish(fmt::format("its processes {} cannot be ended", numbers_of(seen.members)));
  }
  // Killed processes may have started others in the meantime.
  return phase == Phase::over || !kills;
}

void Attempt::State::finish(const std::string& remark) {
  if (child) ::waitpid(session.leader(), nullptr, WNOHANG);
  phase = Phase::over;
  outcome = verdict ? *verdict : folder.outcome();
  if (remark.empty()) return;
  // Processes that still run may still write the answer, so it is not used.
  outcome = {Kind::failed, {}, outcome->reason.empty() ? remark : outcome->reason + "; " + remark};
}

Clock::time_point Attempt::State::next_look() const {
  if (phase == Phase::over) return Clock::now();
  if (phase == Phase::ending || descriptor < 0) return Clock::now() + interval;
  return deadline;
}

Attempt::Attempt(std::unique_ptr<State> state) : state_(std::move(state)) {}
Attempt::~Attempt() = default;
Attempt::Attempt(Attempt&&) noexcept = default;
Attempt& Attempt::operator=(Attempt&&) noexcept = default;

const std::filesystem::path& Attempt::folder() const {
  return state_->folder.path();
}

std::optional<AttemptOutcome> Attempt::poll() {
  poll_all({this});
  return state_->outcome;
}

std::optional<AttemptOutcome> Attempt::outcome() const {
  return state_->outcome;
}

void Attempt::end(const AttemptOutcome& verdict, std::optional<double> grace_seconds) {
  state_->look();
  if (state_->phase == State::Phase::running) {
    state_->verdict = verdict;
    state_->folder.note_end(verdict);
  }
  if (state_->phase == State::Phase::over) return;
  state_->begin_ending(grace_seconds.value_or(state_->grace));
}

void poll_all(const std::vector<Attempt*>& attempts) {
  std::vector<Attempt::State*> ending;
  for (const Attempt* attempt : attempts) {
    attempt->state_->look();
    if (attempt->state_->phase == Attempt::State::Phase::ending) ending.push_back(attempt->state_.get());
  }
  ProcessTable table;
  for (int looks = 0; looks < enough_looks && !ending.empty(); ++looks) {
    table.refresh();
    std::erase_if(ending, [&](Attempt::State* state) { return state->go_on_ending(table); });
  }
}

void kill_all(const std::vector<Attempt*>& attempts) {
  std::vector<Attempt::State*> states;
  for (const Attempt* attempt : attempts)
    if (attempt->state_->phase != Attempt::State::Phase::over) states.push_back(attempt->state_.get());
  kill_states(std::move(states));
}

void wait_for_any(const std::vector<Attempt*>& attempts, double seconds) {
  Clock::time_point until = Clock::now() + seconds_of(seconds);
  std::vector<pollfd> watched;
  for (const Attempt* attempt : attempts) {
    const Attempt::State& state = *attempt->state_;
    until = std::min(until, state.next_look());
    if (state.phase == Attempt::State::Phase::running && state.descriptor >= 0)
      watched.push_back({.fd = state.descriptor, .events = POLLIN, .revents = 0});
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  ::poll(watched.data(), watched.size(), static_cast<int>(std::clamp<long long>(left, 0, 1'000'000'000)));
}

}  // namespace acuity
