// Pipes and devices in the place of files: read to their end if they are a table that somebody gives on the
// command line, written into if they are where a result is to go, and refused at once if they are part of a
// study or a campaign.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "support/campaign_desk.hpp"
#include "support/studies.hpp"

namespace acuity::testing::pipes_test {
namespace {

namespace fs = std::filesystem;

// Whoever waits for a pipe without end is stopped, and so is whoever reads a device into memory.
ProgramResult in_bounds(const std::string& line, const fs::path& folder) {
  return run_shell("ulimit -v 8000000; timeout 10 " + line, folder);
}

void expect_refusal(const ProgramResult& result, const std::string& sentence) {
  EXPECT_EQ(result.exit_code, 2) << sentence;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, sentence + "\n");
}

void put_pipe(const fs::path& file) {
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
}

struct StudyDesk {
  Folder folder;
  explicit StudyDesk(const std::string& study = price_list_campaign()) {
    folder.write("study.toml", testing::with_given_model(study));
    folder.write("pool.csv", CampaignDesk::eight_points);
    folder.write("known.csv", "id,y,level\na,0.5,fine\nb,-0.25,coarse\n");
    folder.write("truth.csv", "case,y\na,1\nb,1\nc,1\nd,1\ne,1\nf,1\ng,1\nh,1\n");
  }
  ProgramResult run(const std::string& line) const { return in_bounds(line, folder.path()); }
};

TEST(Pipes, InACampaignAreRefusedAtOnceByEveryCommand) {
  for (const char* name : {"events.sqlite", "events.sqlite-wal", "study.toml", "pool.csv"}) {
    const CampaignDesk desk(price_list_campaign());
    desk.ask();
    put_pipe(desk.folder.path() / "c.acuity" / name);
    for (const char* words :
         {"ask c.acuity", "status c.acuity", "score c.acuity", "export c.acuity --events -", "run c.acuity",
          "report c.acuity --out page.html"})
      expect_refusal(in_bounds(std::string("acuity ") + words, desk.folder.path()),
                     std::string("c.acuity/") + name + ": is a pipe, must be a regular file");
  }
}

TEST(Pipes, InAStudyAreRefusedAtOnce) {
  {
    const StudyDesk desk;
    put_pipe(desk.folder.path() / "pool.csv");
    for (const char* words : {"score study.toml", "init c.acuity --study study.toml"})
      expect_refusal(desk.run(std::string("acuity ") + words), "pool.csv: is a pipe, must be a regular file");
    put_pipe(desk.folder.path() / "study.toml");
    for (const char* words : {"score study.toml", "init c.acuity --study study.toml"})
      expect_refusal(desk.run(std::string("acuity ") + words),
                     "study.toml: is a pipe, must be a regular file");
  }
  const StudyDesk known(price_list_campaign("initial = { file = \"known.csv\" }\n"));
  put_pipe(known.folder.path() / "known.csv");
  expect_refusal(known.run("acuity init c.acuity --study study.toml"),
                 "known.csv: is a pipe, must be a regular file");
  const StudyDesk simulated(price_list_campaign("", "[annotator]\nsimulated = \"truth\"\n"));
  put_pipe(simulated.folder.path() / "truth.csv");
  expect_refusal(simulated.run("acuity init c.acuity --study study.toml"),
                 "truth.csv: is a pipe, must be a regular file");
}

TEST(Pipes, ADeviceThatNeverEndsIsRefusedAtOnce) {
  const StudyDesk desk;
  expect_refusal(desk.run("acuity score study.toml --annotations /dev/zero"),
                 "/dev/zero: is a device, must be a regular file or a pipe");
  expect_refusal(desk.run("acuity pool convert /dev/zero p.pool"),
                 "/dev/zero: is a device, must be a regular file or a pipe");
  desk.folder.write("study.toml",
                    testing::with_given_model(with(price_list_campaign(), "file", "\"/dev/zero\"")));
  expect_refusal(desk.run("acuity score study.toml"), "/dev/zero: is a device, must be a regular file");
}

TEST(Pipes, TablesOnTheCommandLineMayComeThroughThem) {
  const StudyDesk desk;
  const std::string score = "acuity score study.toml --format csv --annotations ",
                    expected = desk.run(score + "known.csv").out;
  ASSERT_NE(expected, "");
  EXPECT_EQ(desk.run("bash -c '" + score + "<(cat known.csv)'").out, expected);
  EXPECT_EQ(run_shell("cat known.csv | " + score + "/dev/stdin", desk.folder.path()).out, expected);
  EXPECT_EQ(desk.run(score + "/dev/stdin <known.csv").out, expected);
  EXPECT_EQ(desk.run("bash -c 'acuity pool convert <(cat pool.csv) p.pool --id case'").exit_code, 0);
}

// Not /dev/stdout itself, which the machine would miss if this failed, but a link like it.
TEST(Pipes, ResultsAreWrittenIntoThem) {
  const CampaignDesk desk(price_list_campaign());
  fs::create_symlink("/proc/self/fd/1", desk.folder.path() / "stdout");
  const std::string annotations = desk.done("export", {"--annotations", "-"});
  const ProgramResult read = in_bounds(
      "sh -c 'mkfifo out; cat out >got & acuity export c.acuity --annotations out && wait && test -p out'",
      desk.folder.path());
  EXPECT_EQ(read.exit_code, 0) << read.err;
  EXPECT_EQ(desk.folder.read("got"), annotations);
  const ProgramResult shown = in_bounds("acuity export c.acuity --annotations stdout", desk.folder.path());
  EXPECT_EQ(shown.out, annotations) << "standard output is a file here";
  EXPECT_EQ(in_bounds("acuity export c.acuity --annotations stdout | cat", desk.folder.path()).out,
            annotations);
  EXPECT_EQ(
      in_bounds("echo first; acuity report c.acuity --out stdout", desk.folder.path()).out.substr(0, 21),
      "first\n<!DOCTYPE html>");
}

// Not /dev/null itself, which the machine would miss if this failed.
TEST(Pipes, NoDeviceIsReplaced) {
  const CampaignDesk desk(price_list_campaign());
  const fs::path device = desk.folder.path() / "null";
  if (::mknod(device.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0)
    GTEST_SKIP() << "needs the right to make a device";
  for (const char* words : {"report c.acuity --out null", "export c.acuity --annotations null --events null",
                            "export c.acuity --model null"}) {
    EXPECT_EQ(in_bounds(std::string("acuity ") + words, desk.folder.path()).exit_code, 0) << words;
    ASSERT_TRUE(fs::is_character_file(device)) << words;
  }
  expect_refusal(in_bounds("acuity pool convert pool.csv null", desk.folder.path()),
                 "null: is a pipe or a device, must be a regular file");
  ASSERT_TRUE(fs::is_character_file(device));
}

}  // namespace
}  // namespace acuity::testing::pipes_test
