// `acuity run --join` and a server that may answer anything: one sentence and exit code 2.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "service/http_server.hpp"
#include "support/program.hpp"

namespace acuity::testing::join_test {
namespace {

const std::string joined_study =
    "[campaign]\nbudget = 12\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
    "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n[annotator]\ncommand = \"echo 0.5\"\n";
const std::string good_suggestion = R"("point": "a", "level": "coarse", "cost": 1)";

/// Answers two requests in its own way, the others as a campaign would.
struct StrangeServer {
  explicit StrangeServer(std::string ask_reply,
                         std::string files_reply = R"({"files": ["study.toml", "pool.csv"]})")
      : ask(std::move(ask_reply)), files(std::move(files_reply)) {}

  HttpReply answer(const HttpRequest& request) const {
    if (request.path == "/v1/files") return {.body = files};
    if (request.path == "/v1/files/study.toml") return {.body = joined_study};
    if (request.path == "/v1/files/pool.csv") return {.body = "case,x\na,0\nb,1\n"};
    if (request.path == "/v1/ask") return {.body = ask};
    return {.status = 404, .body = R"({"error": "there is nothing here"})"};
  }
  std::string ask, files;
  HttpServer http{ListenAddress::of("127.0.0.1:0"), nullptr, {}, [this](const HttpRequest& request) {
                    return answer(request);
                  }};
};

std::string refusal_of(const std::string& url) {
  const Folder folder;
  const ProgramResult result = run_acuity({"run", "w", "--join", url}, folder.path());
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_EQ(result.err.find("internal error"), std::string::npos) << result.err;
  EXPECT_LT(result.err.size(), 600U) << result.err;
  return result.err;
}

std::string refusal_of(const StrangeServer& server) {
  return refusal_of(fmt::format("http://127.0.0.1:{}", server.http.port()));
}

std::string nested_text(const std::string& before, std::size_t depth) {
  return before + std::string(depth, '[') + std::string(depth, ']') + "}";
}

TEST(Join, OfAServerThatCannotBeReachedIsASentence) {
  const std::string said = refusal_of("http://127.0.0.1:1");
  EXPECT_NE(said.find("http://127.0.0.1:1: it cannot be connected to"), std::string::npos) << said;
  EXPECT_NE(refusal_of("http://name.invalid:80").find("its name cannot be resolved"), std::string::npos);
}

TEST(Join, OfAServerWhoseCertificateIsNotAcceptedIsASentence) {
  const Folder folder;
  const std::string line = fmt::format(
      "cd '{}' && openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj "
      "/CN=acuity -addext subjectAltName=IP:127.0.0.1 >openssl.log 2>&1",
      folder.path().string());
  if (std::system(line.c_str()) != 0) GTEST_SKIP() << "openssl is not installed, it makes the certificate";
  const TlsFiles files{(folder.path() / "cert.pem").string(), (folder.path() / "key.pem").string()};
  const HttpServer server(ListenAddress::of("127.0.0.1:0"), &files, {},
                          [](const HttpRequest&) { return HttpReply{}; });
  const std::string said = refusal_of(fmt::format("https://127.0.0.1:{}", server.port()));
  EXPECT_NE(said.find("its certificate is not accepted"), std::string::npos) << said;
}

TEST(Join, OfAServerWithStrangeFilesIsASentence) {
  for (const auto& [files, part] : std::vector<std::pair<std::string, std::string>>{
           {"", "is no JSON"},
           {"[1]", "must be a JSON object"},
           {"{}", "no \"files\""},
           {R"({"files": 5})", "\"files\" 5, must be a list of names"},
           {R"({"files": [{"a": [[]]}]})", "must be a list of names"},
           {R"({"files": ["../x"]})", "must be a plain name"},
           {R"({"files": ["a\u0000b"]})", "must be a plain name"},
           {nested_text(R"({"files": )", 64), "is nested more deeply than 64 levels"},
           {nested_text(R"({"files": )", 2000000), "is nested more deeply than 64 levels"}}) {
    const std::string said = refusal_of(StrangeServer("{}", files));
    EXPECT_NE(said.find(part), std::string::npos) << part << ": " << said;
  }
  EXPECT_NE(refusal_of(StrangeServer("{}", nested_text(R"({"files": )", 63))).find("must be a list of names"),
            std::string::npos)
      << "64 levels are parsed";
}

TEST(Join, OfAServerWithStrangeSuggestionsIsASentence) {
  const auto one = [](const std::string& fields) { return R"({"suggestions": [{)" + fields + "}]}"; };
  for (const auto& [ask, part] : std::vector<std::pair<std::string, std::string>>{
           {"nonsense", "is no JSON"},
           {"{}", "no \"suggestions\""},
           {R"({"suggestions": {"a": 1}})", "must be a list of suggestions"},
           {R"({"suggestions": ["a"]})", "must be a JSON object"},
           {R"({"suggestions": []})", "no \"status\""},
           {R"({"suggestions": [], "status": 5})", "\"status\" 5, must be a text"},
           {R"({"suggestions": [], "status": "open", "reason": "", "retry_after": "a"})",
            "\"retry_after\" \"a\""},
           {one(R"("id": -5, )" + good_suggestion), "\"id\" -5, must be a whole number, 1 or more"},
           {one(R"("id": 0, )" + good_suggestion), "\"id\" 0"},
           {one(R"("id": 18446744073709551615, )" + good_suggestion), "\"id\" 18446744073709551615"},
           {one(R"("id": "1", )" + good_suggestion), "\"id\" \"1\""},
           {one(R"("id": 1, "point": ["a"], "level": "coarse", "cost": 1)"),
            "\"point\" [\"a\"], must be a text"},
           {one(R"("id": 1, "point": "z", "level": "coarse", "cost": 1)"), "not in the copy of its pool"},
           {one(R"("id": 1, "point": "a", "level": "none", "cost": 1)"), "must be a level of the study"},
           {one(R"("id": 1, "point": "a", "level": "coarse", "cost": null)"), "\"cost\" null"},
           {nested_text(R"({"suggestions": )", 200000), "is nested more deeply than 64 levels"}}) {
    const std::string said = refusal_of(StrangeServer(ask));
    EXPECT_NE(said.find(part), std::string::npos) << part << ": " << said;
  }
}

}  // namespace
}  // namespace acuity::testing::join_test
