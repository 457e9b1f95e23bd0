#include "text/json.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "numerics/random.hpp"
#include "text/result_table.hpp"

namespace acuity::json_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Json, NumbersReadBackTheSame) {
  numerics::Draws draws(1, numerics::Purpose::data, 0);
  for (int k = 0; k < 2000; ++k) {
    const double value = std::ldexp(draws.uniform(-1.0, 1.0), static_cast<int>(draws.below(2000)) - 1000);
    EXPECT_EQ(Json::parse(json_text(json_number(value))).get<double>(), value);
  }
  for (const double value : {0.1, 5e-324, std::numeric_limits<double>::max(), 1e15, 4.0})
    EXPECT_EQ(Json::parse(json_text(json_number(value))).get<double>(), value);
}

TEST(Json, InfinityIsText) {
  EXPECT_EQ(json_text(json_numbers(std::vector<double>{infinity, -infinity})), "[\"inf\",\"-inf\"]");
  EXPECT_EQ(json_text(json_number(std::optional<double>())), "null");
}

TEST(Json, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(json_text(Json("a\xff")), "\"a\xef\xbf\xbd\"");
}

std::string nested_lists(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(Json, OfMoreThan64LevelsIsNotParsed) {
  EXPECT_FALSE(json_in(nested_lists(64)).is_discarded());
  EXPECT_FALSE(sorted_json_in(nested_lists(64)).is_discarded());
  for (const std::size_t depth : {65U, 200000U}) {
    EXPECT_TRUE(json_in(nested_lists(depth)).is_discarded());
    EXPECT_TRUE(sorted_json_in(nested_lists(depth)).is_discarded());
    EXPECT_EQ(why_no_json(nested_lists(depth)), "is nested more deeply than 64 levels");
  }
  std::string objects = "1";
  for (int k = 0; k < 64; ++k) objects = R"({"\\\"[[": )" + objects + "}";
  EXPECT_FALSE(json_in(objects).is_discarded()) << "brackets in texts do not count";
  EXPECT_TRUE(json_in(R"({"a": )" + objects + "}").is_discarded());
  EXPECT_TRUE(json_in("]]]]" + nested_lists(70)).is_discarded());
  EXPECT_EQ(why_no_json("{"), "is no JSON");
}

TEST(Json, InMessagesIsShort) {
  EXPECT_EQ(shown_json(Json::parse("[1, \"a\", null]")), "[1,\"a\",null]");
  EXPECT_EQ(shown_json(Json::parse("{\"a\": 1}")), "{\"a\":1}");
  EXPECT_EQ(shown_json(Json::parse("[[]]")), "[...]");
  EXPECT_EQ(shown_json(SortedJson::parse("{\"a\": {\"b\": 1}}")), "{...}");
  EXPECT_EQ(shown_json(Json::parse("[1, 2, 3, 4, 5]")), "[...]");
  EXPECT_EQ(shown_json(Json("a\nb")), "\"a\\nb\"");
  EXPECT_LE(shown_json(Json(std::string(1000000, 'a'))).size(), 70U);
  EXPECT_LE(shown_json(Json::array({std::string(1000000, 'a')})).size(), 70U);
}

TEST(Json, TheRowsOfATableKeepTheOrderOfTheirColumns) {
  ResultTable table(Format::json, {"z", "a", "none", "list"});
  table.add({std::string("text"), 0.1, std::monostate(), std::vector<double>{1.0, infinity}});
  table.add({true, std::int64_t{3}, std::vector<double>{}, std::vector<double>{2.5}});
  const std::string text = table.document("rows", {{"unit", "nats"}});
  EXPECT_EQ(text,
            "{\"unit\":\"nats\",\"rows\":[\n"
            "  {\"z\":\"text\",\"a\":0.1,\"none\":null,\"list\":[1.0,\"inf\"]},\n"
            "  {\"z\":true,\"a\":3,\"none\":null,\"list\":2.5}\n]}\n");
  EXPECT_EQ(Json::parse(text).at("rows").size(), 2U);
  EXPECT_EQ(ResultTable(Format::json, {"a"}).document("rows"), "{\"rows\":[]}\n");
}

TEST(Json, ARecordIsOneObject) {
  EXPECT_EQ(record_text(Format::json, {{"b", 1.5}, {"a", std::string("x")}}), "{\"b\":1.5,\"a\":\"x\"}\n");
}

}  // namespace
}  // namespace acuity::json_test
