#pragma once

#include <string_view>
#include <vector>

namespace acuity {

/// A file of the page as it is served. The page itself is "/index.html" and answers "/" and "/label".
struct WebFile {
  std::string_view path;          ///< with a leading slash
  std::string_view content_type;  ///< as the header Content-Type says it
  std::string_view content;
};

/// What web/dist contains, embedded in the program when it was built (cmake/embed_files.cmake).
const std::vector<WebFile>& web_files();

}  // namespace acuity
