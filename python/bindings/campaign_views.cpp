#include "acuity/base/errors.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/last_fit.hpp"
#include "campaign_model.hpp"
#include "explain/explanation.hpp"
#include "open_campaign.hpp"
#include "pages/campaign_page.hpp"
#include "study/answer_prediction.hpp"
#include "views/annotation_rows.hpp"
#include "views/campaign_status.hpp"
#include "views/campaign_text.hpp"
#include "views/event_json.hpp"
#include "views/explanation_json.hpp"
#include "views/study_check.hpp"

namespace acuity::python {

namespace {

// (name, "number" | "category" | "ordered" | "yes-no", names of the values) of every input.
py::list described_inputs(const std::vector<Input>& inputs) {
  py::list all;
  for (const Input& input : inputs) {
    const char* kind = input.type == InputType::yes_no ? "yes-no"
                       : input.ordered                 ? "ordered"
                       : input.is_named()              ? "category"
                                                       : "number";
    all.append(py::make_tuple(input.name, kind, input.values));
  }
  return all;
}

// One column of the annotations each, as `export --annotations` has them.
py::dict annotation_columns(const Campaign& campaign) {
  const std::vector<AnnotationRow> rows = annotation_rows(campaign);
  const Index count = static_cast<Index>(rows.size());
  py::list id, point, level, worker, note;
  Vector alpha = Vector::Constant(count, std::nan("")), y(count), cost(count), channel(count), told_at(count),
         seconds = alpha;
  Points inputs(count, static_cast<Index>(campaign.study().pool().inputs().size()));
  for (Index i = 0; i < count; ++i) {
    const AnnotationRow& row = rows[static_cast<std::size_t>(i)];
    id.append(row.id);
    point.append(row.point);
    level.append(row.level);
    inputs.row(i) = Eigen::Map<const Eigen::RowVectorXd>(row.inputs.data(), inputs.cols());
    if (row.alpha) alpha(i) = *row.alpha;
    y(i) = row.y, cost(i) = row.cost, channel(i) = row.channel, told_at(i) = row.told_at;
    worker.append(row.worker);
    note.append(row.note);
    if (row.seconds) seconds(i) = *row.seconds;
  }
  return py::dict(py::arg("id") = id, py::arg("point") = point, py::arg("inputs") = inputs,
                  py::arg("level") = level, py::arg("alpha") = alpha, py::arg("y") = y,
                  py::arg("cost") = cost, py::arg("channel") = channel, py::arg("worker") = worker,
                  py::arg("told_at") = told_at, py::arg("seconds") = seconds, py::arg("note") = note);
}

// The names of the levels of a price list.
std::vector<std::string> level_names(const Study& study) {
  std::vector<std::string> names;
  for (const Level& level : study.offer().levels)
    if (!level.alpha) names.push_back(level.name);
  return names;
}

// What is fixed for as long as the campaign lives.
py::dict facts_of(const Campaign& campaign) {
  const StudyFile& file = campaign.study().file();
  return py::dict(
      py::arg("folder") = campaign.folder().string(), py::arg("address") = campaign.address().text(),
      py::arg("name") = campaign.state().created().name, py::arg("unit") = campaign.state().created().unit,
      py::arg("binary") = file.binary(), py::arg("target") = file.target->title_or(""),
      py::arg("scale") = std::string(file.target->scale().name()),
      py::arg("classes") = file.target->class_names(), py::arg("ladder") = campaign.study().is_ladder(),
      py::arg("inputs") = campaign.study().pool().inputs(),
      py::arg("columns") = described_inputs(campaign.study().pool().columns()),
      py::arg("id_column") = file.pool_id, py::arg("levels") = level_names(campaign.study()),
      py::arg("pool") = Points(campaign.study().pool().points()));
}

// Belief averaged over hyperparameters, as `acuity predict` has it.
struct Predicted {
  AnswerPredictions answers;
  std::string convergence_problem;
};

Predicted predicted(const Campaign& campaign, const PointsRef& x) {
  const Study& study = campaign.study();
  const StudyModel model = model_for_predictions(campaign);
  AveragedModel::Predicted found = StudyLearner(study).averaged(model, campaign.annotations()).predict(x);
  Predicted result{
      answer_predictions(study, model, std::move(found.marginals), base_noise_outside_of_tables(study, x)),
      std::move(found.convergence_problem)};
  if (!study.file().target->is_mapped()) result.answers.mean = result.answers.middle;   // in target.range
  if (result.answers.noise.size() == 0) result.answers.noise = Vector::Zero(x.rows());  // classes have none
  return result;
}

std::vector<std::string> event_lines(const Campaign& campaign) {
  std::vector<std::string> lines;
  State state;
  for (const StoredEvent& stored : campaign.events()) {
    state.apply(stored);
    lines.push_back(event_json(stored, state, &campaign.study().pool()));
  }
  return lines;
}

// Calls read(campaign) after what other processes have recorded.
template <typename Read>
auto refreshed(OpenCampaign& open, const Read& read) {
  return open.with([&](Campaign& c) {
    c.refresh();
    return read(c);
  });
}

py::dict columns_of(OpenCampaign& open) {
  py::dict columns;
  refreshed(open, [&](Campaign& c) {
    const py::gil_scoped_acquire lock;
    columns = annotation_columns(c);
  });
  return columns;
}

// (suggestion, worker): who asked is not part of a suggestion.
py::list pending_of(OpenCampaign& open) {
  std::vector<std::string> workers;
  const std::vector<Suggestion> pending = refreshed(open, [&](Campaign& c) {
    for (const std::int64_t id : c.state().pending()) workers.push_back(c.state().find(id)->asked.worker);
    return c.pending();
  });
  py::list list;
  for (std::size_t i = 0; i < pending.size(); ++i)
    list.append(py::make_tuple(NamedSuggestion{pending[i], open.names()}, workers[i]));
  return list;
}

// As JSON and as text.
using InWords = std::pair<std::string, std::string>;

InWords checked(OpenCampaign& open) {
  return refreshed(open, [&](Campaign& c) -> InWords {
    const StudyCheck found = check_study(c.study(), c.model(), c.annotations(), &c, open.threads());
    return {json_text(check_json(found)), check_text(found, c.study().file().unit)};
  });
}

InWords in_words(const Explanation& explanation, const Study& study) {
  return {explanation_json(explanation, study), to_text(explanation, study)};
}

py::tuple next_explained(OpenCampaign& open) {
  InWords words;
  const AskResult result = refreshed(open, [&](Campaign& c) {
    NextExplanation next = explain_next(c);
    if (next.explanation) words = in_words(*next.explanation, c.study());
    next.result.suggestions.clear();
    if (next.result.status == AskStatus::finished)
      next.result.reason = end_text(c.state(), next.result.reason);
    return next.result;
  });
  return py::make_tuple(words, tuple_of(result, open.names()));
}

py::tuple predictions_of(OpenCampaign& open, const PointsRef& x) {
  Predicted found = refreshed(open, [&](Campaign& c) { return predicted(c, x); });
  AnswerPredictions& answers = found.answers;
  return py::make_tuple(std::move(answers.mean), std::move(answers.variance), std::move(answers.low),
                        std::move(answers.high), std::move(answers.probability), std::move(answers.noise),
                        std::move(answers.median), std::move(found.convergence_problem));
}

void write_report(OpenCampaign& open, const std::string& out, const std::string& test) {
  refreshed(open, [&](Campaign& c) {
    std::optional<HeldOut> held_out;
    if (!test.empty()) held_out = read_held_out(test, c.study());
    const CampaignData data = campaign_data(c, held_out);
    write_file(out, campaign_page(data, campaign_figures(data),
                                  {ACUITY_VERSION, "campaign.report(\"" + out + "\")"}));
  });
}

}  // namespace

void bind_views(py::class_<OpenCampaign>& campaign) {
  campaign
      .def("facts",
           [](OpenCampaign& open) {
             py::dict facts;
             open.with([&](Campaign& c) {
               const py::gil_scoped_acquire lock;
               facts = facts_of(c);
             });
             return facts;
           })
      .def("pending", &pending_of)
      .def("status_json",
           [](OpenCampaign& open) { return refreshed(open, [](Campaign& c) { return status_json(c); }); })
      .def("status_text",
           [](OpenCampaign& open) { return refreshed(open, [](Campaign& c) { return status_text(c); }); })
      .def("best_json",
           [](OpenCampaign& open, Index count) {
             return refreshed(open, [&](Campaign& c) { return best_points_json(c, count); });
           })
      .def("check", &checked)
      .def("explain",
           [](OpenCampaign& open, std::int64_t id) {
             return refreshed(open, [&](Campaign& c) { return in_words(explain(c, id), c.study()); });
           })
      .def("explain_next", &next_explained)
      .def("annotations", &columns_of)
      .def("events", [](OpenCampaign& open) { return open.with([](Campaign& c) { return event_lines(c); }); })
      .def("predict", &predictions_of)
      .def("model",
           [](OpenCampaign& open) {
             return refreshed(open, [&](Campaign& c) { return model_of(c, open.threads()); });
           })
      .def("belief",
           [](OpenCampaign& open) {
             return mean_and_variance(
                 refreshed(open, [](Campaign& c) { return Marginals(c.belief().marginals()); }));
           })
      .def("report", &write_report);
}

}  // namespace acuity::python
