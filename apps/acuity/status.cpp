#include <fmt/format.h>

#include <map>

#include "acuity/campaign/campaign.hpp"
#include "campaign/books.hpp"
#include "campaign/owner.hpp"
#include "campaign_text.hpp"
#include "commands.hpp"
#include "study/duration.hpp"

namespace acuity {

namespace {

struct LevelSpend {
  std::int64_t annotations = 0;
  double spent = 0.0;
};

std::string level_text(const SuggestionRecord& record) {
  if (record.told && record.told->channel) return "reported";
  if (record.alpha()) return "alpha = " + brief(*record.alpha());
  return record.level().empty() ? "reported" : record.level();
}

// By level, in the order in which they were first bought.
std::vector<std::pair<std::string, LevelSpend>> spend_by_level(const State& state) {
  std::vector<std::pair<std::string, LevelSpend>> levels;
  for (const SuggestionRecord& record : state.suggestions()) {
    if (!record.told) continue;
    const std::string name = level_text(record);
    auto found =
        std::find_if(levels.begin(), levels.end(), [&](const auto& one) { return one.first == name; });
    if (found == levels.end()) found = levels.insert(levels.end(), {name, {}});
    found->second.annotations += static_cast<std::int64_t>(record.values.size());
    found->second.spent += record.charged;
  }
  return levels;
}

std::string budget_bar(const State& state) {
  constexpr int width = 40;
  const auto share = [&](double amount) {
    return static_cast<int>(std::clamp(amount / state.budget(), 0.0, 1.0) * width);
  };
  const int spent = share(state.spent()), held = share(state.spent() + state.escrow()) - spent;
  return fmt::format("[{}{}{}]", std::string(static_cast<std::size_t>(spent), '#'),
                     std::string(static_cast<std::size_t>(held), '-'),
                     std::string(static_cast<std::size_t>(width - spent - held), '.'));
}

std::string for_people(const Campaign& campaign) {
  const State& state = campaign.state();
  const std::string unit = state.created().unit;
  std::string text = fmt::format("{}: campaign \"{}\", begun {}\n", campaign.folder().string(),
                                 state.created().name, time_text(state.created_at()));
  if (std::isfinite(state.budget()))
    text += fmt::format("{} {} of {} spent, {} in escrow, {} free\n", budget_bar(state), brief(state.spent()),
                        money(state.budget(), unit), brief(state.escrow()), brief(state.free()));
  else
    text +=
        fmt::format("{} spent, {} in escrow, no budget\n", money(state.spent(), unit), brief(state.escrow()));
  if (state.spent() + state.escrow() > state.budget() * (1.0 + 1e-9))
    text += fmt::format("OVERRUN by {}: answers have reported more than their escrow\n",
                        money(state.spent() + state.escrow() - state.budget(), unit));
  text += fmt::format("{} annotations, {} pending, {} failed, {} excluded\n", state.annotations(),
                      state.pending().size(), state.failed(), state.excluded().size());
  if (!state.owner().host.empty())
    text += fmt::format("{} by process {} on {} since {}\n", may_be_alive(state.owner()) ? "Run" : "Left",
                        state.owner().process, state.owner().host, time_text(state.owner_since()));
  if (const auto levels = spend_by_level(state); !levels.empty()) {
    ResultTable table(Format::table, {"level", "annotations", "spent"});
    for (const auto& [name, spend] : levels) table.add({name, spend.annotations, spend.spent});
    text += "\n" + table.text();
  }
  if (!state.pending().empty()) {
    ResultTable table(Format::table, {"pending", "point", "level", "cost", "worker", "asked", "lease"});
    for (const std::int64_t id : state.pending()) {
      const SuggestionRecord& record = *state.find(id);
      const auto& lease = record.asked.lease_until;
      table.add({id, record.asked.point, level_text(record), record.asked.cost, record.asked.worker,
                 in_words(std::max(0.0, now() - record.asked_at)) + " ago",
                 !lease            ? std::string("for ever")
                 : *lease <= now() ? std::string("ended")
                                   : in_words(*lease - now()) + " left"});
    }
    text += "\n" + table.text();
  }
  if (!state.answered().empty()) {
    ResultTable table(Format::table, {"last told", "point", "level", "y", "cost", "when"});
    const std::size_t first = state.answered().size() - std::min<std::size_t>(5, state.answered().size());
    for (std::size_t k = first; k < state.answered().size(); ++k) {
      const SuggestionRecord& record = *state.find(state.answered()[k]);
      std::string y;
      for (const double value : record.values) y += (y.empty() ? "" : " ") + brief(value);
      table.add({record.asked.id,
                 record.row() < 0 ? std::string("elsewhere") : campaign.study().pool().id(record.row()),
                 level_text(record), y, record.charged, time_text(record.told_at)});
    }
    text += "\n" + table.text();
  }
  return text;
}

}  // namespace

ExitCode status(const StatusArguments& arguments, std::ostream& out, std::ostream& log) {
  const Campaign campaign = Campaign::open(arguments.campaign, Access::read);
  const State& state = campaign.state();
  write_network_note(campaign, log);
  if (arguments.format == Format::table) {
    out << for_people(campaign);
    return ExitCode::done;
  }
  const auto pending = static_cast<std::int64_t>(state.pending().size());
  std::vector<std::string> columns{"name",        "unit",    "budget", "spent",    "escrow", "free",
                                   "annotations", "pending", "failed", "excluded", "fits",   "created"};
  ResultTable table(arguments.format, columns);
  table.add({state.created().name, state.created().unit, state.budget(), state.spent(), state.escrow(),
             state.free(), state.annotations(), pending, state.failed(),
             static_cast<std::int64_t>(state.excluded().size()), state.fits(),
             time_text(state.created_at())});
  const std::string text = table.text();
  if (arguments.format == Format::csv) {
    out << text;
    return ExitCode::done;
  }
  std::string levels, waiting;
  for (const auto& [name, spend] : spend_by_level(state))
    levels +=
        fmt::format("{}{{\"level\": {}, \"annotations\": {}, \"spent\": {}}}", levels.empty() ? "" : ", ",
                    json_string(name), spend.annotations, exact_json(spend.spent));
  for (const std::int64_t id : state.pending()) waiting += (waiting.empty() ? "" : ", ") + std::to_string(id);
  const OwnerChanged& owner = state.owner();
  const std::string owned =
      owner.host.empty() ? "null"
                         : fmt::format("{{\"host\": {}, \"process\": {}, \"since\": {}, \"alive\": {}}}",
                                       json_string(owner.host), owner.process,
                                       json_string(time_text(state.owner_since())), may_be_alive(owner));
  const std::size_t begin = text.find('{'), end = text.rfind('}');
  out << text.substr(begin, end - begin)
      << fmt::format(", \"levels\": [{}], \"pending_ids\": [{}], \"owner\": {}}}\n", levels, waiting, owned);
  return ExitCode::done;
}

}  // namespace acuity
