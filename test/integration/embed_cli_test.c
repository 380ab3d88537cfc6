/* SPDX-License-Identifier: MIT
 *
 * The program's --embed options with a loopback server: vectors are used, are stored, and may be unavailable.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "lib/embed_server.h"
#include "lib/program.h"
#include "lib/tmpdir.h"

struct place {
  struct embed_server *server;
  char *dir;
  char output[20000];
};

static int setup(void **state) {
  struct place *place = calloc(1, sizeof *place);
  place->server = embed_server_start();
  place->dir = tmpdir_make();
  tmpdir_write(place->dir, "set/skills.jsonl",
               "{\"name\":\"mailer\",\"description\":\"sends letters to whom you like\"}\n"
               "{\"name\":\"painter\",\"description\":\"draws pictures\"}\n"
               "{\"name\":\"cook\",\"description\":\"recipes with fish\"}\n");
  /* "whom" is a stop word for the index, and an ordinary word for the server. */
  tmpdir_write(place->dir, "set/queries.jsonl", "{\"id\":\"1\",\"query\":\"whom\",\"relevant\":[\"mailer\"]}\n");
  *state = place;
  return 0;
}

static int teardown(void **state) {
  struct place *place = *state;
  embed_server_stop(place->server);
  tmpdir_remove(place->dir);
  free(place);
  return 0;
}

/* Runs `skillet eval` with the options and returns its status. `output` receives what it printed. */
static int eval(struct place *place, const char *url, const char *options) {
  char command[2000];
  snprintf(command, sizeof command,
           "SKILLET_EMBED_KEY=sk-test %s eval --json --config table= --embed-url %s --embed-model words "
           "--embed-cache %s/cache %s %s/set 2>&1",
           SKILLET_PROGRAM, url, place->dir, options, place->dir);
  return program_shell(command, place->output, sizeof place->output);
}

static void vectors_take_part_and_are_asked_for_once(void **state) {
  struct place *place = *state;
  const char *url = embed_server_url(place->server);
  assert_int_equal(eval(place, url, ""), 0);
  assert_non_null(strstr(place->output, "\"scorer\":\"bm25f+dense\""));
  assert_non_null(strstr(place->output, "\"recall\":{\"1\":1.0000"));
  assert_true(embed_server_saw(place->server, "Bearer sk-test"));
  assert_int_equal(embed_server_texts(place->server), 4);
  embed_server_play(place->server, (struct embed_play){0});
  assert_int_equal(eval(place, url, ""), 0);
  assert_int_equal(embed_server_texts(place->server), 1); /* the query; the vectors of skills are in the cache */
  assert_non_null(strstr(place->output, "\"recall\":{\"1\":1.0000"));
}

static void they_can_be_compared_with_a_ranking_without_them(void **state) {
  struct place *place = *state;
  assert_int_equal(eval(place, embed_server_url(place->server), "--against dense=off"), 0);
  assert_non_null(strstr(place->output, "\"scorer\":\"bm25f+dense\""));
  assert_non_null(strstr(place->output, "\"scorer\":\"bm25f\""));
}

static void a_server_that_fails_is_reported_once_and_words_do_the_work(void **state) {
  struct place *place = *state;
  embed_server_play(place->server, (struct embed_play){.status = 401});
  assert_int_equal(eval(place, embed_server_url(place->server), ""), 0);
  const char *reported =
      strstr(place->output, "skillet eval: ranked without embeddings: the embedding server answered 401");
  assert_non_null(reported);
  assert_null(strstr(reported + 20, "ranked without"));
  assert_non_null(strstr(place->output, "\"scorer\":\"bm25f\""));
}

static void find_shows_what_the_vectors_add(void **state) {
  struct place *place = *state;
  char command[2000];
  snprintf(command, sizeof command,
           "%s find --explain --floor -1 --table '' --embed-url %s --embed-model words --embed-cache '' whom "
           "%s/set/skills.jsonl 2>&1",
           SKILLET_PROGRAM, embed_server_url(place->server), place->dir);
  assert_int_equal(program_shell(command, place->output, sizeof place->output), 0);
  assert_non_null(strstr(place->output, "mailer"));
  assert_non_null(strstr(place->output, "dense"));
}

static void half_given_options_are_refused(void **state) {
  struct place *place = *state;
  assert_int_equal(eval(place, "ftp://x", ""), 2);
  assert_non_null(strstr(place->output, "http://"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      CASE(vectors_take_part_and_are_asked_for_once),
      CASE(they_can_be_compared_with_a_ranking_without_them),
      CASE(a_server_that_fails_is_reported_once_and_words_do_the_work),
      CASE(find_shows_what_the_vectors_add),
      CASE(half_given_options_are_refused),
  };
  return cmocka_run_group_tests_name("embed-cli", tests, NULL, NULL);
}
