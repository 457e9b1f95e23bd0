#include <filesystem>
#include <iostream>
#include <new>
#include <sstream>
#include <stdexcept>

#include "acuity/numerics/errors.hpp"
#include "acuity/numerics/instruction_set.hpp"
#include "command_line.hpp"
#include "data/mapped_file.hpp"
#include "numerics/text.hpp"

namespace acuity {

namespace {

struct Call {
  std::ostream& out;
  std::ostream& log;

  ExitCode operator()(const ScoreArguments& arguments) const { return score(arguments, out, log); }
  ExitCode operator()(const PredictArguments& arguments) const { return predict(arguments, out, log); }
  ExitCode operator()(const FitArguments& arguments) const { return fit(arguments, out, log); }
  ExitCode operator()(const PoolConvertArguments& arguments) const {
    return convert_pool(arguments, out, log);
  }
  ExitCode operator()(const PoolShowArguments& arguments) const { return show_pool(arguments, out, log); }
  ExitCode operator()(const InitArguments& arguments) const { return init(arguments, out, log); }
  ExitCode operator()(const AskArguments& arguments) const { return ask(arguments, out, log); }
  ExitCode operator()(const RunArguments& arguments) const { return run_campaign(arguments, std::cout, log); }
  ExitCode operator()(const TellArguments& arguments) const { return tell(arguments, out, log); }
  ExitCode operator()(const FailArguments& arguments) const { return fail(arguments, out, log); }
  ExitCode operator()(const ReleaseArguments& arguments) const { return release(arguments, out, log); }
  ExitCode operator()(const AmendArguments& arguments) const { return amend(arguments, out, log); }
  ExitCode operator()(const StatusArguments& arguments) const { return status(arguments, out, log); }
  ExitCode operator()(const VerifyArguments& arguments) const { return verify(arguments, out, log); }
  ExitCode operator()(const CheckArguments& arguments) const { return check(arguments, out, log); }
  ExitCode operator()(const ExplainArguments& arguments) const { return explain_choice(arguments, out, log); }
  ExitCode operator()(const ExportArguments& arguments) const { return export_campaign(arguments, out, log); }
  ExitCode operator()(const ReportArguments& arguments) const { return report(arguments, out, log); }
  ExitCode operator()(const BacktestArguments& arguments) const { return backtest(arguments, out, log); }
  ExitCode operator()(const ReproduceArguments& arguments) const { return reproduce(arguments, out, log); }
};

// Messages quote what was found, which may be anything.
void complain(const std::string& sentence) {
  std::cerr << one_line(sentence) << '\n';
}

// Results appear whole or not at all: they are gathered first, and bad input leaves standard output empty.
ExitCode run(int argc, char** argv) {
  std::ostringstream results;
  ExitCode code = ExitCode::done;
  try {
    const auto parsed = parse_command_line(argc, argv, results, std::cerr);
    if (const auto* arguments = std::get_if<Arguments>(&parsed)) {
      instruction_set();  // a wrong wish is said before any work, whatever the command
      code = std::visit(Call{results, std::cerr}, *arguments);
    } else {
      code = std::get<ExitCode>(parsed);
    }
  } catch (const std::invalid_argument& error) {
    complain(error.what());
    return ExitCode::input_error;
  } catch (const NumericalError& error) {
    complain(error.what());
    return ExitCode::input_error;
  } catch (const DifferentStudyError& error) {
    complain(error.what());
    return ExitCode::different_study;
  } catch (const DamagedError& error) {
    complain(error.what());
    return ExitCode::damaged;
  } catch (const OwnedError& error) {
    complain(error.what());
    return ExitCode::damaged;
  } catch (const StoreError& error) {
    complain(error.what());
    return ExitCode::input_error;
  } catch (const std::filesystem::filesystem_error& error) {
    complain(error.path1().string() + ": " + error.code().message());
    return ExitCode::input_error;
  } catch (const std::bad_alloc&) {
    std::cerr << "acuity: not enough memory for this problem\n";
    return ExitCode::internal_error;
  } catch (const std::exception& error) {
    complain(std::string("acuity: internal error: ") + error.what());
    return ExitCode::internal_error;
  }
  std::cout << results.view() << std::flush;
  if (!std::cout) {
    std::cerr << "acuity: standard output cannot be written\n";
    return ExitCode::internal_error;
  }
  return code;
}

}  // namespace

}  // namespace acuity

int main(int argc, char** argv) {
  acuity::exit_if_a_mapped_file_shrinks();
  return static_cast<int>(acuity::run(argc, argv));
}
