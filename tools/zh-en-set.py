#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Creates a labelled set of Chinese queries for an English catalogue from skills that exist in both languages.

usage: tools/zh-en-set.py OUT ENGLISH_FOLDER CHINESE_FOLDER [QUERIES [CATALOGUE]]

OUT/names.txt lists the skills that the trainer must leave out (--hold-out). OUT/skills.jsonl is an English catalogue
with the expected skills and others. OUT/queries.dev.jsonl has the first sentences of the Chinese descriptions, and
OUT/queries.han.jsonl the same without Latin words, so that no query has a word of the catalogue. A hash of the names
decides which skills are chosen. The output contains text of other people: keep it outside the repository.
"""
import hashlib
import json
import os
import re
import sys

HAN = re.compile(r"[\u4e00-\u9fff]")


def key(name):
    return re.sub(r"[^a-z0-9\x80-\U0010ffff]", "", name.lower())


def front_matter(path):
    """Name and description. Files that are not simple are left out of the set."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read(20000).replace("\r\n", "\n")
    head = re.match(r"---\n(.*?)\n---", text, re.S)
    found = head and re.search(r"^description:[ \t]*(.*(?:\n[ \t]+.*)*)", head.group(1), re.M)
    if not found:
        return None
    value = re.sub(r"^[|>][-+]?\s*", "", found.group(1).strip())
    return re.sub(r"\s+", " ", value).strip().strip("\"'").strip()


def read_folder(folder):
    """name -> description of the first skill of that folder name, in path order."""
    found = {}
    paths = [os.path.join(top, "SKILL.md") for top, _, files in os.walk(folder) if "SKILL.md" in files]
    for path in sorted(paths):
        name = os.path.basename(os.path.dirname(path))
        description = front_matter(path)
        if description and len(key(name)) > 3 and name not in found:
            found[name] = description
    return found


def first_sentence(text):
    return re.split(r"(?<=[。！？])|(?<=[.!?])\s", text)[0][:120].strip()


def order(name):
    return hashlib.md5(("zh-en " + key(name)).encode()).hexdigest()


def main():
    out, english, chinese = sys.argv[1:4]
    wanted = int(sys.argv[4]) if len(sys.argv) > 4 else 400
    size = int(sys.argv[5]) if len(sys.argv) > 5 else 2000
    en = {n: d for n, d in read_folder(english).items() if len(d) > 20 and len(HAN.findall(d)) == 0}
    zh = {n: d for n, d in read_folder(chinese).items() if len(HAN.findall(d)) > 12}
    twins, seen = [], set()
    for name in sorted(set(en) & set(zh), key=order):
        query = first_sentence(zh[name])
        han = re.sub(r"\s+", " ", re.sub(r"[A-Za-z0-9_./@#+-]+", " ", query)).strip()
        if len(HAN.findall(han)) >= 10 and key(name) not in seen:
            seen.add(key(name))
            twins.append((name, query, han))
    twins = twins[:wanted]
    asked = [name for name, _, _ in twins]
    others = [n for n in sorted(en, key=order) if n not in asked][: size - len(asked)]
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "names.txt"), "w", encoding="utf-8") as file:
        file.writelines(name + "\n" for name in sorted(asked))
    with open(os.path.join(out, "skills.jsonl"), "w", encoding="utf-8") as file:
        for name in sorted(asked + others):
            file.write(json.dumps({"name": name, "description": en[name], "tags": [], "tools": []}) + "\n")
    for which, label in ((1, "queries.dev.jsonl"), (2, "queries.han.jsonl")):
        with open(os.path.join(out, label), "w", encoding="utf-8") as file:
            for number, twin in enumerate(twins):
                line = {"id": f"zh-en-{number}", "query": twin[which], "relevant": [twin[0]]}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
    print(f"{len(asked)} queries, {len(asked) + len(others)} skills in {out}")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main()
