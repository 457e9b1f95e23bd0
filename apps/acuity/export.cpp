#include <fmt/format.h>

#include <algorithm>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"
#include "acuity/model/additive_kernel.hpp"
#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/study/study_learner.hpp"
#include "base/text.hpp"
#include "campaign/campaign_folder.hpp"
#include "campaign/state_queries.hpp"
#include "campaign/verification.hpp"
#include "commands.hpp"
#include "loaded_study.hpp"
#include "model/chained_posterior.hpp"
#include "shared_options.hpp"
#include "text/json.hpp"
#include "views/annotation_rows.hpp"
#include "views/campaign_text.hpp"
#include "views/event_json.hpp"

namespace acuity {

namespace {

struct ExportArguments {
  CampaignAddress campaign;
  std::string annotations, events, model;  ///< files; "-": standard output; empty: not wanted
};

// The columns are the same whatever was answered, so that programs can rely on them. Points that must not be
// asked for travel along: without a value, with the reason in a further column.
std::string annotations_csv(const Campaign& campaign) {
  const Study& study = campaign.study();
  const Pool& pool = study.pool();
  std::vector<std::string> columns{"id", "point"};
  columns.insert(columns.end(), pool.inputs().begin(), pool.inputs().end());
  columns.insert(columns.end(), {study.is_ladder() ? "alpha" : "level", "y", "cost",
                                 std::string(study.file().target->channel_column()), "worker", "told_at",
                                 "seconds", "note"});
  const std::vector<Excluded>& excluded = campaign.state().excluded();
  std::vector<std::size_t> texts;  // other columns of the pool, but for those that have a meaning here
  for (std::size_t k = 0; k < pool.text_columns().size(); ++k) {
    const std::string& name = pool.text_columns()[k];
    if (name == "excluded" || std::find(columns.begin(), columns.end(), name) != columns.end()) continue;
    texts.push_back(k);
    columns.push_back(name);
  }
  if (!excluded.empty()) columns.emplace_back("excluded");
  ResultTable table(Format::csv, columns, ResultTable::Reader::spreadsheet);
  const auto add_texts = [&](std::optional<Index> row, std::vector<ResultTable::Cell>& cells) {
    for (const std::size_t k : texts)
      cells.push_back(row ? ResultTable::Cell(std::string(pool.text(*row, k)))
                          : ResultTable::Cell(std::monostate()));
  };
  for (const AnnotationRow& row : annotation_rows(campaign)) {
    std::vector<ResultTable::Cell> cells{row.id, row.point};
    for (std::size_t k = 0; k < row.inputs.size(); ++k)
      cells.push_back(input_cell(pool.columns()[k], row.inputs[k]));
    cells.push_back(level_cell(row.level, row.alpha));
    for (const double number : {row.y, row.cost, row.channel}) cells.emplace_back(number);
    cells.emplace_back(row.worker);
    cells.emplace_back(time_text(row.told_at, true));
    cells.push_back(row.seconds ? ResultTable::Cell(*row.seconds) : ResultTable::Cell(std::monostate()));
    cells.emplace_back(row.note);
    add_texts(row.point.empty() ? std::nullopt : pool.find(row.point), cells);
    if (!excluded.empty()) cells.emplace_back(std::monostate());
    table.add(cells);
  }
  for (const Excluded& one : excluded) {
    std::vector<ResultTable::Cell> cells{std::monostate(), pool.id(one.row)};
    for (std::size_t k = 0; k < pool.inputs().size(); ++k)
      cells.push_back(input_cell(pool.columns()[k], pool.point(one.row)[k]));
    cells.push_back(level_cell(one.level, one.alpha));
    constexpr int without_answer = 7;  // y to note
    for (int k = 0; k < without_answer; ++k) cells.emplace_back(std::monostate());
    add_texts(one.row, cells);
    cells.emplace_back(one.reason.empty() ? std::string("excluded") : one.reason);
    table.add(cells);
  }
  return table.text();
}

std::string events_json(const std::vector<StoredEvent>& events, const Pool* pool) {
  std::string text;
  State state;
  for (const StoredEvent& stored : events) {
    state.apply(stored);
    text += event_json(stored, state, pool);
  }
  return text;
}

std::string events_json(const Campaign& campaign) {
  return events_json(campaign.events(), &campaign.study().pool());
}

// The undamaged events of a damaged log. Points are left out if the study cannot be read either.
std::string intact_events_json(const CampaignAddress& address) {
  std::optional<Study> study;
  try {
    study = Study::open(read_frozen_study(address.folder()));
  } catch (const InputError&) {
  }
  return events_json(intact_events(address), study ? &study->pool() : nullptr);
}

SortedJson list(const Vector& values) {
  return std::vector<double>(values.begin(), values.end());
}

SortedJson list(const Points& points) {
  SortedJson rows = SortedJson::array();
  for (Index i = 0; i < points.rows(); ++i) rows.push_back(list(Vector(points.row(i).transpose())));
  return rows;
}

SortedJson regression_json(const GpPosterior& posterior) {
  const PlaceWeights found = posterior.weights();
  return {{"points", list(found.places.points())},
          {"values", list(found.places.values())},
          {"noise_variance", list(found.places.noise())},
          {"weights", list(found.weights)},
          {"log_marginal_likelihood", posterior.log_marginal_likelihood()}};
}

SortedJson classification_json(const EpPosterior& posterior, const Observations& observations) {
  SortedJson accuracies = SortedJson::array();
  for (const Channel& channel : observations.channels())
    accuracies.push_back(std::get<FlipChannel>(channel).accuracy());
  return {{"points", list(observations.points())},
          {"values", list(observations.values())},
          {"accuracy", accuracies},
          {"weights", list(posterior.weights())},
          {"site_precision", list(posterior.sites().precision)},
          {"site_shift", list(posterior.sites().shift)},
          {"log_marginal_likelihood", posterior.log_evidence()}};
}

// By input; null where an input stays as it is.
SortedJson maps_json(const std::vector<InputMap>& maps) {
  SortedJson list = SortedJson::array();
  for (const InputMap& map : maps)
    list.push_back(map.is_identity()
                       ? SortedJson()
                       : SortedJson{{"from", map.from}, {"to", map.to}, {"slope_beyond", map.slope_beyond}});
  return list;
}

// Levels related in any way (docs/math.md 12.7), from the coarsest to f. Points are scaled, and have the
// column of the link before as their last number.
SortedJson chain_json(const Prior& prior, const Observations& observations) {
  const ChainedPosterior posterior(prior, observations);
  SortedJson links = SortedJson::array();
  for (std::size_t k = 0; k <= posterior.last(); ++k) {
    const ChainLink& link = posterior.chain().links[k];
    const StationaryKernelOptions& kernel = stationary_part(*link.kernel)->options();
    SortedJson one = regression_json(GpPosterior(posterior.prior_of(k), posterior.answers_of(k)));
    one.update(
        {{"amplitude", kernel.amplitude}, {"lengthscale", list(kernel.lengthscale)}, {"mean", link.mean}});
    if (k < posterior.last())
      one["column"] = {
          {"centre", link.centre}, {"spread", link.spread}, {"low", link.low}, {"high", link.high}};
    links.push_back(std::move(one));
  }
  SortedJson json{{"chain", links}};
  if (!prior.scaling.is_identity()) {
    json["centre"] = list(prior.scaling.centre());
    json["scale"] = list(prior.scaling.scale());
  }
  return json;
}

// One set of hyperparameters and the posterior mean: mean + k(x, points) weights, x and points scaled first,
// after taking logarithms of inputs on a log scale.
SortedJson posterior_json(const Prior& prior, const Observations& observations, const StudyFile& file,
                          const std::vector<Input>& inputs) {
  if (prior.chain) return chain_json(prior, observations);
  const StationaryKernelOptions& kernel = stationary_part(*prior.kernel)->options();
  SortedJson json{{"amplitude", kernel.amplitude},
                  {"lengthscale", file.lengthscale_per_input || kernel.lengthscale.size() != 1
                                      ? list(kernel.lengthscale)
                                      : SortedJson(kernel.lengthscale(0))},
                  {"mean", prior.mean}};
  if (!kernel.categories.empty()) {
    json["similarity"] = SortedJson::object();
    for (const CategoryFactor& category : kernel.categories)
      json["similarity"][inputs[static_cast<std::size_t>(category.input)].name] = category.similarity();
  }
  if (const auto* sum = dynamic_cast<const AdditiveKernel*>(prior.kernel.get())) {
    json["additive_share"] = sum->share();
    json["additive_lengthscale"] = list(sum->single());
    if (sum->has_pairs()) json["pair_share"] = sum->pair_share();
  }
  if (!prior.scaling.maps().empty()) json["input_maps"] = maps_json(prior.scaling.maps());
  if (!prior.scaling.is_identity()) {
    json["centre"] = list(prior.scaling.centre());
    json["scale"] = list(prior.scaling.scale());
  }
  if (observations.size() == 0)
    json.update(
        {{"points", SortedJson::array()}, {"values", SortedJson::array()}, {"weights", SortedJson::array()}});
  else if (file.binary())
    json.update(classification_json(EpPosterior(prior, observations), observations));
  else
    json.update(regression_json(GpPosterior(prior, observations)));
  return json;
}

// Everything that another program needs to compute the mean of f as `predict` does.
std::string model_json(LoadedStudy& loaded, const std::string& name) {
  const Study& study = loaded.study();
  const StudyModel& model = loaded.model_for_predictions();
  const Observations observations(model.observations, study.pool().points());
  const auto& kernel = dynamic_cast<const StationaryKernel&>(*model.prior.kernel).options();
  static const char* families[] = {"rbf", "matern32", "matern52"};
  SortedJson json = posterior_json(model.prior, observations, study.file(), study.pool().columns());
  json.update({{"name", name},
               {"version", ACUITY_VERSION},
               {"target", study.file().target->kind()},
               {"inputs", study.pool().inputs()},
               {"kernel", families[static_cast<int>(kernel.family)]},
               {"learned", model.learned.has_value()},
               {"annotations", observations.size()}});
  // Points have the numbers that the model uses: categories by their place in `values`.
  for (const Input& input : study.pool().columns())
    if (input.is_named() || input.log)
      json["columns"][input.name] =
          input.is_named()
              ? SortedJson{{"type", input.is_category() ? "category" : "ordinal"}, {"values", input.values}}
              : SortedJson{{"type", "number"}, {"scale", "log"}};
  if (study.file().target->defaults().has_nugget) json["nugget"] = model.nugget;
  const AnswerScale& scale = study.file().target->scale();
  if (scale.is_mapped()) json["target_scale"] = scale.name();  // the model is on that scale
  if (scale.has_range()) json["target_range"] = {scale.range().first, scale.range().second};
  const AveragedModel averaged = StudyLearner(study).averaged(model, loaded.annotations());
  if (averaged.draws().size() < 2) return sorted_json_text(json, 1) + "\n";
  json["draws"] = SortedJson::array();
  for (const HyperparameterDraw& draw : averaged.draws()) {
    SortedJson one = posterior_json(draw.prior, draw.observations, study.file(), study.pool().columns());
    one["weight"] = draw.weight;
    if (const KernelFamily family = stationary_part(*draw.prior.kernel)->options().family;
        family != kernel.family)
      one["kernel"] = families[static_cast<int>(family)];
    if (draw.map)
      one["answer_map"] = {{"lambda", draw.map->lambda}, {"centre", draw.map->centre},
                           {"spread", draw.map->spread}, {"low", draw.map->low},
                           {"high", draw.map->high},     {"offset", draw.map->offset},
                           {"factor", draw.map->factor}};
    json["draws"].push_back(std::move(one));
  }
  return sorted_json_text(json, 1) + "\n";
}

ExitCode export_campaign(const ExportArguments& arguments, std::ostream& out, std::ostream& log) {
  if (arguments.annotations.empty() && arguments.events.empty() && arguments.model.empty())
    throw InputError("export needs at least one of --annotations, --events and --model");
  const auto write = [&](const std::string& file, const std::string& text) {
    if (file == "-") {
      out << text;
      return;
    }
    write_file(file, text);
    log << "wrote " << one_line(file) << '\n';
  };
  std::optional<Campaign> campaign;
  try {
    campaign = Campaign::open(arguments.campaign, Access::read);
  } catch (const DamagedError& error) {
    if (arguments.events.empty()) throw;
    write(arguments.events, intact_events_json(arguments.campaign));
    log << one_line(error.what()) << '\n';
    return ExitCode::damaged;
  }
  if (!arguments.annotations.empty()) write(arguments.annotations, annotations_csv(*campaign));
  if (!arguments.events.empty()) write(arguments.events, events_json(*campaign));
  if (!arguments.model.empty()) {
    const std::string name = campaign->state().created().name;
    LoadedStudy loaded(std::move(*campaign));
    write(arguments.model, model_json(loaded, name));
  }
  return ExitCode::done;
}

}  // namespace

void add_export(Program& program) {
  auto [command, arguments] = program.add<ExportArguments>(
      {.name = "export",
       .help = "Write the annotations, the log or the model of a campaign to files (- for standard output)",
       .example = "acuity export wing.acuity --annotations - --model model.json"},
      export_campaign);
  add_campaign(command, arguments.campaign);
  command.file("--annotations", "F", arguments.annotations,
               "CSV table of the answers, without retracted ones");
  command.file("--events", "F", arguments.events, "The log as JSON lines, one event per line");
  command.file("--model", "F", arguments.model,
               "JSON with hyperparameters, points and weights, enough to predict elsewhere");
}

}  // namespace acuity
