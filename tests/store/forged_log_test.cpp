// Logs whose checksums are right and whose events nobody wrote: by a bug, by another program, by an attacker.
// Every command says so in one sentence with the number of the event, writes nothing, and takes neither
// memory nor time by a number of such an event.
#include "support/forged_log.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <sstream>

#include "base/checksum.hpp"
#include "support/campaigns.hpp"
#include "support/thorough.hpp"

namespace acuity::testing::forged_log_test {
namespace {

using Json = nlohmann::json;

// The log of the campaign below, event by event.
enum Line : std::size_t { created, asked_1, asked_2, asked_3, told_1, told_2, failed_3, first_new };

struct Forgery {
  std::string name;
  std::size_t sequence;  // of the event that the sentence must name
  std::function<void(std::vector<RawEvent>&)> forge;
  bool binary = false;
  friend std::ostream& operator<<(std::ostream& out, const Forgery& one) { return out << one.name; }
};

// The key of one event becomes this; null: it is gone.
Forgery with_key(const std::string& name, Line event, const std::string& key, const Json& value,
                 bool binary = false) {
  return {name, event + 1,
          [=](std::vector<RawEvent>& log) {
            Json body = Json::parse(log[event].body);
            if (value.is_null())
              body.erase(key);
            else
              body[key] = value;
            log[event].body = body.dump();
          },
          binary};
}

// The text of one event becomes this.
Forgery with_body(const std::string& name, Line event, const std::string& body) {
  return {name, event + 1, [=](std::vector<RawEvent>& log) { log[event].body = body; }};
}

// One more event at the end.
Forgery with_more(const std::string& name, const std::string& event, const std::string& body,
                  bool binary = false) {
  return {name, first_new + 1,
          [=](std::vector<RawEvent>& log) { log.push_back({log.back().time, event, body}); }, binary};
}

Forgery with_time(const std::string& name, double time) {
  return {name, told_1 + 1, [=](std::vector<RawEvent>& log) { log[told_1].time = time; }};
}

// An answer that was not asked for; the point is empty unless it is among the inner keys.
std::string unasked(const std::string& keys, const std::string& inner) {
  const std::string point = inner.find("point") == std::string::npos ? R"(,"point":"")" : "";
  return "{" + keys + R"(,"values":[0.5],"cost":0.2,"unasked":{"cost":0.2,)" + inner + point + "}}";
}

std::string fitted(const std::string& log_parameters, const std::string& rest = "") {
  return R"({"annotations":2,"log_parameters":)" + log_parameters +
         R"(,"mean":0.0,"added_scale":1.0,"base_scale":1.0,"log_marginal_likelihood":-1.0,)"
         R"("converged":true,"reason":"")" +
         rest + "}";
}

std::string nested(std::size_t depth) {
  return R"({"id":1,"cost":1,"values":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
}

std::vector<Forgery> forgeries() {
  std::vector<Forgery> all{
      // What is no event at all.
      with_body("NoJson", told_1, "hello"),
      with_body("NoObject", told_1, "[1, 2]"),
      with_body("AnEmptyText", told_1, ""),
      with_body("NestedDeeply", told_1, nested(1'000'000)),
      with_body("AKeyTwice", told_1, R"({"id":1,"id":1,"cost":0.5,"values":[0.25]})"),
      with_body("ANumberBeyondAll", told_1, R"({"id":1,"cost":1e999,"values":[0.25]})"),
      with_body("InvalidUtf8", failed_3, "{\"id\":3,\"reason\":\"\xff\xfe\",\"charge\":0.0}"),
      with_body("ALongText", failed_3,
                R"({"id":3,"charge":0.0,"reason":")" + std::string(std::size_t{2} << 20, 'x') + "\"}"),
      with_body("AVeryLongText", failed_3,
                R"({"id":3,"charge":0.0,"reason":")" + std::string(std::size_t{40} << 20, 'x') + "\"}"),
      // Wrong types.
      with_key("AnIdThatIsText", told_1, "id", "1"),
      with_key("AnIdThatIsNoWholeNumber", told_1, "id", 1.5),
      with_key("AnIdBeyondAll", told_1, "id", std::numeric_limits<std::uint64_t>::max()),
      with_key("NoId", told_1, "id", nullptr),
      with_key("ACostThatIsText", told_1, "cost", "much"),
      with_key("ACostThatIsAList", told_1, "cost", Json::array({1.0})),
      with_key("ValuesThatAreNone", told_1, "values", 0.25),
      with_key("AReasonThatIsANumber", failed_3, "reason", 7),
      // Created.
      with_key("ANegativeBudget", created, "budget", -1.0),
      with_key("ABudgetBeyondTheBound", created, "budget", 2e15),
      with_key("APoolElsewhere", created, "pool_file", "../../../etc/passwd"),
      with_key("AStudyThatDoesNotFitItsChecksum", created, "study_checksum", "0123456789abcdef"),
      {"CreatedTwice", 3, [](auto& log) { log.insert(log.begin() + 2, log[created]); }},
      {"NotCreated", 1, [](auto& log) { log.erase(log.begin()); }},
      // Asked.
      with_key("ARowBeyondThePool", asked_3, "row", 1'000'000'000),
      with_key("TheRowAfterTheLast", asked_3, "row", 25),
      with_key("ANegativeRow", asked_3, "row", -5),
      with_key("APointThatIsNotThatRow", asked_3, "point", "24000"),
      with_key("AnIdOutOfOrder", asked_3, "id", 9),
      with_key("ALevelOnALadder", asked_3, "level", "fine"),
      with_key("AnAlphaBelowTheLadder", asked_3, "alpha", 0.5),
      with_key("ANegativeAlpha", asked_3, "alpha", -1.0),
      with_key("ANegativeCost", asked_3, "cost", -1.0),
      with_key("AnInfiniteCost", asked_3, "cost", "inf"),
      with_key("ACostBeyondTheBound", asked_3, "cost", 1e17),
      with_key("ANegativeNoise", asked_3, "channel", {{"noise_variance", -0.1}}),
      with_key("AnInfiniteNoise", asked_3, "channel", {{"noise_variance", "inf"}}),
      with_key("AnAccuracyInARealStudy", asked_3, "channel", {{"accuracy", 0.9}}),
      with_key("NoChannel", asked_3, "channel", Json::object()),
      with_key("AnInfiniteMean", asked_3, "mean", "inf"),
      with_key("ALeaseAfterAllTime", asked_3, "lease_until", 1e300),
      with_key("ALeaseBeforeAllTime", asked_3, "lease_until", -1e18),
      with_more("PendingOutsideOfThePool", "asked",
                R"({"id":4,"point":"","row":-1,"alpha":1.0,"channel":{"noise_variance":0.1},"cost":0.2,)"
                R"("information":0.1,"mean":0.0,"variance":1.0})"),
      with_more("PendingWithoutALevel", "asked",
                R"({"id":4,"point":"7","row":7,"channel":{"noise_variance":0.1},"cost":0.2,)"
                R"("information":0.1,"mean":0.0,"variance":1.0})"),
      // Told.
      with_key("NoValues", told_1, "values", Json::array()),
      with_key("AnInfiniteValue", told_1, "values", Json::array({"inf"})),
      with_key("AHugeValue", told_1, "values", Json::array({1e200})),
      with_key("TooManyValues", told_1, "values", std::vector<double>(100'001, 0.25)),
      with_key("ANegativeCharge", told_1, "cost", -0.5),
      with_key("AChargeBeyondTheBound", told_1, "cost", 1e308),
      with_key("ARowTold", told_1, "row", 1'000'000'000),
      with_key("ANegativeRowTold", told_1, "row", -5),
      with_key("TooManyInputs", told_1, "inputs", Json::array({0.1, 0.2})),
      with_key("NoInputs", told_1, "inputs", Json::array()),
      with_key("InfiniteInputs", told_1, "inputs", Json::array({"inf"})),
      with_key("ALevelTold", told_1, "level", "fine"),
      with_key("AnAlphaTold", told_1, "alpha", 0.0),
      with_key("ANoiseOfNothing", told_1, "channel", {{"noise_variance", 0.0}}),
      with_key("AnAccuracyTold", told_1, "channel", {{"accuracy", 0.9}}),
      with_key("ANegativeSigma", told_1, "base_noise", -1.0),
      with_key("ToldBeforeItWasAsked", told_1, "id", 77),
      with_key("ToldTwice", told_2, "id", 1),
      with_more("MoreThanAllMoneyInAll", "told", R"({"id":3,"cost":1e15,"values":[0.5]})"),
      with_more("UnaskedNowhere", "told", unasked(R"("id":4,"alpha":1.0)", R"("noise_variance":0.1)")),
      with_more("UnaskedWithAnotherId", "told",
                unasked(R"("id":5,"row":7,"alpha":1.0)", R"("noise_variance":0.1,"point":"7")")),
      with_more("UnaskedAtAnotherPoint", "told",
                unasked(R"("id":4,"row":7,"alpha":1.0)", R"("noise_variance":0.1,"point":"8")")),
      with_more("UnaskedWithoutALevel", "told",
                unasked(R"("id":4,"row":7)", R"("noise_variance":0.1,"point":"7")")),
      with_more("UnaskedAClass", "told",
                unasked(R"("id":4,"row":7,"alpha":1.0)", R"("accuracy":0.9,"point":"7")")),
      with_more("UnaskedWithSomethingElse", "told",
                unasked(R"("id":4,"row":7,"alpha":1.0)", R"("noise_variance":0.1,"point":"7","more":1)")),
      // The rest.
      with_key("ANegativeChargeOfAFailure", failed_3, "charge", -1.0),
      with_more("ReleasedNobody", "released", R"({"id":0,"reason":""})"),
      with_more("ExcludedNowhere", "excluded", R"({"row":-1,"reason":""})"),
      with_more("ExcludedFarAway", "excluded", R"({"row":1000000000,"reason":""})"),
      with_more("ExcludedALevel", "excluded", R"({"row":1,"level":"fine","reason":""})"),
      with_more("AmendedToNothing", "amended", R"({"id":1,"values":[],"reason":"x"})"),
      with_more("ABudgetOfAll", "budget", R"({"by":1e308})"),
      with_more("ABudgetBelowNothing", "budget", R"({"by":-21})"),
      with_more("FittedAThousandNumbers", "fitted", fitted(Json(std::vector<double>(1000, 0.5)).dump())),
      with_more("FittedNoNumbers", "fitted", fitted("[]")),
      with_more("FittedHugeNumbers", "fitted", fitted("[1e6,0.0]")),
      with_more("FittedAHugeAmplitude", "fitted", fitted("[500.0,0.0]")),
      with_more("FittedKappa", "fitted", fitted("[0.0,0.0]", R"(,"kappa":0.6,"gamma":0.2)")),
      with_more("FittedHalfAnotherNugget", "fitted", fitted("[0.0,0.0]", R"(,"noisier_nugget":0.1)")),
      with_more("FittedAProbabilityOfNothing", "fitted",
                fitted("[0.0,0.0]", R"(,"noisier_probability":0.5)")),
      with_more("FittedNoiseOfNothing", "fitted", fitted("[0.0,0.0]", R"(,"noisy":true)")),
      with_more("FittedAnotherNuggetOfNothing", "fitted",
                fitted("[0.0,0.0]", R"(,"noisier_nugget":0.0,"noisier_probability":0.5,"noisy":true)")),
      with_more("FittedAProbabilityAboveOne", "fitted",
                fitted("[0.0,0.0]", R"(,"noisier_nugget":0.1,"noisier_probability":1.5,"noisy":true)")),
      {"FittedToMoreThanThereIs", first_new + 1,
       [](auto& log) {
         Json body = Json::parse(fitted("[0.0,0.0]"));
         body["annotations"] = 1'000'000'000'000;
         log.push_back({log.back().time, "fitted", body.dump()});
       }},
      with_more("AnOwnerThatIsNoProcess", "owner", R"({"host":"h","process":-1,"process_start":1})"),
      with_more("AnOwnerBeyondAllProcesses", "owner",
                R"({"host":"h","process":9000000000000,"process_start":1})"),
      with_time("AfterAllTime", 1e300),
      with_time("BeforeAllTime", -1e12),
      // Classes.
      with_key("AClassThatIsNone", told_1, "values", Json::array({0.3}), true),
      with_key("AnAccuracyOfSeven", asked_3, "channel", {{"accuracy", 7.0}}, true),
      with_key("ANoiseInABinaryStudy", asked_3, "channel", {{"noise_variance", 0.1}}, true),
      with_key("AnAlphaAboveTheLadder", asked_3, "alpha", 3.0, true),
      with_more("FittedHalfALaw", "fitted", fitted("[0.0,0.0]", R"(,"kappa":0.6)"), true),
      with_more("FittedMoreThanCertain", "fitted", fitted("[0.0,0.0]", R"(,"kappa":0.9,"gamma":0.4)"), true)};
  return all;
}

// A campaign with three suggestions, two of them answered.
struct BaseDesk : Desk {
  explicit BaseDesk(bool binary)
      : Desk(binary ? class_campaign_study("budget = 20") : campaign_study("budget = 20")) {
    const std::string first = binary ? "1" : "0.25", second = binary ? "-1" : "0.5";
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"init", "C", "--study", "study.toml"},
                                               {"ask", "C", "-n", "3"},
                                               {"tell", "C", "1", first},
                                               {"tell", "C", "2", second},
                                               {"fail", "C", "3", "--reason", "broke"}}) {
      const ProgramResult result = Desk::run(words);
      EXPECT_EQ(result.exit_code, 0) << result.err;
    }
    log = raw_events(campaign() / "events.sqlite");
    EXPECT_EQ(log.size(), std::size_t{first_new});
  }
  std::vector<RawEvent> log;
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool limits_memory = false;
#else
constexpr bool limits_memory = true;
#endif

void expect_damage(const BaseDesk& desk, const Forgery& forgery) {
  SCOPED_TRACE(forgery.name);
  std::vector<RawEvent> events = desk.log;
  forgery.forge(events);
  forge_log(desk.campaign() / "events.sqlite", events);
  const std::string before = desk.folder.read("C/events.sqlite");
  const std::string number = fmt::format("event {}", forgery.sequence);
  std::vector<std::string> commands{"status C", "verify C"};
  if (thorough())
    commands = {"status C", "ask C", "report C --out r.html", "verify C", "export C --events -"};
  for (const std::string& words : commands) {
    // With little memory: no number of an event decides how much is taken. A sanitizer takes terabytes.
    const ProgramResult result =
        desk.shell(std::string(limits_memory ? "ulimit -v 4000000; " : "") + "acuity " + words);
    EXPECT_EQ(result.exit_code, 7) << words << ": " << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << words << ": " << result.err;
    EXPECT_NE(result.err.find(number), std::string::npos) << words << ": " << result.err;
    EXPECT_LT(result.err.size(), 1000U) << words;
    for (const char* internal : {"std::", "exception", "internal", "json"})
      EXPECT_EQ(result.err.find(internal), std::string::npos) << words << ": " << result.err;
  }
  EXPECT_EQ(desk.folder.read("C/events.sqlite"), before) << "nothing was written";
}

constexpr std::size_t parts = 4;  // that run side by side

class ForgedLog : public ::testing::TestWithParam<std::size_t> {};

TEST_P(ForgedLog, IsSaidToBeDamagedByEveryCommand) {
  const BaseDesk real(false), binary(true);
  const std::vector<Forgery> all = forgeries();
  EXPECT_EQ(all.size(), 97U);
  for (std::size_t k = GetParam(); k < all.size(); k += parts)
    expect_damage(all[k].binary ? binary : real, all[k]);
}

INSTANTIATE_TEST_SUITE_P(Part, ForgedLog, ::testing::Range(std::size_t{0}, parts));

// The same way of forging, and nothing forged: the test above would notice a helper that breaks the log.
class RewrittenLog : public ::testing::Test {
 protected:
  RewrittenLog() : desk(campaign_study("budget = 20")) {
    EXPECT_EQ(desk.run({"init", "C", "--study", "study.toml"}).exit_code, 0);
    EXPECT_EQ(desk.run({"ask", "C"}).exit_code, 0);
  }
  std::filesystem::path log() const { return desk.campaign() / "events.sqlite"; }
  Desk desk;
};

TEST_F(RewrittenLog, AsItWasIsAccepted) {
  forge_log(log(), raw_events(log()));
  for (const char* command : {"status", "verify"}) {
    const ProgramResult result = desk.run({command, "C"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
}

TEST_F(RewrittenLog, APoolThatWasChangedIsFoundByItsBlocks) {
  forge_log(log(), raw_events(log()));
  std::string pool = desk.folder.read("C/pool.csv");
  const std::size_t third = pool.find('\n', pool.find('\n') + 1) + 1;
  pool.insert(third, "9");
  desk.folder.write("C/pool.csv", pool);
  const ProgramResult changed = desk.run({"status", "C"});
  EXPECT_EQ(changed.exit_code, 6);
  EXPECT_NE(changed.err.find("pool.csv:3: it was changed to"), std::string::npos) << changed.err;
}

TEST_F(RewrittenLog, OfANewerVersionSaysSo) {
  const std::vector<RawEvent> whole = raw_events(log());
  std::vector<RawEvent> teleported = whole;
  teleported.push_back({whole.back().time, "teleported", R"({"lambda":0.5})"});
  std::vector<RawEvent> with_gain = whole;
  with_gain[1].body.insert(with_gain[1].body.size() - 1, R"(,"gain":1.0)");
  for (const auto& [events, found] :
       {std::pair(teleported, "\"teleported\""), std::pair(with_gain, "\"gain\"")}) {
    forge_log(log(), events);
    const std::string before = desk.folder.read("C/events.sqlite");
    for (const char* command : {"status", "ask"}) {
      const ProgramResult result = desk.run({command, "C"});
      expect_sentence(result, 7);
      for (const std::string& part : {std::string(found), std::string("newer version"), std::string("0.2.0")})
        EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
      EXPECT_EQ(result.err.find("damaged"), std::string::npos) << result.err;
    }
    EXPECT_EQ(desk.folder.read("C/events.sqlite"), before);
  }
}

TEST_F(RewrittenLog, OfAnotherFormatSaysWhetherItIsNewer) {
  change_log(log(), "PRAGMA user_version = 2");
  const ProgramResult newer = desk.run({"status", "C"});
  expect_sentence(newer, 7);
  EXPECT_NE(newer.err.find("its format is 2, this version"), std::string::npos) << newer.err;
  EXPECT_NE(newer.err.find("newer version"), std::string::npos) << newer.err;
  change_log(log(), "PRAGMA user_version = 0");
  const ProgramResult damaged = desk.run({"status", "C"});
  expect_sentence(damaged, 7);
  EXPECT_NE(damaged.err.find("damaged (its format is 0, must be 1)"), std::string::npos) << damaged.err;
}

// What is read is a table: a view could go on for ever.
TEST_F(RewrittenLog, WithAViewInThePlaceOfItsTableIsRefused) {
  change_log(
      log(),
      "DROP TABLE events; CREATE VIEW events AS WITH RECURSIVE more(sequence, time, event, body, chain) AS "
      "(SELECT 1, 0.0, 'owner', '{}', 0 UNION ALL SELECT sequence + 1, 0.0, 'owner', '{}', 0 FROM more) "
      "SELECT * FROM more");
  for (const char* words : {"status C", "ask C", "verify C", "export C --events -"}) {
    const ProgramResult result = desk.shell(std::string("timeout 20 acuity ") + words);
    EXPECT_EQ(result.exit_code, 7) << words << ": " << result.err;
    EXPECT_NE(result.err.find("\"events\", which acuity did not create"), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace acuity::testing::forged_log_test
