#!/usr/bin/env python3
"""Profiles a CSV file: profile.py --path FILE [--delimiter ,]"""
import argparse
import csv
import re
import statistics
import sys

DATES = {"ISO date": r"\d{4}-\d\d-\d\d$", "slashed date": r"\d{1,2}/\d{1,2}/\d{4}$"}


def kind(value):
    if re.match(r"[+-]?\d+$", value):
        return "integer"
    if re.match(r"[+-]?\d*\.\d+$", value):
        return "decimal"
    for name, pattern in DATES.items():
        if re.match(pattern, value):
            return name
    return "text"


def outliers(numbers):
    """Values further than 3 median absolute deviations from the median."""
    if len(numbers) < 5:
        return []
    middle = statistics.median(numbers)
    spread = statistics.median(abs(x - middle) for x in numbers)
    return sorted({x for x in numbers if spread and abs(x - middle) / (1.4826 * spread) > 3.5})


def describe(name, values):
    present = [v for v in values if v.strip()]
    kinds = {}
    for v in present:
        kinds[kind(v)] = kinds.get(kind(v), 0) + 1
    faults = []
    if len(values) > len(present):
        faults.append(f"{name}: {len(values) - len(present)} missing")
    numeric = set(kinds) <= {"integer", "decimal"} and kinds
    if len(kinds) > 1 and not numeric:
        faults.append(f"{name}: mixed types: " + ", ".join(f"{n} {k}" for k, n in sorted(kinds.items())))
    line = f"{name}: {'/'.join(sorted(kinds)) or 'empty'}, {len(set(present))} distinct"
    if numeric:
        numbers = [float(v) for v in present]
        line += f", {min(numbers):g} to {max(numbers):g}, median {statistics.median(numbers):g}"
        for x in outliers(numbers) if len(set(present)) < len(values) else []:
            faults.append(f"{name}: outlier {x:g}")
    elif present:
        line += f", e.g. {min(present, key=len)!r}"
    return line, faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--path", required=True)
    parser.add_argument("--delimiter")
    a = parser.parse_args()
    try:
        with open(a.path, encoding="utf-8-sig", newline="") as f:
            text = f.read()
    except (OSError, UnicodeDecodeError) as e:
        sys.exit(f"cannot read {a.path}: {e}")
    delimiter = a.delimiter or max(",;\t|", key=text.split("\n", 1)[0].count)
    rows = [r for r in csv.reader(text.splitlines(), delimiter=delimiter) if r]
    if len(rows) < 2:
        sys.exit(f"{a.path} has no data rows")
    header, body = rows[0], rows[1:]
    print(f"{len(body)} rows, {len(header)} columns")
    faults = [f"row {i + 2}: {len(r)} fields instead of {len(header)}" for i, r in enumerate(body) if len(r) != len(header)]
    for i, name in enumerate(header):
        line, more = describe(name, [r[i] if i < len(r) else "" for r in body])
        print("-", line)
        faults += more
    repeated = len(body) - len({tuple(r) for r in body})
    if repeated:
        faults.append(f"{repeated} duplicate row" + ("s" if repeated > 1 else ""))
    print("Looks wrong: " + ("; ".join(faults) or "nothing"))


main()
