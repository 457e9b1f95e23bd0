#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <nlohmann/json.hpp>

#include "acuity/data/table.hpp"
#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/numerics/errors.hpp"
#include "campaign/books.hpp"
#include "campaign_text.hpp"
#include "commands.hpp"

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
  const std::vector<Annotation> annotations = campaign.annotations();
  std::size_t next = 0;
  for (const std::int64_t id : campaign.state().answered()) {
    const SuggestionRecord& record = *campaign.state().find(id);
    for (std::size_t k = 0; k < record.values.size(); ++k) {
      const Annotation& annotation = annotations[next++];
      const auto row = annotation.place.pool_row();
      std::vector<ResultTable::Cell> cells{id, row ? study.pool().id(*row) : std::string()};
      for (std::size_t input = 0; input < study.pool().inputs().size(); ++input)
        cells.emplace_back(row ? study.pool().point(*row)[input]
                               : annotation.place.coordinates()(static_cast<Index>(input)));
      const bool reported = record.told->channel.has_value();
      cells.push_back(reported ? ResultTable::Cell(std::monostate())
                               : level_cell(record.level(), record.alpha()));
      cells.emplace_back(annotation.value);
      cells.emplace_back(annotation.cost);
      cells.emplace_back(binary ? std::get<FlipChannel>(annotation.channel).accuracy
                                : noise_variance(annotation.channel));
      table.add(cells);
    }
  }
  return table.text();
}

// One line of the log for programs. What `export --events` names is flat; everything else is as it is stored.
class EventLine {
 public:
  EventLine(const StoredEvent& stored) {
    put("seq", std::to_string(stored.sequence));
    put("time", json_string(time_text(stored.time, true)));
    put("event", json_string(event_name(stored.event)));
  }
  void put(const std::string& key, const std::string& json) {
    text_ += (text_.empty() ? "{" : ", ") + json_string(key) + ": " + json;
  }
  void put_cell(const std::string& key, const ResultTable::Cell& cell) {
    if (!std::holds_alternative<std::monostate>(cell)) put(key, json_of(cell));
  }
  void put_level(const std::string& level, std::optional<double> alpha) {
    put_cell(alpha ? "alpha" : "level", level_cell(level, alpha));
  }
  void put_values(const std::vector<double>& values) {
    std::string list;
    for (const double value : values) list += (list.empty() ? "" : ", ") + exact_json(value);
    put("y", values.size() == 1 ? list : "[" + list + "]");
  }
  std::string text() const { return text_ + "}\n"; }

 private:
  std::string text_;
};

struct EventWriter {
  EventLine& line;
  const Study& study;
  const State& state;  // after the event

  void about(std::int64_t id) const {
    const SuggestionRecord& record = *state.find(id);
    line.put("id", std::to_string(id));
    line.put("point", record.row() < 0 ? "null" : json_string(study.pool().id(record.row())));
    line.put_level(record.level(), record.alpha());
  }
  void operator()(const Created& e) const {
    line.put("name", json_string(e.name));
    line.put("unit", json_string(e.unit));
    line.put("budget", exact_json(e.budget));
    line.put("version", json_string(e.version));
    line.put("study_checksum", json_string(e.study_checksum));
    line.put("pool_checksum", json_string(e.pool_checksum));
  }
  void operator()(const Asked& e) const {
    line.put("id", std::to_string(e.id));
    line.put("point", json_string(e.point));
    line.put_level(e.level, e.alpha);
    line.put("cost", exact_json(e.cost));
    line.put("information", exact_json(e.information));
    line.put("mean", exact_json(e.mean));
    line.put("variance", exact_json(e.variance));
    if (!e.worker.empty()) line.put("worker", json_string(e.worker));
    if (e.lease_until) line.put("lease_until", json_string(time_text(*e.lease_until)));
  }
  void operator()(const Told& e) const {
    about(e.id);
    line.put_values(e.values);
    line.put("cost", exact_json(e.cost));
    if (e.inputs) {
      std::string list;
      for (const double x : *e.inputs) list += (list.empty() ? "" : ", ") + exact_json(x);
      line.put("inputs", "[" + list + "]");
    }
    if (!e.channel) return;
    if (const auto* flip = std::get_if<FlipChannel>(&*e.channel))
      line.put("accuracy", exact_json(flip->accuracy));
    else
      line.put("noise_variance", exact_json(noise_variance(*e.channel)));
  }
  void operator()(const Failed& e) const {
    about(e.id);
    line.put("cost", exact_json(e.charge));
    line.put("reason", json_string(e.reason));
  }
  void operator()(const Released& e) const {
    about(e.id);
    line.put("reason", json_string(e.reason));
  }
  void operator()(const Excluded& e) const {
    line.put("point", json_string(study.pool().id(e.row)));
    line.put_level(e.level, e.alpha);
    line.put("reason", json_string(e.reason));
  }
  void operator()(const Amended& e) const {
    about(e.id);
    line.put_values(e.values);
    line.put("reason", json_string(e.reason));
  }
  void operator()(const Retracted& e) const {
    about(e.id);
    line.put("reason", json_string(e.reason));
  }
  void operator()(const BudgetChanged& e) const {
    line.put("by", exact_json(e.by));
    line.put("budget", exact_json(state.budget()));
  }
  void operator()(const Fitted& e) const { rest_of(to_json(e)); }
  void operator()(const OwnerChanged& e) const { rest_of(to_json(e)); }
  void rest_of(const std::string& json) const {
    const nlohmann::json body = nlohmann::json::parse(json);
    for (const auto& [key, value] : body.items()) line.put(key, value.dump());
  }
};

std::string events_json(const Campaign& campaign) {
  std::string text;
  State state;
  for (const StoredEvent& stored : campaign.events()) {
    state.apply(stored);
    EventLine line(stored);
    std::visit(EventWriter{line, campaign.study(), state}, stored.event);
    text += line.text();
  }
  return text;
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
      {"name", study.file().name},
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
  const Campaign campaign = Campaign::open(arguments.campaign, Access::read);
  const auto write = [&](const std::string& file, const auto& make) {
    if (file.empty()) return;
    if (file == "-") {
      out << make(campaign);
      return;
    }
    write_file(file, make(campaign));
    log << "wrote " << file << '\n';
  };
  write(arguments.annotations, annotations_csv);
  write(arguments.events, events_json);
  write(arguments.model, model_json);
  return ExitCode::done;
}

}  // namespace acuity
