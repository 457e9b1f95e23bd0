#include "service/http_message.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "text/json.hpp"

namespace acuity {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

HttpReply problem_reply(const HttpProblem& problem) {
  Json json{{"error", problem.what()}};
  HttpReply reply{.status = problem.status()};
  if (problem.retry_after()) {
    json["retry_after"] = json_number(*problem.retry_after());
    reply.fields.emplace_back("Retry-After", std::to_string(std::lround(std::ceil(*problem.retry_after()))));
  }
  reply.body = json_text(json);
  return reply;
}

std::optional<std::string> percent_decoded(const std::string& text, bool is_query) {
  std::string decoded;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '+' && is_query) {
      decoded += ' ';
    } else if (text[k] != '%') {
      decoded += text[k];
    } else {
      const int high = k + 2 < text.size() ? hex_digit(text[k + 1]) : -1;
      const int low = k + 2 < text.size() ? hex_digit(text[k + 2]) : -1;
      if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
      decoded += static_cast<char>(16 * high + low);
      k += 2;
    }
  }
  return decoded;
}

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(number)
                                                                                   : std::nullopt;
}

bool take_target(const std::string& target, HttpRequest& request) {
  const std::size_t mark = std::min(target.find('?'), target.size());
  const std::optional<std::string> path = percent_decoded(target.substr(0, mark), false);
  if (!path || path->empty() || path->front() != '/') return false;
  request.path = *path;
  for (std::size_t at = mark + 1; at < target.size();) {
    const std::size_t end = std::min(target.find('&', at), target.size());
    const std::string part = target.substr(at, end - at);
    at = end + 1;
    if (part.empty()) continue;
    const std::size_t sign = std::min(part.find('='), part.size());
    const std::optional<std::string> name = percent_decoded(part.substr(0, sign), true);
    const std::optional<std::string> value =
        percent_decoded(part.substr(std::min(sign + 1, part.size())), true);
    if (!name || !value) return false;
    request.query[*name] = *value;
  }
  return true;
}

}  // namespace acuity
