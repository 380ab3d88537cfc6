#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the tables of docs/savings.md, and rows of the READMEs and docs/agent.md, with the output of the commands.

usage: tools/savings-tables.py [--write] SKILLET [SET…]

SET is a name like livemcpbench; without one, every available set is compared. Rows that a table leaves out stay out.
Exit status: 0 equal, or written; 1 different; 77 the set or the vocabulary for exact counts is missing.
"""
import csv
import os
import re
import subprocess
import sys
import tempfile

DOC = "docs/savings.md"
AGENT = "docs/agent.md"
READMES = ("README.md", "README.zh.md")
COMMAND = re.compile(r"^    skillet bench tokens (\S+)", re.M)


def printed(skillet, folder):
    """The command's first line; the rows of its two tables by strategy, each a list of cells; and those of its CSV."""
    with tempfile.TemporaryDirectory() as scratch:
        table = os.path.join(scratch, "table.csv")
        out = subprocess.run([skillet, "bench", "tokens", folder, "--csv", table], capture_output=True, text=True,
                             check=True).stdout
        with open(table, encoding="utf-8") as file:
            more = {line["strategy"]: line for line in csv.DictReader(file)}
    spent, kept = {}, {}
    rows = spent
    for line in out.splitlines()[1:]:
        cells = line.split()
        if cells[:2] == ["policy", "hit"]:
            rows = kept
        elif len(cells) > 6 and cells[1].endswith("%"):
            rows[cells[0]] = cells[1:9] if rows is spent else cells[1:6]
    return out.splitlines()[0], spent, kept, more


def number(cell):
    """A cell in the format of the documents: 97.7 %, 1,397, −2.1 %."""
    cell = re.sub(r"^-", "−", cell)
    if cell.endswith("%"):
        return cell[:-1] + " %"
    return f"{int(cell):,}" if cell.isdigit() else cell


def row(strategy, cells):
    cells = [number(cell) for cell in cells]
    if len(cells) == 8 and cells[7].startswith("−"):
        cells[7] = f"loses ({cells[7]})"
    name = f"**{strategy}**" if strategy == "skillet" else strategy
    return "| " + " | ".join([name] + cells) + " |"


def updated(section, spent, kept):
    lines, rows = [], spent
    for line in section.split("\n"):
        if line.startswith("| policy |"):
            rows = kept
        name = re.match(r"\| \**([a-z0-9-]+)\** \|", line)
        if name and name.group(1) in rows:
            strategy = name.group(1)
            cells = rows[strategy] if rows is spent else rows[strategy] + [spent[strategy][0]]
            line = row(strategy, cells)
        lines.append(line)
    return "\n".join(lines)


def readme_row(text, label, spent):
    """A README row has a catalogue, the first request with all skills and with skillet, and the saved cost."""
    cells = (spent["everything"][2], spent["skillet"][2], number(spent["skillet"][7]))
    pattern = re.compile(r"^(\| [^|]*%s[^|]* \| )([0-9,]+)([^|]*\| )([0-9,]+)([^|]*\| )([^|]+)( \|)$" % label, re.M)
    return pattern.sub(lambda m: m[1] + cells[0] + m[3] + cells[1] + m[5] + cells[2] + m[7], text)


def agent_row(text, folder, more):
    """Skills on demand, and the best one or three in advance: price at equal recall, and requests."""
    rows = [more[strategy] for strategy in ("agent", "agent-load-1", "agent-load-3")]
    cells = [f"{float(row['price_at_equal_recall']):,.0f} ({float(row['requests']):.1f})" for row in rows]
    pattern = re.compile(r"^\| `%s` \| .*$" % re.escape(folder), re.M)
    return pattern.sub(lambda _: "| " + " | ".join([f"`{folder}`"] + cells) + " |", text)


LABELS = {"livemcpbench": "LiveMCPBench", "stabletoolbench-group": "StableToolBench", "mcp-servers": "608",
          "skills-22k": "15,580"}


def differences(old, new):
    pairs = zip(old.split("\n"), new.split("\n"))
    return "".join(f"-{before}\n+{after}\n" for before, after in pairs if before != after)


def main(arguments):
    write = "--write" in arguments
    skillet, *wanted = [word for word in arguments if word != "--write"]
    texts = {path: open(path, encoding="utf-8").read() for path in (DOC, AGENT) + READMES}
    old = dict(texts)
    seen = 0
    for section in re.split(r"(?m)^(?=### )", old[DOC]):
        command = COMMAND.search(section)
        name = os.path.basename(command[1]) if command and section.startswith("### ") else None
        if not name or (wanted and name not in wanted) or not os.path.isdir(command[1]):
            continue
        first, spent, kept, more = printed(skillet, command[1])
        if "o200k_base" not in first:
            print("there is no vocabulary: scripts/fetch-vocabulary.sh")
            return 77
        seen += 1
        texts[DOC] = texts[DOC].replace(section, updated(section, spent, kept))
        texts[AGENT] = agent_row(texts[AGENT], command[1], more)
        for path in READMES:
            texts[path] = readme_row(texts[path], LABELS[name], spent)
    if not seen:
        print("none of the sets is there")
        return 77
    stale = [path for path in texts if texts[path] != old[path]]
    for path in stale:
        print(f"--- {path}\n+++ what the command prints\n{differences(old[path], texts[path])}", end="")
        if write:
            open(path, "w", encoding="utf-8").write(texts[path])
    if stale and not write:
        print("tools/savings-tables.py --write SKILLET writes them; read the sentences beside them again, too")
    return 1 if stale and not write else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1:2] == ["--help"]:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
