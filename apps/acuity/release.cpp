#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "acuity/base/errors.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "shared_options.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

struct ReleaseArguments {
  CampaignAddress campaign;
  std::vector<std::string> ids;
  std::string reason;
  Format format = Format::table;
};

std::vector<std::int64_t> whole_numbers(const std::vector<std::string>& words) {
  std::vector<std::int64_t> numbers;
  for (const std::string& word : words) {
    const std::optional<std::int64_t> number = number_in<std::int64_t>(word);
    if (!number) throw InputError(fmt::format("ID is \"{}\", must be a whole number", word));
    numbers.push_back(*number);
  }
  return numbers;
}

ExitCode release(const ReleaseArguments& arguments, std::ostream& out, std::ostream& log) {
  const std::vector<std::int64_t> ids = whole_numbers(arguments.ids);
  Campaign campaign = Campaign::open(arguments.campaign);
  const std::vector<std::int64_t> released = campaign.release(ids, arguments.reason);
  ResultTable table(arguments.format, {"id", "point", "change"});
  for (const std::int64_t id : std::set<std::int64_t>(ids.begin(), ids.end())) {
    const bool changed = std::find(released.begin(), released.end(), id) != released.end();
    if (!changed) write_note(fmt::format("{} was released already", id), log);
    table.add({id, campaign.state().find(id)->asked.point, std::string(changed ? "released" : "none")});
  }
  out << table.document("suggestions");
  return ExitCode::done;
}

}  // namespace

void add_release(Program& program) {
  auto [command, arguments] = program.add<ReleaseArguments>(
      {.name = "release",
       .help = "Return suggestions that will not be answered to the pool; nothing is charged",
       .example = "acuity release wing.acuity 57 58 --reason \"cluster is down\""},
      release);
  add_campaign(command, arguments.campaign);
  command.words("ID", "", arguments.ids, "Numbers of the suggestions").required();
  add_reason(command, arguments.reason);
  add_format(command, arguments.format);
}

}  // namespace acuity
