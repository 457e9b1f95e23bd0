#pragma once

#include <string>

#include "acuity/campaign/campaign.hpp"
#include "service/access.hpp"
#include "service/label_items.hpp"
#include "text/json.hpp"

namespace acuity {

/// What the labelling page asks for: each person gets one item after another, and the one after it in
/// advance. All of it follows from the log, so that a person who comes back goes on where he was. Throws
/// HttpProblem. One thread at a time.
class LabelDesk {
 public:
  /// `lease`: seconds for an item.
  LabelDesk(Campaign& campaign, LabelItems items, double lease);

  /// Type `LabelNext` of web/src/api.ts.
  Json next(const std::string& body, const Caller& caller);
  /// Records an answer; another answer to the same item corrects it.
  Json answer(const std::string& body, const Caller& caller);
  Json skip(const std::string& body, const Caller& caller);
  Json cannot_tell(const std::string& body, const Caller& caller);

 private:
  const SuggestionRecord& own(std::int64_t id, const Caller& caller) const;
  AskResult ask(const Caller& caller);
  std::vector<Index> skipped_by(const std::string& person) const;
  std::vector<Level> levels_for(const std::string& person, const SuggestionRecord& record) const;
  std::optional<Level> other_level(const std::optional<std::string>& name, const SuggestionRecord& record,
                                   const Caller& caller) const;
  Json item_json(const Suggestion& suggestion, const std::string& person) const;
  Json levels_json(const Suggestion& suggestion, const std::string& person) const;
  Json holders_json(const std::string& person) const;

  Campaign& campaign_;
  const LabelItems items_;
  const double lease_;
};

}  // namespace acuity
