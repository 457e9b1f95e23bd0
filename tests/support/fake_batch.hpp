#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "support/run_bench.hpp"

namespace acuity::testing {

/// A batch system of shell scripts in a folder `batch` beside the study of a bench: jobs run at once. Files
/// in that folder make it misbehave:
///   down        no command answers        refuse       no job is accepted
///   lose-reply  jobs are accepted, and the submit command fails
///   hold        jobs are accepted and never run; `alive` does not list them
/// `accepted` has the name of every job that was accepted.
class FakeBatch {
 public:
  explicit FakeBatch(const RunBench& bench) : bench_(bench) {
    std::filesystem::create_directories(bench.folder.path() / "batch/queue");
    script("submit", R"sh(cd "$(dirname "$0")"
[ ! -e down ] || { echo "nobody answers" >&2; exit 1; }
[ ! -e refuse ] || { echo "no such partition: nowhere" >&2; exit 1; }
number=$(($(cat number 2>/dev/null || echo 0) + 1)); echo $number >number
echo "$1" >>accepted
env | grep ^SLURM_ >>variables
if [ -e hold ]; then
  : >queue/held.$1
else
  : >queue/$1.$number
  SLURM_JOB_ID=$number setsid sh -c 'echo $$ >"queue/$1.$2"; sh "$3"; rm -f "queue/$1.$2"' job $1 $number "$2" \
    >/dev/null 2>&1 </dev/null &
fi
[ ! -e lose-reply ] || { echo "connection lost" >&2; exit 1; }
echo $number
)sh");
    script("alive", R"sh(cd "$(dirname "$0")"
[ ! -e down ] || exit 1
echo x >>looks
for job in queue/acuity-*; do [ ! -e "$job" ] || { job=${job#queue/}; echo "${job%.*}"; }; done
)sh");
    script("cancel", R"sh(cd "$(dirname "$0")"
[ ! -e down ] || exit 1
echo "$1" >>cancelled
for job in queue/"$1".* queue/held."$1"; do
  [ ! -s "$job" ] || kill -KILL -$(cat "$job")
  rm -f "$job"
done
)sh");
  }
  ~FakeBatch() {
    bench_.folder.write(
        "batch/end", R"(for job in queue/acuity-*; do [ ! -s "$job" ] || kill -KILL -$(cat "$job"); done)");
    run_shell("cd batch && sh ./end 2>/dev/null", bench_.folder.path());
    comes_true([&] { return bench_.processes().empty(); });
  }
  FakeBatch(const FakeBatch&) = delete;
  FakeBatch& operator=(const FakeBatch&) = delete;

  /// Lines of [annotator] for it.
  std::string keys(const std::string& more = "") const {
    const std::string folder = (bench_.folder.path() / "batch").string();
    return fmt::format(
               "mode = \"submit\"\nsubmit = \"{0}/submit {{name}} {{script}}\"\nalive = \"{0}/alive\"\n"
               "cancel = \"{0}/cancel {{name}}\"\npoll = \"1s\"\ngrace = \"2s\"\n",
               folder) +
           more;
  }
  void set(const std::string& flag) const { bench_.folder.write("batch/" + flag, ""); }
  void clear(const std::string& flag) const {
    std::filesystem::remove(bench_.folder.path() / "batch" / flag);
  }
  std::vector<std::string> lines(const std::string& file) const { return bench_.lines("batch/" + file); }
  std::vector<std::string> queue() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(bench_.folder.path() / "batch/queue"))
      names.push_back(entry.path().filename());
    return names;
  }

 private:
  void script(const std::string& name, const std::string& text) const {
    std::filesystem::permissions(bench_.folder.write("batch/" + name, "#!/bin/sh\n" + text),
                                 std::filesystem::perms::owner_all);
  }

  const RunBench& bench_;
};

}  // namespace acuity::testing
