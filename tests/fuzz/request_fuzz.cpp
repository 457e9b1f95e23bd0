// A sequence of requests to one small campaign in memory, with a line "--" between two. The first line of
// each is the address; its first letter also chooses the verb, and a digit after it the role of the caller (0
// watch to 3 own, which it is without one). The rest is the body. Whatever requests say, the answer is JSON
// or a problem with its status; what is refused changes nothing, and the books stay in order.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "acuity/base/errors.hpp"
#include "service/access.hpp"
#include "service/campaign_verbs.hpp"
#include "service/http_message.hpp"
#include "service/label_desk.hpp"
#include "service/predictions.hpp"
#include "service/role_limits.hpp"
#include "target.hpp"
#include "text/json.hpp"

namespace {

using namespace acuity;

Study make_study(bool classes) {
  static_cast<void>(fuzz::as_file("case,x\na,0\nb,1\nc,2\nd,3\n", "pool.csv"));
  return Study::open(fuzz::as_file(
      std::string("[campaign]\nbudget = 6\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n") +
          (classes ? "[target]\nkind = \"binary\"\n[[level]]\nname = \"one\"\naccuracy = 0.8\ncost = 1\n"
                   : "[[level]]\nname = \"one\"\nnoise_sd = 0.1\ncost = 1\n") +
          "[model]\namplitude = 1\nlengthscale = 1\nfit = \"never\"\n",
      "study.toml"));
}

void require_books(const Campaign& campaign) {
  const State& state = campaign.state();
  if (!(state.spent() + state.escrow() < 1e300)) std::abort();
  for (const SuggestionRecord& record : state.suggestions())
    for (const double value : record.values)
      if (!(value > -1e308 && value < 1e308)) std::abort();
}

struct Desk {
  explicit Desk(bool classes)
      : campaign(make_study(classes), make_memory_event_store(), CampaignOptions{.threads = 1}) {}

  Campaign campaign;
  CampaignVerbs verbs{campaign, 60.0};
  LabelDesk desk{campaign, {}, 60.0};
};

struct Verb {
  char letter;
  const char* path;
  Json (*reply)(Desk&, const std::string& body, const Caller&);
};
const Verb all_verbs[] = {
    {'a', "/v1/ask", [](Desk& d, const std::string& b, const Caller& c) { return Json(d.verbs.ask(b, c)); }},
    {'t', "/v1/tell",
     [](Desk& d, const std::string& b, const Caller& c) { return Json(d.verbs.tell(b, c)); }},
    {'f', "/v1/fail",
     [](Desk& d, const std::string& b, const Caller& c) { return Json(d.verbs.fail(b, c)); }},
    {'r', "/v1/release",
     [](Desk& d, const std::string& b, const Caller& c) { return Json(d.verbs.release(b, c)); }},
    {'m', "/v1/amend",
     [](Desk& d, const std::string& b, const Caller& c) { return Json(d.verbs.amend(b, c)); }},
    {'h', "/v1/heartbeat",
     [](Desk& d, const std::string& b, const Caller& c) { return Json(d.verbs.heartbeat(b, c)); }},
    {'p', "/v1/predict",
     [](Desk& d, const std::string& b, const Caller&) { return Json(predictions(d.campaign, b)); }},
    {'n', "/v1/label/next",
     [](Desk& d, const std::string& b, const Caller& c) { return Json(d.desk.next(b, c)); }},
    {'l', "/v1/label/answer",
     [](Desk& d, const std::string& b, const Caller& c) { return Json(d.desk.answer(b, c)); }},
    {'s', "/v1/label/skip",
     [](Desk& d, const std::string& b, const Caller& c) { return Json(d.desk.skip(b, c)); }},
    {'c', "/v1/label/cannot-tell",
     [](Desk& d, const std::string& b, const Caller& c) { return Json(d.desk.cannot_tell(b, c)); }}};

Caller caller_of(const std::string& line) {
  const bool has_role = line.size() > 1 && line[1] >= '0' && line[1] <= '3';
  const int role = has_role ? line[1] - '0' : 3;
  return {std::string(1, static_cast<char>('a' + role)), static_cast<Role>(role)};
}

void request(Desk& desk, const std::string& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string line = text.substr(0, end), body = end < text.size() ? text.substr(end + 1) : "";
  HttpRequest parsed;
  static_cast<void>(take_target(line, parsed));
  const Verb* verb = &all_verbs[0];
  for (const Verb& one : all_verbs)
    if (!line.empty() && one.letter == line[0]) verb = &one;
  const Caller caller = caller_of(line);
  const std::int64_t before = desk.campaign.state().sequence();
  try {
    require_allowed(limits_of("POST", verb->path), caller);
    if (json_text(verb->reply(desk, body, caller)).empty()) std::abort();
    return require_books(desk.campaign);
  } catch (const HttpProblem& problem) {
    if (problem.status() < 400 || problem.status() > 499) std::abort();
    if (problem_reply(problem).body.empty()) std::abort();
  } catch (const InputError&) {  // the server answers it with status 400
  }
  if (desk.campaign.state().sequence() != before) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  constexpr int most_requests = 16;
  const std::string between = "\n--\n";
  Desk desk(size % 2 == 1);
  static_cast<void>(desk.verbs.ask("{\"count\": 2}", {"d", Role::own}));
  std::size_t at = 0;
  for (int k = 0; k < most_requests && at <= text.size(); ++k) {
    const std::size_t end = std::min(text.find(between, at), text.size());
    request(desk, text.substr(at, end - at));
    at = end + between.size();
  }
  return 0;
}
