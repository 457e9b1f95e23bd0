#include "views/view_json.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "conduct/attempt_output.hpp"
#include "numerics/distributions.hpp"
#include "text/level_text.hpp"
#include "views/evenly_kept.hpp"
#include "views/plain_json.hpp"

namespace acuity {

namespace {

constexpr std::size_t newest_answers = 2000, most_surprising = 12, most_failed_places = 50,
                      most_quantiles = 200, most_pairs = 500;

Json sequence_json(const std::optional<std::int64_t>& sequence) {
  return sequence ? Json(*sequence) : Json();
}

Json verdicts_json(const std::vector<CampaignVerdict>& verdicts) {
  Json list = Json::array();
  for (const CampaignVerdict& one : verdicts)
    list.push_back({{"question", one.question},
                    {"answer", one.answer},
                    {"advice", one.advice},
                    {"details", one.details},
                    {"state", one.state_name()}});
  return list;
}

Json target_json(const Study& study, const CampaignData& data) {
  const Target& target = *study.file().target;
  Json classes;
  if (const std::vector<std::string> names = data.books.target->classes(); !names.empty()) classes = names;
  return {{"kind", target.kind()},
          {"axis", data.books.target->prediction_axis()},
          {"answers", data.books.target->answers_title()},
          {"classes", classes},
          {"logarithmic", data.books.target->is_prediction_logarithmic()},
          {"error_measure", data.books.error_measure},
          {"error_logarithmic", data.books.target->is_error_logarithmic()},
          {"source", data.course_source}};
}

Json columns_json(const Pool& pool, const CampaignData& data) {
  Json list = Json::array();
  const PointsRef points = pool.points();
  for (std::size_t k = 0; k < data.books.columns.size(); ++k) {
    const Input& input = data.books.columns[k];
    const auto column = points.col(static_cast<Index>(k));
    const auto found = std::find_if(data.importance.begin(), data.importance.end(),
                                    [&](const Importance& one) { return one.input == input.name; });
    list.push_back(
        {{"name", input.name},
         {"unit", input.unit},
         {"kind", input.is_named() ? "category" : "number"},
         {"logarithmic", input.log},
         {"low", column.size() == 0 ? Json() : plain_number(column.minCoeff())},
         {"high", column.size() == 0 ? Json() : plain_number(column.maxCoeff())},
         {"values", input.values},
         {"importance", found == data.importance.end() ? Json() : plain_number(found->total)},
         {"importance_error", found == data.importance.end() ? Json() : plain_number(found->total_error)},
         {"alone", found == data.importance.end() ? Json() : plain_number(found->first)},
         {"effect", found == data.importance.end() ? Json() : plain_number(found->effect)}});
  }
  return list;
}

// Indices of the inputs, most important first; without that, in the order of the pool.
std::vector<std::size_t> order_of_inputs(const CampaignData& data) {
  std::vector<std::size_t> order;
  for (const Importance& one : data.importance)
    order.push_back(
        static_cast<std::size_t>(std::find(data.books.inputs.begin(), data.books.inputs.end(), one.input) -
                                 data.books.inputs.begin()));
  if (order.size() == data.books.inputs.size()) return order;
  order.resize(data.books.inputs.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Json level_totals_json(const CampaignData& data) {
  Json list = Json::array();
  for (const LevelTotal& one : data.books.levels)
    list.push_back({{"name", one.name}, {"answers", one.answers}, {"spent", plain_number(one.spent)}});
  return list;
}

class AnswerRows {
 public:
  AnswerRows(const Campaign& campaign, const CampaignData& data) : state_(campaign.state()), data_(data) {}

  Json row(std::size_t k) const {
    return answer_json(data_, k, state_.find(data_.answers.all[k].id)->worker());
  }

  Json newest() const {
    Json list = Json::array();
    for (std::size_t k = data_.answers.all.size() - std::min(newest_answers, data_.answers.all.size());
         k < data_.answers.all.size(); ++k)
      list.push_back(row(k));
    return list;
  }

  // Farthest from their predictions first, or those of the least probable classes.
  Json surprising() const {
    const auto surprise = [&](std::size_t k) {
      const ReportedAnswer& one = data_.answers.all[k];
      return data_.books.target->unexpectedness(one.value, one.expected, one.expected_sd);
    };
    std::vector<std::size_t> rows;
    for (std::size_t k = 0; k < data_.answers.all.size(); ++k)
      if (std::isfinite(surprise(k))) rows.push_back(k);
    const std::size_t shown = std::min(most_surprising, rows.size());
    std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shown), rows.end(),
                      [&](std::size_t a, std::size_t b) {
                        return surprise(a) != surprise(b) ? surprise(a) > surprise(b) : a < b;
                      });
    Json list = Json::array();
    for (std::size_t k = 0; k < shown; ++k) list.push_back(row(rows[k]));
    return list;
  }

 private:
  const State& state_;
  const CampaignData& data_;
};

Json pending_json(const Campaign& campaign) {
  Json list = Json::array();
  const Pool& pool = campaign.study().pool();
  for (const std::int64_t id : campaign.state().pending()) {
    const SuggestionRecord& record = *campaign.state().find(id);
    const Asked& asked = record.asked;
    list.push_back(
        {{"id", id},
         {"point", asked.point},
         {"inputs", asked.row < 0 ? Json::array() : plain_inputs(pool.columns(), pool.point(asked.row))},
         {"level", describe(asked.level, asked.alpha)},
         {"cost", plain_number(asked.cost)},
         {"worker", asked.worker},
         {"asked_at", plain_number(record.asked_at)},
         {"lease_until", asked.lease_until ? plain_number(*asked.lease_until) : Json()}});
  }
  return list;
}

// The last ones first.
Json failures_json(const Pool& pool, const CampaignData& data, const std::filesystem::path& runs) {
  std::vector<const FailedPlace*> places;
  for (const FailedPlace& place : data.books.failures) places.push_back(&place);
  std::stable_sort(places.begin(), places.end(),
                   [](const FailedPlace* a, const FailedPlace* b) { return a->last_id > b->last_id; });
  places.resize(std::min(most_failed_places, places.size()));
  Json list = Json::array();
  for (const FailedPlace* place : places)
    list.push_back({{"point", place->point},
                    {"inputs", plain_inputs(pool.columns(), pool.point(place->row))},
                    {"failures", place->failures},
                    {"cost", plain_number(place->cost)},
                    {"answered", place->answered},
                    {"reason", place->reason},
                    {"log", attempt_output(runs, place->last_id)}});
  return list;
}

Json course_json(const CampaignData& data) {
  Json list = Json::array();
  for (const CoursePoint& one : data.course.errors)
    list.push_back({{"spent", plain_number(one.spent)},
                    {"answers", one.answers},
                    {"error", plain_number(one.error)},
                    {"expected", plain_number(one.expected)},
                    {"at_goal", one.at_goal ? plain_number(*one.at_goal) : Json()}});
  return list;
}

Json money_json(const CampaignData& data) {
  Json list = Json::array();
  for (const std::size_t k : evenly_kept(data.course.money.size(), most_moments))
    list.push_back({{"time", plain_number(data.course.money[k].time)},
                    {"spent", plain_number(data.course.money[k].spent)}});
  return list;
}

Json spending_json(const CampaignData& data) {
  Json list = Json::array();
  for (const std::size_t k : evenly_kept(data.course.spending.size(), most_moments))
    list.push_back({{"time", plain_number(data.course.spending[k].time)},
                    {"answers", data.course.spending[k].answers},
                    {"spent", plain_numbers(data.course.spending[k].spent)}});
  return list;
}

// The scores of one level of calibrations_json(), beside the quantiles of a standard normal distribution.
Json quantiles_json(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  const numerics::NormalDistribution normal;
  Json expected = Json::array(), found = Json::array();
  for (const std::size_t k : evenly_kept(scores.size(), most_quantiles)) {
    expected.push_back(plain_number(
        boost::math::quantile(normal, (static_cast<double>(k) + 0.5) / static_cast<double>(scores.size()))));
    found.push_back(plain_number(scores[k]));
  }
  return {{"expected", expected}, {"found", found}};
}

Json calibrations_json(const CampaignData& data) {
  Json list = Json::array();
  for (std::size_t k = 0; k < data.calibration.scores.size(); ++k) {
    const ScoreCalibration& one = data.calibration.scores[k];
    std::vector<double> scores;
    for (const ReportedAnswer& answer : data.answers.all)
      if (answer.predicted && std::isfinite(answer.score()) &&
          (k == 0 || data.books.levels[answer.level].name == one.level))
        scores.push_back(answer.score());
    Json coverages = Json::array();
    for (const Coverage& coverage : one.coverages)
      coverages.push_back({{"nominal", coverage.nominal},
                           {"share", plain_number(coverage.share())},
                           {"sampling_error", plain_number(coverage.sampling_error())},
                           {"off", coverage.is_off()}});
    list.push_back({{"level", one.level},
                    {"count", one.coverages[0].count},
                    {"mean", plain_number(one.mean)},
                    {"sd", plain_number(one.sd)},
                    {"coverages", coverages},
                    {"quantiles", quantiles_json(std::move(scores))}});
  }
  return list;
}

Json reliability_json(const CampaignData& data) {
  Json list = Json::array();
  for (const ReliabilityBin& bin : data.calibration.reliability)
    list.push_back({{"count", bin.count},
                    {"expected", plain_number(bin.expected)},
                    {"found", plain_number(bin.found)},
                    {"error", plain_number(bin.error)}});
  return list;
}

Json bias_json(const CampaignData& data, const std::string& level, const std::string& sentence,
               const std::vector<PairedDifference>& pairs) {
  Json list = Json::array();
  for (const std::size_t k : evenly_kept(pairs.size(), most_pairs))
    list.push_back({{"inputs", plain_inputs(data.books.columns, pairs[k].inputs.data())},
                    {"difference", plain_number(pairs[k].difference)},
                    {"sd", plain_number(pairs[k].sd)}});
  return {{"level", level}, {"sentence", sentence}, {"pairs", list}};
}

// Levels whose bias is part of the model, then differences of others at the same points.
Json biases_json(const CampaignData& data) {
  Json list = Json::array();
  for (const BiasView& view : data.biases)
    list.push_back(bias_json(data, view.estimate.level, to_text(view.estimate), view.pairs));
  for (const LevelOffset& offset : data.offsets)
    if (!offset.in_model)
      list.push_back(bias_json(
          data, offset.level,
          to_text(offset) + (offset.is_bias() ? ": bias, more than noise explains" : ": within the noise"),
          offset.pairs));
  return list;
}

Json figures_json(const std::vector<ViewFacts::Figure>& figures) {
  Json list = Json::array();
  for (const ViewFacts::Figure& one : figures)
    list.push_back(
        {{"name", one.name}, {"heading", one.heading}, {"caption", one.caption}, {"absent", one.absent}});
  return list;
}

}  // namespace

Json answer_json(const CampaignData& data, std::size_t k, const std::string& worker) {
  const ReportedAnswer& one = data.answers.all[k];
  const TargetView& target = *data.books.target;
  const auto interval = target.interval_on_axis(one.expected, one.expected_sd);
  return {{"id", one.id},
          {"point", one.point},
          {"inputs", plain_inputs(data.books.columns, data.answers.places[k].data())},
          {"level", one.level},
          {"value", plain_number(target.on_prediction_axis(one.value))},
          {"text", target.answer_text(one.value)},
          {"expected", plain_number(target.expected_on_axis(one.expected))},
          {"expected_low", interval ? plain_number(interval->first) : Json()},
          {"expected_high", interval ? plain_number(interval->second) : Json()},
          {"score", interval ? plain_number(one.score()) : Json()},
          {"noise", plain_number(target.noise_on_prediction_axis(one.value, one.noise))},
          {"predicted", one.predicted},
          {"cost", plain_number(one.cost)},
          {"told_at", plain_number(one.told_at)},
          {"worker", worker}};
}

std::string view_json(const Campaign& campaign, const CampaignData& data, const ViewFacts& facts) {
  const AnswerRows rows(campaign, data);
  const MoneyReach reach = money_reach(data);
  Json view{{"sequence", campaign.state().sequence()},
            {"computed_at", plain_number(facts.computed_at)},
            {"computed_seconds", plain_number(facts.computed_seconds)},
            {"parts",
             {{"slices", sequence_json(facts.slices_sequence)},
              {"pool", sequence_json(facts.pool_sequence)},
              {"model", sequence_json(facts.model_sequence)}}},
            {"name", data.books.name},
            {"unit", data.books.unit},
            {"verdicts", verdicts_json(facts.verdicts)},
            {"first_screen", facts.first_screen},
            {"warnings", data.warnings},
            {"budget", plain_number(data.books.budget)},
            {"spent", plain_number(data.books.spent)},
            {"escrow", plain_number(data.books.escrow)},
            {"pool", data.books.pool},
            {"excluded", data.books.excluded},
            {"failed", data.books.failed},
            {"created_at", plain_number(data.books.created_at)},
            {"last_at", plain_number(data.answers.last_at)},
            {"target", target_json(campaign.study(), data)},
            {"inputs", columns_json(campaign.study().pool(), data)},
            {"order", order_of_inputs(data)},
            {"levels", level_totals_json(data)},
            {"answers", rows.newest()},
            {"answers_total", data.answers.all.size()},
            {"surprising", rows.surprising()},
            {"pending", pending_json(campaign)},
            {"failures", failures_json(campaign.study().pool(), data, facts.runs)},
            {"failures_total", data.books.failures.size()},
            {"course", course_json(data)},
            {"course_note", data.course_note},
            {"money", money_json(data)},
            {"projected_end", data.course.projected_end ? plain_number(*data.course.projected_end) : Json()},
            {"spending", spending_json(data)},
            {"money_reach", {{"budget", reach.budget}, {"projected_end", reach.projected_end}}},
            {"calibrations", calibrations_json(data)},
            {"reliability", reliability_json(data)},
            {"biases", biases_json(data)},
            {"figures", figures_json(facts.figures)},
            {"people", facts.people}};
  return json_text(view);
}

}  // namespace acuity
