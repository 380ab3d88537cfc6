/* SPDX-License-Identifier: MIT
 *
 * How commands get their skills: words on the command line -> sources -> a synchronised registry.
 *
 * A word may be a folder of skills, a single .md, a skills.jsonl, a recorded MCP tools/list, or a folder that holds
 * such files; one that begins with "~" or "$" and is not there by that name is expanded (util/expand.h). Without any
 * word those named by $SKILLET_SKILLS are taken (with ':' between them), or else the usual places that are there:
 * skills, .skillet/skills, .claude/skills and .agents/skills here, then in the home folder. Input that cannot be used
 * is told in the report, so that one bad word never hides the others.
 */
#ifndef SKILL_CLI_CATALOG_H
#define SKILL_CLI_CATALOG_H

#include "cli/base/cli.h"

struct cli_catalog_options {
  const SkillRankerOptions *ranker; /* NULL: defaults */
  bool ignore_body;                 /* do not read and index bodies: for commands that do not rank */
  bool builtins;                    /* add output-format and skill-creator, last in precedence */
  const char *writable;             /* with builtins: the folder that skill-creator writes to; NULL: it has no tool */
  bool strict;
  bool describe_from_body;
  bool survey; /* tell what in the folders of skills is not read: for commands that show diagnostics */
  SkillLite lite;
  SkillLinks links;
  SkillDuplicates duplicates;
  bool tells;            /* the command tells the report itself, input that cannot be read included */
  bool one;              /* what could not be read matters only where the one skill that is wanted is not found */
  SkillEventCb on_event; /* NULL: none */
  void *event_user;
};

struct cli_catalog {
  SkillRegistry *registry;
  SkillSyncReport *report; /* what was found, and every diagnostic */
  SkillSource **sources;   /* in order of precedence */
  size_t count;
};

/* The options that commands share, as text the user gave; NULL or false: not given. Put CLI_CATALOG_OPTIONS(words)
 * into the command's option table, and call cli_catalog_words after cli_parse. */
struct cli_catalog_words {
  const char *lite;
  const char *links;
  const char *duplicates;
  bool strict;
  bool describe;
};

#define CLI_CATALOG_OPTIONS(words)                                                                                   \
  {                                                                                                                  \
      CLI_TEXT,     0, "lite", "WHICH", "single .md files that are skills: frontmatter (default), all or off",       \
      &(words).lite},                                                                                                \
      {CLI_TEXT,      0, "links", "WHICH", "symbolic links to follow: inside the root (default), anywhere or never", \
       &(words).links},                                                                                              \
      {CLI_TEXT,                                                                                                     \
       0,                                                                                                            \
       "duplicates",                                                                                                 \
       "WHICH",                                                                                                      \
       "of one name: first (default), last, error or namespace (name@root)",                                         \
       &(words).duplicates},                                                                                         \
      {CLI_FLAG, 0, "strict", NULL, "the public specification to the letter", &(words).strict}, {                    \
    CLI_FLAG, 0, "describe-from-body", NULL, "a skill without a description takes its first paragraph",              \
        &(words).describe                                                                                            \
  }

/* Fills lite, links, duplicates, strict and describe_from_body. -1 to go on, or CLI_USAGE after a message. */
int cli_catalog_words(struct cli *cli, const char *command, const struct cli_catalog_words *words,
                      struct cli_catalog_options *options);

/* Opens and synchronises. -1 to go on, or an exit status after a message; `catalog` is then empty. `options` may be
 * NULL. The words must outlive the catalogue. Places that cannot be read are told on stderr, and where nothing else was
 * named that is CLI_INPUT; what could not be read inside them is told, too (cli_catalog_tell_hidden). With `tells` all
 * of it is left to the command. */
int cli_catalog_open(struct cli *cli, const char *command, const struct cli_list *dirs,
                     const struct cli_catalog_options *options, struct cli_catalog *catalog);
void cli_catalog_close(struct cli_catalog *catalog);

/* Synchronises again: what changed on disk since. 0 or a SKILL_E… code, and then all is as it was. */
int cli_catalog_refresh(struct cli_catalog *catalog, SkillDuplicates duplicates, SkillError *err);

/* How many of the places that were named cannot be read at all; one with '\\' for '/' is an error of its own. */
size_t cli_catalog_unreadable(const SkillSyncReport *report);

/* Says on stderr which folders and files could not be read, since what one looks for may be in them; nothing where all
 * could. */
void cli_catalog_tell_hidden(struct cli *cli, const char *command, const SkillSyncReport *report);

/* Whether a word is the path of something: who forgot the query or the task in front of the folder is told so. */
bool cli_catalog_is_place(const char *word);

/* Prints the report's diagnostics as text, at most `most` of each level, errors first. */
void cli_catalog_print_diagnostics(struct cli *cli, FILE *to, const SkillSyncReport *report, size_t most);

/* Appends the member "diagnostics". */
void cli_catalog_json_diagnostics(struct skill__buf *buf, const SkillSyncReport *report);

#endif
