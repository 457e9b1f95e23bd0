#include <fmt/format.h>

#include "acuity/base/errors.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "shared_options.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

struct FailArguments {
  CampaignAddress campaign;
  std::optional<std::int64_t> id;
  std::string reason;
  double cost = 0.0;
  bool exclude = false, cannot_tell = false, inconclusive = false;
  std::string worker;
  std::optional<double> seconds;
  Format format = Format::table;
};

ExitCode fail(const FailArguments& arguments, std::ostream& out, std::ostream& log) {
  Campaign campaign = Campaign::open(arguments.campaign);
  const std::int64_t id = *arguments.id;
  const bool changed = campaign.fail({.id = id,
                                      .reason = arguments.reason,
                                      .charge = arguments.cost,
                                      .exclude = arguments.exclude,
                                      .cannot_tell = arguments.cannot_tell,
                                      .worker = arguments.worker,
                                      .seconds = arguments.seconds,
                                      .inconclusive = arguments.inconclusive});
  if (!changed) write_note(fmt::format("{} had failed already, nothing was changed", id), log);
  ResultTable table(arguments.format, {"id", "point", "change"});
  table.add({id, campaign.state().find(id)->asked.point,
             std::string(!changed                ? "none"
                         : arguments.cannot_tell ? "cannot tell"
                         : arguments.exclude     ? "failed and excluded"
                                                 : "failed")});
  out << table.document("suggestions");
  return ExitCode::done;
}

}  // namespace

void add_fail(Program& program) {
  auto [command, arguments] = program.add<FailArguments>(
      {.name = "fail",
       .help = "Record that an attempt gave no answer; the point may be suggested again",
       .example = "acuity fail wing.acuity 57 --reason diverged --exclude"},
      fail);
  add_campaign(command, arguments.campaign);
  add_id(command, arguments.id);
  add_reason(command, arguments.reason);
  const auto take_cost = [&a = arguments](const std::string& word) {
    a.cost = number_in<double>(word).value_or(-1.0);
    if (!(a.cost >= 0.0))
      throw InputError(fmt::format("--cost is \"{}\", must be a number, 0 or more", word));
  };
  command.option("--cost", "X", take_cost, "What the attempt cost (default 0)");
  command.flag("--exclude", arguments.exclude,
               "Never suggest this point again (with a price list: at this level)");
  command.flag("--cannot-tell", arguments.cannot_tell,
               "The person could not tell: no failure; others may be asked about the point");
  command.flag("--inconclusive", arguments.inconclusive,
               "The machine failed, not the run: nothing is learned about the point");
  add_person(command, arguments.worker, arguments.seconds);
  add_format(command, arguments.format);
}

}  // namespace acuity
