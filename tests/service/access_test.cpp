#include "service/access.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "acuity/base/errors.hpp"
#include "support/program.hpp"

namespace acuity::testing::access_test {
namespace {

struct TokenFile {
  explicit TokenFile(const std::string& text) : file(folder.write("tokens", text)) {
    std::filesystem::permissions(file,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
  std::string complaint() const {
    try {
      Tokens::read(file.string());
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  }
  Folder folder;
  std::filesystem::path file;
};

const std::string ann = "aaaaaaaaaaaaaaaaaaaaaaaa", bob = "bbbbbbbbbbbbbbbbbbbbbbbb";

TEST(Tokens, AreReadWithNamesAndRoles) {
  const TokenFile file("# who\nann label " + ann + "\n\nbob own " + bob + "  # the chief\n");
  const Tokens tokens = Tokens::read(file.file.string());
  EXPECT_EQ(tokens.find(ann)->name, "ann");
  EXPECT_EQ(tokens.find(ann)->role, Role::label);
  EXPECT_EQ(tokens.find(bob)->role, Role::own);
  for (const std::string& wrong : {std::string(), ann + "a", ann.substr(1), std::string("aaab")})
    EXPECT_FALSE(tokens.find(wrong)) << wrong;
}

TEST(Tokens, OfABadFileAreASentenceWithItsLine) {
  EXPECT_NE(TokenFile("ann label\n").complaint().find(":1: it does not have three words"), std::string::npos);
  EXPECT_NE(TokenFile("\nann chief " + ann + "\n").complaint().find(":2: role is \"chief\""),
            std::string::npos);
  EXPECT_NE(TokenFile("ann own short\n").complaint().find("has 5 characters"), std::string::npos);
  EXPECT_NE(TokenFile("ann own " + ann + "\nbob run " + ann + "\n").complaint().find(":2:"),
            std::string::npos);
  EXPECT_NE(TokenFile("# nobody\n").complaint().find("has no token"), std::string::npos);
  EXPECT_EQ(TokenFile("ann own " + ann + "\nbob run " + ann + "\n").complaint().find(ann), std::string::npos)
      << "a token is never shown";
}

TEST(Tokens, ThatOthersCanReadAreRefused) {
  const TokenFile file("ann own " + ann + "\n");
  std::filesystem::permissions(file.file, std::filesystem::perms::group_read,
                               std::filesystem::perm_options::add);
  EXPECT_NE(file.complaint().find("chmod 600"), std::string::npos);
}

TEST(Tokens, AreDrawnAnew) {
  const std::string first = Tokens::with_new_owner().owner_token(),
                    second = Tokens::with_new_owner().owner_token();
  EXPECT_EQ(first.size(), 48U);
  EXPECT_NE(first, second);
}

struct GateTest : ::testing::Test {
  int status_of(const HttpRequest& made, OpenTo open_to = OpenTo::this_machine) const {
    const TokenFile file("ann label " + ann + "\n");
    const Gate gate(Tokens::read(file.file.string()),
                    {.hosts = {"127.0.0.1:8080", "lab.example"}, .is_encrypted = false, .open_to = open_to});
    try {
      gate.caller_of(made);
      return 200;
    } catch (const HttpProblem& problem) {
      return problem.status();
    }
  }
  HttpRequest request{.method = "GET",
                      .path = "/v1/status",
                      .query = {},
                      .host = "127.0.0.1:8080",
                      .origin = {},
                      .authorization = {},
                      .content_type = {},
                      .accept = {},
                      .body = {},
                      .peer = {},
                      .is_forwarded = false};
};

TEST_F(GateTest, LetsThePagesOwnRequestsIn) {
  EXPECT_EQ(status_of(request), 200);
  request.origin = "http://127.0.0.1:8080";
  EXPECT_EQ(status_of(request), 200);
  request.host = "lab.example";
  request.origin = "https://lab.example";
  EXPECT_EQ(status_of(request), 200) << "behind a proxy";
}

// A name that resolves to this machine: the browser sends that name.
TEST_F(GateTest, RefusesNamesThatAreNotItsOwn) {
  for (const char* host : {"evil.example", "evil.example:8080", "127.0.0.1:8081", "127.0.0.1", "",
                           "127.0.0.1:8080.evil.example", "lab.example:8080"}) {
    request.host = host;
    EXPECT_EQ(status_of(request), 421) << host;
  }
}

TEST_F(GateTest, RefusesPagesOfOtherOrigins) {
  for (const char* origin : {"http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:8081",
                             "http://127.0.0.1:8080.evil.example", "file://"}) {
    request.origin = origin;
    EXPECT_EQ(status_of(request), 403) << origin;
  }
}

TEST_F(GateTest, TakesBodiesThatAFormCannotSend) {
  request.method = "POST";
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"}) {
    request.content_type = type;
    EXPECT_EQ(status_of(request), 415) << type;
  }
  request.content_type = "application/json; charset=utf-8";
  EXPECT_EQ(status_of(request), 200);
}

TEST_F(GateTest, KnowsTokens) {
  request.authorization = "Bearer " + ann;
  EXPECT_EQ(status_of(request), 200);
  EXPECT_EQ(status_of(request, OpenTo::nobody), 200);
  request.authorization = "Bearer " + bob;
  EXPECT_EQ(status_of(request), 401) << "a wrong token is not the same as none";
  request.authorization = "Basic " + ann;
  EXPECT_EQ(status_of(request), 401);
  request.authorization = "";
  EXPECT_EQ(status_of(request, OpenTo::nobody), 401);
}

// A proxy on this machine connects from this machine, wherever its clients are.
TEST_F(GateTest, RequestsThatWereForwardedNeedATokenUnlessEverybodyMayLook) {
  request.is_forwarded = true;
  EXPECT_EQ(status_of(request), 401);
  EXPECT_EQ(status_of(request, OpenTo::everybody), 200);
  request.authorization = "Bearer " + ann;
  EXPECT_EQ(status_of(request), 200);
}

TEST(RateLimit, CountsEachClientOnItsOwn) {
  RateLimit rate(10.0, 5.0);
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < 5; ++k) EXPECT_EQ(rate.wait_of("a", start), 0.0);
  EXPECT_NEAR(rate.wait_of("a", start), 0.1, 1e-9);
  EXPECT_EQ(rate.wait_of("b", start), 0.0);
  EXPECT_EQ(rate.wait_of("a", start + std::chrono::milliseconds(101)), 0.0);
  EXPECT_GT(rate.wait_of("a", start + std::chrono::milliseconds(102)), 0.0);
}

TEST(RateLimit, ForgetsWhoIsGoneAndDoesNotGrowWithoutEnd) {
  RateLimit rate(10.0, 5.0);
  const auto start = std::chrono::steady_clock::now();
  int refused = 0;
  for (int k = 0; k < 20000; ++k) refused += rate.wait_of(std::to_string(k), start) > 0.0 ? 1 : 0;
  EXPECT_GT(refused, 9000);
  EXPECT_EQ(rate.wait_of("later", start + std::chrono::seconds(10)), 0.0);
}

}  // namespace
}  // namespace acuity::testing::access_test
