#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <set>
#include <thread>

#include "acuity/base/errors.hpp"
#include "acuity/store/open_event_store.hpp"
#include "store/postgres_connection.hpp"
#include "support/background.hpp"
#include "support/cutting_proxy.hpp"
#include "support/postgres_server.hpp"
#include "support/program.hpp"
#include "support/store_load.hpp"
#include "support/thorough.hpp"

#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#endif

namespace acuity::postgres_event_store_test {
namespace {

namespace fs = std::filesystem;
using Cut = testing::CuttingProxy::Cut;

std::vector<Event> budget(double by) {
  return {BudgetChanged{by}};
}

std::vector<double> budgets_in(const std::vector<StoredEvent>& events) {
  std::vector<double> all;
  for (const StoredEvent& stored : events) all.push_back(std::get<BudgetChanged>(stored.event).by);
  return all;
}

// The message of an exception of this kind, which must not have the password in it.
template <typename Error = StoreError, typename Work>
std::string sentence_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find(testing::PostgresServer::password), std::string::npos)
        << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "must complain";
  return "";
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

// How long a lost server is tried again.
class Patience {
 public:
  explicit Patience(const char* seconds) { setenv("ACUITY_DATABASE_PATIENCE", seconds, 1); }
  ~Patience() { unsetenv("ACUITY_DATABASE_PATIENCE"); }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;
};

class PostgresStore : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = testing::PostgresServer::why_not(); !reason.empty())
      GTEST_SKIP() << reason;
    server = std::make_unique<testing::PostgresServer>(settings(), hosts());
  }
  virtual std::vector<std::string> settings() const { return {}; }
  virtual std::vector<std::pair<std::string, std::string>> hosts() const { return {}; }

  CampaignAddress at(const std::string& campaign, const std::string& user = "acuity") const {
    return server->address("postgres", 0, "127.0.0.1", user) + "/" + campaign;
  }
  // Through a proxy; sessions that are idle in a transaction end after `idle`.
  CampaignAddress through(const testing::CuttingProxy& proxy, const std::string& idle = "60s") const {
    return server->address("postgres", proxy.port()) +
           "/wing?options=-c%20idle_in_transaction_session_timeout%3D" + idle;
  }
  std::unique_ptr<EventStore> filled(int count, const std::string& campaign = "wing") {
    auto store = create_event_store(at(campaign), std::vector<Event>{});
    for (int k = 0; k < count; ++k) store->add(k, [&](const auto&) { return budget(k); });
    return store;
  }
  // With the trigger that keeps the log from being changed out of the way.
  void tamper(const std::string& statements) {
    server->execute("ALTER TABLE acuity.event DISABLE TRIGGER never;" + statements +
                    ";ALTER TABLE acuity.event ENABLE TRIGGER never");
  }

  std::unique_ptr<testing::PostgresServer> server;
};

// Clients that add numbered events until they are stopped or have added so many, each with its own
// connection.
class Clients {
 public:
  Clients(const CampaignAddress& address, int clients, int each) {
    // Opened before a test kills the server: an address at which nobody answers is refused at once.
    std::vector<std::shared_ptr<EventStore>> stores;
    for (int k = 0; k < clients; ++k) stores.push_back(open_event_store(address));
    for (int k = 0; k < clients; ++k)
      threads_.emplace_back([this, store = stores[static_cast<std::size_t>(k)], k, each] {
        try {
          std::int64_t last = static_cast<std::int64_t>(store->read(0).size());
          for (int i = 0; i < each && !stopping_; ++i) {
            const double number = 1e6 * (k + 1) + i;
            std::int64_t seen = last;
            const auto added = store->add(last, [&](const std::vector<StoredEvent>& news) {
              for (const StoredEvent& stored : news) EXPECT_EQ(stored.sequence, ++seen);
              return budget(number);
            });
            ASSERT_EQ(added.size(), 1U);
            EXPECT_EQ(added[0].sequence, seen + 1) << "follows what its decision has seen";
            last = added[0].sequence;
            const std::lock_guard lock(mutex_);
            acknowledged_.insert(number);
          }
        } catch (const std::exception& error) {
          ADD_FAILURE() << error.what();
        }
      });
  }
  ~Clients() { stop(); }

  void stop() {
    stopping_ = true;
    join();
  }
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return acknowledged_.size();
  }
  // What was acknowledged, and nothing else, is in the log once.
  void expect_exactly_in(const CampaignAddress& address) {
    join();
    const std::vector<StoredEvent> events = open_event_store(address, Access::read)->read(0);
    const std::vector<double> budgets = budgets_in(events);
    EXPECT_EQ(std::set<double>(budgets.begin(), budgets.end()).size(), budgets.size()) << "none twice";
    EXPECT_EQ(std::set<double>(budgets.begin(), budgets.end()), acknowledged_) << "none lost";
    EXPECT_EQ(inspect_log(address).problem_count, 0);
  }

 private:
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::set<double> acknowledged_;
  std::vector<std::thread> threads_;
};

TEST_F(PostgresStore, NeitherLosesNorDoublesCommitsThatAreCut) {
  filled(0);
  testing::CuttingProxy proxy(server->port());
  proxy.cut(5, {Cut::before, Cut::after, Cut::after});
  Clients clients(through(proxy), 4, testing::tries(15, 100));
  clients.join();
  EXPECT_EQ(clients.count(), 4U * static_cast<unsigned>(testing::tries(15, 100)));
  EXPECT_GT(proxy.cut_before(), 0);
  EXPECT_GT(proxy.cut_after(), 2) << "these were committed, and the client was not told";
  clients.expect_exactly_in(at("wing"));
}

TEST_F(PostgresStore, CallsADecisionAgainWithWhatHasComeSinceItsLastCall) {
  const auto other = filled(2);
  testing::CuttingProxy proxy(server->port());
  const auto store = open_event_store(through(proxy));
  store->read(0);
  proxy.cut(1, {Cut::before});
  std::vector<std::size_t> news_of_calls;
  const auto added = store->add(1, [&](const std::vector<StoredEvent>& news) {
    news_of_calls.push_back(news.size());
    if (news_of_calls.size() == 2) proxy.cut(1, {});  // the third commit passes
    return budget(10.0 * static_cast<double>(news_of_calls.size()));
  });
  EXPECT_EQ(news_of_calls, (std::vector<std::size_t>{1, 0}));
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(budgets_in(other->read(2)), std::vector{20.0}) << "what was decided before is forgotten";
}

TEST_F(PostgresStore, ReturnsWhatWasCommittedWhenTheAnswerWasLost) {
  const auto other = filled(1);
  testing::CuttingProxy proxy(server->port());
  const auto store = open_event_store(through(proxy));
  proxy.cut(1, {Cut::after});
  int calls = 0;
  const auto added = store->add(1, [&](const auto&) {
    ++calls;
    return std::vector<Event>{BudgetChanged{5.0}, BudgetChanged{6.0}};
  });
  EXPECT_EQ(calls, 1) << "it was committed, so nobody decides again";
  EXPECT_EQ(budgets_in(added), (std::vector{5.0, 6.0}));
  EXPECT_EQ(budgets_in(other->read(1)), (std::vector{5.0, 6.0}));
  proxy.cut(1, {});
  EXPECT_EQ(store->add(3, [](const auto&) { return budget(7.0); }).at(0).sequence, 4);
}

TEST_F(PostgresStore, CreatesACampaignOnceWhereTheCommitIsCut) {
  filled(0, "other");  // the tables
  testing::CuttingProxy proxy(server->port());
  for (const Cut way : {Cut::before, Cut::after}) {
    const CampaignAddress address =
        server->address("postgres", proxy.port()) + (way == Cut::before ? "/cut-before" : "/cut-after");
    proxy.cut(1, {way});
    int calls = 0;
    std::thread healing([&] {
      testing::comes_true([&] { return (way == Cut::before ? proxy.cut_before() : proxy.cut_after()) > 0; });
      proxy.cut(1, {});
    });
    const auto store =
        create_event_store(address, std::vector<Event>{BudgetChanged{3.0}}, {{"pool.csv", "a"}});
    healing.join();
    EXPECT_EQ(store->read(0).size(), 1U) << calls;
    EXPECT_EQ(store->file("pool.csv"), "a");
    EXPECT_EQ(inspect_log(address).problem_count, 0);
  }
  EXPECT_EQ(list_campaigns(at("wing").database()).size(), 3U);
}

// A session whose client is gone without a word holds the lock until the server ends it.
TEST_F(PostgresStore, GoesOnAfterSessionsThatAreHalfOpen) {
  filled(0);
  testing::CuttingProxy proxy(server->port());
  proxy.cut(7, {Cut::silently});
  Clients clients(through(proxy, "500ms"), 3, testing::tries(7, 40));
  clients.join();
  EXPECT_EQ(clients.count(), 3U * static_cast<unsigned>(testing::tries(7, 40)));
  EXPECT_GT(proxy.cut_before(), 1);
  clients.expect_exactly_in(at("wing"));
}

TEST_F(PostgresStore, LosesNothingWhenTheServerIsKilledTwiceUnderLoad) {
  filled(0);
  Clients clients(at("wing"), 6, 1'000'000);
  for (int k = 0; k < 2; ++k) {
    const std::size_t before = clients.count();
    EXPECT_TRUE(testing::comes_true([&] { return clients.count() > before + 10; }));
    server->kill();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    server->start();
  }
  const std::size_t before = clients.count();
  EXPECT_TRUE(testing::comes_true([&] { return clients.count() > before + 10; }))
      << "they go on by themselves";
  clients.stop();
  clients.expect_exactly_in(at("wing"));
}

// Short; benchmarks/campaign/event_store_clients.cpp is the long one.
TEST_F(PostgresStore, KeepsExactBooksForManyClientsWhileTheServerIsKilledTwice) {
  const testing::StoreLoad load =
      testing::load_store(at("wing"), testing::tries(12, 50), testing::tries(4, 60), [&] {
        for (int k = 0; k < 2; ++k) {
          std::this_thread::sleep_for(std::chrono::milliseconds(testing::tries(1000, 20'000)));
          server->kill();
          server->start();
        }
      });
  EXPECT_TRUE(load.problems.empty()) << load.problems.front();
  EXPECT_GT(load.acknowledged, 24);
  EXPECT_EQ(load.acknowledged, load.in_log);
}

TEST_F(PostgresStore, LosesNothingWhenAProcessOfTheServerIsKilled) {
  filled(0);
  Clients clients(at("wing"), 4, 1'000'000);
  EXPECT_TRUE(testing::comes_true([&] { return clients.count() > 10; }));
  const std::string one = server->execute(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'acuity' ORDER BY query_start DESC LIMIT 1");
  ASSERT_GT(std::atoi(one.c_str()), 1);
  kill(std::atoi(one.c_str()), SIGKILL);  // the server then ends all others as well, and recovers
  const std::size_t before = clients.count();
  EXPECT_TRUE(testing::comes_true([&] { return clients.count() > before + 20; }));
  clients.stop();
  clients.expect_exactly_in(at("wing"));
}

// A process that holds the lock in a decision, and what its add() came to.
class Holder {
 public:
  explicit Holder(const CampaignAddress& address) {
    EXPECT_EQ(pipe(ends_), 0);
    process_ = fork();
    if (process_ != 0) return;
    try {
      bool first = true;
      const auto store = open_event_store(address);
      store->add(0, [&](const auto&) {
        if (std::exchange(first, false)) {
          if (write(ends_[1], "x", 1) != 1) _exit(3);
          raise(SIGSTOP);
        }
        return budget(77.0);
      });
      _exit(0);
    } catch (const std::exception&) {
      _exit(2);
    }
  }
  ~Holder() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    for (const int end : ends_) close(end);
  }
  void await_lock() {
    char one = 0;
    EXPECT_EQ(read(ends_[0], &one, 1), 1);
    int status = 0;
    waitpid(process_, &status, WUNTRACED);
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  void signal(int number) const { kill(process_, number); }
  int exit_status() {
    int status = 0;
    waitpid(process_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  int ends_[2]{};
  pid_t process_ = -1;
};

TEST_F(PostgresStore, IsFreeAgainWhenAProcessThatHoldsTheLockIsKilled) {
  const auto store = filled(1);
  Holder holder(at("wing"));
  holder.await_lock();
  EXPECT_EQ(store->read(0).size(), 1U) << "readers never wait";
  holder.signal(SIGKILL);
  EXPECT_EQ(store->add(1, [](const auto&) { return budget(2.0); }).at(0).sequence, 2);
}

// As a laptop that is closed: the server ends its session, and it starts again when it wakes up.
TEST_F(PostgresStore, IsFreeAgainWhenAProcessThatHoldsTheLockIsStopped) {
  const auto store = filled(1);
  const testing::CuttingProxy proxy(server->port());
  Holder holder(through(proxy, "500ms"));
  holder.await_lock();
  EXPECT_EQ(store->add(1, [](const auto&) { return budget(2.0); }).at(0).sequence, 2);
  holder.signal(SIGCONT);
  EXPECT_EQ(holder.exit_status(), 0);
  EXPECT_EQ(budgets_in(store->read(0)), (std::vector{0.0, 2.0, 77.0}));
}

TEST_F(PostgresStore, SaysThatNothingWasWrittenWhenTheServerStaysAway) {
  const Patience short_patience("0.5");
  const auto store = filled(1);
  const CampaignAddress address = at("wing");
  server->kill();
  const std::string sentence = sentence_of([&] { store->add(1, [](const auto&) { return budget(2.0); }); });
  EXPECT_TRUE(sentence.starts_with(address.text() + ": the server cannot be reached")) << sentence;
  EXPECT_HAS(sentence, "nothing was changed");
  EXPECT_FALSE(store->wait(1, 0.1));
  EXPECT_HAS(sentence_of([&] { open_event_store(address); }), "cannot be reached");
  server->start();
  EXPECT_EQ(store->add(1, [](const auto&) { return budget(3.0); }).at(0).sequence, 2) << "the same object";
}

TEST_F(PostgresStore, WaitsForAServerThatStartsAgainAlsoWithItsFirstConnection) {
  filled(1);
  const CampaignAddress address = at("wing");
  server->kill();
  std::size_t found = 0;
  std::jthread client([&] { found = open_event_store(address)->read(0).size(); });
  std::this_thread::sleep_for(std::chrono::seconds(1));
  server->start();
  client.join();
  EXPECT_EQ(found, 1U);
}

TEST_F(PostgresStore, OfAServerThatStaysAwayIsNoMistakeOfTheUser) {
  filled(1);
  const std::string address = server->address() + "/wing";
  server->kill();
  const testing::ProgramResult away =
      testing::run_shell("ACUITY_DATABASE_PATIENCE=0.5 acuity status " + address, "/");
  EXPECT_EQ(away.exit_code, 1);
  EXPECT_HAS(away.err, "cannot be reached");
  EXPECT_EQ(away.err.find("internal error"), std::string::npos) << away.err;
  const testing::ProgramResult unknown =
      testing::run_shell("acuity status postgresql://name.invalid/postgres/wing", "/");
  EXPECT_EQ(unknown.exit_code, 2) << "at once: the name may be wrong";
  server->start();
}

TEST_F(PostgresStore, SaysThatEventsMayBeInTheLogWhenTheServerIsGoneAtTheCommit) {
  const Patience short_patience("0.5");
  const auto other = filled(1);
  testing::CuttingProxy proxy(server->port());
  const auto store = open_event_store(through(proxy));
  proxy.cut(1, {Cut::after});
  proxy.refuse_after_cut();
  EXPECT_HAS(sentence_of([&] { store->add(1, [](const auto&) { return budget(2.0); }); }),
             "so they may be in the log");
  EXPECT_TRUE(testing::comes_true([&] { return other->read(1).size() == 1; })) << "and here they are";
}

TEST_F(PostgresStore, IsNeverChangedByOtherProgramsEither) {
  filled(3);
  for (const char* statement : {"UPDATE acuity.event SET time = 0", "DELETE FROM acuity.event",
                                "TRUNCATE acuity.event", "TRUNCATE acuity.campaign CASCADE"})
    EXPECT_THROW(server->execute(statement), std::runtime_error) << statement;
  EXPECT_EQ(open_event_store(at("wing"))->read(0).size(), 3U);
}

TEST_F(PostgresStore, NoticesWhatWasTamperedWith) {
  filled(5);
  tamper("UPDATE acuity.event SET body = '{\"by\":4.0}' WHERE sequence = 3");
  EXPECT_HAS(sentence_of<DamagedError>([&] { open_event_store(at("wing")); }),
             "event 3 does not match its checksum");
  EXPECT_EQ(budgets_in(intact_log(at("wing"))), (std::vector{0.0, 1.0}));
  const LogInspection found = inspect_log(at("wing"));
  EXPECT_EQ(found.count, 5);
  EXPECT_EQ(found.events.size(), 5U);
  ASSERT_EQ(found.problem_count, 1);
  EXPECT_HAS(found.problems[0], "event 3 does not match its checksum");
}

TEST_F(PostgresStore, NoticesThatItsEndIsMissing) {
  filled(5);
  tamper("DELETE FROM acuity.event WHERE sequence = 5");
  EXPECT_HAS(sentence_of<DamagedError>([&] { open_event_store(at("wing")); }), "its end is missing");
  EXPECT_EQ(intact_log(at("wing")).size(), 4U);
  EXPECT_HAS(inspect_log(at("wing")).problems.at(0), "its end is missing");
}

// As a standby that takes over without the last transactions: whole in itself, but not what was read before.
TEST_F(PostgresStore, NoticesThatTheServerHasLostWhatWasReadBefore) {
  const auto one = filled(5), two = open_event_store(at("wing"));
  two->read(0);
  tamper(
      "DELETE FROM acuity.event WHERE sequence > 3; UPDATE acuity.campaign SET count = 3, chain = (SELECT "
      "chain "
      "FROM acuity.event WHERE sequence = 3)");
  EXPECT_HAS(sentence_of<DamagedError>([&] { one->add(5, [](const auto&) { return budget(9.0); }); }),
             "the server has lost some");
  const auto fresh = open_event_store(at("wing"));
  for (int k = 3; k < 7; ++k) fresh->add(k, [&](const auto&) { return budget(10.0 + k); });
  EXPECT_HAS(sentence_of<DamagedError>([&] { two->add(5, [](const auto&) { return budget(9.0); }); }),
             "the server has lost some");
  EXPECT_HAS(sentence_of<DamagedError>([&] { one->read(5); }), "the server has lost some");
  EXPECT_EQ(fresh->read(0).size(), 7U);
}

TEST_F(PostgresStore, OfANewerVersionIsRefused) {
  filled(1);
  server->execute("UPDATE acuity.campaign SET format = 2");
  EXPECT_HAS(sentence_of<NewerVersionError>([&] { open_event_store(at("wing")); }), "its format is 2");
}

// Texts are part of a statement, and many events are several statements.
TEST_F(PostgresStore, KeepsAnyTextAndAnyNumberOfEvents) {
  const auto store = filled(0);
  const std::vector<std::string> texts{
      "'; DROP TABLE acuity.event; --", "\\", "\\'", "$1 $$ {} %s", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x90\x98",
      std::string(300'000, '\'')};
  std::vector<Event> events;
  for (const std::string& text : texts) events.push_back(Released{1, text});
  store->add(0, [&](const auto&) { return events; });
  for (int k = 0; k < 1200; ++k) events.push_back(BudgetChanged{1.0 / (k + 3.0)});
  store->add(0, [&](const auto&) { return events; });
  const std::vector<StoredEvent> read = open_event_store(at("wing"))->read(static_cast<int>(texts.size()));
  ASSERT_EQ(read.size(), events.size());
  for (std::size_t k = 0; k < events.size(); ++k) EXPECT_EQ(to_json(read[k].event), to_json(events[k])) << k;
  EXPECT_EQ(inspect_log(at("wing")).problem_count, 0);
}

TEST_F(PostgresStore, GivesNoFileThatIsHalfOld) {
  const auto store = filled(0), other = open_event_store(at("wing"));
  const auto put = [](EventStore& in, std::size_t bytes, char c) {
    in.add(0, [&](const auto&) {
      in.put_file("pool.csv", std::string(bytes, c));
      return budget(1.0);
    });
  };
  put(*store, 3'000'000, 'a');
  for (const std::size_t bytes : {std::size_t{3'000'000}, std::size_t{5}}) {
    bool first = true;
    EXPECT_HAS(sentence_of([&] {
                 store->read_file("pool.csv", [&](std::string_view) {
                   if (std::exchange(first, false)) put(*other, bytes, 'b');
                 });
               }),
               "was replaced while it was read");
  }
  EXPECT_EQ(store->file("pool.csv"), "bbbbb");
}

TEST_F(PostgresStore, IsNotCreatedWithAnEventThatIsRefused) {
  EXPECT_THROW(
      create_event_store(at("wing"), std::vector<Event>{BudgetChanged{1.0}, BudgetChanged{std::nan("")}}),
      InputError);
  EXPECT_FALSE(has_event_store(at("wing")));
}

TEST_F(PostgresStore, IsCreatedByOneOfManyAtTheSameTime) {
  std::atomic<int> created{0}, refused{0};
  std::vector<std::thread> threads;
  for (int k = 0; k < 6; ++k)
    threads.emplace_back([&, k] {
      create_event_store(at("own-" + std::to_string(k)), budget(k));  // and the tables
      try {
        create_event_store(at("common"), budget(k));
        ++created;
      } catch (const StoreError&) {
        ++refused;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(created, 1);
  EXPECT_EQ(refused, 5);
  const std::vector<CampaignListing> list = list_campaigns(at("wing").database());
  ASSERT_EQ(list.size(), 7U);
  EXPECT_EQ(list[0].name, "common");
  EXPECT_EQ(list[0].events, 1);
  EXPECT_EQ(list[0].last_event, "budget");
  EXPECT_GT(list[0].bytes, 5);
  EXPECT_NEAR(*list[0].last_time, open_event_store(at("common"))->now(), 600.0);
}

TEST_F(PostgresStore, ThatIsNotThereIsASentence) {
  EXPECT_TRUE(list_campaigns(at("wing").database()).empty());
  EXPECT_HAS(sentence_of<InputError>([&] { open_event_store(at("wing")); }), "nothing was ever created");
  filled(0, "other");
  EXPECT_HAS(sentence_of<InputError>([&] { open_event_store(at("wing")); }), "there is no campaign \"wing\"");
  const CampaignAddress nowhere = server->address("nothing") + "/wing";
  EXPECT_HAS(sentence_of([&] { open_event_store(nowhere); }), "there is no such database");
  const CampaignAddress nobody = at("wing", "nobody");
  EXPECT_HAS(sentence_of([&] { open_event_store(nobody); }), "does not accept this user");
  EXPECT_EQ(inspect_log(nobody).problem_count, 1);
  EXPECT_TRUE(intact_log(nobody).empty());
}

// The statements of docs/clusters.md are those that work.
TEST_F(PostgresStore, NeedsTheRightsThatTheManualGrants) {
  std::ifstream file(fs::path(ACUITY_SOURCE_DIR) / "docs" / "clusters.md");
  const std::string manual{std::istreambuf_iterator<char>(file), {}};
  const auto block_with = [&](const std::string& part) {
    const std::size_t at_part = manual.find(part), begin = manual.rfind("```sql\n", at_part);
    const std::size_t end = manual.find("```", at_part);
    if (at_part == std::string::npos || begin == std::string::npos) return std::string();
    return manual.substr(begin + 7, end - begin - 7);
  };
  const std::string grants = block_with("TO annotators;");
  ASSERT_FALSE(grants.empty());
  const auto store = filled(1);
  store->add(1, [&](const auto&) {
    store->put_file("study.toml", "x");
    return budget(2.0);
  });
  server->execute(std::string("CREATE ROLE annotators; CREATE ROLE readers; ") +
                  "CREATE ROLE worker LOGIN PASSWORD 'secret-word' IN ROLE annotators;"
                  "CREATE ROLE reader LOGIN PASSWORD 'secret-word' IN ROLE readers;"
                  "CREATE ROLE stranger LOGIN PASSWORD 'secret-word';" +
                  grants);
  for (const Access access : {Access::read, Access::write})
    EXPECT_HAS(sentence_of([&] { open_event_store(at("wing", "stranger"), access); }), "has no right");
  EXPECT_HAS(sentence_of([&] { create_event_store(at("mine", "stranger"), budget(1.0)); }), "has no right");
  const auto worker = open_event_store(at("wing", "worker"));
  EXPECT_EQ(worker->add(2, [](const auto&) { return budget(3.0); }).at(0).sequence, 3);
  EXPECT_EQ(worker->file("study.toml"), "x");
  EXPECT_NE(worker->try_own(), nullptr);
  const auto reader = open_event_store(at("wing", "reader"), Access::read);
  EXPECT_EQ(reader->read(0).size(), 3U);
  EXPECT_EQ(reader->file("study.toml"), "x");
  EXPECT_FALSE(reader->wait(3, 0.05));
  const auto wishes = open_event_store(at("wing", "reader"), Access::write);
  EXPECT_HAS(sentence_of([&] { wishes->add(3, [](const auto&) { return budget(4.0); }); }), "has no right");
  EXPECT_EQ(list_campaigns(at("wing", "reader").database()).size(), 1U);
}

TEST_F(PostgresStore, OnAServerThatTakesNoWritesSaysSo) {
  filled(1);
  server->execute("ALTER DATABASE postgres SET default_transaction_read_only = on");
  const auto store = open_event_store(at("wing"));
  EXPECT_HAS(sentence_of([&] { store->add(1, [](const auto&) { return budget(2.0); }); }), "takes no writes");
}

TEST_F(PostgresStore, CommitsDurablyWhateverTheSiteHasAsItsDefault) {
  server->execute(
      "ALTER ROLE acuity SET synchronous_commit = off; ALTER DATABASE postgres SET "
      "default_transaction_isolation = 'repeatable read'");
  for (const char* given : {"", "?options=-c%20synchronous_commit%3Doff"}) {
    PostgresConnection connection(DatabaseAddress(server->address() + given), "log", {});
    EXPECT_EQ(connection.execute("SHOW synchronous_commit").text(0, 0), "on");
    EXPECT_EQ(connection.execute("SHOW transaction_isolation").text(0, 0), "read committed");
    EXPECT_EQ(connection.execute("SHOW lock_timeout").text(0, 0), "1min");
    EXPECT_EQ(connection.execute("SHOW application_name").text(0, 0), "acuity");
  }
}

// So that a process whose annotator runs for an hour uses no connection of the server.
TEST_F(PostgresStore, ReconnectsAfterTheServerEndedAnIdleSession) {
  filled(1);
  const CampaignAddress address = server->address() + "/wing?options=-c%20idle_session_timeout%3D200ms";
  const auto store = open_event_store(address);
  const auto sessions = [&] {
    return server->execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'acuity'");
  };
  EXPECT_TRUE(testing::comes_true([&] { return sessions() == "0\n"; })) << sessions();
  EXPECT_EQ(store->add(1, [](const auto&) { return budget(2.0); }).at(0).sequence, 2);
  EXPECT_TRUE(testing::comes_true([&] { return sessions() == "0\n"; }));
  EXPECT_EQ(store->read(0).size(), 2U);
}

TEST_F(PostgresStore, WaitsWithoutNotificationsAsWell) {
  const auto writer = filled(1);
  const auto store = open_event_store(server->address() + "/wing?notify=off");
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    writer->add(1, [](const auto&) { return budget(2.0); });
  });
  EXPECT_TRUE(store->wait(1, 1000.0));
  later.join();
}

TEST_F(PostgresStore, HasTheClockOfItsServer) {
  const auto store = filled(1);
  EXPECT_NEAR(store->now(), std::stod(server->execute("SELECT extract(epoch FROM clock_timestamp())")), 20.0);
  EXPECT_GE(store->now(), store->read(0).at(0).time);
}

TEST_F(PostgresStore, HasOneOwnerAtATime) {
  const auto one = filled(1), two = open_event_store(at("wing"));
  filled(1, "tail");
  ASSERT_TRUE(one->has_tenure());
  std::unique_ptr<Tenure> tenure = one->try_own();
  ASSERT_NE(tenure, nullptr);
  EXPECT_TRUE(tenure->is_held());
  EXPECT_EQ(two->try_own(), nullptr);
  EXPECT_NE(open_event_store(at("tail"))->try_own(), nullptr) << "another campaign";
  tenure.reset();
  const auto second = two->try_own();
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(one->try_own(), nullptr);
}

TEST_F(PostgresStore, KeepsItsOwnerWhenTheServerIsKilledAndNoticesAnotherOne) {
  const auto one = filled(1), two = open_event_store(at("wing"));
  const auto tenure = one->try_own();
  server->kill();
  EXPECT_TRUE(tenure->is_held()) << "nobody else can own it now";
  server->start();
  EXPECT_TRUE(testing::comes_true([&] { return tenure->is_held() && two->try_own() == nullptr; }));
  server->kill();
  server->start();
  const auto other = two->try_own();
  ASSERT_NE(other, nullptr);
  EXPECT_FALSE(tenure->is_held());
  EXPECT_TRUE(other->is_held());
}

// After a cable was pulled the server may still have the old session of the owner, with its lock.
TEST_F(PostgresStore, TakesTheOwnersLockFromItsOwnLostSession) {
  const auto store = filled(1);
  testing::CuttingProxy proxy(server->port());
  const auto owner = open_event_store(through(proxy));
  const auto tenure = owner->try_own();
  ASSERT_NE(tenure, nullptr);
  const auto sessions = [&] {
    return server->execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'");
  };
  EXPECT_EQ(sessions(), "1\n");
  proxy.drop_silently();
  EXPECT_EQ(sessions(), "1\n") << "the server has not heard of it";
  EXPECT_TRUE(tenure->is_held());
  EXPECT_EQ(store->try_own(), nullptr);
}

class CrowdedPostgresStore : public PostgresStore {
  std::vector<std::string> settings() const override {
    return {"max_connections=3", "superuser_reserved_connections=0", "max_wal_senders=0"};
  }
};

TEST_F(CrowdedPostgresStore, SaysThatThereIsNoConnectionLeft) {
  const Patience short_patience("0.3");
  filled(1);
  const DatabaseAddress database(server->address());
  std::list<PostgresConnection> others;
  for (int k = 0; k < 3; ++k)
    EXPECT_TRUE(testing::comes_true([&] {
      try {
        others.emplace_back(database, "log", ConnectionOptions{});
        return true;
      } catch (const LostConnection& lost) {
        EXPECT_EQ(lost.sqlstate, "53300");
        return false;
      }
    }));
  EXPECT_HAS(sentence_of([&] { open_event_store(at("wing")); }), "has no connection left");
  others.clear();
  EXPECT_TRUE(testing::comes_true([&] {
    try {
      return open_event_store(at("wing"))->read(0).size() == 1U;
    } catch (const StoreError&) {
      return false;
    }
  }));
}

// The disk of the table is full, that of the server's own journal is not.
TEST_F(PostgresStore, SaysThatTheDiskIsFullAndGoesOnWhenThereIsRoom) {
  const testing::Folder folder;
  if (geteuid() != 0 || mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=4m,mode=777") != 0)
    GTEST_SKIP() << "no right to mount a small file system";
  const std::string text(100'000, 'x');
  std::string sentence;
  {
    const auto store = filled(1);
    const fs::path place = folder.path() / "space";
    fs::create_directory(place);
    fs::permissions(place, fs::perms::all);
    testing::run_shell("chown postgres '" + place.string() + "'", "/");
    server->execute("CREATE TABLESPACE small LOCATION '" + place.string() + "'");
    server->execute("ALTER TABLE acuity.event SET TABLESPACE small");
    std::ofstream(folder.path() / "filler", std::ios::binary) << std::string(3'000'000, 'x');
    std::int64_t last = 1;
    sentence = sentence_of([&] {
      for (int k = 0; k < 100; ++k) {
        std::string random;  // so that it cannot be compressed
        for (int i = 0; i < 20'000; ++i)
          random += static_cast<char>('!' + 7 * (i * 7919 + k * 104729 + i * i % 977) % 90);
        last = store->add(last, [&](const auto&) { return std::vector<Event>{Released{1, random + text}}; })
                   .at(0)
                   .sequence;
      }
    });
    EXPECT_EQ(open_event_store(at("wing"), Access::read)->read(0).size(), static_cast<std::size_t>(last));
    fs::remove(folder.path() / "filler");
    EXPECT_EQ(store->add(last, [](const auto&) { return budget(2.0); }).at(0).sequence, last + 1);
    EXPECT_EQ(inspect_log(at("wing")).problem_count, 0);
  }
  server.reset();
  EXPECT_HAS(sentence, "the disk of the server is full");
  EXPECT_EQ(umount2(folder.path().c_str(), MNT_DETACH), 0);
}

// A second host: a network namespace behind a cable that can be pulled.
class OtherHost {
 public:
  explicit OtherHost(int subnet)
      : name_("acuity-" + std::to_string(getpid())),
        cable_("acu" + std::to_string(getpid() % 100'000)),
        here_("10.78." + std::to_string(subnet) + ".1"),
        there_("10.78." + std::to_string(subnet) + ".2") {
    const auto run = [](const std::string& line) { return testing::run_shell(line, "/").exit_code == 0; };
    works_ = geteuid() == 0 && run("ip netns add " + name_) &&
             run("ip link add " + cable_ + "a type veth peer name " + cable_ + "b netns " + name_) &&
             run("ip addr add " + here_ + "/24 dev " + cable_ + "a && ip link set " + cable_ + "a up") &&
             run("ip -n " + name_ + " addr add " + there_ + "/24 dev " + cable_ + "b && ip -n " + name_ +
                 " link set " + cable_ + "b up && ip -n " + name_ + " link set lo up");
  }
  ~OtherHost() {
    testing::run_shell("ip link del " + cable_ + "a", "/");
    testing::run_shell("ip netns del " + name_, "/");
  }
  OtherHost(const OtherHost&) = delete;
  OtherHost& operator=(const OtherHost&) = delete;

  bool works() const { return works_; }
  const std::string& here() const { return here_; }
  void cable(bool plugged) const {
    EXPECT_EQ(testing::run_shell("ip link set " + cable_ + "a " + (plugged ? "up" : "down"), "/").exit_code,
              0);
  }
  // Moves this process to it.
  bool enter() const {
    const int place = open(("/var/run/netns/" + name_).c_str(), O_RDONLY);
    return place >= 0 && setns(place, CLONE_NEWNET) == 0;
  }

 private:
  std::string name_, cable_, here_, there_;
  bool works_ = false;
};

class DistantPostgresStore : public PostgresStore {
 protected:
  void SetUp() override {
    host = std::make_unique<OtherHost>(1 + getpid() % 250);
    if (!host->works()) GTEST_SKIP() << "no right to make network namespaces";
    PostgresStore::SetUp();
  }
  std::vector<std::pair<std::string, std::string>> hosts() const override {
    return {{host->here(), host->here() + "/24"}};
  }
  std::unique_ptr<OtherHost> host;
};

TEST_F(DistantPostgresStore, LosesNothingWhenTheCableOfAHostIsPulled) {
  filled(0);
  const testing::Folder folder;
  // The timeouts are shorter than by default, so that the test is.
  const CampaignAddress distant = server->address("postgres", 0, host->here()) +
                                  "/wing?tcp_user_timeout=2000&keepalives_idle=2&keepalives_interval=1&"
                                  "connect_timeout=2&options=-c%20tcp_user_timeout%3D2000%20-c%20"
                                  "idle_in_transaction_session_timeout%3D2s";
  const pid_t child = fork();
  if (child == 0) {
    if (!host->enter()) _exit(3);
    std::ofstream acknowledged(folder.path() / "acknowledged");
    try {
      const auto store = open_event_store(distant);
      for (int i = 0; !fs::exists(folder.path() / "stop"); ++i) {
        store->add(0, [&](const auto&) { return budget(500'000.0 + i); });
        acknowledged << 500'000 + i << "\n" << std::flush;
      }
      _exit(0);
    } catch (const std::exception& error) {
      folder.write("error", error.what());
      _exit(2);
    }
  }
  const auto lines = [&] {
    const std::string text = folder.read("acknowledged");
    return std::count(text.begin(), text.end(), '\n');
  };
  Clients near(at("wing"), 2, 1'000'000);
  EXPECT_TRUE(testing::comes_true([&] { return lines() > 10 && near.count() > 10; }));
  host->cable(false);
  const std::size_t before = near.count();
  EXPECT_TRUE(testing::comes_true([&] { return near.count() > before + 20; })) << "others go on";
  std::this_thread::sleep_for(std::chrono::seconds(3));
  const auto distant_before = lines();
  host->cable(true);
  EXPECT_TRUE(testing::comes_true([&] { return lines() > distant_before + 10; })) << "it goes on, too";
  folder.write("stop", "");
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << folder.read("error");
  near.stop();
  const std::vector<double> all = budgets_in(open_event_store(at("wing"), Access::read)->read(0));
  EXPECT_EQ(std::set<double>(all.begin(), all.end()).size(), all.size()) << "none twice";
  EXPECT_EQ(all.size(), near.count() + static_cast<std::size_t>(lines())) << "none lost";
  std::ifstream acknowledged(folder.path() / "acknowledged");
  for (double number; acknowledged >> number;)
    EXPECT_TRUE(std::find(all.begin(), all.end(), number) != all.end()) << number;
}

TEST(PostgresConnection, ShowsNoPasswordWhateverTheLibrarySays) {
  setenv("PGPASSWORD", "from-the-environment", 1);
  const SecretFilter shown(DatabaseAddress("postgresql://me:hush%20hush@host/db?sslpassword=key-word"));
  EXPECT_EQ(shown("no \"hush hush\" and key-word,\nfrom-the-environment"), "no \"...\" and ...,\\n...");
  unsetenv("PGPASSWORD");
}

TEST(PostgresConnection, HasDefaultsThatTheAddressMayChange) {
  const auto parameters = [](const std::string& address, bool old = false) {
    const auto all = connection_parameters(DatabaseAddress(address), {}, old);
    return std::map<std::string, std::string>(all.begin(), all.end());
  };
  auto plain = parameters("postgresql://host/db");
  EXPECT_EQ(plain["connect_timeout"], "10");
  EXPECT_EQ(plain["tcp_user_timeout"], "15000");
  EXPECT_HAS(plain["options"], "idle_in_transaction_session_timeout=60s");
  EXPECT_HAS(plain["options"], "synchronous_commit=on");
  auto given = parameters("postgresql://host/db?connect_timeout=3&options=-c%20lock_timeout%3D5s", true);
  EXPECT_EQ(given["connect_timeout"], "3");
  EXPECT_GT(given["options"].rfind("lock_timeout=5s"), given["options"].find("lock_timeout=60s"));
  EXPECT_EQ(given["options"].find("client_connection_check_interval"), std::string::npos);
}

// A library of this name that is found first, and is none.
TEST(PostgresConnection, IsNotNeededByTheProgram) {
  const testing::Folder folder;
  folder.write("libpq.so.5", "");
  const testing::ProgramResult result =
      testing::run_shell("LD_LIBRARY_PATH=" + folder.path().string() + " acuity --version", "/");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_HAS(result.out, "postgresql: no, libpq.so.5 is not installed");
}

TEST(PostgresConnection, IsNotLinkedIntoTheProgram) {
  const testing::ProgramResult result = testing::run_shell("ldd '" ACUITY_PROGRAM "'", "/");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.find("libpq"), std::string::npos) << result.out;
}

#if __has_include(<postgresql/libpq-fe.h>)
// Enumerations are passed as int; all else is as the header declares it.
template <typename Ours, typename Theirs>
constexpr bool same_function = false;
template <typename Type>
constexpr bool is_passed_as_int() {
  if constexpr (std::is_enum_v<Type>) return sizeof(Type) == sizeof(int);
  return false;
}
template <typename One, typename Other>
constexpr bool same_type =
    std::is_same_v<One, Other> || (std::is_same_v<One, int> && is_passed_as_int<Other>()) ||
    (std::is_pointer_v<One> && std::is_same_v<Other, PGnotify*>);
template <typename A, typename... P, typename B, typename... Q>
constexpr bool same_function<A (*)(P...), B (*)(Q...)> = same_type<A, B> && (same_type<P, Q> && ...);

TEST(PostgresConnection, DeclaresTheLibraryAsItsHeaderDoes) {
  const libpq::Functions f{};
#define ACUITY_SAME(name) \
  static_assert(same_function<std::remove_const_t<decltype(f.name)>, decltype(&PQ##name)>, #name)
  ACUITY_SAME(connectStartParams);
  ACUITY_SAME(connectPoll);
  ACUITY_SAME(finish);
  ACUITY_SAME(status);
  ACUITY_SAME(errorMessage);
  ACUITY_SAME(setErrorVerbosity);
  ACUITY_SAME(setNoticeProcessor);
  ACUITY_SAME(socket);
  ACUITY_SAME(backendPID);
  ACUITY_SAME(exec);
  ACUITY_SAME(execParams);
  ACUITY_SAME(escapeLiteral);
  ACUITY_SAME(resultStatus);
  ACUITY_SAME(resultErrorMessage);
  ACUITY_SAME(resultErrorField);
  ACUITY_SAME(ntuples);
  ACUITY_SAME(getvalue);
  ACUITY_SAME(getlength);
  ACUITY_SAME(getisnull);
  ACUITY_SAME(cmdStatus);
  ACUITY_SAME(clear);
  ACUITY_SAME(consumeInput);
  ACUITY_SAME(notifies);
  ACUITY_SAME(freemem);
  ACUITY_SAME(libVersion);
#undef ACUITY_SAME
  EXPECT_EQ(libpq::connection_ok, static_cast<int>(CONNECTION_OK));
  EXPECT_EQ(libpq::connection_bad, static_cast<int>(CONNECTION_BAD));
  EXPECT_EQ(libpq::polling_failed, static_cast<int>(PGRES_POLLING_FAILED));
  EXPECT_EQ(libpq::polling_reading, static_cast<int>(PGRES_POLLING_READING));
  EXPECT_EQ(libpq::polling_writing, static_cast<int>(PGRES_POLLING_WRITING));
  EXPECT_EQ(libpq::polling_ok, static_cast<int>(PGRES_POLLING_OK));
  EXPECT_EQ(libpq::command_ok, static_cast<int>(PGRES_COMMAND_OK));
  EXPECT_EQ(libpq::tuples_ok, static_cast<int>(PGRES_TUPLES_OK));
  EXPECT_EQ(libpq::errors_verbose, static_cast<int>(PQERRORS_VERBOSE));
  EXPECT_EQ(libpq::field_sqlstate, PG_DIAG_SQLSTATE);
  EXPECT_EQ(libpq::field_message, PG_DIAG_MESSAGE_PRIMARY);
}
#endif

}  // namespace
}  // namespace acuity::postgres_event_store_test
