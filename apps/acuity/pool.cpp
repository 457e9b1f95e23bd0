#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "acuity/data/pool_file.hpp"
#include "acuity/data/table.hpp"
#include "acuity/study/study_file.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "progress.hpp"
#include "shared_options.hpp"
#include "study/drawn_pool.hpp"
#include "study/pool_table.hpp"
#include "text/result_table.hpp"

namespace acuity {

namespace {

struct PoolConvertArguments {
  std::string csv, out;
  std::vector<std::string> inputs;  ///< empty: every numeric column but the id
  std::optional<std::string> id;    ///< absent: row numbers
  bool single_precision = false;
  CsvDialect dialect = CsvDialect::automatic;
  Format format = Format::table;
};

struct PoolShowArguments {
  std::string file;
  Format format = Format::table;
};

struct PoolDrawArguments {
  std::string study, out;
};

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
             "{}: {}, {} ({}) in {} precision, ids {}, {} bytes", file.source(), counted(file.rows(), "row"),
             counted(static_cast<std::int64_t>(file.columns().size()), "column"),
             fmt::join(file.columns(), ", "), precision,
             file.id_column() ? "from \"" + *file.id_column() + '"' : "are row numbers", file.bytes())) +
         "\n";
}

ExitCode convert_pool(const PoolConvertArguments& arguments, std::ostream& out, std::ostream& log) {
  std::vector<std::string> left_out;
  {
    StatusLine status(log);
    left_out = convert_to_pool_file(
        arguments.csv, arguments.out,
        {.columns = arguments.inputs.empty() ? std::nullopt : std::optional(arguments.inputs),
         .id = arguments.id,
         .single_precision = arguments.single_precision,
         .tables = tables_read_by(arguments.dialect, log),
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

ExitCode draw_pool_of_study(const PoolDrawArguments& arguments, std::ostream& out, std::ostream& log) {
  const StudyFile study = read_study_file(arguments.study);
  if (!study.drawing) study.complain("pool.file names a table, must be left out for a pool that is drawn");
  // The points of a campaign stay what they are.
  const std::string points =
      study.pool_file.empty() ? write_points(draw_pool(study)) : read_regular_file(study.pool_file);
  if (arguments.out == "-") {
    out << points;
    return ExitCode::done;
  }
  write_file(arguments.out, points);
  const auto lines = std::count(points.begin(), points.end(), '\n');
  write_note(fmt::format("{}: {}", arguments.out, drawing_text(*study.drawing, lines - 1)), log);
  return ExitCode::done;
}

}  // namespace

void add_pool(Program& program) {
  program.begin_family({.name = "pool",
                        .help = "Convert and show binary pool files, and write pools that are drawn",
                        .example = "acuity pool convert points.csv points.pool"});
  auto [convert, converted] = program.add<PoolConvertArguments>(
      {.name = "convert",
       .help = "Write a pool as a binary file, which is mapped into memory instead of read. For large pools; "
               "pool.file accepts it like CSV",
       .example = "acuity pool convert points.csv points.pool --inputs x1,x2 --id case"},
      convert_pool);
  convert.file("IN.csv", "", converted.csv, "CSV file with a header row").required();
  convert.file("OUT.pool", "", converted.out, "File to write; it appears complete or not at all").required();
  convert.comma_list("--inputs", converted.inputs,
                     "Columns to keep: the inputs, and the noise column if the study has one (default: every "
                     "numeric column but the id)");
  convert.option(
      "--id", "COLUMN", [&a = converted](const std::string& word) { a.id = word; },
      "Column with the names of the points (default: row numbers, from 0)");
  convert.choice(
      "--precision", {"double", "float"},
      [&a = converted](const std::string& word) { a.single_precision = word == "float"; },
      "Precision of the stored values (default double); float rounds them to seven digits");
  add_csv_dialect(convert, converted.dialect);
  add_format(convert, converted.format);

  auto [show, shown] =
      program.add<PoolShowArguments>({.name = "show",
                                      .help = "Show what is in a pool file, and check that it is undamaged",
                                      .example = "acuity pool show points.pool"},
                                     show_pool);
  show.file("FILE", "", shown.file, "Pool file").required();
  add_format(show, shown.format);

  auto [draw, drawn] = program.add<PoolDrawArguments>(
      {.name = "draw",
       .help = "Write the points of a study without pool.file, which are drawn in the ranges of its inputs. "
               "Campaigns draw them on their own",
       .example = "acuity pool draw study.toml --out points.csv"},
      draw_pool_of_study);
  draw.file("STUDY", "", drawn.study, "Study file whose inputs have a range or values").required();
  draw.file("--out", "F", drawn.out, "CSV file to write; - prints it").required();
  program.end_family();
}

}  // namespace acuity
