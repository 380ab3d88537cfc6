/* SPDX-License-Identifier: MIT
 *
 * The tables of weights.h.
 */
#include "rank/weights.h"

/* Names say most; tool descriptions count 0 among the fields, because they count by the best tool. One field set to 0
 * or to another weight at a time is in docs/ranking.md, "One change at a time". */
const struct skill__field_weight skill__field_weights[SKILL_RANK_FIELD_COUNT] = {
    [SKILL_RANK_NAME] = {3, 2, 1, 3},           [SKILL_RANK_TAGS] = {1, 1, .3f, 3},
    [SKILL_RANK_DESCRIPTION] = {1, 0.5, 1, 25}, [SKILL_RANK_WHEN] = {1, 0, 1, 25},
    [SKILL_RANK_TOOLS] = {1, 0, .5f, 10},       [SKILL_RANK_TOOL_TEXT] = {0, 0, .3f, 80},
    [SKILL_RANK_PARAMS] = {0.5, 0, .15f, 8},    [SKILL_RANK_PARAM_TEXT] = {0.8, 0, .15f, 40},
    [SKILL_RANK_BODY] = {0.1, 0, 0, 1},         [SKILL_RANK_NOT_WHEN] = {1, 0, 0, 1},
};

const SkillRankField skill__text_fields[SKILL__TEXT_FIELDS] = {
    SKILL_RANK_NAME,  SKILL_RANK_TAGS,      SKILL_RANK_DESCRIPTION, SKILL_RANK_WHEN,
    SKILL_RANK_TOOLS, SKILL_RANK_TOOL_TEXT, SKILL_RANK_PARAMS,      SKILL_RANK_PARAM_TEXT};

const struct skill__tool_field skill__tool_fields[SKILL__TOOL_FIELDS] = {
    {SKILL_RANK_NAME, SKILL_RANK_TOOLS},
    {SKILL_RANK_DESCRIPTION, SKILL_RANK_TOOL_TEXT},
    {SKILL_RANK_PARAMS, SKILL_RANK_PARAMS},
    {SKILL_RANK_PARAM_TEXT, SKILL_RANK_PARAM_TEXT}};

const SkillRankField skill__additive_fields[SKILL__ADDITIVE_FIELDS] = {SKILL_RANK_NAME, SKILL_RANK_TAGS,
                                                                       SKILL_RANK_DESCRIPTION};
