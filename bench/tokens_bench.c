/* SPDX-License-Identifier: MIT
 *
 * Exact counting compared with npm's tokenizers, in one run on the same documents.
 *
 *   tokens_bench [-e ENCODING] [FOLDER…]     default: ../shared/corpus/sample, else the source tree
 *
 * Text files are cut into documents of about 8 KB and classified as English, Chinese and code; "mixed" is all of them.
 * Times are CPU times: the first pass (with our caches cold) and the best of the later ones. Asserted: the counts equal
 * tiktoken's for each class. Printed: how the time for one unbroken run of letters grows with its length. The other
 * tokenizers are measured if node and the packages are in node_modules or in the folder that SKILLET_NODE_MODULES
 * names.
 */
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "skillet/tokens.h"
#include "util/json.h"
#include "util/utf8.h"

enum { ENGLISH, CHINESE, CODE, KINDS };
enum { DOCUMENT = 8192, MOST = 4096 };

static const char *const kind_names[KINDS] = {"English", "Chinese", "code"};
/* Bytes of each class: 40 % English, 23 % Chinese, 37 % code. */
static const size_t quota[KINDS] = {2000000, 1150000, 1800000};

struct document {
  int kind;
  size_t length;
  char *text;
};

static struct document documents[MOST];
static size_t document_count;
static size_t bytes[KINDS];

static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int kind_of(const char *text, size_t length, bool prose) {
  size_t wide = 0;
  for (size_t i = 0; i < length; i++) wide += (unsigned char)text[i] >= 0xe4 && (unsigned char)text[i] <= 0xe9;
  if (wide * 8 > length) return CHINESE;
  return prose ? ENGLISH : CODE;
}

static void add_document(const char *text, size_t length, bool prose) {
  int kind = kind_of(text, length, prose);
  if (document_count == MOST || bytes[kind] >= quota[kind]) return;
  char *copy = malloc(length);
  if (!copy) return;
  memcpy(copy, text, length);
  documents[document_count++] = (struct document){kind, length, copy};
  bytes[kind] += length;
}

static int add_file(const char *path, const struct stat *info, int flag, struct FTW *ftw) {
  static char text[1 << 20];
  if (flag != FTW_F || info->st_size < 64) return 0;
  const char *dot = strrchr(path + ftw->base, '.');
  FILE *file = fopen(path, "rb");
  size_t length = file ? fread(text, 1, sizeof text, file) : 0;
  if (file) fclose(file);
  if (!length || memchr(text, 0, length) || skill__utf8_valid(text, length) + 4 < length) return 0;
  bool prose = dot && (!strcmp(dot, ".md") || !strcmp(dot, ".txt"));
  for (size_t at = 0; at < length;) {
    size_t end = length - at > DOCUMENT ? skill__utf8_floor(text, at + DOCUMENT) : length;
    size_t valid = skill__utf8_valid(text + at, end - at);
    if (valid) add_document(text + at, valid, prose);
    at = end;
  }
  return 0;
}

struct measure {
  size_t tokens[KINDS];
  double first[KINDS]; /* seconds per byte */
  double warm[KINDS];
};

static double pass(SkillTokenizer *tokenizer, int kind, size_t *tokens) {
  double start = cpu_now();
  *tokens = 0;
  for (size_t i = 0; i < document_count; i++) {
    if (documents[i].kind == kind) *tokens += tokenizer->count(tokenizer, documents[i].text, documents[i].length);
  }
  return cpu_now() - start;
}

static void measure(SkillTokenizer *tokenizer, struct measure *m) {
  for (int kind = 0; kind < KINDS; kind++) {
    if (!bytes[kind]) continue;
    m->first[kind] = pass(tokenizer, kind, &m->tokens[kind]) / (double)bytes[kind];
    m->warm[kind] = INFINITY;
    for (int i = 0; i < 15; i++) {
      size_t again = 0;
      double t = pass(tokenizer, kind, &again) / (double)bytes[kind];
      if (t < m->warm[kind]) m->warm[kind] = t;
    }
  }
}

/* MB/s for the classes `from` to `to`. */
static double rate(const double *per_byte, int from, int to) {
  double seconds = 0;
  double all = 0;
  for (int kind = from; kind < to; kind++) {
    seconds += bytes[kind] ? per_byte[kind] * (double)bytes[kind] : 0;
    all += (double)bytes[kind];
  }
  return all / seconds / 1e6;
}

static void print_row(const char *name, const struct measure *m) {
  printf("%-16s", name);
  for (int kind = 0; kind < KINDS; kind++) {
    if (bytes[kind]) printf("  %6.1f /%6.1f", rate(m->first, kind, kind + 1), rate(m->warm, kind, kind + 1));
  }
  printf("  %6.1f /%6.1f\n", rate(m->first, 0, KINDS), rate(m->warm, 0, KINDS));
}

static double load_ms(const char *encoding) {
  double best = INFINITY;
  for (int i = 0; i < 20; i++) {
    SkillTokenizer *tokenizer = NULL;
    double start = cpu_now();
    if (skill_tokenizer_open(encoding, NULL, &tokenizer, NULL)) return -1;
    skill_tokens_count(tokenizer, "warm", 4);
    double t = cpu_now() - start;
    if (t < best) best = t;
    skill_tokenizer_free(tokenizer);
  }
  return best * 1000;
}

static double run_seconds(SkillTokenizer *tokenizer, size_t length) {
  char *text = malloc(length);
  if (!text) return -1;
  memset(text, 'a', length);
  double best = INFINITY;
  for (int i = 0; i < 40; i++) {
    double start = cpu_now();
    int repeats = (int)(400000 / length) + 1;
    for (int r = 0; r < repeats; r++) tokenizer->count(tokenizer, text, length);
    double t = (cpu_now() - start) / repeats;
    if (t < best) best = t;
  }
  free(text);
  return best;
}

static void growth(SkillTokenizer *tokenizer) {
  double small = run_seconds(tokenizer, 2000);
  double large = run_seconds(tokenizer, 32000);
  double exponent = log(large / small) / log(16.0);
  printf("one run of letters: 2,000 in %.3f ms, 32,000 in %.3f ms: grows with n^%.2f (goal: at most 1.15)\n",
         small * 1000, large * 1000, exponent);
}

static bool write_documents(const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  for (size_t i = 0; i < document_count; i++) {
    uint32_t head[2] = {(uint32_t)documents[i].kind, (uint32_t)documents[i].length};
    if (fwrite(head, sizeof head, 1, file) != 1 || fwrite(documents[i].text, 1, documents[i].length, file) == 0) break;
  }
  return fclose(file) == 0;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The error of the estimate for these documents. */
static void estimate_error(SkillTokenizer *tokenizer) {
  static double off[MOST];
  double real = 0;
  double guess = 0;
  for (size_t i = 0; i < document_count; i++) {
    double exact = (double)tokenizer->count(tokenizer, documents[i].text, documents[i].length);
    double estimate = (double)skill_tokens_count(NULL, documents[i].text, documents[i].length);
    off[i] = fabs(estimate - exact) / exact;
    real += exact;
    guess += estimate;
  }
  if (!document_count) return;
  qsort(off, document_count, sizeof *off, by_size);
  printf("the estimate is off by %.1f %% (median), %.1f %% (95 of 100 documents), %+.1f %% in all\n",
         off[document_count / 2] * 100, off[document_count * 95 / 100] * 100, (guess / real - 1) * 100);
}

static void read_numbers(const cJSON *object, const char *key, double *out, double scale) {
  const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, key);
  for (int kind = 0; kind < KINDS; kind++) {
    const cJSON *item = cJSON_GetArrayItem(array, kind);
    out[kind] = cJSON_IsNumber(item) ? item->valuedouble * scale : 0;
  }
}

static bool peer_row(const char *line, const struct measure *own, double own_load) {
  cJSON *object = NULL;
  if (skill__json_parse(line, strlen(line), NULL, &object, NULL)) return false;
  const char *peer = skill__json_string(object, "peer");
  const char *error = skill__json_string(object, "error");
  bool same = true;
  if (error) {
    printf("%-16s  not measured: %s\n", peer, error);
  } else {
    struct measure m;
    double tokens[KINDS];
    read_numbers(object, "tokens", tokens, 1);
    read_numbers(object, "first", m.first, 1e-6);
    read_numbers(object, "warm", m.warm, 1e-6);
    print_row(peer, &m);
    double load = cJSON_GetObjectItemCaseSensitive(object, "load_ms")->valuedouble;
    printf("  skillet is %.1f times as fast warm on the mix; ready %.0f times sooner (%.0f ms)\n",
           rate(own->warm, 0, KINDS) / rate(m.warm, 0, KINDS), load / own_load, load);
    for (int kind = 0; kind < KINDS; kind++) {
      if (bytes[kind] && (size_t)tokens[kind] != own->tokens[kind]) {
        printf("  counts differ on %s: %.0f here, %zu by skillet\n", kind_names[kind], tokens[kind], own->tokens[kind]);
        same = strcmp(peer, "tiktoken") != 0;
      }
    }
  }
  cJSON_Delete(object);
  return same;
}

static bool peers(const char *encoding, const struct measure *own, double own_load) {
  const char *set = getenv("SKILLET_NODE_MODULES");
  char modules[1024];
  char command[4096];
  char line[8192];
  char path[] = "/tmp/skillet-bench-XXXXXX";
  snprintf(modules, sizeof modules, "%s", set && *set ? set : SKILLET_SOURCE_DIR "/node_modules");
  if (access(modules, R_OK)) {
    printf("peers: no node_modules (npm install tiktoken gpt-tokenizer ai-tokenizer)\n");
    return true;
  }
  int fd = mkstemp(path);
  bool fine = fd >= 0 && write_documents(path);
  if (fd >= 0) close(fd);
  snprintf(command, sizeof command, "node %s/bench/tokens_peers.mjs %s %s %s 2", SKILLET_SOURCE_DIR, modules, encoding,
           path);
  FILE *out = fine ? popen(command, "r") : NULL;
  while (out && fgets(line, sizeof line, out)) fine = peer_row(line, own, own_load) && fine;
  if (out) pclose(out);
  remove(path);
  return fine;
}

int main(int argc, char **argv) {
  const char *encoding = "o200k_base";
  int option;
  while ((option = getopt(argc, argv, "e:")) != -1) {
    if (option != 'e') return 2;
    encoding = optarg;
  }
  SkillTokenizer *tokenizer = NULL;
  SkillError err = SKILL_ERROR_INIT;
  if (skill_tokenizer_open(encoding, NULL, &tokenizer, &err)) {
    printf("tokens_bench: %s: nothing measured\n", err.message);
    return 77;
  }
  if (optind == argc) {
    const char *sample = SKILLET_SOURCE_DIR "/../shared/corpus/sample";
    nftw(access(sample, R_OK) ? SKILLET_SOURCE_DIR : sample, add_file, 32, FTW_PHYS);
  }
  for (int i = optind; i < argc; i++) nftw(argv[i], add_file, 32, FTW_PHYS);
  struct measure own = {{0}, {0}, {0}};
  measure(tokenizer, &own);
  double load = load_ms(encoding);
  printf("%s: %zu documents", encoding, document_count);
  for (int kind = 0; kind < KINDS; kind++) printf(", %.2f MB %s", (double)bytes[kind] / 1e6, kind_names[kind]);
  printf("\nMB/s first/warm ");
  for (int kind = 0; kind < KINDS; kind++) {
    if (bytes[kind]) printf("  %15s", kind_names[kind]);
  }
  printf("  %15s\n", "mixed");
  print_row("skillet", &own);
  printf("  first pass %.2f of warm; vocabulary ready in %.2f ms\n",
         rate(own.first, 0, KINDS) / rate(own.warm, 0, KINDS), load);
  bool fine = peers(encoding, &own, load);
  growth(tokenizer);
  estimate_error(tokenizer);
  skill_tokenizer_free(tokenizer);
  for (size_t i = 0; i < document_count; i++) free(documents[i].text);
  return fine ? 0 : 1;
}
