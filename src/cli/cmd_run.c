/* SPDX-License-Identifier: MIT
 *
 * skillet run: one task, with the decisions that were made for it and what it cost.
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/session/session.h"
#include "model/message.h"
#include "util/alloc.h"
#include "util/json_out.h"
#include "util/utf8.h"

static const struct cli_usage usage = {
    "skillet run [OPTIONS] TASK [DIR…]",
    "Gives a task to an agent that has the skills of the folders. Prints which skills were listed, ranked, activated "
    "and\n"
    "evicted, the transcript, the answer, and the cost of the context compared with a context that holds every skill.\n"
    "Without DIR and --skills the usual folders are read (see skillet list).\n"
    "\n"
    "The default model, offline, is not a language model: it searches, opens the best skill, fills the arguments of "
    "one\n"
    "tool from the task, and answers from the result. It needs no network.\n"
    "\n"
    "  skillet run \"convert 26.2 miles to kilometres\" examples/skills\n"
    "  skillet run --model anthropic:claude-sonnet-4-5 \"review my pull request\" ~/.claude/skills\n"
    "\n"
    "With --json each line is an event; the last one is {\"event\":\"result\",\"answer\",\"usage\":{…}}.\n"
    "\n"
    "Exit status: 0 answered; 1 no answer: the offline model found no skill that fits, or a limit ended the run; 2 "
    "wrong\n"
    "use; 3 the input cannot be read; 4 the model failed."};

struct running {
  struct cli *cli;
  struct cli_session *session;
  bool json;
  bool opened; /* a skill was used */
  bool done;
  int exit;
};

/* --- JSON lines --------------------------------------------------------------------------------------------------- */

static void json_event(struct running *run, const SkillEvent *event) {
  char small[4096];
  size_t length = skill_event_json(event, small, sizeof small);
  if (length < sizeof small) fprintf(run->cli->out, "%s\n", small);
}

static void json_message(struct running *run, const SkillMessage *message) {
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL_MAX_MESSAGE * 2);
  skill__json_open(&buf, NULL, "{");
  skill__json_add_text(&buf, "event", "message");
  skill__json_open(&buf, "message", "");
  skill__message_print(&buf, message);
  skill__json_close(&buf, "}");
  (void)cli_print_json(run->cli, &buf);
}

static const char *const ends[] = {"answered", "limit", "canceled", "failed"};

static void json_result(struct running *run, const SkillTurn *turn) {
  const SkillUsage *spent = &turn->usage;
  struct skill__buf buf;
  skill__buf_init(&buf, SKILL_MAX_MESSAGE * 2);
  skill__json_open(&buf, NULL, "{");
  skill__json_add_text(&buf, "event", "result");
  skill__json_add_text(&buf, "end", ends[turn->end]);
  skill__json_add_bytes(&buf, "answer", turn->answer, turn->answer_length);
  if (turn->status) skill__json_add_text(&buf, "status", skill_errname(turn->status));
  if (turn->status) skill__json_add_text(&buf, "error", turn->error->message);
  skill__json_add_text(&buf, "model", run->session->model->name);
  skill__json_open(&buf, "usage", "{");
  SKILL__JSON_SIZES(&buf, {"requests", turn->requests}, {"calls", turn->calls}, {"forks", turn->forks},
                    {"input_tokens", spent->input_tokens}, {"output_tokens", spent->output_tokens},
                    {"cached_tokens", spent->cached_tokens});
  skill__json_add_bool(&buf, "estimated", spent->estimated);
  skill__json_close(&buf, "}");
  skill__json_open(&buf, "context", "{");
  SKILL__JSON_SIZES(&buf, {"tokens", turn->context_tokens}, {"prefix_tokens", turn->prefix_tokens},
                    {"everything_tokens", turn->everything_tokens});
  skill__json_add_bool(&buf, "exact", turn->exact);
  skill__json_close(&buf, "}}");
  (void)cli_print_json(run->cli, &buf);
}

/* --- callbacks ---------------------------------------------------------------------------------------------------- */

static void on_event(const SkillEvent *event, void *user) {
  struct running *run = user;
  run->opened = run->opened || event->kind == SKILL_EVENT_OPENED || event->kind == SKILL_EVENT_FORKED;
  if (run->json) json_event(run, event);
  if (!run->json) cli_show_event(run->session, event);
}

static void on_message(const SkillMessage *message, void *user) {
  struct running *run = user;
  if (run->json) json_message(run, message);
  if (!run->json) cli_show_message(run->session, message);
}

static void on_log(const char *line, size_t length, void *user) {
  struct running *run = user;
  fprintf(run->session->log, "%.*s\n", (int)length, line);
}

/* Prints the answer; long lines are wrapped at words. */
static void print_answer(struct cli *cli, const char *text, size_t length) {
  const char *end = text + length;
  fputc('\n', cli->out);
  while (text < end) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    size_t n = (size_t)((stop ? stop : end) - text);
    char *line = skill__utf8_columns(text, n) > cli->columns ? skill__strndup(text, n) : NULL;
    if (line) {
      size_t indent = strspn(line, " ");
      fprintf(cli->out, "%*s", (int)indent, "");
      cli_wrap(cli, line + indent, indent);
    } else {
      cli_put(cli, text, n);
      fputc('\n', cli->out);
    }
    skill__free(line);
    text = stop ? stop + 1 : end;
  }
}

static void on_turn(SkillAgent *agent, const SkillTurn *turn, void *user) {
  struct running *run = user;
  struct cli *cli = run->cli;
  (void)agent;
  run->done = true;
  run->exit = turn->end == SKILL_TURN_ANSWERED ? CLI_DONE : CLI_OUTSIDE;
  if (turn->status == SKILL_ENOMEM) run->exit = CLI_INTERNAL;
  /* The offline model knows nothing but skills; without one its answer is none. */
  bool offline = strcmp(run->session->model->name, "offline") == 0;
  if (run->exit == CLI_DONE && offline && !run->opened) run->exit = CLI_NO;
  bool limited = turn->end == SKILL_TURN_LIMIT || turn->status == SKILL_ELIMIT;
  if (limited || turn->end == SKILL_TURN_CANCELED) run->exit = CLI_NO;
  if (run->json) {
    json_result(run, turn);
    return;
  }
  if (turn->answer_length) print_answer(cli, turn->answer, turn->answer_length);
  if (turn->status) {
    fprintf(cli->out, "\n%snot finished:%s ", cli_red(cli), cli_plain(cli));
    cli_put(cli, turn->error->message, strlen(turn->error->message));
    fputc('\n', cli->out);
  }
  if (turn->requests) cli_show_cost(run->session, turn);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static void print_head(struct cli *cli, const struct cli_session *session, const char *task) {
  fprintf(cli->out, "%stask%s      ", cli_bold(cli), cli_plain(cli));
  cli_wrap(cli, task, 10);
  fprintf(cli->out, "%smodel%s     ", cli_bold(cli), cli_plain(cli));
  char text[600];
  const SkillModel *model = session->model;
  snprintf(text, sizeof text, "%s%s%s", model->name, model->note ? ": " : "", model->note ? model->note : "");
  cli_wrap(cli, text, 10);
  fprintf(cli->out, "%sskills%s    %zu\n\n", cli_bold(cli), cli_plain(cli),
          skill_registry_count(session->catalog.registry));
}

static int run_task(struct cli *cli, struct cli_session *session, const char *task, bool json) {
  struct running run = {.cli = cli, .session = session, .json = json};
  SkillAgentEvents events = {.on_event = on_event, .on_message = on_message, .user = &run};
  SkillError err = SKILL_ERROR_INIT;
  if (session->log) events.on_log = on_log;
  int exit = cli_session_agent(session, &events, true);
  if (exit >= 0) return exit;
  if (!json) print_head(cli, session, task);
  int status = skill_agent_turn(session->agent, task, 0, on_turn, &run, &err);
  if (status) return cli_fail(cli, "run", &err);
  while (!run.done) (void)skill_loop_run_once(session->loop, -1);
  return run.exit;
}

static int check_task(struct cli *cli, const struct cli_list *rest) {
  bool place = rest->count == 1 && cli_catalog_is_place(rest->items[0]);
  if (rest->count && rest->items[0][0] && !place) return -1;
  fputs("skillet run: TASK is missing", cli->err);
  if (place) fprintf(cli->err, ": '%s' is a folder or file", rest->items[0]);
  fputs("; skillet run TASK [DIR…]\n", cli->err);
  return CLI_USAGE;
}

int cmd_run(struct cli *cli, int argc, char **argv) {
  struct cli_session_words words = {0};
  struct cli_list rest = {0};
  struct cli_session session = {0};
  const struct cli_option options[] = {CLI_SESSION_OPTIONS(words),
                                       {CLI_FLAG, 'j', "json", NULL, "JSON lines instead of text", &words.json},
                                       CLI_CATALOG_OPTIONS(words.catalog)};
  int exit = cli_parse(cli, &usage, options, sizeof options / sizeof *options, argc, argv, &rest);
  if (exit < 0) exit = check_task(cli, &rest);
  if (exit < 0) {
    struct cli_list dirs = {rest.items + 1, rest.count - 1, 0};
    exit = cli_session_open(cli, "run", &words, &dirs, &session);
    if (exit < 0) exit = run_task(cli, &session, rest.items[0], words.json);
    cli_session_close(&session);
  }
  cli_session_words_free(&words);
  cli_list_free(&rest);
  return exit;
}
