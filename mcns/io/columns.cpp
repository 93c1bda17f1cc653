#include "mcns/io/columns.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "mcns/core/error.h"

namespace mcns {
namespace {

using namespace std::string_view_literals;

struct RoleWord {
  std::string_view word;
  Role role;
};

constexpr RoleWord kRoleWords[] = {{"user", Role::kSource},   {"item", Role::kTarget},
                                   {"source", Role::kSource}, {"target", Role::kTarget},
                                   {"weight", Role::kWeight}, {"rating", Role::kRating},
                                   {"time", Role::kTime},     {"label", Role::kLabel}};
constexpr RoleWord kLabelWords[] = {{"node", Role::kSource}, {"label", Role::kLabel}};

// Small letters without blanks and marks between them, without "id" at the end.
constexpr std::string_view kUserWords[] = {
    "user",       "uid",        "users",    "customer",    "reviewer",   "member",   "client",
    "listener",   "visitor",    "buyer",    "reader",      "person",     "viewer",   "account",
    "subscriber", "consumer",   "usuario",  "cliente",     "utente",     "usuário",  "kunde",
    "nutzer",     "benutzer",   "kundennr", "utilisateur", "gebruiker",  "klant",    "användare",
    "bruger",     "käufer",     "acheteur", "kullanıcı",   "użytkownik", "klient",   "пользователь",
    "клиент",     "покупатель", "用户",     "用户编号",    "顾客",       "ユーザー", "ユーザ",
    "顧客",       "사용자",     "고객"};
constexpr std::string_view kItemWords[] = {
    "item",     "iid",      "items",      "movie",    "film",       "business", "artist",
    "product",  "book",     "location",   "sku",      "asin",       "isbn",     "song",
    "track",    "article",  "video",      "anime",    "game",       "app",      "recipe",
    "venue",    "poi",      "joke",       "beer",     "restaurant", "album",    "news",
    "merchant", "course",   "parentasin", "artikel",  "artikelnr",  "produkt",  "produktnr",
    "produit",  "articulo", "artículo",   "producto", "pelicula",   "película", "libro",
    "prodotto", "articolo", "produto",    "livro",    "filme",      "livre",    "buch",
    "boek",     "vara",     "ürün",       "książka",  "товар",      "фильм",    "книга",
    "商品",     "商品编号", "物品",       "电影",     "図書",       "アイテム", "映画",
    "상품",     "영화"};
constexpr std::string_view kSourceWords[] = {
    "source", "src",    "from",   "fromnode",  "head",    "node1",   "id1",      "tail1",
    "sender", "caller", "start",  "startnode", "nodea",   "u",       "follower", "citing",
    "quelle", "von",    "origen", "desde",     "origine", "источник"};
constexpr std::string_view kTargetWords[] = {
    "target",  "dst",   "dest",     "destination", "to",     "tonode", "tail",
    "node2",   "id2",   "receiver", "recipient",   "callee", "end",    "endnode",
    "nodeb",   "v",     "followee", "followed",    "cited",  "ziel",   "nach",
    "destino", "hasta", "vers",     "cible",       "цель"};
constexpr std::string_view kNodeWords[] = {"node",  "",       "vertex", "name",
                                           "paper", "knoten", "noeud"};
constexpr std::string_view kWeightWords[] = {"weight", "w", "count", "value"};
constexpr std::string_view kRatingWords[] = {
    "rating",      "ratings",      "stars",     "star", "score",      "overall",    "starrating",
    "reviewscore", "reviewrating", "bewertung", "note", "valoración", "valoracion", "puntuación",
    "voto",        "avaliação",    "оценка",    "评分", "評価",       "평점"};
constexpr std::string_view kTimeWords[] = {
    "timestamp", "time",        "date",           "datetime", "ts",          "unixtime",
    "epoch",     "when",        "createdat",      "created",  "ratedat",     "updatedat",
    "eventtime", "reviewtime",  "unixreviewtime", "unixts",   "timestampms", "datum",
    "zeit",      "zeitstempel", "fecha",          "hora",     "horodatage",  "время",
    "дата",      "时间",        "时间戳",         "日期",     "日時",        "日付",
    "날짜",      "시간"};
constexpr std::string_view kLabelFileWords[] = {
    "label", "class", "category", "group", "community", "subject", "y", "topic", "klasse", "clase"};
constexpr std::string_view kIndexWords[] = {"index", "unnamed:0", "rownames",  "rowname", "row",
                                            "idx",   "rowno",     "rownumber", "nr",      "no"};

struct KnownWords {
  ColumnWord meaning;
  const std::string_view* begin;
  const std::string_view* end;
};

template <std::size_t n>
constexpr KnownWords known(ColumnWord meaning, const std::string_view (&words)[n]) {
  return {meaning, words, words + n};
}

constexpr KnownWords kWords[] = {
    known(ColumnWord::kUser, kUserWords),     known(ColumnWord::kItem, kItemWords),
    known(ColumnWord::kSource, kSourceWords), known(ColumnWord::kTarget, kTargetWords),
    known(ColumnWord::kWeight, kWeightWords), known(ColumnWord::kRating, kRatingWords),
    known(ColumnWord::kTime, kTimeWords),     known(ColumnWord::kLabel, kLabelFileWords),
    known(ColumnWord::kIndex, kIndexWords),   known(ColumnWord::kNode, kNodeWords)};

/// Small letters of the Latin, Greek and Cyrillic alphabets in UTF-8.
std::string small_letters(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 'A' && byte <= 'Z') {
      out += static_cast<char>(byte - 'A' + 'a');
    } else if (byte >= 0xc3 && byte <= 0xd1 && i + 1 < text.size()) {
      unsigned code = (byte & 0x1fU) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3fU);
      if ((code >= 0xc0 && code <= 0xde) || (code >= 0x391 && code <= 0x3a9) ||
          (code >= 0x410 && code <= 0x42f))
        code += 0x20;
      out += static_cast<char>(0xc0 | code >> 6);
      out += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      out += text[i];
    }
  }
  return out;
}

/// "User_ID", "user id" and "user_id:token" as "userid": column names differ in such things only.
std::string plain_column_name(std::string_view name) {
  for (const auto type : {":token"sv, ":float"sv, ":token_seq"sv, ":float_seq"sv})
    if (name.ends_with(type)) name.remove_suffix(type.size());
  std::string out = small_letters(name);
  std::erase_if(out, [](char c) { return c == '_' || c == '-' || c == ' ' || c == '.'; });
  return out;
}

ColumnWord meaning_of(std::string_view plain) {
  for (const KnownWords& words : kWords)
    if (std::find(words.begin, words.end, plain) != words.end) return words.meaning;
  return ColumnWord::kNone;
}

std::string words_of(std::span<const RoleWord> words) {
  std::string out;
  for (const RoleWord& entry : words) out += (out.empty() ? "" : ", ") + std::string(entry.word);
  return out;
}

}  // namespace

ColumnSpec::ColumnSpec(const std::string& text, const std::string& flag) : flag_(flag) {
  const bool labels = flag != "--columns";
  const std::span<const RoleWord> words =
      labels ? std::span<const RoleWord>(kLabelWords) : std::span<const RoleWord>(kRoleWords);
  std::vector<std::string> ends;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const std::string_view entry = rest.substr(0, comma);
    rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
    const auto equals = entry.find('=');
    require(equals != entry.npos && equals + 1 < entry.size(),
            "{} '{}': expected ROLE=COLUMN, separated by commas; roles: {}", flag, entry,
            words_of(words));
    const std::string_view word = entry.substr(0, equals);
    const auto found = std::ranges::find(words, word, &RoleWord::word);
    if (found == words.end()) {
      std::vector<std::string> known;
      for (const RoleWord& one : words) known.emplace_back(one.word);
      throw_unknown(fmt::format("role in {}", flag), word, known);
    }
    std::optional<std::string>& column = (*this)[found->role];
    require(!column.has_value(), "{} names the column of {} twice", flag, word);
    column = entry.substr(equals + 1);
    if (found->role == Role::kSource || found->role == Role::kTarget) ends.emplace_back(word);
    user_item_ = user_item_ || word == "user" || word == "item";
  }
  if (labels) {
    require((*this)[Role::kSource].has_value() && (*this)[Role::kLabel].has_value(),
            "{} '{}': expected node=COLUMN,label=COLUMN", flag, text);
    return;
  }
  std::ranges::sort(ends);
  const std::vector<std::string> users{"item", "user"}, edges{"source", "target"};
  require(ends.empty() || ends == users || ends == edges,
          "{} '{}': an edge needs both of its columns, user and item or source and target", flag,
          text);
}

ColumnSpec ColumnSpec::of_labels(const std::string& text) {
  return ColumnSpec(text, "--label-columns");
}

ColumnWord column_word(std::string_view name) {
  if (name.empty()) return ColumnWord::kIndex;
  const std::string plain = plain_column_name(name);
  if (const ColumnWord word = meaning_of(plain); word != ColumnWord::kNone) return word;
  for (const auto ending : {"id"sv, "ids"sv, "code"sv, "number"sv})
    if (plain.ends_with(ending)) return meaning_of(plain.substr(0, plain.size() - ending.size()));
  return ColumnWord::kNone;
}

int find_column(const std::string& column, const std::vector<std::string>& names, int columns,
                const std::string& path, const std::string& flag) {
  const auto exact = std::ranges::find(names, column);
  if (exact != names.end()) return static_cast<int>(exact - names.begin());
  const std::string wanted = small_letters(column);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = small_letters(names[i]);
    if (name == wanted || name.substr(0, name.find(':')) == wanted) return static_cast<int>(i);
  }
  int number = 0;
  const auto [end, error] = std::from_chars(column.data(), column.data() + column.size(), number);
  if (error == std::errc{} && end == column.data() + column.size()) {
    require(number >= 1 && number <= columns, "{} names column {}, but {} has {} columns", flag,
            column, path, columns);
    return number - 1;
  }
  require(!names.empty(),
          "{} names column '{}', but {} has no header; give its number, or --header yes", flag,
          column, path);
  throw_unknown(fmt::format("column of {}", path), column, names);
}

}  // namespace mcns
