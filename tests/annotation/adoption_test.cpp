// What the next owner finds when the one before was killed. The owner is a process of its own in these tests,
// and dies by SIGKILL.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "annotation/process_session.hpp"
#include "support/attempts.hpp"

namespace acuity::adoption_test {
namespace {

using namespace std::chrono_literals;
using Kind = AttemptOutcome::Kind;
using testing::AttemptBench;
using testing::y_of;

class Adoption : public ::testing::Test {
 protected:
  // An owner that starts the command, polls it until `death` holds, and dies.
  void own_and_die(const std::string& command, const std::function<bool()>& death) {
    const pid_t owner = ::fork();
    if (owner == 0) {
      Attempt attempt = bench.start(command);
      while (!death()) {
        if (!polls) std::this_thread::sleep_for(10ms);
        if (polls && attempt.poll()) break;
        if (polls) wait_for_any({&attempt}, 0.01);
      }
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(owner, &status, 0), owner);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  std::function<bool()> there(const std::string& name) {
    return [this, name] { return std::filesystem::exists(bench.attempt_folder() / name); };
  }
  AttemptOutcome adopt(double grace = 5.0) {
    Attempt attempt = bench.annotator("true", grace).adopt(bench.attempt_folder());
    return AttemptBench::outcome_of(attempt);
  }

  AttemptBench bench;
  bool polls = false;
};

TEST_F(Adoption, TakesAnAnswerThatCameWhileNobodyWasThere) {
  own_and_die("touch there; while ! test -e go; do sleep 0.05; done; echo 1.5", there("there"));
  EXPECT_FALSE(bench.processes().empty()) << "it does not die with its owner";
  bench.folder.write("runs/000057-1/go", "");
  bench.wait_for("exit_status");
  EXPECT_EQ(y_of(adopt()), 1.5);
  EXPECT_EQ(y_of(adopt()), 1.5) << "as often as it takes";
}

TEST_F(Adoption, TakesAFailureAsItWas) {
  own_and_die("echo 1; echo no mesh >&2; exit 3", there("exit_status"));
  const AttemptOutcome outcome = adopt();
  EXPECT_EQ(outcome.kind, Kind::failed);
  EXPECT_EQ(outcome.reason, "exit status 3: no mesh");
}

TEST_F(Adoption, EndsWhatIsStillRunning) {
  own_and_die("sh -mc '(trap \"\" TERM; touch there; sleep 1000) & sleep 1000 & wait'", there("there"));
  const AttemptOutcome outcome = adopt(0.2);
  EXPECT_EQ(outcome.kind, Kind::ended);
  EXPECT_EQ(outcome.reason, "it was running when its owner died");
  EXPECT_TRUE(bench.processes().empty());
}

TEST_F(Adoption, AFileIsNoCompletion) {
  own_and_die("echo '{\"y\": 1}' >result.json; touch there; sleep 1000", there("there"));
  EXPECT_EQ(adopt(0.2).kind, Kind::ended);
  EXPECT_EQ(adopt(0.2).kind, Kind::ended) << "asked again, it is the same";
}

TEST_F(Adoption, EndsWhatLingersBehindAnAnswer) {
  own_and_die("sleep 1000 & echo 2", there("exit_status"));
  EXPECT_FALSE(bench.processes().empty());
  EXPECT_EQ(y_of(adopt(0.2)), 2.0);
  EXPECT_TRUE(bench.processes().empty());
}

TEST_F(Adoption, ATimeoutThatWasDecidedStands) {
  bench.study.annotator.timeout = 0.2;
  polls = true;
  own_and_die("trap 'echo 1; exit 0' TERM; while :; do sleep 0.05; done", there("exit_status"));
  const AttemptOutcome outcome = adopt();
  EXPECT_EQ(outcome.kind, Kind::failed) << "what is said after the time is no answer";
  EXPECT_EQ(outcome.reason, "timed out after 0.2 s");
}

TEST_F(Adoption, OfAFolderWithoutARecordIsOfNothing) {
  bench.folder.write("runs/000057-1/request.json", "{}");
  EXPECT_EQ(adopt().kind, Kind::ended);
  bench.folder.write("runs/000057-1/process.json", "{\"process\": ");
  EXPECT_EQ(adopt().kind, Kind::ended);
  std::filesystem::remove_all(bench.runs());
  EXPECT_EQ(adopt().kind, Kind::ended);
}

// The record of the folder, changed.
void rewrite(AttemptBench& bench, const std::function<void(AttemptRecord&)>& change) {
  const AttemptFolder folder(bench.attempt_folder(), AnnotatorSetting::Protocol::acuity);
  AttemptRecord record = folder.record().value();
  change(record);
  folder.write(record);
}

TEST_F(Adoption, SignalsNobodyWhoseNumberWasGivenAgain) {
  Attempt innocent = bench.start("touch there; while ! test -e go; do sleep 0.05; done; echo 1");
  bench.wait_for("there");
  rewrite(bench, [](AttemptRecord& record) { --record.start; });
  const AttemptOutcome outcome = adopt(0.0);
  EXPECT_EQ(outcome.kind, Kind::ended);
  EXPECT_EQ(outcome.reason, "it was ended together with its owner");
  bench.folder.write("runs/000057-1/go", "");
  EXPECT_EQ(y_of(AttemptBench::outcome_of(innocent)), 1.0) << "was not touched";
}

TEST_F(Adoption, SignalsNobodyAfterARestartOfTheMachine) {
  Attempt innocent = bench.start("touch there; while ! test -e go; do sleep 0.05; done; echo 1");
  bench.wait_for("there");
  rewrite(bench, [](AttemptRecord& record) { record.realm = "another boot"; });
  EXPECT_EQ(adopt(0.0).kind, Kind::ended);
  bench.folder.write("runs/000057-1/go", "");
  EXPECT_EQ(y_of(AttemptBench::outcome_of(innocent)), 1.0) << "was not touched";
}

// Somebody else's process, in a session of its own, which lives until the end of the scope.
class Bystander {
 public:
  explicit Bystander(const std::string& mark = "", const std::string& folder = "/") {
    process_ = ::fork();
    if (process_ == 0) {
      ::setsid();
      if (!mark.empty()) ::putenv(const_cast<char*>(mark.c_str()));
      if (::chdir(folder.c_str()) == 0) ::execlp("sleep", "sleep", "1000", nullptr);
      ::_exit(126);
    }
    const std::string proc = "/proc/" + std::to_string(process_) + "/comm";
    for (std::string name; name != "sleep"; std::this_thread::sleep_for(1ms)) std::ifstream(proc) >> name;
  }
  ~Bystander() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Bystander(const Bystander&) = delete;
  Bystander& operator=(const Bystander&) = delete;
  pid_t number() const { return process_; }
  std::uint64_t start() const { return process_entry(process_)->start; }
  bool lives() const { return ::waitpid(process_, nullptr, WNOHANG) == 0; }

 private:
  pid_t process_ = -1;
};

// A file that says whatever its author liked it to say.
void forge(AttemptBench& bench, const nlohmann::json& process, const nlohmann::json& start,
           const std::string& mark) {
  bench.folder.write(
      "runs/000057-1/process.json",
      nlohmann::json{
          {"process", process}, {"start", start}, {"realm", process_realm()}, {"host", "h"}, {"mark", mark}}
          .dump());
}

TEST_F(Adoption, OfAForgedRecordSignalsNobody) {
  const Bystander victim;
  const std::string mark = "PATH=" + std::string(::getenv("PATH"));
  for (const std::string& line : {std::string("NONE=1"), mark}) {
    forge(bench, victim.number(), victim.start(), line);
    EXPECT_EQ(adopt(0.0).kind, Kind::ended);
    EXPECT_TRUE(victim.lives()) << line;
  }
  forge(bench, static_cast<std::uint64_t>(victim.number()) + (std::uint64_t{1} << 32), victim.start(), mark);
  EXPECT_EQ(adopt(0.0).kind, Kind::ended);
  EXPECT_TRUE(victim.lives()) << "a number cut to the size of another";
}

// Another attempt's process, and a shell in which somebody looks at the folder.
TEST_F(Adoption, OfARecordOfAnotherFolderOrAShellInThisOneSignalsNobody) {
  std::filesystem::create_directories(bench.attempt_folder());
  const Bystander elsewhere("ACUITY_RESULT=/tmp/runs/000057-1/result.json"),
      shell("", bench.attempt_folder().string());
  for (const Bystander* victim : {&elsewhere, &shell}) {
    forge(bench, victim->number(), victim->start(), "ACUITY_RESULT=/tmp/runs/000057-1/result.json");
    EXPECT_EQ(adopt(0.0).kind, Kind::ended);
    EXPECT_TRUE(victim->lives());
  }
}

TEST_F(Adoption, OfARecordThatNamesNoProcessIsOfNothing) {
  const std::uint64_t own = process_entry(::getpid())->start;
  const std::string mark = "PATH=" + std::string(::getenv("PATH"));
  using Json = nlohmann::json;
  for (const Json& process : {Json(0), Json(1), Json(-1), Json(-::getpid()), Json(4294967297), Json(1e300),
                              Json("1"), Json(nullptr), Json::array({1}), Json(1.5), Json(true)}) {
    forge(bench, process, 0, mark);
    EXPECT_EQ(adopt(0.0).reason, "its owner died before it was started") << process;
  }
  for (const Json& start : {Json(-1), Json(1e300), Json("1"), Json(nullptr)}) {
    forge(bench, ::getpid(), start, mark);
    EXPECT_EQ(adopt(0.0).reason, "its owner died before it was started") << start;
  }
  for (const pid_t process : {::getpid(), ::getsid(0), ::getppid()}) {
    forge(bench, process, own, mark);
    EXPECT_EQ(adopt(0.0).kind, Kind::ended);
  }
  for (const std::string& text :
       {std::string(100000, '['), std::string("{\"process\": 1}\0", 15), std::string()}) {
    bench.folder.write("runs/000057-1/process.json", text);
    EXPECT_EQ(adopt(0.0).kind, Kind::ended);
  }
}

// A campaign that was copied while it was run: its attempts are the original's.
TEST_F(Adoption, OfACopyLeavesTheOriginalAlone) {
  Attempt original = bench.start("touch there; while ! test -e go; do sleep 0.05; done; echo 1");
  bench.wait_for("there");
  std::filesystem::copy(bench.runs(), bench.folder.path() / "copy", std::filesystem::copy_options::recursive);
  Attempt copied = bench.annotator("true", 0.0).adopt(bench.folder.path() / "copy/000057-1");
  EXPECT_EQ(AttemptBench::outcome_of(copied).kind, Kind::ended);
  bench.folder.write("runs/000057-1/go", "");
  EXPECT_EQ(y_of(AttemptBench::outcome_of(original)), 1.0) << "was not touched";
}

TEST_F(Adoption, OfAFolderThatWasMovedEndsWhatRunsThere) {
  own_and_die("touch there; sleep 1000", there("there"));
  std::filesystem::rename(bench.runs(), bench.folder.path() / "moved");
  Attempt moved = bench.annotator("true", 0.0).adopt(bench.folder.path() / "moved/000057-1");
  EXPECT_EQ(AttemptBench::outcome_of(moved).reason, "it was running when its owner died");
  EXPECT_TRUE(bench.processes().empty());
}

// What outlives the first process of the attempt has the path in its environment that the folder had before.
// This process reaps orphans at once, as the first process of a system does: a dead leader is then not found
// any more.
TEST_F(Adoption, OfAFolderThatWasMovedEndsWhatOutlivesItsShell) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  own_and_die("sh -mc '(trap \"\" TERM; touch there; sleep 1000) & sleep 1000 & wait'", there("there"));
  const std::jthread reaper([](const std::stop_token& stop) {
    while (!stop.stop_requested())
      if (::waitpid(-1, nullptr, WNOHANG) <= 0) std::this_thread::sleep_for(1ms);
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  });
  std::filesystem::rename(bench.runs(), bench.folder.path() / "moved");
  Attempt moved = bench.annotator("true", 0.2).adopt(bench.folder.path() / "moved/000057-1");
  EXPECT_EQ(AttemptBench::outcome_of(moved).reason, "it was running when its owner died");
  EXPECT_TRUE(bench.processes().empty());
}

TEST_F(Adoption, TakesWhatHadEndedBeforeTheRestart) {
  own_and_die("echo 4", there("exit_status"));
  rewrite(bench, [](AttemptRecord& record) { record.realm = "another boot"; });
  EXPECT_EQ(y_of(adopt()), 4.0);
}

TEST_F(Adoption, AStatusThatWasNotWrittenToItsEndIsNone) {
  own_and_die("echo 4", there("exit_status"));
  for (int k = 0; k < 3000 && !bench.processes().empty(); ++k) std::this_thread::sleep_for(10ms);
  bench.folder.write("runs/000057-1/exit_status", "");
  EXPECT_EQ(adopt().kind, Kind::ended);
  bench.folder.write("runs/000057-1/exit_status", "0");
  EXPECT_EQ(adopt().kind, Kind::ended);
}

// Killed at any moment around the start: either the command ran and is on record, or it never ran. Orphans
// become children of this process meanwhile, so that none escapes its notice.
TEST_F(Adoption, FindsWhateverAnOwnerStartedHoweverEarlyItDied) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  int on_record = 0;
  for (int k = 0; k < 25; ++k) {
    bench.attempt = k + 1;
    const pid_t owner = ::fork();
    if (owner == 0) {
      Attempt attempt = bench.start("touch ran; sleep 1000");
      ::kill(::getpid(), SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50 * k * k));
    if (k < 24) ::kill(owner, SIGKILL);  // the last one has all the time it needs
    ::waitpid(owner, nullptr, 0);
    const bool recorded = there("process.json")();
    EXPECT_EQ(adopt(0.0).kind, Kind::ended);
    for (int wait = 0; wait < 12000 && ::waitpid(-1, nullptr, WNOHANG) >= 0; ++wait)
      std::this_thread::sleep_for(10ms);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << k << ": something is left";
    EXPECT_TRUE(recorded || !there("ran")()) << k;
    on_record += recorded ? 1 : 0;
  }
  EXPECT_GT(on_record, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace
}  // namespace acuity::adoption_test
