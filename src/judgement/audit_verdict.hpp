#pragma once

#include <optional>

#include "judgement/calibration_verdict.hpp"

namespace acuity {

/// What the answers of an audit say, on the scale of the model. Real targets.
struct AuditResult {
  Index answers = 0, inside = 0;  ///< and how many of them are in their 95 % intervals
  /// Root mean square of f minus its prediction, the noise of the answers subtracted; between the last two
  /// with 90 % probability.
  double error = 0.0, low = 0.0, high = 0.0;
};

/// Of the last audit whose answers have all come; nothing if there is none.
std::optional<AuditResult> audit_result(const Study& study, const State& state);

/// "0.021 (0.015 to 0.034 with 90 % probability)"; logarithms: "a factor of 1.2 (1.1 to 1.4 with ...)"
std::string error_text(const AuditResult& result, const Target& target);

/// How far the audit is and what it has shown, in one sentence; empty if the study has none.
std::string audit_text(const Study& study, const State& state);
/// What the audit of a study will buy, and what it costs; empty if the study has none.
std::string audit_plan_text(const Study& study);

/// By answers at points drawn at random that the model had not seen: nobody chose them, so they are as far
/// from their predictions as f is anywhere. Nothing if no audit is complete.
std::optional<CalibrationVerdict> verdict_on_audit(const Campaign& campaign);

}  // namespace acuity
