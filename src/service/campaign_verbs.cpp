#include "service/campaign_verbs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "acuity/base/errors.hpp"
#include "campaign/answer_noise.hpp"
#include "campaign/answer_reader.hpp"
#include "campaign/state_queries.hpp"
#include "service/role_limits.hpp"
#include "store/worker_name.hpp"
#include "text/json.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

constexpr std::int64_t most_at_once = 1000;
constexpr double longest_pause = 5.0;  // seconds: somebody may answer at any time

std::optional<Channel> reported_channel(const RequestBody& body, const Study& study,
                                        const std::vector<double>& values) {
  const AnswerNoise reported{.noise_sd = body.number("noise_sd"),
                             .accuracy = body.number("accuracy"),
                             .noise_sd_name = "\"noise_sd\"",
                             .accuracy_name = "\"accuracy\"",
                             .whose = {},
                             .noise_sd_text = {}};
  try {
    return channel_of(reported, *study.file().target, values);
  } catch (const InputError& error) {
    throw HttpProblem(400, error.what());
  }
}

WrittenValues values_in(const RequestBody& body, const Study& study, std::int64_t id) {
  return read_values(study, body.answers(), fmt::format("the answer to {}", id));
}

std::optional<Level> level_in(const RequestBody& body, const Study& study) {
  if (const auto name = body.text("level")) return study.level_named(*name);
  if (const auto alpha = body.number("alpha")) return study.level_of(*alpha);
  return std::nullopt;
}

std::vector<Index> rows_in(const RequestBody& body, const std::string& name, const Pool& pool) {
  std::vector<Index> rows;
  for (const std::string& point : body.texts(name)) {
    const std::optional<Index> row = pool.find(point);
    if (!row)
      throw HttpProblem(
          400, fmt::format("\"{}\" has \"{}\", must have ids of pool points", name, printable(point, 60)));
    rows.push_back(*row);
  }
  return rows;
}

// Whether it surprises is nothing that a person should be told before the next one.
Json told_json(const TellResult& result, const Caller& caller) {
  return {{"id", result.id},
          {"changes", result.changes},
          {"charge", json_number(result.charge)},
          {"surprise", caller.role < Role::run ? Json() : json_number(result.surprise)}};
}

// Errors of the campaign as statuses: what contradicts a recorded answer is a conflict.
template <typename Verb>
auto with_status(const SuggestionRecord& record, Verb verb) -> decltype(verb()) {
  const bool was_told = record.told.has_value();
  try {
    return verb();
  } catch (const InputError& error) {
    throw HttpProblem(was_told ? 409 : 400, error.what());
  }
}

std::optional<double> cost_limit_in(const RequestBody& body) {
  const std::optional<double> limit = body.number("max_cost");
  if (limit && !(*limit > 0.0))
    throw HttpProblem(400, fmt::format("\"max_cost\" is {}, must be above 0", *limit));
  return limit;
}

// A program answers for the worker that it asked as; somebody else's answer has his own name.
std::string told_by(const SuggestionRecord& record, const Caller& caller) {
  return caller.role >= Role::run ? record.asked.worker : caller.name;
}

}  // namespace

Json suggestions_json(const Campaign& campaign, const std::vector<Suggestion>& suggestions) {
  return json_in(suggestions_text(campaign, suggestions, Format::json)).at("suggestions");
}

// Who labels sees nothing of others, and is not told that somebody else is worth more.
std::string reason_for(const Caller& caller, const AskResult& result) {
  if (caller.role < Role::run && !result.ask_instead.empty())
    return "thank you, there is nothing to ask of you now";
  return result.reason;
}

double retry_after(const Campaign& campaign) {
  double wait = longest_pause;
  for (const std::int64_t id : campaign.state().pending())
    if (const auto until = campaign.state().find(id)->asked.lease_until)
      wait = std::min(wait, *until - campaign.now());
  return std::max(1.0, std::ceil(wait));
}

CampaignVerbs::CampaignVerbs(Campaign& campaign, double lease) : campaign_(campaign), lease_(lease) {}

// Who only labels sees and touches nothing but his own items.
const SuggestionRecord& CampaignVerbs::record_of(std::int64_t id, const Caller& caller) const {
  const SuggestionRecord* record = campaign_.state().find(id);
  if (record == nullptr) throw HttpProblem(404, fmt::format("there is no suggestion {}", id));
  if (caller.role < Role::run && record->asked.worker != caller.name)
    throw HttpProblem(403, fmt::format("suggestion {} was not made for {}", id, printable(caller.name, 40)));
  return *record;
}

Json CampaignVerbs::ask(const std::string& text, const Caller& caller) {
  const RequestBody body = permitted_body("/v1/ask", text, caller, lease_);
  const std::int64_t count = body.whole("count").value_or(1);
  if (count < 1 || count > most_at_once)
    throw HttpProblem(
        400, fmt::format("\"count\" is {}, must be a whole number from 1 to {}", count, most_at_once));
  const std::string worker = body.text("worker").value_or(caller.name);
  if (worker == worker_name::initial)
    throw HttpProblem(400,
                      fmt::format("\"worker\" is \"{}\", must be another name: it marks answers that were "
                                  "known before the campaign",
                                  worker));
  campaign_.refresh();
  AskResult result;
  try {
    result = campaign_.ask({.count = count,
                            .worker = worker,
                            .lease = body.duration("lease").value_or(lease_),
                            .budget = std::nullopt,
                            .level = body.text("level").value_or(""),
                            .capacity = body.whole("capacity"),
                            .budget_to = std::nullopt,
                            .avoid = rows_in(body, "avoid", campaign_.study().pool()),
                            .resume = true,
                            .max_cost = cost_limit_in(body)});
  } catch (const InputError& error) {
    throw HttpProblem(400, error.what());
  }
  const std::vector<Suggestion>& given = result.suggestions;
  const char* status = result.status == AskStatus::open          ? "open"
                       : result.status == AskStatus::nothing_now ? "nothing_now"
                                                                 : "finished";
  const bool waits = given.empty() && result.status == AskStatus::nothing_now;
  return {{"suggestions", suggestions_json(campaign_, given)},
          {"status", status},
          {"reason", reason_for(caller, result)},
          {"note", result.note},
          {"retry_after", waits ? json_number(retry_after(campaign_)) : Json()}};
}

Json CampaignVerbs::tell(const std::string& text, const Caller& caller) {
  const RequestBody body = permitted_body("/v1/tell", text, caller, lease_);
  campaign_.refresh();
  const std::int64_t id = body.required_id();
  const SuggestionRecord& record = record_of(id, caller);
  return with_status(record, [&] {
    Answer answer;
    answer.id = id;
    WrittenValues written = values_in(body, campaign_.study(), id);
    answer.values = std::move(written.values);
    answer.trials = std::move(written.trials);
    if (answer.values.empty())
      throw HttpProblem(400, fmt::format("the answer to {} has no \"y\", must have one", id));
    answer.cost = body.number("cost");
    answer.channel = reported_channel(body, campaign_.study(), answer.values);
    answer.level = level_in(body, campaign_.study());
    answer.where = "the request";
    answer.worker = told_by(record, caller);
    answer.seconds = body.number("seconds");
    return told_json(campaign_.tell({answer}).front(), caller);
  });
}

Json CampaignVerbs::fail(const std::string& text, const Caller& caller) {
  const RequestBody body = permitted_body("/v1/fail", text, caller, lease_);
  campaign_.refresh();
  const SuggestionRecord& record = record_of(body.required_id(), caller);
  return with_status(record, [&] {
    const bool changes = campaign_.fail({.id = body.required_id(),
                                         .reason = body.text("reason").value_or(""),
                                         .charge = body.number("cost").value_or(0.0),
                                         .exclude = body.flag("exclude"),
                                         .cannot_tell = body.flag("cannot_tell"),
                                         .worker = told_by(record, caller),
                                         .seconds = body.number("seconds"),
                                         .inconclusive = body.flag("inconclusive")});
    return Json{{"id", body.required_id()}, {"changes", changes}};
  });
}

Json CampaignVerbs::release(const std::string& text, const Caller& caller) {
  const RequestBody body = permitted_body("/v1/release", text, caller, lease_);
  campaign_.refresh();
  const std::vector<std::int64_t> ids = body.required_ids();
  for (const std::int64_t id : ids) record_of(id, caller);
  try {
    return {{"released", campaign_.release(ids, body.text("reason").value_or(""))}};
  } catch (const InputError& error) {
    throw HttpProblem(409, error.what());
  }
}

Json CampaignVerbs::amend(const std::string& text, const Caller& caller) {
  const RequestBody body = permitted_body("/v1/amend", text, caller, lease_);
  campaign_.refresh();
  const std::int64_t id = body.required_id();
  record_of(id, caller);
  const std::string reason = body.text("reason").value_or("");
  if (reason.empty())
    throw HttpProblem(400, fmt::format("the amendment of {} has no \"reason\", must have one", id));
  try {
    if (body.flag("retract")) {
      campaign_.retract(id, reason);
      return {{"id", id}, {"changes", true}, {"charge", 0.0}, {"surprise", nullptr}};
    }
    Amendment amendment;
    amendment.id = id;
    WrittenValues written = values_in(body, campaign_.study(), id);
    amendment.values = std::move(written.values);
    amendment.trials = std::move(written.trials);
    amendment.cost = body.number("cost");
    amendment.channel =
        reported_channel(body, campaign_.study(),
                         amendment.values.empty() ? campaign_.state().find(id)->values : amendment.values);
    amendment.level = level_in(body, campaign_.study());
    if (const auto point = body.text("point")) {
      amendment.row = campaign_.study().pool().find(*point);
      if (!amendment.row)
        throw HttpProblem(
            400, fmt::format("\"point\" is \"{}\", must be the id of a pool point", printable(*point, 60)));
    }
    amendment.reason = reason;
    return {{"id", id}, {"changes", campaign_.amend(amendment)}, {"charge", 0.0}, {"surprise", nullptr}};
  } catch (const InputError& error) {
    throw HttpProblem(400, error.what());
  }
}

Json CampaignVerbs::heartbeat(const std::string& text, const Caller& caller) {
  const RequestBody body = permitted_body("/v1/heartbeat", text, caller, lease_);
  campaign_.refresh();
  const double lease = body.duration("lease").value_or(lease_);
  // What is not pending any more cannot be worked on any more: the caller is told, the others are renewed.
  std::map<std::string, std::vector<std::int64_t>> by_worker;
  Json renewed = Json::array(), gone = Json::array();
  for (const std::int64_t id : body.required_ids()) {
    const SuggestionRecord& record = record_of(id, caller);
    if (record.status == SuggestionStatus::pending)
      by_worker[record.asked.worker].push_back(id);
    else
      gone.push_back(id);
  }
  try {
    for (const auto& [worker, ids] : by_worker)
      for (const std::int64_t id : campaign_.renew(ids, worker, lease)) renewed.push_back(id);
  } catch (const InputError& error) {
    throw HttpProblem(409, error.what());
  }
  return {{"renewed", std::move(renewed)}, {"gone", std::move(gone)}};
}

}  // namespace acuity
