#include "annotation/dakota_files.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace acuity::dakota_files_test {
namespace {

Request request(const Level& level) {
  return make_request({.id = 57, .inputs = {1.5, -0.25}, .level = level, .channel = {}, .cost = 1.0}, 1,
                      {"x1", "x2"}, 1);
}

double y_of(const ReplyReading& reading) {
  EXPECT_TRUE(reading.answer) << reading.problem;
  return reading.answer ? std::get<double>(reading.answer->y) : -12345.0;
}

TEST(DakotaFiles, ParametersAreInTheStandardForm) {
  EXPECT_EQ(dakota_parameters(request({.alpha = 2.0, .channel = {}, .value = {}})),
            "                                          3 variables\n"
            "                     1.5000000000000000e+00 x1\n"
            "                    -2.5000000000000000e-01 x2\n"
            "                     2.0000000000000000e+00 value\n"
            "                                          1 functions\n"
            "                                          1 ASV_1:response_fn_1\n"
            "                                          2 derivative_variables\n"
            "                                          1 DVV_1:x1\n"
            "                                          2 DVV_2:x2\n"
            "                                          0 analysis_components\n"
            "                                         57 eval_id\n"
            "                                          0 metadata\n");
}

TEST(DakotaFiles, TheLevelIsAStateVariableOfAnyKind) {
  EXPECT_NE(dakota_parameters(request({.name = "fine", .channel = {}, .value = "fine mesh"}))
                .find("                                  fine mesh value\n"),
            std::string::npos);
  EXPECT_NE(dakota_parameters(request({.name = "fine", .channel = {}, .value = std::int64_t{400}}))
                .find(" 400 value\n"),
            std::string::npos);
}

TEST(DakotaFiles, ParametersInJsonSayTheSame) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto json =
      nlohmann::json::parse(dakota_parameters_json(request({.alpha = infinity, .channel = {}, .value = {}})));
  ASSERT_EQ(json["variables"].size(), 3U);
  EXPECT_EQ(json["variables"][1]["label"], "x2");
  EXPECT_EQ(json["variables"][1]["value"], -0.25);
  EXPECT_EQ(json["variables"][2]["value"], "inf");
  EXPECT_EQ(json["responses"][0]["label"], "response_fn_1");
  EXPECT_EQ(json["responses"][0]["active_set"], 1);
  EXPECT_EQ(json["derivative_variables"], nlohmann::json({1, 2}));
  EXPECT_EQ(json["eval_id"], "57");
  EXPECT_TRUE(json["analysis_components"].is_array());
  EXPECT_TRUE(json["metadata"].is_array());
}

TEST(DakotaFiles, ResultsInTheStandardFormNeedNoLabels) {
  EXPECT_EQ(y_of(parse_dakota_results("  1.25E-01 f\n")), 0.125);
  EXPECT_EQ(y_of(parse_dakota_results("1.25d-01\n")), 0.125);
  EXPECT_EQ(y_of(parse_dakota_results("1 2 3\n")), 1.0) << "the first response";
  const ReplyReading whole =
      parse_dakota_results("1.5\nf\n[ 1 2 ]\n[[ 1 2\n 3 4 ]]\n12.5 cost\n0.5 noise_sd\n");
  EXPECT_EQ(y_of(whole), 1.5);
  EXPECT_EQ(whole.answer->cost, 12.5);
  EXPECT_EQ(whole.answer->noise_sd, 0.5);
  EXPECT_EQ(parse_dakota_results("1.5\n3 cost").answer->cost, 3.0);
}

TEST(DakotaFiles, ResultsInJsonAreReadInTheirOrder) {
  const ReplyReading reading = parse_dakota_results(
      R"({"functions": {"z": 2.5, "a": 1}, "gradients": {"z": [1]}, "metadata": {"cost": 4, "seconds": 9}})");
  EXPECT_EQ(y_of(reading), 2.5);
  EXPECT_EQ(reading.answer->cost, 4.0);
}

TEST(DakotaFiles, AFailureIsSaidInEitherForm) {
  for (const char* text : {"FAIL", " fail\n1.0 f", "Fail: no mesh", R"({"fail": true})"}) {
    EXPECT_EQ(parse_dakota_results(text).problem, "the driver reports a failure in results.out") << text;
    EXPECT_FALSE(parse_dakota_results(text).answer);
  }
  EXPECT_EQ(y_of(parse_dakota_results(R"({"fail": false, "functions": {"f": 1}})")), 1.0);
}

TEST(DakotaFiles, BytesThatAreNoTextAreNoResult) {
  for (const std::string& text : {std::string("1.0 f\n\0\x01", 8), std::string("1.0 f\x1b[0m\n"),
                                  std::string("{\"functions\": {\"f\": 1}}\0 2", 26)})
    EXPECT_EQ(parse_dakota_results(text).problem, "results.out has control characters in it, must be text");
}

TEST(DakotaFiles, WhatIsNoResultIsAComplaint) {
  for (const char* text :
       {"", "  \n", "f 1.0", "nan f", "inf", "[ 1 2 ]", "{", "{}", R"({"functions": {}})",
        R"({"functions": [1]})", R"({"functions": {"f": "NaN"}})", R"({"functions": {"f": null}})",
        "1.0 f\n-1 cost", R"({"functions": {"f": 1}, "metadata": {"noise_sd": 0}})"}) {
    const ReplyReading reading = parse_dakota_results(text);
    EXPECT_FALSE(reading.answer) << text;
    EXPECT_TRUE(reading.problem.starts_with("results.out")) << reading.problem;
  }
}

}  // namespace
}  // namespace acuity::dakota_files_test
