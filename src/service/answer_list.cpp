#include "service/answer_list.hpp"

#include <algorithm>

#include "service/watchers_view.hpp"
#include "views/view_json.hpp"

namespace acuity {

AnswerList::AnswerList(const Campaign& campaign, std::shared_ptr<const CampaignData> data)
    : sequence_(campaign.state().sequence()), data_(std::move(data)) {
  for (const ReportedAnswer& one : data_->answers.all)
    workers_.push_back(campaign.state().find(one.id)->worker());
  if (!has_gold_answers(campaign)) return;
  std::vector<Json> rows;
  for (std::size_t k = 0; k < data_->answers.all.size(); ++k)
    rows.push_back(answer_json(*data_, k, workers_[k]));
  for_watchers_ = with_gold_answers(campaign, std::move(rows));
}

Json AnswerList::row(std::size_t newest, bool hides_gold) const {
  if (hides_gold && !for_watchers_.empty()) return for_watchers_[for_watchers_.size() - 1 - newest];
  const std::size_t k = data_->answers.all.size() - 1 - newest;
  return answer_json(*data_, k, workers_[k]);
}

std::string AnswerList::json(std::int64_t from, std::int64_t limit, bool hides_gold) const {
  const auto total = static_cast<std::int64_t>(
      hides_gold && !for_watchers_.empty() ? for_watchers_.size() : data_->answers.all.size());
  Json rows = Json::array();
  for (std::int64_t k = from; k < std::min(total, from + limit); ++k)
    rows.push_back(row(static_cast<std::size_t>(k), hides_gold));
  return json_text({{"sequence", sequence_}, {"total", total}, {"from", from}, {"rows", std::move(rows)}});
}

}  // namespace acuity
