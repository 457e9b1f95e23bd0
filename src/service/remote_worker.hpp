#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "conduct/annotator_pool.hpp"
#include "service/http_client.hpp"

namespace acuity {

/// Copies the study, the pool and the tables of a served campaign into a folder, which may exist: a worker
/// needs them to know its annotator. Throws InputError if the server refuses or the folder belongs to another
/// server, ConnectionError.
void fetch_study(HttpClient& server, const std::string& url, const std::filesystem::path& folder);

struct RemoteWorkOptions {
  std::string worker;  ///< its name in the log; each of several annotators has a number after it
  int workers = 1;
  double lease = 300.0;  ///< seconds, renewed while annotators work
  /// An answer that is expected to cost more is not started: InputError once nothing is under way.
  std::optional<double> max_cost;
  int max_failures = 10;
  double grace = 5.0;             ///< seconds that annotators have to finish after an interruption
  double most_patience = 3600.0;  ///< seconds without the server after which it is given up
  std::function<bool()> should_stop = [] { return false; };
  std::function<bool()> should_kill = [] { return false; };
  std::function<void(const std::string&)> on_note = [](const std::string&) {};
};

struct RemoteWorkEnd {
  enum class Kind { finished, failure_guard, interrupted };
  Kind kind = Kind::finished;
  std::string reason;
  std::int64_t answers = 0, failures = 0;
};

/// Asks a server, lets the annotators answer and tells it, until it has nothing more. Answers are kept and
/// told again while the server cannot be reached. `study` is the one that fetch_study() copied. Throws
/// InputError if the server refuses a request for good.
RemoteWorkEnd work_for(HttpClient& server, const Study& study, AnnotatorPool& annotators,
                       const RemoteWorkOptions& options);

}  // namespace acuity
