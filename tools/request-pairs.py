#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes pairs of requests and what they ask for out of public data sets, for train-terms --pairs.

usage: tools/request-pairs.py FOLDER > pairs.tsv

FOLDER holds clones of oos-eval, NLU-Evaluation-Data, task-specific-datasets, nlu-benchmark, public-apis, ToolAlpaca and
gorilla (docs/terms.md says whose and which commits); their last commit is read, the work tree is not needed. A line is
source, group, text and text with tabs between:

  intent   what people say to an assistant; the intent's name and what three others say for it
  task     a request; the description of the tool that does it
  api      the name and kind of a public service; its description
  call     the name of an operation; what it does, or its arguments

The output holds other people's text: it stays outside the repository.
"""
import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys

COMPANIONS = 3
RASA = "CrossValidation/out4RasaReal/rasa_json_2018_03_22-13_01_25_169_80Train/CrossValidation/KFold_%d/merged/" \
       "RasaNlu_Merged_KFold_%d_2018_03_22-13_01_25_169.json"
SNIPS = ("BookRestaurant", "AddToPlaylist", "GetWeather", "PlayMusic", "RateBook", "SearchScreeningEvent",
         "SearchCreativeWork")


def git(folder, *words):
    return subprocess.run(["git", "-C", folder, *words], capture_output=True, check=True).stdout


def show(repository, path):
    data = git(os.path.join(sys.argv[1], repository), "show", "HEAD:" + path)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def emit(source, group, left, right):
    left, right = (re.sub(r"\s+", " ", str(text)).strip() for text in (left, right))
    if left and right:
        print(source, re.sub(r"\s+", " ", group), left, right, sep="\t")


def spread(tag, texts):
    """Distinct texts in an order that only they decide."""
    return sorted(set(texts), key=lambda text: hashlib.md5((tag + text).encode()).hexdigest())


def emit_intents(tag, by_intent, most):
    for intent, texts in sorted(by_intent.items()):
        texts = spread(tag, texts)
        name = re.sub(r"([a-z])([A-Z])", r"\1 \2", intent).replace("_", " ")
        for i, text in enumerate(texts[:most]):
            others = [texts[(i + k) % len(texts)] for k in range(1, min(COMPANIONS + 1, len(texts)))]
            emit("intent", tag + intent, text, ". ".join([name] + others))


def assistant_intents():
    found = {}
    data = json.loads(show("oos-eval", "data/data_full.json"))
    for part in ("train", "val", "test"):
        for text, intent in data[part]:
            found.setdefault(intent, []).append(text)
    emit_intents("c-", found, 150)


def home_intents():
    found = {}
    for fold in (4, 9):
        for entry in json.loads(show("NLU-Evaluation-Data", RASA % (fold, fold)))["rasa_nlu_data"]["common_examples"]:
            found.setdefault(entry["intent"], []).append(entry["text"])
    emit_intents("n-", found, 300)


def bank_intents():
    found = {}
    for part in ("train", "test"):
        for row in csv.DictReader(io.StringIO(show("task-specific-datasets", "banking_data/%s.csv" % part))):
            found.setdefault(row["category"], []).append(row["text"])
    emit_intents("b-", found, 60)


def media_intents():
    found = {}
    for intent in SNIPS:
        data = show("nlu-benchmark", "2017-06-custom-intent-engines/%s/train_%s_full.json" % (intent, intent))
        for entry in json.loads(data)[intent]:
            found.setdefault(intent, []).append("".join(part["text"] for part in entry["data"]))
    emit_intents("s-", found, 300)


def public_apis():
    kind, seen = None, set()
    for line in show("public-apis", "README.md").split("\n"):
        heading = re.match(r"### (.*)", line)
        row = re.match(r"\| \[([^\]]*)\]\([^)]*\) \| ([^|]*) \|", line)
        if heading:
            kind = heading.group(1).strip()
        if row and kind and len(row.group(2).split()) >= 2:
            seen.add(row.group(1))
            emit("api", "", row.group(1) + " " + kind, row.group(2))
    for entry in json.loads(show("ToolAlpaca", "data/public_apis.json"))["entries"]:
        if entry["API"] not in seen:
            emit("api", "", entry["API"] + " " + entry["Category"], entry["Description"])


def simulated_tools():
    for part in ("simulated", "real"):
        for tool in json.loads(show("ToolAlpaca", "data/eval_%s.json" % part)):
            about, group = tool.get("Introduction", ""), "ta-" + tool["Name"]
            emit("api", group, "%s %s %s" % (tool["Name"], tool["Category"], tool["Description"]), about)
            for request in tool.get("Instructions", []):
                emit("task", group, request, "%s %s %s" % (tool["Name"], tool["Description"], about[:500]))


def models():
    for part in ("huggingface_eval", "tensorflow_eval", "torchhub_eval", "torchhub_train"):
        for line in show("gorilla", "data/apibench/%s.json" % part).split("\n"):
            entry = json.loads(line) if line.strip() else {"code": ""}
            request = re.search(r"Instruction'?\s*: ?(.*?)(\n|, 'Output'|###Output)", entry["code"], re.S)
            model = entry.get("api_data")
            if request and model:
                about = ". ".join(str(model.get(key) or "") for key in ("domain", "functionality", "description"))
                emit("task", part[:3] + "-" + model.get("api_name", ""), request.group(1).strip("'\""), about[:500])


def operations():
    names = git(os.path.join(sys.argv[1], "gorilla"), "ls-tree", "--name-only", "-z", "HEAD", "data/apizoo/").decode()
    for name in names.split("\0"):
        try:
            entries = json.loads(show("gorilla", name)) if name else []
        except (ValueError, subprocess.CalledProcessError):
            continue  # some are no JSON
        for entry in entries if isinstance(entries, list) else [entries]:
            call, does = entry.get("api_name", ""), entry.get("functionality") or ""
            arguments = entry.get("api_arguments")
            emit("call", "", call, does[:500])
            if isinstance(arguments, dict):
                words = (key + " " + (text if isinstance(text, str) else "") for key, text in arguments.items())
                emit("call", "", call + " " + does[:200], " ".join(words)[:600])
            for request in entry.get("questions") or []:
                emit("task", "zoo-" + does[:50], request, call + " " + does[:400])


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: tools/request-pairs.py FOLDER > pairs.tsv")
    for make in (assistant_intents, home_intents, bank_intents, media_intents, public_apis, simulated_tools, models,
                 operations):
        make()


if __name__ == "__main__":
    main()
