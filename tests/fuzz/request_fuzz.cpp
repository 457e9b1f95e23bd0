// Requests: the first line is the address, its first letter also chooses the verb, the rest is the body.
// Verbs run on a small campaign in memory; whatever the request says, the answer is JSON or a problem with
// its status, and money stays within the budget.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"
#include "service/campaign_verbs.hpp"
#include "service/http_message.hpp"
#include "service/label_desk.hpp"
#include "service/predictions.hpp"
#include "target.hpp"

namespace {

using namespace acuity;

Study make_study(bool classes) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("acuity-request-fuzz-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  write_file(folder / "pool.csv", "case,x\na,0\nb,1\nc,2\nd,3\n");
  write_file(
      folder / "study.toml",
      std::string("[campaign]\nbudget = 6\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n") +
          (classes ? "[target]\nkind = \"binary\"\n[[level]]\nname = \"one\"\naccuracy = 0.8\ncost = 1\n"
                   : "[[level]]\nname = \"one\"\nnoise_sd = 0.1\ncost = 1\n") +
          "[model]\namplitude = 1\nlengthscale = 1\nfit = \"never\"\n");
  Study study = Study::open(folder / "study.toml");
  std::filesystem::remove_all(folder);
  return study;
}

// A new one now and then: what requests have done to it adds up meanwhile.
Campaign& campaign_for(bool classes) {
  static std::unique_ptr<Campaign> campaigns[2];
  static int uses[2] = {0, 0};
  std::unique_ptr<Campaign>& campaign = campaigns[classes ? 1 : 0];
  if (!campaign || ++uses[classes ? 1 : 0] % 50 == 0)
    campaign = std::make_unique<Campaign>(make_study(classes), make_memory_event_store(),
                                          CampaignOptions{.threads = 1});
  return *campaign;
}

void require_books(const Campaign& campaign) {
  const State& state = campaign.state();
  if (!(state.spent() + state.escrow() < 1e300)) std::abort();
  for (const SuggestionRecord& record : state.suggestions())
    for (const double value : record.values)
      if (!(value > -1e308 && value < 1e308)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  const std::size_t end = std::min(text.find('\n'), text.size());
  HttpRequest request;
  static_cast<void>(take_target(text.substr(0, end), request));
  Campaign& campaign = campaign_for(size % 2 == 1);
  const Caller caller{"lea", Role::own};
  CampaignVerbs verbs(campaign, 60.0);
  LabelDesk desk(campaign, {}, 60.0);
  static_cast<void>(verbs.ask("{\"count\": 2}", caller));
  const std::string body = end < text.size() ? text.substr(end + 1) : "";
  try {
    switch (text.empty() ? 'a' : text[0]) {
      case 'a':
        static_cast<void>(verbs.ask(body, caller));
        break;
      case 't':
        static_cast<void>(verbs.tell(body, caller));
        break;
      case 'f':
        static_cast<void>(verbs.fail(body, caller));
        break;
      case 'r':
        static_cast<void>(verbs.release(body, caller));
        break;
      case 'm':
        static_cast<void>(verbs.tell("{\"id\": 1, \"y\": 1}", caller)),
            static_cast<void>(verbs.amend(body, caller));
        break;
      case 'h':
        static_cast<void>(verbs.heartbeat(body, caller));
        break;
      case 'p':
        static_cast<void>(predictions(campaign, body));
        break;
      case 'n':
        static_cast<void>(desk.next(body, caller));
        break;
      case 'l':
        static_cast<void>(desk.answer(body, caller));
        break;
      case 's':
        static_cast<void>(desk.skip(body, caller));
        break;
      default:
        static_cast<void>(desk.cannot_tell(body, caller));
        break;
    }
  } catch (const HttpProblem& problem) {
    if (problem.status() < 400 || problem.status() > 499) std::abort();
    if (problem_reply(problem).body.empty()) std::abort();
  } catch (const InputError&) {  // the server answers it with status 400
  }
  require_books(campaign);
  return 0;
}
