/* SPDX-License-Identifier: MIT
 *
 * train-terms: trains the table of terms from folders of SKILL.md files and WordNet.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train.h"

static const char usage[] =
    "usage: train-terms [OPTIONS] FOLDER…\n"
    "\n"
    "Makes the learned table of terms from every SKILL.md below the folders and from WordNet.\n"
    "The same input, options and seed give the same bytes.\n"
    "\n"
    "  -o, --output FILE       the table (terms.skt)\n"
    "      --wordnet FOLDER    WordNet's data files (/usr/share/wordnet), or none\n"
    "      --pairs FILE        further pairs, a line each (docs/terms.md)\n"
    "      --hold-out FILE     names of skills to leave out, one a line\n"
    "      --rows N            tokens with a vector in the table (30000)\n"
    "      --shares N          further tokens of which only the frequency is kept (30000)\n"
    "      --latin             only tokens of plain ASCII: a small table for English alone\n"
    "      --dims N            dimensions, a multiple of 32 (128)\n"
    "      --bits 4|8          of each number in the table (4)\n"
    "      --epochs X          passes over the pairs (1)\n"
    "      --batch N           pairs that compete with each other (768)\n"
    "      --rate X            of learning (0.01)\n"
    "      --temperature X     of the softmax (0.1)\n"
    "      --dropout X         share of tokens left out at random (0.15)\n"
    "      --brief X           share of texts cut to a few tokens, as short requests are (0)\n"
    "      --hard X            share of batches filled with neighbours (0)\n"
    "      --vocabulary N      tokens that are learned (60000)\n"
    "      --least N           texts a token must be in (3)\n"
    "      --source NAME=X     weight of a source of pairs; 0 leaves it out\n"
    "      --seed N            (1)\n"
    "  -h, --help\n";

enum {
  OPT_WORDNET = 256,
  OPT_HOLD,
  OPT_ROWS,
  OPT_SHARES,
  OPT_LATIN,
  OPT_DIMS,
  OPT_BITS,
  OPT_EPOCHS,
  OPT_BATCH,
  OPT_RATE,
  OPT_TEMPERATURE,
  OPT_DROPOUT,
  OPT_BRIEF,
  OPT_HARD,
  OPT_PAIRS,
  OPT_VOCABULARY,
  OPT_LEAST,
  OPT_SOURCE,
  OPT_SEED
};

static const struct option long_options[] = {{"output", 1, NULL, 'o'},
                                             {"wordnet", 1, NULL, OPT_WORDNET},
                                             {"hold-out", 1, NULL, OPT_HOLD},
                                             {"rows", 1, NULL, OPT_ROWS},
                                             {"shares", 1, NULL, OPT_SHARES},
                                             {"latin", 0, NULL, OPT_LATIN},
                                             {"dims", 1, NULL, OPT_DIMS},
                                             {"bits", 1, NULL, OPT_BITS},
                                             {"epochs", 1, NULL, OPT_EPOCHS},
                                             {"batch", 1, NULL, OPT_BATCH},
                                             {"rate", 1, NULL, OPT_RATE},
                                             {"temperature", 1, NULL, OPT_TEMPERATURE},
                                             {"dropout", 1, NULL, OPT_DROPOUT},
                                             {"brief", 1, NULL, OPT_BRIEF},
                                             {"hard", 1, NULL, OPT_HARD},
                                             {"pairs", 1, NULL, OPT_PAIRS},
                                             {"vocabulary", 1, NULL, OPT_VOCABULARY},
                                             {"least", 1, NULL, OPT_LEAST},
                                             {"source", 1, NULL, OPT_SOURCE},
                                             {"seed", 1, NULL, OPT_SEED},
                                             {"help", 0, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

struct settings {
  struct learn_options learn;
  struct output_options output;
  const char *wordnet, *hold_out, *pairs;
  const char *weights[SOURCES_MOST]; /* NAME=X */
  size_t weight_count;
};

static size_t number(const char *text, size_t least, size_t most, const char *what) {
  char *end = NULL;
  unsigned long long value = strtoull(text, &end, 10);
  if (end == text || *end || value < least || value > most)
    die("--%s: a number from %zu to %zu is needed", what, least, most);
  return (size_t)value;
}

static double real(const char *text, double least, double most, const char *what) {
  char *end = NULL;
  double value = strtod(text, &end);
  if (end == text || *end || !(value >= least) || value > most)
    die("--%s: a number from %g to %g is needed", what, least, most);
  return value;
}

static void set_numbers(struct settings *s, int option) {
  switch (option) {
    case OPT_ROWS:
      s->output.rows = number(optarg, 1, 1000000, "rows");
      break;
    case OPT_SHARES:
      s->output.shares = number(optarg, 0, 1000000, "shares");
      break;
    case OPT_DIMS:
      s->learn.dims = number(optarg, 32, 512, "dims");
      break;
    case OPT_BITS:
      s->output.bits = (unsigned)number(optarg, 4, 8, "bits");
      break;
    case OPT_EPOCHS:
      s->learn.epochs = real(optarg, 0, 1000, "epochs");
      break;
    case OPT_BATCH:
      s->learn.batch = number(optarg, 2, 8192, "batch");
      break;
    case OPT_RATE:
      s->learn.rate = real(optarg, 0, 1, "rate");
      break;
    case OPT_TEMPERATURE:
      s->learn.temperature = real(optarg, 0.02, 10, "temperature");
      break;
    case OPT_DROPOUT:
      s->learn.dropout = real(optarg, 0, 0.9, "dropout");
      break;
    case OPT_BRIEF:
      s->learn.brief = real(optarg, 0, 1, "brief");
      break;
    case OPT_HARD:
      s->learn.hard = real(optarg, 0, 1, "hard");
      break;
    case OPT_VOCABULARY:
      s->learn.vocabulary = number(optarg, 1, 1000000, "vocabulary");
      break;
    case OPT_LEAST:
      s->learn.least = number(optarg, 1, 1000000, "least");
      break;
    default:
      s->learn.seed = number(optarg, 0, SIZE_MAX, "seed");
      break;
  }
}

static void read_options(struct settings *s, int argc, char **argv) {
  for (int option; (option = getopt_long(argc, argv, "o:h", long_options, NULL)) != -1;) {
    if (option == 'h') {
      fputs(usage, stdout);
      exit(0);
    }
    if (option == '?') exit(2);
    if (option == 'o') {
      s->output.path = optarg;
    } else if (option == OPT_WORDNET) {
      s->wordnet = strcmp(optarg, "none") == 0 ? NULL : optarg;
    } else if (option == OPT_HOLD) {
      s->hold_out = optarg;
    } else if (option == OPT_PAIRS) {
      s->pairs = optarg;
    } else if (option == OPT_LATIN) {
      s->output.latin = true;
    } else if (option == OPT_SOURCE) {
      if (s->weight_count == SOURCES_MOST || !strchr(optarg, '=')) die("--source: NAME=X is needed");
      s->weights[s->weight_count++] = optarg;
    } else {
      set_numbers(s, option);
    }
  }
  if (s->learn.dims % 32) die("--dims: a multiple of 32 is needed");
  if (s->output.bits != 4 && s->output.bits != 8) die("--bits: 4 or 8 is needed");
  if (optind == argc && !s->wordnet) die("no folders; see --help");
}

static void set_weights(const struct settings *s, struct pool *pool) {
  for (size_t i = 0; i < s->weight_count; i++) {
    const char *equals = strchr(s->weights[i], '=');
    size_t length = (size_t)(equals - s->weights[i]);
    bool found = false;
    for (size_t k = 0; k < pool->source_count; k++) {
      struct source *source = &pool->sources[k];
      if (strlen(source->name) != length || memcmp(source->name, s->weights[i], length) != 0) continue;
      source->weight = real(equals + 1, 0, 1000, "source");
      if (source->weight == 0) source->count = 0;
      found = true;
    }
    if (!found) die("--source %s: there is no such source", s->weights[i]);
  }
}

int main(int argc, char **argv) {
  struct settings s = {.learn = {.dims = 128,
                                 .batch = 768,
                                 .vocabulary = 60000,
                                 .least = 3,
                                 .epochs = 1,
                                 .rate = 0.01,
                                 .temperature = 0.1,
                                 .dropout = 0.15,
                                 .seed = 1},
                       .output = {.rows = 30000, .shares = 30000, .bits = 4, .path = "terms.skt"},
                       .wordnet = "/usr/share/wordnet"};
  read_options(&s, argc, argv);
  struct names *held_out = names_read(s.hold_out);
  struct corpus corpus = {0};
  for (int i = optind; i < argc; i++) corpus_add(&corpus, argv[i], held_out);
  fprintf(stderr, "%zu documents, %zu held out\n", corpus.count, corpus.skipped);
  struct pool pool;
  pool_init(&pool);
  mine_prepare(&pool, &corpus);
  mine_documents(&pool, &corpus, s.learn.seed);
  mine_parallel(&pool, &corpus, s.learn.seed);
  if (s.wordnet) mine_wordnet(&pool, s.wordnet);
  if (s.pairs) mine_given(&pool, s.pairs);
  pool_unique(&pool);
  set_weights(&s, &pool);
  for (size_t i = 0; i < pool.source_count; i++) {
    fprintf(stderr, "  %-14s %7zu pairs, weight %g\n", pool.sources[i].name, pool.sources[i].count,
            pool.sources[i].weight);
  }
  struct model model = {0};
  learn(&pool, &s.learn, &model);
  output_table(&pool, &corpus, &model, &s.output);
  model_free(&model);
  pool_free(&pool);
  corpus_free(&corpus);
  names_free(held_out);
  return 0;
}
