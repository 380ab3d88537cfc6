/* SPDX-License-Identifier: MIT
 *
 * Every tuned number of the ranking, with its reason and how it was measured. docs/ranking.md has the formulas that use
 * them, and the figures. A number that is no option is measured by changing it here, building, and running the command
 * again. The commands, with the twelve sets of docs/ranking.md as SETS:
 *
 *   words:   skillet eval --flat --config table= SETS
 *   table:   skillet eval --flat SETS
 *   bodies:  skillet eval sets/sentences sets/requests sets/passages      (made by tools/body-set.py)
 *   chinese: skillet eval --flat SET                                      (the sets of docs/terms.md)
 *   abstain: skillet eval --flat FOLDER                                   (metatool, acebench, bfcl-live: their AUC)
 *   stages:  skillet eval --flat --against exhaustive=on SETS
 *   speed:   build/dev/bench/rank_bench --sizes 1000,10000,100000 --table data/terms.skt
 */
#ifndef SKILL_RANK_WEIGHTS_H
#define SKILL_RANK_WEIGHTS_H

#include "skillet/rank.h"

/* --- fields ------------------------------------------------------------------------------------------------------- */

struct skill__field_weight {
  double bm25f;       /* words */
  double additive;    /* of the additive scorer: fixed by its definition, not tuned */
  float vector;       /* in a skill's vector. table */
  float usual_length; /* tokens the field usually has: vectors must not change when other skills come and go. table */
};

/* Names say most; tool descriptions count 0 among the fields, because they count by the best tool. One field set to 0
 * or to another weight at a time is in docs/ranking.md, "One change at a time". */
static const struct skill__field_weight skill__field_weights[SKILL_RANK_FIELD_COUNT] = {
    [SKILL_RANK_NAME] = {3, 2, 1, 3},           [SKILL_RANK_TAGS] = {1, 1, .3f, 3},
    [SKILL_RANK_DESCRIPTION] = {1, 0.5, 1, 25}, [SKILL_RANK_WHEN] = {1, 0, 1, 25},
    [SKILL_RANK_TOOLS] = {1, 0, .5f, 10},       [SKILL_RANK_TOOL_TEXT] = {0, 0, .3f, 80},
    [SKILL_RANK_PARAMS] = {0.5, 0, .15f, 8},    [SKILL_RANK_PARAM_TEXT] = {0.8, 0, .15f, 40},
    [SKILL_RANK_BODY] = {0.1, 0, 0, 1},         [SKILL_RANK_NOT_WHEN] = {1, 0, 0, 1},
};

/* The fields that are sequences of tokens and speak for a skill: all but the body, which is a bag, and
 * when_not_to_use. */
enum { SKILL__TEXT_FIELDS = 8 };
static const SkillRankField skill__text_fields[SKILL__TEXT_FIELDS] = {
    SKILL_RANK_NAME,  SKILL_RANK_TAGS,      SKILL_RANK_DESCRIPTION, SKILL_RANK_WHEN,
    SKILL_RANK_TOOLS, SKILL_RANK_TOOL_TEXT, SKILL_RANK_PARAMS,      SKILL_RANK_PARAM_TEXT};

/* Each of several tools is a small document of its own; which of its fields is which of the whole skill. */
struct skill__tool_field {
  SkillRankField tool, skill;
};
enum { SKILL__TOOL_FIELDS = 4 };
static const struct skill__tool_field skill__tool_fields[SKILL__TOOL_FIELDS] = {
    {SKILL_RANK_NAME, SKILL_RANK_TOOLS},
    {SKILL_RANK_DESCRIPTION, SKILL_RANK_TOOL_TEXT},
    {SKILL_RANK_PARAMS, SKILL_RANK_PARAMS},
    {SKILL_RANK_PARAM_TEXT, SKILL_RANK_PARAM_TEXT}};

/* The fields of the additive scorer. */
enum { SKILL__ADDITIVE_FIELDS = 3 };
static const SkillRankField skill__additive_fields[SKILL__ADDITIVE_FIELDS] = {SKILL_RANK_NAME, SKILL_RANK_TAGS,
                                                                              SKILL_RANK_DESCRIPTION};

/* --- words -------------------------------------------------------------------------------------------------------- */

/* Saturation of frequencies. 0.9 to 3 differ by .002; 1.2 gives the best order among generated queries. words with
 * k1=, speed (its MRR). */
#define SKILL__K1 1.2

/* Length normalisation of each field: a longer field mostly says the same in more words. 0.75 is equal. words with
 * b=. */
#define SKILL__B 0.95

/* Saturation of repeated words in the query: helps long requests. words with k3=. */
#define SKILL__K3 1.0

/* Weight of a single Chinese, Japanese, Korean or Thai character beside the pairs it is in: a pair is mostly a word, a
 * character seldom. words on acebench-zh (without single characters .03 of recall@5 is lost). */
#define SKILL__SINGLE_WEIGHT 0.5

/* Skills that the table's background frequencies count for, at most as many as the catalogue has: a small catalogue
 * cannot tell rare words from common ones. 50 to 1,000 are equal, 3,000 is worse. table. */
#define SKILL__PRIOR_SKILLS 1000.0

/* Share of the best tool's own score in a skill's: one tool that answers is worth more than words spread over many.
 * words on livemcpbench and stabletoolbench-group. */
#define SKILL__TOOL_SHARE 0.6

/* Weight, for a tool, of its skill's name and tags. words, as above. */
#define SKILL__TOOL_TAGS 1.0

/* Share of the score of pairs of words that are neighbours in query and skill. 0 loses .016 of recall@5 on sealtools,
 * nothing elsewhere. words. */
#define SKILL__PHRASE_SHARE 0.2

/* Share of what when_not_to_use would score that is taken away: it names the topic of a better skill, but in the words
 * of this one. No labelled set has the field; test/data/eval (skillet eval test/data/eval) has a few skills. */
#define SKILL__NOT_WHEN_SHARE 0.5

/* Share of the best piece beside the whole request: one need of several should find its skill. table on sealtools and
 * stabletoolbench; 0.5 and 1 are equal. */
#define SKILL__PIECE_SHARE 0.25

/* Share of a body's own score, and the BM25 parameters of that. All of it instead of half is better for sentences and
 * worse for requests. bodies. The parameters are the usual ones of BM25 for long texts. */
#define SKILL__BODY_SHARE 0.5
#define SKILL__BODY_K1 1.2
#define SKILL__BODY_B 0.75

/* --- vectors ------------------------------------------------------------------------------------------------------ */

/* Share of vectors in the score of a short request. 0.7 to 1.4 differ by .002 on English, a greater one helps Chinese
 * on English. table, chinese. */
#define SKILL__VECTOR_SHARE 0.7

/* Distinct tokens up to which a request is short; beyond, the share falls with the root of the length, since the mean
 * of many words is near everything. table on the long requests of livemcpbench and restbench. */
#define SKILL__VECTOR_LENGTH 20.0

/* Share of the request's rarity that the table has to know to be heard in full. table, speed (its MRR: the table knows
 * few of the generated words). */
#define SKILL__TABLE_ENOUGH 0.8

/* Part of the vectors' share that is taken away if a body holds all of the request: vectors know no bodies. Without it
 * recall@3 of sentences is .610 instead of .657. bodies. */
#define SKILL__HELD_SHARE 0.5

/* Saturation of frequencies in a skill's vector, and how far a field's length counts. table. */
#define SKILL__VECTOR_K1 3.0f
#define SKILL__VECTOR_B 0.5f

/* --- fit ---------------------------------------------------------------------------------------------------------- */

/* With a table: fit = e / (e + HALF) with e = cosine (1 + UNKNOWN (1 - known)) + KNOWN known + COVERED covered. The
 * weights maximise the AUC of abstention, HALF puts the default floor where 98 % of metatool's answerable requests pass
 * it. abstain. */
#define SKILL__FIT_KNOWN 0.3
#define SKILL__FIT_UNKNOWN 0.15
#define SKILL__FIT_COVERED 1.0
#define SKILL__FIT_HALF 0.9

/* By words alone: e = known + COVERED covered. abstain with --config table=. */
#define SKILL__FIT_WORDS_COVERED 2.2
#define SKILL__FIT_WORDS_HALF 0.55

/* Least fit of a skill whose name begins with the request: what is typed first of a name is an answer above any usual
 * floor, but no proof. A choice, not measured; skillet eval has no such queries. */
#define SKILL__FIT_PREFIX 0.5

/* The default floor. It costs .005 of recall@5 on metatool by words and .010 with the table. abstain with floor=. */
#define SKILL__FLOOR 0.30

/* --- the first stage ---------------------------------------------------------------------------------------------- */

/* Candidates for each result that is wanted, and how many more. stages. */
enum { SKILL__CANDIDATES_EACH = 1, SKILL__CANDIDATES_MORE = 9 };

/* More of a large catalogue, whose rounded scores are closer together: one for so many skills, up to so many. stages
 * cannot show it (no set is large); speed asserts that the answers of 100,000 skills stay. */
enum { SKILL__CANDIDATES_LARGE = 32, SKILL__CANDIDATES_LARGE_SKILLS = 16384 };

/* More if skills have bodies: the first stage takes each body for all it could be worth. bodies with
 * --against exhaustive=on. */
enum { SKILL__CANDIDATES_BODIES = 15 };

/* How much wider the next search is if filters left too few; a choice: three rounds reach any catalogue. */
enum { SKILL__CANDIDATES_WIDER = 8 };

/* A body's own score in the first stage, which cannot know what else the request holds. bodies with
 * --against exhaustive=on. */
#define SKILL__BODY_FIRST 1.5

/* Vectors with a near sketch that are compared exactly: for each candidate, and how many more. 22, 44 or all give the
 * same figures. stages. */
enum { SKILL__NEAR_EACH = 2, SKILL__NEAR_MORE = 16 };

/* Skills that the spread of cosines is estimated from. 256 give the same figures. stages. */
enum { SKILL__SPREAD_SAMPLE = 64 };

/* Least bytes of a request that may be the beginning of a name. A choice: one letter begins too many. */
enum { SKILL__PREFIX_BYTES = 2 };

/* Step between the four sizes of a packed vector's values, of their root mean square: it loses least of normally spread
 * values. Three bits cost .002 of recall@5 against eight. table. */
#define SKILL__PACK_STEP 0.586f

#endif
