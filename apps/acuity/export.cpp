#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <nlohmann/json.hpp>

#include "acuity/data/table.hpp"
#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/numerics/errors.hpp"
#include "campaign/books.hpp"
#include "campaign/verification.hpp"
#include "commands.hpp"
#include "numerics/text.hpp"
#include "views/annotation_rows.hpp"
#include "views/campaign_text.hpp"
#include "views/event_json.hpp"

namespace acuity {

namespace {

std::string annotations_csv(const Campaign& campaign) {
  const Study& study = campaign.study();
  const bool binary = study.file().binary;
  std::vector<std::string> columns{"id", "point"};
  columns.insert(columns.end(), study.pool().inputs().begin(), study.pool().inputs().end());
  columns.insert(columns.end(), {study.is_ladder() ? "alpha" : "level", "y", "cost",
                                 binary ? "accuracy" : "noise_variance"});
  ResultTable table(Format::csv, columns);
  for (const AnnotationRow& row : annotation_rows(campaign)) {
    std::vector<ResultTable::Cell> cells{row.id, row.point};
    for (const double input : row.inputs) cells.emplace_back(input);
    cells.push_back(level_cell(row.level, row.alpha));
    for (const double number : {row.y, row.cost, row.channel}) cells.emplace_back(number);
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

// Of a log that is damaged, with whatever else the folder still has.
std::string intact_events_json(const std::filesystem::path& folder) {
  std::optional<Study> study;
  try {
    study = Study::open(folder / "study.toml");
  } catch (const InputError&) {
  }
  return events_json(intact_events(folder), study ? &study->pool() : nullptr);
}

nlohmann::json list(const Vector& values) {
  return std::vector<double>(values.begin(), values.end());
}

// Everything it takes to compute the mean of f elsewhere: mean + k(x, points) weights, x scaled first.
std::string model_json(const Campaign& campaign) {
  const Study& study = campaign.study();
  const StudyModel model = campaign.model();
  const auto& kernel = dynamic_cast<const StationaryKernel&>(*model.prior.kernel).options();
  const Observations observations(model.observations, study.pool().points());
  static const char* families[] = {"rbf", "matern32", "matern52"};
  nlohmann::json json{
      {"name", campaign.state().created().name},
      {"version", ACUITY_VERSION},
      {"target", study.file().binary ? "binary" : "real"},
      {"inputs", study.pool().inputs()},
      {"kernel", families[static_cast<int>(kernel.family)]},
      {"amplitude", kernel.amplitude},
      {"lengthscale",
       study.file().lengthscale_per_input ? list(kernel.lengthscale) : nlohmann::json(kernel.lengthscale(0))},
      {"mean", model.prior.mean},
      {"learned", model.learned.has_value()},
      {"annotations", observations.size()},
      {"values", list(observations.values())}};
  if (!model.prior.scaling.is_identity()) {
    json["centre"] = list(model.prior.scaling.centre());
    json["scale"] = list(model.prior.scaling.scale());
  }
  json["points"] = nlohmann::json::array();
  const Points points = observations.points();
  for (Index i = 0; i < points.rows(); ++i) json["points"].push_back(list(points.row(i)));
  if (observations.size() == 0) {
    json["weights"] = nlohmann::json::array();
    return json.dump(1) + "\n";
  }
  if (study.file().binary) {
    const EpPosterior posterior(model.prior, observations);
    json["accuracy"] = nlohmann::json::array();
    for (const Channel& channel : observations.channels())
      json["accuracy"].push_back(std::get<FlipChannel>(channel).accuracy);
    json["weights"] = list(posterior.sites().shift -
                           posterior.sites().precision.cwiseProduct(posterior.at_observations().mean));
    json["site_precision"] = list(posterior.sites().precision);
    json["site_shift"] = list(posterior.sites().shift);
    json["log_marginal_likelihood"] = posterior.log_evidence();
  } else {
    const Points scaled = model.prior.scaling.apply(points);
    Matrix covariance = model.prior.kernel->cross(scaled, scaled);
    covariance.diagonal() += observations.noise();
    json["noise_variance"] = list(observations.noise());
    json["weights"] =
        list(covariance.ldlt().solve((observations.values().array() - model.prior.mean).matrix()));
    json["log_marginal_likelihood"] = GpPosterior(model.prior, observations).log_marginal_likelihood();
  }
  return json.dump(1) + "\n";
}

}  // namespace

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
  if (!arguments.model.empty()) write(arguments.model, model_json(*campaign));
  return ExitCode::done;
}

}  // namespace acuity
