#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "acuity/store/campaign_address.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing {

/// A folder with a study, a pool of eight points and the campaign c.acuity, or one at another address, and
/// somebody who types commands.
struct CampaignDesk {
  static constexpr const char* eight_points = "case,x\na,0\nb,1\nc,2\nd,3\ne,4\nf,5\ng,6\nh,7\n";

  Folder folder;
  std::string campaign;  ///< as it is typed in the folder

  explicit CampaignDesk(const std::string& study, const std::string& pool = eight_points,
                        std::string at = "c.acuity")
      : campaign(std::move(at)) {
    folder.write("study.toml", with_given_model(study));
    folder.write("pool.csv", pool);
    const ProgramResult made = run_acuity({"init", campaign, "--study", "study.toml"}, folder.path());
    EXPECT_EQ(made.exit_code, 0) << made.err;
  }

  CampaignAddress address() const {
    return DatabaseAddress::recognises(campaign) ? CampaignAddress(campaign)
                                                 : CampaignAddress(folder.path() / campaign);
  }

  /// A command on the campaign: `run("tell", {"1", "0.3"})`.
  ProgramResult run(const std::string& verb, std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {verb, campaign});
    return run_acuity(words, folder.path());
  }
  /// The same where it must succeed; what it prints.
  std::string done(const std::string& verb, const std::vector<std::string>& words = {}) const {
    const ProgramResult result = run(verb, words);
    EXPECT_EQ(result.exit_code, 0) << verb << ": " << result.err;
    return result.out;
  }
  nlohmann::json json(const std::string& verb, std::vector<std::string> words = {}) const {
    words.insert(words.end(), {"--format", "json"});
    return nlohmann::json::parse(done(verb, words));
  }

  /// The suggestions of an ask that must succeed.
  nlohmann::json ask(const std::vector<std::string>& words = {}) const {
    return json("ask", words).at("suggestions");
  }
  nlohmann::json status() const { return json("status"); }
  std::vector<nlohmann::json> events() const {
    std::vector<nlohmann::json> list;
    std::istringstream lines(done("export", {"--events", "-"}));
    for (std::string line; std::getline(lines, line);) list.push_back(nlohmann::json::parse(line));
    return list;
  }
  std::vector<std::map<std::string, std::string>> annotations() const {
    return csv_rows(done("export", {"--annotations", "-"}));
  }

  /// Exit 2, this one line, nothing on standard output, and nothing in the log.
  void expect_refusal(const std::string& verb, const std::vector<std::string>& words,
                      const std::string& sentence) const {
    const std::string before = done("export", {"--events", "-"});
    const ProgramResult result = run(verb, words);
    EXPECT_EQ(result.exit_code, 2) << sentence;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, sentence + "\n");
    EXPECT_EQ(done("export", {"--events", "-"}), before);
  }
};

/// Two named levels and eight points with names; `campaign` are lines of [campaign], `rest` further tables.
inline std::string price_list_campaign(const std::string& campaign = "", const std::string& rest = "") {
  return "[campaign]\nunit = \"hours\"\n" + campaign +
         "[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
         "[[level]]\nname = \"coarse\"\nvalue = 400\nnoise_sd = 0.5\ncost = 1\n"
         "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 10\n" +
         rest;
}

/// The paper's ladder on the same points.
inline std::string ladder_campaign(const std::string& campaign = "", const std::string& rest = "") {
  return "[campaign]\n" + campaign +
         "[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
         "[noise]\nvariance = 0.01\n"
         "[precision]\nalpha = { from = 1, to = inf, count = 5 }\ngamma = 0.09\n"
         "cost = { form = \"power\", c = 9.0, q = 0.8 }\n" +
         rest;
}

/// Classes with names, at two accuracies.
inline std::string binary_campaign(const std::string& rest = "") {
  return "[campaign]\nbudget = 20\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
         "[target]\nkind = \"binary\"\nclasses = [\"no\", \"yes\"]\n"
         "[[level]]\nname = \"crowd\"\naccuracy = 0.8\ncost = 1\n"
         "[[level]]\nname = \"expert\"\naccuracy = 0.99\ncost = 5\n" +
         rest;
}

}  // namespace acuity::testing
