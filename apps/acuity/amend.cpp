#include <fmt/format.h>

#include "acuity/numerics/errors.hpp"
#include "campaign/answer_reader.hpp"
#include "commands.hpp"
#include "shared_options.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

struct AmendArguments {
  std::string campaign;
  std::optional<std::int64_t> id;
  std::vector<std::string> values;
  bool retract = false;
  std::string reason;
  Format format = Format::table;
};

ExitCode amend(const AmendArguments& arguments, std::ostream& out, std::ostream&) {
  const std::int64_t id = *arguments.id;
  if (arguments.retract == !arguments.values.empty())
    throw InputError(fmt::format("{}: the amendment of {} needs either --y with the right value or --retract",
                                 arguments.campaign, id));
  if (arguments.reason.empty())
    throw InputError(
        fmt::format("{}: the amendment of {} has no --reason, must have one", arguments.campaign, id));
  Campaign campaign = Campaign::open(arguments.campaign);
  const SuggestionRecord* record = campaign.state().find(id);
  const std::vector<double> before = record ? record->values : std::vector<double>();
  if (arguments.retract) {
    campaign.retract(id, arguments.reason);
  } else {
    std::vector<double> values;
    for (const std::string& text : arguments.values)
      values.push_back(
          read_answer(campaign.study(), text, fmt::format("{}: the answer to {}", arguments.campaign, id)));
    campaign.amend(id, values, arguments.reason);
  }
  const SuggestionRecord& after = *campaign.state().find(id);
  ResultTable table(arguments.format, {"id", "point", "was", "is", "reason"});
  const auto cell = [&](const std::vector<double>& values) {
    return arguments.format == Format::table ? answer_cell(campaign.study(), values)
                                             : ResultTable::Cell(values);
  };
  table.add({id, after.asked.point, cell(before), cell(after.values), after.reason});
  out << table.document("suggestions");
  return ExitCode::done;
}

}  // namespace

void add_amend(Program& program) {
  auto [command, arguments] = program.add<AmendArguments>(
      {.name = "amend",
       .help = "Correct or retract an answer. Both versions stay in the log; its cost is not refunded",
       .example = "acuity amend wing.acuity 57 --y 0.31 --reason \"wrong column\""},
      amend);
  add_campaign(command, arguments.campaign);
  add_id(command, arguments.id);
  command.words("--y", "Y...", arguments.values, "The correct answer; several are replicates");
  command.flag("--retract", arguments.retract, "The answer is wrong and no correct one is known: ignore it");
  command.text("--reason", "TEXT", arguments.reason, "Reason, kept in the log; needed");
  add_format(command, arguments.format);
}

}  // namespace acuity
