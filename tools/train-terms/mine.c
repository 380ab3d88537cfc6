/* SPDX-License-Identifier: MIT
 *
 * Pairs within one skill, such as its name and its description, or its description and what its author wrote about when
 * to use it. There are no labels: the heading of a section or a phrase shows the kind of a text.
 */
#include <string.h>

#include "train.h"
#include "util/alloc.h"
#include "util/hash.h"

enum {
  DESCRIPTION_MOST = 800,
  ITEMS_MOST = 8,
  HEADINGS_MOST = 13,
  QUOTES_MOST = 6,
  SENTENCES_MOST = 10,
  LEADS_MOST = 30
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const when_headings[] = {"when to use",
                                            "when to apply",
                                            "when to activate",
                                            "when to invoke",
                                            "when should",
                                            "use this skill",
                                            "use case",
                                            "trigger",
                                            "example prompt",
                                            "example request",
                                            "example quer",
                                            "example usage",
                                            "sample prompt",
                                            "example task",
                                            "user request",
                                            "user says",
                                            "what this skill",
                                            "what it does",
                                            "使用场景",
                                            "适用场景",
                                            "何时使用",
                                            "触发",
                                            "使用时机",
                                            "适用于",
                                            "典型场景",
                                            "应用场景",
                                            "功能",
                                            "用途",
                                            "使用示例"};
static const char *const not_headings[] = {"not to use", "do not", "don't", "when not", "not for", "不适用", "不要"};
static const char *const when_phrases[] = {"use when",
                                           "use this skill when",
                                           "use this when",
                                           "use it when",
                                           "use for",
                                           "use this skill for",
                                           "use this skill to",
                                           "use this for",
                                           "use to ",
                                           "use if",
                                           "use whenever",
                                           "when the user",
                                           "when user",
                                           "trigger on",
                                           "triggers on",
                                           "trigger when",
                                           "triggers when",
                                           "triggers:",
                                           "invoke when",
                                           "activate when",
                                           "activates when",
                                           "activates on",
                                           "ideal for",
                                           "perfect for",
                                           "should be used",
                                           "适用于",
                                           "当用户",
                                           "触发词",
                                           "触发",
                                           "使用场景",
                                           "当需要",
                                           "用于"};

struct miner {
  struct pool *pool;
  const struct corpus *corpus;
  const struct document *document;
  struct skill__random rng;
  struct skill__buf work;
  /* of the current document */
  bool fenced, when, told_paragraph, heading_open;
  size_t items, lead_count, heading_count, sentence_count;
  uint32_t headings[HEADINGS_MOST];
  struct span sentences[SENTENCES_MOST];
};

static struct span whole(const char *text) {
  return (struct span){text, strlen(text)};
}

/* Returns the source of this name for the document's language. */
static struct source *source_for(struct miner *miner, const char *english, double weight, const char *chinese,
                                 double chinese_weight) {
  bool zh = miner->document->chinese;
  return pool_source(miner->pool, zh ? chinese : english, zh ? chinese_weight : weight);
}

/* Pairs a text with the document, and with its twin in the other language. */
static void add_query(struct miner *miner, struct source *source, uint32_t text, uint32_t target) {
  const struct document *document = miner->document;
  pool_pair(miner->pool, source, text, target);
  if (document->twin == SIZE_MAX) return;
  const struct document *twin = &miner->corpus->items[document->twin];
  if (*twin->description) pool_pair(miner->pool, pool_source(miner->pool, "twin", 1.5), text, twin->target);
}

static uint32_t cleaned(struct miner *miner, struct span text, size_t most) {
  skill__buf_clear(&miner->work);
  text_clean(&miner->work, text, most);
  return pool_text(miner->pool, (struct span){miner->work.data ? miner->work.data : "", miner->work.length});
}

/* "name. " and part of the description. */
static uint32_t with_name(struct miner *miner, struct span part) {
  skill__buf_clear(&miner->work);
  text_name(&miner->work, whole(miner->document->name));
  skill__buf_text(&miner->work, " . ");
  text_clean(&miner->work, part, DESCRIPTION_MOST);
  return pool_text(miner->pool, (struct span){miner->work.data, miner->work.length});
}

static void mine_name(struct miner *miner) {
  const struct document *document = miner->document;
  skill__buf_clear(&miner->work);
  text_name(&miner->work, whole(document->name));
  uint32_t name = pool_text(miner->pool, (struct span){miner->work.data, miner->work.length});
  uint32_t description = cleaned(miner, whole(document->description), DESCRIPTION_MOST);
  struct source *source = source_for(miner, "name-desc-en", 1.5, "name-desc-zh", 0.7);
  pool_pair(miner->pool, source, name, description);
}

/* "Does X. Use when Y": pairs Y with X. */
static void mine_halves(struct miner *miner) {
  struct span text = whole(miner->document->description);
  if (text.length > DESCRIPTION_MOST) text.length = DESCRIPTION_MOST;
  size_t at = text_find_any(text, when_phrases, COUNT(when_phrases));
  if (at == SIZE_MAX || at <= 25 || text.length - at <= 15) return;
  uint32_t when = cleaned(miner, (struct span){text.text + at, text.length - at}, DESCRIPTION_MOST);
  uint32_t what = with_name(miner, (struct span){text.text, at});
  add_query(miner, source_for(miner, "desc-when-en", 3, "desc-when-zh", 1.5), when, what);
}

static size_t mark_at(struct span text, size_t at, const char *const *marks, size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t n = strlen(marks[i]);
    if (text.length - at >= n && memcmp(text.text + at, marks[i], n) == 0) return n;
  }
  return 0;
}

/* Quoted phrases are what users say; the target is the description without them. */
static void mine_quotes(struct miner *miner) {
  static const char *const open[] = {"\"", "“", "「", "'"};
  static const char *const close[] = {"\"", "”", "」", "'"};
  struct span text = whole(miner->document->description);
  size_t found = 0;
  for (size_t at = 0; at < text.length && found < QUOTES_MOST; at++) {
    size_t skip = mark_at(text, at, open, COUNT(open));
    if (!skip || (text.text[at] == '\'' && at && text.text[at - 1] != ' ' && text.text[at - 1] != '(')) continue;
    size_t begin = at + skip;
    size_t end = begin;
    while (end < text.length && !mark_at(text, end, close, COUNT(close))) end++;
    if (end == text.length || end - begin < 6 || end - begin > 100) continue;
    uint32_t quote = cleaned(miner, (struct span){text.text + begin, end - begin}, DESCRIPTION_MOST);
    uint32_t before = with_name(miner, (struct span){text.text, at});
    uint32_t after = cleaned(miner, (struct span){text.text + end, text.length - end}, DESCRIPTION_MOST);
    uint32_t rest = pool_join(miner->pool, (uint32_t[]){before, after}, 2);
    add_query(miner, source_for(miner, "quoted-en", 2, "quoted-zh", 1), quote, rest);
    found++;
    at = end;
  }
}

/* --- the body ----------------------------------------------------------------------------------------------------- */

static void add_item(struct miner *miner, struct span text) {
  if (!miner->when || miner->items == ITEMS_MOST || text.length <= 12 || text.length >= 400) return;
  miner->items++;
  uint32_t item = cleaned(miner, text, DESCRIPTION_MOST);
  add_query(miner, source_for(miner, "when-en", 1, "when-zh", 0.5), item, miner->document->target);
}

static void add_heading(struct miner *miner, struct span title) {
  bool when = text_find_any(title, when_headings, COUNT(when_headings)) != SIZE_MAX;
  bool not = text_find_any(title, not_headings, COUNT(not_headings)) != SIZE_MAX;
  miner->when = when && !not ;
  miner->items = 0;
  miner->heading_open = miner->heading_count < HEADINGS_MOST;
  if (miner->heading_count < HEADINGS_MOST) miner->headings[miner->heading_count++] = cleaned(miner, title, 200);
}

/* Keeps a uniform sample of the sentences. */
static void offer_sentence(struct miner *miner, struct span sentence) {
  sentence = text_trim(sentence);
  if (sentence.length <= 35 || sentence.length >= 260) return;
  size_t at = miner->sentence_count++;
  if (at >= SENTENCES_MOST) at = rng_below(&miner->rng, miner->sentence_count);
  if (at < SENTENCES_MOST) miner->sentences[at] = sentence;
}

static void offer_sentences(struct miner *miner, struct span line) {
  static const char *const stops[] = {". ", "! ", "? ", "。", "！", "？"};
  size_t begin = 0;
  for (size_t at = 0; at < line.length; at++) {
    size_t skip = mark_at(line, at, stops, COUNT(stops));
    if (!skip) continue;
    offer_sentence(miner, (struct span){line.text + begin, at - begin});
    begin = at + skip;
    at += skip - 1;
  }
  offer_sentence(miner, (struct span){line.text + begin, line.length - begin});
}

/* Length of a list marker in bytes; 0: not a list item. */
static size_t bullet(struct span line) {
  static const char *const marks[] = {"- ", "* ", "+ ", "• "};
  size_t n = mark_at(line, 0, marks, COUNT(marks));
  if (n) return n;
  while (n < line.length && line.text[n] >= '0' && line.text[n] <= '9') n++;
  return n && n + 1 < line.length && (line.text[n] == '.' || line.text[n] == ')') ? n + 1 : 0;
}

static void add_paragraph(struct miner *miner, struct span line) {
  if (miner->told_paragraph || line.length <= 50 || line.length >= 900) return;
  miner->told_paragraph = true;
  uint32_t text = cleaned(miner, line, DESCRIPTION_MOST);
  add_query(miner, source_for(miner, "para-en", 1, "para-zh", 0.5), text, miner->document->target);
}

/* --- terms and their explanations ------------------------------------------------------------------------------- */

/* A name and its explanation. Short explanations carry too little information. */
static void add_lead(struct miner *miner, struct span lead, struct span rest) {
  lead = text_trim(lead);
  rest = text_trim(rest);
  if (lead.length < 3 || lead.length > 60 || rest.length < 15 || rest.length > 300) return;
  if (miner->lead_count++ >= LEADS_MOST) return;
  uint32_t name = cleaned(miner, lead, 200);
  uint32_t text = cleaned(miner, rest, DESCRIPTION_MOST);
  pool_pair(miner->pool, source_for(miner, "lead-en", 0.5, "lead-zh", 0.3), name, text);
}

/* "**name**: explanation", "`name` - explanation", "name: explanation" of a list item. */
static void mine_item(struct miner *miner, struct span text) {
  static const char *const ends[] = {": ", " - ", " — ", " – ", "：", " -> ", " → "};
  for (size_t at = 1; at < text.length && at <= 64; at++) {
    size_t skip = mark_at(text, at, ends, COUNT(ends));
    if (!skip) continue;
    add_lead(miner, (struct span){text.text, at}, (struct span){text.text + at + skip, text.length - at - skip});
    return;
  }
}

/* "| name | … | explanation |": the first cell and the longest other. */
static void mine_row(struct miner *miner, struct span line) {
  struct span first = {NULL, 0}, longest = {NULL, 0};
  for (size_t begin = 1, at = 1; at <= line.length; at++) {
    if (at < line.length && line.text[at] != '|') continue;
    struct span cell = text_trim((struct span){line.text + begin, at - begin});
    if (!first.text) {
      first = cell;
    } else if (cell.length > longest.length) {
      longest = cell;
    }
    begin = at + 1;
  }
  if (first.text && longest.text && !strchr("-:", *longest.text)) add_lead(miner, first, longest);
}

/* A heading and the first line below it. */
static void mine_section(struct miner *miner, struct span text) {
  if (!miner->heading_open || !miner->heading_count || miner->heading_count > HEADINGS_MOST) return;
  miner->heading_open = false;
  if (text.length < 25 || miner->heading_count < 2) return; /* the first heading is the skill's name */
  uint32_t below = cleaned(miner, text, 400);
  uint32_t heading = miner->headings[miner->heading_count - 1];
  pool_pair(miner->pool, source_for(miner, "section-en", 0.5, "section-zh", 0.3), heading, below);
}

static void mine_line(struct miner *miner, struct span line) {
  if (line.length >= 3 && memcmp(line.text, "```", 3) == 0) miner->fenced = !miner->fenced;
  if (!miner->fenced && line.length > 2 && *line.text == '|') mine_row(miner, line);
  if (miner->fenced || !line.length || strchr("|>", *line.text)) return;
  if (line.length >= 3 && memcmp(line.text, "```", 3) == 0) return;
  size_t marks = strspn(line.text, "#");
  if (marks && marks <= 4) {
    add_heading(miner, text_trim((struct span){line.text + marks, line.length - marks}));
    return;
  }
  size_t skip = bullet(line);
  struct span text = text_trim((struct span){line.text + skip, line.length - skip});
  if (skip) mine_item(miner, text);
  if (!skip) mine_section(miner, text);
  if (skip || !miner->items) add_item(miner, text);
  if (!skip) add_paragraph(miner, text);
  offer_sentences(miner, text);
}

static void mine_body(struct miner *miner) {
  miner->fenced = miner->when = miner->told_paragraph = miner->heading_open = false;
  miner->items = miner->lead_count = miner->heading_count = miner->sentence_count = 0;
  struct span rest = whole(miner->document->body);
  struct span line;
  while (text_line(&rest, &line)) mine_line(miner, text_trim(line));
  uint32_t target = miner->document->target;
  if (miner->heading_count > 3) {
    uint32_t headings = pool_join(miner->pool, miner->headings + 1, miner->heading_count - 1);
    pool_pair(miner->pool, source_for(miner, "heads-en", 0.5, "heads-zh", 0.3), headings, target);
  }
  size_t count = miner->sentence_count < SENTENCES_MOST ? miner->sentence_count : SENTENCES_MOST;
  for (size_t i = 0; i < count; i++) {
    uint32_t sentence = cleaned(miner, miner->sentences[i], DESCRIPTION_MOST);
    add_query(miner, source_for(miner, "body-en", 0.6, "body-zh", 0.4), sentence, target);
  }
}

/* Skills with the same name are usually copies or translations of each other. */
static uint32_t group_of(const struct document *document) {
  char key[256];
  name_key(document->folder, key, sizeof key);
  return (uint32_t)skill__hash_bytes(key, strlen(key)) | 1;
}

void mine_documents(struct pool *pool, const struct corpus *corpus, uint64_t seed) {
  struct miner miner = {.pool = pool, .corpus = corpus, .rng = {seed}};
  skill__buf_init(&miner.work, 1 << 20);
  for (size_t i = 0; i < corpus->count; i++) {
    miner.document = &corpus->items[i];
    if (strlen(miner.document->description) <= 20) continue;
    pool->group = group_of(miner.document);
    mine_name(&miner);
    mine_halves(&miner);
    mine_quotes(&miner);
    mine_body(&miner);
  }
  pool->group = 0;
  skill__buf_fini(&miner.work);
}

/* --- twins and targets -------------------------------------------------------------------------------------------- */

struct twin {
  UT_hash_handle hh;
  size_t document[2]; /* the first English and the first Chinese document */
  char key[256];
};

static void find_twins(struct corpus *corpus) {
  struct twin *twins = NULL;
  for (size_t i = 0; i < corpus->count; i++) {
    struct document *document = &corpus->items[i];
    document->twin = SIZE_MAX;
    char key[256];
    name_key(document->folder, key, sizeof key);
    struct twin *twin = NULL;
    HASH_FIND_STR(twins, key, twin);
    if (!twin) {
      twin = need(skill__calloc(1, sizeof *twin));
      memcpy(twin->key, key, sizeof key);
      twin->document[0] = twin->document[1] = SIZE_MAX;
      bool added = false;
      SKILL__HASH_ADD(twins, twin, twin->key, strlen(twin->key), added);
      if (!added) die("out of memory");
    }
    size_t *slot = &twin->document[document->chinese];
    if (*slot == SIZE_MAX && strlen(document->description) > 20) *slot = i;
  }
  for (size_t i = 0; i < corpus->count; i++) {
    struct twin *twin = NULL;
    char key[256];
    name_key(corpus->items[i].folder, key, sizeof key);
    HASH_FIND_STR(twins, key, twin);
    if (twin && strlen(key) > 3) corpus->items[i].twin = twin->document[!corpus->items[i].chinese];
  }
  struct twin *twin, *next;
  HASH_ITER(hh, twins, twin, next) {
    HASH_DEL(twins, twin);
    skill__free(twin);
  }
}

void mine_prepare(struct pool *pool, struct corpus *corpus) {
  find_twins(corpus);
  struct miner miner = {.pool = pool, .corpus = corpus};
  skill__buf_init(&miner.work, 1 << 20);
  for (size_t i = 0; i < corpus->count; i++) {
    miner.document = &corpus->items[i];
    corpus->items[i].target = with_name(&miner, whole(miner.document->description));
  }
  skill__buf_fini(&miner.work);
}
