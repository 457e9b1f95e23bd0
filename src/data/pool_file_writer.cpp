#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "acuity/base/errors.hpp"
#include "acuity/data/pool_file.hpp"
#include "data/csv_scanner.hpp"
#include "data/file_writer.hpp"
#include "data/mapped_file.hpp"
#include "data/pool_file_format.hpp"

namespace acuity {

namespace {

// Writes everything after the header in large blocks and computes the checksum.
class DataWriter {
 public:
  explicit DataWriter(FileWriter& file) : file_(file) {}

  void write(const void* data, std::size_t bytes) {
    const char* next = static_cast<const char*>(data);
    while (bytes > 0) {
      const std::size_t some = std::min(bytes, buffer_.size() - used_);
      std::memcpy(buffer_.data() + used_, next, some);
      used_ += some, next += some, bytes -= some, written_ += some;
      if (used_ == buffer_.size()) flush();
    }
  }
  // Pads with zeros to the next multiple.
  void pad(std::uint64_t multiple) {
    static constexpr char zeros[pool_format::alignment] = {};
    write(zeros, (multiple - written_ % multiple) % multiple);
  }
  // The checksum, after padding to 8 bytes.
  std::uint64_t checksum() {
    flush();
    return checksum_.value();
  }
  std::uint64_t written() const { return written_; }

 private:
  void flush() {
    checksum_.take({buffer_.data(), used_});
    file_.write(buffer_.data(), used_);
    used_ = 0;
  }

  FileWriter& file_;
  std::vector<char> buffer_ = std::vector<char>(1 << 20);
  std::size_t used_ = 0;
  std::uint64_t written_ = 0;
  base::Checksum checksum_;
};

class Converter {
 public:
  Converter(const std::filesystem::path& csv, const PoolFileOptions& options)
      : source_(csv.string()),
        file_(csv, MappedFile::Allowed::pipes_too),
        text_(file_.bytes()),
        options_(options) {
    if (text_.starts_with(pool_format::magic))
      throw InputError(source_ + ": is a pool file already, must be a CSV file");
    rewritten_ = plain_csv(text_, source_, options.tables);
    if (rewritten_) text_ = *rewritten_;
    csv::Scanner scanner(text_, source_);
    header_ = csv::read_header(scanner, text_, source_);
    if (options.id) id_ = position(*options.id, "--id");
    passes_ = options.columns ? 1 : 2;
    names_ = options.columns
                 ? *options.columns
                 : csv::numeric_columns(header_, count_numbers(), options.id, source_, "--inputs");
    for (const std::string& name : names_) {
      columns_.push_back(position(name, "--inputs"));
      if (columns_.back() == id_)
        throw InputError(fmt::format("{}:1: column \"{}\" is the id and an input, must be one of them",
                                     source_, csv::shown(name)));
      if (std::count(names_.begin(), names_.end(), name) > 1)
        throw InputError(
            fmt::format("--inputs names \"{}\" twice, must be a list without repetitions", name));
    }
    if (names_.empty()) throw InputError("--inputs names no column, must name at least one");
  }

  void write(const std::filesystem::path& out) {
    const std::string names = packed_names();
    pool_format::Header header{.magic = {},
                               .version = pool_format::version,
                               .value_bytes = options_.single_precision ? 4U : 8U,
                               .rows = 0,
                               .columns = columns_.size(),
                               .header_bytes = pool_format::padded(sizeof header + names.size()),
                               .id_bytes = 0,
                               .data_checksum = 0,
                               .header_checksum = 0};
    std::copy(pool_format::magic.begin(), pool_format::magic.end(), header.magic.begin());
    FileWriter file(out, FileWriter::Streams::refused);  // the header is written last
    std::string head(header.header_bytes, '\0');
    std::copy(names.begin(), names.end(), head.begin() + sizeof header);
    file.write(head.data(), head.size());

    DataWriter data(file);
    header.rows = write_values(data);
    data.pad(pool_format::alignment);
    const std::uint64_t values = data.written();
    if (id_) write_ids(data);
    header.id_bytes = data.written() - values;
    header.data_checksum = data.checksum();

    std::memcpy(head.data(), &header, sizeof header);
    base::Checksum checksum;
    checksum.take({head.data(), head.size()});
    header.header_checksum = checksum.value();
    file.overwrite_start(&header, sizeof header);
    file.commit();
  }

  std::vector<std::string> left_out() const {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < header_.size(); ++k)
      if (k != id_ && std::find(columns_.begin(), columns_.end(), k) == columns_.end())
        names.push_back(header_[k]);
    return names;
  }

 private:
  // Calls visit(line, cell) for every row, where cell(k) is the text of column k; returns the number of rows.
  template <typename Visit>
  std::uint64_t for_each_row(const Visit& visit) {
    csv::Scanner scanner(text_, source_);
    std::vector<std::uint32_t> cells;
    scanner.next(cells);  // the header
    std::uint64_t rows = 0;
    for (cells.clear(); scanner.next(cells); cells.clear(), ++rows) {
      csv::check_width(cells.size() - 1, header_.size(), scanner, source_);
      const char* record = text_.data() + scanner.begin();
      visit(scanner.line(),
            [&](std::size_t k) { return std::string_view(record + cells[k], cells[k + 1] - cells[k] - 1); });
      if (options_.progress && rows % 65536 == 0)
        options_.progress(
            (passes_done_ + static_cast<double>(scanner.at()) / static_cast<double>(text_.size())) / passes_);
    }
    ++passes_done_;
    if (rows == 0) throw InputError(source_ + ":1: the pool has no rows, must have at least one");
    return rows;
  }

  std::vector<csv::ColumnCount> count_numbers() {
    std::vector<csv::ColumnCount> counts(header_.size());
    for_each_row([&](std::int64_t, const auto& cell) {
      for (std::size_t k = 0; k < header_.size(); ++k) {
        if (k == id_) continue;
        const bool number = csv::number_in(cell(k)).has_value();
        counts[k].numbers += number ? 1 : 0;
        counts[k].filled += number || !csv::is_empty(cell(k)) ? 1 : 0;
      }
    });
    return counts;
  }

  std::uint64_t write_values(DataWriter& data) {
    std::vector<double> values(columns_.size());
    std::vector<float> floats(columns_.size());
    return for_each_row([&](std::int64_t line, const auto& cell) {
      const auto complain = [&](std::size_t column, std::string_view requirement) {
        csv::complain(fmt::format("{}:{}", source_, line), header_[column], csv::unquote(cell(column)),
                      requirement);
      };
      for (std::size_t k = 0; k < columns_.size(); ++k) {
        const std::optional<double> value = csv::number_in(cell(columns_[k]));
        if (!value || !std::isfinite(*value)) complain(columns_[k], "a finite number");
        values[k] = *value;
        if (!options_.single_precision) continue;
        if (std::abs(*value) > std::numeric_limits<float>::max())
          complain(columns_[k], "at most 3.4e38, with --precision float");
        floats[k] = static_cast<float>(*value);
      }
      if (options_.single_precision)
        data.write(floats.data(), floats.size() * sizeof(float));
      else
        data.write(values.data(), values.size() * sizeof(double));
      if (!id_) return;
      const std::string id = csv::unquote(cell(*id_));
      if (id.empty()) complain(*id_, "an id");
      id_begin_.push_back(id_text_.size());
      id_text_ += id;
    });
  }

  // Sorted once here, so that readers of the file can find ids without building a hash table.
  void write_ids(DataWriter& data) {
    id_begin_.push_back(id_text_.size());
    const auto text = [this](std::uint64_t row) {
      return std::string_view(id_text_).substr(id_begin_[row], id_begin_[row + 1] - id_begin_[row]);
    };
    std::vector<std::uint64_t> sorted(id_begin_.size() - 1);
    std::iota(sorted.begin(), sorted.end(), 0);
    std::sort(sorted.begin(), sorted.end(), [&](std::uint64_t a, std::uint64_t b) {
      const int order = text(a).compare(text(b));
      return order < 0 || (order == 0 && a < b);
    });
    std::uint64_t again = std::numeric_limits<std::uint64_t>::max(),
                  before = 0;  // the earlier row with the same id
    for (std::size_t k = 1; k < sorted.size(); ++k)
      if (text(sorted[k - 1]) == text(sorted[k]) && sorted[k] < again)
        again = sorted[k], before = sorted[k - 1];
    if (again < sorted.size())
      throw InputError(fmt::format("{}:{}: id \"{}\" is already used at {}:{}, must be unique", source_,
                                   line_of(again), csv::shown(text(again)), source_, line_of(before)));
    data.write(id_begin_.data(), id_begin_.size() * 8);
    data.write(sorted.data(), sorted.size() * 8);
    data.write(id_text_.data(), id_text_.size());
    data.pad(8);
  }

  // Line numbers are not stored, because this error is rare; the file is read again to find them.
  std::int64_t line_of(std::uint64_t row) {
    std::uint64_t next = 0;
    std::int64_t found = 0;
    for_each_row([&](std::int64_t line, const auto&) {
      if (next++ == row) found = line;
    });
    return found;
  }

  std::size_t position(const std::string& name, const char* option) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    if (found != header_.end()) return static_cast<std::size_t>(found - header_.begin());
    std::vector<std::string> names;
    for (const std::string& column : header_) names.push_back('"' + csv::shown(column) + '"');
    if (names.size() > 12) names.erase(names.begin() + 12, names.end()), names.emplace_back("...");
    throw InputError(fmt::format("{}:1: column \"{}\" is missing, must be there for {}; the header has {}",
                                 source_, csv::shown(name), option, fmt::join(names, ", ")));
  }

  std::string packed_names() const {
    std::string packed;
    const auto add = [&packed](const std::string& name) {
      const auto length = static_cast<std::uint32_t>(name.size());
      packed.append(reinterpret_cast<const char*>(&length), sizeof length);
      packed += name;
    };
    for (const std::string& name : names_) add(name);
    if (id_) add(*options_.id);
    return packed;
  }

  std::string source_;
  MappedFile file_;
  std::string_view text_;
  std::optional<std::string> rewritten_;  // with commas, if the file has other separators
  const PoolFileOptions& options_;
  std::vector<std::string> header_, names_;
  std::optional<std::size_t> id_;
  std::vector<std::size_t> columns_;
  double passes_ = 1.0, passes_done_ = 0.0;
  std::string id_text_;
  std::vector<std::uint64_t> id_begin_;
};

}  // namespace

std::vector<std::string> convert_to_pool_file(const std::filesystem::path& csv,
                                              const std::filesystem::path& out,
                                              const PoolFileOptions& options) {
  Converter converter(csv, options);
  converter.write(out);
  return converter.left_out();
}

}  // namespace acuity
