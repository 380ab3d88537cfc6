/* SPDX-License-Identifier: MIT
 *
 * The state of one strategy while it is played. play_request.c builds requests, play_model.c acts for host and model,
 * strategy.c runs turns and conversations. `status` keeps the first failure; after it nothing more is done.
 */
#ifndef SKILL_MEASURE_PLAY_H
#define SKILL_MEASURE_PLAY_H

#include "measure/strategy.h"
#include "skillet/sys/fixture.h"
#include "util/random.h"

/* Assumed bytes of a token, if only tokens are known. */
#define SKILL__TOKEN_BYTES 4

struct skill__play {
  const struct skill__world *world;
  const struct skill__strategy *strategy;
  const struct skill__play_watch *watch;
  struct skill__result *result;
  SkillFixture *clock;
  ProgressiveSkillLoader *loader;
  SkillPolicy cut; /* relevance that wants only `select` */
  struct skill__ledger ledger;
  struct skill__outgoing messages;
  struct skill__outgoing request; /* scratch */
  struct skill__random random;
  unsigned char *held;   /* of each skill: its L2 is in the conversation */
  unsigned char *needed; /* of each skill, in this turn */
  uint32_t *order;       /* active skills, in the order in which their tools were first sent */
  size_t active;
  size_t conversation;
  size_t turn;
  uint64_t next_message;
  bool using; /* loader hits are of the work, not of a request */
  int status;
};

/* Append a message to the conversation: one of which only the tokens are known, the user's text, a skill's body with or
 * without its tools. */
void skill__play_say(struct skill__play *play, enum skill__said who, enum skill__part_kind kind, size_t tokens,
                     size_t bytes);
void skill__play_say_text(struct skill__play *play, const char *text);
void skill__play_say_skill(struct skill__play *play, uint32_t skill, enum skill__part_kind kind, bool tools);

/* One round trip: the whole context goes out, the model writes `output` tokens. */
void skill__play_send(struct skill__play *play, size_t output);

bool skill__play_has_meta(const struct skill__play *play);   /* the model can open skills */
bool skill__play_is_bounded(const struct skill__play *play); /* it has a listing at a budget, and search */
bool skill__play_is_active(const struct skill__play *play, uint32_t skill);
bool skill__play_available(const struct skill__play *play, uint32_t skill); /* the model can use it now */
bool skill__play_met(const struct skill__play *play, const struct skill__label_group *group);
bool skill__play_all_met(const struct skill__play *play, const struct skill__label *label);

/* Waits for the loader; `status` is the result of the call that started it. */
void skill__play_settle(struct skill__play *play, int status);

void skill__play_host_loads(struct skill__play *play, const char *text);
void skill__play_model_looks(struct skill__play *play, const struct skill__label *label);
void skill__play_oracle_loads(struct skill__play *play, const struct skill__label *label);

#endif
