// The numeric kernels exist once per instruction set; whichever is used, the choices are the same.
#include <gtest/gtest.h>

#include <cmath>

#include "acuity/numerics/instruction_set.hpp"
#include "numerics/dispatch.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing::instruction_set_test {
namespace {

const std::vector<std::string> levels{"x86-64", "x86-64-v3", "x86-64-v4"};

std::vector<std::string> available() {
  std::vector<std::string> found = levels;
  std::erase_if(found, [](const std::string& level) { return numerics::kernels_of(level) == nullptr; });
  return found;
}

ProgramResult run_at(const std::string& level, const std::string& words, const Folder& folder) {
  return run_shell("ACUITY_INSTRUCTION_SET='" + level + "' acuity " + words, folder.path());
}

struct Desk {
  Folder folder;

  Desk() {
    std::string pool = "x,z\n", real = "x,z,y,alpha\n", classes = "id,y,accuracy\n";
    for (int i = 0; i < 300; ++i)
      pool += std::to_string(5.0 * std::fmod(i * 0.6180339887, 1.0)) + "," +
              std::to_string(3.0 * std::fmod(i * 0.7548776662, 1.0)) + "\n";
    for (int i = 0; i < 30; ++i) {
      real += std::to_string(i * 0.15) + "," + std::to_string(std::fmod(i * 0.7, 3.0)) + "," +
              std::to_string(std::cos(i)) + ",3\n";
      classes += std::to_string(i * 9) + "," + (i % 3 == 0 ? "1" : "-1") + ",0.9\n";
    }
    folder.write("pool.csv", pool);
    folder.write("real.csv", real);
    folder.write("classes.csv", classes);
    folder.write("real.toml", testing::with_given_model(ladder_study()));
    folder.write("target.toml",
                 testing::with_given_model(ladder_study() + "[acquisition]\ninformation = \"target\"\n"));
    folder.write("matern.toml",
                 testing::with_given_model(ladder_study() +
                                           "[model]\nkernel = \"matern52\"\nlengthscale = [0.7, 2.0]\n"));
    folder.write("binary.toml", testing::with_given_model(
                                    "[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\n[precision]\n"
                                    "alpha = { from = 0, to = 1, count = 20 }\ngamma = 0.2\nkappa = 0.75\n"
                                    "cost = { form = \"linear\", b = 0.1, c = 0.9 }\n"));
  }
};

TEST(InstructionSet, IsWhatVersionSays) {
  const Folder folder;
  EXPECT_NE(run_acuity({"--version"}, folder.path())
                .out.find("\ninstruction set: " + std::string(instruction_set()) + "\nfeatures: "),
            std::string::npos);
  for (const std::string& level : available())
    EXPECT_NE(run_at(level, "--version", folder).out.find("\ninstruction set: " + level + "\n"),
              std::string::npos);
}

TEST(InstructionSet, EveryOneMakesTheSameChoices) {
  const Desk desk;
  for (const std::string& words :
       {std::string("score real.toml --annotations real.csv"),
        std::string("score target.toml --annotations real.csv"),
        std::string("score matern.toml --annotations real.csv"),
        std::string("score matern.toml --annotations real.csv --pool-precision float"),
        std::string("score binary.toml --annotations classes.csv")}) {
    const auto choices = [&](const std::string& level) {
      std::string list;
      const ProgramResult result = run_at(level, words + " --top 4 --batch --format csv", desk.folder);
      EXPECT_EQ(result.exit_code, 0) << result.err;
      for (const auto& row : csv_rows(result.out)) list += row.at("id") + "@" + row.at("alpha") + " ";
      return list;
    };
    const std::string baseline = choices("x86-64");
    EXPECT_NE(baseline, "");
    for (const std::string& level : available()) EXPECT_EQ(choices(level), baseline) << level << " " << words;
  }
}

TEST(InstructionSet, AnUnknownOneIsAnInputErrorWhateverTheCommand) {
  const Desk desk;
  for (const char* words : {"score real.toml", "score binary.toml", "--version", "pool show pool.csv"}) {
    const ProgramResult result = run_at("avx9", words, desk.folder);
    EXPECT_EQ(result.exit_code, 2) << words;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "ACUITY_INSTRUCTION_SET is \"avx9\", must be x86-64, x86-64-v3 or x86-64-v4\n");
  }
  EXPECT_EQ(run_at("", "score real.toml", desk.folder).exit_code, 0);
}

TEST(InstructionSet, OneThatTheProcessorLacksIsAnInputError) {
  const Folder folder;
  for (const std::string& level : levels) {
    if (numerics::kernels_of(level) != nullptr) continue;
    const ProgramResult result = run_at(level, "--version", folder);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("does not support; must be a lower level"), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace acuity::testing::instruction_set_test
