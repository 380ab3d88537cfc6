/* SPDX-License-Identifier: MIT
 *
 * The kind of a resource: its media type by its extension, text or bytes by its content.
 */
#ifndef SKILL_SOURCE_MEDIA_H
#define SKILL_SOURCE_MEDIA_H

#include <stdbool.h>
#include <stddef.h>

/* The media type of a path whose beginning is, or is not, text; static, never NULL. An extension that promises text
 * is not believed where the content is not, and the other way round. */
const char *skill__media_type(const char *path, bool text);

/* Whether bytes are text: UTF-8 without NUL. Where `whole` is false the last character may be cut. */
bool skill__media_is_text(const char *data, size_t length, bool whole);

#endif
