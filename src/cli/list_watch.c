/* SPDX-License-Identifier: MIT
 *
 * skillet list --watch; see list_watch.h. A change is a line that begins with +, ~ or -; with --json it is the event of
 * the registry, as a JSON line.
 */
#include "cli/list_watch.h"

#include <stdlib.h>
#include <string.h>

#include "skillet/watch.h"
#include "util/alloc.h"
#include "util/hash.h"

static void print_change(struct cli_watch *watch, char mark, const char *colour, const char *name) {
  struct cli *cli = watch->cli;
  const Skill *skill = skill_registry_find(watch->registry, name);
  const char *description = skill && mark != '-' ? skill_metadata(skill)->description : NULL;
  fprintf(cli->out, "%s%c%s ", colour, mark, cli_plain(cli));
  size_t used = 2 + cli_cut(cli, name, cli->columns / 3);
  if (description && used + 4 < cli->columns) {
    fputs("  ", cli->out);
    cli_cut(cli, description, cli->columns - used - 2);
  }
  fputc('\n', cli->out);
}

void cli_watch_event(const SkillEvent *event, void *user) {
  struct cli_watch *watch = user;
  const struct cli *cli = watch->cli;
  if (!watch->armed) return;
  if (watch->json) {
    char line[4096];
    if (skill_event_json(event, line, sizeof line) < sizeof line) fprintf(cli->out, "%s\n", line);
  } else if (event->kind == SKILL_EVENT_REGISTERED) {
    bool fresh = !event->reason;
    print_change(watch, fresh ? '+' : '~', fresh ? cli_green(cli) : cli_yellow(cli), event->skill);
  } else if (event->kind == SKILL_EVENT_UNREGISTERED && !skill_registry_find(watch->registry, event->skill)) {
    print_change(watch, '-', cli_red(cli), event->skill);
  }
}

/* --- notes, each printed once ------------------------------------------------------------------------------------- */

static uint64_t hash_note(const SkillDiagnostic *note) {
  const uint64_t parts[] = {skill__hash_bytes(note->code, strlen(note->code)),
                            skill__hash_bytes(note->path, strlen(note->path)),
                            skill__hash_bytes(note->message, strlen(note->message))};
  return skill__hash_bytes(parts, sizeof parts);
}

static int by_number(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a;
  uint64_t y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Keeps the notes of this report, and prints those that the last report did not have. */
static void print_notes(struct cli_watch *watch, const SkillSyncReport *report) {
  size_t count = report->diagnostic_count;
  uint64_t *notes = skill__malloc((count + 1) * sizeof *notes);
  if (!notes) return;
  for (size_t i = 0; i < count; i++) {
    const SkillDiagnostic *note = &report->diagnostics[i];
    notes[i] = hash_note(note);
    bool old = watch->note_count && bsearch(&notes[i], watch->notes, watch->note_count, sizeof *notes, by_number);
    if (!old && watch->armed && !watch->json && note->level != SKILL_LEVEL_INFO) {
      fprintf(watch->cli->out, "! ");
      cli_cut(watch->cli, note->path, SIZE_MAX);
      fprintf(watch->cli->out, ": ");
      cli_cut(watch->cli, note->message, SIZE_MAX);
      fputc('\n', watch->cli->out);
    }
  }
  if (count) qsort(notes, count, sizeof *notes, by_number);
  skill__free(watch->notes);
  watch->notes = notes;
  watch->note_count = count;
}

static void on_sync(SkillWatcher *watcher, int status, const SkillSyncReport *report, void *user) {
  struct cli_watch *watch = user;
  (void)watcher;
  if (status) {
    fprintf(watch->cli->err, "skillet list: the skills could not be read again: %s\n", skill_strerror(status));
  } else {
    print_notes(watch, report);
  }
  fflush(watch->cli->out);
}

int cli_watch_run(struct cli_watch *watch, struct cli_catalog *catalog, SkillDuplicates duplicates) {
  SkillLoop *loop = NULL;
  SkillWatcher *watcher = NULL;
  SkillWatcherOptions options = SKILL_WATCHER_OPTIONS_INIT;
  SkillError err = SKILL_ERROR_INIT;
  options.duplicates = duplicates;
  options.on_sync = on_sync;
  options.user = watch;
  watch->registry = catalog->registry;
  print_notes(watch, catalog->report);
  watch->armed = true;
  fflush(watch->cli->out);
  int status = skill_loop_new(NULL, &loop, &err);
  if (!status) {
    status = skill_watcher_new(loop, catalog->registry, catalog->sources, catalog->count, &options, &watcher, &err);
  }
  while (!status && !ferror(watch->cli->out)) status = skill_loop_run_once(loop, -1);
  watch->armed = false;
  skill_watcher_free(watcher);
  skill_loop_free(loop);
  skill__free(watch->notes);
  watch->notes = NULL;
  return status ? cli_fail(watch->cli, "list", &err) : CLI_OUTSIDE;
}
