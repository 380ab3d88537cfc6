/* SPDX-License-Identifier: MIT
 *
 * An answer that is being received. Its text is collected and reported as deltas of complete characters.
 */
#ifndef SKILL_MODEL_WIRE_ANSWER_H
#define SKILL_MODEL_WIRE_ANSWER_H

#include <cjson/cJSON.h>

#include "model/wire/body.h"
#include "skillet/io.h"
#include "skillet/model.h"
#include "util/buf.h"

struct skill__answer_call {
  size_t place; /* the provider's number for it */
  struct skill__buf id;
  struct skill__buf name;
  struct skill__buf arguments;
  bool reported; /* its first delta was sent */
};

struct skill__answer {
  SkillModelCall *call;
  const struct skill__wire *wire; /* maps names of tools; may be NULL */
  SkillIo *io;                    /* random numbers for missing call ids */
  struct skill__buf text;
  struct skill__buf reasoning;
  size_t text_reported; /* bytes sent as deltas */
  size_t reasoning_reported;
  struct skill__answer_call *calls;
  size_t call_count;
  size_t call_capacity;
  struct skill__buf extra; /* SkillMessage.extra; empty: none */
  const char *extra_from;
  cJSON *blocks;            /* Anthropic: the blocks of a stream so far; NULL: none */
  struct skill__buf pieces; /* a member of the last block, in progress */
  const char *pieces_of;    /* its key; static */
  SkillUsage usage;
  bool has_usage;
  SkillStop stop;
  bool stopped;  /* a reason to stop was given */
  bool complete; /* the provider marked the end */
  bool refused;
  char model[128];
  bool shown; /* a delta was sent */
};

void skill__answer_init(struct skill__answer *answer, SkillModelCall *call, SkillIo *io,
                        const struct skill__wire *wire);
void skill__answer_fini(struct skill__answer *answer);
void skill__answer_clear(struct skill__answer *answer); /* before another attempt */

/* All return 0, SKILL_ENOMEM or SKILL_ELIMIT. The text may end inside a character. */
int skill__answer_text(struct skill__answer *answer, const char *text, size_t length);
int skill__answer_reasoning(struct skill__answer *answer, const char *text, size_t length);

/* Adds to the call that the provider numbers `place`, which is created if it is new. `id` and `name` (may be NULL) are
 * set if they are missing. */
int skill__answer_call(struct skill__answer *answer, size_t place, const char *id, const char *name);
int skill__answer_arguments(struct skill__answer *answer, size_t place, const char *text, size_t length);

int skill__answer_arguments_json(struct skill__answer *answer, size_t place, const cJSON *arguments); /* all of them */

/* The model's name as the provider reports it; only the first is kept. NULL is ignored. */
void skill__answer_model(struct skill__answer *answer, const char *name);

/* The reason to stop, in the words of any provider. NULL is ignored. */
void skill__answer_stop(struct skill__answer *answer, const char *reason);

/* Whether the provider's call `place` is known; bytes of its arguments so far. */
bool skill__answer_has(struct skill__answer *answer, size_t place);
size_t skill__answer_arguments_length(struct skill__answer *answer, size_t place);

/* Completes the answer (an incomplete character, calls without id, name or arguments) and makes the reply, which
 * borrows from the answer until it changes. `calls` has room for answer->call_count. */
int skill__answer_reply(struct skill__answer *answer, SkillCall *calls, SkillReply *reply);

#endif
