// Runs a fuzz target without libFuzzer: every file of the corpus, then mutations of them for a while.
//   fuzz_csv CORPUS [SECONDS [SEED]]
// Nothing guides the mutations; libFuzzer (./run-checks) searches, this repeats what was found and looks
// around it.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "target.hpp"

namespace {

namespace fs = std::filesystem;
using Bytes = std::string;

Bytes read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void run(const Bytes& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

// What is being tried, for the case that it is the last thing this process does.
class Last {
 public:
  explicit Last(fs::path file) : file_(std::move(file)) {}
  void keep(const Bytes& bytes) const {
    std::ofstream stream(file_, std::ios::binary | std::ios::trunc);
    stream << bytes;
  }
  void remove() const {
    std::error_code ignored;
    fs::remove(file_, ignored);
  }

 private:
  fs::path file_;
};

using Random = std::mt19937_64;

std::size_t below(std::size_t limit, Random& random) {
  return limit == 0 ? 0 : static_cast<std::size_t>(random() % limit);
}

const std::vector<Bytes> words{"0",
                               "-1",
                               "1e308",
                               "1e-320",
                               "nan",
                               "inf",
                               "-inf",
                               "\"",
                               "\"\"",
                               ",",
                               "\n",
                               "\r\n",
                               "[",
                               "]",
                               "{",
                               "}",
                               "=",
                               "[[",
                               "]]",
                               ":",
                               Bytes(1, '\0'),
                               "\x1b[m",
                               "\xff",
                               "\xc0",
                               "\xef",
                               "null",
                               "true",
                               "9e99",
                               "18446744073709551615",
                               "e,e",
                               "\t",
                               "#"};

void mutate(Bytes& bytes, const std::vector<Bytes>& corpus, Random& random) {
  const std::size_t at = below(bytes.size() + 1, random);
  switch (random() % 7) {
    case 0:
      if (at < bytes.size()) bytes[at] = static_cast<char>(random());
      break;
    case 1:
      if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
      break;
    case 2:
      bytes.insert(at, words[below(words.size(), random)]);
      break;
    case 3:
      bytes.erase(at, below(bytes.size() - at + 1, random));
      break;
    case 4:  // a part of itself once more
      bytes.insert(at, bytes.substr(below(bytes.size(), random), 1 + below(40, random)));
      break;
    case 5: {  // a part of another one
      const Bytes& other = corpus[below(corpus.size(), random)];
      bytes.insert(at, other.substr(below(other.size(), random), 1 + below(60, random)));
      break;
    }
    default:  // whole numbers of a binary header
      for (std::size_t k = 0; k < 8 && at + k < bytes.size(); ++k)
        bytes[at + k] = static_cast<char>(random() % 3 == 0 ? 0xff : random() % 2);
  }
  if (bytes.size() > 1 << 16) bytes.resize(1 << 16);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s CORPUS [SECONDS [SEED]]\n", argv[0]);
    return 2;
  }
  const bool thorough = std::getenv("ACUITY_THOROUGH") != nullptr;
  const double seconds = argc > 2 ? std::atof(argv[2]) : thorough ? 5.0 : 0.0;
  Random random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(argv[1])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    std::fprintf(stderr, "%s: there is no file in it, must be a corpus\n", argv[1]);
    return 2;
  }
  const Last last(fs::temp_directory_path() / ("acuity-fuzz-last-" + std::to_string(::getpid())));
  std::vector<Bytes> corpus;
  for (const fs::path& file : files) {
    corpus.push_back(read(file));
    last.keep(corpus.back());
    run(corpus.back());
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::size_t tried = 0;
  while (std::chrono::steady_clock::now() < end) {
    Bytes bytes = corpus[below(corpus.size(), random)];
    for (std::size_t k = 1 + below(6, random); k > 0; --k) mutate(bytes, corpus, random);
    last.keep(bytes);
    run(bytes);
    ++tried;
  }
  last.remove();
  std::printf("%zu files of the corpus and %zu mutations of them\n", corpus.size(), tried);
  return 0;
}
