/* SPDX-License-Identifier: MIT
 *
 * What the agent's files share: the agent itself, and the state of a turn.
 */
#ifndef SKILL_AGENT_INTERNAL_H
#define SKILL_AGENT_INTERNAL_H

#include <cjson/cJSON.h>

#include "agent/tool_table.h"
#include "context/listing.h"
#include "context/origin.h"
#include "gateway/permission.h"
#include "model/message.h"
#include "process/timer.h"
#include "skillet/agent.h"
#include "skillet/source.h"
#include "util/arena.h"
#include "util/buf.h"

/* --- tools ----------------------------------------------------------------------------------------------------- */

/* The handler of one of the agent's own tools; it finishes the call, now or later. */
typedef void (*skill__own_handler)(SkillAgent *agent, SkillToolCall *call, const cJSON *arguments);

struct skill__agent_own_tool {
  SkillAgent *agent;
  skill__own_handler handler;
};

enum { SKILL__OWN_TOOLS = SKILL_META_COUNT + 4 }; /* with the file tools */

/* --- a turn ---------------------------------------------------------------------------------------------------- */

enum skill__agent_state {
  SKILL__AGENT_IDLE,
  SKILL__AGENT_ACTIVATING, /* the policy's skills are being activated */
  SKILL__AGENT_MODEL,      /* a request runs */
  SKILL__AGENT_TOOLS,      /* calls run */
  SKILL__AGENT_ENDING      /* the end is decided; the callback is due */
};

/* The limits of a turn, shared with all its forks. */
struct skill__agent_purse {
  size_t tokens_max, tokens;
  int64_t deadline_ms; /* 0: none */
  size_t calls_max, calls;
  size_t forks;
};

/* A running model request; it may outlive its agent. */
typedef void (*skill__reply_fn)(SkillAgent *agent, int status, const SkillReply *reply, const SkillError *error);
struct skill__agent_request {
  SkillAgent *agent; /* NULL: gone */
  skill__reply_fn then;
  SkillModelCall *call;
};

/* A tool or message of the last request, to count how much of the next one is the same. */
struct skill__agent_prefix {
  uint64_t hash;
  size_t tokens;
};

/* A skill's body that gets a message of its own (SKILL_BODY_IN_MESSAGE). */
struct skill__pending_body {
  struct skill__pending_body *next;
  char *skill;
  char *text;
  size_t length;
};

struct skill__agent_turn {
  SkillTurnCb cb;
  void *user;
  SkillTurn out;
  SkillError error;
  size_t iterations;
  size_t open;                     /* calls without a result */
  void (*then)(SkillAgent *agent); /* runs when all have one */
  char *asked;                     /* the request; NULL: the turn was resumed */
  struct skill__agent_purse own_purse;
  struct skill__agent_purse *purse; /* own_purse, or the parent's */
};

struct SkillAgent {
  SkillAgentOptions options;
  struct skill__arena arena; /* copies of what the options point to */
  SkillProfile profile;
  char *system;
  SkillPermissions *permissions;
  SkillLoop *loop;
  SkillIo *io;
  SkillTokenizer *tokenizer;
  SkillModel *model;
  SkillConversation *talk;
  struct skill__tool_table tools;
  struct skill__agent_own_tool own_tools[SKILL__OWN_TOOLS]; /* by SkillMetaTool, then the file tools */
  uint64_t offered_for;                                     /* catalogue that the own tools were chosen for */
  bool deferring;                                           /* skills' tools are left to the provider's tool search */
  bool degraded;

  ProgressiveSkillLoader *loader; /* made when first needed */
  struct skill__watch *loader_watch;
  struct skill__timer *loader_timer;
  bool stepping;
  SkillGateway *gateway; /* made when first needed */

  enum skill__agent_state state;
  struct skill__agent_turn turn;
  struct skill__agent_request *request;
  struct skill__post post; /* the end of a turn, a step of it */
  bool posted;
  bool canceled;
  bool timed_out;                  /* canceled because the time of the turn is used up */
  struct skill__timer *turn_timer; /* ends a turn whose time is limited; made when first needed */
  bool loaded;                     /* the conversation was set from outside: its open skills are not active yet */
  uint64_t activation;             /* request of the loader */

  struct skill__agent_prefix *prefix;
  size_t prefix_count;
  size_t prefix_capacity;
  struct skill__pending_body *bodies;
  char *opened_last; /* the skill whose allowed-tools apply */

  char *listing;
  uint64_t catalogue; /* hash of what the listing was made of */
  size_t everything;  /* tokens of all bodies and tools */
  size_t ids;         /* counter for the agent's own call ids */

  SkillAgent *parent; /* of a fork */
  SkillAgent *forks;  /* running children */
  SkillAgent *next_fork;
  const char *fork_skill; /* a fork: the skill it runs, in `fork_memory` */
  char *fork_memory;
  unsigned depth;
  SkillToolCall *fork_reply;              /* the call that the fork answers */
  char *last_ranking;                     /* lines for skill_agent_why */
  char *last_searches;                    /* more lines, of this request */
  char *last_passages;                    /* more lines */
  struct skill__passage_library *library; /* the files of passages; made when first needed */
};

/* A file calls the files of its own section and of those before it; what happens later (a reply, the end of the calls)
 * reaches it through a callback. The exception: a fork uses its agent as a host would. */

/* --- access.c ---------------------------------------------------------------------------------------------------- */

void skill__agent_emit(SkillAgent *agent, const SkillEvent *event);
/* Whether the agent, as a fork also its parents, may use the skill. */
bool skill__agent_allows(const SkillAgent *agent, const char *skill, const char **why);
/* The same for a tool; `skill` is its skill, or NULL. */
bool skill__agent_permits(const SkillAgent *agent, const char *tool, const char *skill, const char **why);
/* The skill may be used, and the model may know of it. */
bool skill__agent_shows(const SkillAgent *agent, const Skill *skill);
bool skill__agent_visible(const char *name, void *agent);
int skill__agent_add_message(SkillAgent *agent, const SkillMessage *message, SkillError *err);
/* Adds a user message that the user did not write; `name` is NULL for kinds without names. */
int skill__agent_add_text(SkillAgent *agent, enum skill__origin kind, const char *name, const char *text, size_t length,
                          SkillError *err);
/* Adds a message before the request if that is the last message, else at the end. */
int skill__agent_attach_message(SkillAgent *agent, const SkillMessage *message, SkillError *err);
/* The most tokens of one request. */
size_t skill__agent_budget(const SkillAgent *agent);

/* --- turn_end.c -------------------------------------------------------------------------------------------------- */

/* Ends the turn; the callback runs in a step of the loop. */
void skill__turn_end(SkillAgent *agent, SkillTurnEnd end, int status, const char *format, ...) SKILL_PRINTF(4, 5);
void skill__turn_posted(struct skill__post *post); /* that step */

/* --- meta_definitions.c ------------------------------------------------------------------------------------------ */

/* The name that one of skillet's own tools has for this agent. */
const char *skill__meta_name(const SkillAgent *agent, SkillMetaTool which);

/* --- explain_activation.c -------------------------------------------------------------------------------------- */

/* Keeps the lines of skill_agent_why about an activation, and about what the model searched for. */
void skill__agent_remember(SkillAgent *agent, const SkillActivation *result);
void skill__agent_remember_search(SkillAgent *agent, const char *query, const SkillRanking *ranking);
/* Replaces such lines by the buffer's text, or by none when memory is out; frees the buffer. */
void skill__agent_keep(char **lines, struct skill__buf *buf);

/* --- loader_gateway.c -------------------------------------------------------------------------------------------- */

/* Makes loader and gateway unless they exist. */
int skill__agent_equip(SkillAgent *agent, SkillError *err);
/* Frees them; skills that are still being opened are answered. */
void skill__agent_unequip(SkillAgent *agent);
/* Steps the loader and sets its timer. Needed after everything that gives the loader work. */
void skill__agent_step_loader(SkillAgent *agent);

/* --- system_prompt.c --------------------------------------------------------------------------------------------- */

/* Makes the system text again, after a change of the agent. */
int skill__agent_remake_system(SkillAgent *agent);
/* The bodies of always-skills; owned by the arena. */
int skill__agent_always(SkillAgent *agent, struct skill__arena *arena, SkillAlways **out, size_t *count);
/* Makes the listing again if the catalogue changed; agent->listing is "" if there is nothing to list. */
int skill__agent_refresh_listing(SkillAgent *agent);
/* What all bodies and tools would cost. */
size_t skill__agent_everything(SkillAgent *agent);

/* --- opened_text.c --------------------------------------------------------------------------------------------- */

/* Writes the origin of a result of skill_open into SKILL__ORIGIN_SIZE bytes; false: the result has no body. */
bool skill__opened_origin(const char *text, size_t length, char *buffer);
/* Writes what the model gets of an opened skill: a head of lines, an empty line, the body with `arguments` filled in.
 * `repeat`: the body is still in the context, so it is only named. Owned: release with skill_free. */
int skill__open_text(SkillAgent *agent, const Skill *skill, const char *arguments, bool repeat, char **out,
                     size_t *length, SkillError *err);

/* --- at_mentions.c, passage_retrieve.c: before a request ------------------------------------------------------- */

/* Adds a message for each file or skill that the text mentions with an '@'. An '@' before anything else is left as it
 * is: an address, a user's name. SKILL_ENOMEM, SKILL_ELIMIT. */
int skill__agent_attach(SkillAgent *agent, const char *text, SkillError *err);
/* Adds a message with the passages of the configured files that fit the request best and that the conversation does not
 * have yet; none if none fits. Each names its place. The same files, conversation and request give the same bytes.
 * SKILL_ELIMIT, SKILL_ENOMEM. */
int skill__agent_retrieve(SkillAgent *agent, const char *request, SkillError *err);

/* --- model_answer.c -------------------------------------------------------------------------------------------- */

/* Adds a model's answer to the conversation, with call ids that no agent of the tree has used. */
int skill__agent_add_answer(SkillAgent *agent, const SkillReply *reply, SkillError *err);

/* --- fork.c ------------------------------------------------------------------------------------------------------ */

/* Runs the skill as a sub-agent whose answer finishes `call`. On failure it was not started and the call is open. */
int skill__agent_fork(SkillAgent *agent, const Skill *skill, const char *arguments, SkillToolCall *call,
                      SkillError *err);

/* --- model_request.c --------------------------------------------------------------------------------------------- */

/* Compiles the context and starts the request; `then` gets the reply, unless the request is dropped. */
int skill__request_start(SkillAgent *agent, skill__reply_fn then, SkillError *err);
void skill__request_drop(SkillAgent *agent);

/* --- tool_phase.c ------------------------------------------------------------------------------------------------ */

/* Submits the open calls of the last assistant message; `then` runs when all have results, unless the turn ends.
 * `again`: they may have run before. */
void skill__agent_take_calls(SkillAgent *agent, bool again, void (*then)(SkillAgent *agent));

/* --- turn.c and agent.c use all of these ------------------------------------------------------------------------- */

#endif
