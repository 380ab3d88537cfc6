/* SPDX-License-Identifier: MIT
 *
 * Umbrella: the whole public interface of libskillet (the core). libskillet-agent's headers are agent.h, config.h,
 * context.h, embed.h, gateway.h, hub.h, loop.h, message.h, model.h, process.h, provider.h, watch.h and worker.h; what
 * extenders and tests need is in sys/.
 */
#ifndef SKILLET_SKILLET_H
#define SKILLET_SKILLET_H

#include "skillet/base.h"
#include "skillet/document.h"
#include "skillet/error.h"
#include "skillet/event.h"
#include "skillet/io.h"
#include "skillet/loader.h"
#include "skillet/policy.h"
#include "skillet/rank.h"
#include "skillet/registry.h"
#include "skillet/skill.h"
#include "skillet/source.h"
#include "skillet/tokens.h"

#endif
