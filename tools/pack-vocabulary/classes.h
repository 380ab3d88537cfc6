/* SPDX-License-Identifier: MIT
 *
 * Character classes of the Unicode version that utf8proc knows, for a packed vocabulary.
 */
#ifndef PACK_VOCABULARY_CLASSES_H
#define PACK_VOCABULARY_CLASSES_H

#include "tokens/pretoken.h"

/* Fills tables with the classes of the Unicode version that utf8proc knows; returns the number of distinct blocks.
 * `bits` has room for SKILL__CLASS_MAX_DISTINCT of them. */
size_t classes_build(uint8_t index[SKILL__CLASS_BLOCKS], uint8_t *bits);

#endif
