#!/usr/bin/env python3
"""Date arithmetic: dates.py --start D --end D | dates.py --start D --days N"""
import argparse
import datetime
import sys


def date(text):
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        sys.exit(f"'{text}' is not a date of the form YYYY-MM-DD")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--start", required=True)
    parser.add_argument("--end")
    parser.add_argument("--days", type=int)
    a = parser.parse_args()
    start = date(a.start)
    if a.days is not None:
        try:
            result = start + datetime.timedelta(days=a.days)
        except OverflowError:
            sys.exit("that date lies outside the years 1 to 9999")
        print(f"{start} {a.days:+d} days = {result:%A} {result}")
        return
    if a.end is None:
        sys.exit("give --end or --days")
    end = date(a.end)
    days = (end - start).days
    step = 1 if days >= 0 else -1
    working = sum((start + datetime.timedelta(days=i)).weekday() < 5 for i in range(step, days + step, step)) if days else 0
    print(f"{start} ({start:%A}) to {end} ({end:%A}): {days} days, {abs(days) // 7} weeks and {abs(days) % 7} days, "
          f"{working} working days")


main()
