#include "annotation/external_command.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <list>

#include "acuity/base/errors.hpp"
#include "annotation/held_process.hpp"
#include "annotation/process_session.hpp"
#include "support/attempts.hpp"

namespace acuity::external_command_test {
namespace {

using namespace std::chrono_literals;
using Kind = AttemptOutcome::Kind;
using testing::AttemptBench;
using testing::y_of;
using Clock = std::chrono::steady_clock;

// A shell that minds no signal but SIGKILL.
const std::string stubborn = "sh -c 'trap \"\" TERM HUP INT; touch there; while :; do sleep 0.1; done'";

TEST(ExternalCommand, NeverWaitsInStartAndPoll) {
  AttemptBench bench;
  const auto begin = Clock::now();
  Attempt attempt = bench.start("sleep 100; echo 1", 0.0);
  EXPECT_EQ(attempt.poll(), std::nullopt);
  EXPECT_LT(Clock::now() - begin, 50s);
  attempt.end({Kind::ended, {}, "enough"});
  EXPECT_EQ(AttemptBench::outcome_of(attempt).reason, "enough");
}

TEST(ExternalCommand, WaitsForManyAtOnce) {
  AttemptBench bench;
  const ExternalCommand annotator = bench.annotator("sleep 0.$((57 - {id} + 3)); echo {id}");
  std::list<Attempt> attempts;
  for (int k = 0; k < 8; ++k) {
    bench.suggestion.id = 50 + k;
    attempts.push_back(annotator.start(bench.suggestion, 1, bench.runs()));
  }
  std::vector<double> answers;
  for (int round = 0; round < 10000 && !attempts.empty(); ++round) {
    std::vector<Attempt*> all;
    for (Attempt& attempt : attempts) all.push_back(&attempt);
    wait_for_any(all, 60.0);
    attempts.remove_if([&](Attempt& attempt) {
      const std::optional<AttemptOutcome> outcome = attempt.poll();
      if (outcome) answers.push_back(y_of(*outcome));
      return outcome.has_value();
    });
  }
  std::sort(answers.begin(), answers.end());
  EXPECT_EQ(answers, (std::vector<double>{50, 51, 52, 53, 54, 55, 56, 57}));
}

TEST(ExternalCommand, WakesWhenOneEndsAndNotBefore) {
  AttemptBench bench;
  Attempt attempt = bench.start("read line; while ! test -e go; do sleep 0.05; done; echo 1");
  const auto begin = Clock::now();
  wait_for_any({&attempt}, 0.2);
  EXPECT_GE(Clock::now() - begin, 190ms);
  EXPECT_EQ(attempt.poll(), std::nullopt);
  bench.folder.write("runs/000057-1/go", "");
  wait_for_any({&attempt}, 100.0);
  EXPECT_LT(Clock::now() - begin, 90s);
  EXPECT_EQ(y_of(AttemptBench::outcome_of(attempt)), 1.0);
}

TEST(ExternalCommand, EndsProcessesThatIgnoreSigterm) {
  AttemptBench bench;
  Attempt attempt = bench.start(stubborn, 0.2);
  bench.wait_for("there");
  const auto begin = Clock::now();
  attempt.end({Kind::ended, {}, "enough"});
  EXPECT_EQ(AttemptBench::outcome_of(attempt).kind, Kind::ended);
  EXPECT_GE(Clock::now() - begin, 200ms) << "it had its grace period";
  EXPECT_TRUE(bench.processes().empty());
}

TEST(ExternalCommand, EndsGrandchildrenThatMadeTheirOwnProcessGroup) {
  AttemptBench bench;
  // -m: every job of the shell is a process group of its own.
  Attempt attempt = bench.start(
      "sh -mc '" + std::string("(trap \"\" TERM; touch there; sleep 1000) & sleep 1000 & wait'"), 0.2);
  bench.wait_for("there");
  EXPECT_GE(bench.processes().size(), 4U);
  attempt.end({Kind::ended, {}, "enough"});
  AttemptBench::outcome_of(attempt);
  EXPECT_TRUE(bench.processes().empty());
}

TEST(ExternalCommand, EndsWhatLingersEvenIfItIsStubbornAndTakesTheAnswerAfterwards) {
  AttemptBench bench;
  const AttemptOutcome outcome =
      bench.run("(" + stubborn + ") & while ! test -e there; do sleep 0.05; done; echo 1", 0.2);
  EXPECT_EQ(y_of(outcome), 1.0);
  EXPECT_TRUE(bench.processes().empty());
}

// It lives for a moment only, and has a successor by then.
TEST(ExternalCommand, EndsAProcessThatIsAnotherOneAllTheTime) {
  AttemptBench bench;
  bench.script("hop", "trap '' TERM\necho x >>hops\n\"$0\" &\nexit 0\n");
  for (bench.attempt = 1; bench.attempt <= 5; ++bench.attempt) {
    EXPECT_EQ(y_of(bench.run("./hop; echo 1", 0.0)), 1.0);
    const std::string hops = bench.left("hops");
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ(bench.left("hops"), hops) << "it still runs";
  }
}

TEST(ExternalCommand, EndsStoppedProcessesToo) {
  AttemptBench bench;
  Attempt attempt =
      bench.start("trap 'touch farewell; exit 1' TERM; touch there; kill -STOP $$; sleep 0.1", 60.0);
  bench.wait_for("there");
  attempt.end({Kind::ended, {}, "enough"});
  AttemptBench::outcome_of(attempt);
  EXPECT_TRUE(std::filesystem::exists(bench.attempt_folder() / "farewell")) << "woken up to take its leave";
}

// Who cleans up after itself does so with programs: they are not ended under its hands.
TEST(ExternalCommand, LetsACommandTakeItsLeaveWithTheHelpOfOthers) {
  AttemptBench bench;
  Attempt attempt =
      bench.start("trap 'sleep 0.3 && touch farewell; exit 1' TERM; touch there; sleep 1000 & wait", 60.0);
  bench.wait_for("there");
  attempt.end({Kind::ended, {}, "enough"});
  AttemptBench::outcome_of(attempt);
  EXPECT_TRUE(std::filesystem::exists(bench.attempt_folder() / "farewell"));
  EXPECT_TRUE(bench.processes().empty());
}

TEST(ExternalCommand, KillsTheShellItselfWithoutLosingTheRest) {
  AttemptBench bench;
  const AttemptOutcome outcome = bench.run("sleep 1000 & kill -KILL $PPID; sleep 1000", 0.2);
  EXPECT_EQ(outcome.kind, Kind::failed);
  EXPECT_NE(outcome.reason.find("before the command's exit was known"), std::string::npos) << outcome.reason;
  EXPECT_TRUE(bench.processes().empty());
}

TEST(ExternalCommand, AnAttemptThatIsThrownAwayIsKilled) {
  AttemptBench bench;
  {
    Attempt attempt = bench.start(stubborn);
    bench.wait_for("there");
  }
  EXPECT_TRUE(bench.processes().empty());
}

TEST(ExternalCommand, ACommandThatHasEndedCannotBeEndedAgain) {
  AttemptBench bench;
  Attempt attempt = bench.start("echo 1");
  bench.wait_for("exit_status");
  wait_for_any({&attempt}, 60.0);  // until its shell is gone as well
  attempt.end({Kind::ended, {}, "enough"});
  EXPECT_EQ(y_of(AttemptBench::outcome_of(attempt)), 1.0);
}

TEST(ExternalCommand, HasNoneOfOurFilesOpenAndNoneOfOurSignalsIgnored) {
  AttemptBench bench;
  const int leaking = ::open("/dev/null", O_RDONLY);  // not closed on exec
  void (*const before)(int) = ::signal(SIGTERM, SIG_IGN);
  const AttemptOutcome outcome =
      bench.run("ls -l /proc/$$/fd >files; sed -n 's/SigIgn://p' /proc/$$/status >ignored; tty >tty; echo 1");
  ::signal(SIGTERM, before);
  ::close(leaking);
  EXPECT_EQ(y_of(outcome), 1.0);
  const std::string files = bench.left("files");
  EXPECT_EQ(files.find("/dev/null"), std::string::npos) << files;
  EXPECT_EQ(files.find("socket"), std::string::npos) << files;
  EXPECT_EQ(std::stoull(bench.left("ignored"), nullptr, 16) & 0x7fffffff, 0U);
  EXPECT_EQ(bench.left("tty"), "not a tty\n");
}

TEST(ExternalCommand, IsToldNothingOfAnAttemptAroundIt) {
  AttemptBench bench;
  ::setenv("ACUITY_ID", "9", 1);
  ::setenv("ACUITY_ALPHA", "9", 1);
  ::setenv("ACUITY_X_OTHER", "9", 1);
  ::setenv("ACUITY_KEPT", "9", 1);
  const AttemptOutcome outcome =
      bench.run("env | grep -c '^ACUITY_ID='; env | grep ^ACUITY_ >env; echo $ACUITY_ID");
  for (const char* name : {"ACUITY_ID", "ACUITY_ALPHA", "ACUITY_X_OTHER", "ACUITY_KEPT"}) ::unsetenv(name);
  EXPECT_EQ(y_of(outcome), 57.0);
  EXPECT_TRUE(bench.left("stdout.log").starts_with("1\n"));
  const std::string env = bench.left("env");
  EXPECT_EQ(env.find("ALPHA"), std::string::npos) << env;
  EXPECT_EQ(env.find("OTHER"), std::string::npos) << env;
  EXPECT_NE(env.find("ACUITY_KEPT=9"), std::string::npos) << env;
}

TEST(ExternalCommand, HugeOutputStaysOnTheDisk) {
  AttemptBench bench;
  EXPECT_EQ(y_of(bench.run("head -c 30000000 /dev/zero | tr '\\0' x; echo; echo 2")), 2.0);
  EXPECT_GT(std::filesystem::file_size(bench.attempt_folder() / "stdout.log"), 30000000U);
}

TEST(ExternalCommand, AttemptsOfOneSuggestionHaveFoldersOfTheirOwn) {
  AttemptBench bench;
  EXPECT_EQ(last_attempt(bench.runs(), 57), 0) << "there is no folder at all";
  bench.run("echo 1");
  bench.attempt = 10;
  bench.run("echo 1");
  bench.suggestion.id = 1057;
  bench.attempt = 11;
  bench.run("echo 1");
  EXPECT_EQ(last_attempt(bench.runs(), 57), 10);
}

TEST(ExternalCommand, AFolderThatCannotBeMadeIsAnErrorOfTheStore) {
  AttemptBench bench;
  bench.folder.write("runs", "a file");
  EXPECT_THROW(bench.start("echo 1"), StoreError);
}

TEST(ExternalCommand, LeavesAloneWhatALinkInPlaceOfItsFolderPointsTo) {
  AttemptBench bench;
  bench.folder.write("precious/stdout.log", "kept");
  std::filesystem::create_directories(bench.runs());
  std::filesystem::create_directory_symlink(bench.folder.path() / "precious", bench.attempt_folder());
  EXPECT_THROW(bench.start("echo 1"), StoreError);
  EXPECT_EQ(bench.folder.read("precious/stdout.log"), "kept");
}

TEST(ExternalCommand, WritesNothingThroughALinkInItsFolder) {
  AttemptBench bench;
  bench.folder.write("precious", "kept");
  std::filesystem::create_directories(bench.attempt_folder());
  for (const char* name : {"request.json", "request.json.partial", "process.json", "process.json.partial"})
    std::filesystem::create_symlink(bench.folder.path() / "precious", bench.attempt_folder() / name);
  EXPECT_EQ(y_of(bench.run("echo 1")), 1.0);
  EXPECT_EQ(bench.folder.read("precious"), "kept");
  EXPECT_FALSE(std::filesystem::is_symlink(bench.attempt_folder() / "process.json"));
}

// Put there after the folder was prepared, and before the command is started.
TEST(HeldProcess, OpensNoLogThatIsThereAlready) {
  for (const char* name : {"stdout.log", "stderr.log"}) {
    const testing::Folder folder;
    folder.write("request.json", "{}");
    folder.write("precious", "kept");
    std::filesystem::create_symlink("precious", folder.path() / name);
    EXPECT_THROW(HeldProcess("echo 1", folder.path(), {}), std::system_error) << name;
    EXPECT_EQ(folder.read("precious"), "kept");
    std::filesystem::remove(folder.path() / name);
    ASSERT_EQ(::mkfifo((folder.path() / name).c_str(), 0600), 0);
    EXPECT_THROW(HeldProcess("echo 1", folder.path(), {}), std::system_error) << "nobody waits for a reader";
  }
}

// A pipe or a device in place of a log: the command that has ended may have put it there.
TEST(ExternalCommand, WaitsForNoPipeInPlaceOfALog) {
  AttemptBench bench;
  const AttemptOutcome outcome = bench.run("rm stdout.log stderr.log; mkfifo stdout.log stderr.log; exit 0");
  EXPECT_EQ(outcome.reason, "exit status 0, but stdout.log is no plain file");
  bench.attempt = 2;
  bench.folder.write("secret", "7\n");
  EXPECT_EQ(bench.run("ln -sf ../../secret stdout.log").reason,
            "exit status 0, but stdout.log is no plain file");
  bench.attempt = 3;
  EXPECT_EQ(bench.run("ln -sf ../../secret stderr.log; exit 3").reason, "exit status 3");
}

TEST(ExternalCommand, ACommandThatIsTooLongIsForLater) {
  AttemptBench bench;
  const AttemptOutcome outcome = bench.run("echo 1 #" + std::string(1 << 20, 'x'));
  EXPECT_EQ(outcome.kind, Kind::later);
  EXPECT_TRUE(outcome.reason.starts_with("the command cannot be started (")) << outcome.reason;
}

TEST(ProcessSession, KnowsAProcessByItsStart) {
  const std::optional<ProcessEntry> self = process_entry(::getpid());
  ASSERT_TRUE(self);
  EXPECT_EQ(self->session, ::getsid(0));
  EXPECT_GT(self->start, 0U);
  EXPECT_FALSE(self->dead);
  EXPECT_FALSE(process_entry(0x7ffffff0));
}

// What a reused number would look like: our own session, taken for an attempt's that began at another time.
TEST(ProcessSession, LeavesAloneWhoeverGotItsNumber) {
  const std::optional<ProcessEntry> leader = process_entry(::getsid(0));
  if (!leader) GTEST_SKIP() << "the leader of this session is in another container";
  EXPECT_TRUE(ProcessSession(leader->process, leader->start + 1, "NONE=1").members().empty());
  EXPECT_FALSE(ProcessSession(leader->process, leader->start, "NONE=1").members().empty());
}

// Orphans of a leader that is gone are ours only if they carry our mark.
TEST(ProcessSession, TakesOrphansByTheirMarkOnly) {
  AttemptBench bench;
  Attempt attempt = bench.start("sleep 1000 & touch there; kill -KILL $PPID; sleep 1000", 0.0);
  bench.wait_for("there");
  const AttemptRecord record = *AttemptFolder(attempt.folder(), AnnotatorSetting::Protocol::acuity).record();
  for (int k = 0; k < 3000 && !process_entry(record.process)->dead; ++k) std::this_thread::sleep_for(10ms);
  ::waitpid(record.process, nullptr, 0);  // collected behind the attempt's back, as by another owner
  EXPECT_GE(ProcessSession(record.process, record.start, record.mark).members().size(), 1U);
  EXPECT_TRUE(ProcessSession(record.process, record.start, "ACUITY_RESULT=/elsewhere").members().empty());
  EXPECT_EQ(AttemptBench::outcome_of(attempt).kind, Kind::failed);
}

}  // namespace
}  // namespace acuity::external_command_test
