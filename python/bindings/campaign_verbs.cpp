#include <fmt/format.h>

#include "acuity/base/errors.hpp"
#include "campaign/answer_reader.hpp"
#include "judgement/early_verdict.hpp"
#include "open_campaign.hpp"
#include "study/target_view.hpp"
#include "views/campaign_text.hpp"

namespace acuity::python {

namespace {

std::optional<Channel> reported(const Study& study, const std::optional<double>& channel) {
  if (!channel) return std::nullopt;
  return study.file().target->stated_channel(*channel);
}

// A number, or the name of a class.
using Said = std::variant<double, std::string>;

// A count is text, "k/n".
WrittenValues written(const Study& study, const std::vector<Said>& said, std::int64_t id) {
  WrittenValues values;
  for (const Said& one : said)
    values.add(std::holds_alternative<double>(one)
                   ? WrittenAnswer{.value = std::get<double>(one)}
                   : read_answer(study, std::get<std::string>(one),
                                 id == 0 ? "the unasked answer" : "the answer to " + std::to_string(id)));
  return values;
}

// `recorded`: the values of the answer so far, if it has any.
Answer answer_of(const Study& study, std::int64_t id, const std::vector<Said>& said, const py::dict& more,
                 const std::vector<double>& recorded = {}) {
  const auto given = [&](const char* key) { return more.contains(key) && !more[key].is_none(); };
  Answer answer;
  answer.id = id;
  WrittenValues told = written(study, said, id);
  answer.values = std::move(told.values);
  answer.trials = std::move(told.trials);
  if (given("cost")) answer.cost = more["cost"].cast<double>();
  if (given("channel")) answer.channel = reported(study, more["channel"].cast<double>());
  if (given("noise_sd"))
    answer.channel = study.file().target->reported_channel(more["noise_sd"].cast<double>(),
                                                           said.empty() ? recorded : answer.values);
  if (given("point")) {
    const auto point = more["point"].cast<std::string>();
    answer.row = study.pool().find(point);
    if (!answer.row) throw std::invalid_argument("point is \"" + point + "\", must be one of the pool's");
  }
  if (given("x")) answer.inputs = more["x"].cast<std::vector<double>>();
  if (given("level")) answer.level = study.level_named(more["level"].cast<std::string>());
  if (given("alpha")) answer.level = study.level_of(more["alpha"].cast<double>());
  return answer;
}

// `note`: a sentence if the answer is far from what was predicted; otherwise empty.
py::dict dictionary(const TellResult& result, const std::string& note) {
  return py::dict(py::arg("id") = result.id, py::arg("changes") = result.changes,
                  py::arg("charge") = result.charge, py::arg("surprise") = result.surprise,
                  py::arg("note") = note);
}

std::string note_on(const Study& study, const TellResult& result) {
  const Target& target = *study.file().target;
  if (!result.changes || !result.surprise || !target.is_surprising(*result.surprise)) return "";
  return TargetView::of(target)->surprise_text(result.id, *result.surprise, result.beside_others) +
         "; a mistake can be corrected by amend";
}

// (result, sentence of an early verdict).
py::tuple ask_campaign(OpenCampaign& open, std::int64_t count, const std::string& worker,
                       std::optional<double> lease, std::optional<double> budget, const std::string& level,
                       std::optional<std::int64_t> capacity, const std::vector<Index>& avoid,
                       std::optional<double> max_cost) {
  std::string early;
  const AskResult result = open.with([&](Campaign& c) {
    AskResult found = c.ask({.count = count,
                             .worker = worker,
                             .lease = lease,
                             .budget = budget,
                             .level = level,
                             .capacity = capacity,
                             .budget_to = std::nullopt,
                             .avoid = avoid,
                             .max_cost = max_cost});
    try {
      early = early_verdict_at_ask(c, found.suggestions);
    } catch (const NumericalError&) {  // suggestions that were recorded must reach the caller
    }
    if (found.status == AskStatus::finished) found.reason = end_text(c.state(), found.reason);
    return found;
  });
  return py::make_tuple(tuple_of(result, open.names()), early);
}

// An answer, and what is said besides it.
using SaidAbout = std::pair<std::vector<Said>, py::dict>;

py::list tell_campaign(OpenCampaign& open,
                       const std::vector<std::tuple<std::int64_t, std::vector<Said>, py::dict>>& told,
                       bool dry_run) {
  std::vector<std::string> notes;
  const std::vector<TellResult> results = open.with([&](Campaign& c) {
    std::vector<Answer> answers;
    {
      const py::gil_scoped_acquire lock;
      for (const auto& [id, said, more] : told) answers.push_back(answer_of(c.study(), id, said, more));
    }
    std::vector<TellResult> found = dry_run ? c.would_tell(answers) : c.tell(answers);
    for (const TellResult& result : found) notes.push_back(note_on(c.study(), result));
    return found;
  });
  py::list list;
  for (std::size_t i = 0; i < results.size(); ++i) list.append(dictionary(results[i], notes[i]));
  return list;
}

py::list add_to_campaign(OpenCampaign& open, const std::vector<SaidAbout>& added, bool dry_run) {
  const std::vector<TellResult> results = open.with([&](Campaign& c) {
    std::vector<Answer> answers;
    {
      const py::gil_scoped_acquire lock;
      for (const auto& [said, more] : added) {
        answers.push_back(answer_of(c.study(), 0, said, more));
        if (added.size() > 1) answers.back().where = fmt::format("row {}", answers.size() - 1);
      }
    }
    return c.add(answers, dry_run);
  });
  py::list list;
  for (const TellResult& result : results) list.append(dictionary(result, ""));
  return list;
}

auto amend_campaign(OpenCampaign& open, std::int64_t id, const std::vector<Said>& said, const py::dict& more,
                    std::optional<double> refund, const std::string& reason) {
  return open.with([&](Campaign& c) {
    Amendment amendment;
    {
      const py::gil_scoped_acquire lock;
      const SuggestionRecord* record = c.state().find(id);
      const Answer right =
          answer_of(c.study(), id, said, more, record != nullptr ? record->values : std::vector<double>());
      amendment.values = right.values;
      amendment.trials = right.trials;
      amendment.cost = right.cost;
      amendment.channel = right.channel;
      amendment.row = right.row;
      amendment.inputs = right.inputs;
      amendment.level = right.level;
    }
    amendment.id = id;
    amendment.refund = refund;
    amendment.reason = reason;
    return c.amend(amendment);
  });
}

py::dict import_into(OpenCampaign& open, const std::string& earlier, const std::string& as_level,
                     const std::string& level, const std::optional<double>& error_sd) {
  const ImportResult result = open.with([&](Campaign& c) {
    return c.import_campaign(earlier, {.as_level = as_level, .level = level, .error_sd = error_sd});
  });
  return py::dict(py::arg("answers") = result.answers, py::arg("outside") = result.outside,
                  py::arg("other_levels") = result.other_levels, py::arg("unknown") = result.unknown,
                  py::arg("error_sd") = result.error_sd);
}

}  // namespace

void bind_verbs(py::class_<OpenCampaign>& campaign) {
  campaign.def("ask", &ask_campaign)
      .def("tell", &tell_campaign)
      .def("add", &add_to_campaign)
      .def("fail",
           [](OpenCampaign& open, std::int64_t id, const std::string& reason, double cost, bool exclude,
              bool inconclusive) {
             return open.with([&](Campaign& c) {
               return c.fail({.id = id,
                              .reason = reason,
                              .charge = cost,
                              .exclude = exclude,
                              .inconclusive = inconclusive});
             });
           })
      .def("release",
           [](OpenCampaign& open, const std::vector<std::int64_t>& ids, const std::string& reason) {
             return open.with([&](Campaign& c) { return c.release(ids, reason); });
           })
      .def("amend", &amend_campaign)
      .def("retract",
           [](OpenCampaign& open, std::int64_t id, const std::string& reason) {
             open.with([&](Campaign& c) { c.retract(id, reason); });
           })
      .def("change_budget",
           [](OpenCampaign& open, double by) { open.with([&](Campaign& c) { c.change_budget(by); }); })
      .def("import_campaign", &import_into)
      .def("take_ownership", [](OpenCampaign& open) { open.with([](Campaign& c) { c.take_ownership(); }); })
      .def("give_up_ownership",
           [](OpenCampaign& open) { open.with([](Campaign& c) { c.give_up_ownership(); }); });
}

}  // namespace acuity::python
