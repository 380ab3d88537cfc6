/* SPDX-License-Identifier: MIT
 *
 * The providers by name: the protocol that each speaks, its address, and the usual variable for its key.
 */
#include <stdio.h>
#include <string.h>

#include "model/wire/remote.h"
#include "util/options.h"

static const struct skill__provider providers[] = {
    {"openai", &skill__protocol_openai, "https://api.openai.com/v1", "OPENAI_API_KEY"},
    {"responses", &skill__protocol_responses, "https://api.openai.com/v1", "OPENAI_API_KEY"},
    {"anthropic", &skill__protocol_anthropic, "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"},
    {"ollama", &skill__protocol_openai, "http://127.0.0.1:11434/v1", "OLLAMA_API_KEY"},
    {"vllm", &skill__protocol_openai, "http://127.0.0.1:8000/v1", "VLLM_API_KEY"},
    {"llamacpp", &skill__protocol_openai, "http://127.0.0.1:8080/v1", "LLAMA_API_KEY"},
    {"lmstudio", &skill__protocol_openai, "http://127.0.0.1:1234/v1", "LMSTUDIO_API_KEY"},
    {"deepseek", &skill__protocol_openai, "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"},
    {"qwen", &skill__protocol_openai, "https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"},
    {"openrouter", &skill__protocol_openai, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"},
    {"groq", &skill__protocol_openai, "https://api.groq.com/openai/v1", "GROQ_API_KEY"},
    {"mistral", &skill__protocol_openai, "https://api.mistral.ai/v1", "MISTRAL_API_KEY"},
    {"moonshot", &skill__protocol_openai, "https://api.moonshot.cn/v1", "MOONSHOT_API_KEY"},
    {"zhipu", &skill__protocol_openai, "https://open.bigmodel.cn/api/paas/v4", "ZHIPUAI_API_KEY"},
    {"xai", &skill__protocol_openai, "https://api.x.ai/v1", "XAI_API_KEY"},
    {"gemini", &skill__protocol_openai, "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"},
};

const char *skill_provider_name(size_t index) {
  return index < sizeof providers / sizeof *providers ? providers[index].name : NULL;
}

static const struct skill__provider *find(const char *spec, size_t length) {
  for (size_t i = 0; i < sizeof providers / sizeof *providers; i++) {
    if (strlen(providers[i].name) == length && memcmp(providers[i].name, spec, length) == 0) return &providers[i];
  }
  return NULL;
}

static int unknown(const char *spec, SkillError *err) {
  char known[300];
  size_t used = 0;
  for (size_t i = 0; skill_provider_name(i) && used < sizeof known; i++) {
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", skill_provider_name(i));
  }
  return skill_error_set(err, SKILL_EINVAL,
                         "\"%.100s\" is no PROVIDER:NAME, e.g. openai:gpt-4.1-mini; known providers: %s", spec, known);
}

int skill_model_provider_new(const char *spec, const SkillProviderOptions *options, SkillModel **out, SkillError *err) {
  if (!spec) return skill_error_set(err, SKILL_EINVAL, "no model is named; give PROVIDER:NAME");
  size_t length = strcspn(spec, ":");
  const struct skill__provider *provider = find(spec, length);
  if (!provider || spec[length] != ':' || !spec[length + 1]) {
    return unknown(spec, err);
  }
  SkillProviderOptions all = SKILL_PROVIDER_OPTIONS_INIT;
  int status = SKILL__OPTIONS(SkillProviderOptions, &all, options, err);
  if (status) return status;
  all.model = spec + length + 1;
  return skill__remote_new(provider, &all, out, err);
}

int skill_model_openai_new(const SkillProviderOptions *options, SkillModel **out, SkillError *err) {
  return skill__remote_new(find("openai", strlen("openai")), options, out, err);
}

int skill_model_responses_new(const SkillProviderOptions *options, SkillModel **out, SkillError *err) {
  return skill__remote_new(find("responses", strlen("responses")), options, out, err);
}

int skill_model_anthropic_new(const SkillProviderOptions *options, SkillModel **out, SkillError *err) {
  return skill__remote_new(find("anthropic", strlen("anthropic")), options, out, err);
}
