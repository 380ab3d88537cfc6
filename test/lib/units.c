/* SPDX-License-Identifier: MIT
 *
 * See units.h. The vectors are always the same.
 */
#include "lib/units.h"

#include "lib/check.h"

#include <stdio.h>
#include <string.h>

#include "lib/tmpdir.h"
#include "rank/index/sign_sketch.h"
#include "rank/table/terms.h"
#include "rank/text/analyze.h"
#include "train-terms/terms_write.h"

void units_write(const char *dir) {
  static float vectors[UNITS][SKILL__SKETCH_DIMS];
  static char names[UNITS][16];
  static struct terms_entry entries[UNITS];
  uint32_t random = 1;
  for (size_t i = 0; i < UNITS; i++) {
    snprintf(names[i], sizeof names[i], "unit%zu", i);
    entries[i] = (struct terms_entry){names[i], strlen(names[i]), .001, vectors[i]};
    for (size_t d = 0; d < SKILL__SKETCH_DIMS; d++) {
      random = random * 1664525u + 1013904223u;
      vectors[i][d] = (float)((int)(random >> 8) % 2001 - 1000);
    }
  }
  struct skill__buf file;
  skill__buf_init(&file, 1 << 20);
  struct terms_spec spec = {SKILL__ANALYZER_VERSION, SKILL__SKETCH_DIMS, 4, 1000, entries, UNITS};
  assert_int_equal(terms_write(&spec, &file), 0);
  tmpdir_write_bytes(dir, "units.skt", file.data, file.length);
  skill__buf_fini(&file);
}
