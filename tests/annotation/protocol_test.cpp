// What a program that answers acuity can rely on, rule by rule (docs/annotators.md). Every test is one
// command as it could stand in a study file, run for suggestion 57: the point x = -0.3, at the level
// "coarse", for 1.
#include <gtest/gtest.h>

#include "support/attempts.hpp"

namespace acuity::protocol_test {
namespace {

using Kind = AttemptOutcome::Kind;
using testing::AttemptBench;
using testing::ladder_study;
using testing::y_of;

// How the request comes.

TEST(Protocol, NumbersComeAsTokensInTheCommand) {
  AttemptBench bench;
  for (Level& level : bench.study.price_list) level.value = std::int64_t{400000};
  bench.suggestion.level = bench.study.price_list[0];
  EXPECT_EQ(bench.run("echo {id} {x} {value} {cost} {attempt} >args; echo {x}").kind, Kind::answered);
  EXPECT_EQ(bench.left("args"), "57 -0.3 400000 1 1\n");
}

TEST(Protocol, ARunThatIsContinuedIsNamed) {
  AttemptBench bench;
  const std::string command = "env | grep ^ACUITY_RESUME | sort >env; cp request.json copy; echo 1";
  ::setenv("ACUITY_RESUME_FROM", "elsewhere", 1);
  EXPECT_EQ(bench.run(command).kind, Kind::answered);
  EXPECT_EQ(bench.left("env"), "") << "a new run";
  ::unsetenv("ACUITY_RESUME_FROM");
  bench.suggestion.resume_from = 12;
  EXPECT_EQ(bench.run(command).kind, Kind::answered);
  EXPECT_EQ(bench.left("env"), "ACUITY_RESUME_ID=12\n") << "it was answered by a person";
  const std::filesystem::path runs = bench.attempt_folder().parent_path();
  for (const char* name : {"000012-1", "000012-2"}) std::filesystem::create_directories(runs / name);
  EXPECT_EQ(bench.run(command).kind, Kind::answered);
  const std::string last = (runs / "000012-2").string();
  EXPECT_EQ(bench.left("env"), "ACUITY_RESUME_FROM=" + last + "\nACUITY_RESUME_ID=12\n");
  EXPECT_NE(bench.left("copy").find("\"resume_id\":12,\"resume_from\":\"" + last + "\""), std::string::npos)
      << bench.left("copy");
}

TEST(Protocol, EverythingComesInTheEnvironment) {
  AttemptBench bench;
  EXPECT_EQ(y_of(bench.run("env | grep ^ACUITY_ | sort >env; echo $ACUITY_X_X")), -0.3);
  const std::string env = bench.left("env"), at = bench.attempt_folder().string();
  EXPECT_NE(env.find("ACUITY_ATTEMPT=1\n"), std::string::npos) << env;
  EXPECT_NE(env.find("ACUITY_COST=1\n"), std::string::npos) << env;
  EXPECT_NE(env.find("ACUITY_ID=57\n"), std::string::npos) << env;
  EXPECT_NE(env.find("ACUITY_LEVEL=coarse\n"), std::string::npos) << env;
  EXPECT_NE(env.find("ACUITY_POINT=2\n"), std::string::npos) << env;
  EXPECT_NE(env.find("ACUITY_RESULT=" + at + "/result.json\n"), std::string::npos) << env;
  EXPECT_NE(env.find("ACUITY_SEED="), std::string::npos) << env;
  EXPECT_NE(env.find("ACUITY_STUDY_DIR=" + bench.folder.path().string() + "\n"), std::string::npos) << env;
  EXPECT_NE(env.find("ACUITY_VALUE=coarse\n"), std::string::npos) << env;
  EXPECT_EQ(env.find("ACUITY_ALPHA"), std::string::npos) << "that is for ladders: " << env;
}

TEST(Protocol, OnALadderThePrecisionIsAlphaAndValue) {
  AttemptBench bench(ladder_study());
  bench.suggestion.level.alpha = std::numeric_limits<double>::infinity();
  EXPECT_EQ(y_of(bench.run("echo {alpha} {value} $ACUITY_ALPHA $ACUITY_VALUE >args; echo 1")), 1.0);
  EXPECT_EQ(bench.left("args"), "inf inf inf inf\n");
  EXPECT_NE(bench.left("request.json").find("\"value\":\"inf\",\"alpha\":\"inf\""), std::string::npos);
}

TEST(Protocol, TheRequestIsAFileAndStandardInput) {
  AttemptBench bench;
  EXPECT_EQ(y_of(bench.run("cat >copy; cmp copy request.json && echo 1")), 1.0);
  EXPECT_TRUE(bench.left("copy").starts_with(
      R"({"id":57,"attempt":1,"point":"2","inputs":{"x":-0.3},"level":"coarse","value":"coarse","cost":1.0,"seed":)"))
      << bench.left("copy");
}

TEST(Protocol, AProgramThatReadsNothingIsNotWaitedFor) {
  AttemptBench bench;
  bench.inputs.clear();
  bench.suggestion.inputs.clear();
  bench.suggestion.point = std::string(1 << 16, 'p');  // more than a pipe would hold
  EXPECT_EQ(y_of(bench.run("echo 1")), 1.0);
}

TEST(Protocol, TheSeedIsTheSuggestionsWhateverTheAttempt) {
  AttemptBench bench;
  const double first = y_of(bench.run("echo {seed}"));
  bench.attempt = 2;
  EXPECT_EQ(y_of(bench.run("echo $ACUITY_SEED")), first);
  bench.suggestion.id = 58;
  EXPECT_NE(y_of(bench.run("echo {seed}")), first);
}

TEST(Protocol, TheCommandRunsInItsAttemptsFolderAndFindsTheProgramBesideTheStudy) {
  AttemptBench bench;
  bench.script("simulate", "pwd >here; echo \"$1\"\n");
  EXPECT_EQ(y_of(bench.run("./simulate {x}")), -0.3);
  EXPECT_EQ(bench.left("here"), bench.attempt_folder().string() + "\n");
  EXPECT_EQ(bench.attempt_folder().filename(), "000057-1");
}

// How the answer goes back.

TEST(Protocol, TheAnswerIsResultJson) {
  AttemptBench bench;
  const AttemptOutcome outcome =
      bench.run(R"(echo 7; echo '{"y": 1.5, "cost": 0.25, "noise_sd": 0.125}' >"$ACUITY_RESULT")");
  EXPECT_EQ(y_of(outcome), 1.5) << "before anything that was printed";
  EXPECT_EQ(outcome.answer->cost, 0.25);
  EXPECT_EQ(outcome.answer->noise_sd, 0.125);
}

TEST(Protocol, ElseTheLastLineOfJsonThatWasPrinted) {
  AttemptBench bench;
  EXPECT_EQ(y_of(bench.run(R"(echo '{"y": 1}'; echo '{"y": 2}'; echo 3; echo '{"step": 4}')")), 2.0);
}

TEST(Protocol, ElseTheLastLineThatIsANumber) {
  AttemptBench bench;
  EXPECT_EQ(y_of(bench.run("echo 1; echo '  2.5e-1  '; echo done in 3 s")), 0.25);
  EXPECT_EQ(y_of(bench.run("echo 1.0D-3")), 1e-3) << "Fortran";
}

TEST(Protocol, AClassMayBeAName) {
  AttemptBench bench;
  const AttemptOutcome outcome = bench.run(R"(echo '{"y": "yes"}')");
  ASSERT_EQ(outcome.kind, Kind::answered) << outcome.reason;
  EXPECT_EQ(std::get<std::string>(outcome.answer->y), "yes");
}

// What the exit says.

TEST(Protocol, ExitZeroWithoutAnAnswerFailed) {
  AttemptBench bench;
  const AttemptOutcome outcome = bench.run("echo all went well");
  EXPECT_EQ(outcome.kind, Kind::failed);
  EXPECT_NE(outcome.reason.find("no bare number was printed"), std::string::npos) << outcome.reason;
}

TEST(Protocol, AnAnswerThatIsNotFiniteFailed) {
  AttemptBench bench;
  for (const char* command : {"echo 1; echo nan", "echo -inf", R"(echo 1; echo '{"y": NaN}')",
                              R"(echo '{"y": null}')", R"(echo '{"y": 1, "cost": -1}' >result.json)"}) {
    const AttemptOutcome outcome = bench.run(command);
    EXPECT_EQ(outcome.kind, Kind::failed) << command;
    EXPECT_TRUE(outcome.reason.starts_with("exit status 0, but ")) << outcome.reason;
  }
}

TEST(Protocol, ExitSeventyFiveMeansLater) {
  AttemptBench bench;
  const AttemptOutcome outcome = bench.run("echo 1; echo no licence free >&2; exit 75");
  EXPECT_EQ(outcome.kind, Kind::later);
  EXPECT_EQ(outcome.reason, "not now (exit status 75): no licence free");
}

TEST(Protocol, ExitSixtyFiveMeansNever) {
  AttemptBench bench;
  EXPECT_EQ(bench.run("exit 65").kind, Kind::never);
}

TEST(Protocol, AnyOtherExitFailedWhateverWasPrinted) {
  AttemptBench bench;
  const AttemptOutcome outcome = bench.run("echo 1; echo mesh is tangled >&2; exit 3");
  EXPECT_EQ(outcome.kind, Kind::failed);
  EXPECT_EQ(outcome.reason, "exit status 3: mesh is tangled");
  EXPECT_FALSE(outcome.answer);
}

TEST(Protocol, ASignalIsNamed) {
  AttemptBench bench;
  const AttemptOutcome outcome = bench.run("kill -SEGV $$");
  EXPECT_EQ(outcome.kind, Kind::failed);
  EXPECT_TRUE(outcome.reason.starts_with("killed by SIGSEGV")) << outcome.reason;
}

TEST(Protocol, AMistakeInTheCommandIsToldInItsOwnWords) {
  AttemptBench bench;
  const AttemptOutcome outcome = bench.run("./no-such-program {x}");
  EXPECT_EQ(outcome.kind, Kind::failed);
  EXPECT_NE(outcome.reason.find("exit status 127"), std::string::npos) << outcome.reason;
  EXPECT_NE(outcome.reason.find("no-such-program"), std::string::npos) << outcome.reason;
}

// When it is over.

TEST(Protocol, TheExitCompletesAnAttemptAndNotTheFile) {
  AttemptBench bench;
  EXPECT_EQ(y_of(bench.run(R"(echo '{"y": 1}' >result.json; sleep 0.3; echo '{"y": 2}' >result.json)")), 2.0);
}

TEST(Protocol, AResultFromBeforeIsNotTaken) {
  AttemptBench bench;
  bench.folder.write("runs/000057-1/result.json", R"({"y": 9})");
  bench.folder.write("runs/000057-1/exit_status", "0\n");
  bench.folder.write("runs/000057-1/stdout.log", "9\n");
  EXPECT_EQ(bench.run("true").kind, Kind::failed);
}

TEST(Protocol, WhatTheCommandLeavesRunningIsEnded) {
  AttemptBench bench;
  EXPECT_EQ(y_of(bench.run("sleep 1000 & echo 1")), 1.0)
      << "although its standard output is still open there";
  EXPECT_TRUE(bench.processes().empty());
}

TEST(Protocol, ATimeoutEndsAllOfIt) {
  AttemptBench bench;
  bench.study.annotator.timeout = 0.3;
  const AttemptOutcome outcome = bench.run("sleep 1000 & (sleep 1000; echo 1) ; echo 1");
  EXPECT_EQ(outcome.kind, Kind::failed);
  EXPECT_EQ(outcome.reason, "timed out after 0.3 s");
  EXPECT_TRUE(bench.processes().empty());
}

TEST(Protocol, EveryLevelMayHaveATimeoutOfItsOwn) {
  AttemptBench bench;
  bench.study.annotator.timeout_of_level = {{"coarse", 0.2}, {"fine", 600.0}};
  EXPECT_EQ(bench.run("sleep 1000").kind, Kind::failed);
  bench.suggestion.level = bench.study.price_list[1];
  bench.attempt = 2;
  EXPECT_EQ(y_of(bench.run("sleep 0.5; echo 1")), 1.0);
}

TEST(Protocol, ATimeoutIsPoliteFirst) {
  AttemptBench bench;
  bench.study.annotator.timeout = 2.0;
  const AttemptOutcome outcome =
      bench.run("trap 'echo 1; echo cleaned up >farewell; exit 0' TERM; while :; do sleep 0.1; done", 60.0);
  EXPECT_EQ(outcome.kind, Kind::failed) << "what is said after the time is no answer";
  EXPECT_EQ(bench.left("farewell"), "cleaned up\n");
}

// Drivers written for Dakota.

class DakotaProtocol : public ::testing::Test {
 protected:
  DakotaProtocol() { bench.study.annotator.protocol = AnnotatorSetting::Protocol::dakota; }
  AttemptBench bench{ladder_study()};
};

TEST_F(DakotaProtocol, ADriverIsCalledWithParametersAndResults) {
  bench.script("driver", R"(
x=$(awk '$2 == "x" { print $1 }' "$1"); level=$(awk '$2 == "value" { print $1 }' "$1")
echo "$# $1 $2 $x $level" >seen
echo "  $x response_fn_1" >"$2"
)");
  EXPECT_EQ(y_of(bench.run("./driver")), -0.3);
  EXPECT_EQ(bench.left("seen"), "2 params.in results.out -2.9999999999999999e-01 2.0000000000000000e+00\n");
}

TEST_F(DakotaProtocol, FilesMayBePlacedAsDakotaDoes) {
  bench.script("driver", "cat \"$3\" >seen; echo 2.5 >\"$2\"\n");
  EXPECT_EQ(y_of(bench.run("./driver -o {RESULTS} {PARAMETERS}")), 2.5);
  EXPECT_EQ(bench.left("seen"), bench.left("params.in"));
}

TEST_F(DakotaProtocol, JsonIsForThoseWhoNameIt) {
  bench.script("driver",
               "grep -q '\"label\": \"x\"' \"$1\" && echo '{\"functions\": {\"f\": 1.5}, "
               "\"metadata\": {\"cost\": 3}}' >\"$2\"\n");
  const AttemptOutcome outcome = bench.run("./driver params.json results.out");
  EXPECT_EQ(y_of(outcome), 1.5);
  EXPECT_EQ(outcome.answer->cost, 3.0);
}

TEST_F(DakotaProtocol, FailInTheResultsIsAFailure) {
  const AttemptOutcome outcome = bench.run("echo FAIL >results.out");
  EXPECT_EQ(outcome.kind, Kind::failed);
  EXPECT_NE(outcome.reason.find("the driver reports a failure"), std::string::npos) << outcome.reason;
  EXPECT_EQ(bench.run("true").kind, Kind::failed) << "no results";
}

}  // namespace
}  // namespace acuity::protocol_test
