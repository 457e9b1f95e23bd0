#include "service/campaign_server.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <set>
#include <thread>

#include "acuity/base/errors.hpp"
#include "service/role_limits.hpp"
#include "support/background.hpp"
#include "support/raw_connection.hpp"
#include "support/served_campaign.hpp"

namespace acuity::testing::campaign_server_test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const std::string& study_text = wing_study;
const std::string& class_text = cats_study;

TEST(CampaignServer, AsksAndTellsAsTheProgramDoes) {
  const Served served;
  const Json asked = served.done("rob", "ask", {{"count", 2}, {"worker", "w1"}});
  ASSERT_EQ(asked.at("suggestions").size(), 2U);
  EXPECT_EQ(asked.at("status"), "open");
  const std::int64_t id = asked["suggestions"][0]["id"];
  const Json told = served.done("rob", "tell", {{"id", id}, {"y", 0.25}, {"cost", 1.5}});
  EXPECT_EQ(told.at("changes"), true);
  EXPECT_EQ(told.at("charge"), 1.5);
  const Json status = served.shown("status");
  EXPECT_EQ(status.at("annotations"), 1);
  EXPECT_EQ(status.at("pending"), 1);
  EXPECT_EQ(status.at("spent"), 1.5);
  EXPECT_EQ(served.desk.status(), Json::parse(served.get("status").body)) << "the same as acuity status";
  const Json rows = served.shown("annotations").at("rows");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("y"), 0.25);
  EXPECT_EQ(rows[0].at("worker"), "w1");
  const Json pending = served.shown("pending").at("pending");
  EXPECT_EQ(pending.at(0).at("worker"), "w1");
}

TEST(CampaignServer, TakesCountsWithTheirTrials) {
  const Served served(
      "[campaign]\nname = \"seeds\"\nbudget = 12\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
      "[target]\nscale = \"fraction\"\n[[level]]\nname = \"tray\"\ntrials = 100\ncost = 1\n");
  const Json asked = served.done("rob", "ask", {{"count", 2}});
  const std::int64_t id = asked["suggestions"][0]["id"];
  EXPECT_EQ(served.done("rob", "tell", {{"id", id}, {"k", 3}, {"n", 200}}).at("changes"), true);
  const Json rows = served.shown("annotations").at("rows");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("y"), 0.015) << "on the user's scale";
  EXPECT_EQ(
      served.done("olga", "amend", {{"id", id}, {"k", 30}, {"n", 200}, {"reason", "typo"}}).at("changes"),
      true);
  EXPECT_EQ(served.shown("annotations").at("rows")[0].at("y"), 0.15);
  const std::int64_t next = asked["suggestions"][1]["id"];
  const auto refused = [&](const Json& body) {
    const HttpReply reply = served.post("rob", "tell", body);
    EXPECT_EQ(reply.status, 400) << body;
    return reply.body;
  };
  EXPECT_NE(refused({{"id", next}, {"k", 3}}).find("must be a number, with k"), std::string::npos);
  EXPECT_NE(refused({{"id", next}, {"k", 30}, {"n", 20}}).find("must be k/n"), std::string::npos);
  EXPECT_NE(refused({{"id", next}, {"k", 3}, {"n", 20}, {"y", 0.1}}).find("must be left out where k and n"),
            std::string::npos);
  EXPECT_NE(refused({{"id", next}, {"y", 0.1}, {"noise_sd", 0.1}}).find("must be n, the number of trials"),
            std::string::npos);
  const Json found = served.done("olga", "predict", {{"points", {{{"x", 1.5}}}}}).at("rows").at(0);
  EXPECT_GE(found.at("low").get<double>(), 0.0);
  EXPECT_LE(found.at("high").get<double>(), 1.0);
  EXPECT_TRUE(found.contains("median"));
}

TEST(CampaignServer, GivesNothingThatCostsMoreThanOneMayWithoutAYes) {
  std::string text = study_text;
  ASSERT_NE(text.find("[campaign]\n"), std::string::npos);
  text.insert(text.find("[campaign]\n") + 11, "max_cost = 0.5\n");
  const Served served(text);
  const HttpReply refused = served.post("rob", "ask", Json::object());
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("is expected to cost"), std::string::npos) << refused.body;
  EXPECT_EQ(served.shown("status").at("pending"), 0);
  EXPECT_EQ(served.post("rob", "ask", {{"max_cost", 0}}).status, 400);
  EXPECT_EQ(served.done("rob", "ask", {{"max_cost", 100}}).at("suggestions").size(), 1U);
}

TEST(CampaignServer, GivesAWorkerBackWhatItHasNotAnswered) {
  const Served served;
  const Json first = served.done("rob", "ask", {{"worker", "w1"}});
  const Json again = served.done("rob", "ask", {{"worker", "w1"}});
  EXPECT_EQ(first["suggestions"][0]["id"], again["suggestions"][0]["id"]);
  const Json other = served.done("rob", "ask", {{"worker", "w2"}});
  EXPECT_NE(first["suggestions"][0]["id"], other["suggestions"][0]["id"]);
}

TEST(CampaignServer, AnIdenticalTellIsFineAndAContradictingOneIsAConflict) {
  const Served served;
  const Json id = served.done("rob", "ask", Json::object())["suggestions"][0]["id"];
  EXPECT_EQ(served.done("rob", "tell", {{"id", id}, {"y", 1}}).at("changes"), true);
  EXPECT_EQ(served.done("rob", "tell", {{"id", id}, {"y", 1}}).at("changes"), false);
  const HttpReply conflict = served.post("rob", "tell", {{"id", id}, {"y", 2}});
  EXPECT_EQ(conflict.status, 409);
  EXPECT_NE(conflict.body.find("amend"), std::string::npos) << conflict.body;
  EXPECT_EQ(served.desk.status().at("annotations"), 1);
}

TEST(CampaignServer, RefusesBadRequestsWithOneSentence) {
  const Served served;
  const Json id = served.done("rob", "ask", Json::object())["suggestions"][0]["id"];
  const auto sentence = [&](int status, const std::string& verb, const std::string& body) {
    const HttpReply reply = served.client("olga")->post("/v1/" + verb, body);
    EXPECT_EQ(reply.status, status) << verb << body << reply.body;
    const std::string error = Json::parse(reply.body).at("error");
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    EXPECT_EQ(error.find("nlohmann"), std::string::npos) << error;
    return error;
  };
  const std::string number = id.dump();
  sentence(404, "tell", R"({"id": 99, "y": 1})");
  sentence(400, "tell", R"({"id": )" + number + "}");
  sentence(400, "tell", R"({"id": )" + number + R"(, "y": "nan"})");
  sentence(400, "tell", R"({"id": )" + number + R"(, "y": {"a": 1}})");
  sentence(400, "tell", R"({"id": )" + number + R"(, "y": 1, "noise_sd": -1})");
  sentence(400, "tell", R"({"id": )" + number + R"(, "y": 1, "accuracy": 0.9})");
  sentence(400, "tell", R"({"id": )" + number + R"(, "y": 1, "noise_sd": 0.1, "accuracy": 0.9})");
  sentence(400, "tell", R"({"id": "one", "y": 1})");
  sentence(400, "tell", R"({"y": 1})");
  sentence(400, "tell", R"([1, 2])");
  sentence(400, "tell", "{");
  sentence(400, "tell", "\xff\xfe{}");
  sentence(400, "tell", std::string(100000, '['));
  sentence(400, "ask", R"({"count": 0})");
  sentence(400, "ask", R"({"count": 1.5})");
  sentence(400, "ask", R"({"cuont": 1})");
  sentence(400, "ask", R"({"lease": "soon"})");
  sentence(400, "ask", R"({"level": "finest"})");
  sentence(400, "amend", R"({"id": )" + number + R"(, "y": 1})");
  sentence(400, "predict", R"({"points": []})");
  sentence(400, "predict", R"({"points": [{"z": 1}]})");
  sentence(404, "heartbeat", R"({"id": 99})");
  for (const char* path : {"/v1/", "/v1/asks", "/v1/explain/99", "/v1/explain/nobody", "/v1/figures/none.svg",
                           "/v1/files/../events.sqlite", "/v1/files/events.sqlite", "/v1/files/%2e%2e/tokens",
                           "/../tokens", "/%2e%2e/%2e%2e/etc/passwd", "/study.toml", "/v1/label/image/99"}) {
    const HttpReply reply = served.client("olga")->get(path);
    EXPECT_TRUE(reply.status == 404 || reply.status == 400) << path << reply.status << reply.body;
  }
  EXPECT_EQ(served.get("slice?x=nothing").status, 400);
  EXPECT_EQ(served.get("events?after=-1").status, 400);
  EXPECT_EQ(served.client("")->post("/v1/status", "{}").status, 405);
  EXPECT_EQ(served.desk.status().at("annotations"), 0) << "nothing has happened";
  EXPECT_EQ(served.desk.status().at("pending"), 1);
}

std::string nested_value(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(CampaignServer, NestedRequestsAreRefusedAndTheServerStays) {
  const Served served;
  for (const auto& [verb, before, after] : {std::tuple{"predict", R"({"points":[{"x":)", "}]}"},
                                            {"tell", R"({"id":)", "}"},
                                            {"ask", R"({"count":)", "}"},
                                            {"amend", R"({"id":)", "}"}}) {
    const std::size_t around = std::string(before).find('[') == std::string::npos ? 1 : 3;
    for (const std::size_t depth : {std::size_t{64}, std::size_t{65}, std::size_t{200000}}) {
      const HttpReply reply = served.client("olga")->post(std::string("/v1/") + verb,
                                                          before + nested_value(depth - around) + after);
      EXPECT_EQ(reply.status, 400) << verb << depth;
      EXPECT_EQ(reply.body.find("nested more deeply than 64 levels") != std::string::npos, depth > 64)
          << verb << depth << reply.body;
      EXPECT_LT(reply.body.size(), 400U);
    }
  }
  EXPECT_EQ(served.get("status").status, 200);
}

TEST(CampaignServer, RolesMayDoWhatTheyMay) {
  const Served served;
  EXPECT_EQ(served.get("status").status, 200) << "watching needs no token on this machine";
  EXPECT_EQ(served.post("", "ask", Json::object()).status, 401);
  EXPECT_EQ(served.post("wim", "ask", Json::object()).status, 403);
  EXPECT_EQ(served.post("lea", "ask", {{"worker", "rob"}}).status, 403);
  const Json mine = served.done("lea", "ask", Json::object())["suggestions"][0]["id"];
  const Json others = served.done("lou", "ask", Json::object())["suggestions"][0]["id"];
  EXPECT_EQ(served.post("lea", "tell", {{"id", others}, {"y", 1}}).status, 403);
  EXPECT_EQ(served.post("lea", "release", {{"id", others}}).status, 403);
  EXPECT_EQ(served.post("lea", "heartbeat", {{"id", others}}).status, 403);
  EXPECT_EQ(served.post("lea", "tell", {{"id", mine}, {"y", 1}}).status, 200);
  EXPECT_EQ(served.post("rob", "amend", {{"id", mine}, {"y", 2}, {"reason", "typo"}}).status, 403);
  EXPECT_EQ(served.post("olga", "amend", {{"id", mine}, {"y", 2}, {"reason", "typo"}}).status, 200);
  EXPECT_EQ(served.get("files", "lea").status, 403);
  EXPECT_EQ(served.get("files", "rob").status, 200);
  EXPECT_EQ(served.client("nobody")->get("/v1/status").status, 401);
}

TEST(CampaignServer, SaysWhyThereIsNothingAndWhenToComeAgain) {
  const Served served;
  Json asked;
  for (int k = 0; k < 12; ++k) {
    asked = served.done("rob", "ask", {{"worker", "w" + std::to_string(k)}, {"lease", 20}});
    if (asked["suggestions"].empty()) break;
  }
  EXPECT_EQ(asked.at("status"), "nothing_now");
  EXPECT_FALSE(asked.at("reason").get<std::string>().empty());
  EXPECT_GE(asked.at("retry_after"), 1.0);
  EXPECT_LE(asked.at("retry_after"), 5.0);
}

TEST(CampaignServer, HeartbeatsExtendLeases) {
  const Served served;
  const Json id = served.done("rob", "ask", {{"lease", 30}})["suggestions"][0]["id"];
  const double before = served.shown("view", "").at("pending").size();
  EXPECT_GE(before, 0.0);
  EXPECT_EQ(served.done("rob", "heartbeat", {{"id", id}, {"lease", "2h"}}).at("renewed"), Json::array({id}));
  served.done("rob", "fail", {{"id", id}, {"reason", "no licence"}});
  EXPECT_EQ(served.done("rob", "heartbeat", {{"id", id}}).at("gone"), Json::array({id}));
  EXPECT_EQ(served.desk.status().at("failed"), 1);
}

TEST(CampaignServer, OwnsTheCampaignAndOthersMayStillTell) {
  const Served served;
  const ProgramResult second = run_acuity({"run", served.desk.campaign}, served.desk.folder.path());
  EXPECT_NE(second.exit_code, 0);
  const Json id = served.desk.ask()[0].at("id");
  served.desk.done("tell", {id.dump(), "0.5"});
  EXPECT_EQ(served.shown("status").at("annotations"), 1) << "what another process does is seen";
}

TEST(CampaignServer, OnlyWatches) {
  CampaignServerOptions options;
  options.only_watch = true;
  const Served served(study_text, options);
  EXPECT_EQ(served.post("olga", "ask", Json::object()).status, 403);
  EXPECT_EQ(served.get("status").status, 200);
  served.desk.ask();
  EXPECT_EQ(served.shown("status").at("pending"), 1);
  EXPECT_EQ(served.shown("me", "olga").at("can_label"), false);
  EXPECT_EQ(served.shown("me").at("only_watch"), true) << "the page offers nothing that is refused";
  EXPECT_EQ(Served().shown("me").at("only_watch"), false);
}

TEST(CampaignServer, PredictsWhatTheProgramPredicts) {
  const Served served;
  for (const double y : {0.5, -0.25}) {
    const Json id = served.done("rob", "ask", Json::object())["suggestions"][0]["id"];
    served.done("rob", "tell", {{"id", id}, {"y", y}});
  }
  served.desk.folder.write("new.csv", "x\n0.5\n6.25\n");
  const Json expected = served.desk.json("predict", {"--at", "new.csv"}).at("rows");
  Json found;
  for (int tries = 0; tries < 100; ++tries) {  // the snapshot follows the log with a delay
    found = served.done("", "predict", {{"points", {{{"x", 0.5}}, {{"x", 6.25}}}}}).at("rows");
    if (std::abs(found[0]["mean"].get<double>() - expected[0]["mean"].get<double>()) < 1e-9) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  for (std::size_t row = 0; row < 2; ++row)
    for (const char* name : {"mean", "variance", "sd", "low", "high", "answer_sd"})
      EXPECT_NEAR(found[row].at(name).get<double>(), expected[row].at(name).get<double>(), 1e-12) << name;
}

// ---- Labelling --------------------------------------------------------------------------------------------

// The page offers labelling where people answer.
TEST(CampaignServer, SaysWhetherPeopleAreAsked) {
  EXPECT_EQ(Served().shown("me").at("asks_people"), true);
  const Served served(class_text + "[annotator]\ncommand = \"echo 1\"\n");
  EXPECT_EQ(served.shown("me").at("asks_people"), false);
  served.desk.done("people", {"add", "lea", "--level", "crowd"});
  EXPECT_TRUE(comes_true([&] { return served.shown("me").at("asks_people") == true; }));
}

TEST(LabelDesk, SaysWhatIsAsked) {
  const auto question = [](const std::string& study) {
    return Served(study).done("lea", "label/next", Json::object()).at("question");
  };
  std::string named = class_text;
  const std::string target = "[target]\n";
  ASSERT_NE(named.find(target), std::string::npos);
  named.insert(named.find(target) + target.size(), "name = \"animal\"\n");
  EXPECT_EQ(question(named), "animal: cat or dog?");
  EXPECT_EQ(question(class_text), "") << "the study has no name for it";
}

// The file is read when the campaign is created: its log has the text, and later changes of the file do
// nothing.
TEST(LabelDesk, ShowsTheQuestionAndTheInstructionsOfTheStudy) {
  Folder folder;
  const std::string text = "# How to\n\nA \"cat\" purrs \\ meows.\n- or *both*\n";
  const std::filesystem::path file = folder.write("how-to.md", text);
  const Served served(class_text + "[people]\nquestion = \"Is this a cat?\"\ninstructions = \"" +
                      file.string() + "\"\n");
  folder.write("how-to.md", "other\n");
  const Json next = served.done("lea", "label/next", Json::object());
  EXPECT_EQ(next.at("question"), "Is this a cat?");
  EXPECT_EQ(next.at("instructions"), text);
  EXPECT_EQ(Served(class_text).done("lea", "label/next", Json::object()).at("instructions"), "");
}

TEST(LabelDesk, GivesOneItemAfterAnotherToSeveralPeople) {
  const Served served(class_text);
  std::map<std::string, std::set<std::string>> seen;
  int answers = 0;
  for (int round = 0; round < 6; ++round)
    for (const std::string person : {"lea", "lou"}) {
      const Json next = served.done(person, "label/next", Json::object());
      if (next.at("item").is_null()) continue;
      EXPECT_EQ(next.at("classes").at(1).at("name"), "dog");
      const Json& item = next.at("item");
      EXPECT_TRUE(seen[person].insert(item.at("point")).second) << "nobody gets an item twice";
      EXPECT_EQ(served.done(person, "label/next", Json::object()).at("item").at("id"), item.at("id"))
          << "the same one until it is answered";
      const Json following = next.at("following");
      EXPECT_LE(following.size(), 3U);
      if (round == 0 && person == "lea") {
        EXPECT_EQ(following.size(), 3U) << "a slow line delays nobody";
      }
      served.done(person, "label/answer",
                  {{"id", item["id"]}, {"y", round % 2 == 0 ? 1 : -1}, {"seconds", 2.5}});
      ++answers;
      const Json then = served.done(person, "label/next", Json::object());
      if (!following.empty() && !then.at("item").is_null()) {
        EXPECT_EQ(then.at("item").at("id"), following.at(0).at("id"));
      }
    }
  EXPECT_GE(answers, 8);
  const Json rows = served.shown("annotations").at("rows");
  EXPECT_EQ(rows.size(), static_cast<std::size_t>(answers));
  EXPECT_EQ(rows[0].at("seconds"), 2.5);
  EXPECT_EQ(rows[0].at("worker"), "lea");
}

TEST(LabelDesk, CorrectsSkipsAndCannotTell) {
  const Served served(class_text);
  const Json first = served.done("lea", "label/next", Json::object()).at("item");
  served.done("lea", "label/answer", {{"id", first["id"]}, {"y", 1}, {"seconds", 1}});
  EXPECT_EQ(served.done("lea", "label/answer", {{"id", first["id"]}, {"y", 1}, {"seconds", 1}}).at("changes"),
            false);
  EXPECT_EQ(
      served.done("lea", "label/answer", {{"id", first["id"]}, {"y", -1}, {"seconds", 1}}).at("changes"),
      true);
  EXPECT_EQ(served.shown("annotations").at("rows").at(0).at("y"), -1.0);
  EXPECT_EQ(served.post("lou", "label/answer", {{"id", first["id"]}, {"y", 1}}).status, 403);

  const Json second = served.done("lea", "label/next", Json::object()).at("item");
  served.done("lea", "label/skip", {{"id", second["id"]}, {"reason", "too dark"}});
  const Json third = served.done("lea", "label/next", Json::object()).at("item");
  served.done("lea", "label/cannot-tell", {{"id", third["id"]}, {"seconds", 9}});
  for (int k = 0; k < 6; ++k) {
    const Json next = served.done("lea", "label/next", Json::object()).at("item");
    if (next.is_null()) break;
    EXPECT_NE(next.at("point"), second.at("point")) << "she has skipped it";
    EXPECT_NE(next.at("point"), third.at("point")) << "she cannot tell";
    served.done("lea", "label/answer", {{"id", next["id"]}, {"y", 1}});
  }
  bool found = false;
  for (const Json& event : served.desk.events())
    found = found || (event.at("event") == "failed" && event.value("cannot_tell", false));
  EXPECT_TRUE(found) << "that she cannot tell is on record";
}

TEST(LabelDesk, OffersThePersonsLevelsAndTakesAnswersAtThoseOnly) {
  const std::string more =
      "[[level]]\nname = \"expert\"\naccuracy = 0.99\ncost = 6\n"
      "[[level]]\nname = \"trained\"\naccuracy = 0.9\ncost = 2\n";
  const Served served(class_text + more);
  served.desk.done("people", {"add", "lea", "--level", "crowd", "--level", "trained"});
  served.desk.done("people", {"add", "lou", "--level", "crowd"});
  const auto levels_of = [&](const std::string& person) {
    std::vector<std::string> names;
    const Json next = served.done(person, "label/next", Json::object());
    Json held{next.at("item").at("id")};  // several of the few items there are
    for (const Json& one : next.at("following")) held.push_back(one.at("id"));
    served.done(person, "release", {{"ids", held}});
    for (const Json& level : next.at("item").at("levels")) names.push_back(level.at("name"));
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(levels_of("lea"), (Names{"trained", "crowd"})) << "the most precise first";
  EXPECT_EQ(levels_of("lou"), Names{"crowd"});
  EXPECT_EQ(levels_of("olga"), (Names{"expert", "trained", "crowd"})) << "without a level: any";
  EXPECT_EQ(served.shown("me", "lea").at("level"), "crowd, trained");

  const Json item = served.done("lea", "label/next", Json::object()).at("item");
  const HttpReply refused =
      served.post("lea", "label/answer", {{"id", item["id"]}, {"y", 1}, {"level", "expert"}});
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_EQ(served.post("lea", "label/answer", {{"id", item["id"]}, {"y", 1}, {"level", "no"}}).status, 400);
  EXPECT_EQ(served.shown("annotations").at("rows").size(), 0U);
  const std::string other = item.at("level") == "crowd" ? "trained" : "crowd";
  const Json told =
      served.done("lea", "label/answer", {{"id", item["id"]}, {"y", 1}, {"seconds", 2}, {"level", other}});
  EXPECT_EQ(told.at("charge"), other == "crowd" ? 1.0 : 2.0);
  EXPECT_EQ(served.shown("annotations").at("rows").at(0).at("level"), other);
  // Undo: another level, and then another answer.
  const std::string asked = item.at("level");
  EXPECT_EQ(
      served.done("lea", "label/answer", {{"id", item["id"]}, {"y", 1}, {"level", asked}}).at("changes"),
      true);
  served.done("lea", "label/answer", {{"id", item["id"]}, {"y", -1}, {"level", asked}});
  const Json row = served.shown("annotations").at("rows").at(0);
  EXPECT_EQ(row.at("level"), asked);
  EXPECT_EQ(row.at("y"), -1.0);
  EXPECT_EQ(row.at("cost"), asked == "crowd" ? 1.0 : 2.0);
}

// A count that leaves gold items out would show which they are.
TEST(LabelDesk, CountsAnswersToGoldItemsLikeAllOthers) {
  const Folder other;
  const fs::path gold = other.write("gold.csv", "id,class\na,cat\nb,dog\nc,cat\nd,dog\n");
  const Served served(class_text + "[people]\ngold = \"" + gold.string() + "\"\ngold_rate = 0.5\n");
  int answered = 0;
  for (; answered < 6; ++answered) {
    const Json next = served.done("lea", "label/next", Json::object());
    EXPECT_EQ(next.at("answered"), answered);
    if (next.at("item").is_null()) break;
    served.done("lea", "label/answer", {{"id", next["item"]["id"]}, {"y", 1}, {"seconds", 1}});
  }
  EXPECT_GT(answered, 3);
  EXPECT_LT(served.shown("annotations", "olga").at("rows").size(), static_cast<std::size_t>(answered))
      << "some of them were gold items";
}

TEST(LabelDesk, OffersNoLevelThatCannotBePaidFor) {
  std::string text = class_text + "[[level]]\nname = \"expert\"\naccuracy = 0.99\ncost = 6\n";
  text.replace(text.find("budget = 40"), 11, "budget = 5");
  const Served served(text);
  const Json levels = served.done("lea", "label/next", Json::object()).at("item").at("levels");
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_EQ(levels.at(0).at("name"), "crowd");
}

TEST(LabelDesk, SaysWhoHoldsWhat) {
  const Served served(class_text);
  served.done("lea", "label/next", Json::object());
  const Json next = served.done("lou", "label/next", Json::object());
  ASSERT_FALSE(next.at("holders").empty());
  EXPECT_EQ(next.at("holders").at(0).at("worker"), "lea");
  EXPECT_TRUE(next.at("holders").at(0).at("until").is_number());
}

TEST(LabelDesk, ShowsTextsAndImagesOfTheNamedFolderOnly) {
  CampaignServerOptions options;
  Folder items;
  fs::create_directories(items.path() / "images/inner");
  items.write("images/a.png", "\x89PNG picture");
  items.write("secret.png", "secret");
  items.write("images/b.txt", "text");
  fs::create_symlink(items.path() / "secret.png", items.path() / "images/c.png");
  items.write("items.csv",
              "id,text,image\na,first,a.png\nb,second,../secret.png\nc,third,c.png\nd,fourth,b.txt\n"
              "e,fifth,/etc/hostname\nf,,missing.png\ng,<script>alert(1)</script>,\nh,,a.png\n");
  options.items = items.path() / "items.csv";
  options.images = items.path() / "images";
  const Served served(class_text, options);
  int shown = 0;
  for (int k = 0; k < 8; ++k) {
    const Json item = served.done("lea", "label/next", Json::object()).at("item");
    if (item.is_null()) break;
    const std::string point = item.at("point");
    if (point == "g") {
      EXPECT_EQ(item.at("text"), "<script>alert(1)</script>") << "as text: it is the page that shows it so";
    }
    if (!item.at("image").is_null()) {
      const HttpReply image = served.client("lea")->get(item.at("image").get<std::string>());
      EXPECT_EQ(image.status, point == "a" || point == "h" ? 200 : 404) << point << image.body;
      EXPECT_EQ(image.body.find("secret"), std::string::npos);
      shown += image.status == 200 ? 1 : 0;
      EXPECT_EQ(served.client("lou")->get(item.at("image").get<std::string>()).status, 404) << "not hers";
    }
    served.done("lea", "label/answer", {{"id", item["id"]}, {"y", 1}});
  }
  EXPECT_EQ(shown, 2);
}

// ---- What the page gets -----------------------------------------------------------------------------------

TEST(CampaignServer, ServesThePageAndItsData) {
  const Served served;
  const HttpReply page = served.client("")->get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.content_type.starts_with("text/html"));
  EXPECT_EQ(served.client("")->get("/label").body, page.body);
  const Json view = served.shown("view");
  EXPECT_EQ(view.at("name"), "wing");
  EXPECT_EQ(view.at("verdicts").size(), 3U);
  EXPECT_EQ(served.shown("slice?x=x").at("x").at("values").size(), 101U);
  const Json pool = served.shown("pool?x=x");
  EXPECT_EQ(pool.at("points"), 8);
  EXPECT_EQ(pool.at("next"), served.desk.json("explain", {"--next"}).at("point"));
}

TEST(CampaignServer, TellsWatchersWhatHappens) {
  const Served served;
  served.shown("slice?x=x");  // the first snapshot is complete
  RawConnection watcher(served.server->port());
  watcher.send(
      fmt::format("GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAccept: text/event-stream\r\n\r\n",
                  served.server->port()));
  watcher.receive("event: log");
  const std::int64_t before = served.shown("view").at("sequence");
  served.done("rob", "ask", Json::object());
  const std::string news = watcher.receive("event: view", 30.0);
  EXPECT_NE(news.find("event: view"), std::string::npos) << news;
  std::int64_t after = before;
  for (int tries = 0; tries < 100 && after <= before; ++tries) {
    after = served.shown("view").at("sequence");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_GT(after, before);
}

TEST(CampaignServer, OfAnotherHostOrOriginIsNotTalkedTo) {
  const Served served;
  const auto status = [&](const std::string& fields) {
    RawConnection one(served.server->port());
    one.send("GET /v1/status HTTP/1.1\r\n" + fields + "Connection: close\r\n\r\n");
    return one.receive().substr(9, 3);
  };
  const std::string own = fmt::format("Host: 127.0.0.1:{}\r\n", served.server->port());
  EXPECT_EQ(status(own), "200");
  EXPECT_EQ(status("Host: evil.example\r\n"), "421") << "a name that resolves to this machine";
  EXPECT_EQ(status(""), "421");
  EXPECT_EQ(status(own + "Origin: http://evil.example\r\n"), "403");
  RawConnection page(served.server->port());
  page.send("GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(page.receive().substr(9, 3), "421");
}

// The header fields of a request without a token, to servers as they are started behind a proxy.
TEST(CampaignServer, BehindAProxyLookingNeedsAToken) {
  const auto status = [](const Served& served, const std::string& fields, const std::string& host = "") {
    RawConnection one(served.server->port());
    const std::string own = fmt::format("127.0.0.1:{}", served.server->port());
    one.send("GET /v1/annotations HTTP/1.1\r\nHost: " + (host.empty() ? own : host) + "\r\n" + fields +
             "Connection: close\r\n\r\n");
    return one.receive().substr(9, 3);
  };
  const Served plain;
  EXPECT_EQ(status(plain, ""), "200");
  for (const char* field : {"Forwarded: for=203.0.113.9", "X-Forwarded-For: 203.0.113.9",
                            "x-forwarded-proto: https", "X-Real-IP: 203.0.113.9", "Via: 1.1 proxy"})
    EXPECT_EQ(status(plain, std::string(field) + "\r\n"), "401") << field;
  CampaignServerOptions options;
  options.names = {"lab.example"};
  const Served named(study_text, options);
  EXPECT_EQ(status(named, "", "lab.example"), "401");
  EXPECT_EQ(status(named, ""), "401");
  EXPECT_EQ(status(named, "Authorization: Bearer " + token_of("wim") + "\r\n", "lab.example"), "200");
  options.watch_without_token = true;
  const Served open(study_text, options);
  EXPECT_EQ(status(open, "X-Forwarded-For: 203.0.113.9\r\n", "lab.example"), "200");
  options = {};
  options.behind_proxy = true;
  const Served proxied(study_text, options);
  EXPECT_EQ(status(proxied, ""), "401");
}

TEST(CampaignServer, RefusesImagesAndScriptsOfForeignPages) {
  const Served served;
  const auto status_with = [&](const std::string& path, const std::string& site) {
    RawConnection one(served.server->port());
    one.send(fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nSec-Fetch-Site: {}\r\n\r\n", path,
                         served.server->port(), site));
    return one.receive("\r\n\r\n", 10.0).substr(9, 3);
  };
  EXPECT_EQ(status_with("/v1/status", "cross-site"), "403");
  EXPECT_EQ(status_with("/v1/explain/next", "cross-site"), "403");
  EXPECT_EQ(status_with("/v1/status", "same-origin"), "200");
  EXPECT_EQ(status_with("/v1/status", "none"), "200") << "typed by somebody";
  EXPECT_EQ(status_with("/", "cross-site"), "200") << "a link to the page";
}

TEST(CampaignServer, PredictsAThousandPointsAtATime) {
  const Served served;
  const auto status_of = [&](std::size_t count) {
    Json points = Json::array();
    for (std::size_t k = 0; k < count; ++k) points.push_back({{"x", 0.001 * static_cast<double>(k)}});
    return served.post("", "predict", {{"points", points}}).status;
  };
  EXPECT_EQ(status_of(1000), 200);
  EXPECT_EQ(status_of(1001), 400);
}

TEST(CampaignServer, FewEventStreamsComeFromOneAddressWithoutAToken) {
  CampaignServerOptions options;
  options.limits.streams_of_one = 2;
  const Served served(study_text, options);
  std::vector<RawConnection> open;
  const auto status_of = [&](const std::string& name) {
    open.emplace_back(served.server->port());
    open.back().send(
        fmt::format("GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAccept: text/event-stream\r\n{}\r\n",
                    served.server->port(),
                    name.empty() ? "" : fmt::format("Authorization: Bearer {}\r\n", token_of(name))));
    return open.back().receive("\r\n\r\n", 10.0).substr(9, 3);
  };
  EXPECT_EQ(status_of(""), "200");
  EXPECT_EQ(status_of(""), "200");
  EXPECT_EQ(status_of(""), "503");
  for (int k = 0; k < 4; ++k) EXPECT_EQ(status_of("wim"), "200");
}

TEST(CampaignServer, ThatIsAskedTooOftenSaysSo) {
  CampaignServerOptions options;
  options.requests_per_second = 2.0;
  const Served served(study_text, options);
  int refused = 0;
  const auto client = served.client("");
  for (int k = 0; k < 30; ++k) refused += client->get("/v1/me").status == 429 ? 1 : 0;
  EXPECT_GE(refused, 10);
  EXPECT_EQ(served.get("me", "rob").status, 200) << "others do not notice";
}

TEST(CampaignServer, LimitsRequestsThatItRefusesToo) {
  CampaignServerOptions options;
  options.requests_per_second = 2.0;
  const auto refused = [&](const std::string& method, const std::string& fields,
                           const std::string& host = "") {
    const Served served(study_text, options);
    const std::string own = fmt::format("127.0.0.1:{}", served.server->port());
    std::set<std::string> statuses;
    int limited = 0;
    for (int k = 0; k < 30; ++k) {
      RawConnection one(served.server->port());
      one.send(method + " /v1/status HTTP/1.1\r\nHost: " + (host.empty() ? own : host) + "\r\n" + fields +
               "Connection: close\r\n\r\n");
      const std::string status = one.receive().substr(9, 3);
      limited += status == "429" ? 1 : 0;
      statuses.insert(status);
    }
    EXPECT_GE(limited, 10) << fields << host;
    EXPECT_EQ(served.get("me", "rob").status, 200) << "who has a token is not refused for what others send";
    return statuses;
  };
  using Statuses = std::set<std::string>;
  EXPECT_EQ(refused("GET", "Authorization: Bearer wrongwrongwrongwrongwrong\r\n"), (Statuses{"401", "429"}));
  EXPECT_EQ(refused("GET", "", "evil.example"), (Statuses{"421", "429"}));
  EXPECT_EQ(refused("GET", "Origin: http://evil.example\r\n"), (Statuses{"403", "429"}));
  EXPECT_EQ(refused("POST", "Content-Type: text/plain\r\nContent-Length: 0\r\n"), (Statuses{"415", "429"}));
}

// Eight workers at once: nobody gets the same suggestion, and the books are exact.
TEST(CampaignServer, ManyWorkersAtOnceLoseAndDoubleNothing) {
  std::string pool = "case,x\n";
  for (int k = 0; k < 200; ++k) pool += fmt::format("p{},{}\n", k, k);
  Served served(study_text);
  served.server.reset();
  served.desk.folder.write("many.csv", pool);
  served.desk.folder.write("many.toml",
                           with_given_model("[campaign]\nname = \"m\"\nbudget = 100\n[pool]\nfile = "
                                            "\"many.csv\"\nid = \"case\"\n[[level]]\nname = \"one\"\n"
                                            "noise_sd = 0.3\ncost = 1\n"));
  ASSERT_EQ(run_acuity({"init", "m.acuity", "--study", "many.toml"}, served.desk.folder.path()).exit_code, 0);
  CampaignServerOptions options;
  options.listen = ListenAddress::of("127.0.0.1:0");
  options.requests_per_second = 1e6;
  CampaignServer server(CampaignAddress(served.desk.folder.path() / "m.acuity"),
                        Tokens::read((served.desk.folder.path() / "tokens").string()), options);
  std::atomic<int> told{0};
  std::vector<std::jthread> workers;
  for (int w = 0; w < 8; ++w)
    workers.emplace_back([&, w] {
      HttpClient client(ServerUrl::of(fmt::format("http://127.0.0.1:{}", server.port())), token_of("rob"));
      while (true) {
        const Json asked =
            Json::parse(client.post("/v1/ask", Json{{"worker", "w" + std::to_string(w)}}.dump()).body);
        if (asked.at("suggestions").empty()) break;
        const Json body{{"id", asked["suggestions"][0]["id"]}, {"y", 0.1 * w}};
        if (client.post("/v1/tell", body.dump()).status == 200) ++told;
      }
    });
  workers.clear();
  const Json status =
      Json::parse(run_acuity({"status", "m.acuity", "--format", "json"}, served.desk.folder.path()).out);
  EXPECT_EQ(told, 100);
  EXPECT_EQ(status.at("annotations"), 100);
  EXPECT_EQ(status.at("spent"), 100.0);
  EXPECT_EQ(status.at("pending"), 0);
}

// Workers do not get again what they have given up.
TEST(CampaignServer, DoesNotAskForPointsThatAreToBeAvoided) {
  const Served served;
  const auto client = served.client("rob");
  const auto ask = [&](const std::string& worker, const Json& avoid) {
    const HttpReply reply = client->post("/v1/ask", Json{{"worker", worker}, {"avoid", avoid}}.dump());
    return reply.status == 200
               ? Json::parse(reply.body)["suggestions"][0]["point"].get<std::string>()
               : std::to_string(reply.status) + Json::parse(reply.body)["error"].get<std::string>();
  };
  const std::string first = ask("w", Json::array());
  const HttpReply released = client->post("/v1/release", Json{{"id", 1}}.dump());
  ASSERT_EQ(released.status, 200) << released.body;
  EXPECT_NE(ask("w", {first}), first);
  ASSERT_EQ(client->post("/v1/release", Json{{"id", 2}}.dump()).status, 200);
  EXPECT_EQ(ask("v", Json::array()), first) << "others do";
  EXPECT_EQ(ask("u", {"nowhere"}), "400\"avoid\" has \"nowhere\", must have ids of pool points");
  EXPECT_EQ(ask("u", {1, 2}), "400\"avoid\" is [1,2], must be a list of texts");
}

TEST(CampaignServer, ListsAllAnswersInSteps) {
  const Served served;
  for (int k = 0; k < 5; ++k) {
    const Json asked = served.done("rob", "ask", {{"worker", "w"}});
    served.done("rob", "tell", {{"id", asked["suggestions"][0]["id"]}, {"y", 0.1 * k}});
  }
  Json view = Json::object();
  for (int tries = 0; tries < 200 && view.value("answers_total", 0) < 5; ++tries) {
    view = served.shown("view");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  std::vector<std::int64_t> ids;
  for (int from = 0; from < 6; from += 2) {
    const Json page = served.shown(fmt::format("answers?from={}&limit=2", from));
    EXPECT_EQ(page.at("total"), 5);
    EXPECT_EQ(page.at("rows").size(), from < 4 ? 2U : 1U);
    for (const Json& row : page.at("rows")) ids.push_back(row.at("id").get<std::int64_t>());
  }
  EXPECT_EQ(ids, (std::vector<std::int64_t>{5, 4, 3, 2, 1})) << "the newest first, none twice";
  EXPECT_TRUE(served.shown("answers?from=9").at("rows").empty());
  EXPECT_EQ(served.get("answers?from=-1").status, 400);
  // What was predicted of early answers may still be on its way into the view.
  Json reversed;
  for (int tries = 0; tries < 200 && reversed != view.at("answers"); ++tries) {
    if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    view = served.shown("view");
    reversed = served.shown("answers").at("rows");
    std::reverse(reversed.begin(), reversed.end());
  }
  EXPECT_EQ(reversed, view.at("answers")) << "rows are those of the view";
}

TEST(CampaignServer, ListsEventsOfSomeKinds) {
  const Served served;
  const Json asked = served.done("rob", "ask", {{"worker", "w"}});
  const Json id = asked["suggestions"][0]["id"];
  served.done("rob", "tell", {{"id", id}, {"y", 0.5}});
  served.done("olga", "amend", {{"id", id}, {"y", 0.4}, {"reason", "typo"}});
  const auto kinds = [&](const std::string& query) {
    std::vector<std::string> found;
    std::istringstream lines(served.get("events?" + query).body);
    for (std::string line; std::getline(lines, line);) found.push_back(Json::parse(line).at("event"));
    return found;
  };
  EXPECT_EQ(kinds("kinds=amended,created"), (std::vector<std::string>{"created", "amended"}));
  EXPECT_EQ(kinds("kinds=amended,created&limit=1"), (std::vector<std::string>{"created"}));
  EXPECT_TRUE(kinds("kinds=nonsense").empty());
}

// ---- docs/openapi.json ------------------------------------------------------------------------------------

Json api() {
  std::ifstream stream(fs::path(ACUITY_SOURCE_DIR) / "docs/openapi.json");
  return Json::parse(stream);
}

// The part of JSON Schema that the file uses.
std::string violation(const Json& value, const Json& schema, const Json& all, const std::string& where) {
  if (schema.contains("$ref")) {
    const std::string name = schema["$ref"].get<std::string>().substr(21);
    return violation(value, all.at("components").at("schemas").at(name), all, where);
  }
  const auto is_of = [&](const std::string& type) {
    return type == "object"    ? value.is_object()
           : type == "array"   ? value.is_array()
           : type == "string"  ? value.is_string()
           : type == "integer" ? value.is_number_integer()
           : type == "number"  ? value.is_number()
           : type == "boolean" ? value.is_boolean()
                               : value.is_null();
  };
  if (schema.contains("type")) {
    bool fits = false;
    for (const Json& type : schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]}))
      fits = fits || is_of(type);
    if (!fits) return where + " is " + value.dump() + ", not " + schema["type"].dump();
  }
  if (schema.contains("enum") &&
      std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
    return where + " is " + value.dump();
  if (value.is_array() && schema.contains("items"))
    for (std::size_t k = 0; k < value.size(); ++k)
      if (std::string found =
              violation(value[k], schema["items"], all, where + "[" + std::to_string(k) + "]");
          !found.empty())
        return found;
  if (!value.is_object() || !schema.contains("properties")) return "";
  for (const Json& name : schema["required"])
    if (!value.contains(name.get<std::string>())) return where + " has no " + name.dump();
  for (const auto& [name, part] : value.items()) {
    if (schema["properties"].contains(name)) {
      if (std::string found = violation(part, schema["properties"][name], all, where + "." + name);
          !found.empty())
        return found;
    } else if (!schema.value("additionalProperties", false)) {
      return where + " has \"" + name + "\", which is not described";
    }
  }
  return "";
}

TEST(OpenApi, DescribesEveryRouteWithItsRole) {
  const Json all = api();
  std::set<std::string> described, served;
  for (const auto& [path, methods] : all.at("paths").items())
    for (const auto& [method, operation] : methods.items()) {
      std::string pattern = path;
      const std::size_t begin = pattern.find('{'), end = pattern.find('}');
      if (begin != std::string::npos) pattern.replace(begin, end - begin + 1, "{}");
      described.insert((method == "get" ? "GET " : "POST ") + pattern + " " +
                       operation.at("x-role").get<std::string>() +
                       (operation.contains("x-not-for") ? operation["x-not-for"].dump() : ""));
    }
  for (const RouteLimits& route : route_limits())
    served.insert(
        route.method + " " + route.pattern + " " + role_name(route.roles.front()) +
        (route.roles.front() == Role::watch && !is_allowed(route, Role::label) ? "[\"label\"]" : ""));
  EXPECT_EQ(described, served);
}

TEST(OpenApi, DescribesWhatTheServerAnswers) {
  const Json all = api();
  std::set<std::string> checked;
  const auto check = [&](const Served& served, const std::string& method, const std::string& path,
                         const std::string& target, const Json& body = {}) {
    const auto client = served.client("olga");
    const HttpReply reply = method == "get" ? client->get(target) : client->post(target, body.dump());
    EXPECT_EQ(reply.status, 200) << target << reply.body;
    const Json& content = all.at("paths").at(path).at(method).at("responses").at("200").at("content");
    const Json& schema = content.at("application/json").at("schema");
    EXPECT_EQ(violation(Json::parse(reply.body), schema, all, path), "");
    checked.insert(method + path);
    if (method == "get") return;
    const Json& asked = all["paths"][path][method]["requestBody"]["content"]["application/json"]["schema"];
    EXPECT_EQ(violation(body, asked, all, path + " body"), "");
  };
  const Served served;
  check(served, "post", "/v1/ask", "/v1/ask", {{"count", 3}, {"lease", "1h"}, {"avoid", {"a"}}});
  check(served, "post", "/v1/heartbeat", "/v1/heartbeat", {{"ids", {1, 2}}});
  check(served, "post", "/v1/tell", "/v1/tell", {{"id", 1}, {"y", 0.5}});
  check(served, "post", "/v1/fail", "/v1/fail", {{"id", 2}, {"reason", "diverged"}});
  check(served, "post", "/v1/release", "/v1/release", {{"id", 3}});
  check(served, "post", "/v1/amend", "/v1/amend", {{"id", 1}, {"y", 0.4}, {"reason", "typo"}});
  check(served, "post", "/v1/predict", "/v1/predict", {{"points", {{{"x", 1.5}}}}});
  for (const std::string name :
       {"me", "status", "study", "pending", "annotations", "view", "answers", "explain/next", "files"})
    check(served, "get", "/v1/" + name, "/v1/" + name);
  check(served, "get", "/v1/slice", "/v1/slice?x=x");
  check(served, "get", "/v1/pool", "/v1/pool?x=x");
  check(served, "get", "/v1/explain/{id}", "/v1/explain/1");
  check(served, "get", "/v1/explain/point/{point}", "/v1/explain/point/c");
  const Served cats(class_text);
  check(cats, "post", "/v1/label/next", "/v1/label/next", Json::object());
  check(cats, "post", "/v1/label/answer", "/v1/label/answer", {{"id", 1}, {"y", 1}, {"seconds", 3}});
  check(cats, "post", "/v1/label/skip", "/v1/label/skip", {{"id", 2}, {"reason", "dark"}});
  check(cats, "post", "/v1/label/next", "/v1/label/next", Json::object());
  check(cats, "post", "/v1/label/cannot-tell", "/v1/label/cannot-tell", {{"id", 3}, {"seconds", 3}});
  std::size_t with_json = 0;
  for (const auto& [path, methods] : all.at("paths").items())
    for (const auto& [method, operation] : methods.items())
      with_json += operation.at("responses").at("200").at("content").contains("application/json") ? 1 : 0;
  EXPECT_EQ(checked.size(), with_json) << "every reply in JSON was checked";
  const HttpReply log = served.get("events?after=2&limit=3");
  EXPECT_EQ(std::count(log.body.begin(), log.body.end(), '\n'), 3);
}

}  // namespace
}  // namespace acuity::testing::campaign_server_test
