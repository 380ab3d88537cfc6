#!/usr/bin/env python3
"""Annuity loan: loan.py --amount 200000 --rate 3.5 --years 25"""
import argparse
import sys


def main():
    parser = argparse.ArgumentParser()
    for name in ("amount", "rate", "years"):
        parser.add_argument(f"--{name}", type=float, required=True)
    a = parser.parse_args()
    if a.amount <= 0 or a.years <= 0 or a.rate < 0:
        sys.exit("amount and years must be above 0, the rate not below")
    months, rate = max(1, round(a.years * 12)), a.rate / 1200
    payment = a.amount * rate / (1 - (1 + rate) ** -months) if rate else a.amount / months
    print(f"monthly payment: {payment:,.2f}")
    print(f"total paid: {payment * months:,.2f}, of which interest: {payment * months - a.amount:,.2f}")
    balance, shown = a.amount, []
    for month in range(1, months + 1):
        balance = balance * (1 + rate) - payment
        if month % 12 == 0 and (month // 12 in (1, 2, 5, 10, 15, 20, 25, 30)) and month < months:
            shown.append(f"{month // 12}y {max(balance, 0):,.0f}")
    if shown:
        print("balance after: " + ", ".join(shown))


main()
