/* SPDX-License-Identifier: MIT
 *
 * The listing of skills within a token budget; see listing.h. Fails only when memory is out.
 *
 * Lines are counted one by one and summed. That is exact for the byte-pair vocabularies shipped, none of which has a
 * token across "\n-". For a host's tokenizer the finished block is counted again, and shortened by one rung of the
 * ladder until it fits.
 */
#include "context/listing.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/arena.h"

#define MAX_LINE ((size_t)64 * 1024)
#define MAX_BLOCK ((size_t)512 * 1024 * 1024)

/* Characters of a description, from generous to none. */
static const size_t ladder[] = {SKILL__LISTING_MAX_CHARS, 1024, 768, 512, 384, 256, 192, 128, 96, 64, 48, 32, 0};
enum { RUNGS = sizeof ladder / sizeof *ladder };

struct item {
  size_t index; /* in the caller's array */
  double priority;
  const char *name;
  const char *text;
  size_t name_length;
  size_t text_length;
  bool keep;
};

struct listing {
  const struct skill__listing_options *options;
  struct skill__arena arena;
  struct skill__buf line;
  struct item *items; /* in order of name */
  size_t count;
  size_t shown;
  size_t rung;
  int status;
};

static const char open_tag[] = "<available_skills>\n";
static const char close_tag[] = "</available_skills>\n";

bool skill__listing_wants(const SkillMetadata *metadata) {
  return metadata->mode == SKILL_MODE_LAZY && !metadata->unlisted && !metadata->disable_model_invocation;
}

static bool says_already(const char *description, const char *when) {
  return description && strstr(description, when) != NULL;
}

static void clean_text(struct skill__buf *buf, const SkillMetadata *metadata) {
  const char *when = metadata->when_to_use;
  if (metadata->description) skill__listing_clean(buf, metadata->description, strlen(metadata->description));
  if (!when || !*when || says_already(metadata->description, when)) return;
  if (buf->length) skill__buf_char(buf, ' ');
  skill__buf_text(buf, "Use when: ");
  skill__listing_clean(buf, when, strlen(when));
}

/* Keeps only as much of a text as the longest line can show; a character has at most four bytes. */
static int fill_item(struct listing *listing, struct item *item, const SkillMetadata *metadata) {
  struct skill__buf *buf = &listing->line;
  skill__buf_clear(buf);
  skill__listing_clean(buf, metadata->name, strlen(metadata->name));
  item->name_length = buf->length;
  item->name = skill__arena_strndup(&listing->arena, buf->data ? buf->data : "", buf->length);
  skill__buf_clear(buf);
  clean_text(buf, metadata);
  size_t most = (size_t)4 * (SKILL__LISTING_MAX_CHARS + 1);
  item->text_length = buf->length < most ? buf->length : most;
  item->text = skill__arena_strndup(&listing->arena, buf->data ? buf->data : "", item->text_length);
  return item->name && item->text && !skill__buf_status(buf) ? 0 : SKILL_ENOMEM;
}

static int by_name(const void *a, const void *b) {
  const struct item *x = a;
  const struct item *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int by_priority(const void *a, const void *b) {
  const struct item *x = *(const struct item *const *)a;
  const struct item *y = *(const struct item *const *)b;
  if (x->priority != y->priority) return x->priority > y->priority ? -1 : 1;
  return (x > y) - (x < y); /* items are in order of name */
}

static bool put_line(struct skill__buf *buf, const struct item *item, size_t chars) {
  bool cut = false;
  skill__buf_text(buf, "- ");
  skill__listing_put(buf, item->name, item->name_length, SKILL__LISTING_MAX_CHARS);
  if (chars && item->text_length) {
    skill__buf_text(buf, ": ");
    cut = skill__listing_put(buf, item->text, item->text_length, chars);
  }
  skill__buf_char(buf, '\n');
  return cut;
}

/* Tokens of the text in `line`; out of memory sets the status. */
static size_t count_line(struct listing *listing) {
  struct skill__buf *buf = &listing->line;
  if (skill__buf_status(buf)) listing->status = SKILL_ENOMEM;
  return listing->status ? 0 : skill_tokens_count(listing->options->tokenizer, buf->data, buf->length);
}

static size_t line_tokens(struct listing *listing, const struct item *item, size_t chars) {
  skill__buf_clear(&listing->line);
  put_line(&listing->line, item, chars);
  return count_line(listing);
}

static void put_note(struct skill__buf *buf, const struct listing *listing, size_t hidden, bool cut) {
  const char *tool = listing->options->search_tool;
  const char *plural = hidden == 1 ? " is" : "s are";
  if (hidden && tool) {
    skill__buf_printf(buf, "(%zu more skill%s not shown; %s finds %s)\n", hidden, plural, tool,
                      hidden == 1 ? "it" : "them");
  } else if (hidden) {
    skill__buf_printf(buf, "(%zu more skill%s not shown)\n", hidden, plural);
  } else if (cut && !ladder[listing->rung] && tool) {
    skill__buf_printf(buf, "(names only; %s tells what they do)\n", tool);
  } else if (cut) {
    skill__buf_text(buf, "(descriptions are shortened)\n");
  }
}

static size_t frame_tokens(struct listing *listing, size_t hidden, bool cut) {
  struct skill__buf *buf = &listing->line;
  skill__buf_clear(buf);
  skill__buf_text(buf, open_tag);
  put_note(buf, listing, hidden, cut);
  skill__buf_text(buf, close_tag);
  return count_line(listing);
}

/* Whether every skill fits at this rung. */
static bool fits(struct listing *listing, size_t rung) {
  listing->rung = rung;
  size_t sum = frame_tokens(listing, 0, rung > 0);
  for (size_t i = 0; i < listing->count && sum <= listing->options->budget; i++) {
    sum += line_tokens(listing, &listing->items[i], ladder[rung]);
  }
  return sum <= listing->options->budget && !listing->status;
}

static void keep_all(struct listing *listing) {
  for (size_t i = 0; i < listing->count; i++) listing->items[i].keep = true;
  listing->shown = listing->count;
}

/* Keeps the best names that fit beside the note. The first that does not fit ends the list, so that a long name never
 * loses its place to a worse skill. */
static int keep_best(struct listing *listing, size_t budget) {
  struct item **order = skill__malloc((listing->count + 1) * sizeof *order);
  if (!order) return SKILL_ENOMEM;
  for (size_t i = 0; i < listing->count; i++) {
    order[i] = &listing->items[i];
    listing->items[i].keep = false;
  }
  qsort(order, listing->count, sizeof *order, by_priority);
  size_t sum = frame_tokens(listing, listing->count, false);
  listing->shown = 0;
  while (listing->shown < listing->count) {
    sum += line_tokens(listing, order[listing->shown], 0);
    if (sum > budget || listing->status) break;
    order[listing->shown++]->keep = true;
  }
  skill__free(order);
  return listing->status;
}

static int choose(struct listing *listing) {
  size_t low = 0;
  size_t high = RUNGS - 1;
  keep_all(listing);
  if (!listing->options->budget) return 0;
  if (!fits(listing, high)) {
    return listing->status ? listing->status : keep_best(listing, listing->options->budget);
  }
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (fits(listing, middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
    if (listing->status) return listing->status;
  }
  listing->rung = low;
  return 0;
}

static void render(struct listing *listing, struct skill__buf *buf, unsigned char *states) {
  bool cut = false;
  skill__buf_clear(buf);
  if (!listing->count) return;
  skill__buf_text(buf, open_tag);
  for (size_t i = 0; i < listing->count; i++) {
    const struct item *item = &listing->items[i];
    states[item->index] = SKILL__LISTING_HIDDEN;
    if (!item->keep) continue;
    size_t chars = ladder[listing->rung];
    enum skill__listing_state shown = put_line(buf, item, chars) ? SKILL__LISTING_SHORTENED : SKILL__LISTING_WHOLE;
    if (!chars && item->text_length) shown = SKILL__LISTING_NAME;
    states[item->index] = (unsigned char)shown;
    cut = cut || shown != SKILL__LISTING_WHOLE;
  }
  put_note(buf, listing, listing->count - listing->shown, cut);
  skill__buf_text(buf, close_tag);
}

/* Renders; drops a rung, or a tenth of the names, while a tokenizer that is not additive counts more than the budget.
 */
static int settle(struct listing *listing, struct skill__buf *buf, unsigned char *states, size_t *tokens) {
  size_t budget = listing->options->budget;
  size_t room = budget;
  for (;;) {
    render(listing, buf, states);
    if (skill__buf_status(buf)) return SKILL_ENOMEM;
    *tokens = skill_tokens_count(listing->options->tokenizer, buf->data, buf->length);
    if (!budget || *tokens <= budget || !listing->shown) return 0;
    if (listing->rung < RUNGS - 1) {
      listing->rung++;
    } else {
      room -= room / 10 + 1;
      int status = keep_best(listing, room < budget ? room : 0);
      if (status) return status;
    }
  }
}

static int collect(struct listing *listing, const SkillMetadata *const *skills, size_t count) {
  listing->items = skill__calloc(count + 1, sizeof *listing->items);
  if (!listing->items) return SKILL_ENOMEM;
  for (size_t i = 0; i < count; i++) {
    if (!skill__listing_wants(skills[i])) continue;
    struct item *item = &listing->items[listing->count++];
    item->index = i;
    item->priority = listing->options->priority ? listing->options->priority[i] : 0;
    int status = fill_item(listing, item, skills[i]);
    if (status) return status;
  }
  qsort(listing->items, listing->count, sizeof *listing->items, by_name);
  return 0;
}

int skill__listing_build(const SkillMetadata *const *skills, size_t count, const struct skill__listing_options *options,
                         struct skill__listing *out) {
  struct listing listing = {.options = options};
  struct skill__buf block;
  size_t tokens = 0;
  skill__buf_init(&listing.line, SKILL_MAX_DESCRIPTION * 2 + MAX_LINE);
  skill__buf_init(&block, MAX_BLOCK);
  unsigned char *states = skill__calloc(count + 1, 1);
  int status = states ? collect(&listing, skills, count) : SKILL_ENOMEM;
  if (!status) status = choose(&listing);
  if (!status) status = settle(&listing, &block, states, &tokens);
  size_t length = 0;
  char *text = NULL;
  if (!status) status = skill__buf_finish(&block, &text, &length);
  if (!status) {
    *out = (struct skill__listing){.text = text,
                                   .length = length,
                                   .tokens = tokens,
                                   .listed = listing.count,
                                   .shown = listing.shown,
                                   .hidden = listing.count - listing.shown,
                                   .chars = ladder[listing.rung],
                                   .states = states};
  } else {
    skill__free(states);
  }
  skill__buf_fini(&block);
  skill__buf_fini(&listing.line);
  skill__arena_fini(&listing.arena);
  skill__free(listing.items);
  return status;
}

void skill__listing_fini(struct skill__listing *listing) {
  skill__free(listing->text);
  skill__free(listing->states);
  memset(listing, 0, sizeof *listing);
}

size_t skill__listing_line_tokens(SkillTokenizer *tokenizer, const SkillMetadata *metadata) {
  if (!skill__listing_wants(metadata)) return 0;
  struct skill__listing_options options = {.tokenizer = tokenizer};
  struct listing listing = {.options = &options};
  struct item item = {0};
  skill__buf_init(&listing.line, SKILL_MAX_DESCRIPTION * 2 + MAX_LINE);
  size_t tokens = 0;
  if (!fill_item(&listing, &item, metadata)) tokens = line_tokens(&listing, &item, SKILL__LISTING_MAX_CHARS);
  skill__buf_fini(&listing.line);
  skill__arena_fini(&listing.arena);
  return tokens;
}
