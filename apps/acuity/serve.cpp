#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "interruptible.hpp"
#include "notes.hpp"
#include "service/campaign_server.hpp"
#include "service/http_client.hpp"
#include "shared_options.hpp"

namespace acuity {

namespace {

struct ServeArguments {
  CampaignAddress campaign;
  std::string listen = "127.0.0.1:8080";
  std::string tokens;
  std::vector<std::string> tls, names;
  bool behind_proxy = false, only_watch = false, watch_without_token = false;
  double lease = 900.0;  ///< seconds
  std::string items, images, notify;
  PoolWork work;
};

// Elsewhere than on this machine alone nobody may come without a token, and tokens must not be readable on
// the way.
void require_safety(const ServeArguments& arguments, const ListenAddress& listen) {
  if (listen.is_loopback()) return;
  if (arguments.tokens.empty())
    throw InputError(fmt::format(
        "--listen {} can be reached from other machines, must come with --tokens FILE", listen.text()));
  if (arguments.tls.empty() && !arguments.behind_proxy)
    throw InputError(
        fmt::format("--listen {} can be reached from other machines, must come with --tls CERT KEY, or with "
                    "--behind-proxy if a proxy encrypts",
                    listen.text()));
}

CampaignServerOptions server_options(const ServeArguments& arguments) {
  CampaignServerOptions options;
  options.listen = ListenAddress::of(arguments.listen);
  require_safety(arguments, options.listen);
  if (!arguments.tls.empty() && arguments.tls.size() != 2)
    throw InputError(
        fmt::format("--tls has {} files, must have two: the certificate and its key", arguments.tls.size()));
  if (!arguments.tls.empty()) options.tls = TlsFiles{arguments.tls[0], arguments.tls[1]};
  options.names = arguments.names;
  options.behind_proxy = arguments.behind_proxy;
  options.watch_without_token = arguments.watch_without_token;
  options.only_watch = arguments.only_watch;
  options.lease = arguments.lease;
  if (!arguments.campaign.is_in_database()) options.runs = arguments.campaign.folder() / "runs";
  if (!arguments.notify.empty()) ServerUrl::of(arguments.notify);  // refused now, not when there is news
  options.notify = arguments.notify;
  options.items = arguments.items;
  options.images = arguments.images;
  options.campaign.threads = arguments.work.threads;
  options.campaign.storage = arguments.work.storage;
  options.campaign.plan_seconds = arguments.work.plan_seconds;
  return options;
}

// The part of the address after # stays in the browser: it is not sent, and so not logged.
void say_where(const ServeArguments& arguments, const CampaignServerOptions& options, int port,
               const Tokens& tokens, std::ostream& out) {
  const std::string page = fmt::format("{}://{}/", options.tls ? "https" : "http",
                                       ListenAddress{options.listen.host, port}.text());
  out << one_line(fmt::format("{}: {}{}", arguments.campaign.text(), page,
                              arguments.only_watch ? " (only to watch)" : ""))
      << '\n';
  if (arguments.tokens.empty() && !arguments.only_watch)
    out << "To change anything, with the token of this start: " << page << "#token=" << tokens.owner_token()
        << '\n';
  out << "Ctrl-C ends it." << std::endl;
}

// The main thread may wait for a choice that takes minutes when the signal comes. What was acknowledged is in
// the log by then, so that the process may end without it.
void end_in_time(CampaignServer& server, const std::atomic<bool>& stopped, std::ostream& log) {
  constexpr auto step = std::chrono::milliseconds(50);
  while (!stopped && !Interruptible::interrupted()) std::this_thread::sleep_for(step);
  if (stopped) return;
  server.refuse_more();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(8);
  while (!stopped && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(step);
  if (stopped) return;
  log << "a choice was not finished; nothing that was acknowledged is lost" << std::endl;
  std::_Exit(static_cast<int>(ExitCode::done));
}

ExitCode serve(const ServeArguments& arguments, std::ostream& out, std::ostream& log) {
  CampaignServerOptions options = server_options(arguments);
  const Tokens tokens = arguments.tokens.empty() ? Tokens::with_new_owner() : Tokens::read(arguments.tokens);
  if (!Campaign::recognises(arguments.campaign))
    throw InputError(
        fmt::format("{}: it is no campaign; acuity init creates one", arguments.campaign.text()));
  options.complain = [&log](const std::string& sentence) { log << sentence << std::endl; };
  const Interruptible interruptible;
  const CampaignServerOptions used = options;
  CampaignServer server(arguments.campaign, tokens, std::move(options));
  say_where(arguments, used, server.port(), tokens, out);
  std::atomic<bool> stopped{false};
  const std::jthread watchdog([&] { end_in_time(server, stopped, log); });
  struct Stopped {
    std::atomic<bool>& flag;
    ~Stopped() { flag = true; }
  } const at_end{stopped};
  while (!Interruptible::interrupted()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    server.look_at_log();
  }
  log << "stopping ..." << std::endl;
  server.stop();
  return ExitCode::done;
}

}  // namespace

void add_serve(Program& program) {
  auto [command, arguments] = program.add<ServeArguments>(
      {.name = "serve",
       .help = "Show a campaign on a page that follows it, let people label, and answer workers over HTTP",
       .example = "acuity serve wing.acuity",
       .output = Output::at_once},
      serve);
  add_campaign(command, arguments.campaign);
  command.text("--listen", "127.0.0.1:8080", arguments.listen,
               "Address and port (default 127.0.0.1:8080, this machine alone; port 0: any free one)");
  command.file(
      "--tokens", "FILE", arguments.tokens,
      "Who may do what: lines NAME ROLE TOKEN with the roles watch, label, run and own (default: one token "
      "for everything, drawn at the start and printed)");
  command.words("--tls", "CERT KEY", arguments.tls, "Encrypt with this certificate and key, in PEM format");
  command.flag("--behind-proxy", arguments.behind_proxy,
               "A proxy on the way encrypts: listen to other machines without --tls");
  command.words(
      "--name", "HOST", arguments.names,
      "A further name under which the page is opened, such as that of the proxy, with its port if it is not "
      "the usual one; may be repeated");
  command.flag("--only-watch", arguments.only_watch,
               "Change nothing, so that the campaign may be run by another process at the same time");
  command.flag(
      "--watch-without-token", arguments.watch_without_token,
      "Let everybody look who can connect (default: from this machine alone, and nobody behind a proxy)");
  add_duration(
      command,
      {.name = "--lease",
       .example = "15m",
       .help = "How long an item is kept for who asked for it, if the request does not say (default 15m)"},
      [&a = arguments](double seconds) { a.lease = seconds; });
  command.file("--items", "ITEMS.csv", arguments.items,
               "What people see of a point to label: the columns id and text or image");
  command.file("--images", "DIR", arguments.images, "Folder of the images that --items names");
  command.text("--notify", "URL", arguments.notify,
               "Post a JSON message with campaign, event and text to this address when the campaign is "
               "finished, or its intervals are found to be wrong");
  add_pool_work(command, arguments.work);
}

}  // namespace acuity
