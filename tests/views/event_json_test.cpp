#include "views/event_json.hpp"

#include <gtest/gtest.h>

#include "acuity/store/event.hpp"
#include "text/json.hpp"

namespace acuity::event_json_test {
namespace {

// These events are printed with all fields that the log has of them, in their order.
TEST(EventJson, OfFitsAndOwnersHasEveryFieldOfTheLog) {
  Fitted fitted;
  fitted.annotations = 12;
  fitted.log_parameters = {0.1, -0.7, 1.0 / 3.0};
  fitted.converged = true;
  fitted.reason = "no improvement";
  OwnerChanged owner;
  owner.host = "node7";
  owner.process = 9768;
  for (const Event& event : {Event(fitted), Event(owner)}) {
    const std::string line = event_json({.sequence = 3, .time = 0.0, .event = event}, State(), nullptr);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    Json expected{{"seq", 3}, {"time", "1970-01-01T00:00:00.000000Z"}, {"event", event_name(event)}};
    expected.update(Json::parse(to_json(event)));
    EXPECT_EQ(line, json_text(expected) + "\n");
  }
}

}  // namespace
}  // namespace acuity::event_json_test
