#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <Eigen/Core>

namespace acuity::base {

/// Values one after another as bytes, for messages between processes of one program on machines of one kind.
class ByteWriter {
 public:
  template <typename Value>
    requires std::is_trivially_copyable_v<Value>
  void put(const Value& value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put(std::string_view text) {
    put(text.size());
    text_ += text;
  }
  void put(const Eigen::VectorXd& values) {
    put(std::string_view(reinterpret_cast<const char*>(values.data()),
                         static_cast<std::size_t>(values.size()) * sizeof(double)));
  }
  void put(const std::vector<double>& values) {
    put(std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Reads them in the same order. The text must outlive the reader.
class ByteReader {
 public:
  explicit ByteReader(std::string_view text) : rest_(text) {}

  template <typename Value>
    requires std::is_trivially_copyable_v<Value>
  Value get() {
    Value value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(view()); }
  std::vector<double> numbers() {
    const std::string_view bytes = view();
    std::vector<double> values(bytes.size() / sizeof(double));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  Eigen::VectorXd vector() {
    const std::string_view bytes = view();
    Eigen::VectorXd values(static_cast<Eigen::Index>(bytes.size() / sizeof(double)));
    if (values.size() > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view view() { return take(get<std::size_t>()); }
  std::string_view take(std::size_t bytes) {
    if (bytes > rest_.size()) throw std::logic_error("a message between ranks is cut off");
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view rest_;
};

}  // namespace acuity::base
