/* SPDX-License-Identifier: MIT
 *
 * The code of docs/tokens.md: counts the tokens of the command line.
 */
#include <skillet/skillet.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  const char *text = argc > 1 ? argv[1] : "How many tokens are these?";
  size_t length = strlen(text);
  SkillError err = SKILL_ERROR_INIT;

  SkillTokenizer *tokenizer = NULL;
  if (skill_tokenizer_open("o200k_base", NULL, &tokenizer, &err)) tokenizer = skill_tokenizer_estimate();
  size_t tokens = skill_tokens_count(tokenizer, text, length);

  printf("%s%zu tokens by %s\n", tokenizer->exact ? "" : "~", tokens, tokenizer->name);
  skill_tokenizer_free(tokenizer);
  return 0;
}
