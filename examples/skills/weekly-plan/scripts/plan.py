#!/usr/bin/env python3
"""Plans a week: plan.py --tasks 'report 6h by Wed; email 1h' [--hours_per_day 6]"""
import argparse
import re
import sys

DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri"]


def parse(text):
    for part in filter(None, (p.strip() for p in re.split(r"[;\n；]", text))):
        m = re.match(r"(.+?)\s+(\d+(?:\.\d+)?)\s*(?:h|hours?)?(?:\s+by\s+(\w{3})\w*)?$", part, re.I)
        if not m:
            sys.exit(f"cannot read the task '{part}': write NAME HOURS [by DAY]")
        day = (m.group(3) or "Fri").capitalize()
        if day not in DAYS:
            sys.exit(f"'{day}' is not a working day")
        yield m.group(1), float(m.group(2)), DAYS.index(day)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tasks", required=True)
    parser.add_argument("--hours_per_day", type=float, default=6)
    a = parser.parse_args()
    free = [a.hours_per_day] * 5
    plan = [[] for _ in DAYS]
    late = []
    for name, hours, deadline in sorted(parse(a.tasks), key=lambda t: t[2]):
        for day in range(deadline + 1):
            slice_ = min(hours, free[day])
            if slice_ > 0:
                plan[day].append(f"{name} {slice_:g}h")
                free[day] -= slice_
                hours -= slice_
        if hours > 0:
            late.append(f"{name}: {hours:g}h do not fit before {DAYS[deadline]}")
    for day, items in zip(DAYS, plan):
        print(f"{day}: " + (", ".join(items) or "free"))
    print("Does not fit: " + ("; ".join(late) or "nothing"))


main()
