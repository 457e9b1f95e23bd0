#include "service/predictions.hpp"

#include <fmt/format.h>

#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/last_fit.hpp"
#include "service/http_message.hpp"
#include "service/role_limits.hpp"
#include "study/answer_prediction.hpp"
#include "text/result_table.hpp"

namespace acuity {

namespace {

constexpr std::size_t most_points = 1000;  // others wait meanwhile

double value_of(const Input& input, const Json& point, std::size_t number) {
  const auto complain = [&](const std::string& found) {
    throw HttpProblem(400, fmt::format("\"{}\" of point {} is {}, must be {}", printable(input.name, 40),
                                       number, found, input.requirement()));
  };
  const auto found = point.find(input.name);
  if (found == point.end()) complain("missing");
  std::optional<double> value;
  if (found->is_string()) value = input.value(found->get<std::string>());
  if (found->is_number() && !input.is_named()) value = found->get<double>();
  if (!value || !input.accepts(*value)) complain(shown_json(*found));
  return *value;
}

Points points_in(const Json& list, const std::vector<Input>& inputs) {
  Points points(static_cast<Index>(list.size()), static_cast<Index>(inputs.size()));
  for (std::size_t row = 0; row < list.size(); ++row) {
    if (!list[row].is_object()) throw HttpProblem(400, fmt::format("point {} is no JSON object", row));
    for (std::size_t k = 0; k < inputs.size(); ++k)
      points(static_cast<Index>(row), static_cast<Index>(k)) = value_of(inputs[k], list[row], row);
  }
  return points;
}

}  // namespace

Json predictions(const Campaign& campaign, const std::string& text) {
  const RequestBody body = permitted_body("/v1/predict", text, Caller{}, 0.0);
  const Json* list = body.find("points");
  if (list == nullptr || !list->is_array() || list->empty() || list->size() > most_points)
    throw HttpProblem(
        400, fmt::format("\"points\" is missing or has another form, must be a list of 1 to {} objects "
                         "with the inputs",
                         most_points));
  const Study& study = campaign.study();
  const std::vector<Input>& inputs = study.pool().columns();
  const Points at = points_in(*list, inputs);
  const StudyModel model = model_for_predictions(campaign);
  const AveragedMarginals f =
      StudyLearner(study).averaged(model, campaign.annotations()).predict(at).marginals;
  const AnswerPredictions answers =
      answer_predictions(study, model, f, base_noise_outside_of_tables(study, at));
  const Target& target = *study.file().target;
  Json rows = Json::array();
  for (Index row = 0; row < at.rows(); ++row) {
    Json one = Json::object();
    for (std::size_t k = 0; k < inputs.size(); ++k)
      one[inputs[k].name] = json_value(input_cell(inputs[k], at(row, static_cast<Index>(k))));
    one[target.is_mapped() ? "median" : "mean"] = json_number(answers.middle(row));
    one["variance"] = json_number(answers.variance(row));
    one["sd"] = json_number(answers.sd(row));
    one["low"] = json_number(answers.low(row));
    one["high"] = json_number(answers.high(row));
    if (target.has_noise())
      one["answer_sd"] = std::isnan(answers.answer_sd(row)) ? Json() : json_number(answers.answer_sd(row));
    else
      one["probability"] = json_number(answers.probability(row));
    rows.push_back(std::move(one));
  }
  return {{"rows", std::move(rows)}};
}

}  // namespace acuity
