// What a server answers to `acuity run --join`: the first line chooses the request, the rest is the reply. It
// is a suggestion of this study, names of files or one sentence; never another exception.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "acuity/base/errors.hpp"
#include "service/remote_reply.hpp"
#include "target.hpp"

namespace {

using namespace acuity;

Study joined_study(bool ladder) {
  static_cast<void>(fuzz::as_file("case,x\na,0\nb,1\nc,2\nd,3\n", "pool.csv"));
  return Study::open(
      fuzz::as_file(std::string("[campaign]\nbudget = 6\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n") +
                        (ladder ? "[noise]\nvariance = 0.1\n[precision]\nalpha = { from = 1, to = inf, count "
                                  "= 5, spacing = \"inverse\" }\n"
                                  "gamma = 0.09\ncost = { form = \"power\", c = 9.0, q = 0.8 }\n"
                                : "[[level]]\nname = \"one\"\nnoise_sd = 0.1\ncost = 1\n") +
                        "[model]\namplitude = 1\nlengthscale = 1\nfit = \"never\"\n",
                    "study.toml"));
}

void check_ask(const std::string& body, const Study& study) {
  const AskReply reply = ask_reply_in(body, study);
  if (!(reply.retry_after > 0.0 && reply.retry_after <= 60.0)) std::abort();
  if (!reply.suggestion) return;
  if (reply.suggestion->id < 1 || !(reply.suggestion->cost >= 0.0) || !std::isfinite(reply.suggestion->cost))
    std::abort();
  if (reply.suggestion->row < 0 || reply.suggestion->row >= study.pool().size()) std::abort();
}

void check_files(const std::string& body) {
  for (const std::string& name : file_names_in(body))
    if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Study levels = joined_study(false), ladder = joined_study(true);
  const std::string text(fuzz::text_of(data, size));
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string body = end < text.size() ? text.substr(end + 1) : "";
  if (error_of({.status = 400, .body = body}).empty() && body.find("\"\"") == std::string::npos) std::abort();
  try {
    switch (text.empty() ? 'a' : text[0]) {
      case 'f':
        check_files(body);
        break;
      case 'l':
        check_ask(body, ladder);
        break;
      default:
        check_ask(body, levels);
    }
  } catch (const InputError& error) {
    if (std::string(error.what()).size() > 1000) std::abort();
  }
  return 0;
}
