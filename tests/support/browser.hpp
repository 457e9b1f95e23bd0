#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "pictures/svg_canvas.hpp"
#include "support/program.hpp"

// Pages as a browser shows them; Chromium, where there is one.

namespace acuity::testing {

inline bool has_browser() {
  static const bool found =
      run_shell("command -v chromium && command -v timeout", std::filesystem::temp_directory_path())
          .exit_code == 0;
  return found;
}

/// How a page is looked at.
struct Look {
  std::string name;
  int width = 1000;
  bool dark = false;
};

/// What measure_page.js has found.
struct PageFaults {
  int width = 0;                ///< of the page, as the browser has it
  bool dark = false;            ///< and whether it is asked to be dark
  int pictures = 0, texts = 0;  ///< how many were measured
  std::string list;             ///< one fault a line, as HTML writes it
};

// A frame is as narrow as it is told to be; a window is never narrower than 500 pixels.
inline std::string framed(const std::string& page, int width, int height) {
  return "<!DOCTYPE html>\n<html lang=\"en\" style=\"color-scheme:light dark\"><head><meta "
         "charset=\"utf-8\"/></head><body style=\"margin:0\"><iframe "
         "style=\"display:block;border:0;width:" +
         std::to_string(width) + "px;height:" + std::to_string(height) + "px\" srcdoc=\"" +
         escape_markup(page) + "\"></iframe></body></html>\n";
}

/// Opens the page, measures it and keeps a screenshot. Throws where the browser has nothing to say.
inline PageFaults look_at(const std::string& page, const Look& look,
                          const std::filesystem::path& screenshot) {
  constexpr int height = 7000;
  const Folder folder;  // also the browser's home: nothing of it is left
  std::ifstream script(ACUITY_SOURCE_DIR "/tests/support/measure_page.js");
  const std::string measuring{std::istreambuf_iterator<char>(script), {}};
  folder.write("page.html", framed(page + "<script>" + measuring + "</script>\n", look.width, height));
  const ProgramResult shown = run_shell(
      "HOME=$PWD XDG_CONFIG_HOME=$PWD XDG_CACHE_HOME=$PWD timeout -k 5 120 chromium --headless=new "
      "--no-sandbox "
      "--disable-gpu --disable-dev-shm-usage --hide-scrollbars --no-first-run --user-data-dir=$PWD/profile" +
          std::string(look.dark ? " --blink-settings=preferredColorScheme=0" : "") +
          " --window-size=" + std::to_string(look.width) + "," + std::to_string(height) + " --screenshot='" +
          screenshot.string() + "' --dump-dom file://$PWD/page.html",
      folder.path());
  const auto number = [&](const std::string& name) {
    const std::size_t at = shown.out.rfind("data-" + name + "=\"");
    return at == std::string::npos ? 0 : std::atoi(shown.out.c_str() + at + name.size() + 7);
  };
  const std::size_t begin = shown.out.rfind("<pre id=\"faults\" "), end = shown.out.rfind("</pre>");
  if (shown.exit_code != 0 || begin == std::string::npos || end == std::string::npos)
    throw std::runtime_error("chromium did not measure the page: " + shown.err);
  const std::size_t list = shown.out.find('>', begin) + 1;
  return {number("width"), number("dark") == 1, number("pictures"), number("texts"),
          shown.out.substr(list, end - list)};
}

}  // namespace acuity::testing
