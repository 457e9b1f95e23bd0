#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>

#include "acuity/campaign/campaign.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing {

/// A campaign that is gone with the process, with a model that is given where the study does not say what is
/// to be learned. Its answers come from a function of the suggestion.
class MemoryCampaign {
 public:
  using Answers = std::function<double(const Suggestion&)>;

  MemoryCampaign(const std::string& study, const std::string& pool) {
    folder_.write("pool.csv", pool);
    campaign_.emplace(Study::open(folder_.write("study.toml", with_given_model(study))),
                      make_memory_event_store(), CampaignOptions{.threads = 1});
  }
  /// Asks and tells so often, or until nothing is left.
  void go(int steps, const Answers& answers) {
    for (int k = 0; k < steps; ++k)
      for (const Suggestion& suggestion : campaign_->ask().suggestions) {
        Answer answer;
        answer.id = suggestion.id;
        answer.values = {answers(suggestion)};
        campaign_->tell({answer});
      }
  }
  /// Asks once, and tells another point and level instead.
  void tell(Index row, const std::string& level, double value) {
    for (const Suggestion& suggestion : campaign_->ask().suggestions) {
      Answer answer;
      answer.id = suggestion.id;
      answer.values = {value};
      answer.row = row;
      answer.level = campaign_->study().level_named(level);
      campaign_->tell({answer});
    }
  }
  Campaign& operator*() { return *campaign_; }
  Campaign* operator->() { return &*campaign_; }

 private:
  Folder folder_;
  std::optional<Campaign> campaign_;
};

/// Points on a line from 0 to `length`.
inline std::string pool_on_a_line(int points, double length) {
  std::string text = "x\n";
  for (int k = 0; k < points; ++k) text += fmt::format("{}\n", length * k / (points - 1));
  return text;
}

/// Two levels on a pool of any inputs; `campaign` and `model` are lines of these tables.
inline std::string two_level_study(const std::string& campaign = "", const std::string& model = "",
                                   const std::string& pool = "") {
  return with_given_model("[campaign]\n" + campaign + "\n[pool]\nfile = \"pool.csv\"\n" + pool +
                          "\n[model]\n" + model +
                          "\n[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\n"
                          "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 6\n");
}

}  // namespace acuity::testing
