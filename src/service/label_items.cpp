#include "service/label_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_image = std::uintmax_t{20} << 20;
constexpr std::array<std::pair<const char*, const char*>, 5> image_types{{{".png", "image/png"},
                                                                          {".jpg", "image/jpeg"},
                                                                          {".jpeg", "image/jpeg"},
                                                                          {".gif", "image/gif"},
                                                                          {".webp", "image/webp"}}};

std::string image_type(const fs::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [known, type] : image_types)
    if (extension == known) return type;
  return "";
}

// Links are followed before the comparison.
bool is_inside(const fs::path& file, const fs::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return end == folder.end() && rest != file.end();
}

}  // namespace

LabelItems::LabelItems(const fs::path& file, fs::path images, const Pool& pool) {
  const Table table = Table::read(file);
  const std::optional<Index> id = table.find("id"), text = table.find("text"), image = table.find("image");
  if (!id || (!text && !image))
    throw InputError(
        fmt::format("{}: must have the column id and at least one of text and image", file.string()));
  if (image && images.empty())
    throw InputError(fmt::format("{}: has a column image, must come with --images DIR", file.string()));
  std::error_code missing;
  if (!images.empty()) images_ = fs::canonical(images, missing);
  if (missing) throw InputError(fmt::format("{}: is no folder that can be read", images.string()));
  for (Index row = 0; row < table.rows(); ++row) {
    const std::string point(table.text(row, *id));
    if (!pool.find(point))
      throw InputError(fmt::format("{}: id is \"{}\", must be that of a pool point", table.where(row),
                                   printable(point, 60)));
    Item& item = items_[point];
    if (text) item.text = std::string(table.text(row, *text));
    if (image && !table.text(row, *image).empty()) item.image = std::string(table.text(row, *image));
  }
}

std::optional<std::string> LabelItems::text(const std::string& point) const {
  const auto found = items_.find(point);
  return found == items_.end() ? std::nullopt : found->second.text;
}

bool LabelItems::has_image(const std::string& point) const {
  const auto found = items_.find(point);
  return found != items_.end() && found->second.image.has_value();
}

std::optional<LabelItems::Image> LabelItems::image(const std::string& point) const {
  if (!has_image(point)) return std::nullopt;
  std::error_code failed;
  const fs::path file = fs::canonical(images_ / *items_.at(point).image, failed);
  const std::string type = image_type(file);
  if (failed || type.empty() || !is_inside(file, images_) || !fs::is_regular_file(file, failed) ||
      fs::file_size(file, failed) > largest_image || failed)
    return std::nullopt;
  std::ifstream stream(file, std::ios::binary);
  return Image{type, std::string(std::istreambuf_iterator<char>(stream), {})};
}

}  // namespace acuity
