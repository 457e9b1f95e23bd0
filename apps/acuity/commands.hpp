#pragma once

// The program's commands. Each has one file, which declares its options, does the work and prints the result.

namespace acuity {

class Program;

void add_init(Program& program);
void add_check(Program& program);
void add_run(Program& program);
void add_ask(Program& program);
void add_tell(Program& program);
void add_fail(Program& program);
void add_release(Program& program);
void add_amend(Program& program);
void add_status(Program& program);
void add_explain(Program& program);
void add_report(Program& program);
void add_export(Program& program);
void add_verify(Program& program);
void add_score(Program& program);
void add_predict(Program& program);
void add_fit(Program& program);
void add_backtest(Program& program);
void add_pool(Program& program);
void add_reproduce(Program& program);

}  // namespace acuity
