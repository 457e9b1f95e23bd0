#include "service/watchers_view.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "support/served_campaign.hpp"

namespace acuity::testing::watchers_view_test {
namespace {

using Json = nlohmann::json;

/// Half of the questions are about the four gold items a to d.
struct GoldDesk {
  GoldDesk()
      : served(cats_study + "[people]\n# gold: checked twice\ngold = \"" + file() + "\"\ngold_rate = 0.5\n") {
  }
  std::string file() const {
    return folder.write("gold.csv", "id,class\na,cat\nb,dog\nc,cat\nd,dog\n").string();
  }
  /// Lea answers so many questions, or until there are no more; the ids that she answered.
  std::set<std::int64_t> answer(int count) const {
    std::set<std::int64_t> ids;
    for (int k = 0; k < count; ++k) {
      const Json item = served.done("lea", "label/next", Json::object()).at("item");
      if (item.is_null()) break;
      served.done("lea", "label/answer", {{"id", item["id"]}, {"y", 1}, {"seconds", 1}});
      ids.insert(item["id"].get<std::int64_t>());
    }
    return ids;
  }
  /// The view as soon as it shows so many answers and its model knows them.
  Json view(const std::string& name, std::size_t answers) const {
    Json view;
    for (int tries = 0; tries < 200; ++tries) {
      view = served.shown("view", name);
      if (view.at("answers_total") == answers && view.at("parts").at("model") == view.at("sequence")) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return view;
  }
  std::size_t gold_answers() const {
    std::set<std::int64_t> gold;
    std::size_t count = 0;
    for (const Json& event : served.desk.events()) {
      if (event.at("event") == "asked" && event.value("gold", false))
        gold.insert(event.at("id").get<std::int64_t>());
      if (event.at("event") == "told" && gold.contains(event.at("id").get<std::int64_t>())) ++count;
    }
    return count;
  }

  Folder folder;
  Served served;
};

std::set<std::int64_t> ids_in(const Json& rows) {
  std::set<std::int64_t> ids;
  for (const Json& row : rows) ids.insert(row.at("id").get<std::int64_t>());
  return ids;
}

TEST(WatchersView, HasGoldItemsAmongTheCandidates) {
  const GoldDesk desk;
  const Json pool = desk.served.shown("pool?x=x");
  EXPECT_EQ(pool.at("points"), 8);
  std::set<std::string> points;
  for (const Json& row : pool.at("rows")) points.insert(row.at("point").get<std::string>());
  EXPECT_TRUE(points.contains("a") && points.contains("d"));
  for (const char* point : {"a", "b", "c", "d", "e", "f", "g", "h"})
    EXPECT_EQ(desk.served.get(std::string("explain/point/") + point).status, 200) << point;
  EXPECT_GT(desk.served.shown("explain/point/a").at("text").get<std::string>().size(), 50U);
}

TEST(WatchersView, ListsAnswersToGoldItemsLikeOthers) {
  const GoldDesk desk;
  const std::set<std::int64_t> answered = desk.answer(6);
  ASSERT_EQ(answered.size(), 6U);
  const std::size_t gold = desk.gold_answers();
  ASSERT_GT(gold, 0U);
  ASSERT_LT(gold, 6U);
  EXPECT_EQ(ids_in(desk.served.shown("annotations").at("rows")), answered);
  EXPECT_EQ(desk.served.shown("annotations", "rob").at("rows").size(), 6U - gold)
      << "programs see the model's";
  EXPECT_EQ(desk.served.shown("status").at("annotations"), 6);
  EXPECT_EQ(desk.served.shown("status").at("levels").at(0).at("annotations"), 6);
  EXPECT_EQ(desk.served.shown("status", "olga").at("annotations"), 6 - gold);
  const Json view = desk.view("", 6);
  const Json listed = desk.served.shown("answers");
  EXPECT_EQ(ids_in(listed.at("rows")), answered) << "the list in steps, too";
  EXPECT_EQ(listed.at("total"), 6);
  EXPECT_EQ(desk.served.shown("answers", "rob").at("total"), 6U - gold);
  for (const Json& row : listed.at("rows"))
    EXPECT_EQ(row.size(), listed["rows"][0].size()) << "none stands out";
  EXPECT_EQ(ids_in(view.at("answers")), answered);
  EXPECT_EQ(view.at("levels").at(0).at("answers"), 6);
  EXPECT_EQ(view.at("spending").back().at("answers"), 6);
  std::set<std::string> keys;
  bool was_predicted = false;
  for (const Json& row : view.at("answers")) {
    std::string all;
    for (const auto& [key, value] : row.items()) all += key + std::string(value.type_name()) + ' ';
    keys.insert(all);
    EXPECT_TRUE(row.at("predicted").get<bool>() || !was_predicted) << "as for others: not before, then so";
    was_predicted = row.at("predicted").get<bool>();
  }
  EXPECT_EQ(keys.size(), 1U) << Json(keys);
}

TEST(WatchersView, HasNoCountsOfRightAnswersToGoldItems) {
  const GoldDesk desk;
  desk.answer(6);
  const std::size_t gold = desk.gold_answers();
  const Json people = desk.view("", 6).at("people");
  ASSERT_EQ(people.size(), 1U);
  EXPECT_TRUE(people.at(0).at("gold").is_null());
  EXPECT_EQ(people.at(0).at("answers"), 6);
  const Json counts = desk.view("olga", 6 - gold).at("people").at(0).at("gold");
  EXPECT_EQ(counts.at("right").get<std::size_t>() + counts.at("wrong").get<std::size_t>(), gold);
}

TEST(WatchersView, SaysNothingAboutGoldItems) {
  const GoldDesk desk;
  const std::set<std::int64_t> answered = desk.answer(6);
  for (const char* what : {"study", "events", "annotations", "status", "pending", "explain/next"}) {
    std::string body = desk.served.get(what).body;
    EXPECT_EQ(body.find("gold"), std::string::npos) << what << body;
    EXPECT_NE(body.size(), 0U);
  }
  EXPECT_NE(desk.served.shown("study").at("text").get<std::string>().find("[people]"), std::string::npos);
  EXPECT_NE(desk.served.get("study", "rob").body.find("gold_rate"), std::string::npos);
  EXPECT_NE(desk.served.get("events", "rob").body.find("\"gold\""), std::string::npos);
  EXPECT_EQ(desk.served.get("study", "lea").body.find("gold"), std::string::npos);
  for (const std::int64_t id : answered) {
    EXPECT_EQ(desk.served.get("explain/" + std::to_string(id)).status, 403) << id;
    EXPECT_EQ(desk.served.get("explain/" + std::to_string(id), "rob").status, 200) << id;
  }
}

TEST(WatchersView, TakesGoldItemsOutOfAStudy) {
  const std::string rest = "[people]\nmax_per_item = 3\n";
  EXPECT_EQ(study_for_watchers(rest + "gold = 'g.csv'"), rest);
  EXPECT_EQ(study_for_watchers("people.gold_rate = 0.1\npeople.\"gold\" = \"g.csv\"\n"), "\n\n");
  EXPECT_EQ(study_for_watchers("people = { gold = \"g.csv\", gold_rate = 1e-1, max_per_item = 3 }"),
            "people = {   max_per_item = 3 }");
  EXPECT_EQ(study_for_watchers("a = 1 # a tenth is Gold\n"), "a = 1 \n");
  EXPECT_EQ(study_for_watchers("x = \"\"\"\ngold\"\"\"\n"), "") << "rather nothing than a hint";
}

}  // namespace
}  // namespace acuity::testing::watchers_view_test
