#!/usr/bin/env python3
"""Figures and ratios of a PDF report: ratios.py --path FILE

Reads the text operators of the PDF's content streams (plain or Flate-compressed) with the standard library alone.
"""
import argparse
import re
import sys
import zlib

FIGURES = {
    "revenue": r"(?:total )?(?:revenue|net sales|sales)",
    "cost of sales": r"cost of (?:sales|goods sold|revenue)",
    "net income": r"net (?:income|profit|earnings)",
    "current assets": r"(?:total )?current assets",
    "inventory": r"inventor(?:y|ies)",
    "current liabilities": r"(?:total )?current liabilities",
    "total liabilities": r"total liabilities",
    "equity": r"(?:total )?(?:shareholders'? |stockholders'? |owners'? )?equity",
}
RATIOS = [
    ("current ratio", "{:.2f}", ("current assets", "current liabilities"), lambda a, l: a / l),
    ("quick ratio", "{:.2f}", ("current assets", "inventory", "current liabilities"), lambda a, i, l: (a - i) / l),
    ("debt to equity", "{:.2f}", ("total liabilities", "equity"), lambda l, e: l / e),
    ("gross margin", "{:.1%}", ("revenue", "cost of sales"), lambda r, c: (r - c) / r),
    ("net margin", "{:.1%}", ("net income", "revenue"), lambda n, r: n / r),
    ("return on equity", "{:.1%}", ("net income", "equity"), lambda n, e: n / e),
]


def streams(data):
    for m in re.finditer(rb"stream\r?\n", data):
        end = data.find(b"endstream", m.end())
        raw = data[m.end():end if end >= 0 else len(data)]
        try:
            yield zlib.decompressobj().decompress(raw)
        except zlib.error:
            yield raw


def text_of(content):
    """The strings shown by Tj and TJ; a new text position starts a new line."""
    out = []
    token = re.compile(rb"\((?:\\.|[^\\()])*\)|<[0-9A-Fa-f\s]*>|\b(?:Td|TD|T\*|Tm|ET)\b", re.S)
    for t in token.findall(content):
        if t[:1] == b"(":
            s = re.sub(rb"\\([()\\])", rb"\1", t[1:-1])
            out.append(s.decode("latin-1"))
        elif t[:1] != b"<":
            out.append("\n")
    return "".join(out)


def number(text):
    m = re.search(r"\(?-?\$?\s*(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?\)?", text)
    if not m:
        return None
    value = float(m.group(1).replace(",", "") + (m.group(2) or ""))
    return -value if m.group(0).lstrip("$ ").startswith(("(", "-")) else value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--path", required=True)
    a = parser.parse_args()
    try:
        data = open(a.path, "rb").read()
    except OSError as e:
        sys.exit(f"cannot read {a.path}: {e}")
    if not data.startswith(b"%PDF-"):
        sys.exit(f"{a.path} is not a PDF")
    text = "\n".join(text_of(s) for s in streams(data))
    lines = [re.sub(r"\s+", " ", l).strip() for l in text.split("\n") if l.strip()]
    if not lines:
        sys.exit(f"{a.path} holds no text; it is probably a scan and needs OCR first")
    found = {}
    for i, line in enumerate(lines):
        for name, pattern in FIGURES.items():
            m = re.match(pattern + r"\b:?", line, re.I)
            if m and name not in found:
                value = number(line[m.end():] or (lines[i + 1] if i + 1 < len(lines) else ""))
                if value is not None:
                    found[name] = value
    for name, value in found.items():
        print(f"{name}: {value:,.0f}")
    for name, shape, needs, formula in RATIOS:
        missing = [n for n in needs if n not in found]
        if missing:
            print(f"{name}: not computed, no line for {', '.join(missing)}")
        elif not found[needs[-1]]:
            print(f"{name}: not computed, {needs[-1]} is 0")
        else:
            print(f"{name}: {shape.format(formula(*(found[n] for n in needs)))}")


main()
