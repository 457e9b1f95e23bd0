#include "acuity/store/event_store.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "acuity/base/errors.hpp"
#include "acuity/store/open_event_store.hpp"
#include "acuity/store/sqlite_event_store.hpp"
#include "numerics/random.hpp"
#include "store/event_limits.hpp"
#include "support/forged_log.hpp"
#include "support/postgres_server.hpp"
#include "support/program.hpp"
#include "support/shared_event_store.hpp"
#include "support/thorough.hpp"

namespace acuity::event_store_test {
namespace {

namespace fs = std::filesystem;

std::vector<Event> one_of_each() {
  const double third = 1.0 / 3.0;
  return {
      Created{
          "0.1.0", "wing", "core hours", "ab", "cd", 120.0, "[pool]\n", "studies", "pool.csv", {"01", "02"}},
      Asked{1, 17, "d\"09\n", "coarse", std::nullopt, GaussianChannel{1e-4}, third, 1.5, -0.25, 1e-300,
            "bench 3", 1.8e9},
      Asked{2, 3, "4", "", std::numeric_limits<double>::infinity(), FlipChannel{0.9}, 1.0, 0.5, 0.0, 1.0, "",
            std::nullopt},
      Told{1, {0.1, -third}, 0.7, GaussianChannel{2.0}, 18, std::vector{0.25}, 0.5, "fine", std::nullopt},
      Told{2, {1.0}, 1.0, {}, {}, {}, {}, {}, 2.0},
      Failed{2, "licence server", 0.5},
      Failed{.id = 2, .reason = "the node died", .inconclusive = true},
      Released{2, "lease ended"},
      Excluded{3, "", 2.5, "no such part"},
      Excluded{4, "fine", std::nullopt, "diverges"},
      Amended{1, {0.2}, "typo"},
      Retracted{1, "wrong sample"},
      BudgetChanged{-3.25},
      Fitted{12,
             {0.1, third},
             0.4,
             1.1,
             0.9,
             0.8,
             std::nullopt,
             -12.5,
             true,
             "the likelihood no longer improves"},
      Fitted{
          3, {0.1}, 0.4, 1.0, 1.0, {}, {}, -2.5, true, "converged", {third, 1.0}, 0.01, {1e-7 * third, 0.0}},
      OwnerChanged{"node7", 4711, 99},
      Told{3, {0.1}, 0.5, {}, 17, {}, {}, "fine", {}, Unasked{"d09", GaussianChannel{1e-4}, third}},
      Told{4,
           {1.0},
           0.0,
           FlipChannel{0.9},
           {},
           std::vector{0.25},
           0.0,
           {},
           {},
           Unasked{"", FlipChannel{0.9}, 0}},
      Told{.id = 5, .values = {-1.0}, .cost = 1.0, .worker = "Zo\xc3\xab \"Z\"", .seconds = third},
      Failed{6, "blurred", 0.0, true, "anna", 4.0 * third},
      Renewed{2, 1.8e9 + third, "anna"},
      PersonAdded{"anna", {"fine"}, true},
      PersonAdded{"carl", {"fine", "coarse"}, true},
      PersonAdded{"bert", {}, false},
      Asked{.id = 7, .row = 3, .point = "4", .channel = FlipChannel{0.9}, .cost = 1.0, .gold = true},
      Fitted{.annotations = 12,
             .log_parameters = {0.1},
             .reason = "converged",
             .level_accuracy = {third + 0.5, 1.0},
             .level_accuracy_sd = {third, 0.0},
             .people = {"anna"},
             .people_levels = {"fine"},
             .people_accuracy = {0.5},
             .people_accuracy_sd = {std::numeric_limits<double>::infinity()}},
      Fitted{.annotations = 20,
             .log_parameters = {0.1},
             .reason = "converged",
             .structures = {{.name = "plain", .log_parameters = {0.1}, .nugget = third, .objective = -third},
                            {.name = "transformed",
                             .log_parameters = {third},
                             .nugget = 0.0,
                             .objective = 4.0,
                             .map = {0.1 * third, 2.0, third, -1.5, 1.5, 0.0, 1.0}}}},
      Fitted{.annotations = 20,
             .log_parameters = {0.1},
             .reason = "converged",
             .chain = {{.level = "coarse",
                        .log_parameters = {0.1, third},
                        .nugget = third,
                        .mean = -third,
                        .centre = third,
                        .spread = 2.0 * third,
                        .low = -1.5,
                        .high = 1.0 + third},
                       {.level = "", .log_parameters = {0.1, third, 0.2}, .low = -1.0, .high = 1.0}},
             .chain_weight = third},
      Asked{.id = 8, .row = 3, .point = "4", .channel = GaussianChannel{0.1}, .cost = 1.0, .audit = true},
      Audited{.ids = {8, 9}, .mean = {third, -1.0}, .variance = {0.0, third}, .noise = {0.1, third}},
      Fitted{.annotations = 12,
             .log_parameters = {0.1, third},
             .reason = "converged",
             .nugget = 0.01 * third,
             .noisier_nugget = 0.05 * third,
             .noisier_probability = 0.5 * third,
             .noisy = true}};
}

TEST(Event, StructuresComeBackAndAreChecked) {
  const auto back = [](const std::vector<FittedStructure>& structures) {
    const Fitted fitted{
        .annotations = 20, .log_parameters = {0.1}, .reason = "converged", .structures = structures};
    require_valid(fitted);
    return std::get<Fitted>(event_from_json("fitted", to_json(fitted))).structures;
  };
  const std::vector<double> map{1.0 / 3.0, 2.0, 3.0, -1.5, 1.5, 0.0, 1.0};
  const auto found =
      back({{"additive", {0.1, 0.2}, 1.0 / 3.0, -7.0, {}}, {"transformed", {0.1}, 0.0, 1.0, map}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "additive");
  EXPECT_EQ(found[0].log_parameters, (std::vector{0.1, 0.2}));
  EXPECT_EQ(found[0].nugget, 1.0 / 3.0);
  EXPECT_EQ(found[0].objective, -7.0);
  EXPECT_EQ(found[1].map, map);
  EXPECT_THROW(back({{"wavy", {0.1}, 0.0, 1.0, {}}}), InputError);
  EXPECT_THROW(back({{"plain", {0.1}, -1.0, 1.0, {}}}), InputError);
  EXPECT_THROW(back({{"plain", {0.1}, 0.0, 1.0, map}}), InputError);
  const auto damaged = [](const std::string& sizes) {
    return event_from_json(
        "fitted", R"({"annotations":20,"log_parameters":[0.1],"mean":0,"added_scale":1,"base_scale":1,)"
                  R"("log_marginal_likelihood":0,"converged":true,"reason":"",)"
                  R"("structures":["plain"],"structure_parameters":[0.1],"structure_nugget":[0],)"
                  R"("structure_objective":[1],"structure_sizes":)" +
                      sizes + "}");
  };
  EXPECT_NO_THROW(damaged("[1]"));
  for (const char* sizes : {"[]", "[0]", "[2]", "[-1]", "[1,1]"}) EXPECT_THROW(damaged(sizes), DamagedError);
  EXPECT_THROW(back({{"transformed", {0.1}, 0.0, 1.0, {}}}), InputError);
  EXPECT_THROW(back({{"transformed", {0.1}, 0.0, 1.0, {0.5, 0.0, 0.0, -1.0, 1.0, 0.0, 1.0}}}), InputError);
}

TEST(Event, AChainComesBackAndIsChecked) {
  const auto back = [](const std::vector<FittedLink>& chain, std::optional<double> weight) {
    const Fitted fitted{.annotations = 20,
                        .log_parameters = {0.1},
                        .reason = "converged",
                        .chain = chain,
                        .chain_weight = weight};
    require_valid(fitted);
    return std::get<Fitted>(event_from_json("fitted", to_json(fitted)));
  };
  const FittedLink first{.level = "coarse",
                         .log_parameters = {0.1, 1.0 / 3.0},
                         .nugget = 0.2,
                         .mean = 0.3,
                         .centre = 0.4,
                         .spread = 0.5,
                         .low = -0.6,
                         .high = 0.7};
  const FittedLink last{.level = "", .log_parameters = {0.1, 0.2, 0.3}, .low = -1.0, .high = 1.0};
  const Fitted found = back({first, last}, 0.25);
  ASSERT_EQ(found.chain.size(), 2U);
  EXPECT_EQ(found.chain_weight, 0.25);
  EXPECT_EQ(found.chain[0].level, "coarse");
  EXPECT_EQ(found.chain[0].log_parameters, first.log_parameters);
  EXPECT_EQ((std::vector{found.chain[0].nugget, found.chain[0].mean, found.chain[0].centre,
                         found.chain[0].spread, found.chain[0].low, found.chain[0].high}),
            (std::vector{0.2, 0.3, 0.4, 0.5, -0.6, 0.7}));
  EXPECT_EQ(found.chain[1].log_parameters, last.log_parameters);
  EXPECT_THROW(back({first, last}, std::nullopt), InputError);
  EXPECT_THROW(back({}, 0.5), InputError);
  EXPECT_THROW(back({last}, 0.5), InputError);
  EXPECT_THROW(back({first, last}, 1.5), InputError);
  FittedLink wrong = first;
  wrong.spread = 0.0;
  EXPECT_THROW(back({wrong, last}, 0.5), InputError);
  wrong = first;
  wrong.low = wrong.high;
  EXPECT_THROW(back({wrong, last}, 0.5), InputError);
  wrong = first;
  wrong.nugget = -1.0;
  EXPECT_THROW(back({wrong, last}, 0.5), InputError);
  const auto damaged = [](const std::string& sizes) {
    return event_from_json(
        "fitted", R"({"annotations":20,"log_parameters":[0.1],"mean":0,"added_scale":1,"base_scale":1,)"
                  R"("log_marginal_likelihood":0,"converged":true,"reason":"","chain_weight":0.5,)"
                  R"("chain_levels":["coarse"],"chain_parameters":[0.1,0.2,0.3],)"
                  R"("chain_numbers":[0,0,0,1,-1,1,0,0,0,1,-1,1],"chain_sizes":)" +
                      sizes + "}");
  };
  EXPECT_NO_THROW(damaged("[1,2]"));
  for (const char* sizes : {"[]", "[3]", "[1,1]", "[2,2]", "[-1,4]", "[1,1,1]"})
    EXPECT_THROW(damaged(sizes), DamagedError) << sizes;
}

TEST(Event, ComesBackFromItsJsonWithEveryDigit) {
  for (const Event& event : one_of_each()) {
    const std::string json = to_json(event);
    EXPECT_EQ(to_json(event_from_json(event_name(event), json)), json);
  }
  const auto told = std::get<Told>(event_from_json("told", to_json(one_of_each()[3])));
  EXPECT_EQ(told.values[1], -1.0 / 3.0);
  EXPECT_EQ(*told.row, 18);
  const std::vector<Event> events = one_of_each();
  const auto with_biases = std::find_if(events.begin(), events.end(), [](const Event& event) {
    const auto* fit = std::get_if<Fitted>(&event);
    return fit != nullptr && !fit->smooth_sd.empty();
  });
  ASSERT_NE(with_biases, events.end());
  const auto fitted = std::get<Fitted>(event_from_json("fitted", to_json(*with_biases)));
  EXPECT_EQ(fitted.smooth_sd, (std::vector{1e-7 * (1.0 / 3.0), 0.0}));
  EXPECT_EQ(fitted.level_scales, (std::vector{1.0 / 3.0, 1.0}));
  EXPECT_FALSE(fitted.noisier_nugget || fitted.noisier_probability || fitted.noisy) << "as in older logs";
  const auto noisy = std::get<Fitted>(event_from_json("fitted", to_json(one_of_each().back())));
  EXPECT_EQ(noisy.noisier_nugget, 0.05 * (1.0 / 3.0));
  EXPECT_EQ(noisy.noisier_probability, 0.5 * (1.0 / 3.0));
  EXPECT_TRUE(noisy.noisy);
}

TEST(Event, ThatCannotBeReadIsAStoreError) {
  EXPECT_THROW(event_from_json("told", "{\"id\": 1}"), StoreError);
  EXPECT_THROW(event_from_json("told", "no JSON"), StoreError);
  EXPECT_THROW(event_from_json("sold", "{}"), StoreError);
}

enum class Kind { memory, sqlite, postgresql };

// All kinds of store must behave alike.
class Stores : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (GetParam() != Kind::postgresql) return;
    if (const std::string reason = testing::PostgresServer::why_not(); !reason.empty())
      GTEST_SKIP() << reason;
    server = std::make_unique<testing::PostgresServer>();
  }

  CampaignAddress address() const {
    return server ? CampaignAddress(server->address() + "/wing") : CampaignAddress(folder.path());
  }
  std::shared_ptr<EventStore> make(std::vector<Event> beginning = {}) {
    if (GetParam() != Kind::memory) return create_event_store(address(), std::move(beginning));
    in_memory = make_memory_event_store();
    if (!beginning.empty()) in_memory->add(0, [&](const auto&) { return beginning; });
    return in_memory;
  }
  // The same log, as another process has it.
  std::shared_ptr<EventStore> other() {
    if (GetParam() == Kind::memory) return std::make_shared<testing::SharedEventStore>(in_memory);
    return open_event_store(address());
  }

  testing::Folder folder;
  std::shared_ptr<EventStore> in_memory;
  std::unique_ptr<testing::PostgresServer> server;
};

std::string log_of(EventStore& store, std::int64_t after = 0) {
  std::string text;
  for (const StoredEvent& stored : store.read(after))
    text +=
        std::to_string(stored.sequence) + " " + event_name(stored.event) + " " + to_json(stored.event) + "\n";
  return text;
}

TEST_P(Stores, KeepEventsInOrder) {
  const auto store = make();
  std::string expected;
  std::int64_t sequence = 0;
  for (const Event& event : one_of_each()) {
    const auto added = store->add(sequence, [&](const auto& news) {
      EXPECT_TRUE(news.empty());
      return std::vector<Event>{event};
    });
    ASSERT_EQ(added.size(), 1U);
    EXPECT_EQ(added[0].sequence, ++sequence);
    expected += std::to_string(sequence) + " " + event_name(event) + " " + to_json(event) + "\n";
  }
  EXPECT_EQ(log_of(*store), expected);
  EXPECT_EQ(store->read(sequence).size(), 0U);
  EXPECT_EQ(store->read(sequence - 2).size(), 2U);
}

TEST_P(Stores, TellWhoDecidesWhatIsNew) {
  const auto store = make();
  store->add(0, [](const auto&) { return std::vector<Event>{BudgetChanged{1.0}, BudgetChanged{2.0}}; });
  store->add(1, [](const std::vector<StoredEvent>& news) {
    EXPECT_EQ(news.size(), 1U);
    EXPECT_EQ(news[0].sequence, 2);
    return std::vector<Event>{};
  });
  EXPECT_EQ(store->read(0).size(), 2U) << "who decides on nothing adds nothing";
}

TEST_P(Stores, AddNothingWhereTheDecisionThrows) {
  const auto store = make();
  store->add(0, [](const auto&) { return std::vector<Event>{BudgetChanged{1.0}}; });
  EXPECT_THROW(store->add(0, [](const auto&) -> std::vector<Event> { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_EQ(store->read(0).size(), 1U);
  store->add(1, [](const auto&) { return std::vector<Event>{BudgetChanged{2.0}}; });
  EXPECT_EQ(store->read(0).size(), 2U) << "and goes on";
}

TEST_P(Stores, GiveARepeatedDecisionOnlyWhatIsNewAndAddItsLastResult) {
  const auto store = make();
  store->add(0, [](const auto&) { return std::vector<Event>{BudgetChanged{1.0}, BudgetChanged{2.0}}; });
  double other = 10.0;
  testing::RepeatingEventStore repeating(store, 2, [&] {
    store->add(0, [&](const auto&) { return std::vector<Event>{BudgetChanged{++other}}; });
  });
  std::vector<std::vector<std::int64_t>> seen;
  const auto added = repeating.add(1, [&](const std::vector<StoredEvent>& news) {
    seen.emplace_back();
    for (const StoredEvent& stored : news) seen.back().push_back(stored.sequence);
    return std::vector<Event>{BudgetChanged{100.0 * static_cast<double>(seen.size())}};
  });
  EXPECT_EQ(seen, (std::vector<std::vector<std::int64_t>>{{2}, {3}, {4}}));
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(added[0].sequence, 5);
  EXPECT_EQ(std::get<BudgetChanged>(store->read(4).at(0).event).by, 300.0);
}

// The clock of the log: events of a host whose clock is ahead must not be followed by earlier ones.
TEST_P(Stores, HaveAClockThatIsNeverBeforeTheLastEvent) {
  const auto store = make();
  const double before = store->now();
  const auto added = store->add(0, [&](const auto&) { return std::vector<Event>{BudgetChanged{1.0}}; });
  EXPECT_GE(added[0].time, before);
  EXPECT_GE(store->now(), added[0].time);
  EXPECT_EQ(store->read(0).at(0).time, added[0].time);
}

TEST_P(Stores, WaitForWhatComes) {
  const auto store = make();
  EXPECT_FALSE(store->wait(0, 0.01));
  store->add(0, [](const auto&) { return std::vector<Event>{BudgetChanged{1.0}}; });
  EXPECT_TRUE(store->wait(0, 1000.0)) << "at once";
  EXPECT_FALSE(store->wait(1, 0.01));
}

TEST_P(Stores, KeepFilesWithTheEventsOfTheirTransactionOrNone) {
  const auto store = make();
  if (!store->keeps_files()) {
    EXPECT_TRUE(store->files().empty());
    EXPECT_THROW(store->file("pool.csv"), StoreError);
    return;
  }
  std::string pool(2'500'000, 'a');  // several parts
  for (std::size_t k = 0; k < pool.size(); ++k) pool[k] = static_cast<char>(k * k >> 3);
  const auto put = [&](const std::string& bytes, std::vector<Event> events) {
    return [&store, bytes, events](const auto&) {
      store->put_file("pool.csv", bytes);
      store->put_file("empty", "");
      return events;
    };
  };
  EXPECT_THROW(store->put_file("pool.csv", "a"), std::logic_error) << "not in a decision";
  store->add(0, put(pool, {}));
  EXPECT_TRUE(store->files().empty()) << "no event, no file";
  store->add(0, put(pool, {BudgetChanged{1.0}}));
  EXPECT_EQ(store->file("pool.csv"), pool);
  EXPECT_EQ(store->file("empty"), "");
  EXPECT_THROW(store->add(0,
                          [&](const auto&) -> std::vector<Event> {
                            store->put_file("pool.csv", "b");
                            throw std::runtime_error("no");
                          }),
               std::runtime_error);
  store->add(1, [&](const auto&) { return std::vector<Event>{BudgetChanged{2.0}}; });
  EXPECT_EQ(store->file("pool.csv"), pool) << "what a failed decision put is forgotten";
  store->add(2, put("shorter", {BudgetChanged{3.0}}));
  EXPECT_EQ(store->file("pool.csv"), "shorter");
  ASSERT_EQ(store->files().size(), 2U);
  EXPECT_EQ(store->files()[1].name, "pool.csv");
  EXPECT_EQ(store->files()[1].bytes, 7);
  EXPECT_THROW(store->file("pool.txt"), StoreError);
}

TEST_P(Stores, SeeWhatOthersAdd) {
  const auto one = make({BudgetChanged{1.0}}), two = other();
  EXPECT_EQ(two->read(0).size(), 1U);
  one->add(1, [](const auto&) { return std::vector<Event>{BudgetChanged{5.0}}; });
  EXPECT_EQ(two->read(1).size(), 1U);
  two->add(1, [](const std::vector<StoredEvent>& news) {
    EXPECT_EQ(news.size(), 1U);
    return std::vector<Event>{BudgetChanged{6.0}};
  });
  EXPECT_EQ(log_of(*one), log_of(*two));
}

TEST_P(Stores, WaitForWhatOthersAdd) {
  const auto store = make({BudgetChanged{1.0}}), writer = other();
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    writer->add(1, [](const auto&) { return std::vector<Event>{BudgetChanged{5.0}}; });
  });
  EXPECT_TRUE(store->wait(1, 1000.0));
  EXPECT_EQ(store->read(1).size(), 1U);
  later.join();
}

TEST_P(Stores, LetEightWritersTakeTurns) {
  constexpr int writers = 8, each = 20;
  make();
  std::vector<std::thread> threads;
  for (int k = 0; k < writers; ++k)
    threads.emplace_back([this] {
      const auto store = other();
      for (int i = 0; i < each; ++i)
        store->add(0, [](const std::vector<StoredEvent>& all) {
          return std::vector<Event>{BudgetChanged{static_cast<double>(all.size())}};
        });
    });
  for (std::thread& thread : threads) thread.join();
  const std::vector<StoredEvent> events = other()->read(0);
  ASSERT_EQ(events.size(), static_cast<std::size_t>(writers * each));
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].sequence, static_cast<std::int64_t>(i) + 1) << "no gaps";
    EXPECT_EQ(std::get<BudgetChanged>(events[i].event).by, static_cast<double>(i))
        << "everybody saw all that was there before";
    EXPECT_GE(events[i].time, events[i == 0 ? 0 : i - 1].time);
  }
}

// A failed transaction must not use up numbers, as sequences of databases do.
TEST_P(Stores, HaveNoGapsAfterFailedDecisions) {
  const auto store = make();
  const auto fails = [](const auto&) -> std::vector<Event> { throw std::runtime_error("no"); };
  for (int k = 0; k < 3; ++k) {
    EXPECT_THROW(store->add(k, fails), std::runtime_error);
    EXPECT_THROW(store->add(k, [](const auto&) { return std::vector<Event>{BudgetChanged{std::nan("")}}; }),
                 InputError);
    EXPECT_EQ(
        store->add(k, [](const auto&) { return std::vector<Event>{BudgetChanged{1.0}}; }).at(0).sequence,
        k + 1);
  }
}

// What only logs that outlive a process can show.
class DurableStores : public Stores {};

// A campaign moves between stores with its checksums, so they must be the same everywhere.
TEST_P(DurableStores, CopyALogWithItsNumbersAndTimes) {
  const testing::Folder source;
  {
    const auto store = SqliteEventStore::create(source.path() / "events.sqlite");
    for (const Event& event : one_of_each())
      store->add(0, [&](const auto&) { return std::vector<Event>{event}; });
  }
  const std::vector<StoredEvent> events = open_event_store(source.path(), Access::read)->read(0);
  create_event_store(address(), events);
  const auto copy = open_event_store(address());
  EXPECT_EQ(log_of(*copy), log_of(*open_event_store(source.path(), Access::read)));
  EXPECT_EQ(copy->read(0).back().time, events.back().time);
  std::string expected;
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((source.path() / "events.sqlite").c_str(), &database), SQLITE_OK);
  sqlite3_exec(
      database, "SELECT chain FROM events ORDER BY sequence",
      [](void* text, int, char** values, char**) {
        *static_cast<std::string*>(text) += std::string(values[0]) + "\n";
        return 0;
      },
      &expected, nullptr);
  sqlite3_close(database);
  EXPECT_FALSE(expected.empty());
  if (!server) return;
  EXPECT_EQ(server->execute("SELECT chain FROM acuity.event ORDER BY sequence"), expected);
}

TEST_P(DurableStores, AreCreatedOnceAndFound) {
  EXPECT_FALSE(has_event_store(address()));
  EXPECT_TRUE(intact_log(address()).empty());
  EXPECT_FALSE(inspect_log(address()).is_log);
  make({BudgetChanged{1.0}});
  EXPECT_TRUE(has_event_store(address()));
  EXPECT_THROW(make({BudgetChanged{2.0}}), StoreError) << "it already exists";
  EXPECT_EQ(open_event_store(address(), Access::read)->read(0).size(), 1U);
  EXPECT_EQ(intact_log(address()).size(), 1U);
  const LogInspection found = inspect_log(address());
  EXPECT_TRUE(found.is_log);
  EXPECT_EQ(found.events.size(), 1U);
  EXPECT_EQ(found.problem_count, 0);
}

// Ended without warning at every write: what add() had acknowledged is there, and the rest is not in pieces.
TEST_P(DurableStores, SurviveAProcessThatIsKilledAtEveryWrite) {
  const fs::path acknowledged = folder.path() / "acknowledged";
  make();
  std::size_t before = 0;
  for (int site = 1; site < 40; ++site) {
    fs::remove(acknowledged);
    const pid_t child = fork();
    if (child == 0) {
      const auto store = open_event_store(address());
      setenv("ACUITY_CRASH_AT", std::to_string(site).c_str(), 1);
      for (int i = 0; i < 3; ++i) {
        store->add(0, [&](const auto&) {
          return std::vector<Event>{BudgetChanged{2.0 * i}, BudgetChanged{2.0 * i + 1.0}};
        });
        std::ofstream(acknowledged) << i + 1 << std::flush;
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    int rounds = 0;
    std::ifstream(acknowledged) >> rounds;
    // The next one waits for the lock that the dead one may still hold.
    other()->add(0, [](const auto&) { return std::vector<Event>{}; });
    const std::size_t events = other()->read(0).size() - before;
    EXPECT_GE(events, static_cast<std::size_t>(2 * rounds)) << site;
    EXPECT_LE(events, static_cast<std::size_t>(2 * rounds + 2)) << site;
    EXPECT_EQ(events % 2, 0U) << "both or neither of a transaction";
    before += events;
    if (WIFEXITED(status)) {
      EXPECT_EQ(status, 0);
      EXPECT_GT(site, 9) << "there are so many sites";
      return;
    }
  }
  FAIL() << "the sites never ended";
}

const auto name_of_kind = [](const ::testing::TestParamInfo<Kind>& kind) {
  if (kind.param == Kind::memory) return "Memory";
  return kind.param == Kind::sqlite ? "Sqlite" : "PostgreSQL";
};
INSTANTIATE_TEST_SUITE_P(Kinds, Stores, ::testing::Values(Kind::memory, Kind::sqlite, Kind::postgresql),
                         name_of_kind);
INSTANTIATE_TEST_SUITE_P(Kinds, DurableStores, ::testing::Values(Kind::sqlite, Kind::postgresql),
                         name_of_kind);

class SqliteStore : public ::testing::Test {
 protected:
  fs::path file() const { return folder.path() / "events.sqlite"; }
  void fill(int count) {
    const auto store = SqliteEventStore::create(file());
    for (int i = 0; i < count; ++i)
      store->add(i, [&](const auto&) { return std::vector<Event>{BudgetChanged{1.0 + i}}; });
  }
  testing::Folder folder;
};

TEST_F(SqliteStore, IsThereAfterItWasClosed) {
  fill(3);
  EXPECT_EQ(SqliteEventStore::open(file())->read(0).size(), 3U);
  EXPECT_THROW(SqliteEventStore::create(file()), StoreError);
}

TEST_F(SqliteStore, StampsNothingBeforeAnEventOfAClockThatWasAhead) {
  fill(1);
  const double ahead = SqliteEventStore::open(file())->now() + 3600.0;
  testing::forge_log(file(), {{ahead, "budget", to_json(BudgetChanged{1.0})}});
  const auto store = SqliteEventStore::open(file());
  EXPECT_EQ(store->now(), ahead);
  EXPECT_EQ(store->add(1, [](const auto&) { return std::vector<Event>{BudgetChanged{2.0}}; }).at(0).time,
            ahead);
}

TEST_F(SqliteStore, TakesTurnsWithOtherProcesses) {
  fill(0);
  constexpr int processes = 4, each = 25;
  for (int k = 0; k < processes; ++k)
    if (fork() == 0) {
      const auto store = SqliteEventStore::open(file());
      for (int i = 0; i < each; ++i)
        store->add(0, [](const std::vector<StoredEvent>& all) {
          return std::vector<Event>{BudgetChanged{static_cast<double>(all.size())}};
        });
      _exit(0);
    }
  int status = 0;
  while (wait(&status) > 0) EXPECT_EQ(status, 0);
  const auto events = SqliteEventStore::open(file())->read(0);
  ASSERT_EQ(events.size(), static_cast<std::size_t>(processes * each));
  for (std::size_t i = 0; i < events.size(); ++i)
    EXPECT_EQ(std::get<BudgetChanged>(events[i].event).by, static_cast<double>(i))
        << "everybody saw all that was there before";
}

TEST_F(SqliteStore, IsNeverChangedByOtherProgramsEither) {
  fill(3);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
  EXPECT_NE(sqlite3_exec(database, "DELETE FROM events", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_NE(sqlite3_exec(database, "UPDATE events SET time = 0", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  EXPECT_EQ(SqliteEventStore::open(file())->read(0).size(), 3U);
}

TEST_F(SqliteStore, NoticesWhatWasTamperedWith) {
  fill(5);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(database,
                   "DROP TRIGGER never_UPDATE; UPDATE events SET body = '{\"by\":4.0}' WHERE sequence = 3",
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(database);
  try {
    SqliteEventStore::open(file());
    FAIL() << "must complain";
  } catch (const StoreError& error) {
    EXPECT_NE(std::string(error.what()).find("event 3 does not match its checksum"), std::string::npos)
        << error.what();
  }
}

TEST_F(SqliteStore, RefusesWhatIsNoLog) {
  EXPECT_THROW(SqliteEventStore::open(file()), StoreError) << "not there";
  folder.write("events.sqlite", "hello");
  EXPECT_THROW(SqliteEventStore::open(file()), StoreError);
  EXPECT_EQ(folder.read("events.sqlite"), "hello") << "and leaves it alone";
  folder.write("events.sqlite", "");
  EXPECT_THROW(SqliteEventStore::open(file()), StoreError);
  EXPECT_EQ(folder.read("events.sqlite"), "");
}

// Truncated, or with bytes overwritten, anywhere: opened as it was, or refused; never crashed on, never
// changed.
TEST_F(SqliteStore, IsRefusedOrWholeWhateverHappenedToItsBytes) {
  fill(40);
  {
    SqliteEventStore::open(file());
  }
  const std::string whole = log_of(*SqliteEventStore::open(file())), bytes = folder.read("events.sqlite");
  int refused = 0;
  for (std::uint32_t variant = 0; variant < 200; ++variant) {
    numerics::Draws draws(3, numerics::Purpose::data, variant);
    std::string damaged = bytes;
    if (variant % 4 == 0)
      damaged.resize(static_cast<std::size_t>(draws.below(static_cast<std::int64_t>(bytes.size()))));
    else
      for (int k = 0; k < 1 + static_cast<int>(variant % 7); ++k)
        damaged[static_cast<std::size_t>(draws.below(static_cast<std::int64_t>(bytes.size())))] =
            static_cast<char>(draws.below(256));
    for (const char* more : {"-wal", "-shm"}) fs::remove(file().string() + more);
    folder.write("events.sqlite", damaged);
    try {
      EXPECT_EQ(log_of(*SqliteEventStore::open(file())), whole) << variant;
    } catch (const StoreError& error) {
      ++refused;
      EXPECT_EQ(folder.read("events.sqlite"), damaged) << error.what();
    }
  }
  EXPECT_GT(refused, 50);
}

// The first 100 bytes say what the file is; SQLite has a complaint of its own for many of them.
TEST_F(SqliteStore, IsRefusedAsDamagedOrWholeWhateverAByteOfItsHeaderBecomes) {
  fill(4);
  const std::string whole = log_of(*SqliteEventStore::open(file(), Access::read));
  const std::string bytes = folder.read("events.sqlite");
  for (std::size_t at = 0; at < 100; at += testing::thorough() ? 1 : 3)
    for (const int mask : {1, 4, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      for (const Access access : {Access::read, Access::write}) {
        for (const char* more : {"-wal", "-shm"}) fs::remove(file().string() + more);
        folder.write("events.sqlite", damaged);
        try {
          const auto store = SqliteEventStore::open(file(), access);
          EXPECT_EQ(log_of(*store), whole) << at << " " << mask;
          if (access == Access::write)
            store->add(4, [](const auto&) { return std::vector<Event>{BudgetChanged{5.0}}; });
        } catch (const DamagedError&) {
          EXPECT_EQ(folder.read("events.sqlite"), damaged) << at << " " << mask;
        } catch (const StoreError& error) {
          ADD_FAILURE() << at << " " << mask << ": " << error.what();
        }
      }
    }
}

TEST_F(SqliteStore, SavesWhatIsBeforeTheDamage) {
  fill(5);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "DROP TRIGGER never_UPDATE; UPDATE events SET time = 0 WHERE sequence = 4",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  const std::vector<StoredEvent> intact = SqliteEventStore::intact(file());
  ASSERT_EQ(intact.size(), 3U);
  EXPECT_EQ(std::get<BudgetChanged>(intact[2].event).by, 3.0);
  EXPECT_TRUE(SqliteEventStore::intact(folder.path() / "nothing").empty());
}

// Ended without warning at every write: what add() had acknowledged is there, and the rest is not in pieces.
TEST_F(SqliteStore, SurvivesBeingKilledAtEveryWrite) {
  for (int site = 1; site < 40; ++site) {
    for (const char* more : {"", "-wal", "-shm"}) fs::remove(file().string() + more);
    const fs::path acknowledged = folder.path() / "acknowledged";
    fs::remove(acknowledged);
    const pid_t child = fork();
    if (child == 0) {
      setenv("ACUITY_CRASH_AT", std::to_string(site).c_str(), 1);
      const auto store = SqliteEventStore::create(file());
      for (int i = 0; i < 5; ++i) {
        store->add(2 * i, [&](const auto&) {
          return std::vector<Event>{BudgetChanged{2.0 * i}, BudgetChanged{2.0 * i + 1.0}};
        });
        std::ofstream(acknowledged) << i + 1 << std::flush;
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) {
      EXPECT_GT(site, 20) << "there are so many sites";
      return;
    }
    int rounds = 0;
    std::ifstream(acknowledged) >> rounds;
    if (site <= 2) continue;  // the log itself was not made yet
    const auto events = SqliteEventStore::open(file())->read(0);
    EXPECT_GE(events.size(), static_cast<std::size_t>(2 * rounds)) << site;
    EXPECT_LE(events.size(), static_cast<std::size_t>(2 * rounds + 2)) << site;
    EXPECT_EQ(events.size() % 2, 0U) << "both or neither of a transaction";
  }
  FAIL() << "the sites never ended";
}

}  // namespace
}  // namespace acuity::event_store_test
