#include <fmt/format.h>

#include "campaign/verification.hpp"
#include "commands.hpp"
#include "shared_options.hpp"

namespace acuity {

namespace {

struct VerifyArguments {
  CampaignAddress campaign;
  Format format = Format::table;
};

std::string verification_json(const std::string& campaign, const Verification& found) {
  Json parts = Json::array();
  for (const Verification::Part& part : found.parts)
    parts.push_back({{"part", part.name}, {"sound", part.sound}, {"found", part.found}});
  return json_text({{"campaign", campaign},
                    {"sound", found.problem_count == 0},
                    {"events", found.events},
                    {"parts", parts},
                    {"problem_count", found.problem_count},
                    {"problems", found.problems}}) +
         "\n";
}

std::string verification_table(const Verification& found, Format format) {
  ResultTable table(format, {"part", "sound", "found"});
  for (const Verification::Part& part : found.parts)
    table.add({part.name, std::string(part.sound ? "yes" : "NO"), part.found});
  std::string text = table.text();
  if (format == Format::csv) return text;
  for (const std::string& problem : found.problems) text += problem + "\n";
  if (const auto shown = static_cast<std::int64_t>(found.problems.size()); shown < found.problem_count)
    text += fmt::format("and {} more\n", found.problem_count - shown);
  return text;
}

// One sentence for any number of problems.
std::string first_problem(const Verification& found) {
  const std::string more =
      found.problem_count == 1 ? "" : fmt::format(" (the first of {} problems)", found.problem_count);
  return found.problems.front() + more;
}

ExitCode verify(const VerifyArguments& arguments, std::ostream& out, std::ostream& log) {
  const Verification found = verify_campaign(arguments.campaign);
  out << (arguments.format == Format::json ? verification_json(arguments.campaign.text(), found)
                                           : verification_table(found, arguments.format));
  if (found.problem_count == 0) return ExitCode::done;
  log << first_problem(found) << '\n';
  return found.is_damaged ? ExitCode::damaged : ExitCode::different_study;
}

}  // namespace

void add_verify(Program& program) {
  auto [command, arguments] = program.add<VerifyArguments>(
      {.name = "verify",
       .help =
           "Check the log of a campaign, event by event, and its copies of study and pool; writes nothing",
       .example = "acuity verify wing.acuity"},
      verify);
  add_campaign(command, arguments.campaign);
  add_format(command, arguments.format);
}

}  // namespace acuity
