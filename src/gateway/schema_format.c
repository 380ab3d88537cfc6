/* SPDX-License-Identifier: MIT
 *
 * The formats that are checked (docs/schema.md lists them), most by a pattern. In doubt a pattern accepts: a format is
 * a hint to a model, and a tool must still examine its input.
 */
#include <arpa/inet.h>
#include <string.h>

#include "gateway/schema_internal.h"

/* The day must exist; the 29th of February does in years that are divisible by 4, but of the centuries only by 400. */
#define LEAP_YEAR "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
#define DATE                                                  \
  "(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|" \
  "(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))|" LEAP_YEAR "-02-29)"

/* Second 60 is a leap second. */
#define HOUR_MINUTE "(?:[01]\\d|2[0-3]):[0-5]\\d"
#define TIME HOUR_MINUTE ":(?:[0-5]\\d|60)(?:\\.\\d+)?(?:[Zz]|[-+]" HOUR_MINUTE ")"

#define LABEL "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
#define HOST "(?=.{1,253}$)" LABEL "(?:\\." LABEL ")*"

/* A scheme, ":" and characters that are allowed in a URI; characters above ASCII pass, as in an IRI. */
#define URI "[A-Za-z][A-Za-z0-9+.-]*:[^\\x00-\\x20\\x7f<>\"{}|\\\\^`]+"

static bool is_ipv4(const char *text) {
  struct in_addr address;
  return inet_pton(AF_INET, text, &address) == 1;
}

static bool is_ipv6(const char *text) {
  struct in6_addr address;
  return inet_pton(AF_INET6, text, &address) == 1;
}

static const struct skill__schema_format_rule formats[] = {
    {"date-time", "^" DATE "[Tt]" TIME "$", NULL},
    {"date", "^" DATE "$", NULL},
    {"time", "^" TIME "$", NULL},
    {"email", "^(?![.])(?!.*[.][.])[^\\x00-\\x20()<>\\[\\],;:\\\\\"@]{1,64}(?<![.])@" HOST "$", NULL},
    {"hostname", "^" HOST "$", NULL},
    {"ipv4", NULL, is_ipv4},
    {"ipv6", NULL, is_ipv6},
    {"uuid", "^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$", NULL},
    {"uri", "^" URI "$", NULL},
    {"url", "^" URI "$", NULL},
    {"iri", "^" URI "$", NULL},
};

static const char *const annotations[] = {"int32",  "int64", "uint",   "uint32",   "uint64", "float",
                                          "double", "byte",  "binary", "password", "path",   "enum"};

const struct skill__schema_format_rule *skill__schema_format(const char *name) {
  static const struct skill__schema_format_rule annotation;
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    if (strcmp(name, formats[i].name) == 0) return &formats[i];
  }
  for (size_t i = 0; i < sizeof annotations / sizeof *annotations; i++) {
    if (strcmp(name, annotations[i]) == 0) return &annotation;
  }
  return NULL;
}
