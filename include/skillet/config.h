/* SPDX-License-Identifier: MIT
 *
 * SkillConfig: what the program reads from its YAML files, global and project; docs/config.md lists the keys.
 *
 * An unknown key, and a value of the wrong type or out of range, is an error with file, line and column, because a
 * typing error in a permission must not be ignored.
 */
#ifndef SKILLET_CONFIG_H
#define SKILLET_CONFIG_H

#include "skillet/agent.h"

SKILL_BEGIN

#define SKILL_MAX_CONFIG (1024 * 1024) /* bytes of a file; refused above */

/* A named model, for `model:` of skills and assistants. Members that were not given are NULL or 0. */
typedef struct SkillConfigModel {
  const char *name;
  const char *provider; /* "openai:gpt-4.1-mini" */
  const char *base_url;
  const char *key_env;
  const char *key_command;
  const char *proxy;
  size_t window;
  size_t max_output;
  const void *reserved[4]; /* 0 */
} SkillConfigModel;

/* An assistant: its instructions and permissions. */
typedef struct SkillConfigAssistant {
  const char *name;
  const char *system;
  const char *model; /* a name of `models`, or PROVIDER:NAME */
  SkillStrings allowed_skills, allowed_tools;
  bool allowed_skills_set, allowed_tools_set;
  const SkillPreference *preferences;
  size_t preference_count;
  bool tools_off;
  size_t max_requests, budget;
  const void *reserved[4]; /* 0 */
} SkillConfigAssistant;

typedef struct SkillConfig {
  const char *model;
  const char *assistant; /* used if no assistant is named */
  const char *policy;
  const char *log;
  SkillStrings skills; /* folders; relative ones are relative to the file's folder */
  SkillStrings disabled_skills, disabled_tools;
  SkillStrings roots, writable;
  SkillStrings retrieve; /* files and folders whose passages are added to requests */
  size_t retrieve_tokens;
  SkillApproval approval;
  bool approval_set;
  SkillToolsOffered tools_offered;
  const char *tool_names[SKILL_META_ROOM]; /* NULL: the default */
  bool scripts_off;
  bool sandbox_required;
  size_t max_active, budget, max_requests;
  const SkillConfigModel *models;
  size_t model_count;
  const SkillConfigAssistant *assistants;
  size_t assistant_count;
} SkillConfig;

/* Reads the files in order; later files have precedence. Single values replace earlier ones, lists of disabled names
 * are joined, and a project's file (any but the first) can neither lift a ban nor lower `approval`. A missing file is
 * skipped. Owned: release with skill_config_free. SKILL_EPARSE, SKILL_EINVAL (with the position), SKILL_ELIMIT,
 * SKILL_ENOMEM. */
SKILL_API int skill_config_load(const char *const *paths, size_t count, SkillConfig **out, SkillError *err);
SKILL_API void skill_config_free(SkillConfig *config);

/* Returns the assistant of that name, or the configured one for NULL; NULL: there is none. Borrowed. */
SKILL_API const SkillConfigAssistant *skill_config_assistant(const SkillConfig *config, const char *name);

/* Returns the model of that name, or NULL. Borrowed. */
SKILL_API const SkillConfigModel *skill_config_model(const SkillConfig *config, const char *name);

/* Sets `out`, which was initialised with SKILL_PERMISSIONS_INIT, to the global lists and the assistant's lists
 * (`assistant` may be NULL). Its members are borrowed from both arguments. */
SKILL_API void skill_config_permissions(const SkillConfig *config, const SkillConfigAssistant *assistant,
                                        SkillPermissions *out);

SKILL_END

#endif
