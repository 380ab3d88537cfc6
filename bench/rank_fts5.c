/* SPDX-License-Identifier: MIT
 *
 * SQLite FTS5 for comparison: C API, in memory, contentless, porter stemming, column weights 2, 1, 0.5, ORDER BY rank.
 * The words of a sentence are joined with OR. With detail=column bm25() would be 0 for every row, so detail stays full.
 */
#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/rank_peers.h"

struct fts {
  sqlite3 *db;
  sqlite3_stmt *insert, *select;
};

static void run(sqlite3 *db, const char *sql) {
  char *message = NULL;
  if (sqlite3_exec(db, sql, NULL, NULL, &message) == SQLITE_OK) return;
  fprintf(stderr, "sqlite: %s: %s\n", sql, message);
  exit(1);
}

static void *fts_open(void) {
  struct fts *fts = calloc(1, sizeof *fts);
  BENCH_CHECK(fts && sqlite3_open(":memory:", &fts->db) == SQLITE_OK);
  run(fts->db, "CREATE VIRTUAL TABLE s USING fts5(name, tags, text, body, content='', tokenize='porter unicode61')");
  run(fts->db, "INSERT INTO s(s, rank) VALUES('rank', 'bm25(2.0, 1.0, 0.5, 0.1)')");
  run(fts->db, "BEGIN");
  BENCH_CHECK(sqlite3_prepare_v2(fts->db, "INSERT INTO s(rowid, name, tags, text, body) VALUES(?, ?, ?, ?, ?)", -1,
                                 &fts->insert, NULL) == SQLITE_OK);
  return fts;
}

static void fts_add(void *db, uint32_t number, const char *name, const char *tags, const char *text, const char *body) {
  struct fts *fts = db;
  sqlite3_bind_int64(fts->insert, 1, (sqlite3_int64)number + 1);
  sqlite3_bind_text(fts->insert, 2, name, -1, SQLITE_STATIC);
  sqlite3_bind_text(fts->insert, 3, tags, -1, SQLITE_STATIC);
  sqlite3_bind_text(fts->insert, 4, text, -1, SQLITE_STATIC);
  sqlite3_bind_text(fts->insert, 5, body, -1, SQLITE_STATIC);
  BENCH_CHECK(sqlite3_step(fts->insert) == SQLITE_DONE);
  sqlite3_reset(fts->insert);
}

static void fts_finish(void *db) {
  struct fts *fts = db;
  run(fts->db, "COMMIT");
  run(fts->db, "INSERT INTO s(s) VALUES('optimize')");
  BENCH_CHECK(sqlite3_prepare_v2(fts->db, "SELECT rowid FROM s WHERE s MATCH ? ORDER BY rank LIMIT ?", -1, &fts->select,
                                 NULL) == SQLITE_OK);
}

static size_t fts_query(void *db, const char *text, uint32_t *numbers, size_t limit) {
  struct fts *fts = db;
  char match[16384];
  size_t length = 0, count = 0;
  for (const char *at = text; *at && length + 128 < sizeof match;) {
    while (*at && !isalnum((unsigned char)*at)) at++;
    const char *end = at;
    while (isalnum((unsigned char)*end)) end++;
    if (end > at)
      length += (size_t)snprintf(match + length, sizeof match - length, "%s\"%.*s\"", length ? " OR " : "",
                                 (int)(end - at > 60 ? 60 : end - at), at);
    at = end;
  }
  if (length == 0) return 0;
  sqlite3_bind_text(fts->select, 1, match, (int)length, SQLITE_STATIC);
  sqlite3_bind_int64(fts->select, 2, (sqlite3_int64)limit);
  while (sqlite3_step(fts->select) == SQLITE_ROW && count < limit)
    numbers[count++] = (uint32_t)sqlite3_column_int64(fts->select, 0) - 1;
  sqlite3_reset(fts->select);
  return count;
}

static void fts_close(void *db) {
  struct fts *fts = db;
  sqlite3_finalize(fts->insert);
  sqlite3_finalize(fts->select);
  sqlite3_close(fts->db);
  free(fts);
}

const struct peer peer_fts5 = {"FTS5", fts_open, fts_add, fts_finish, fts_query, fts_close};
