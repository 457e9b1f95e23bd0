// How files are written: whole or not at all, over nothing but regular files, and through no link that
// somebody has planted.
#include "data/file_writer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <future>
#include <set>

#include "acuity/base/errors.hpp"
#include "acuity/data/pool_file.hpp"
#include "acuity/data/table.hpp"
#include "support/program.hpp"

namespace acuity::file_writer_test {
namespace {

namespace fs = std::filesystem;

std::string said_about(const std::function<void()>& task) {
  try {
    task();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

long files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), {});
}

unsigned mode_of(const fs::path& file) {
  struct stat found{};
  EXPECT_EQ(::lstat(file.c_str(), &found), 0);
  return found.st_mode & 07777;
}

// The umask of the process, while a test needs another.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

// Files cannot become longer than this, as on a disk that is full.
class ShortFiles {
 public:
  explicit ShortFiles(rlim_t bytes) : signal_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~ShortFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, signal_);
  }
  ShortFiles(const ShortFiles&) = delete;
  ShortFiles& operator=(const ShortFiles&) = delete;

 private:
  rlimit before_{};
  sighandler_t signal_;
};

std::string read_from_pipe(const fs::path& pipe) {
  return read_file(pipe);
}

TEST(FileWriter, FollowsNoLinkThatWasPlantedWhereATemporaryFileMightBe) {
  const testing::Folder folder;
  const fs::path out = folder.path() / "out.txt";
  folder.write("precious", "untouched");
  const std::string process = std::to_string(::getpid());
  for (const std::string& name : {"out.txt.partial-" + process, "out.txt.part-" + process})
    fs::create_symlink("precious", folder.path() / name);
  folder.write("p.csv", "x\n1\n");
  write_file(out, "new");
  convert_to_pool_file(folder.path() / "p.csv", out);
  EXPECT_EQ(folder.read("precious"), "untouched");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(out)));
  EXPECT_TRUE(fs::is_symlink(folder.path() / ("out.txt.partial-" + process)));
  EXPECT_EQ(files_in(folder.path()), 5);
}

TEST(FileWriter, WritesAsideUnderANameNobodyForesees) {
  const testing::Folder folder;
  std::set<fs::path> names;
  for (int k = 0; k < 3; ++k) {
    FileWriter writer(folder.path() / "out.txt");
    for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
      EXPECT_TRUE(entry.path().filename().string().starts_with("out.txt.partial-"));
      names.insert(entry.path());
    }
    writer.write("x", 1);
  }
  EXPECT_EQ(names.size(), 3U);
  EXPECT_EQ(files_in(folder.path()), 0) << "nothing was committed";
}

TEST(FileWriter, GivesNewFilesOrdinaryRightsAndKeepsThoseOfReplacedOnes) {
  const testing::Folder folder;
  const Umask umask(027);
  const fs::path file = folder.path() / "a.txt";
  write_file(file, "new");
  EXPECT_EQ(mode_of(file), 0640U);
  for (const unsigned mode : {0600U, 0755U, 0664U}) {
    ASSERT_EQ(::chmod(file.c_str(), mode), 0);
    FileWriter writer(file);
    writer.write("again", 5);
    writer.commit();
    EXPECT_EQ(mode_of(file), mode);
  }
  EXPECT_EQ(folder.read("a.txt"), "again");
}

TEST(FileWriter, AFailedWriteLeavesWhatWasThereAndNothingElse) {
  const testing::Folder folder;
  const fs::path there = folder.write("there", "before"), fresh = folder.path() / "fresh";
  const std::string much(10000, 'x');
  {
    const ShortFiles disk(1000);
    EXPECT_EQ(said_about([&] { write_file(there, much); }),
              there.string() + ": cannot be written (File too large)");
    EXPECT_NE(said_about([&] { write_file(fresh, much); }), "");
    EXPECT_NE(said_about([&] { write_files({{fresh, "short"}, {there, much}}); }), "");
  }
  EXPECT_EQ(folder.read("there"), "before");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(FileWriter, ASymbolicLinkStaysAndWhatItPointsToIsReplaced) {
  const testing::Folder folder;
  folder.write("data/real.txt", "before");
  fs::create_symlink("data/real.txt", folder.path() / "near");
  fs::create_symlink("../near", folder.path() / "data" / "far");
  fs::create_symlink("data/later.txt", folder.path() / "dangling");
  write_file(folder.path() / "data" / "far", "after");
  EXPECT_EQ(folder.read("data/real.txt"), "after");
  write_file(folder.path() / "dangling", "made");
  EXPECT_EQ(folder.read("data/later.txt"), "made");
  for (const char* link : {"near", "data/far", "dangling"})
    EXPECT_TRUE(fs::is_symlink(folder.path() / link)) << link;
  EXPECT_EQ(files_in(folder.path() / "data"), 3) << "and nothing is left aside";
  fs::create_symlink("round", folder.path() / "round");
  EXPECT_EQ(said_about([&] { write_file(folder.path() / "round", ""); }),
            (folder.path() / "round").string() + ": cannot be written (Too many levels of symbolic links)");
}

TEST(FileWriter, WritesIntoAPipeAndThroughALinkToOne) {
  const testing::Folder folder;
  const fs::path pipe = folder.path() / "pipe", link = folder.path() / "link";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("pipe", link);
  for (const fs::path& out : {pipe, link}) {
    auto reader = std::async(std::launch::async, read_from_pipe, pipe);
    write_files({{out, "through the pipe"}, {folder.path() / "beside", "x"}});
    ASSERT_TRUE(fs::is_fifo(pipe)) << "it was replaced";
    EXPECT_EQ(reader.get(), "through the pipe");
  }
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(said_about([&] { FileWriter(pipe, FileWriter::Streams::refused); }),
            pipe.string() + ": is a pipe or a device, must be a regular file");
}

// Not /dev/null itself, which the machine would miss if this failed.
TEST(FileWriter, WritesIntoACharacterDevice) {
  const testing::Folder folder;
  const fs::path null = folder.path() / "null", full = folder.path() / "full";
  if (::mknod(null.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0 ||
      ::mknod(full.c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0)
    GTEST_SKIP() << "needs the right to make a device";
  write_file(null, "gone");
  EXPECT_TRUE(fs::is_character_file(null));
  EXPECT_EQ(said_about([&] { write_file(full, "too much"); }),
            full.string() + ": cannot be written (No space left on device)");
  EXPECT_TRUE(fs::is_character_file(full));
  EXPECT_EQ(files_in(folder.path()), 2);
}

TEST(FileWriter, RefusesFoldersAndSockets) {
  const testing::Folder folder;
  fs::create_directory(folder.path() / "empty");
  EXPECT_EQ(said_about([&] { write_file(folder.path() / "empty", "x"); }),
            (folder.path() / "empty").string() + ": cannot be written (Is a directory)");
  EXPECT_TRUE(fs::is_directory(folder.path() / "empty"));
  const fs::path place = folder.path() / "s";
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::strncpy(address.sun_path, place.c_str(), sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(said_about([&] { write_file(place, "x"); }),
            place.string() + ": is a socket, must be a file, a pipe or a character device");
  EXPECT_TRUE(fs::is_socket(place));
  ::close(socket);
}

TEST(FileWriter, ADescriptorOfThisProcessIsWrittenWhereItStands) {
  const testing::Folder folder;
  const fs::path file = folder.write("log", "");
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(::write(descriptor, "first ", 6), 6);
  write_file("/dev/fd/" + std::to_string(descriptor), "second ");
  ASSERT_EQ(::write(descriptor, "third", 5), 5);
  ::close(descriptor);
  EXPECT_EQ(folder.read("log"), "first second third");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(FileWriter, TakesNamesAsLongAsTheSystemDoes) {
  const testing::Folder folder;
  const std::string name(255, 'n');
  write_file(folder.path() / name, "x");
  EXPECT_EQ(folder.read(name), "x");
}

}  // namespace
}  // namespace acuity::file_writer_test
