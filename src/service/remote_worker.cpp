#include "service/remote_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <fstream>
#include <map>
#include <thread>

#include "acuity/base/errors.hpp"
#include "acuity/data/money.hpp"
#include "acuity/data/table.hpp"
#include "conduct/record_outcome.hpp"
#include "service/remote_reply.hpp"
#include "text/json.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* origin_file = "server.txt";

double seconds_until(Clock::time_point when) {
  return std::chrono::duration<double>(when - Clock::now()).count();
}
Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::string content_of(HttpClient& server, const std::string& target) {
  const HttpReply reply = [&] {
    try {
      return server.get(target);
    } catch (const ConnectionError& error) {
      throw InputError(error.what());  // nothing has begun yet that would be worth another attempt
    }
  }();
  if (reply.status != 200)
    throw InputError(fmt::format("the server refuses {}: {}", target, error_of(reply)));
  return reply.body;
}

Json tell_body(const Outcome& outcome) {
  Json body{{"id", outcome.id}, {"y", json_numbers(outcome.answer.values)}};
  if (outcome.answer.cost) body["cost"] = json_number(*outcome.answer.cost);
  if (outcome.answer.channel) {
    if (const auto* flip = std::get_if<FlipChannel>(&*outcome.answer.channel))
      body["accuracy"] = json_number(flip->accuracy());
    else
      body["noise_sd"] = json_number(std::sqrt(noise_variance(*outcome.answer.channel)));
  }
  return body;
}

Json fail_body(const Outcome& outcome, bool excludes) {
  return {{"id", outcome.id},
          {"reason", outcome.reason},
          {"cost", json_number(outcome.cost)},
          {"exclude", excludes || outcome.kind == Outcome::Kind::never},
          {"inconclusive", outcome.inconclusive}};
}

// What the loop of a remote worker holds: who works on what, and what the server has not been told yet.
class RemoteWork {
 public:
  RemoteWork(HttpClient& server, const Study& study, AnnotatorPool& annotators,
             const RemoteWorkOptions& options)
      : server_(server),
        study_(study),
        annotators_(annotators),
        options_(options),
        failures_(options.max_failures),
        heard_(Clock::now()) {
    for (int k = 1; k <= options.workers; ++k)
      free_.push_back(options.workers == 1 ? options.worker : fmt::format("{}-{}", options.worker, k));
  }

  RemoteWorkEnd run() {
    while (!options_.should_stop()) {
      ask();
      renew();
      take_outcomes(annotators_.busy() > 0 ? 0.25 : 0.0);
      tell();
      if (failures_.stops()) return stop(RemoteWorkEnd::Kind::failure_guard, failures_.why_it_stops());
      if (annotators_.busy() > 0 || !untold_.empty()) continue;
      if (!refusal_.empty()) throw InputError(refusal_);
      if (finished_) return finish();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return stop(RemoteWorkEnd::Kind::interrupted, "interrupted");
  }

 private:
  struct Work {
    std::string worker;
    Index row = 0;
  };

  // Nothing while the server is away; it is tried again with growing pauses.
  std::optional<HttpReply> post(const std::string& target, const Json& body) {
    if (seconds_until(away_until_) > 0.0) return std::nullopt;
    std::string problem;
    double pause = 0.0;
    try {
      HttpReply reply = server_.post(target, json_text(body));
      if (reply.status != 429 && reply.status < 500) {
        if (pause_ > 0.0) options_.on_note("the server answers again");
        pause_ = 0.0;
        heard_ = Clock::now();
        return reply;
      }
      problem = error_of(reply);
      pause = reply.status == 429 ? 0.5 : 0.0;
    } catch (const ConnectionError& error) {
      problem = error.what();
    }
    if (pause_ == 0.0 && pause == 0.0) options_.on_note(problem + "; trying again");
    pause_ = pause > 0.0 ? pause : std::min(30.0, std::max(0.5, 2.0 * pause_));
    away_until_ = after(pause_);
    if (-seconds_until(heard_) > options_.most_patience) throw InputError(problem + "; given up");
    return std::nullopt;
  }

  void ask() {
    while (!free_.empty() && !finished_ && refusal_.empty() && seconds_until(ask_at_) <= 0.0 &&
           !options_.should_stop()) {
      const std::optional<HttpReply> reply = post("/v1/ask", ask_body());
      if (!reply) return;
      if (reply->status != 200) {
        refusal_ = "the server refuses to be asked: " + error_of(*reply);
        return;
      }
      const AskReply found = ask_reply_in(reply->body, study_);
      if (!found.suggestion) {
        finished_ = found.is_finished;
        reason_ = found.reason;
        ask_at_ = after(found.retry_after);
        return;
      }
      const Suggestion& suggestion = *found.suggestion;
      if (busy_.contains(suggestion.id))
        throw InputError(fmt::format("the server gives suggestion {} to two workers", suggestion.id));
      busy_[suggestion.id] = {free_.front(), suggestion.row};
      free_.pop_front();
      annotators_.resume(suggestion);  // what it worked on before it was stopped, if it did
    }
  }

  Json ask_body() const {
    Json body{{"worker", free_.front()}, {"lease", options_.lease}};
    for (const Index row : failures_.given_up()) body["avoid"].push_back(study_.pool().id(row));
    if (options_.max_cost) body["max_cost"] = json_number(std::min(*options_.max_cost, largest_amount));
    return body;
  }

  void renew() {
    if (busy_.empty() || seconds_until(renew_at_) > 0.0) return;
    Json ids = Json::array();
    for (const auto& [id, busy] : busy_) ids.push_back(id);
    if (post("/v1/heartbeat", {{"ids", ids}, {"lease", options_.lease}}))
      renew_at_ = after(options_.lease / 3.0);
  }

  void take_outcomes(double seconds) {
    for (Outcome& outcome : annotators_.wait(seconds)) untold_.push_back(std::move(outcome));
    for (const std::string& note : annotators_.take_notes()) options_.on_note(note);
  }

  void tell() {
    while (!untold_.empty()) {
      Outcome& outcome = untold_.front();
      const bool answered = outcome.kind == Outcome::Kind::answered;
      const std::optional<HttpReply> reply =
          answered ? post("/v1/tell", tell_body(outcome))
                   : post("/v1/fail", fail_body(outcome, study_.file().annotator.exclude_on_fail));
      if (!reply) return;
      const bool accepted = reply->status == 200;
      if (!accepted) options_.on_note(fmt::format("{} was refused: {}", outcome.id, error_of(*reply)));
      if (answered && reply->status == 400) {  // it is no answer, so its suggestion has failed
        outcome.kind = Outcome::Kind::failed;
        outcome.reason = error_of(*reply);
        outcome.inconclusive = true;
        continue;
      }
      count(outcome, accepted);
      if (const auto work = busy_.extract(outcome.id)) free_.push_back(work.mapped().worker);
      untold_.pop_front();
    }
  }

  // An answer that is not accepted although it is valid, because another one is recorded for instance, is no
  // failure of the annotator.
  void count(const Outcome& outcome, bool accepted) {
    const bool counts = outcome.kind == Outcome::Kind::answered && accepted;
    (counts ? answer_count_ : failure_count_) += 1;
    if (counts) failures_.count_answer();
    if (outcome.kind != Outcome::Kind::failed) return;
    failures_.count_failure(busy_.at(outcome.id).row, outcome.id, failure_report(outcome));
  }

  RemoteWorkEnd finish() const {
    if (failures_.ends_without_answer())
      return end(RemoteWorkEnd::Kind::failure_guard, failures_.why_it_stops());
    if (failures_.given_up().empty()) return end(RemoteWorkEnd::Kind::finished, reason_);
    return end(RemoteWorkEnd::Kind::finished,
               fmt::format("{}; {}", reason_,
                           failures_.what_is_left(study_.pool().id(failures_.given_up().back()))));
  }

  RemoteWorkEnd end(RemoteWorkEnd::Kind kind, const std::string& reason) const {
    return {kind, reason, answer_count_, failure_count_};
  }

  // What is not finished after the grace period stays with this worker until its lease ends: it gets it
  // again.
  RemoteWorkEnd stop(RemoteWorkEnd::Kind kind, const std::string& reason) {
    annotators_.stop_starting();
    const auto until = after(options_.grace);
    while (annotators_.busy() > 0 && seconds_until(until) > 0.0 && !options_.should_kill()) {
      take_outcomes(0.1);
      tell();
    }
    annotators_.end();
    take_outcomes(0.0);
    tell();
    return end(kind, reason);
  }

  HttpClient& server_;
  const Study& study_;
  AnnotatorPool& annotators_;
  const RemoteWorkOptions& options_;
  FailurePolicy failures_;
  std::deque<std::string> free_;       // names of workers without a suggestion
  std::map<std::int64_t, Work> busy_;  // the others, by suggestion
  std::deque<Outcome> untold_;
  Clock::time_point heard_, away_until_{}, ask_at_{}, renew_at_{};
  double pause_ = 0.0;  // seconds; 0: the server answers
  bool finished_ = false;
  std::string refusal_;  // of the server to be asked: what is under way is answered first
  std::string reason_;
  std::int64_t answer_count_ = 0, failure_count_ = 0;
};

}  // namespace

void fetch_study(HttpClient& server, const std::string& url, const fs::path& folder) {
  const std::vector<std::string> names = file_names_in(content_of(server, "/v1/files"));
  std::error_code ignored;
  if (fs::exists(folder, ignored)) {
    std::ifstream stream(folder / origin_file);
    std::string origin;
    if (!std::getline(stream, origin) || origin != url)
      throw InputError(fmt::format("{}: it exists and is no worker's folder for {}, must be another one",
                                   folder.string(), url));
  }
  fs::create_directories(folder, ignored);
  std::map<fs::path, std::string> contents{{folder / origin_file, url + "\n"}};
  for (const std::string& name : names) contents[folder / name] = content_of(server, "/v1/files/" + name);
  std::vector<NewFile> files;
  for (const auto& [file, content] : contents) files.push_back({file, content});
  write_files(files);
}

RemoteWorkEnd work_for(HttpClient& server, const Study& study, AnnotatorPool& annotators,
                       const RemoteWorkOptions& options) {
  return RemoteWork(server, study, annotators, options).run();
}

}  // namespace acuity
