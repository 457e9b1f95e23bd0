#include "acuity/campaign/campaign.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "acuity/acquisition/classification_information.hpp"
#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"
#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/study/study_learner.hpp"
#include "bindings.hpp"
#include "campaign/answer_reader.hpp"
#include "campaign/campaign_folder.hpp"
#include "campaign/last_fit.hpp"
#include "explain/explanation.hpp"
#include "judgement/early_verdict.hpp"
#include "pages/campaign_page.hpp"
#include "study/answer_prediction.hpp"
#include "study/target_view.hpp"
#include "views/annotation_rows.hpp"
#include "views/campaign_status.hpp"
#include "views/event_json.hpp"
#include "views/explanation_json.hpp"
#include "views/study_check.hpp"

namespace acuity::python {

namespace {

// What acuity.Campaign shows. Every call is a turn, so that threads may share one.
class OpenCampaign {
 public:
  static std::unique_ptr<OpenCampaign> open(const std::string& address, bool write, int threads) {
    return std::make_unique<OpenCampaign>(
        Campaign::open(address, write ? Access::write : Access::read, {.threads = threads}), threads);
  }
  static std::unique_ptr<OpenCampaign> in_memory(const Study& study, int threads) {
    return std::make_unique<OpenCampaign>(
        Campaign(study.variant({}), make_memory_event_store(), {.threads = threads}), threads);
  }
  OpenCampaign(Campaign campaign, int threads)
      : is_stored_(!campaign.address().is_nowhere()),
        threads_(threads),
        names_(std::make_shared<const std::vector<Input>>(campaign.study().pool().columns())),
        campaign_(std::move(campaign)) {}
  ~OpenCampaign() { let_go(); }

  // Calls work(campaign) in a turn and without the interpreter's lock.
  template <typename Work>
  auto with(const Work& work) {
    const Released unlocked;
    if (is_forked())
      throw std::invalid_argument("the campaign was opened before a fork, must be opened again after it");
    const Turn::Holder turn(turn_);
    if (!campaign_) throw std::invalid_argument("the campaign is closed, must be open");
    return work(*campaign_);
  }
  int threads() const { return threads_; }
  const InputNames& names() const { return names_; }
  void close() {
    const Released unlocked;
    if (is_forked()) return let_go();
    const Turn::Holder turn(turn_);
    campaign_.reset();
  }

 private:
  // SQLite must not meet a connection that another process has opened, not even to close it.
  bool is_forked() const { return is_stored_ && ::getpid() != process_; }
  void let_go() {
    if (is_forked() && campaign_) static_cast<void>(new Campaign(std::move(*campaign_)));
    campaign_.reset();
  }

  bool is_stored_;
  int threads_;
  InputNames names_;
  ::pid_t process_ = ::getpid();
  Turn turn_;
  std::optional<Campaign> campaign_;
};

// Points where the model must be good, with a weight each or none; no points: no goal.
std::shared_ptr<const Goal> goal_of(Points points, Vector weights) {
  if (points.rows() == 0) return nullptr;
  return std::make_shared<const Goal>(Goal{std::move(points), std::move(weights), Vector()});
}

// Settings as TOML and a pool: an id for every point or none, sigma^2 for every point or none, and the names
// that the numbers of a category stand for, none for other inputs.
Study made_study(std::string text, Points points, std::vector<std::string> inputs,
                 std::vector<std::string> ids, Vector noise_variance, Points goal, Vector goal_weights,
                 const std::vector<std::vector<std::string>>& values) {
  StudyFile settings = read_study_text(std::move(text));
  Pool pool(std::move(points), std::move(inputs), std::move(ids));
  if (!settings.input_settings.empty()) {
    std::vector<Input> described = settings.input_settings;
    for (std::size_t k = 0; k < described.size() && k < values.size(); ++k)
      if (described[k].values.empty()) described[k].values = values[k];
    pool = pool.described(std::move(described));
  }
  return Study::make(std::move(settings), std::move(pool), std::move(noise_variance),
                     goal_of(std::move(goal), std::move(goal_weights)));
}

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

// ("open" | "nothing_now" | "finished", reason, suggestions, note)
py::tuple tuple_of(const AskResult& result, const InputNames& names) {
  const char* status = result.status == AskStatus::open          ? "open"
                       : result.status == AskStatus::nothing_now ? "nothing_now"
                                                                 : "finished";
  return py::make_tuple(status, result.reason, with_names(result.suggestions, names), result.note);
}

std::optional<Channel> reported(const Study& study, const std::optional<double>& channel) {
  if (!channel) return std::nullopt;
  return study.file().target->stated_channel(*channel);
}

// A number, or the name of a class.
using Said = std::variant<double, std::string>;

std::vector<double> numbers(const Study& study, const std::vector<Said>& said, std::int64_t id) {
  std::vector<double> values;
  for (const Said& one : said)
    values.push_back(
        std::holds_alternative<double>(one)
            ? std::get<double>(one)
            : read_answer(study, std::get<std::string>(one),
                          id == 0 ? "the unasked answer" : "the answer to " + std::to_string(id)));
  return values;
}

// `recorded`: the values of the answer so far, if it has any.
Answer answer_of(const Study& study, std::int64_t id, const std::vector<Said>& said, const py::dict& more,
                 const std::vector<double>& recorded = {}) {
  const auto given = [&](const char* key) { return more.contains(key) && !more[key].is_none(); };
  Answer answer;
  answer.id = id;
  answer.values = numbers(study, said, id);
  if (given("cost")) answer.cost = more["cost"].cast<double>();
  if (given("channel")) answer.channel = reported(study, more["channel"].cast<double>());
  if (given("noise_sd"))
    answer.channel = study.file().target->reported_channel(more["noise_sd"].cast<double>(),
                                                           said.empty() ? recorded : answer.values);
  if (given("point")) {
    const auto point = more["point"].cast<std::string>();
    answer.row = study.pool().find(point);
    if (!answer.row) throw std::invalid_argument("point is \"" + point + "\", must be one of the pool's");
  }
  if (given("x")) answer.inputs = more["x"].cast<std::vector<double>>();
  if (given("level")) answer.level = study.level_named(more["level"].cast<std::string>());
  if (given("alpha")) answer.level = study.level_of(more["alpha"].cast<double>());
  return answer;
}

// `note`: a sentence if the answer is far from what was predicted; otherwise empty.
py::dict dictionary(const TellResult& result, const std::string& note) {
  return py::dict(py::arg("id") = result.id, py::arg("changes") = result.changes,
                  py::arg("charge") = result.charge, py::arg("surprise") = result.surprise,
                  py::arg("note") = note);
}

std::string note_on(const Study& study, const TellResult& result) {
  const Target& target = *study.file().target;
  if (!result.changes || !result.surprise || !target.is_surprising(*result.surprise)) return "";
  return TargetView::of(target)->surprise_text(result.id, *result.surprise) +
         "; a mistake can be corrected by amend";
}

// One column of the annotations each, as `export --annotations` has them.
py::dict annotation_columns(const Campaign& campaign) {
  const std::vector<AnnotationRow> rows = annotation_rows(campaign);
  const Index count = static_cast<Index>(rows.size());
  py::list id, point, level;
  Vector alpha = Vector::Constant(count, std::nan("")), y(count), cost(count), channel(count);
  Points inputs(count, static_cast<Index>(campaign.study().pool().inputs().size()));
  for (Index i = 0; i < count; ++i) {
    const AnnotationRow& row = rows[static_cast<std::size_t>(i)];
    id.append(row.id);
    point.append(row.point);
    level.append(row.level);
    inputs.row(i) = Eigen::Map<const Eigen::RowVectorXd>(row.inputs.data(), inputs.cols());
    if (row.alpha) alpha(i) = *row.alpha;
    y(i) = row.y, cost(i) = row.cost, channel(i) = row.channel;
  }
  return py::dict(py::arg("id") = id, py::arg("point") = point, py::arg("inputs") = inputs,
                  py::arg("level") = level, py::arg("alpha") = alpha, py::arg("y") = y,
                  py::arg("cost") = cost, py::arg("channel") = channel);
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
      py::arg("logarithmic") = file.target->is_logarithmic(), py::arg("classes") = file.target->class_names(),
      py::arg("ladder") = campaign.study().is_ladder(), py::arg("inputs") = campaign.study().pool().inputs(),
      py::arg("columns") = described_inputs(campaign.study().pool().columns()),
      py::arg("id_column") = file.pool_id, py::arg("levels") = level_names(campaign.study()),
      py::arg("pool") = Points(campaign.study().pool().points()));
}

// The model as it is now, for predictions that no longer need the campaign.
struct CampaignModel {
  AveragedModel model;
  std::string status;  // that of the campaign, for the hyperparameters
  Points points;
  Vector values, channel;
  double noise = 0.0;  // of an answer without that of a level and the nugget; NaN: it depends on the point
  std::shared_ptr<const Target> target;
};

// Quantiles on the scale of answers; mean and variance stay on that of the model.
void to_answers(AveragedMarginals& f, const Target& target) {
  for (Vector* quantile : {&f.low, &f.median, &f.high})
    *quantile = quantile->unaryExpr([&](double value) { return target.to_answer(value); });
}

CampaignModel model_of(Campaign& campaign, int threads) {
  const Study& study = campaign.study();
  const StudyModel model = model_for_predictions(campaign, threads);
  const std::vector<Annotation> annotations = campaign.annotations();
  CampaignModel found{.model = StudyLearner(study).averaged(model, annotations, threads),
                      .status = status_json(campaign)};
  const auto count = static_cast<Index>(annotations.size());
  found.points.resize(count, static_cast<Index>(study.pool().inputs().size()));
  found.values.resize(count);
  found.channel.resize(count);
  for (Index i = 0; i < count; ++i) {
    const Annotation& one = annotations[static_cast<std::size_t>(i)];
    const std::optional<Index> row = one.place.pool_row();
    found.points.row(i) =
        row ? Eigen::RowVectorXd(study.pool().points().row(*row)) : one.place.coordinates().transpose();
    found.values(i) = one.value;
    const Channel channel = StudyLearner(study).channel_of(one, model);
    const auto* flip = std::get_if<FlipChannel>(&channel);
    found.channel(i) = flip != nullptr ? flip->accuracy : noise_variance(channel);
  }
  const auto* constant = std::get_if<double>(&study.file().noise);
  const double scale = model.learned ? model.learned->base_scale : 1.0;
  found.noise = constant != nullptr ? scale * *constant : std::nan("");
  found.target = study.file().target;
  return found;
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
  if (!study.file().target->is_real()) result.answers.noise = Vector::Zero(x.rows());
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

void bind_verbs(py::class_<OpenCampaign>& campaign) {
  campaign
      .def("ask",
           [](OpenCampaign& open, std::int64_t count, const std::string& worker, std::optional<double> lease,
              std::optional<double> budget, const std::string& level, std::optional<std::int64_t> capacity,
              const std::vector<Index>& avoid) {
             std::string early;
             const AskResult result = open.with([&](Campaign& c) {
               AskResult found = c.ask({.count = count,
                                        .worker = worker,
                                        .lease = lease,
                                        .budget = budget,
                                        .level = level,
                                        .capacity = capacity,
                                        .budget_to = std::nullopt,
                                        .avoid = avoid});
               try {
                 early = early_verdict_at_ask(c, found.suggestions);
               } catch (const NumericalError&) {  // suggestions that were recorded must reach the caller
               }
               return found;
             });
             return py::make_tuple(tuple_of(result, open.names()), early);
           })
      .def("tell",
           [](OpenCampaign& open,
              const std::vector<std::tuple<std::int64_t, std::vector<Said>, py::dict>>& told, bool dry_run) {
             std::vector<std::string> notes;
             const std::vector<TellResult> results = open.with([&](Campaign& c) {
               std::vector<Answer> answers;
               {
                 const py::gil_scoped_acquire lock;
                 for (const auto& [id, said, more] : told)
                   answers.push_back(answer_of(c.study(), id, said, more));
               }
               std::vector<TellResult> found = dry_run ? c.would_tell(answers) : c.tell(answers);
               for (const TellResult& result : found) notes.push_back(note_on(c.study(), result));
               return found;
             });
             py::list list;
             for (std::size_t i = 0; i < results.size(); ++i) list.append(dictionary(results[i], notes[i]));
             return list;
           })
      .def("add",
           [](OpenCampaign& open, const std::vector<std::pair<std::vector<Said>, py::dict>>& added,
              bool dry_run) {
             const std::vector<TellResult> results = open.with([&](Campaign& c) {
               std::vector<Answer> answers;
               {
                 const py::gil_scoped_acquire lock;
                 for (const auto& [said, more] : added) {
                   answers.push_back(answer_of(c.study(), 0, said, more));
                   if (added.size() > 1) answers.back().where = fmt::format("row {}", answers.size() - 1);
                 }
               }
               return c.add(answers, dry_run);
             });
             py::list list;
             for (const TellResult& result : results) list.append(dictionary(result, ""));
             return list;
           })
      .def("fail",
           [](OpenCampaign& open, std::int64_t id, const std::string& reason, double cost, bool exclude) {
             return open.with([&](Campaign& c) { return c.fail({id, reason, cost, exclude}); });
           })
      .def("release",
           [](OpenCampaign& open, const std::vector<std::int64_t>& ids, const std::string& reason) {
             return open.with([&](Campaign& c) { return c.release(ids, reason); });
           })
      .def("amend",
           [](OpenCampaign& open, std::int64_t id, const std::vector<Said>& said, const py::dict& more,
              std::optional<double> refund, const std::string& reason) {
             return open.with([&](Campaign& c) {
               Amendment amendment;
               {
                 const py::gil_scoped_acquire lock;
                 const SuggestionRecord* record = c.state().find(id);
                 const Answer right = answer_of(c.study(), id, said, more,
                                                record != nullptr ? record->values : std::vector<double>());
                 amendment.values = right.values;
                 amendment.cost = right.cost;
                 amendment.channel = right.channel;
                 amendment.row = right.row;
                 amendment.inputs = right.inputs;
                 amendment.level = right.level;
               }
               amendment.id = id;
               amendment.refund = refund;
               amendment.reason = reason;
               return c.amend(amendment);
             });
           })
      .def("retract",
           [](OpenCampaign& open, std::int64_t id, const std::string& reason) {
             open.with([&](Campaign& c) { c.retract(id, reason); });
           })
      .def("change_budget",
           [](OpenCampaign& open, double by) { open.with([&](Campaign& c) { c.change_budget(by); }); })
      .def("take_ownership", [](OpenCampaign& open) { open.with([](Campaign& c) { c.take_ownership(); }); })
      .def("give_up_ownership",
           [](OpenCampaign& open) { open.with([](Campaign& c) { c.give_up_ownership(); }); });
}

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
      .def("pending",
           [](OpenCampaign& open) {
             // (suggestion, worker): who asked is not part of a suggestion.
             std::vector<std::string> workers;
             const std::vector<Suggestion> pending = open.with([&](Campaign& c) {
               c.refresh();
               for (const std::int64_t id : c.state().pending())
                 workers.push_back(c.state().find(id)->asked.worker);
               return c.pending();
             });
             py::list list;
             for (std::size_t i = 0; i < pending.size(); ++i)
               list.append(py::make_tuple(NamedSuggestion{pending[i], open.names()}, workers[i]));
             return list;
           })
      .def("status_json",
           [](OpenCampaign& open) {
             return open.with([](Campaign& c) {
               c.refresh();
               return status_json(c);
             });
           })
      .def("status_text",
           [](OpenCampaign& open) {
             return open.with([](Campaign& c) {
               c.refresh();
               return status_text(c);
             });
           })
      .def("check",
           [](OpenCampaign& open) {
             return open.with([&](Campaign& c) {
               c.refresh();
               const StudyCheck found =
                   check_study(c.study(), c.model(), c.annotations(), &c, open.threads());
               return std::pair(json_text(check_json(found)), check_text(found, c.study().file().unit));
             });
           })
      .def("explain",
           [](OpenCampaign& open, std::int64_t id) {
             return open.with([&](Campaign& c) {
               c.refresh();
               const Explanation explanation = explain(c, id);
               return std::pair(explanation_json(explanation, c.study().pool().columns()),
                                to_text(explanation, c.study()));
             });
           })
      .def("explain_next",
           [](OpenCampaign& open) {
             std::pair<std::string, std::string> words;
             AskResult result = open.with([&](Campaign& c) {
               c.refresh();
               NextExplanation next = explain_next(c);
               if (next.explanation)
                 words = {explanation_json(*next.explanation, c.study().pool().columns()),
                          to_text(*next.explanation, c.study())};
               next.result.suggestions.clear();
               return next.result;
             });
             return py::make_tuple(words, tuple_of(result, open.names()));
           })
      .def("annotations",
           [](OpenCampaign& open) {
             py::dict columns;
             open.with([&](Campaign& c) {
               c.refresh();
               const py::gil_scoped_acquire lock;
               columns = annotation_columns(c);
             });
             return columns;
           })
      .def("events", [](OpenCampaign& open) { return open.with([](Campaign& c) { return event_lines(c); }); })
      .def("predict",
           [](OpenCampaign& open, const PointsRef& x) {
             Predicted found = open.with([&](Campaign& c) {
               c.refresh();
               return predicted(c, x);
             });
             AnswerPredictions& answers = found.answers;
             return py::make_tuple(std::move(answers.mean), std::move(answers.variance),
                                   std::move(answers.low), std::move(answers.high),
                                   std::move(answers.probability), std::move(answers.noise),
                                   std::move(answers.median), std::move(found.convergence_problem));
           })
      .def("model",
           [](OpenCampaign& open) {
             return open.with([&](Campaign& c) {
               c.refresh();
               return model_of(c, open.threads());
             });
           })
      .def("belief",
           [](OpenCampaign& open) {
             return mean_and_variance(open.with([](Campaign& c) {
               c.refresh();
               return Marginals(c.belief().marginals());
             }));
           })
      .def("report", [](OpenCampaign& open, const std::string& out, const std::string& test) {
        open.with([&](Campaign& c) {
          c.refresh();
          std::optional<HeldOut> held_out;
          if (!test.empty()) held_out = read_held_out(test, c.study());
          const CampaignData data = campaign_data(c, held_out);
          write_file(out, campaign_page(data, campaign_figures(data),
                                        {ACUITY_VERSION, "campaign.report(\"" + out + "\")"}));
        });
      });
}

}  // namespace

void bind_campaign(py::module_& module) {
  py::class_<Study>(module, "Study")
      .def_static(
          "open", [](const std::string& file) { return Study::open(file); }, Unlocked())
      .def_static(
          "from_text",
          [](std::string text, Points goal, Vector goal_weights) {
            return Study::open(read_study_text(std::move(text)),
                               goal_of(std::move(goal), std::move(goal_weights)));
          },
          Unlocked())
      .def_static("make", &made_study, Unlocked());
  module.def(
      "create_campaign",
      [](const std::string& address, const Study& study) { Campaign::create(address, study); }, Unlocked());
  module.def(
      "require_same_study",
      [](const std::string& address, const Study& study) {
        require_same(Campaign::open(address, Access::read), study);
      },
      Unlocked());
  module.def(
      "require_same_file",
      [](const std::string& address, const std::string& study) {
        require_same(Campaign::open(address, Access::read), std::filesystem::path(study));
      },
      Unlocked());
  py::class_<CampaignModel>(module, "CampaignModel")
      .def_readonly("status", &CampaignModel::status)
      .def_readonly("points", &CampaignModel::points)
      .def_readonly("values", &CampaignModel::values)
      .def_readonly("channel", &CampaignModel::channel)
      .def_readonly("noise", &CampaignModel::noise)
      .def("predict", [](const CampaignModel& model, const PointsRef& x, int threads) {
        AveragedModel::Predicted found;
        {
          const Released unlocked;
          found = model.model.predict(x, threads);
          to_answers(found.marginals, *model.target);
        }
        return py::make_tuple(std::move(found.marginals.mean), std::move(found.marginals.variance),
                              std::move(found.marginals.low), std::move(found.marginals.high),
                              std::move(found.marginals.probability), std::move(found.marginals.nugget),
                              std::move(found.marginals.median), std::move(found.convergence_problem));
      });
  module.def(
      "is_campaign", [](const std::string& address) { return Campaign::recognises(address); }, Unlocked());
  module.def("is_in_database", [](const std::string& text) { return DatabaseAddress::recognises(text); });
  module.def("name_in_database", [](const std::string& address) { return CampaignAddress(address).name(); });
  py::class_<OpenCampaign> campaign(module, "Campaign");
  campaign.def_static("open", &OpenCampaign::open, Unlocked())
      .def_static("in_memory", &OpenCampaign::in_memory, Unlocked())
      .def("close", &OpenCampaign::close);
  bind_verbs(campaign);
  bind_views(campaign);
}

}  // namespace acuity::python
