#include "service/campaign_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>

#include "acuity/base/errors.hpp"
#include "service/campaign_reader.hpp"
#include "service/campaign_verbs.hpp"
#include "service/label_desk.hpp"
#include "service/live_view.hpp"
#include "service/notifier.hpp"
#include "service/predictions.hpp"
#include "service/role_limits.hpp"
#include "service/serial_thread.hpp"
#include "service/turns.hpp"
#include "service/web_files.hpp"
#include "store/kept_files.hpp"
#include "views/explained_json.hpp"
#include "views/people_view.hpp"

namespace acuity {

namespace {

constexpr double model_seconds = 30.0;  // that a request waits for the first model
constexpr std::int64_t most_events = 10000;

// A request with who makes it and the part of its path that {} stands for.
struct Call {
  const HttpRequest& request;
  Caller caller;
  std::string part;

  std::string query(const std::string& name) const {
    const auto found = request.query.find(name);
    return found == request.query.end() ? "" : found->second;
  }
  std::int64_t number(const std::string& name, std::int64_t otherwise) const {
    const std::string given = query(name);
    if (given.empty()) return otherwise;
    const std::optional<std::int64_t> value = whole_number(given);
    if (!value || *value < 0)
      throw HttpProblem(400, fmt::format("\"{}\" is \"{}\", must be a whole number, 0 or more", name,
                                         printable(given, 40)));
    return *value;
  }
};

// People must not know which questions are about gold items.
bool hides_gold(const Caller& caller) {
  return caller.role < Role::run;
}

HttpReply json_reply(std::string text) {
  return {.status = 200, .content_type = "application/json", .body = std::move(text)};
}
HttpReply json_reply(const Json& json) {
  return json_reply(json_text(json));
}

// "amended,changed": names of events; empty: all.
std::set<std::string> kinds_in(const std::string& list) {
  std::set<std::string> kinds;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) kinds.insert(name);
  return kinds;
}

std::int64_t number_in_path(const std::string& part) {
  const std::optional<std::int64_t> number = whole_number(part);
  if (!number) throw HttpProblem(404, fmt::format("there is no suggestion \"{}\"", printable(part, 40)));
  return *number;
}

// "/v1/explain/{}" fits "/v1/explain/57"; the part may contain slashes if {} is the end of the pattern.
std::optional<std::string> part_of(const std::string& path, const std::string& pattern) {
  const std::size_t gap = pattern.find("{}");
  if (gap == std::string::npos) return path == pattern ? std::optional(std::string()) : std::nullopt;
  if (!path.starts_with(pattern.substr(0, gap)) || path.size() <= gap) return std::nullopt;
  const std::string end = pattern.substr(gap + 2);
  if (!path.ends_with(end) || path.size() <= gap + end.size()) return std::nullopt;
  return path.substr(gap, path.size() - gap - end.size());
}

std::vector<std::string> host_names(const ListenAddress& listen, int port,
                                    const std::vector<std::string>& names) {
  std::vector<std::string> hosts{ListenAddress{listen.host, port}.text()};
  if (listen.is_loopback())
    for (const char* name : {"localhost", "127.0.0.1", "[::1]"})
      hosts.push_back(fmt::format("{}:{}", name, port));
  hosts.insert(hosts.end(), names.begin(), names.end());
  return hosts;
}

// A further name is the name of a proxy. Whoever comes through it on this machine has a loopback address.
OpenTo open_to(const CampaignServerOptions& options) {
  if (options.watch_without_token) return OpenTo::everybody;
  const bool has_proxy = options.behind_proxy || !options.names.empty();
  return options.listen.is_loopback() && !has_proxy ? OpenTo::this_machine : OpenTo::nobody;
}

}  // namespace

namespace {

// The campaign that is changed, with what changes it.
struct Writer {
  Writer(const CampaignAddress& address, const CampaignServerOptions& options, LabelItems items)
      : campaign(Campaign::open(address, Access::write, options.campaign)),
        verbs(campaign, options.lease),
        desk(campaign, std::move(items), options.lease) {
    campaign.take_ownership();
  }

  Campaign campaign;
  CampaignVerbs verbs;
  LabelDesk desk;
};

// Replies that were made before: watchers ask for the same pictures.
struct Drawings {
  struct Drawn {
    std::shared_ptr<const void> of;  // the object that they show
    std::map<std::string, std::string> replies;
  };
  Drawn slices, pool;
};

}  // namespace

// Requests come on the threads of HttpServer, many at a time, and a Campaign must be used by one thread at a
// time. So each has a thread of its own, which OnThread makes the only way to it:
// - `writer` is the campaign that this process owns; every change goes through it, in the order of arrival.
// - `reader` answers what needs no model, so that looking never waits for a choice.
// - `thinker` answers what needs a model and takes long, at low priority, as long as somebody waits for it.
// - `drawings` makes pictures of snapshots at low priority.
// `view` has two threads and readers of its own, and hands out immutable snapshots, which any thread may use.
// `gate`, `rate` and `http` may be used by all threads. The constructor makes `http` before `gate`, which
// needs its port; requests are refused until `ready`.
struct CampaignServer::Parts {
  using Priority = SerialThread::Priority;

  Parts(const CampaignAddress& address, Tokens tokens, CampaignServerOptions given)
      : options(std::move(given)),
        reader(Priority::usual, address, reader_options()),
        thinker(Priority::low, address, reader_options()),
        heavy_reads(std::max(1, options.limits.handlers / 4), "too many others wait for what takes long",
                    2.0),
        reads(std::max(1, options.limits.handlers / 2), "too many others read at this moment", 1.0),
        rate(options.requests_per_second, 5.0 * options.requests_per_second) {
    if (!options.items.empty())
      items = reader.with([&](CampaignReader& r) {
        return LabelItems(options.items, options.images, r.campaign().study().pool());
      });
    if (!options.only_watch) writer.emplace(Priority::usual, address, options, items);
    http = std::make_unique<HttpServer>(options.listen, options.tls ? &*options.tls : nullptr, options.limits,
                                        [this](const HttpRequest& request) { return answer(request); });
    gate.emplace(std::move(tokens),
                 AccessRules{.hosts = host_names(options.listen, http->port(), options.names),
                             .is_encrypted = options.tls.has_value(),
                             .open_to = open_to(options)});
    // One thread for what the page shows: who asks is not to wait for it.
    CampaignOptions in_background = reader_options();
    in_background.threads = 1;
    LiveView::Options shown{.campaign = in_background, .runs = options.runs};
    if (!options.notify.empty()) {
      const std::string name =
          reader.with([](CampaignReader& r) { return r.campaign().study().file().name; });
      notifier.emplace(ServerUrl::of(options.notify), name, options.complain);
      shown.news = [this](const std::string& event, const std::string& text) { notifier->send(event, text); };
    }
    view.emplace(address, shown, [this](const std::string& event, std::int64_t sequence) {
      http->publish(event, json_text({{"sequence", sequence}}));
    });
    ready = true;
  }
  ~Parts() { stop(); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  // What takes long is ended and nothing more is begun.
  void refuse_more() {
    stopping = true;
    const std::lock_guard lock(ending);
    if (view) view->end();
  }

  void stop() {
    refuse_more();
    if (http) http->stop();
    {
      const std::lock_guard lock(ending);
      view.reset();
    }
    if (writer) writer->with([](Writer& w) { w.campaign.give_up_ownership(); });
    writer.reset();
  }

  CampaignOptions reader_options() const {
    CampaignOptions quiet = options.campaign;
    quiet.watch = {};
    return quiet;
  }

  // ---- From a request to a reply ------------------------------------------------------------------------

  HttpReply answer(const HttpRequest& request);
  HttpReply file(const HttpRequest& request) const;

  template <typename Task>
  auto writing(const Task& task) {
    if (!writer) throw HttpProblem(403, "this server only watches: it was started with --only-watch");
    return writer->with(task);
  }

  // Work that nobody waits for any more is dropped.
  auto is_unwanted(const Call& call) const {
    return [this, &call] { return stopping || (call.request.is_abandoned && call.request.is_abandoned()); };
  }

  template <typename Task>
  auto thinking(const Call& call, const Task& task) {
    return thinker.with_unless(is_unwanted(call), task);
  }

  template <typename Draw>
  HttpReply drawn(const Call& call, Drawings::Drawn Drawings::* which, const std::shared_ptr<const void>& of,
                  const std::string& key, const Draw& draw) {
    constexpr std::size_t most_known = 64;
    return json_reply(drawings.with_unless(is_unwanted(call), [&](Drawings& all) {
      Drawings::Drawn& known = all.*which;
      if (known.of != of || known.replies.size() >= most_known) known = {of, {}};
      const auto found = known.replies.find(key);
      return found != known.replies.end() ? found->second : known.replies.emplace(key, draw()).first->second;
    }));
  }

  HttpReply me(const Call& call);
  HttpReply events(const Call& call);
  HttpReply figure(const Call& call) const;
  HttpReply image(const Call& call);
  HttpReply files();
  HttpReply copy(const Call& call);

  CampaignServerOptions options;
  OnThread<CampaignReader> reader, thinker;
  LabelItems items;                        // does not change after the start
  std::optional<OnThread<Writer>> writer;  // absent: only watches
  OnThread<Drawings> drawings{Priority::low};
  Turns heavy_reads, reads;  // together they leave a quarter of the handlers to those who ask and answer
  RateLimit rate;
  std::unique_ptr<HttpServer> http;
  std::optional<Gate> gate;
  std::optional<Notifier> notifier;  // `view` uses it
  std::optional<LiveView> view;
  std::atomic<bool> ready{false}, stopping{false};
  std::mutex ending;  // of `view`: refuse_more() may come from another thread than stop()
};

namespace {

// What is done for a route of route_limits().
struct BoundRoute {
  struct {
    std::string method, pattern;
  } route;
  std::function<HttpReply(CampaignServer::Parts&, const Call&)> reply;
};

// A verb runs in the writer's turn.
template <typename Object, typename Verb>
std::function<HttpReply(CampaignServer::Parts&, const Call&)> verb(Object Writer::* object, Verb what) {
  return [object, what](CampaignServer::Parts& parts, const Call& call) {
    return json_reply(
        parts.writing([&](Writer& w) { return ((w.*object).*what)(call.request.body, call.caller); }));
  };
}

// What needs no model.
template <typename Question>
std::function<HttpReply(CampaignServer::Parts&, const Call&)> read_only(Question question) {
  return [question](CampaignServer::Parts& parts, const Call& call) {
    const Turns::Turn turn = parts.reads.take();
    return json_reply(
        parts.reader.with([&](CampaignReader& r) { return (r.*question)(hides_gold(call.caller)); }));
  };
}

// Other reads, which are quick.
template <typename Reply>
std::function<HttpReply(CampaignServer::Parts&, const Call&)> quick(Reply reply) {
  return [reply](CampaignServer::Parts& parts, const Call& call) {
    const Turns::Turn turn = parts.reads.take();
    return reply(parts, call);
  };
}

// What needs a model or draws, and may take long.
template <typename Reply>
std::function<HttpReply(CampaignServer::Parts&, const Call&)> heavy(Reply reply) {
  return [reply](CampaignServer::Parts& parts, const Call& call) {
    const Turns::Turn turn = parts.heavy_reads.take();
    return reply(parts, call);
  };
}

const std::vector<BoundRoute>& bound_routes() {
  using Parts = CampaignServer::Parts;
  static const std::vector<BoundRoute> routes{
      {{"GET", "/v1/me"}, quick([](Parts& p, const Call& c) { return p.me(c); })},
      {{"GET", "/v1/status"}, read_only(&CampaignReader::status)},
      {{"GET", "/v1/study"}, read_only(&CampaignReader::study)},
      {{"GET", "/v1/pending"}, read_only(&CampaignReader::pending)},
      {{"GET", "/v1/annotations"}, read_only(&CampaignReader::annotations)},
      {{"GET", "/v1/events"}, quick([](Parts& p, const Call& c) { return p.events(c); })},
      {{"GET", "/v1/view"}, quick([](Parts& p, const Call& c) {
         const auto snapshot = p.view->snapshot();
         return json_reply(hides_gold(c.caller) ? snapshot->view_for_watchers : snapshot->view);
       })},
      {{"GET", "/v1/answers"}, quick([](Parts& p, const Call& c) {
         constexpr std::int64_t most_rows = 5000;
         const std::int64_t limit = std::min(c.number("limit", 1000), most_rows);
         return json_reply(
             p.view->snapshot()->answers->json(c.number("from", 0), limit, hides_gold(c.caller)));
       })},
      {{"GET", "/v1/slice"}, heavy([](Parts& p, const Call& c) {
         const auto slices = p.view->snapshot_with_slices(model_seconds)->slices;
         return p.drawn(c, &Drawings::slices, slices,
                        c.query("x") + '\n' + c.query("y") + '\n' + c.query("at"),
                        [&] { return slices->json(c.query("x"), c.query("y"), c.query("at")); });
       })},
      {{"GET", "/v1/pool"}, heavy([](Parts& p, const Call& c) {
         const auto pool = p.view->snapshot_with_pool(model_seconds)->pool;
         return p.drawn(c, &Drawings::pool, pool, c.query("x") + '\n' + c.query("y"),
                        [&] { return pool->json(c.query("x"), c.query("y")); });
       })},
      {{"GET", "/v1/figures/{}.svg"}, quick([](Parts& p, const Call& c) { return p.figure(c); })},
      {{"GET", "/v1/explain/next"}, heavy([](Parts& p, const Call& c) {
         // Of a large pool some points were scored, and the next of them is explained already.
         const auto pool = p.view->snapshot()->pool;
         if (pool && pool->is_sample()) return json_reply(pool->explained_next_json());
         return json_reply(
             p.thinking(c, [](CampaignReader& r) { return explained_next_json(r.campaign_now()); }));
       })},
      {{"GET", "/v1/explain/point/{}"}, heavy([](Parts& p, const Call& c) {
         // Of a large pool those that were scored are there already.
         const auto pool = p.view->snapshot()->pool;
         const bool is_there = pool && pool->is_sample() && pool->has(c.part);
         return json_reply(p.thinking(c, [&](CampaignReader& r) {
           return is_there ? pool->explained_point_json(c.part)
                           : explained_point_json(r.campaign_now(), c.part);
         }));
       })},
      {{"GET", "/v1/explain/{}"}, heavy([](Parts& p, const Call& c) {
         const std::int64_t id = number_in_path(c.part);
         return json_reply(p.thinking(c, [&](CampaignReader& r) {
           // A gold item is asked about although another one is worth more, which the reasons would show.
           if (hides_gold(c.caller) && !r.campaign().study().gold().empty())
             throw HttpProblem(403, "reasons of questions need the role run: some have known answers");
           return explained_json(r.campaign_now(), id);
         }));
       })},
      {{"POST", "/v1/predict"}, heavy([](Parts& p, const Call& c) {
         return json_reply(
             p.thinking(c, [&](CampaignReader& r) { return predictions(r.campaign_now(), c.request.body); }));
       })},
      {{"POST", "/v1/ask"}, verb(&Writer::verbs, &CampaignVerbs::ask)},
      {{"POST", "/v1/tell"}, verb(&Writer::verbs, &CampaignVerbs::tell)},
      {{"POST", "/v1/fail"}, verb(&Writer::verbs, &CampaignVerbs::fail)},
      {{"POST", "/v1/release"}, verb(&Writer::verbs, &CampaignVerbs::release)},
      {{"POST", "/v1/heartbeat"}, verb(&Writer::verbs, &CampaignVerbs::heartbeat)},
      {{"POST", "/v1/amend"}, verb(&Writer::verbs, &CampaignVerbs::amend)},
      {{"POST", "/v1/label/next"}, verb(&Writer::desk, &LabelDesk::next)},
      {{"POST", "/v1/label/answer"}, verb(&Writer::desk, &LabelDesk::answer)},
      {{"POST", "/v1/label/skip"}, verb(&Writer::desk, &LabelDesk::skip)},
      {{"POST", "/v1/label/cannot-tell"}, verb(&Writer::desk, &LabelDesk::cannot_tell)},
      {{"GET", "/v1/files"}, quick([](Parts& p, const Call&) { return p.files(); })},
      {{"GET", "/v1/files/{}"}, quick([](Parts& p, const Call& c) { return p.copy(c); })},
      {{"GET", "/v1/label/image/{}"}, [](Parts& p, const Call& c) { return p.image(c); }}};
  return routes;
}

}  // namespace

HttpReply CampaignServer::Parts::file(const HttpRequest& request) const {
  const std::string path = request.path == "/" || request.path == "/label" ? "/index.html" : request.path;
  for (const WebFile& one : web_files())
    if (one.path == path)
      return {.status = 200, .content_type = std::string(one.content_type), .body = std::string(one.content)};
  throw HttpProblem(404, fmt::format("there is no \"{}\" here", printable(request.path, 60)));
}

// The page itself says nothing about the campaign, so it needs no token; but the host is checked for it, too.
HttpReply CampaignServer::Parts::answer(const HttpRequest& request) {
  if (!ready) throw HttpProblem(503, "the server is starting", 1.0);
  if (stopping) throw HttpProblem(503, "the server is stopping", 5.0);
  const bool is_data = request.path.starts_with("/v1/");
  // An <img> of a foreign page sends no Origin.
  if (is_data && request.fetch_site == "cross-site")
    throw HttpProblem(403, "the request comes from a page of another origin");
  HttpRequest checked = request;
  if (!is_data) checked.authorization.clear();
  const auto count = [&](const std::string& client) {
    if (const double wait = rate.wait_of(client, std::chrono::steady_clock::now()); wait > 0.0)
      throw HttpProblem(429, "too many requests", wait);
  };
  Caller caller;
  try {
    caller = gate->caller_of(checked);
  } catch (const HttpProblem& problem) {
    if (is_data || problem.status() != 401) {
      // Wrong tokens, hosts, origins and types are requests of their address. Right tokens from the same
      // address, which may be a proxy's, have a count of their own.
      count("address " + request.peer);
      throw;
    }
  }
  count(caller.name.empty() ? "address " + request.peer : "token " + caller.name);
  if (!is_data) {
    if (request.method != "GET") throw HttpProblem(405, "the page can only be read");
    return file(request);
  }
  bool is_known = false;
  for (const BoundRoute& bound : bound_routes()) {
    const std::optional<std::string> part = part_of(request.path, bound.route.pattern);
    if (!part) continue;
    is_known = true;
    if (bound.route.method != request.method) continue;
    require_allowed(limits_of(bound.route.method, bound.route.pattern), caller);
    try {
      return bound.reply(*this, {request, caller, *part});
    } catch (const InputError& error) {
      throw HttpProblem(400, error.what());
    } catch (const StoreError& error) {
      throw HttpProblem(503, error.what(), 5.0);
    } catch (const base::BackgroundEnded&) {
      throw HttpProblem(503, "the server is stopping", 5.0);  // or nobody waits for this
    }
  }
  if (is_known)
    throw HttpProblem(405, fmt::format("{} is not done with {}", printable(request.path, 60),
                                       printable(request.method, 10)));
  throw HttpProblem(404, fmt::format("there is no \"{}\" here", printable(request.path, 60)));
}

HttpReply CampaignServer::Parts::me(const Call& call) {
  bool asks_people = false;
  const std::string level = reader.with([&](CampaignReader& r) {
    const Campaign& campaign = r.campaign_now();
    const StudyFile& file = campaign.study().file();
    asks_people = file.annotator.kind == AnnotatorSetting::Kind::none || file.people.present ||
                  !campaign.state().people().empty();
    const Person* person = campaign.state().find_person(call.caller.name);
    return person == nullptr ? std::string() : levels_text(person->levels);
  });
  return json_reply(Json{{"name", call.caller.name},
                         {"role", role_name(call.caller.role)},
                         {"level", level.empty() ? Json() : Json(level)},
                         {"can_label", writer.has_value() && call.caller.role >= Role::label},
                         {"only_watch", !writer.has_value()},
                         {"asks_people", asks_people},
                         {"version", ACUITY_VERSION}});
}

HttpReply CampaignServer::Parts::events(const Call& call) {
  if (call.request.accept.find("text/event-stream") != std::string::npos) {
    const std::int64_t sequence =
        reader.with([](CampaignReader& r) { return r.campaign().state().sequence(); });
    return {.status = 200,
            .content_type = "text/event-stream",
            .body = fmt::format("event: log\ndata: {{\"sequence\": {}}}\n\n", sequence),
            .fields = {},
            .is_event_stream = true,
            .stream_client = call.caller.name.empty() ? call.request.peer : std::string()};
  }
  const std::int64_t after = call.number("after", 0),
                     limit = std::min(call.number("limit", 1000), most_events);
  const std::set<std::string> kinds = kinds_in(call.query("kinds"));
  return {.status = 200, .content_type = "application/x-ndjson", .body = reader.with([&](CampaignReader& r) {
            return r.events(after, limit, hides_gold(call.caller), kinds);
          })};
}

HttpReply CampaignServer::Parts::figure(const Call& call) const {
  const std::shared_ptr<const ViewSnapshot> snapshot = view->snapshot();
  const auto none = std::make_shared<const std::map<std::string, std::string>>();
  const auto figures = snapshot->figures ? snapshot->figures : none;  // none is listed in the view yet
  const auto found = figures->find(call.part);
  if (found == figures->end())
    throw HttpProblem(404, fmt::format("there is no picture \"{}\"", printable(call.part, 40)));
  return {.status = 200, .content_type = "image/svg+xml", .body = found->second};
}

HttpReply CampaignServer::Parts::image(const Call& call) {
  const std::int64_t id = number_in_path(call.part);
  const std::string point = writing([&](Writer& w) {
    const SuggestionRecord* record = w.campaign.state().find(id);
    if (record == nullptr || (record->asked.worker != call.caller.name && call.caller.role < Role::run))
      throw HttpProblem(404, fmt::format("there is no item {} for {}", id, printable(call.caller.name, 40)));
    return record->asked.point;
  });
  const std::optional<LabelItems::Image> found = items.image(point);
  if (!found) throw HttpProblem(404, fmt::format("item {} has no image", id));
  return {.status = 200, .content_type = found->content_type, .body = found->content};
}

// The frozen study, pool and tables, which a remote worker needs; no other file of the campaign.
HttpReply CampaignServer::Parts::files() {
  Json names = Json::array();
  for (const auto& [name, content] :
       reader.with([](CampaignReader& r) { return files_in(r.campaign().copies()); }))
    names.push_back(name);
  return json_reply(Json{{"files", std::move(names)}});
}

HttpReply CampaignServer::Parts::copy(const Call& call) {
  FilesByName all = reader.with([](CampaignReader& r) { return files_in(r.campaign().copies()); });
  const auto found = all.find(call.part);
  if (found == all.end())
    throw HttpProblem(404, fmt::format("there is no file \"{}\"", printable(call.part, 40)));
  return {.status = 200, .content_type = "application/octet-stream", .body = std::move(found->second)};
}

CampaignServer::CampaignServer(const CampaignAddress& address, Tokens tokens, CampaignServerOptions options)
    : parts_(std::make_unique<Parts>(address, std::move(tokens), std::move(options))) {}
CampaignServer::~CampaignServer() = default;

int CampaignServer::port() const {
  return parts_->http->port();
}

void CampaignServer::look_at_log() {
  if (parts_->writer) parts_->writer->with([](Writer& w) { w.campaign.refresh(); });
}

void CampaignServer::refuse_more() {
  parts_->refuse_more();
}

void CampaignServer::stop() {
  parts_->stop();
}

}  // namespace acuity
