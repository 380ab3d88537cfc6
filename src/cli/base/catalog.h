/* SPDX-License-Identifier: MIT
 *
 * How commands get their skills: words of the command line -> sources -> a synchronised registry.
 *
 * A word names a folder of skills, a single .md file, a skills.jsonl, a recorded MCP tools/list, or a folder that holds
 * such files. A word that begins with "~" or "$" is expanded if no file has that name (util/expand.h). Without words,
 * the folders in $SKILLET_SKILLS are used (separated by ':'), or else the usual folders that exist: skills,
 * .skillet/skills, .claude/skills and .agents/skills here, then in the home folder. Unusable input is a finding of the
 * report, so one bad word does not hide the others.
 */
#ifndef SKILL_CLI_CATALOG_H
#define SKILL_CLI_CATALOG_H

#include "cli/base/cli.h"

struct cli_catalog_options {
  const SkillRankerOptions *ranker; /* NULL: defaults */
  bool ignore_body;                 /* do not read and index bodies; for commands that do not rank */
  bool builtins;                    /* add output-format and skill-creator, last in precedence */
  const char *writable;             /* with builtins: where skill-creator writes; NULL: it has no tool */
  bool strict;
  bool describe_from_body;
  bool survey; /* also report what is not read in the folders; for commands that print diagnostics */
  SkillLite lite;
  SkillLinks links;
  SkillDuplicates duplicates;
  bool reports;          /* the command prints the report itself, unreadable input included */
  bool one;              /* one skill is wanted: unreadable files matter only if it is not found */
  SkillEventCb on_event; /* NULL: none */
  void *event_user;
};

struct cli_catalog {
  SkillRegistry *registry;
  SkillSyncReport *report; /* what was found, and every diagnostic */
  SkillSource **sources;   /* in order of precedence */
  size_t count;
};

/* Options of these commands, as given; NULL or false: not given. CLI_CATALOG_OPTIONS(words) is their part of an option
 * table; call cli_catalog_words() after cli_parse(). */
struct cli_catalog_words {
  const char *lite;
  const char *links;
  const char *duplicates;
  bool strict;
  bool describe;
};

#define CLI_CATALOG_OPTIONS(words)                                                                                     \
  {CLI_TEXT, 0, "lite", "WHICH", "single .md files that are skills: frontmatter (default), all, off", &(words).lite},  \
      {CLI_TEXT, 0, "links", "WHICH", "symbolic links to follow: inside (default), anywhere, never", &(words).links},  \
      {CLI_TEXT, 0, "duplicates", "WHICH", "of a name: first (default), last, error, namespace", &(words).duplicates}, \
      {CLI_FLAG, 0, "strict", NULL, "follow the public specification exactly", &(words).strict}, {                     \
    CLI_FLAG, 0, "describe-from-body", NULL, "a missing description is the first paragraph", &(words).describe         \
  }

/* Fills lite, links, duplicates, strict and describe_from_body. -1, or CLI_USAGE after a message. */
int cli_catalog_words(struct cli *cli, const char *command, const struct cli_catalog_words *words,
                      struct cli_catalog_options *options);

/* Opens and synchronises. -1, or an exit status after a message; `catalog` is then empty. `options` may be NULL. The
 * words must outlive the catalogue. Folders that cannot be read are reported on stderr; if there is no other, the
 * result is CLI_INPUT. Unreadable files inside them are reported, too (cli_catalog_report_hidden). With `reports` the
 * command does all this. */
int cli_catalog_open(struct cli *cli, const char *command, const struct cli_list *dirs,
                     const struct cli_catalog_options *options, struct cli_catalog *catalog);
void cli_catalog_close(struct cli_catalog *catalog);

/* Synchronises again with the disk. On failure nothing has changed. */
int cli_catalog_refresh(struct cli_catalog *catalog, SkillDuplicates duplicates, SkillError *err);

/* Number of the given words that cannot be read at all, without those that have '\\' for '/'. */
size_t cli_catalog_unreadable(const SkillSyncReport *report);

/* Lists on stderr the folders and files that could not be read, because a skill may be missing for that. */
void cli_catalog_report_hidden(struct cli *cli, const char *command, const SkillSyncReport *report);

/* Whether the word is an existing path; then the user probably forgot the query or the task before it. */
bool cli_catalog_is_place(const char *word);

/* Prints the diagnostics as text, errors first, at most `most` of each level. */
void cli_catalog_print_diagnostics(struct cli *cli, FILE *to, const SkillSyncReport *report, size_t most);

/* Appends the member "diagnostics". */
void cli_catalog_json_diagnostics(struct skill__buf *buf, const SkillSyncReport *report);

#endif
