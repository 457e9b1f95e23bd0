#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

/// A PostgreSQL database that keeps campaigns: `postgresql://[user[:password]@]host[:port]/database`, with
/// further parameters of libpq after a `?`, as in `?host=/run/postgresql&sslmode=require`. `notify=off` is
/// acuity's own: writers then send no notifications, and readers find out what is new by looking.
class DatabaseAddress {
 public:
  /// True if the text begins with `postgresql://` or `postgres://`.
  static bool recognises(const std::string& text);
  /// An address, even one that cannot be read, without anything in it that may be a password. Other texts
  /// stay as they are.
  static std::string without_secrets(const std::string& text);
  /// Throws InputError, without the password, if the text is not the address of a database.
  explicit DatabaseAddress(const std::string& text);

  /// The address without passwords and other secrets: for sentences, events, titles and reports.
  const std::string& text() const { return text_; }
  /// The parameters of the connection by their names in libpq, with the password if it was given.
  const std::map<std::string, std::string>& connection() const { return connection_; }
  /// The same as one text, `host='db.example' port='5432'`. Has the password: never for a sentence.
  std::string connection_string() const;
  bool notifies() const { return notifies_; }

  bool operator==(const DatabaseAddress& other) const = default;

 private:
  friend class CampaignAddress;
  struct Parsed;
  DatabaseAddress() = default;
  explicit DatabaseAddress(const Parsed& parsed);

  std::string text_;
  std::map<std::string, std::string> connection_;
  bool notifies_ = true;
};

/// Where a campaign is: a folder, or `postgresql://[user[:password]@]host[:port]/database/campaign`. The name
/// may also be a parameter, `?campaign=wing`. In the parts of an address `%2F` stands for a slash and so on.
class CampaignAddress {
 public:
  CampaignAddress() = default;  ///< nowhere: a campaign in memory
  // Implicit, so that a folder or a text will do wherever a campaign is named. A text with an address of a
  // database is never taken for a path, not even if it comes as one. Throw InputError, without the password,
  // if the text begins as the address of a database and is not one of a campaign.
  CampaignAddress(const std::filesystem::path& folder);  // NOLINT(google-explicit-constructor)
  CampaignAddress(const std::string& text);              // NOLINT(google-explicit-constructor)
  CampaignAddress(const char* text);                     // NOLINT(google-explicit-constructor)
  /// The campaign of this name in a database. Throws InputError if it cannot be the name of one.
  CampaignAddress(DatabaseAddress database, std::string name);

  bool is_nowhere() const { return text_.empty(); }
  bool is_folder() const { return !folder_.empty(); }
  bool is_in_database() const { return !name_.empty(); }

  /// Empty unless the campaign is in a folder.
  const std::filesystem::path& folder() const { return folder_; }
  /// Only if the campaign is in a database.
  const DatabaseAddress& database() const { return database_; }
  /// Its name in the database, empty if it is in a folder.
  const std::string& name() const { return name_; }

  /// The folder, or the address without passwords and other secrets: for sentences, events, titles and
  /// reports.
  const std::string& text() const { return text_; }
  /// The same as an argument in a command line that a user may copy: in quotes where a shell needs them.
  std::string argument() const;

  bool operator==(const CampaignAddress& other) const = default;

 private:
  std::filesystem::path folder_;
  DatabaseAddress database_;
  std::string name_, text_;
};

}  // namespace acuity ACUITY_PUBLIC
