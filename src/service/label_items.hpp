#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "acuity/data/pool.hpp"

namespace acuity {

/// What a person sees of a pool point besides its inputs.
class LabelItems {
 public:
  LabelItems() = default;
  /// A table with the column `id` and at least one of `text` and `image`, the name of a file in `images`.
  /// Throws InputError: with file and line for an id that is not in the pool.
  LabelItems(const std::filesystem::path& table, std::filesystem::path images, const Pool& pool);

  std::optional<std::string> text(const std::string& point) const;
  bool has_image(const std::string& point) const;
  struct Image {
    std::string content_type, content;
  };
  /// Nothing if the point has none, or the file is missing, too large, of another kind, or not inside the
  /// folder.
  std::optional<Image> image(const std::string& point) const;

 private:
  struct Item {
    std::optional<std::string> text, image;
  };
  std::map<std::string, Item> items_;
  std::filesystem::path images_;
};

}  // namespace acuity
