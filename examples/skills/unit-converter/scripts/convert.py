#!/usr/bin/env python3
"""Converts a value between units: convert.py --value 26.2 --from mile --to km"""
import argparse
import sys

UNITS = {
    "length": {"m": 1, "metre": 1, "meter": 1, "km": 1000, "kilometre": 1000, "kilometer": 1000, "cm": 0.01,
               "centimetre": 0.01, "centimeter": 0.01, "mm": 0.001, "millimetre": 0.001, "millimeter": 0.001,
               "mile": 1609.344, "mi": 1609.344, "yard": 0.9144, "yd": 0.9144, "foot": 0.3048, "feet": 0.3048,
               "ft": 0.3048, "inch": 0.0254, "inche": 0.0254, "in": 0.0254, "nautical mile": 1852, "nmi": 1852,
               "里": 500, "尺": 1 / 3, "公里": 1000, "千米": 1000, "米": 1, "厘米": 0.01, "英里": 1609.344,
               "英尺": 0.3048, "英寸": 0.0254},
    "mass": {"kg": 1, "kilogram": 1, "kilo": 1, "g": 0.001, "gram": 0.001, "mg": 1e-6, "milligram": 1e-6, "t": 1000,
             "tonne": 1000, "lb": 0.45359237, "pound": 0.45359237, "oz": 0.028349523125, "ounce": 0.028349523125,
             "stone": 6.35029318, "斤": 0.5, "两": 0.05, "公斤": 1, "千克": 1, "克": 0.001, "磅": 0.45359237,
             "盎司": 0.028349523125},
    "volume": {"l": 1, "litre": 1, "liter": 1, "ml": 0.001, "millilitre": 0.001, "milliliter": 0.001, "m3": 1000,
               "gallon": 3.785411784, "quart": 0.946352946, "pint": 0.473176473, "cup": 0.2365882365,
               "tablespoon": 0.01478676478125, "tbsp": 0.01478676478125, "teaspoon": 0.00492892159375,
               "tsp": 0.00492892159375, "升": 1, "毫升": 0.001, "加仑": 3.785411784},
    "speed": {"m/s": 1, "km/h": 1 / 3.6, "kph": 1 / 3.6, "mph": 0.44704, "knot": 1852 / 3600, "kn": 1852 / 3600},
    "area": {"m2": 1, "km2": 1e6, "hectare": 1e4, "ha": 1e4, "acre": 4046.8564224, "亩": 2000 / 3, "平方米": 1,
             "公顷": 1e4},
    "data": {"bit": 0.125, "byte": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 2**10,
             "mib": 2**20, "gib": 2**30, "tib": 2**40},
    "time": {"s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hour": 3600, "day": 86400,
             "week": 604800, "秒": 1, "分钟": 60, "小时": 3600, "天": 86400, "周": 604800},
}
TO_KELVIN = {"c": lambda x: x + 273.15, "f": lambda x: (x - 32) / 1.8 + 273.15, "k": lambda x: x}
FROM_KELVIN = {"c": lambda x: x - 273.15, "f": lambda x: (x - 273.15) * 1.8 + 32, "k": lambda x: x}
TEMPERATURES = {"celsius": "c", "°c": "c", "c": "c", "摄氏度": "c", "fahrenheit": "f", "°f": "f", "f": "f",
                "华氏度": "f", "kelvin": "k", "k": "k"}


def find(name):
    """Returns (quantity, factor) of a unit, or None; plurals lose their s."""
    word = name.strip().lower()
    for candidate in (word, word[:-1] if word.endswith("s") else word):
        for quantity, units in UNITS.items():
            if candidate in units:
                return quantity, units[candidate]
    return None


def temperature(name):
    word = name.strip().lower()
    for prefix in ("degrees ", "degree "):
        word = word[len(prefix):] if word.startswith(prefix) else word
    return TEMPERATURES.get(word)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--value", type=float, required=True)
    parser.add_argument("--from", dest="source", required=True)
    parser.add_argument("--to", dest="target", required=True)
    a = parser.parse_args()
    if temperature(a.source) and temperature(a.target):
        result = FROM_KELVIN[temperature(a.target)](TO_KELVIN[temperature(a.source)](a.value))
        print(f"{a.value:g} {a.source} = {round(result, 4):g} {a.target}")
        return
    source, target = find(a.source), find(a.target)
    for name, unit in ((a.source, source), (a.target, target)):
        if not unit:
            sys.exit(f"unknown unit '{name}'; references/units.md lists the known ones")
    if source[0] != target[0]:
        sys.exit(f"'{a.source}' measures {source[0]}, '{a.target}' measures {target[0]}")
    factor = source[1] / target[1]
    print(f"{a.value:g} {a.source} = {a.value * factor:.6g} {a.target} (1 {a.source} = {factor:.9g} {a.target})")


main()
