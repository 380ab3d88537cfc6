/* SPDX-License-Identifier: MIT
 *
 * Whether a call may run. A call that is not clearly allowed is rejected, with a reason that tells the model what to
 * do.
 *
 * The order of the checks matters. Permission comes before the arguments, so that a forbidden tool reveals nothing
 * about its schema. Approval comes last, so that a user is never asked about a call that would be rejected anyway.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gateway/internal.h"
#include "gateway/schema.h"

static void reject(struct skill__gateway_call *call, int status, const char *format, ...) SKILL_PRINTF(3, 4);

static void reject(struct skill__gateway_call *call, int status, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(call->reason, sizeof call->reason, format, list);
  va_end(list);
  call->info.state = SKILL_CALL_REJECTED;
  call->info.reason = call->reason;
  call->status = status;
}

/* The arguments must be one JSON object without duplicate keys, and match the tool's schema. A schema that cannot be
 * compiled rejects the call: running it unchecked would be worse. The schema is compiled for each call; that is cheap
 * beside the model request that caused it. */
static bool check_arguments(struct skill__gateway_call *call) {
  static const char any_object[] = "{\"type\":\"object\"}";
  const char *text = call->info.arguments;
  const char *schema_text = call->tool.input_schema ? call->tool.input_schema : any_object;
  struct skill__schema *schema = NULL;
  cJSON *value = NULL;
  SkillError why = SKILL_ERROR_INIT;
  bool compiled = skill__schema_compile(schema_text, strlen(schema_text), call->info.tool, false, &schema, &why) == 0;
  bool good = compiled && skill__schema_check_text(schema, text, strlen(text), &value, &why) == 0;
  if (!compiled) {
    reject(call, SKILL_EUNSUPPORTED, "the tool's own schema cannot be used: %.500s", why.message);
  } else if (!good && why.code == SKILL_EPARSE) {
    reject(call, SKILL_EPARSE, "the arguments cannot be read (column %u): %.500s", why.column, why.message);
  } else if (!good) {
    reject(call, SKILL_EINVAL, "the arguments do not fit: %.500s", why.message);
  } else if (!cJSON_IsObject(value)) {
    reject(call, SKILL_EPARSE, "the arguments must be a JSON object");
    good = false;
  }
  cJSON_Delete(value);
  skill__schema_free(schema);
  return good;
}

static bool check_permission(SkillGateway *gateway, struct skill__gateway_call *call) {
  const char *why = "";
  const SkillTarget *target = &call->target;
  SkillPermissions bans = *gateway->permissions;
  if (target->own) bans.allowed_tools_set = false; /* a list of allowed tools need not name skillet's own */
  bool allowed = skill_permissions_tool(&bans, call->info.tool, target->skill, &why);
  if (!allowed) reject(call, SKILL_EDENIED, "%s is not allowed: %s", call->info.tool, why);
  return allowed;
}

/* `distrust`: the caller does not know whether this call has run before, so it always asks. */
static bool wants_approval(const SkillGateway *gateway, const struct skill__gateway_call *call) {
  unsigned flags = call->tool.flags;
  if (call->target.distrust) return true;
  if (call->target.granted || gateway->options.approval == SKILL_APPROVAL_NONE) return false;
  if (gateway->options.approval == SKILL_APPROVAL_ALL && !(flags & SKILL_TOOL_READ_ONLY)) return true;
  return (flags & SKILL_TOOL_DANGEROUS) != 0;
}

void skill__gateway_admit(SkillGateway *gateway, struct skill__gateway_call *call) {
  call->info.state = SKILL_CALL_PENDING;
  if (!call->target.tool) {
    const char *hint = call->target.hint;
    reject(call, SKILL_ENOENT, "there is no tool '%.100s'%s%.400s", call->info.tool, hint ? "; " : "",
           hint ? hint : "");
    return;
  }
  if (!check_permission(gateway, call)) return;
  if (call->target.refused) {
    reject(call, SKILL_EDENIED, "%s: %.500s", call->info.tool, call->target.refused);
    return;
  }
  if (!check_arguments(call)) return;
  unsigned failures = skill__gateway_failures(gateway, &call->info);
  unsigned most = gateway->options.same_failures;
  if (failures >= most) {
    reject(call, SKILL_ELIMIT, "this same call has failed %u times; change the arguments or do something else",
           failures);
    return;
  }
  if (!wants_approval(gateway, call)) return;
  if (gateway->options.nobody_decides) {
    reject(call, SKILL_EDENIED, "%s needs an approval, and no user is present to give it", call->info.tool);
    return;
  }
  call->info.state = SKILL_CALL_AWAITING;
  if (call->target.distrust) {
    call->info.reason = "it may have run before";
  } else if (call->tool.flags & SKILL_TOOL_DANGEROUS) {
    call->info.reason = "the tool is marked dangerous";
  } else {
    call->info.reason = "the tool may change something";
  }
}
