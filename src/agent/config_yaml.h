/* SPDX-License-Identifier: MIT
 *
 * What the files that read a configuration share: config.c loads files, config_keys.c has the tables of keys,
 * config_yaml.c reads values. Each reader fails at the first thing that is not understood, with its place.
 */
#ifndef SKILL_AGENT_CONFIG_YAML_H
#define SKILL_AGENT_CONFIG_YAML_H

#include <yaml.h>

#include "skillet/config.h"
#include "util/arena.h"

enum { SKILL__CONFIG_MOST = 1000 }; /* items of a list, entries of a mapping */

struct skill__config {
  SkillConfig out; /* first: handed out */
  struct skill__arena arena;
};

struct skill__config_reading {
  struct skill__config *config;
  yaml_document_t document;
  const char *path;
  char folder[SKILL_MAX_PATH];
  bool project; /* it may only tighten */
  SkillError *err;
};

enum skill__config_kind {
  TEXT,
  OWN_TEXT, /* a text that a project's file may not give */
  PATH,     /* of a file that is written: a project's file may not name one */
  NUMBER,
  OFF,
  LIST,
  MORE,    /* a list that adds up */
  FOLDERS, /* a list of paths, relative to the file's folder */
  PLACES,  /* the same; a project's lie below its folder */
  OTHER    /* read by `read` */
};

struct skill__config_key {
  const char *name;
  enum skill__config_kind kind;
  size_t offset;
  size_t set; /* offset of a bool that says the key was there; 0: none */
  int (*read)(struct skill__config_reading *r, const char *key, const yaml_node_t *node, void *target);
};

/* Sets the error with the place of `node`; returns `status`. */
int skill__config_wrong(struct skill__config_reading *r, const yaml_node_t *node, int status, const char *format, ...)
    SKILL_PRINTF(4, 5);
int skill__config_no_memory(struct skill__config_reading *r);
/* The text of a scalar, or NULL. */
const char *skill__config_scalar(const yaml_node_t *node);
yaml_node_t *skill__config_node(struct skill__config_reading *r, int index);
/* A copy in the configuration's memory, or NULL. */
char *skill__config_keep(struct skill__config_reading *r, const char *text);
int skill__config_bool(struct skill__config_reading *r, const yaml_node_t *node, bool *out);
/* The index of the value in a NULL-terminated list of names. */
int skill__config_choice(struct skill__config_reading *r, const char *key, const yaml_node_t *node,
                         const char *const *names, size_t *out);

/* Reads a mapping by a table into the struct `target`. An unknown key is reported with similar ones. */
int skill__config_mapping(struct skill__config_reading *r, const yaml_node_t *node,
                          const struct skill__config_key *keys, size_t count, void *target);

/* Reads a file's root by the table of all keys. */
int skill__config_keys(struct skill__config_reading *r, const yaml_node_t *root);
/* Whether an assistant is forbidden something: then a project's file can neither replace it nor choose another. */
bool skill__config_bound(const SkillConfigAssistant *assistant);

#endif
