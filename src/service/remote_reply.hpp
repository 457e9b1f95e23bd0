#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/selection/suggestion.hpp"
#include "acuity/study/study.hpp"
#include "service/http_message.hpp"

// What a server answers to a worker (`acuity run --join`). The server may be any program, so nothing of its
// replies is taken for granted: what cannot be used is an InputError with one sentence.

namespace acuity {

/// The sentence of a refusal.
std::string error_of(const HttpReply& reply);

/// The names in a reply to GET /v1/files, each a plain name of a file.
std::vector<std::string> file_names_in(const std::string& body);

/// A reply to POST /v1/ask.
struct AskReply {
  std::optional<Suggestion> suggestion;
  // If there is none:
  bool is_finished = false;
  std::string reason;
  double retry_after = 5.0;  ///< seconds
};
AskReply ask_reply_in(const std::string& body, const Study& study);

}  // namespace acuity
