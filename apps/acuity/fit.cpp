#include <fmt/format.h>

#include <cmath>
#include <map>

#include "acuity/base/errors.hpp"
#include "acuity/study/study_learner.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "judgement/level_biases.hpp"
#include "loaded_study.hpp"
#include "notes.hpp"
#include "progress.hpp"
#include "shared_options.hpp"
#include "text/result_table.hpp"
#include "views/structures_json.hpp"

namespace acuity {

namespace {

struct FitArguments {
  CampaignAddress study;  ///< or a study file
  std::string annotations;
  CsvDialect dialect = CsvDialect::automatic;
  Format format = Format::table;
};

// One named value of the result in the three formats.
struct Field {
  std::string name;
  Json json;
  std::string csv;
  std::string people;
  std::string list = "";  // the list that contains it in JSON; empty: it has a key of its own
};

Field number_field(const std::string& name, double value) {
  return {name, json_number(value), exact(value), brief(value)};
}

// One number of a list.
Field listed(const std::string& list, const std::string& name, double value) {
  Field field = number_field(name, value);
  field.list = list;
  return field;
}

Field text_field(const std::string& name, const std::string& text) {
  return {name, text, csv_cell(text), one_line(text)};
}

Field count_field(const std::string& name, int count) {
  return {name, count, std::to_string(count), std::to_string(count)};
}

// Of every level with bias; in JSON they are one list.
std::vector<Field> bias_fields(const std::vector<EstimatedBias>& biases) {
  std::vector<Field> fields;
  for (const EstimatedBias& one : biases)
    for (const auto& [name, value] :
         {std::pair("offset", one.offset), std::pair("offset_sd", one.offset_sd),
          std::pair("smooth_sd", one.smooth_sd), std::pair("white_sd", one.white_sd)})
      fields.push_back(listed("level_bias", fmt::format("{}_{}", name, one.level), value));
  return fields;
}

std::string fields_text(const std::vector<Field>& fields, const std::map<std::string, Json>& lists,
                        Format format) {
  std::string names, values, lines;
  Json json = Json::object();
  for (const Field& field : fields) {
    names += (names.empty() ? "" : ",") + csv_cell(field.name);
    values += (values.empty() ? "" : ",") + field.csv;
    lines += fmt::format("{:<23} {}\n", one_line(field.name), field.people);
    if (field.list.empty())
      json[field.name] = field.json;
    else
      json[field.list] = lists.at(field.list);
  }
  if (format == Format::json) return json_text(json) + "\n";
  return format == Format::csv ? names + "\n" + values + "\n" : lines;
}

std::vector<Field> kernel_fields(const Study& study, const Learned& learned) {
  const StationaryKernelOptions& kernel =
      dynamic_cast<const StationaryKernel&>(*learned.prior.kernel).options();
  std::vector<Field> fields{number_field("amplitude", kernel.amplitude)};
  const bool per_input = study.file().lengthscale_per_input;
  if (!per_input && kernel.lengthscale.size() == 1)
    fields.push_back(number_field("lengthscale", kernel.lengthscale(0)));
  Index next = 0;
  for (const Input& input : study.pool().columns())
    if (per_input && !input.is_category())
      fields.push_back(listed("lengthscale", "lengthscale_" + input.name, kernel.lengthscale(next++)));
  for (const CategoryFactor& category : kernel.categories)
    fields.push_back(listed("similarity",
                            "similarity_" + study.pool().inputs()[static_cast<std::size_t>(category.input)],
                            category.similarity()));
  return fields;
}

// Where the study lets noise be learned, and the nugget unless it is 0.
std::vector<Field> noise_fields(const Study& study, const Learned& learned) {
  std::vector<Field> fields;
  if (study.file().fit.noise && !study.file().target->has_noise()) {
    const AccuracyLaw law = learned.accuracy.value_or(study.file().ladder->accuracy());
    fields.push_back(number_field("kappa", law.kappa));
    fields.push_back(number_field("gamma", law.gamma));
  } else if (study.file().fit.noise) {
    if (study.is_ladder())
      fields.push_back(number_field("gamma", learned.added_scale * study.file().ladder->law.gamma));
    fields.push_back(number_field("noise_scale", learned.base_scale));
    for (std::size_t k = 0; k < learned.level_scales.size(); ++k)
      fields.push_back(number_field("noise_scale_" + study.offer().levels[k].name, learned.level_scales[k]));
  }
  if (study.file().nugget != 0.0)
    fields.push_back(number_field("nugget", study.file().nugget.value_or(learned.nugget)));
  return fields;
}

std::vector<Field> structure_fields(const Learned& learned) {
  std::vector<Field> fields;
  const Vector weights = weights_of(learned.structures);
  for (std::size_t k = 0; k < learned.structures.size(); ++k)
    fields.push_back(listed("structures", fmt::format("weight_{}", name_of(learned.structures[k].structure)),
                            weights(static_cast<Index>(k))));
  return fields;
}

std::vector<Field> relation_fields(const Study& study, const Learned& learned) {
  std::vector<Field> fields;
  if (!study.file().has_bias() || study.is_ladder()) return fields;
  for (const Json& one : relations_json(study, learned)) {
    fields.push_back(
        text_field("relation_" + one["level"].get<std::string>(), one["relation"].get<std::string>()));
    fields.back().list = "relations";
  }
  return fields;
}

std::vector<Field> search_fields(const Learned& learned) {
  return {number_field("log_marginal_likelihood", learned.log_marginal_likelihood),
          count_field("iterations", learned.iterations),
          count_field("evaluations", learned.evaluations),
          {"converged", learned.converged, learned.converged ? "true" : "false",
           learned.converged ? "yes" : "no"},
          text_field("reason", learned.reason)};
}

// What is one list in JSON, by its key.
std::map<std::string, Json> lists_of(const Study& study, const Learned& learned,
                                     const std::vector<EstimatedBias>& biases) {
  const StationaryKernelOptions& kernel =
      dynamic_cast<const StationaryKernel&>(*learned.prior.kernel).options();
  Json similarities = Json::object();
  for (const CategoryFactor& category : kernel.categories)
    similarities[study.pool().inputs()[static_cast<std::size_t>(category.input)]] =
        json_number(category.similarity());
  return {{"lengthscale", json_numbers(kernel.lengthscale)},
          {"similarity", similarities},
          {"structures", structures_json(learned)},
          {"relations", relations_json(study, learned)},
          {"level_bias", level_bias_json(biases)}};
}

ExitCode fit(const FitArguments& arguments, std::ostream& out, std::ostream& log) {
  const LoadedStudy loaded(arguments.study, arguments.annotations,
                           {.storage = {}, .tables = tables_read_by(arguments.dialect, log), .learning = {}});
  const Study& study = loaded.study();
  const std::vector<Annotation>& annotations = loaded.annotations();
  if (annotations.empty())
    throw InputError(
        fmt::format("{}: there are no annotations to learn from, must be at least one",
                    arguments.annotations.empty() ? arguments.study.text() : arguments.annotations));
  StatusLine status(log);
  const Learned learned = StudyLearner(study).learn_from(annotations, [&](int evaluations, double best) {
    status.show(fmt::format("fit: {} evaluations, log evidence {:.3f}", evaluations, best));
  });
  if (!std::isfinite(learned.log_marginal_likelihood))
    throw NumericalError(fmt::format(
        "{}: no likelihood can be computed at the study's values, must have more noise beside the amplitude",
        arguments.study.text()));

  const StudyModel model = StudyLearner(study).model_given(annotations, learned);
  const std::vector<EstimatedBias> biases = level_biases(study, model);
  std::vector<Field> fields = kernel_fields(study, learned);
  const auto add = [&](const std::vector<Field>& more) {
    fields.insert(fields.end(), more.begin(), more.end());
  };
  add({number_field("mean", learned.prior.mean)});
  add(noise_fields(study, learned));
  if (study.file().fit.prior == HyperparameterPrior::weak) add({text_field("prior", "weak")});
  add(bias_fields(biases));
  add(structure_fields(learned));
  add(relation_fields(study, learned));
  add(search_fields(learned));
  for (const std::string& remark : study.remarks()) write_note(remark, log);
  if (const std::string warning = undeclared_noise_text(study, model); !warning.empty())
    write_note(warning, log);
  out << fields_text(fields, lists_of(study, learned, biases), arguments.format);
  return ExitCode::done;
}

}  // namespace

void add_fit(Program& program) {
  auto [command, arguments] =
      program.add<FitArguments>({.name = "fit",
                                 .help = "Learn the hyperparameters of the model from annotations",
                                 .example = "acuity fit wing.toml --annotations known.csv"},
                                fit);
  add_study(command, arguments.study);
  add_annotations(command, arguments.annotations);
  add_csv_dialect(command, arguments.dialect);
  add_format(command, arguments.format);
}

}  // namespace acuity
