#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "service/campaign_server.hpp"
#include "service/http_client.hpp"
#include "support/campaign_desk.hpp"

namespace acuity::testing {

inline const std::string wing_study =
    "[campaign]\nname = \"wing\"\nbudget = 12\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
    "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n"
    "[[level]]\nname = \"fine\"\nnoise_sd = 0.05\ncost = 3\n";
inline const std::string cats_study =
    "[campaign]\nname = \"cats\"\nbudget = 40\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
    "[target]\nkind = \"binary\"\nclasses = [\"cat\", \"dog\"]\n"
    "[[level]]\nname = \"crowd\"\naccuracy = 0.8\ncost = 1\n";

inline std::string token_of(const std::string& name) {
  return name + std::string(30 - name.size(), 'x');
}

/// A campaign that is served, with a client for every role.
struct Served {
  explicit Served(const std::string& study = wing_study, CampaignServerOptions options = {}) : desk(study) {
    std::string lines;
    for (const auto& [name, role] :
         {std::pair{"wim", "watch"}, {"lea", "label"}, {"lou", "label"}, {"rob", "run"}, {"olga", "own"}})
      lines += fmt::format("{} {} {}\n", name, role, token_of(name));
    const std::filesystem::path file = desk.folder.write("tokens", lines);
    std::filesystem::permissions(file,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    options.listen = ListenAddress::of("127.0.0.1:0");
    server =
        std::make_unique<CampaignServer>(desk.address(), Tokens::read(file.string()), std::move(options));
  }

  std::unique_ptr<HttpClient> client(const std::string& name) const {
    return std::make_unique<HttpClient>(ServerUrl::of(fmt::format("http://127.0.0.1:{}", server->port())),
                                        name.empty() ? "" : token_of(name));
  }
  HttpReply post(const std::string& name, const std::string& verb, const nlohmann::json& body) const {
    return client(name)->post("/v1/" + verb, body.dump());
  }
  HttpReply get(const std::string& what, const std::string& name = "") const {
    return client(name)->get("/v1/" + what);
  }
  nlohmann::json done(const std::string& name, const std::string& verb, const nlohmann::json& body) const {
    const HttpReply reply = post(name, verb, body);
    EXPECT_EQ(reply.status, 200) << verb << body << reply.body;
    return nlohmann::json::parse(reply.body);
  }
  nlohmann::json shown(const std::string& what, const std::string& name = "") const {
    const HttpReply reply = get(what, name);
    EXPECT_EQ(reply.status, 200) << what << reply.body;
    return nlohmann::json::parse(reply.body);
  }

  CampaignDesk desk;
  std::unique_ptr<CampaignServer> server;
};

}  // namespace acuity::testing
