#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command_line.hpp"

namespace CLI {
class App;
}

namespace acuity {

/// The commands that work on a campaign: their options, and what was given.
class CampaignCommands {
 public:
  explicit CampaignCommands(CLI::App& program);
  CampaignCommands(const CampaignCommands&) = delete;
  CampaignCommands& operator=(const CampaignCommands&) = delete;

  /// So that `tell C 57 -0.3` works as it stands.
  static void mark_answers(std::vector<std::string>& words);
  /// Nothing where another command was given.
  std::optional<Arguments> parsed() const;

 private:
  void declare_init(CLI::App& program);
  void declare_run(CLI::App& program);
  void declare_ask(CLI::App& program);
  void declare_tell(CLI::App& program);
  void declare_fail(CLI::App& program);
  void declare_release(CLI::App& program);
  void declare_amend(CLI::App& program);
  void declare_status(CLI::App& program);
  void declare_verify(CLI::App& program);
  void declare_check(CLI::App& program);
  void declare_explain(CLI::App& program);
  void declare_export(CLI::App& program);
  void declare_report(CLI::App& program);

  InitArguments init_;
  RunArguments run_;
  AskArguments ask_;
  TellArguments tell_;
  FailArguments fail_;
  ReleaseArguments release_;
  AmendArguments amend_;
  StatusArguments status_;
  VerifyArguments verify_;
  CheckArguments check_;
  ExplainArguments explain_;
  ExportArguments export_;
  ReportArguments report_;
  CLI::App *init_command_, *run_command_, *ask_command_, *tell_command_, *fail_command_, *release_command_,
      *amend_command_, *status_command_, *verify_command_, *check_command_, *explain_command_,
      *export_command_, *report_command_;
};

}  // namespace acuity
