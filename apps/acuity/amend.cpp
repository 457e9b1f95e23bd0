#include <fmt/format.h>

#include <cmath>

#include "acuity/base/errors.hpp"
#include "campaign/answer_noise.hpp"
#include "campaign/answer_reader.hpp"
#include "campaign/state_queries.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "shared_options.hpp"
#include "text/level_text.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

struct AmendArguments {
  CampaignAddress campaign;
  std::optional<std::int64_t> id;
  std::vector<std::string> values, inputs;
  std::optional<double> cost, refund, accuracy, alpha;
  std::string noise_sd, level, point;
  bool retract = false;
  std::string reason;
  Format format = Format::table;

  bool corrects() const {
    return !values.empty() || !inputs.empty() || cost || refund || accuracy || alpha || !noise_sd.empty() ||
           !level.empty() || !point.empty();
  }
};

// The noise or accuracy of the answer itself; "declared" takes back a reported one.
void take_channel(const AmendArguments& arguments, const Study& study, const std::vector<double>& values,
                  Amendment& amendment) {
  const Target& target = *study.file().target;
  amendment.declared_channel = arguments.noise_sd == "declared" && target.fits(GaussianChannel{});
  if (amendment.declared_channel) return;
  AnswerNoise reported{.noise_sd = {},
                       .accuracy = arguments.accuracy,
                       .noise_sd_name = "--noise-sd",
                       .accuracy_name = "--accuracy",
                       .whose = fmt::format(" of {}", amendment.id),
                       .noise_sd_text = fmt::format("\"{}\"", printable(arguments.noise_sd, 60)),
                       .noise_sd_requirement = "a finite number above 0, or declared"};
  if (!arguments.noise_sd.empty()) reported.noise_sd = number_in<double>(arguments.noise_sd).value_or(0.0);
  try {
    amendment.channel = channel_of(reported, target, values);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", arguments.campaign.text(), error.what()));
  }
}

// `recorded`: the values of the answer so far.
Amendment amendment_of(const AmendArguments& arguments, const Study& study,
                       const std::vector<double>& recorded) {
  Amendment amendment;
  amendment.id = *arguments.id;
  const std::string place = fmt::format("{}: the answer to {}", arguments.campaign.text(), amendment.id);
  WrittenValues written = read_values(study, arguments.values, place);
  amendment.values = std::move(written.values);
  amendment.trials = std::move(written.trials);
  amendment.cost = arguments.cost;
  amendment.refund = arguments.refund;
  amendment.reason = arguments.reason;
  take_channel(arguments, study, amendment.values.empty() ? recorded : amendment.values, amendment);
  try {
    if (!arguments.level.empty()) amendment.level = study.level_named(arguments.level);
    if (arguments.alpha) amendment.level = study.level_of(*arguments.alpha);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", place, error.what()));
  }
  if (!arguments.point.empty()) {
    amendment.row = study.pool().find(arguments.point);
    if (!amendment.row)
      throw InputError(fmt::format("{}: --point is \"{}\", must be the id of a pool point",
                                   arguments.campaign.text(), printable(arguments.point, 60)));
  }
  if (!arguments.inputs.empty()) amendment.inputs.emplace();
  const std::vector<Input>& inputs = study.pool().columns();
  for (std::size_t k = 0; k < arguments.inputs.size(); ++k) {
    const Input& input = inputs[std::min(k, inputs.size() - 1)];  // too many are refused by their number
    const std::optional<double> value = input.value(arguments.inputs[k]);
    if (!value)
      throw InputError(fmt::format("{}: --inputs has \"{}\" for \"{}\", must be {}",
                                   arguments.campaign.text(), printable(arguments.inputs[k], 60), input.name,
                                   input.requirement()));
    amendment.inputs->push_back(*value);
  }
  return amendment;
}

std::string place_text(const Study& study, const SuggestionRecord& record) {
  if (record.row() >= 0) return study.pool().id(record.row());
  return record.told && record.told->inputs ? inputs_text(study.pool().columns(), record.told->inputs->data())
                                            : std::string("elsewhere");
}

std::string noise_text(const SuggestionRecord& record) {
  if (!record.told || !record.told->channel) return "declared";
  const auto* flip = std::get_if<FlipChannel>(&*record.told->channel);
  return flip != nullptr ? fmt::format("{:.6g}", flip->accuracy())
                         : fmt::format("sd {:.6g}", std::sqrt(noise_variance(*record.told->channel)));
}

// What is different now, besides the values: "cost 5200 -> 52, level coarse -> fine".
std::string changes_text(const Study& study, const SuggestionRecord& before, const SuggestionRecord& after) {
  std::string text;
  const auto add = [&](const char* what, const std::string& was, const std::string& is) {
    if (was != is) text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", what, was, is);
  };
  add("point", place_text(study, before), place_text(study, after));
  add("level", describe(before.level(), before.alpha()), describe(after.level(), after.alpha()));
  add("noise", noise_text(before), noise_text(after));
  add("cost", brief(before.charged), brief(after.charged));
  return text;
}

ExitCode amend(const AmendArguments& arguments, std::ostream& out, std::ostream& log) {
  const std::int64_t id = *arguments.id;
  if (arguments.retract == arguments.corrects())
    throw InputError(fmt::format(
        "{}: the amendment of {} needs either --retract or what is right: --y, --cost, --noise-sd, "
        "--level, --point or --refund",
        arguments.campaign.argument(), id));
  if (arguments.reason.empty())
    throw InputError(
        fmt::format("{}: the amendment of {} has no --reason, must have one", arguments.campaign.text(), id));
  Campaign campaign = Campaign::open(arguments.campaign);
  const SuggestionRecord* record = campaign.state().find(id);
  const SuggestionRecord before = record ? *record : SuggestionRecord();
  if (arguments.retract)
    campaign.retract(id, arguments.reason);
  else
    campaign.amend(amendment_of(arguments, campaign.study(), before.values));
  const SuggestionRecord& after = *campaign.state().find(id);
  ResultTable table(arguments.format, {"id", "point", "was", "is", "reason", "change"});
  const auto cell = [&](const std::vector<double>& values) {
    return arguments.format == Format::table ? answer_cell(campaign.study(), values)
                                             : ResultTable::Cell(values);
  };
  table.add({id, after.row() < 0 ? std::string() : campaign.study().pool().id(after.row()),
             cell(before.values), cell(after.values), after.reason,
             changes_text(campaign.study(), before, after)});
  out << table.document("suggestions");
  const bool other_level = before.level() != after.level() || before.alpha() != after.alpha();
  if (other_level && !arguments.cost)
    write_note(fmt::format("{} is still charged {}; if the other level cost something else: amend --cost", id,
                           brief(after.charged)),
               log);
  return ExitCode::done;
}

}  // namespace

void add_amend(Program& program) {
  auto [command, arguments] = program.add<AmendArguments>(
      {.name = "amend",
       .help = "Correct or retract an answer: its value, cost, noise, level or point. Both versions stay in "
               "the log",
       .example = "acuity amend wing.acuity 57 --y 0.31 --cost 52 --reason \"wrong column\""},
      amend);
  add_campaign(command, arguments.campaign);
  add_id(command, arguments.id);
  const auto money = [&command = command](const char* name, std::optional<double>& amount, const char* help) {
    command.option(
        name, "X",
        [name, &amount](const std::string& word) {
          amount = number_in<double>(word);
          if (!amount || !(*amount >= 0.0))
            throw InputError(fmt::format("{} is \"{}\", must be a number, 0 or more", name, word));
        },
        help);
  };
  command.words("--y", "Y...", arguments.values, "The correct answer; several are replicates");
  money("--cost", arguments.cost, "What it really cost; the money spent follows");
  money("--refund", arguments.refund,
        "Money that came back. Choices still count what the answer cost, unlike with --cost");
  command.text("--noise-sd", "S", arguments.noise_sd,
               "The total noise of this answer; declared: it was that of its level");
  command.number("--accuracy", "P", arguments.accuracy, "The accuracy of this answer (binary targets)");
  command.text("--level", "L", arguments.level, "The level at which it was done (price lists)");
  command.number("--alpha", "A", arguments.alpha, "The precision at which it was done (ladders)");
  command.text("--point", "P", arguments.point, "The pool point that was annotated");
  command.words("--inputs", "X...", arguments.inputs,
                "The inputs that were annotated, outside of the pool, in the order of the study");
  command.flag("--retract", arguments.retract,
               "The answer is wrong and no correct one is known: ignore it. Its cost stays");
  command.text("--reason", "TEXT", arguments.reason, "Reason, kept in the log; needed");
  add_format(command, arguments.format);
}

}  // namespace acuity
