#include "annotation/request.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace acuity::request_test {
namespace {

const double infinity = std::numeric_limits<double>::infinity();

Suggestion suggestion() {
  return {.id = 57,
          .point = "d\"09\n",
          .inputs = {1.0 / 3.0, -1e-300},
          .level = {.name = "coarse", .channel = {}, .value = std::int64_t{400000}},
          .channel = {},
          .cost = 0.1};
}

std::map<std::string, std::string> environment(const Request& request) {
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : environment_of(request))
    EXPECT_TRUE(all.emplace(name, value).second) << name;
  return all;
}

TEST(Request, HasEveryDigitOfEveryNumber) {
  const Request request = make_request(suggestion(), 2, {"x", "wall T"}, 1);
  const nlohmann::json json = nlohmann::json::parse(to_json(request));
  EXPECT_EQ(json["id"], 57);
  EXPECT_EQ(json["attempt"], 2);
  EXPECT_EQ(json["point"], "d\"09\n");
  EXPECT_EQ(json["inputs"]["x"].get<double>(), 1.0 / 3.0);
  EXPECT_EQ(json["inputs"]["wall T"].get<double>(), -1e-300);
  EXPECT_EQ(json["level"], "coarse");
  EXPECT_EQ(json["value"], 400000);
  EXPECT_EQ(json["cost"].get<double>(), 0.1);
  EXPECT_EQ(json["seed"], request.seed);
  EXPECT_FALSE(json.contains("alpha"));
  EXPECT_EQ(to_json(request).find('\n'), std::string::npos) << "one line";

  const auto all = environment(request);
  EXPECT_EQ(std::stod(all.at("ACUITY_X_X")), 1.0 / 3.0);
  EXPECT_EQ(std::stod(all.at("ACUITY_X_WALL_T")), -1e-300);
  EXPECT_EQ(all.at("ACUITY_VALUE"), "400000");
}

TEST(Request, OfALadderSaysAlphaAndNoLevel) {
  Suggestion asked = suggestion();
  asked.level = {.alpha = infinity, .channel = {}, .value = {}};
  const nlohmann::json json = nlohmann::json::parse(to_json(make_request(asked, 1, {"x", "z"}, 1)));
  EXPECT_EQ(json["alpha"], "inf");
  EXPECT_EQ(json["value"], "inf");
  EXPECT_FALSE(json.contains("level"));
  const auto all = environment(make_request(asked, 1, {"x", "z"}, 1));
  EXPECT_EQ(all.at("ACUITY_ALPHA"), "inf");
  EXPECT_FALSE(all.contains("ACUITY_LEVEL"));
}

TEST(Request, HandsAnyScalarThroughUntouched) {
  Suggestion asked = suggestion();
  for (const auto& [value, text, json] : std::vector<std::tuple<LevelValue, std::string, std::string>>{
           {true, "true", "true"},
           {0.1, "0.1", "0.1"},
           {infinity, "inf", "\"inf\""},
           {"a \"b\"", "a \"b\"", "\"a \\\"b\\\"\""}}) {
    asked.level.value = value;
    const Request request = make_request(asked, 1, {"x", "z"}, 1);
    EXPECT_EQ(environment(request).at("ACUITY_VALUE"), text);
    EXPECT_NE(to_json(request).find("\"value\":" + json), std::string::npos) << to_json(request);
  }
}

TEST(Request, SurvivesNamesInAnyEncoding) {
  Suggestion asked = suggestion();
  asked.point = "caf\xe9";
  EXPECT_NO_THROW(static_cast<void>(to_json(make_request(asked, 1, {"\xff", "y"}, 1))));
}

TEST(Request, InputsAreUpperCaseAndOneUnderscorePerOtherCharacter) {
  EXPECT_EQ(input_variable("x1"), "ACUITY_X_X1");
  EXPECT_EQ(input_variable("wall-T [K]"), "ACUITY_X_WALL_T__K_");
  EXPECT_EQ(input_variable("\xc3\xa9t\xc3\xa9"), "ACUITY_X__T_");
}

TEST(Request, SeedsArePositiveDifferByIdAndDoNotDependOnTheAttempt) {
  Suggestion asked = suggestion();
  std::set<std::uint32_t> seeds;
  for (asked.id = 1; asked.id <= 1000; ++asked.id) {
    const std::uint32_t seed = make_request(asked, 1, {"x", "z"}, 3).seed;
    EXPECT_EQ(make_request(asked, 7, {"x", "z"}, 3).seed, seed);
    EXPECT_GE(seed, 1U);
    EXPECT_LE(seed, 2147483647U);
    seeds.insert(seed);
  }
  EXPECT_GT(seeds.size(), 998U);
  EXPECT_NE(make_request(asked, 1, {"x", "z"}, 3).seed, make_request(asked, 1, {"x", "z"}, 4).seed);
}

TEST(Request, FoldersSortByNumber) {
  EXPECT_EQ(attempt_folder_name(57, 1), "000057-1");
  EXPECT_EQ(attempt_folder_name(12345678, 12), "12345678-12");
}

}  // namespace
}  // namespace acuity::request_test
