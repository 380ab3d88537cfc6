/* SPDX-License-Identifier: MIT
 *
 * Prints a document as JSON: every field that is set, and the diagnostics as "code level line:column", so that one file
 * holds the expectation of a test. The program's own JSON (src/cli/base/describe.c) is not used: its format is stable
 * for users, it leaves out the schemas of tools, and a field that it forgot would also be missing from the expectation.
 */
#ifndef TEST_LIB_DOCUMENT_JSON_H
#define TEST_LIB_DOCUMENT_JSON_H

#include <cjson/cJSON.h>

#include "skillet/document.h"

/* Owned: cJSON_Delete. */
cJSON *document_json(const SkillDocument *document);

#endif
