// The keys of [annotator] with mode = "submit".
#include <gtest/gtest.h>

#include "acuity/base/errors.hpp"
#include "acuity/study/study_file.hpp"
#include "annotation/batch_system.hpp"
#include "study/batch_presets.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing::batch_system_test {
namespace {

using Mode = AnnotatorSetting::Mode;

class BatchKeys : public ::testing::Test {
 protected:
  StudyFile read(const std::string& annotator) const {
    folder.write("pool.csv", "x\n1\n2\n");
    return read_study_file(folder.write(
        "S.toml",
        with_given_model("[campaign]\nname = \"c\"\n[pool]\nfile = \"pool.csv\"\n"
                         "[[level]]\nname = \"coarse\"\nvalue = 4\nnoise_sd = 0.3\ncost = 1\n"
                         "[[level]]\nname = \"fine\"\nvalue = 64\nnoise_sd = 0.1\ncost = 2\n[annotator]\n" +
                         annotator)));
  }
  std::string complaint_about(const std::string& annotator) const {
    try {
      const StudyFile study = read(annotator);
      BatchSystem(study, Pool(Points(0, 1), {"x"}), folder.path());
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  }
  void expect_complaint(const std::string& annotator, const std::string& words) const {
    const std::string found = complaint_about(annotator);
    EXPECT_NE(found.find(words), std::string::npos) << annotator << "\n" << found;
  }

  Folder folder;
};

TEST_F(BatchKeys, SlurmIsTheDefault) {
  const StudyFile study = read("command = \"./f\"\nmode = \"submit\"\n");
  EXPECT_EQ(study.annotator.mode, Mode::submit);
  EXPECT_EQ(study.annotator.batch.submit, batch_preset("slurm")->submit);
  EXPECT_EQ(study.annotator.batch.poll, 20.0);
  EXPECT_EQ(study.annotator.batch.grace, 30.0);
  EXPECT_EQ(read("command = \"./f\"\n").annotator.mode, Mode::run);
}

TEST_F(BatchKeys, CommandsOfAPresetCanBeReplaced) {
  for (const std::string& name : batch_preset_names()) {
    const BatchSetting batch = read("command = \"./f\"\nmode = \"submit\"\nsubmit = \"" + name +
                                    "\"\ncancel = \"end {name}\"\npoll = \"1m\"\n")
                                   .annotator.batch;
    EXPECT_EQ(batch.alive, batch_preset(name)->alive);
    EXPECT_EQ(batch.cancel, "end {name}");
    EXPECT_EQ(batch.poll, 60.0);
  }
}

TEST_F(BatchKeys, MistakesAreSentences) {
  const std::string job = "command = \"./f\"\nmode = \"submit\"\n";
  expect_complaint("command = \"./f\"\nmode = \"sbatch\"\n",
                   "annotator.mode is \"sbatch\", must be \"run\" or \"submit\"");
  for (const char* key : {"submit", "alive", "cancel", "preamble", "poll", "grace"})
    expect_complaint(std::string("command = \"./f\"\n") + key + " = \"1s\"\n",
                     std::string("annotator.") + key + " is given, must come with mode = \"submit\"");
  expect_complaint("simulated = \"sine\"\nmode = \"submit\"\n", "must come with annotator.command");
  expect_complaint(job + "submit = \"slrm\"\n",
                   "annotator.submit is \"slrm\", must be \"slurm\", \"pbs\" or \"lsf\"");
  expect_complaint(job + "submit = \"q {name} {script}\"\n", "annotator.alive is missing");
  expect_complaint(job + "submit = \"q {name} {script}\"\nalive = \"a\"\n", "annotator.cancel is missing");
  expect_complaint(job + "cancel = \"end\"\n",
                   "annotator.cancel is \"end\", must be a line of shell with {name}");
  expect_complaint(job + "alive = \" \"\n", "annotator.alive is \" \", must be a line of shell");
  expect_complaint(job + "poll = 5\n", "annotator.poll is 5, must be a duration");
  expect_complaint(job + "submit = 5\n", "annotator.submit is 5");
  expect_complaint(job + "preamble = { corse = \"x\" }\n", "coarse");
  expect_complaint(job + "preamble = \"#SBATCH -n {valu}\"\n", "annotator.preamble has {valu}");
  expect_complaint(job + "submit = \"q {name} {script} {part}\"\nalive = \"a\"\ncancel = \"c {name}\"\n",
                   "annotator.submit has {part}");
  expect_complaint(job + "preamble = \"#SBATCH -t {minutes}\"\ntimeout = { fine = \"2m\" }\n",
                   "annotator.preamble has {minutes}, must come with annotator.timeout");
}

// Whole minutes, never fewer than the study says.
TEST_F(BatchKeys, TheTimeoutBecomesWholeMinutes) {
  StudyFile study = read(
      "command = \"./f {x}\"\nmode = \"submit\"\ntimeout = { coarse = \"61s\" }\n"
      "preamble = { fine = '''#SBATCH -n {value}\nmodule load x''' }\n");
  const BatchSystem system(study, Pool(Points(0, 1), {"x"}), folder.path());
  Suggestion asked{.id = 7, .row = 0, .point = "0", .inputs = {2.5}, .level = {}, .channel = {}, .cost = 1.0};
  asked.level = study.price_list[0];
  const std::string coarse = system.prepare(asked, 1, folder.path() / "runs", "acuity-00000000-7-1");
  EXPECT_NE(coarse.find(" --time=2 "), std::string::npos) << coarse;
  EXPECT_NE(coarse.find("--job-name=acuity-00000000-7-1 "), std::string::npos) << coarse;
  EXPECT_NE(coarse.find("'" + (folder.path() / "runs/000007-1/job.sh").string() + "'"), std::string::npos)
      << coarse;
  asked.level = study.price_list[1];
  const std::string fine = system.prepare(asked, 2, folder.path() / "runs", "acuity-00000000-7-2");
  EXPECT_EQ(fine.find("--time"), std::string::npos) << fine;
  const std::string script = folder.read("runs/000007-2/job.sh");
  EXPECT_TRUE(script.starts_with("#!/bin/sh\n#SBATCH -n 64\nmodule load x\ncd '")) << script;
  EXPECT_NE(script.find("/f 2.5'"), std::string::npos) << script;
  EXPECT_NE(script.find("export ACUITY_LEVEL='fine'\n"), std::string::npos) << script;
}

}  // namespace
}  // namespace acuity::testing::batch_system_test
