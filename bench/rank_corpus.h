/* SPDX-License-Identifier: MIT
 *
 * Generated skills and queries for rank_bench: English function words, 30,000 word forms with a Zipf-Mandelbrot
 * distribution, skills that take a third of their description from their own topic, and sentences about one known
 * skill. The same seed gives the same text on every machine, and the first n skills are the same for every total
 * number.
 */
#ifndef BENCH_RANK_CORPUS_H
#define BENCH_RANK_CORPUS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORPUS_WORDS = 30000, CORPUS_TOPIC = 9, CORPUS_NAME = 96, CORPUS_TAGS = 96, CORPUS_TEXT = 900 };

struct corpus {
  char (*words)[20];
  double *reach; /* cumulative shares of the distribution */
};

struct corpus_skill {
  char name[CORPUS_NAME];
  char tags[CORPUS_TAGS]; /* separated by spaces */
  char text[CORPUS_TEXT];
  uint32_t topic[CORPUS_TOPIC];
};

static inline uint64_t corpus_next(uint64_t *state) { /* splitmix64 */
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline uint32_t corpus_below(uint64_t *state, uint32_t n) {
  return (uint32_t)((corpus_next(state) >> 32) * n >> 32);
}

static const char *const corpus_function_words[] = {
    "the",  "of",      "and",   "a",      "to",    "in",    "for",     "is",    "with",   "on",    "that",   "by",
    "this", "from",    "as",    "or",     "it",    "an",    "be",      "are",   "at",     "when",  "your",   "all",
    "use",  "you",     "not",   "into",   "can",   "will",  "which",   "their", "has",    "more",  "other",  "have",
    "one",  "its",     "if",    "was",    "new",   "also",  "may",     "these", "any",    "such",  "only",   "but",
    "each", "they",    "then",  "than",   "some",  "about", "how",     "what",  "we",     "out",   "up",     "no",
    "so",   "do",      "there", "where",  "who",   "my",    "me",      "i",     "need",   "want",  "please", "help",
    "over", "between", "after", "before", "using", "both",  "through", "most",  "should", "would", "could",  "our"};

static inline void corpus_make_word(uint64_t *state, char *out, size_t room) {
  static const char *const heads[] = {"b", "br", "c",  "ch", "cl", "d", "dr", "f",  "fl", "g",  "gr",
                                      "h", "j",  "k",  "l",  "m",  "n", "p",  "pl", "pr", "qu", "r",
                                      "s", "sc", "sh", "sp", "st", "t", "tr", "v",  "w"};
  static const char *const vowels[] = {"a", "e", "i", "o", "u", "ea", "ou", "ai", "io"};
  static const char *const tails[] = {"", "n", "r", "l", "t", "s", "nd", "rt", "ck", "m", "st", "ng"};
  static const char *const endings[] = {"", "", "", "s", "ing", "ed", "er", "tion", "ment", "al", "ity"};
  size_t length = 0;
  for (uint32_t i = 0, n = 1 + corpus_below(state, 3); i < n; i++)
    length += (size_t)snprintf(out + length, room - length, "%s%s%s", heads[corpus_below(state, 31)],
                               vowels[corpus_below(state, 9)], tails[corpus_below(state, 12)]);
  snprintf(out + length, room - length, "%s", endings[corpus_below(state, 11)]);
}

static inline void corpus_init(struct corpus *corpus) {
  uint64_t state = 1;
  const size_t functions = sizeof corpus_function_words / sizeof *corpus_function_words;
  corpus->words = calloc(CORPUS_WORDS, sizeof *corpus->words);
  corpus->reach = calloc(CORPUS_WORDS, sizeof *corpus->reach);
  if (!corpus->words || !corpus->reach) exit(1);
  double sum = 0;
  for (size_t i = 0; i < CORPUS_WORDS; i++) {
    bool again = i >= functions;
    if (!again) snprintf(corpus->words[i], sizeof corpus->words[i], "%s", corpus_function_words[i]);
    while (again) { /* words that make names unique; all different */
      corpus_make_word(&state, corpus->words[i], sizeof corpus->words[i]);
      again = false;
      for (size_t j = 500; j < i && i < 2500 && !again; j++) again = strcmp(corpus->words[i], corpus->words[j]) == 0;
    }
    corpus->reach[i] = sum += 1 / pow((double)i + 2.7, 1.07);
  }
}

static inline void corpus_fini(struct corpus *corpus) {
  free(corpus->words);
  free(corpus->reach);
}

/* A random word of rank `from` or higher. */
static inline uint32_t corpus_word(const struct corpus *corpus, uint64_t *state, uint32_t from) {
  double low = from ? corpus->reach[from - 1] : 0;
  double at = low + (corpus->reach[CORPUS_WORDS - 1] - low) * ((double)(corpus_next(state) >> 11) * 0x1p-53);
  uint32_t left = from, right = CORPUS_WORDS - 1;
  while (left < right) {
    uint32_t middle = (left + right) / 2;
    if (corpus->reach[middle] < at)
      left = middle + 1;
    else
      right = middle;
  }
  return left;
}

static inline void corpus_skill(const struct corpus *corpus, uint32_t number, struct corpus_skill *skill) {
  uint64_t state = 0x5ee0 + (uint64_t)number * 7919;
  size_t length = 0;
  for (size_t i = 0; i < CORPUS_TOPIC; i++) skill->topic[i] = corpus_word(corpus, &state, 200);
  /* Two words of the topic, and two words that make the name unique. */
  uint32_t first = skill->topic[corpus_below(&state, CORPUS_TOPIC)],
           second = skill->topic[corpus_below(&state, CORPUS_TOPIC)];
  snprintf(skill->name, CORPUS_NAME, "%s-%s-%s-%s", corpus->words[first], corpus->words[second],
           corpus->words[500 + number % 1000], corpus->words[1500 + number / 1000 % 1000]);
  length = 0;
  for (uint32_t i = 0, n = 2 + corpus_below(&state, 4); i < n; i++)
    length += (size_t)snprintf(skill->tags + length, CORPUS_TAGS - length, "%s%s", i ? " " : "",
                               corpus->words[i < 2 ? skill->topic[i] : corpus_word(corpus, &state, 90)]);
  length = 0;
  for (uint32_t i = 0, n = 15 + corpus_below(&state, 46); i < n; i++) {
    bool own = corpus_below(&state, 3) == 0;
    uint32_t word = own ? skill->topic[corpus_below(&state, CORPUS_TOPIC)] : corpus_word(corpus, &state, 0);
    length += (size_t)snprintf(skill->text + length, CORPUS_TEXT - length, "%s%s", i ? " " : "", corpus->words[word]);
  }
}

/* A sentence about skill `target`: some of its words and some noise, including function words. */
static inline void corpus_query(const struct corpus *corpus, uint32_t number, uint32_t target, char *out, size_t room) {
  struct corpus_skill skill;
  uint64_t state = 0xabcde + (uint64_t)number * 104729;
  corpus_skill(corpus, target, &skill);
  uint32_t words = 4 + corpus_below(&state, 17), share = 45 + corpus_below(&state, 26);
  size_t length = 0;
  out[0] = '\0';
  for (uint32_t i = 0; i < words && length + 24 < room; i++) {
    bool own = corpus_below(&state, 100) < share;
    uint32_t word = own ? skill.topic[corpus_below(&state, CORPUS_TOPIC)] : corpus_word(corpus, &state, 0);
    length += (size_t)snprintf(out + length, room - length, "%s%s", i ? " " : "", corpus->words[word]);
  }
}

#endif
