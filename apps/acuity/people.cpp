#include <fmt/format.h>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "shared_options.hpp"
#include "views/people_view.hpp"

namespace acuity {

namespace {

struct PeopleArguments {
  CampaignAddress campaign;
  std::string verb, name;
  std::vector<std::string> levels;
  Format format = Format::table;
};

void require_complete(const PeopleArguments& arguments) {
  const bool adds = arguments.verb == "add", removes = arguments.verb == "remove";
  if (!arguments.verb.empty() && !adds && !removes)
    throw InputError(
        fmt::format("people C is followed by \"{}\", must be add or remove", printable(arguments.verb, 40)));
  if ((adds || removes) && arguments.name.empty())
    throw InputError(fmt::format("people C {} has no name, must have one", arguments.verb));
  if (!arguments.levels.empty() && !adds) throw InputError("--level is for people C add NAME");
}

ExitCode people(const PeopleArguments& arguments, std::ostream& out, std::ostream& log) {
  require_complete(arguments);
  Campaign campaign =
      Campaign::open(arguments.campaign, arguments.verb.empty() ? Access::read : Access::write);
  if (!arguments.verb.empty()) {
    Person person{arguments.name, arguments.levels, true};
    const Person* known = campaign.state().find_person(arguments.name);
    if (arguments.verb == "remove") {
      if (known == nullptr)
        throw InputError(fmt::format("{}: there is nobody with the name \"{}\"", arguments.campaign.text(),
                                     printable(arguments.name, 60)));
      person = {known->name, known->levels, false};
    }
    if (!campaign.add_person(person))
      write_note(fmt::format("{} was {} already, nothing was changed", printable(arguments.name, 60),
                             person.active ? "added" : "removed"),
                 log);
  }
  const std::vector<PersonView> views = people_view(campaign);
  if (views.empty() && arguments.format == Format::table)
    log << one_line(arguments.campaign.text()) << ": nobody was added, and nobody has answered\n";
  else
    out << people_text(views, arguments.format);
  return ExitCode::done;
}

}  // namespace

void add_people(Program& program) {
  auto [command, arguments] = program.add<PeopleArguments>(
      {.name = "people",
       .help = "Who annotates and how well; add NAME or remove NAME changes who is asked",
       .example = "acuity people wing.acuity add anna --level expert"},
      people);
  add_campaign(command, arguments.campaign);
  command.text("VERB", "", arguments.verb,
               "add: somebody who annotates, or another level; remove: is not asked any more");
  command.text("NAME", "", arguments.name, "Who");
  command.words(
      "--level", "L", arguments.levels,
      "A level of this person's answers; may be repeated: suggestions are at one of them (default: any)");
  add_format(command, arguments.format);
}

}  // namespace acuity
