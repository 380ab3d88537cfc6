/* SPDX-License-Identifier: MIT
 *
 * A document as JSON: every field that is set, and the findings as "code level line:column", so that a test's
 * expectation is one file. Not the program's own JSON (src/cli/base/describe.c): that has the form that users were
 * promised, leaves the tools' schemas out, and a field that it forgot would be missing from an expectation made with
 * it.
 */
#ifndef TEST_LIB_DOCUMENT_JSON_H
#define TEST_LIB_DOCUMENT_JSON_H

#include <cjson/cJSON.h>

#include "skillet/document.h"

/* Owned: cJSON_Delete. */
cJSON *document_json(const SkillDocument *document);

#endif
