#include "views/annotation_rows.hpp"

#include <algorithm>

#include "campaign/state_queries.hpp"

namespace acuity {

std::vector<AnnotationRow> annotation_rows(const Campaign& campaign, bool with_gold) {
  const Study& study = campaign.study();
  std::vector<Annotation> annotations = campaign.annotations();
  std::vector<std::int64_t> ids = campaign.state().answered();
  const std::size_t for_model = ids.size();
  for (const SuggestionRecord& record : campaign.state().suggestions())
    if (record.is_withheld() && !record.values.empty() && (with_gold || !record.asked.gold)) {
      ids.push_back(record.asked.id);
      add_annotations(study, campaign.state(), record.asked.id, annotations);
    }
  std::vector<AnnotationRow> rows;
  for (const std::int64_t id : ids) {
    const SuggestionRecord& record = *campaign.state().find(id);
    for (std::size_t k = 0; k < record.values.size(); ++k) {
      const Annotation& annotation = annotations[rows.size()];
      AnnotationRow row{.id = id, .y = record.values[k], .cost = annotation.cost};
      if (const std::optional<Index> at = annotation.place.pool_row()) {
        row.point = study.pool().id(*at);
        row.inputs.assign(study.pool().point(*at), study.pool().point(*at) + study.pool().inputs().size());
      } else {
        const Vector& x = annotation.place.coordinates();
        row.inputs.assign(x.begin(), x.end());
      }
      row.level = record.level();
      row.alpha = record.alpha();
      const auto* flip = std::get_if<FlipChannel>(&annotation.channel);
      row.channel = flip != nullptr ? flip->accuracy() : noise_variance(annotation.channel);
      row.worker = record.worker();
      row.told_at = record.told_at;
      row.seconds = record.told->seconds;
      row.note = record.told->note;
      rows.push_back(std::move(row));
    }
  }
  if (with_gold || ids.size() > for_model)
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.told_at < b.told_at; });
  return rows;
}

}  // namespace acuity
