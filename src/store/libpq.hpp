#pragma once

#include <cstddef>
#include <string>

// PostgreSQL's client library, opened when a campaign in a database is first used, so that acuity neither
// links nor needs it. Its interface in C, libpq.so.5, has been the same since 2006; what is used of it is
// declared here, and a test compares that with libpq-fe.h.

extern "C" {
typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
}

namespace acuity::libpq {

// A notification, as libpq allocates it.
struct Notify {
  char* channel;
  int process;
  char* text;
  Notify* next;
};

// Values of its enumerations, and codes of the fields of an error.
inline constexpr int connection_ok = 0, connection_bad = 1;
inline constexpr int polling_failed = 0, polling_reading = 1, polling_writing = 2, polling_ok = 3;
inline constexpr int command_ok = 1, tuples_ok = 2;
inline constexpr int errors_verbose = 2;
inline constexpr int field_sqlstate = 'C', field_message = 'M';

/// The functions that are used, each under its name in libpq without PQ. Enumerations are passed as int.
struct Functions {
  PGconn* (*connectStartParams)(const char* const* keywords, const char* const* values, int expand_dbname);
  int (*connectPoll)(PGconn*);
  void (*finish)(PGconn*);
  int (*status)(const PGconn*);
  char* (*errorMessage)(const PGconn*);
  int (*setErrorVerbosity)(PGconn*, int);
  void (*(*setNoticeProcessor)(PGconn*, void (*)(void*, const char*), void*))(void*, const char*);
  int (*socket)(const PGconn*);
  int (*backendPID)(const PGconn*);
  PGresult* (*exec)(PGconn*, const char* statement);
  PGresult* (*execParams)(PGconn*, const char* statement, int count, const unsigned* types,
                          const char* const* values, const int* lengths, const int* formats,
                          int result_format);
  char* (*escapeLiteral)(PGconn*, const char* text, std::size_t bytes);
  int (*resultStatus)(const PGresult*);
  char* (*resultErrorMessage)(const PGresult*);
  char* (*resultErrorField)(const PGresult*, int field);
  int (*ntuples)(const PGresult*);
  char* (*getvalue)(const PGresult*, int row, int column);
  int (*getlength)(const PGresult*, int row, int column);
  int (*getisnull)(const PGresult*, int row, int column);
  char* (*cmdStatus)(PGresult*);
  void (*clear)(PGresult*);
  int (*consumeInput)(PGconn*);
  Notify* (*notifies)(PGconn*);
  void (*freemem)(void*);
  int (*libVersion)();
};

/// Null if the library is not installed.
const Functions* functions_if_installed();
/// Throws StoreError with a sentence that begins with `log` and names the package.
const Functions& functions(const std::string& log);

}  // namespace acuity::libpq
