#include "service/role_limits.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/served_campaign.hpp"

namespace acuity::testing::role_limits_test {
namespace {

using Json = nlohmann::json;

std::string letters_of(const RouteLimits& route) {
  std::string letters;
  for (const Role role : {Role::watch, Role::label, Role::run, Role::own})
    letters += is_allowed(route, role) ? role_name(role).front() : '-';
  return letters;
}

// What each role may send, written down once more: whoever changes the table changes this, too.
TEST(RoleLimits, AreTheseForEveryRouteAndRole) {
  const std::map<std::string, std::string> expected{{"GET /v1/me", "wlro"},
                                                    {"GET /v1/status", "w-ro"},
                                                    {"GET /v1/study", "wlro"},
                                                    {"GET /v1/pending", "w-ro"},
                                                    {"GET /v1/annotations", "w-ro"},
                                                    {"GET /v1/events", "w-ro"},
                                                    {"GET /v1/view", "w-ro"},
                                                    {"GET /v1/answers", "w-ro"},
                                                    {"GET /v1/slice", "w-ro"},
                                                    {"GET /v1/pool", "w-ro"},
                                                    {"GET /v1/figures/{}.svg", "w-ro"},
                                                    {"GET /v1/explain/next", "w-ro"},
                                                    {"GET /v1/explain/point/{}", "w-ro"},
                                                    {"GET /v1/explain/{}", "w-ro"},
                                                    {"POST /v1/predict", "w-ro"},
                                                    {"POST /v1/ask", "-lro"},
                                                    {"POST /v1/tell", "-lro"},
                                                    {"POST /v1/fail", "-lro"},
                                                    {"POST /v1/release", "-lro"},
                                                    {"POST /v1/heartbeat", "-lro"},
                                                    {"POST /v1/amend", "---o"},
                                                    {"POST /v1/label/next", "-lro"},
                                                    {"POST /v1/label/answer", "-lro"},
                                                    {"POST /v1/label/skip", "-lro"},
                                                    {"POST /v1/label/cannot-tell", "-lro"},
                                                    {"GET /v1/files", "--ro"},
                                                    {"GET /v1/files/{}", "--ro"},
                                                    {"GET /v1/label/image/{}", "-lro"}};
  std::map<std::string, std::string> found;
  for (const RouteLimits& route : route_limits())
    found[route.method + " " + route.pattern] = letters_of(route);
  EXPECT_EQ(found, expected);
}

// Whether the server does what the table says; other errors than these two are about the request.
TEST(RoleLimits, AreKeptByTheServerForEveryRouteAndCaller) {
  const Served served(cats_study);
  const std::vector<std::pair<std::string, Role>> callers{
      {"", Role::watch}, {"wim", Role::watch}, {"lea", Role::label}, {"rob", Role::run}, {"olga", Role::own}};
  for (const RouteLimits& route : route_limits())
    for (const auto& [name, role] : callers) {
      std::string path = route.pattern;
      if (const std::size_t gap = path.find("{}"); gap != std::string::npos) path.replace(gap, 2, "99");
      const int status = route.method == "GET" ? served.client(name)->get(path).status
                                               : served.client(name)->post(path, R"({"id": 99})").status;
      const int refused = name.empty() ? 401 : 403;
      EXPECT_EQ(status == refused, !is_allowed(route, role))
          << route.method << ' ' << route.pattern << " by \"" << name << "\": " << status;
      EXPECT_NE(status, name.empty() ? 403 : 401) << route.pattern;
    }
  EXPECT_EQ(served.client("")->get("/").status, 200);
  EXPECT_EQ(served.client("")->get("/label").status, 200);
}

// A value that breaks the rule of a field.
Json too_much(FieldRule rule) {
  switch (rule) {
    case FieldRule::any:
      return nullptr;
    case FieldRule::refused:
      return 1;
    case FieldRule::own_name:
      return "rob";
    case FieldRule::few:
      return 5;
    case FieldRule::short_lease:
      return 999999998;
    case FieldRule::one_answer:
      return Json::array({1, 1});
  }
  return nullptr;
}

TEST(RoleLimits, AreTheseForEveryFieldOfPeople) {
  std::map<std::string, std::set<std::string>> bound;
  for (const RouteLimits& route : route_limits())
    for (const FieldLimit& field : route.fields)
      if (field.rule != FieldRule::any && is_allowed(route, Role::label))
        bound[route.pattern].insert(field.name);
  const std::map<std::string, std::set<std::string>> expected{
      {"/v1/ask", {"count", "worker", "lease", "level", "capacity", "avoid", "max_cost"}},
      {"/v1/tell", {"y", "cost", "noise_sd", "accuracy", "level", "alpha"}},
      {"/v1/fail", {"cost", "exclude", "inconclusive"}},
      {"/v1/heartbeat", {"lease"}},
      {"/v1/label/answer", {"y"}}};
  EXPECT_EQ(bound, expected);
}

TEST(RoleLimits, AreKeptByTheServerForEveryField) {
  const Served served(cats_study);
  const Json mine = served.done("lea", "label/next", Json::object()).at("item").at("id");
  const Json before = served.desk.status();
  for (const RouteLimits& route : route_limits())
    for (const FieldLimit& field : route.fields) {
      if (field.rule == FieldRule::any || !is_allowed(route, Role::label)) continue;
      Json body = route.pattern == "/v1/ask" ? Json::object() : Json{{"id", mine}, {"y", 1}};
      if (route.pattern == "/v1/fail" || route.pattern == "/v1/heartbeat") body.erase("y");
      body[field.name] = too_much(field.rule);
      const HttpReply reply = served.client("lea")->post(route.pattern, body.dump());
      EXPECT_TRUE(reply.status == 400 || reply.status == 403) << route.pattern << body << reply.body;
      EXPECT_NE(Json::parse(reply.body)
                    .at("error")
                    .get<std::string>()
                    .find(field.rule == FieldRule::own_name ? "himself" : '"' + field.name + '"'),
                std::string::npos)
          << reply.body;
    }
  EXPECT_EQ(served.desk.status(), before) << "nothing is recorded";
  for (const RouteLimits& route : route_limits()) {
    if (route.method != "POST") continue;
    const HttpReply reply = served.client("olga")->post(route.pattern, R"({"nonsense": 1})");
    EXPECT_EQ(reply.status, 400) << route.pattern << reply.body;
    EXPECT_NE(reply.body.find("nonsense"), std::string::npos) << "no field is ignored: " << reply.body;
  }
}

TEST(RoleLimits, LeaveProgramsWhatTheyHad) {
  const Served served;
  const Json asked =
      served.done("rob", "ask", {{"count", 3}, {"worker", "w"}, {"lease", "2h"}, {"level", "coarse"}});
  ASSERT_EQ(asked.at("suggestions").size(), 3U);
  const auto id = [&](std::size_t k) { return asked["suggestions"][k]["id"]; };
  const Json told =
      served.done("rob", "tell", {{"id", id(0)}, {"y", {1, 2}}, {"cost", 1.5}, {"noise_sd", 0.2}});
  EXPECT_EQ(told.at("charge"), 1.5);
  EXPECT_EQ(served.done("rob", "fail", {{"id", id(1)}, {"cost", 0.5}}).at("changes"), true);
  EXPECT_EQ(served.done("rob", "heartbeat", {{"id", id(2)}, {"lease", "3h"}}).at("renewed"),
            Json::array({id(2)}));
}

TEST(RoleLimits, NobodyAsksUnderTheNameOfKnownAnswers) {
  const Served served;
  const HttpReply reply = served.post("rob", "ask", {{"worker", "initial"}});
  EXPECT_EQ(reply.status, 400) << reply.body;
  EXPECT_EQ(served.desk.status().at("pending"), 0);
}

TEST(RoleLimits, NumbersThatAreTooLargeAreReportedAsTheyAre) {
  const Served served;
  for (const char* body :
       {R"({"id": 18446744073709551615, "y": 1})", R"({"id": 9223372036854775808, "y": 1})"}) {
    const HttpReply reply = served.client("rob")->post("/v1/tell", body);
    EXPECT_EQ(reply.status, 400);
    EXPECT_NE(reply.body.find(std::string(body).substr(7, 19)), std::string::npos) << reply.body;
    EXPECT_EQ(reply.body.find("is -"), std::string::npos) << reply.body;
  }
  EXPECT_EQ(served.client("rob")->post("/v1/ask", R"({"count": 18446744073709551615})").status, 400);
}

// How surprising an answer is would tell what the model expects of the next one.
TEST(RoleLimits, PeopleAreNotToldHowSurprisingTheirAnswersAre) {
  const Served served;
  const auto told = [&](const std::string& name) {
    const Json id = served.done(name, "ask", Json::object())["suggestions"][0]["id"];
    return served.done(name, "tell", {{"id", id}, {"y", 0.5}, {"cost", nullptr}, {"seconds", 2}});
  };
  EXPECT_TRUE(told("rob").at("surprise").is_number());
  EXPECT_TRUE(told("lea").at("surprise").is_null());
}

TEST(RoleLimits, NobodyAnswersAnItemManyTimesAtTheDesk) {
  const Served served(cats_study);
  for (const std::string name : {"lea", "olga"}) {
    const Json id = served.done(name, "label/next", Json::object()).at("item").at("id");
    const HttpReply many =
        served.post(name, "label/answer", {{"id", id}, {"y", std::vector<std::string>(200, "cat")}});
    EXPECT_EQ(many.status, 400) << many.body;
    EXPECT_NE(many.body.find("has 200 answers, must have one"), std::string::npos) << many.body;
    EXPECT_EQ(served.post(name, "label/answer", {{"id", id}, {"y", {"cat"}}}).status, 200);
  }
  EXPECT_EQ(served.desk.status().at("annotations"), 2);
}

}  // namespace
}  // namespace acuity::testing::role_limits_test
