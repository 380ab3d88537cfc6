// SPDX-License-Identifier: MIT
//
// Xapian's in-memory backend for comparison: one term space, name 4, tags 2, description 1, Snowball English, OR of
// the words. Built only if libxapian-dev and a C++ compiler are installed.
#include <xapian.h>

#include "bench/rank_peers.h"

namespace {

struct Engine {
  Xapian::WritableDatabase db{"", Xapian::DB_BACKEND_INMEMORY};
  Xapian::TermGenerator terms;
  Xapian::Stem stem{"en"};
};

void *open() {
  auto *engine = new Engine;
  engine->terms.set_stemmer(engine->stem);
  engine->terms.set_stemming_strategy(Xapian::TermGenerator::STEM_ALL);
  return engine;
}

void add(void *db, uint32_t, const char *name, const char *tags, const char *text, const char *body) {
  auto *engine = static_cast<Engine *>(db);
  Xapian::Document document;
  engine->terms.set_document(document);
  engine->terms.index_text_without_positions(name, 4);
  engine->terms.index_text_without_positions(tags, 2);
  engine->terms.index_text_without_positions(text, 1);
  if (body) engine->terms.index_text_without_positions(body, 1);
  engine->db.add_document(document);
}

void finish(void *db) {
  static_cast<Engine *>(db)->db.commit();
}

size_t query(void *db, const char *text, uint32_t *numbers, size_t limit) {
  auto *engine = static_cast<Engine *>(db);
  std::vector<std::string> terms;
  Xapian::Document document;
  Xapian::TermGenerator split;
  split.set_stemmer(engine->stem);
  split.set_stemming_strategy(Xapian::TermGenerator::STEM_ALL);
  split.set_document(document);
  split.index_text_without_positions(text);
  for (auto it = document.termlist_begin(); it != document.termlist_end(); ++it) terms.push_back(*it);
  Xapian::Enquire enquire(engine->db);
  enquire.set_query(Xapian::Query(Xapian::Query::OP_OR, terms.begin(), terms.end()));
  Xapian::MSet found = enquire.get_mset(0, static_cast<Xapian::doccount>(limit));
  size_t count = 0;
  for (auto it = found.begin(); it != found.end() && count < limit; ++it) numbers[count++] = *it - 1;
  return count;
}

void close(void *db) {
  delete static_cast<Engine *>(db);
}

}  // namespace

extern "C" const peer peer_xapian;
extern "C" const peer peer_xapian = {"Xapian", open, add, finish, query, close};
