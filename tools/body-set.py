#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Creates three labelled sets from folders of skills. All queries are about text that only the bodies have.

usage: skillet list --json FOLDER… | tools/body-set.py OUT [QUERIES [SEED]]

  OUT/sentences   a sentence of a body with 6 to 15 words; none of its content words is in the skill's name,
                  description or tags
  OUT/requests    a request that a body quotes as an example, or below a heading like "when to use"; the line is
                  removed from every body
  OUT/passages    60 to 200 consecutive words; their lines are removed from every body, because a long task would
                  express what the skill says in other words

Each folder has queries.dev.jsonl and the same skills.jsonl. Every skill whose body has (or had) the line is an answer,
so copies and mirrors count. Lines that more than 20 skills have belong to a template and are not used. The output
contains text of other people: keep it outside the repository.
"""
import collections
import json
import os
import random
import re
import sys

WORD = re.compile(r"[A-Za-z][A-Za-z0-9'-]*")
FILLER = set("""about above across after again against also although always among another around because been before
being below between both cannot could does doing done down during each either else even every following from further
have having here into itself just like make makes many might more most much must need needs never only other otherwise
over same shall should since some such than that their them then there these they this those through under unless until
upon used uses using very want well were what when where whether which while will with within without would your yours
""".split())

COPIES = 20


def read_body(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read().replace("\r\n", "\n")
    head = re.match(r"\ufeff?---[ \t]*\n.*?\n---[ \t]*\n", text, re.S)
    return text[head.end():] if head else text


def content(text):
    """The words that say what a text is about, cut so that most forms of one word are equal."""
    words = (word.lower().strip("'-") for word in WORD.findall(text))
    return {word[:5] for word in words if len(word) >= 4 and word not in FILLER}


def prose(body):
    """Lines outside code and tables, without marks of lists and emphasis; with whether a heading before invites use."""
    fenced = False
    heading = ""
    for line in body.split("\n"):
        plain = line.strip()
        if plain.startswith("```") or plain.startswith("~~~"):
            fenced = not fenced
        elif plain.startswith("#"):
            heading = plain.lower()
        elif not fenced and plain and plain[0] not in "|<>{":
            yield line, re.sub(r"\*\*|__|`", "", re.sub(r"^([-*+]|\d+[.)])\s+", "", plain)).strip(), heading


def sentences(skill, copies):
    for line, text, _ in prose(skill["body"]):
        if copies[hash(line)] > COPIES:
            continue
        for sentence in re.split(r"(?<=[.!?])\s+", text):
            if not 6 <= len(sentence.split()) <= 15 or not sentence.isascii() or "http" in sentence:
                continue
            words = content(sentence)
            if len(words) >= 4 and not words & skill["head"]:
                yield sentence


def requests(skill, copies):
    for line, text, heading in prose(skill["body"]):
        quoted = re.fullmatch(r"(?:User(?: says)?:?\s*)?[\"\u201c]([^\"\u201d]{20,160})[\"\u201d][.,]?", text)
        wanted = re.search(r"when to use|use this|trigger|example (prompt|request|quer)", heading)
        request = quoted.group(1) if quoted else text if wanted and 20 <= len(text) <= 160 else ""
        if copies[hash(line)] > COPIES or not request.isascii():
            continue
        if 4 <= len(request.split()) <= 25 and len(content(request)) >= 2:
            yield line, request


def passages(skill, copies):
    lines = [row for row in prose(skill["body"]) if copies[hash(row[0])] <= COPIES]
    for start in range(0, len(lines), 3):
        taken, words = [], 0
        while start + len(taken) < len(lines) and words < 60:
            line, text, _ = lines[start + len(taken)]
            taken.append((line, text))
            words += len(text.split())
        text = " ".join(text for _, text in taken)
        if 60 <= words <= 200 and text.isascii() and len(taken) * 3 < len(lines):
            yield [line for line, _ in taken], text


def sample(rng, skills, copies, find, count):
    """One of what `find` yields for each of `count` skills; the skills are taken away from `skills`."""
    chosen = []
    while skills and len(chosen) < count:
        skill = skills.pop()
        found = list(find(skill, copies))
        if found:
            chosen.append((skill, rng.choice(found)))
    return chosen


def holders(skills, lines):
    """For each line, the names of the skills whose body has it."""
    names = {line: [] for line in lines}
    for skill in skills:
        for line in set(skill["body"].split("\n")) & names.keys():
            names[line].append(skill["name"])
    return names


def write(out, kind, skills, queries):
    folder = os.path.join(out, kind)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "queries.dev.jsonl"), "w", encoding="utf-8") as file:
        for number, (text, names) in enumerate(queries):
            row = {"id": f"{kind}-{number}", "query": text, "relevant_groups": [names], "relevant": names[:1]}
            file.write(json.dumps(row) + "\n")
    with open(os.path.join(folder, "skills.jsonl"), "w", encoding="utf-8") as file:
        for skill in skills:
            row = {key: skill[key] for key in ("name", "description", "tags", "body")}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def main():
    out = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    skills = []
    for skill in json.load(sys.stdin)["skills"]:
        head = " ".join([skill["name"], skill["description"] or ""] + skill["tags"])
        skills.append({"name": skill["name"], "description": skill["description"] or "", "tags": skill["tags"],
                       "body": read_body(skill["path"]), "head": content(head)})
    copies = collections.Counter(hash(line) for skill in skills for line in set(skill["body"].split("\n")))
    order = sorted(skills, key=lambda skill: skill["name"])
    rng.shuffle(order)
    asked = sample(rng, order, copies, requests, count)
    long = sample(rng, order, copies, passages, count)
    gone = {line for _, (line, _) in asked} | {line for _, (lines, _) in long for line in lines}
    names = holders(skills, gone)
    asked = [(text, names[line]) for _, (line, text) in asked]
    long = [(text, sorted({name for line in lines for name in names[line]})) for _, (lines, text) in long]
    for skill in skills:
        skill["body"] = "\n".join(line for line in skill["body"].split("\n") if line not in gone)
    said = [(text, skill["name"]) for skill, text in sample(rng, order, copies, sentences, count)]
    plain = [(skill["name"], re.sub(r"\*\*|__|`", "", skill["body"])) for skill in skills]
    said = [(text, [name] + [other for other, body in plain if text in body and other != name]) for text, name in said]
    for kind, queries in (("sentences", said), ("requests", asked), ("passages", long)):
        write(out, kind, skills, queries)
        print(f"{kind}: {len(queries)} queries, {sum(len(names) for _, names in queries)} answers")


if __name__ == "__main__":
    main()
