// Local copies of files that a store keeps.
#include "store/kept_files.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "acuity/base/errors.hpp"
#include "support/program.hpp"

namespace acuity::kept_files_test {
namespace {

namespace fs = std::filesystem;

void put(EventStore& store, const FilesByName& files) {
  store.add(0, [&](const auto& news) {
    for (const auto& [name, content] : files) store.put_file(name, content);
    if (news.empty()) return std::vector<Event>{Created{.version = "0.2.0", .budget = 1.0}};
    return std::vector<Event>{BudgetChanged{1.0}};
  });
}

class LocalCopies : public ::testing::Test {
 protected:
  LocalCopies() { ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1); }
  ~LocalCopies() override { ::unsetenv("XDG_CACHE_HOME"); }

  std::set<std::string> folders() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(cache.path() / "acuity"))
      names.insert(entry.path().filename());
    return names;
  }
  static std::string content(const fs::path& folder, const std::string& name) {
    std::ifstream stream(folder / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  testing::Folder cache;
  std::unique_ptr<EventStore> store = make_memory_event_store();
};

TEST_F(LocalCopies, AreMadeOnceAndAreForTheUserAlone) {
  put(*store, with_list({{"study.toml", "a = 1\n"}, {"pool.csv", std::string("x\n\0\n", 4)}}));
  const fs::path folder = local_copies(*store);
  EXPECT_EQ(content(folder, "study.toml"), "a = 1\n");
  EXPECT_EQ(content(folder, "pool.csv"), std::string("x\n\0\n", 4));
  EXPECT_EQ(fs::status(folder).permissions() & (fs::perms::group_all | fs::perms::others_all),
            fs::perms::none);
  const auto made = fs::last_write_time(folder / "pool.csv");
  EXPECT_EQ(local_copies(*store), folder);
  EXPECT_EQ(fs::last_write_time(folder / "pool.csv"), made);
  EXPECT_EQ(folders().size(), 1U);
}

TEST_F(LocalCopies, FollowAChangeAndStayForThoseWhoReadTheOldOnes) {
  put(*store, with_list({{"study.toml", "a = 1\n"}, {"pool.csv", "x\n1\n"}}));
  const fs::path before = local_copies(*store);
  put(*store, with_list({{"study.toml", "a = 2\n"}}, before));
  const fs::path after = local_copies(*store);
  EXPECT_NE(after, before);
  EXPECT_EQ(content(after, "study.toml"), "a = 2\n");
  EXPECT_EQ(content(after, "pool.csv"), "x\n1\n") << "what did not change is listed still";
  EXPECT_EQ(content(before, "study.toml"), "a = 1\n");
}

TEST_F(LocalCopies, AreMadeAgainIfTheyWereChanged) {
  put(*store, with_list({{"study.toml", "a = 1\n"}, {"pool.csv", "x\n1\n"}}));
  const fs::path folder = local_copies(*store);
  for (const bool removed : {false, true}) {
    if (removed)
      fs::remove(folder / "pool.csv");
    else
      std::ofstream(folder / "pool.csv") << "x\n2\n";
    EXPECT_EQ(local_copies(*store), folder);
    EXPECT_EQ(content(folder, "pool.csv"), "x\n1\n");
  }
  EXPECT_EQ(folders().size(), 1U) << "nothing is left of the damaged ones";
}

TEST_F(LocalCopies, OfADamagedStoreAreNotMade) {
  put(*store, with_list({{"study.toml", "a = 1\n"}, {"pool.csv", "x\n1\n"}}));
  EXPECT_EQ(damaged_files(*store), std::vector<std::string>());
  put(*store, {{"pool.csv", "x\n7\n"}});
  EXPECT_EQ(damaged_files(*store), std::vector<std::string>{"pool.csv"});
  try {
    local_copies(*store);
    ADD_FAILURE();
  } catch (const DamagedError& error) {
    EXPECT_NE(std::string(error.what()).find("its file pool.csv is damaged"), std::string::npos)
        << error.what();
  }
  EXPECT_TRUE(folders().empty());
  put(*store, {{"checksums.txt", "xxh3:0  ../../etc/passwd\n"}});
  EXPECT_THROW(local_copies(*store), DamagedError);
}

TEST_F(LocalCopies, MayBeMadeByManyProcessesAtOnce) {
  put(*store, with_list({{"study.toml", "a = 1\n"}, {"pool.csv", std::string(3000000, 'x')}}));
  std::vector<pid_t> processes;
  for (int k = 0; k < 6; ++k) {
    processes.push_back(fork());
    if (processes.back() != 0) continue;
    int code = 1;
    try {
      code = content(local_copies(*store), "pool.csv").size() == 3000000 ? 0 : 2;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(code);
  }
  for (const pid_t process : processes) {
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(folders().size(), 1U);
}

TEST_F(LocalCopies, NeedAFolderThatCanBeWrittenTo) {
  put(*store, with_list({{"study.toml", "a = 1\n"}}));
  cache.write("acuity", "a file");
  try {
    local_copies(*store);
    ADD_FAILURE();
  } catch (const StoreError& error) {
    EXPECT_NE(std::string(error.what()).find("XDG_CACHE_HOME"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace acuity::kept_files_test
