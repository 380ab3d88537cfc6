/* SPDX-License-Identifier: MIT
 *
 * skillet chat: a conversation in the terminal, with streamed answers, questions before dangerous calls, and commands
 * that begin with a slash. Without a terminal, each line of standard input is a turn.
 */
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/session/line.h"
#include "cli/session/session.h"
#include "util/alloc.h"
#include "util/near.h"

static const struct cli_usage usage = {
    "skillet chat [OPTIONS] [DIR…]",
    "Talks to an agent that has the skills of the folders. Answers are shown as they arrive; calls of dangerous tools "
    "wait\n"
    "for your y or n; Ctrl-C ends the running turn, Ctrl-D the chat. @NAME attaches a skill or, below a --root, a "
    "file.\n"
    "\n"
    "  /skills        list the active skills\n"
    "  /why           explain why they were activated\n"
    "  /cost          show what the conversation has cost so far\n"
    "  /compact       replace older messages by a summary\n"
    "  /save FILE     save the conversation\n"
    "  /load FILE     continue a saved conversation\n"
    "  /quit\n"
    "\n"
    "Exit status: 0; 2 wrong use; 3 the input cannot be read; 4 the last turn failed."};

struct chat {
  struct cli *cli;
  struct cli_session *session;
  struct cli_line *line;
  SkillTurn sum; /* of all turns */
  char *asked;   /* id of the call that waits for the user's answer; NULL: none */
  bool done;     /* the running turn has ended */
  bool streamed;
  int exit;
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

/* --- callbacks ------------------------------------------------------------------------------------------ */

static void on_delta(const SkillDelta *delta, void *user) {
  struct chat *chat = user;
  if (delta->kind != SKILL_DELTA_TEXT) return;
  if (!chat->streamed) fputc('\n', chat->cli->out);
  chat->streamed = true;
  cli_put(chat->cli, delta->text, delta->length);
  fflush(chat->cli->out);
}

static void on_event(const SkillEvent *event, void *user) {
  struct chat *chat = user;
  if (event->kind != SKILL_EVENT_RANKED && event->kind != SKILL_EVENT_DISCOVERED) cli_show_event(chat->session, event);
}

static void on_message(const SkillMessage *message, void *user) {
  struct chat *chat = user;
  if (chat->streamed && message->role == SKILL_ROLE_ASSISTANT) fputc('\n', chat->cli->out);
  if (message->role == SKILL_ROLE_ASSISTANT) chat->streamed = false;
  cli_show_message(chat->session, message);
}

/* Asks one question at a time, so that an answer belongs to the last question. Tool and arguments are foreign text, so
 * they are printed without control characters. */
static void on_approval(const SkillCallInfo *call, void *user) {
  struct chat *chat = user;
  struct cli *cli = chat->cli;
  if (chat->asked || !(chat->asked = skill__strdup(call->id))) return;
  fprintf(cli->out, "%sMay ", cli_yellow(cli));
  cli_cut(cli, call->tool, SIZE_MAX);
  fputs(" run with ", cli->out);
  cli_cut(cli, call->arguments, SIZE_MAX); /* whole, because the user decides on it */
  fprintf(cli->out, "? (%s)%s\n", call->reason ? call->reason : "needs approval", cli_plain(cli));
}

static void on_log(const char *line, size_t length, void *user) {
  struct chat *chat = user;
  fprintf(chat->session->log, "%.*s\n", (int)length, line);
}

static void on_turn(SkillAgent *agent, const SkillTurn *turn, void *user) {
  struct chat *chat = user;
  SkillTurn *sum = &chat->sum;
  (void)agent;
  chat->done = true;
  chat->exit = turn->end == SKILL_TURN_FAILED ? CLI_OUTSIDE : CLI_DONE;
  if (turn->status) {
    fputs(cli_red(chat->cli), chat->cli->out);
    cli_put(chat->cli, turn->error->message, strlen(turn->error->message));
    fprintf(chat->cli->out, "%s\n", cli_plain(chat->cli));
  }
  skill_usage_add(&sum->usage, &turn->usage);
  sum->requests += turn->requests;
  sum->calls += turn->calls;
  sum->forks += turn->forks;
  sum->context_tokens += turn->context_tokens;
  sum->prefix_tokens += turn->prefix_tokens;
  sum->everything_tokens += turn->everything_tokens;
  sum->exact = turn->exact;
}

/* --- a turn ------------------------------------------------------------------------------------------------------- */

static void ask_user(struct chat *chat) {
  const char *answer = cli_line_read(chat->line, "y/n? ");
  bool yes = answer && (answer[0] == 'y' || answer[0] == 'Y');
  char *id = chat->asked;
  chat->asked = NULL;
  (void)skill_agent_decide(chat->session->agent, id, yes, answer ? NULL : "there is no user to ask");
  skill__free(id);
}

/* Another call may be waiting after the answered one. */
static void next_question(struct chat *chat) {
  SkillCallInfo info;
  if (!chat->asked && skill_agent_awaiting(chat->session->agent, 0, &info)) on_approval(&info, chat);
}

static void forget_question(struct chat *chat) {
  skill__free(chat->asked);
  chat->asked = NULL;
}

static void wait_for_turn(struct chat *chat) {
  interrupted = 0;
  chat->done = false;
  while (!chat->done) {
    (void)skill_loop_run_once(chat->session->loop, 200);
    if (interrupted) {
      interrupted = 0;
      (void)skill_agent_cancel(chat->session->agent);
    }
    if (chat->done) break;
    next_question(chat);
    if (chat->asked) ask_user(chat);
  }
  forget_question(chat); /* open if the turn was cancelled */
  fputc('\n', chat->cli->out);
  fflush(chat->cli->out);
}

static void take_turn(struct chat *chat, const char *text) {
  SkillError err = SKILL_ERROR_INIT;
  if (skill_agent_turn(chat->session->agent, text, 0, on_turn, chat, &err)) {
    chat->exit = cli_fail(chat->cli, "chat", &err);
    return;
  }
  wait_for_turn(chat);
}

/* --- commands ----------------------------------------------------------------------------------------------------- */

static void show_skills(struct chat *chat, const char *word) {
  (void)word;
  struct cli *cli = chat->cli;
  ProgressiveSkillLoader *loader = skill_agent_loader(chat->session->agent);
  size_t active = skill_loader_active_count(loader);
  fprintf(cli->out, "%zu skills, %zu active\n", skill_registry_count(chat->session->catalog.registry), active);
  for (size_t i = 0; i < active; i++) {
    const char *name = skill_loader_active_name(loader, i);
    bool held = skill_loader_body_state(loader, name) == SKILL_BODY_IN_CONTEXT;
    fputs("  ", cli->out);
    cli_cut(cli, name, SIZE_MAX);
    fputs(held ? ", instructions in the context\n" : "\n", cli->out);
  }
}

static void show_why(struct chat *chat, const char *word) {
  (void)word;
  char *text = NULL;
  if (skill_agent_why(chat->session->agent, &text)) return;
  cli_put(chat->cli, text, strlen(text));
  skill_free(text);
}

static void compact(struct chat *chat, const char *word) {
  (void)word;
  size_t removed = 0;
  SkillError err = SKILL_ERROR_INIT;
  if (skill_agent_compact(chat->session->agent, &removed, &err)) {
    fprintf(chat->cli->out, "%s\n", err.message);
  } else if (removed) {
    fprintf(chat->cli->out, "%zu messages were replaced by a summary\n", removed);
  } else {
    fputs("there was nothing to compact\n", chat->cli->out);
  }
}

static void save(struct chat *chat, const char *path) {
  char *text = NULL;
  size_t length = 0;
  SkillError err = SKILL_ERROR_INIT;
  FILE *file = NULL;
  if (skill_conversation_save(skill_agent_conversation(chat->session->agent), &text, &length, &err)) {
    fprintf(chat->cli->out, "%s\n", err.message);
    return;
  }
  mode_t before = umask(0077); /* conversations are private */
  file = fopen(path, "w");
  umask(before);
  bool good = file && fwrite(text, 1, length, file) == length;
  if (file && fclose(file)) good = false;
  fprintf(chat->cli->out, good ? "saved in %s\n" : "%s cannot be written\n", path);
  skill_free(text);
}

static void load(struct chat *chat, const char *path) {
  SkillConversation *talk = NULL;
  SkillError err = SKILL_ERROR_INIT;
  size_t length = 0;
  char *text = cli_read_file(path, SKILL_MAX_CONVERSATION, &length, &err);
  int status = text ? skill_conversation_load(text, length, &talk, &err) : SKILL_EIO;
  skill_free(text);
  if (!status) status = skill_agent_set_conversation(chat->session->agent, talk);
  if (status) {
    fprintf(chat->cli->out, "%s: ", path);
    cli_cut(chat->cli, err.code ? err.message : skill_strerror(status), SIZE_MAX);
    fputc('\n', chat->cli->out);
    return;
  }
  fprintf(chat->cli->out, "%zu messages\n", skill_conversation_count(talk));
  if (skill_agent_resume(chat->session->agent, on_turn, chat, NULL) == 0) wait_for_turn(chat);
}

static void show_cost(struct chat *chat, const char *word) {
  (void)word;
  cli_show_cost(chat->session, &chat->sum);
}

static void help(struct chat *chat, const char *word) {
  (void)word;
  fputs("/skills /why /cost /compact /save FILE /load FILE /quit\n", chat->cli->out);
}

static const struct command {
  const char *name;
  bool file; /* needs the name of a file */
  void (*run)(struct chat *chat, const char *word);
} commands[] = {
    {"/skills", false, show_skills}, {"/why", false, show_why}, {"/cost", false, show_cost},
    {"/compact", false, compact},    {"/save", true, save},     {"/load", true, load},
    {"/help", false, help},          {"/quit", false, NULL},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* By its name or an unambiguous beginning of it; NULL: none. */
static const struct command *find_command(const char *name, size_t length) {
  const struct command *found = NULL;
  for (size_t i = 0; i < COMMANDS; i++) {
    if (strncmp(commands[i].name, name, length) != 0) continue;
    if (found) return NULL;
    found = &commands[i];
  }
  return found;
}

static void no_command(struct chat *chat, const char *name) {
  struct skill__near near;
  char meant[200];
  skill__near_begin(&near, name, 3);
  for (size_t i = 0; i < COMMANDS; i++) skill__near_offer(&near, commands[i].name);
  skill__near_text(&near, "; did you mean ", "?", meant, sizeof meant);
  fprintf(chat->cli->out, "there is no command %s%s\n", name, *meant ? meant : "; /help lists them");
}

/* Runs the command of the line. Returns whether the chat continues. */
static bool command(struct chat *chat, char *line) {
  size_t length = strcspn(line, " ");
  const char *rest = line + length + strspn(line + length, " ");
  line[length] = '\0';
  const struct command *found = find_command(line, length);
  if (!found) {
    no_command(chat, line);
  } else if (found->file && !*rest) {
    fprintf(chat->cli->out, "%s needs the name of a file\n", found->name);
  } else if (found->run) {
    found->run(chat, rest);
  }
  return !found || found->run;
}

static void talk(struct chat *chat) {
  const char *line;
  while ((line = cli_line_read(chat->line, "> ")) != NULL) {
    char *copy = skill__strdup(line);
    size_t length = copy ? strlen(copy) : 0;
    while (length && strchr(" \t\r\n", copy[length - 1])) copy[--length] = '\0';
    bool on = true;
    if (length && copy[0] == '/') on = command(chat, copy);
    if (length && copy[0] != '/') take_turn(chat, copy);
    skill__free(copy);
    if (!on) return;
  }
}

int cmd_chat(struct cli *cli, int argc, char **argv) {
  struct cli_session_words words = {0};
  struct cli_list rest = {0};
  struct cli_session session = {0};
  const struct cli_option options[] = {CLI_SESSION_OPTIONS(words), CLI_CATALOG_OPTIONS(words.catalog)};
  struct chat chat = {.cli = cli, .session = &session, .exit = CLI_DONE};
  SkillAgentEvents events = {.on_event = on_event, .on_delta = on_delta, .on_message = on_message, .user = &chat};
  events.on_approval = on_approval;
  setlocale(LC_ALL, ""); /* the line editor reads characters */
  setlocale(LC_NUMERIC, "C");
  int exit = cli_parse(cli, &usage, options, sizeof options / sizeof *options, argc, argv, &rest);
  if (exit < 0) exit = cli_session_open(cli, "chat", &words, &rest, &session);
  if (exit < 0 && session.log) events.on_log = on_log;
  if (exit < 0) exit = cli_session_agent(&session, &events, true);
  if (exit < 0 && !(chat.line = cli_line_open("skillet"))) exit = CLI_INTERNAL;
  if (exit < 0) {
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    fprintf(cli->out, "%s%s%s%s; /help lists commands\n", cli_bold(cli), session.model->name, cli_plain(cli),
            session.model->flags & SKILL_MODEL_NO_LLM ? " (no language model)" : "");
    talk(&chat);
    exit = chat.exit;
  }
  cli_line_close(chat.line);
  cli_session_close(&session);
  cli_session_words_free(&words);
  cli_list_free(&rest);
  return exit;
}
