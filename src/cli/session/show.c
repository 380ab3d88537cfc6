/* SPDX-License-Identifier: MIT
 *
 * How a running agent is shown in a terminal: decisions, calls and results as one line each, the cost as a table.
 */
#include <string.h>

#include "cli/base/tokens.h"
#include "cli/session/session.h"

enum { LABEL = 10 }; /* columns of the left margin */

static void label(struct cli *cli, const char *colour, const char *text) {
  fprintf(cli->out, "%s%-*s%s", colour, LABEL, text, cli_plain(cli));
}

static void rest(struct cli *cli, const char *text) {
  cli_cut(cli, text, cli->columns > LABEL ? cli->columns - LABEL : cli->columns);
  fputc('\n', cli->out);
}

static void add_ranked(struct cli_ranked *ranked, const SkillEvent *event) {
  size_t used = strlen(ranked->names);
  size_t left = sizeof ranked->names - used;
  if (ranked->count++ >= 5) return;
  int n = snprintf(ranked->names + used, left, "%s%s %.1f", used ? ", " : "", event->skill, event->score);
  if (n < 0 || (size_t)n >= left) ranked->names[used] = '\0';
}

static void flush_ranked(struct cli_session *session) {
  struct cli_ranked *ranked = &session->ranked;
  char line[320];
  if (!ranked->count) return;
  snprintf(line, sizeof line, "%zu: %s%s", ranked->count, ranked->names, ranked->count > 5 ? " \xE2\x80\xA6" : "");
  label(session->cli, cli_dim(session->cli), "ranked");
  rest(session->cli, line);
  *ranked = (struct cli_ranked){.count = 0};
}

void cli_show_event(struct cli_session *session, const SkillEvent *event) {
  struct cli *cli = session->cli;
  char line[1024];
  if (event->kind == SKILL_EVENT_RANKED && event->skill) {
    add_ranked(&session->ranked, event);
    return;
  }
  flush_ranked(session);
  const char *skill = event->skill ? event->skill : "";
  const char *reason = event->reason ? event->reason : "";
  const char *name = event->source ? event->source : "";
  if (event->tool) name = event->tool;
  if (*skill) name = skill;
  switch (event->kind) {
    case SKILL_EVENT_DISCOVERED:
      if (event->skill) return;
      snprintf(line, sizeof line, "%zu skills, %zu tokens: %s", event->count, event->tokens, reason);
      label(cli, cli_dim(cli), "listed");
      break;
    case SKILL_EVENT_RANKED:
      snprintf(line, sizeof line, "%zu fit%s%s", event->count, *reason ? ": " : "", reason);
      label(cli, cli_dim(cli), "ranked");
      break;
    case SKILL_EVENT_ACTIVATED:
      snprintf(line, sizeof line, "%s", skill);
      if (event->score > 0) snprintf(line, sizeof line, "%s, score %.2f", skill, event->score);
      label(cli, cli_green(cli), "activated");
      break;
    case SKILL_EVENT_EVICTED:
    case SKILL_EVENT_EXPIRED:
    case SKILL_EVENT_INIT_FAILED:
    case SKILL_EVENT_NOT_ACTIVATED:
    case SKILL_EVENT_DENIED:
    case SKILL_EVENT_COMPACTED:
    case SKILL_EVENT_FORKED:
    case SKILL_EVENT_DEGRADED:
      snprintf(line, sizeof line, "%s%s%s", name, *reason && *name ? ": " : "", reason);
      label(cli, cli_yellow(cli), skill_event_name(event->kind));
      break;
    case SKILL_EVENT_OPENED:
      snprintf(line, sizeof line, "%s, %zu tokens: %s", skill, event->tokens, reason);
      label(cli, cli_green(cli), "opened");
      break;
    case SKILL_EVENT_RETRIEVED:
      if (event->source)
        snprintf(line, sizeof line, "%s, fit %.2f, %zu tokens", event->source, event->score, event->tokens);
      if (!event->source) snprintf(line, sizeof line, "nothing: %s", reason);
      label(cli, event->source ? cli_green(cli) : cli_dim(cli), "retrieved");
      break;
    default:
      return;
  }
  rest(cli, line);
}

void cli_show_message(struct cli_session *session, const SkillMessage *message) {
  struct cli *cli = session->cli;
  char line[2048];
  flush_ranked(session);
  if (message->role == SKILL_ROLE_USER && message->origin) {
    label(cli, cli_dim(cli), "attached");
    rest(cli, message->origin);
  }
  for (size_t i = 0; i < message->call_count; i++) {
    const SkillCall *call = &message->calls[i];
    snprintf(line, sizeof line, "%s %s", call->name, call->arguments);
    label(cli, cli_bold(cli), "calls");
    rest(cli, line);
  }
  if (message->role != SKILL_ROLE_TOOL) return;
  label(cli, message->error ? cli_red(cli) : cli_dim(cli), message->error ? "fails" : "gets");
  rest(cli, message->text);
}

/* --- cost --------------------------------------------------------------------------------------------------------- */

static void row(struct cli *cli, const char *what, const SkillTokenizer *tokenizer, size_t tokens, const char *note) {
  char number[CLI_COUNT_SIZE];
  fprintf(cli->out, "  %-32s %14s", what, cli_count(number, (double)tokens, tokenizer));
  if (*note) fprintf(cli->out, "  %s%s%s", cli_dim(cli), note, cli_plain(cli));
  fputc('\n', cli->out);
}

void cli_show_cost(const struct cli_session *session, const SkillTurn *turn) {
  struct cli *cli = session->cli;
  char note[80] = "";
  char title[64];
  size_t all = turn->everything_tokens;
  const SkillTokenizer *by = turn->exact ? NULL : skill_tokenizer_estimate();
  snprintf(title, sizeof title, "input of %zu request%s", turn->requests, turn->requests == 1 ? "" : "s");
  fprintf(cli->out, "\n%s%-34s %14s%s\n", cli_bold(cli), title, "tokens", cli_plain(cli));
  if (all) row(cli, "with every skill in the context", by, all, "");
  if (all && turn->context_tokens) {
    snprintf(note, sizeof note, "%.1f %%, %.1f times less", 100.0 * (double)turn->context_tokens / (double)all,
             (double)all / (double)turn->context_tokens);
  }
  row(cli, "with skillet", by, turn->context_tokens, note);
  row(cli, "  same beginning as before", by, turn->prefix_tokens, "billed as cached reads");
  if (!turn->usage.estimated) {
    snprintf(note, sizeof note, "%zu of it cached; %zu out", turn->usage.cached_tokens, turn->usage.output_tokens);
    row(cli, "  as the provider counts", NULL, turn->usage.input_tokens, note);
  }
  if (turn->exact) {
    fprintf(cli->out, "%sCounted with %s.%s\n", cli_dim(cli), session->tokenizer->name, cli_plain(cli));
  } else {
    fprintf(cli->out, "%s~ estimated: there is no vocabulary file; scripts/setup.sh makes one.%s\n", cli_dim(cli),
            cli_plain(cli));
  }
}
