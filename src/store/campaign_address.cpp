#include "acuity/store/campaign_address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "acuity/base/errors.hpp"
#include "annotation/command_template.hpp"
#include "base/text.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_campaign_name = 200;

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// "postgresql" of "postgresql://host"; empty if the text does not begin like that.
std::string scheme_of(const std::string& text) {
  const std::size_t end = text.find("://");
  if (end == std::string::npos || end < 2) return "";
  const bool is_word = std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '-' || c == '.';
  });
  return is_word ? lower_case(text.substr(0, end)) : "";
}

// Parameters that may not be shown: those of today, and what future ones are likely to be called.
bool is_secret(const std::string& parameter) {
  const std::string name = lower_case(parameter);
  if (name == "passfile" || name == "sslkey") return false;  // these name files
  for (const char* part : {"pass", "secret", "key", "token"})
    if (name.find(part) != std::string::npos) return true;
  return false;
}

// For sentences about an address that cannot be read, in which a password may be anywhere: hides everything
// from the first colon to the last @, and the values of secret parameters.
std::string hide_secrets(const std::string& address) {
  const std::size_t begin = address.find("://") + 3;
  std::string shown = address.substr(0, begin), rest = address.substr(begin);
  const std::size_t at = rest.rfind('@'), colon = rest.find(':');
  if (at != std::string::npos && colon < at) rest = rest.substr(0, colon) + ":..." + rest.substr(at);
  for (std::size_t from = rest.find('?'); from < rest.size(); from = rest.find('&', from + 1)) {
    const std::size_t equals = rest.find('=', from), end = std::min(rest.find('&', from + 1), rest.size());
    if (equals < end && is_secret(rest.substr(from + 1, equals - from - 1)))
      rest.replace(equals + 1, end - equals - 1, "...");
  }
  return printable(shown + rest, 200);
}

[[noreturn]] void refuse(const std::string& address, const std::string& sentence) {
  throw InputError(hide_secrets(address) + ": " + sentence);
}

// UTF-8 without characters that affect how other text is displayed.
bool is_text(std::string_view text) {
  while (!text.empty()) {
    const base::Character character = base::first_character(text);
    if (!character.valid || base::is_control(character.code)) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

// `what` names the part in a sentence, which does not show it: it may be a password.
std::string decoded(const std::string& address, const std::string& part, const std::string& what) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string text;
  for (std::size_t k = 0; k < part.size(); ++k) {
    if (part[k] != '%') {
      text += part[k];
      continue;
    }
    const int high = k + 2 < part.size() ? digit(part[k + 1]) : -1;
    const int low = high < 0 ? -1 : digit(part[k + 2]);
    if (low < 0)
      refuse(address, fmt::format("{} has a % without two hexadecimal digits, must be written as %25", what));
    text += static_cast<char>(16 * high + low);
    k += 2;
  }
  if (!is_text(text))
    refuse(address, fmt::format("{} has control characters or bytes that are not UTF-8, must be text", what));
  return text;
}

// What a part of an address is written as. Characters beyond ASCII stay: people must be able to read them.
std::string encoded(const std::string& text, std::string_view also_kept = "") {
  std::string part;
  for (const char c : text) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      static_cast<unsigned char>(c) >= 0x80 ||
                      std::string_view("-._~").find(c) != std::string_view::npos ||
                      also_kept.find(c) != std::string_view::npos;
    part += kept ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return part;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace

struct DatabaseAddress::Parsed {
  std::string user, hosts, ports;  // several hosts: separated by commas, as libpq has them
  std::optional<std::string> password;
  std::string authority;  // hosts and ports as they are shown
  std::string database, campaign;
  std::vector<std::pair<std::string, std::string>> parameters;  // as given, without acuity's own
  bool notifies = true;

  explicit Parsed(const std::string& address) {
    const std::string rest = address.substr(address.find("://") + 3);
    const std::size_t query = std::min(rest.find('?'), rest.size());
    const std::size_t path = std::min(rest.find('/'), query);
    read_authority(address, rest.substr(0, path));
    read_path(address, path < query ? rest.substr(path + 1, query - path - 1) : "");
    if (query < rest.size()) read_parameters(address, rest.substr(query + 1));
  }

  std::string text() const {
    std::string shown = "postgresql://";
    if (!user.empty()) shown += encoded(user) + "@";
    shown += authority;
    if (!database.empty() || !campaign.empty()) shown += "/" + encoded(database);
    if (!database.empty() && !campaign.empty()) shown += "/" + encoded(campaign);
    char separator = '?';
    const auto add = [&](const std::string& name, const std::string& value) {
      shown += separator + encoded(name) + "=" + encoded(value, "/,:");
      separator = '&';
    };
    if (database.empty() && !campaign.empty()) add("campaign", campaign);
    for (const auto& [name, value] : parameters)
      if (!is_secret(name)) add(name, value);
    if (!notifies) add("notify", "off");
    return shown;
  }

 private:
  void read_authority(const std::string& address, const std::string& given) {
    std::string servers = given;
    if (const std::size_t at = given.find('@'); at != std::string::npos) {
      if (given.find('@', at + 1) != std::string::npos)
        refuse(address, "it has several @, one in a user or password must be written as %40");
      const std::string person = given.substr(0, at);
      const std::size_t colon = person.find(':');
      user = decoded(address, person.substr(0, colon), "the user");
      if (colon != std::string::npos) password = decoded(address, person.substr(colon + 1), "the password");
      servers = given.substr(at + 1);
    }
    bool any_port = false;
    for (const std::string& server : split(servers, ',')) {
      const std::size_t bracket = server.starts_with("[") ? server.find(']') : 0;
      if (bracket == std::string::npos) refuse(address, "the host has a [ without a ]");
      const std::size_t colon = server.find(':', bracket);
      const bool is_ip6 = bracket > 0;
      if (is_ip6 && bracket + 1 < server.size() && colon != bracket + 1)
        refuse(address, "after the ] of a host must come a colon and the port, or nothing");
      const std::string host =
          is_ip6 ? server.substr(1, bracket - 1)
                 : decoded(address, server.substr(0, std::min(colon, server.size())), "the host");
      const std::string port = colon == std::string::npos ? "" : server.substr(colon + 1);
      if (!port.empty()) require_port(address, port);
      const char* separator = authority.empty() && hosts.empty() && !any_server_ ? "" : ",";
      hosts += separator + host;
      ports += separator + port;
      authority += separator + (is_ip6 ? "[" + host + "]" : encoded(host)) + (port.empty() ? "" : ":" + port);
      any_port = any_port || !port.empty();
      any_server_ = true;
    }
    if (!any_port) ports.clear();
  }

  static void require_port(const std::string& address, const std::string& port) {
    const bool is_number = port.size() <= 5 &&
                           std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!is_number || std::stoi(port) < 1 || std::stoi(port) > 65535)
      refuse(address,
             "the port must be a number from 1 to 65535; a colon or slash in a password must be written "
             "as %3A or %2F");
  }

  void read_path(const std::string& address, const std::string& path) {
    if (path.find('@') != std::string::npos)
      refuse(address, "it has an @ after the host, one in a user, password or name must be written as %40");
    std::vector<std::string> parts = split(path, '/');
    if (parts.size() > 1 && parts.back().empty()) parts.pop_back();  // "/database/"
    if (parts.size() > 2)
      refuse(address,
             fmt::format("it has {} names after the host, must be postgresql://host/database/campaign",
                         parts.size()));
    database = decoded(address, parts[0], "the database");
    if (parts.size() == 2) {
      campaign = decoded(address, parts[1], "the name of the campaign");
      if (database.empty()) refuse(address, "the name of the database is empty");
    }
  }

  void read_parameters(const std::string& address, const std::string& given) {
    for (const std::string& parameter : split(given, '&')) {
      if (parameter.empty()) continue;
      const std::size_t equals = parameter.find('=');
      if (equals == std::string::npos || equals == 0)
        refuse(address, "a parameter after the ? has no name or no value, must be name=value");
      const std::string name = decoded(address, parameter.substr(0, equals), "a parameter");
      take_parameter(address, name,
                     decoded(address, parameter.substr(equals + 1), fmt::format("parameter {}", name)));
    }
  }

  void take_parameter(const std::string& address, const std::string& name, const std::string& value) {
    const auto given_twice = [&] { refuse(address, fmt::format("{} is given twice", name)); };
    if (name == "campaign") {
      if (!campaign.empty()) given_twice();
      if (value.empty()) refuse(address, "campaign is empty, must be the name of a campaign");
      campaign = value;
    } else if (name == "dbname") {
      if (!database.empty()) given_twice();
      database = value;
    } else if (name == "notify") {
      if (value != "on" && value != "off") refuse(address, "notify must be on or off");
      notifies = value == "on";
    } else {
      const bool before = (name == "user" && !user.empty()) || (name == "password" && password) ||
                          (name == "host" && !hosts.empty()) || (name == "port" && !ports.empty());
      const auto same = [&](const auto& one) { return one.first == name; };
      if (before || std::any_of(parameters.begin(), parameters.end(), same)) given_twice();
      parameters.emplace_back(name, value);
    }
  }

  bool any_server_ = false;
};

DatabaseAddress::DatabaseAddress(const Parsed& parsed)
    : text_(parsed.text()),
      connection_(parsed.parameters.begin(), parsed.parameters.end()),
      notifies_(parsed.notifies) {
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) connection_[name] = value;
  };
  add("user", parsed.user);
  add("password", parsed.password.value_or(""));
  add("host", parsed.hosts);
  add("port", parsed.ports);
  add("dbname", parsed.database);
}

bool DatabaseAddress::recognises(const std::string& text) {
  const std::string scheme = scheme_of(text);
  return scheme == "postgresql" || scheme == "postgres";
}

std::string DatabaseAddress::without_secrets(const std::string& text) {
  return scheme_of(text).empty() ? text : hide_secrets(text);
}

DatabaseAddress::DatabaseAddress(const std::string& text) {
  if (!recognises(text))
    throw InputError(fmt::format(
        "\"{}\" is not the address of a database, must be postgresql://host/database", printable(text, 200)));
  const Parsed parsed(text);
  if (!parsed.campaign.empty())
    refuse(text, fmt::format("it names a campaign, \"{}\", must be postgresql://host/database",
                             printable(parsed.campaign, 60)));
  *this = DatabaseAddress(parsed);
}

std::string DatabaseAddress::connection_string() const {
  std::string all;
  for (const auto& [name, value] : connection_) {
    all += (all.empty() ? "" : " ") + name + "='";
    for (const char c : value) {
      if (c == '\'' || c == '\\') all += '\\';
      all += c;
    }
    all += "'";
  }
  return all;
}

CampaignAddress::CampaignAddress(const fs::path& folder) : CampaignAddress(folder.string()) {}

CampaignAddress::CampaignAddress(const char* text) : CampaignAddress(std::string(text)) {}

CampaignAddress::CampaignAddress(const std::string& text) {
  if (!DatabaseAddress::recognises(text)) {
    if (const std::string scheme = scheme_of(text); !scheme.empty())
      refuse(text, fmt::format("\"{}\" is not known, must be a folder or postgresql://host/database/campaign",
                               scheme));
    folder_ = text;
    text_ = text;
    return;
  }
  DatabaseAddress::Parsed parsed(text);
  if (parsed.campaign.empty())
    refuse(text,
           "it names no campaign, must be postgresql://host/database/campaign; to see the campaigns of a "
           "database: acuity list ADDRESS");
  std::string name = std::exchange(parsed.campaign, "");
  *this = CampaignAddress(DatabaseAddress(parsed), std::move(name));
}

CampaignAddress::CampaignAddress(DatabaseAddress database, std::string name)
    : database_(std::move(database)), name_(std::move(name)) {
  const std::string where = database_.text();
  if (name_.empty()) refuse(where, "the name of the campaign is empty");
  // It becomes the name of a folder on the hosts that run annotators.
  if (name_.size() > longest_campaign_name || name_.find('/') != std::string::npos || name_ == "." ||
      name_ == ".." || !is_text(name_))
    refuse(where,
           fmt::format("\"{}\" is not the name of a campaign, must be text of at most {} bytes without "
                       "slashes, and not . or ..",
                       printable(name_, 60), longest_campaign_name));
  DatabaseAddress::Parsed shown(where);
  shown.campaign = name_;
  text_ = shown.text();
}

std::string CampaignAddress::argument() const {
  return shell_argument(text_);
}

}  // namespace acuity
