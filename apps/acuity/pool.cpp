#include <fmt/format.h>
#include <fmt/ranges.h>

#include "acuity/data/pool_file.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "numerics/text.hpp"
#include "progress.hpp"
#include "text/result_table.hpp"

namespace acuity {

namespace {

std::string facts_text(const PoolFile& file, Format format) {
  const std::string precision = file.single_precision() ? "float" : "double";
  if (format == Format::json) {
    const Json facts{{"file", file.source()},     {"rows", file.rows()},
                     {"columns", file.columns()}, {"id", file.id_column() ? Json(*file.id_column()) : Json()},
                     {"precision", precision},    {"bytes", file.bytes()}};
    return json_text(facts) + "\n";
  }
  if (format == Format::csv)
    return fmt::format("file,rows,columns,id,precision,bytes\n{},{},{},{},{},{}\n", csv_cell(file.source()),
                       file.rows(), csv_cell(fmt::format("{}", fmt::join(file.columns(), " "))),
                       csv_cell(file.id_column().value_or("")), precision, file.bytes());
  return one_line(fmt::format(
             "{}: {} row{}, {} column{} ({}) in {} precision, ids {}, {} bytes", file.source(), file.rows(),
             file.rows() == 1 ? "" : "s", file.columns().size(), file.columns().size() == 1 ? "" : "s",
             fmt::join(file.columns(), ", "), precision,
             file.id_column() ? "from \"" + *file.id_column() + '"' : "are row numbers", file.bytes())) +
         "\n";
}

}  // namespace

ExitCode convert_pool(const PoolConvertArguments& arguments, std::ostream& out, std::ostream& log) {
  std::vector<std::string> left_out;
  {
    StatusLine status(log);
    left_out = convert_to_pool_file(arguments.csv, arguments.out,
                                    {.columns = arguments.inputs,
                                     .id = arguments.id,
                                     .single_precision = arguments.single_precision,
                                     .progress = [&](double share) {
                                       status.show(fmt::format("{}: {:.0f} %", arguments.csv, 100.0 * share));
                                     }});
  }
  if (!left_out.empty())
    write_note(fmt::format("left out of the pool file: {}", fmt::join(left_out, ", ")), log);
  out << facts_text(PoolFile::open(arguments.out), arguments.format);
  return ExitCode::done;
}

ExitCode show_pool(const PoolShowArguments& arguments, std::ostream& out, std::ostream&) {
  const PoolFile file = PoolFile::open(arguments.file);
  file.verify();
  out << facts_text(file, arguments.format);
  if (arguments.format == Format::table) out << "checksum: good\n";
  return ExitCode::done;
}

}  // namespace acuity
