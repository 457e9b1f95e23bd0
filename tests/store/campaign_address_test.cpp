#include "acuity/store/campaign_address.hpp"

#include <gtest/gtest.h>

#include "acuity/base/errors.hpp"

namespace acuity::campaign_address_test {
namespace {

using Parameters = std::map<std::string, std::string>;

std::string complaint(const std::string& text) {
  try {
    const CampaignAddress address(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CampaignAddress, IsAFolder) {
  for (const char* text :
       {"wing.acuity", "/data/wing.acuity", "./postgresql", "a:b", "c:/wing", "wing?x=1"}) {
    const CampaignAddress address(text);
    EXPECT_TRUE(address.is_folder()) << text;
    EXPECT_FALSE(address.is_in_database()) << text;
    EXPECT_EQ(address.folder(), std::filesystem::path(text));
    EXPECT_EQ(address.text(), text);
  }
  EXPECT_TRUE(CampaignAddress().is_nowhere());
  EXPECT_TRUE(CampaignAddress(std::filesystem::path()).is_nowhere());
}

TEST(CampaignAddress, IsOneOfADatabase) {
  const CampaignAddress address("postgresql://anna:secret@db.example:5433/lab/wing?sslmode=require");
  EXPECT_TRUE(address.is_in_database());
  EXPECT_FALSE(address.is_folder());
  EXPECT_TRUE(address.folder().empty());
  EXPECT_EQ(address.name(), "wing");
  EXPECT_EQ(address.text(), "postgresql://anna@db.example:5433/lab/wing?sslmode=require");
  EXPECT_EQ(address.database().text(), "postgresql://anna@db.example:5433/lab?sslmode=require");
  EXPECT_EQ(address.database().connection(), (Parameters{{"user", "anna"},
                                                         {"password", "secret"},
                                                         {"host", "db.example"},
                                                         {"port", "5433"},
                                                         {"dbname", "lab"},
                                                         {"sslmode", "require"}}));
  EXPECT_TRUE(address.database().notifies());
}

TEST(CampaignAddress, OfADatabaseIsNeverAPath) {
  const CampaignAddress address(std::filesystem::path("postgresql://db/lab/wing"));
  EXPECT_TRUE(address.is_in_database());
  EXPECT_TRUE(address.folder().empty());
}

TEST(CampaignAddress, HasItsNameAsAParameterToo) {
  for (const char* text : {"postgres://db/lab/wing", "postgresql://db/lab?campaign=wing",
                           "PostgreSQL://db/lab/wing/", "postgresql://db?campaign=wing&dbname=lab"}) {
    EXPECT_EQ(CampaignAddress(text).text(), "postgresql://db/lab/wing") << text;
    EXPECT_EQ(CampaignAddress(text), CampaignAddress("postgresql://db/lab/wing")) << text;
  }
  const CampaignAddress of_user("postgresql://db?campaign=wing");
  EXPECT_EQ(of_user.text(), "postgresql://db/?campaign=wing");
  EXPECT_EQ(CampaignAddress(of_user.text()), of_user);
}

TEST(CampaignAddress, TakesSocketsAndSeveralServers) {
  const CampaignAddress socket("postgresql:///lab/wing?host=/run/postgresql&port=5433&notify=off");
  EXPECT_EQ(socket.database().connection(),
            (Parameters{{"host", "/run/postgresql"}, {"port", "5433"}, {"dbname", "lab"}}));
  EXPECT_FALSE(socket.database().notifies());
  EXPECT_EQ(socket.text(), "postgresql:///lab/wing?host=/run/postgresql&port=5433&notify=off");
  EXPECT_EQ(socket.argument(), "'postgresql:///lab/wing?host=/run/postgresql&port=5433&notify=off'");

  const CampaignAddress encoded("postgresql://%2Frun%2Fpostgresql/lab/wing");
  EXPECT_EQ(encoded.database().connection().at("host"), "/run/postgresql");
  EXPECT_EQ(encoded.text(), "postgresql://%2Frun%2Fpostgresql/lab/wing");

  const CampaignAddress ip6("postgresql://[2001:db8::1]:5433/lab/wing");
  EXPECT_EQ(ip6.database().connection().at("host"), "2001:db8::1");
  EXPECT_EQ(ip6.database().connection().at("port"), "5433");
  EXPECT_EQ(ip6.text(), "postgresql://[2001:db8::1]:5433/lab/wing");
  EXPECT_EQ(CampaignAddress("postgresql://[::1]/lab/wing").database().connection().count("port"), 0U);

  const CampaignAddress several("postgresql://one:5433,two,[::1]:5434/lab/wing");
  EXPECT_EQ(several.database().connection().at("host"), "one,two,::1");
  EXPECT_EQ(several.database().connection().at("port"), "5433,,5434");
  EXPECT_EQ(several.text(), "postgresql://one:5433,two,[::1]:5434/lab/wing");
}

TEST(CampaignAddress, DecodesAndEncodesItsParts) {
  const CampaignAddress address("postgresql://an%40a:p%3a%2F%40%25%20@db/l%61b/Fl%C3%BCgel%20%232%3F");
  EXPECT_EQ(address.database().connection().at("user"), "an@a");
  EXPECT_EQ(address.database().connection().at("password"), "p:/@% ");
  EXPECT_EQ(address.database().connection().at("dbname"), "lab");
  EXPECT_EQ(address.name(), "Flügel #2?");
  EXPECT_EQ(address.text(), "postgresql://an%40a@db/lab/Flügel%20%232%3F");
  EXPECT_EQ(CampaignAddress(address.text()).name(), address.name());
  EXPECT_EQ(CampaignAddress(DatabaseAddress("postgresql://an%40a@db/lab"), "Flügel #2?").text(),
            address.text());
}

TEST(CampaignAddress, QuotesWhatLibpqReads) {
  const CampaignAddress address("postgresql://u:a'b%5Cc@db/lab/wing");
  EXPECT_EQ(address.database().connection_string(), R"(dbname='lab' host='db' password='a\'b\\c' user='u')");
}

TEST(CampaignAddress, IsAnArgumentThatCanBeCopied) {
  EXPECT_EQ(CampaignAddress("runs/wing-2.acuity").argument(), "runs/wing-2.acuity");
  EXPECT_EQ(CampaignAddress("my wing").argument(), "'my wing'");
  EXPECT_EQ(CampaignAddress("it's").argument(), R"('it'\''s')");
  EXPECT_EQ(CampaignAddress("postgresql://a:b@db:1/lab/wing").argument(), "postgresql://a@db:1/lab/wing");
}

TEST(CampaignAddress, IsRefusedInWords) {
  EXPECT_EQ(
      complaint("postgresql://db/lab"),
      "postgresql://db/lab: it names no campaign, must be postgresql://host/database/campaign; to see the "
      "campaigns of a database: acuity list ADDRESS");
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(complaint(text).find(part), std::string::npos) << text << " -> " << complaint(text);
  };
  has("postgresql://", "names no campaign");
  has("postgresql://db", "names no campaign");
  has("postgresql://db/lab/", "names no campaign");
  has("postgresql://db//wing", "the name of the database is empty");
  has("postgresql://db/lab/a/b", "it has 3 names after the host");
  has("postgresql://db/lab/wing?campaign=wing", "campaign is given twice");
  has("postgresql://db/lab?campaign=", "campaign is empty");
  has("postgresql://db/lab/wing?host=/tmp", "host is given twice");
  has("postgresql://db/lab/wing?sslmode=a&sslmode=b", "sslmode is given twice");
  has("postgresql://db/lab/wing?sslmode", "must be name=value");
  has("postgresql://db/lab/wing?notify=perhaps", "notify must be on or off");
  has("postgresql://db:http/lab/wing", "the port must be a number from 1 to 65535");
  has("postgresql://db:70000/lab/wing", "the port must be a number from 1 to 65535");
  has("postgresql://[::1/lab/wing", "a [ without a ]");
  has("postgresql://[::1]5432/lab/wing", "after the ]");
  has("postgresql://db/lab/50%", "has a % without two hexadecimal digits, must be written as %25");
  has("postgresql://db/lab/wing%0A", "control characters");
  has("postgresql://db/lab/wing%FF", "not UTF-8");
  has("postgresql://db/lab/a%2Fb", "not the name of a campaign");
  has("postgresql://db/lab/..", "not the name of a campaign");
  has("postgresql://db/lab/" + std::string(201, 'n'), "not the name of a campaign");
  has("mysql://db/lab/wing",
      "\"mysql\" is not known, must be a folder or postgresql://host/database/campaign");
  EXPECT_THROW(DatabaseAddress("postgresql://db/lab/wing"), InputError);
  EXPECT_THROW(DatabaseAddress("folder"), InputError);
}

// Passwords may be anywhere in an address, and a mistyped one even in a part of another meaning.
TEST(CampaignAddress, ShowsNoPassword) {
  for (const char* good : {"postgresql://u:tiger@db/lab/wing", "postgresql://:tiger@db/lab/wing",
                           "postgresql://db/lab/wing?password=tiger",
                           "postgresql://db/lab/wing?sslpassword=tiger&sslmode=require",
                           "postgresql://db/lab/wing?Password=tiger",
                           "postgresql://db/lab/wing?oauth_client_secret=tiger&scram_client_key=tiger"}) {
    const CampaignAddress address(good);
    EXPECT_EQ(address.text().find("tiger"), std::string::npos) << address.text();
    EXPECT_EQ(address.argument().find("tiger"), std::string::npos);
    EXPECT_EQ(address.database().text().find("tiger"), std::string::npos);
    EXPECT_NE(address.database().connection_string().find("tiger"), std::string::npos);
  }
  EXPECT_EQ(CampaignAddress("postgresql://db/lab/wing?passfile=/home/u/.pgpass").text(),
            "postgresql://db/lab/wing?passfile=/home/u/.pgpass");
  for (const char* bad :
       {"postgresql://u:tiger@db/lab", "postgresql://u:ti@tiger@db/lab/wing",
        "postgresql://u:tiger/x@db/lab/wing", "postgresql://u:1/tiger@db/wing",
        "postgresql://u:1?tiger@db/lab/wing", "postgresql://u:tiger%@db/lab/wing",
        "postgresql://u:tiger%00@db/lab/wing", "postgresql://u:1/lab/tiger@db", "mysql://u:tiger@db/lab/wing",
        "postgresql://db/lab?password=tiger", "postgresql://db/lab/wing?password=tiger&notify=2",
        "postgresql://db/lab/wing?password=tiger&password=tiger2",
        "postgresql://db/lab/wing?password=tiger%"}) {
    EXPECT_NE(complaint(bad), "") << bad;
    EXPECT_EQ(complaint(bad).find("tiger"), std::string::npos) << complaint(bad);
  }
}

}  // namespace
}  // namespace acuity::campaign_address_test
