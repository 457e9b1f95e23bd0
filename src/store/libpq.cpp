#include "store/libpq.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <optional>

#include "acuity/base/errors.hpp"

namespace acuity::libpq {

namespace {

constexpr const char* library_name = "libpq.so.5";

template <typename Function>
bool load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// The library is never closed.
std::optional<Functions> load_functions() {
  void* library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  Functions f{};
  const bool all =
      load(library, "PQconnectStartParams", f.connectStartParams) &&
      load(library, "PQconnectPoll", f.connectPoll) && load(library, "PQfinish", f.finish) &&
      load(library, "PQstatus", f.status) && load(library, "PQerrorMessage", f.errorMessage) &&
      load(library, "PQsetErrorVerbosity", f.setErrorVerbosity) &&
      load(library, "PQsetNoticeProcessor", f.setNoticeProcessor) && load(library, "PQsocket", f.socket) &&
      load(library, "PQbackendPID", f.backendPID) && load(library, "PQexec", f.exec) &&
      load(library, "PQexecParams", f.execParams) && load(library, "PQescapeLiteral", f.escapeLiteral) &&
      load(library, "PQresultStatus", f.resultStatus) &&
      load(library, "PQresultErrorMessage", f.resultErrorMessage) &&
      load(library, "PQresultErrorField", f.resultErrorField) && load(library, "PQntuples", f.ntuples) &&
      load(library, "PQgetvalue", f.getvalue) && load(library, "PQgetlength", f.getlength) &&
      load(library, "PQgetisnull", f.getisnull) && load(library, "PQcmdStatus", f.cmdStatus) &&
      load(library, "PQclear", f.clear) && load(library, "PQconsumeInput", f.consumeInput) &&
      load(library, "PQnotifies", f.notifies) && load(library, "PQfreemem", f.freemem) &&
      load(library, "PQlibVersion", f.libVersion);
  return all ? std::optional(f) : std::nullopt;
}

}  // namespace

const Functions* functions_if_installed() {
  static const std::optional<Functions> loaded = load_functions();
  return loaded ? &*loaded : nullptr;
}

const Functions& functions(const std::string& log) {
  if (const Functions* installed = functions_if_installed()) return *installed;
  throw StoreError(fmt::format(
      "{}: campaigns in PostgreSQL need its client library, {}, which is not installed; on Debian "
      "and Ubuntu: apt install libpq5",
      log, library_name));
}

}  // namespace acuity::libpq
