/* SPDX-License-Identifier: MIT
 *
 * The stop list: words of the question, not of its topic. Function words, contractions cut at their
 * apostrophe, and the filler of conversation ("could you please help me with"); in Chinese the same by one or two
 * characters. Folded, not stemmed. Words that name an action (find, show, create, write, get) stay searchable. The stem
 * cache keeps the result, so only new words are searched for here, and only those of a listed length.
 */
#include <string.h>

#include "rank/text/analyze.h"

enum { LONGEST = 12 /* bytes of a word of either list, "additionally" */ };

/* By first letter, each between blanks. */
static const char *const words[26] = {
    ['a' - 'a'] = (" a able about actually additionally all along also am an and any anyone anything are aren around "
                   "as asap assist assistance at "),
    ['b' - 'a'] = " be because been before being both but by ",
    ['c' - 'a'] = " can cannot cant could couldn curious currently ",
    ['d' - 'a'] = " d did didn do does doesn doing don done dont ",
    ['e' - 'a'] = " each either else etc ever every everything explain ",
    ['f' - 'a'] = " few finally first for from further furthermore ",
    ['g' - 'a'] = " get getting give given gives giving go going gonna got ",
    ['h' - 'a'] = (" had has have having he hello help helped helpful helping helps her here hers hey hi him his "
                   "hope hoping how however "),
    ['i' - 'a'] = " i id if im in instead interested into is isn it its itself ive ",
    ['j' - 'a'] = " just ",
    ['k' - 'a'] = " kindly know ",
    ['l' - 'a'] = " lastly let lets like liked ll looking lot love ",
    ['m' - 'a'] = " m make making many may maybe me might mine more most much must my myself ",
    ['n' - 'a'] = " need needed needing needs next no not now ",
    ['o' - 'a'] = " of ok okay on once one only or other our ours ourselves out over own ",
    ['p' - 'a'] = " perhaps planning please plus possible possibly provide provides providing ",
    ['q' - 'a'] = " quick quickly ",
    ['r' - 'a'] = " re really regarding ",
    ['s' - 'a'] = (" s said same say see seem seems shall she should shouldn since so some somehow someone something "
                   "soon specific specifically still such suggest sure "),
    ['t' - 'a'] = (" t tell than thank thanks that the their theirs them then there these they thing things think "
                   "this those though through to too try trying two "),
    ['u' - 'a'] = " under until up us use using ",
    ['v' - 'a'] = " ve very via ",
    ['w' - 'a'] = (" wanna want wanted wanting wants was wasn way ways we well were what whats when where whether "
                   "which while who whom whose why will wish with won wonder wondering would wouldn "),
    ['y' - 'a'] = " yes yet you your yours yourself ",
};

static const char cjk[] =
    " 一下 一个 一些 一份 下我 不能 与 个我 为我 也 了 什么 他 他们 你 你们 你好 你的 及 可以 吗 吧 告诉 呢 和 啊 在 "
    "她 如何 它 对 就 希望 帮 帮忙 帮我 怎么 怎样 您 您好 想 想要 "
    "我 我们 我在 我想 我的 我要 我需 或 把 是 是否 有没 没有 的 知道 给 给我 能不 能否 被 要 请 请帮 请给 请问 谢谢 "
    "还 这个 这些 那个 那些 都 需要 麻烦 ";

static bool listed(const char *list, const char *word, size_t length) {
  char key[LONGEST + 3] = " ";
  if (length > LONGEST) return false;
  memcpy(key + 1, word, length);
  memcpy(key + 1 + length, " ", 2);
  return strstr(list, key) != NULL;
}

void skill__stop_lengths(uint16_t lengths[26]) {
  for (size_t letter = 0; letter < 26; letter++) {
    lengths[letter] = 0;
    for (const char *at = words[letter]; at && at[1]; at += strcspn(at + 1, " ") + 1)
      lengths[letter] |= (uint16_t)(1u << strcspn(at + 1, " "));
  }
}

bool skill__stop_word(const char *word, size_t length) {
  unsigned letter = (unsigned)word[0] - 'a';
  return letter < 26 && words[letter] && listed(words[letter], word, length);
}

bool skill__stop_cjk(const char *text, size_t length) {
  return listed(cjk, text, length);
}
