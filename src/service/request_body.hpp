#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text/json.hpp"

namespace acuity {

/// The JSON object that a request carries. Every member throws HttpProblem 400 with the name of the field,
/// what was found and what is required.
class RequestBody {
 public:
  /// An empty text is an object without fields. Fields that are not among `known` are refused: a misspelt one
  /// must not be ignored.
  RequestBody(const std::string& text, std::vector<std::string> known);
  /// An object within a body.
  RequestBody(Json object, std::vector<std::string> known);

  std::optional<double> number(const std::string& name) const;
  std::optional<std::int64_t> whole(const std::string& name) const;
  std::optional<std::string> text(const std::string& name) const;
  /// A list of texts; empty: there is none.
  std::vector<std::string> texts(const std::string& name) const;
  bool flag(const std::string& name) const;
  /// A number of seconds, or a text such as "2h".
  std::optional<double> duration(const std::string& name) const;
  std::int64_t required_id() const;
  /// The field `ids`, a list, or `id`.
  std::vector<std::int64_t> required_ids() const;
  /// The field `y`: a number, a text or a list of them, each as text; or `k` and `n` as "k/n"; empty: there
  /// is none.
  std::vector<std::string> answers() const;
  /// Null: there is none.
  const Json* find(const std::string& name) const;

 private:
  void require_known(const std::vector<std::string>& known) const;

  Json object_;
};

}  // namespace acuity
