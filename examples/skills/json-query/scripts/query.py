#!/usr/bin/env python3
"""Queries JSON: query.py --file FILE [--path users[*].name]"""
import argparse
import json
import re
import sys

STEP = re.compile(r'\.?([^.\[\]]+)|\[(\d+)\]|\[\*\]|\["([^"]+)"\]')


def steps(path):
    at = 0
    while at < len(path):
        m = STEP.match(path, at)
        if not m:
            sys.exit(f"cannot read the path at '{path[at:]}'")
        at = m.end()
        if m.group(1) or m.group(3):
            yield m.group(1) or m.group(3)
        else:
            yield int(m.group(2)) if m.group(2) else None


def walk(values, step):
    for v in values:
        if step is None and isinstance(v, list):
            yield from v
        elif isinstance(step, int) and isinstance(v, list) and step < len(v):
            yield v[step]
        elif isinstance(step, str) and isinstance(v, dict) and step in v:
            yield v[step]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--file", required=True)
    parser.add_argument("--path", default="")
    a = parser.parse_args()
    try:
        values = [json.load(open(a.file, encoding="utf-8"))]
    except (OSError, ValueError) as e:
        sys.exit(f"cannot read {a.file}: {e}")
    for step in steps(a.path):
        values = list(walk(values, step))
    if not values:
        sys.exit(f"nothing at '{a.path}'")
    for v in values[:200]:
        if isinstance(v, dict) and not a.path:
            print("keys: " + ", ".join(v))
        else:
            print(v if isinstance(v, str) else json.dumps(v, ensure_ascii=False))
    if len(values) > 200:
        print(f"... and {len(values) - 200} more; narrow the path")


main()
