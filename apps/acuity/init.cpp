#include <fmt/format.h>

#include "acuity/campaign/campaign.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "numerics/text.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

ExitCode init(const InitArguments& arguments, std::ostream& out, std::ostream& log) {
  Campaign::create(arguments.campaign, arguments.study);
  const Campaign campaign = Campaign::open(arguments.campaign, Access::read);
  const Study& study = campaign.study();
  const State& state = campaign.state();
  for (const std::string& remark : study.remarks()) write_note(remark, log);
  write_network_note(campaign, log);
  const std::string unit = study.file().unit;
  const Format format = arguments.format;
  if (format == Format::table) {
    out << fmt::format("{}: campaign \"{}\", {} pool points, {} levels, {}\n", one_line(arguments.campaign),
                       one_line(state.created().name), study.pool().size(), study.offer().levels.size(),
                       study.file().budget ? "budget " + money(*study.file().budget, unit) : "no budget");
    if (state.annotations() > 0)
      out << fmt::format("{} known annotations taken in, {} spent\n", state.annotations(),
                         money(state.spent(), unit));
    const bool answers_itself = study.file().annotator.kind != AnnotatorSetting::Kind::none;
    out << fmt::format("Next: acuity {} {}\n", answers_itself ? "run" : "ask", one_line(arguments.campaign));
    return ExitCode::done;
  }
  out << record_text(format, {{"campaign", arguments.campaign},
                              {"name", state.created().name},
                              {"points", std::int64_t{study.pool().size()}},
                              {"levels", static_cast<std::int64_t>(study.offer().levels.size())},
                              {"budget", state.budget()},
                              {"annotations", state.annotations()}});
  return ExitCode::done;
}

}  // namespace acuity
