/* SPDX-License-Identifier: MIT
 *
 * Media types; see media.h. The table has the types that skills contain; other files are text/plain or
 * application/octet-stream.
 */
#include "source/media.h"

#include <string.h>
#include <strings.h>

#include "util/utf8.h"

static const struct {
  const char *extension;
  const char *type;
  bool text;
} types[] = {
    {"md", "text/markdown", true},
    {"markdown", "text/markdown", true},
    {"txt", "text/plain", true},
    {"html", "text/html", true},
    {"htm", "text/html", true},
    {"css", "text/css", true},
    {"csv", "text/csv", true},
    {"tsv", "text/tab-separated-values", true},
    {"js", "text/javascript", true},
    {"mjs", "text/javascript", true},
    {"cjs", "text/javascript", true},
    {"ts", "text/x-typescript", true},
    {"py", "text/x-python", true},
    {"sh", "text/x-shellscript", true},
    {"bash", "text/x-shellscript", true},
    {"rb", "text/x-ruby", true},
    {"go", "text/x-go", true},
    {"rs", "text/x-rust", true},
    {"c", "text/x-c", true},
    {"h", "text/x-c", true},
    {"java", "text/x-java", true},
    {"json", "application/json", true},
    {"jsonl", "application/jsonl", true},
    {"yaml", "application/yaml", true},
    {"yml", "application/yaml", true},
    {"toml", "application/toml", true},
    {"xml", "application/xml", true},
    {"xsd", "application/xml", true},
    {"sql", "application/sql", true},
    {"svg", "image/svg+xml", true},
    {"png", "image/png", false},
    {"jpg", "image/jpeg", false},
    {"jpeg", "image/jpeg", false},
    {"gif", "image/gif", false},
    {"webp", "image/webp", false},
    {"ico", "image/vnd.microsoft.icon", false},
    {"mp3", "audio/mpeg", false},
    {"wav", "audio/wav", false},
    {"mp4", "video/mp4", false},
    {"ttf", "font/ttf", false},
    {"otf", "font/otf", false},
    {"woff", "font/woff", false},
    {"woff2", "font/woff2", false},
    {"zip", "application/zip", false},
    {"gz", "application/gzip", false},
    {"tar", "application/x-tar", false},
    {"wasm", "application/wasm", false},
    {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", false},
    {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", false},
    {"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation", false},
};

const char *skill__media_type(const char *path, bool text) {
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(slash ? slash : path, '.');
  if (dot && !strcasecmp(dot, ".pdf")) return "application/pdf"; /* either: some are plain ASCII */
  for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++) {
    if (types[i].text == text && !strcasecmp(dot + 1, types[i].extension)) return types[i].type;
  }
  return text ? "text/plain" : "application/octet-stream";
}

/* Whether the bytes after the valid part are the beginning of one character. */
static bool is_cut_character(const unsigned char *at, size_t left) {
  size_t need = 0;
  if (at[0] >= 0xc2) need = 2;
  if (at[0] >= 0xe0) need = 3;
  if (at[0] >= 0xf0) need = 4;
  if (at[0] > 0xf4 || left >= need) return false;
  for (size_t i = 1; i < left; i++) {
    if ((at[i] & 0xc0) != 0x80) return false;
  }
  return true;
}

bool skill__media_is_text(const char *data, size_t length, bool whole) {
  if (length && memchr(data, '\0', length)) return false;
  size_t valid = skill__utf8_valid(data, length);
  if (valid == length) return true;
  return !whole && is_cut_character((const unsigned char *)data + valid, length - valid);
}
