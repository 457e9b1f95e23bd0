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
