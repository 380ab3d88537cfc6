"""Mutation tests; see mutate.sh, which runs this in the root of the tree.

A mutant is one edit of one C file: a comparison, && or ||, + or - changed, a number changed, a negation or an operand
removed, a condition fixed to true or false, or an else branch removed. A mutant that does not compile is replaced by
the next of the seeded order. A failing test, a crash or a hang kills it.
"""
import argparse, collections, os, random, re, resource, shutil, subprocess, sys, time

ROOT = os.getcwd()
WORK = os.path.join(ROOT, "build", "mutate")
TREE, BUILD, TMP = (os.path.join(WORK, name) for name in ("tree", "build", "tmp"))
NOT_COPIED = re.compile(r"\.|build|node_modules$|vocab$")  # names of files and folders
JOBS = 2
MEMORY, DISK = 4 << 30, 1 << 30  # limits of one test, in bytes

# --- The list of mutants ---------------------------------------------------------------------------------------------

Token = collections.namedtuple("Token", "kind text at end")
Mutant = collections.namedtuple("Mutant", "path at end new")

LEXER = re.compile(r"""
    (?P<skip>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|[^\n])*|\s+)
  | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[uUlLfF]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<op>->|\+\+|--|<<=|>>=|[-+*/%&|^!=<>]=|&&|\|\||<<|>>|\.\.\.|.)
""", re.X | re.S | re.M)

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
         "+": "-", "-": "+", "+=": "-=", "-=": "+=", "++": "--", "--": "++"}
KEYWORDS = {"return", "case", "else", "sizeof", "do", "goto"}


def tokens_of(text):
    found = (Token(m.lastgroup, m.group(), m.start(), m.end()) for m in LEXER.finditer(text))
    return [token for token in found if token.kind != "skip"]


def is_value(token):
    """Whether an operator behind this token is binary."""
    return token.kind in ("number", "text") or token.text in (")", "]") or (
        token.kind == "name" and token.text not in KEYWORDS)


def close_of(tokens, i):
    """The index of the bracket that closes the one at i."""
    depth = 0
    for j in range(i, len(tokens)):
        depth += (tokens[j].text in "([{") - (tokens[j].text in ")]}")
        if not depth:
            return j
    return len(tokens) - 1


def end_of_statement(tokens, i):
    """The index behind the statement that begins at i."""
    if tokens[i].text == "{":
        return close_of(tokens, i) + 1
    if tokens[i].text in ("if", "for", "while", "switch"):
        after = end_of_statement(tokens, close_of(tokens, i + 1) + 1)
        if tokens[i].text == "if" and after < len(tokens) and tokens[after].text == "else":
            return end_of_statement(tokens, after + 1)
        return after
    while tokens[i].text != ";":
        i = close_of(tokens, i) + 1 if tokens[i].text in "([{" else i + 1
    return i + 1


def operand_end(tokens, i):
    """The index behind the operand of && or || that begins at i."""
    while i < len(tokens) and tokens[i].text not in ("&&", "||", "?", ":", ",", ";", ")", "]", "}"):
        i = close_of(tokens, i) + 1 if tokens[i].text in "([{" else i + 1
    return i


def operand_start(tokens, i):
    """The index of the first operand of a chain whose first && or || is at i; None: there is one before."""
    depth = 0
    while i > 0:
        i -= 1
        text = tokens[i].text
        depth += (text in ")]}") - (text in "([{")
        if depth < 0 or (depth == 0 and text in ("?", ":", ",", ";", "=", "return")):
            return i + 1
        if depth == 0 and text in ("&&", "||"):
            return None
    return None


def is_array_size(tokens, i):
    """A declared array that is one element longer behaves the same, and so does the size of another element."""
    if i < 3 or tokens[i - 1].text != "[" or tokens[i + 1].text != "]" or tokens[i - 2].kind != "name":
        return False
    before = tokens[i - 3]
    return before.text in ("*", "sizeof") or (before.kind == "name" and before.text not in KEYWORDS)


def changed_number(text):
    digits = text.rstrip("uUlLfF") if not text.lower().startswith("0x") else text.rstrip("uUlL")
    suffix = text[len(digits):]
    if not digits.lower().startswith("0x") and re.search(r"[.eE]", digits):
        value = float(digits)
        return (repr(value * 2) if value else "1.0") + suffix
    value = int(digits, 8 if re.fullmatch(r"0[0-7]+", digits) else 0)
    return str(value - 1 if value == 1 else value + 1) + suffix


def mutants_of(path, text):
    tokens = tokens_of(text)
    for i, token in enumerate(tokens):
        def edit(first, last, new):  # of the tokens first ... last - 1
            return Mutant(path, tokens[first].at, tokens[last - 1].end, new)
        if token.kind == "number" and not is_array_size(tokens, i):
            yield edit(i, i + 1, changed_number(token.text))
        elif token.text == "!":
            yield edit(i, i + 1, "")
        elif token.text == "if":
            last = close_of(tokens, i + 1)
            yield edit(i + 2, last, "1")
            yield edit(i + 2, last, "0")
        elif token.text == "else":
            yield edit(i, end_of_statement(tokens, i + 1), "")
        elif token.text in SWAPS and (token.text in ("++", "--") or (i and is_value(tokens[i - 1]))):
            yield edit(i, i + 1, SWAPS[token.text])
            if token.text in ("&&", "||"):
                yield edit(i, operand_end(tokens, i + 1), "")
                first = operand_start(tokens, i)
                if first is not None:
                    yield edit(first, i + 1, "")


SOURCES = {}  # path -> text, as it was when the mutants were listed


def list_mutants(folder):
    found = []
    for place, _, files in os.walk(folder):
        for name in files:
            if name.endswith(".c"):
                path = os.path.relpath(os.path.join(place, name), ROOT)
                with open(path, encoding="utf-8") as file:
                    SOURCES[path] = file.read()
                found += mutants_of(path, SOURCES[path])
    return sorted(set(found))


def describe(mutant):
    text = SOURCES[mutant.path]
    line = text.count("\n", 0, mutant.at) + 1
    first = text.rfind("\n", 0, mutant.at) + 1
    context = " ".join((text[first:mutant.at] + "[[" + text[mutant.at:mutant.end] + " -> " + mutant.new + "]]"
                        + text[mutant.end:text.find("\n", mutant.end)]).split())
    return f"{mutant.path}:{line}: {context}"


# --- The copy of the tree --------------------------------------------------------------------------------------------

def copy_tree():
    """Copies what changed since the last run, so that only that is built again."""
    wanted = set()
    for place, folders, files in os.walk("."):
        folders[:] = [name for name in folders if place.startswith("./test/data") or not NOT_COPIED.match(name)]
        wanted.update(os.path.normpath(os.path.join(place, name)) for name in files)
    for path in wanted:
        target = os.path.join(TREE, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(path, "rb") as file:
            data = file.read()
        if os.path.exists(target):
            with open(target, "rb") as file:
                if file.read() == data:
                    continue
        shutil.copyfile(path, target)
        shutil.copymode(path, target)
    for place, _, files in os.walk(TREE, topdown=False):
        for name in files:
            if os.path.relpath(os.path.join(place, name), TREE) not in wanted:
                os.remove(os.path.join(place, name))
        if not os.listdir(place):
            os.rmdir(place)


def configure():
    options = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O0 -w"]
    options += [f"-DSKILLET_BUILD_{part}=OFF" for part in ("CLI", "BENCH", "TOOLS")]
    if shutil.which("ccache"):
        options += [f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache" for language in ("C", "CXX")]
    subprocess.run(["cmake", "-G", "Ninja", "-S", TREE, "-B", BUILD, *options], check=True, stdout=subprocess.DEVNULL)


def build(targets):
    return subprocess.run(["ninja", "-C", BUILD, "-j", str(JOBS), *targets], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


# --- Tests -----------------------------------------------------------------------------------------------------------

class Tests:
    def __init__(self):
        names = sorted(os.listdir(os.path.join(ROOT, "test", "unit")))
        self.names = [name[:-2] for name in names if name.endswith("_test.c")]
        self.seconds = dict.fromkeys(self.names, 60.0)  # until measured
        self.kills = collections.Counter()

    def measure(self):
        if build(self.names).returncode:
            sys.exit("mutate: the unit tests do not build: ninja -C build/mutate/build")
        times = {}
        failing = self.run(self.names, times)
        if failing:
            sys.exit(f"mutate: {failing} fails without any change")
        self.seconds = times

    def ordered(self, path):
        """First the tests that are likely to notice a change of this file, then the others."""
        words = re.split(r"[/_]", re.sub(r"^src/|\.c$", "", path))
        likely = [name for name in self.names if self.kills[name] or set(words) & set(name.split("_"))]
        likely.sort(key=lambda name: (-self.kills[name], self.seconds[name]))
        return [likely, [name for name in self.names if name not in likely]]

    def start(self, name):
        def limits():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_FSIZE, (DISK, DISK))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        return subprocess.Popen([os.path.join(BUILD, "test", name)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=BUILD,
                                env=dict(os.environ, TMPDIR=TMP), start_new_session=True, preexec_fn=limits)

    def run(self, names, times=None):
        """The first test that fails or exceeds its time; None: all passed."""
        waiting, running, failed = list(names), {}, None
        while (waiting or running) and not failed:
            while waiting and len(running) < JOBS:
                name = waiting.pop(0)
                running[name] = (self.start(name), time.monotonic())
            time.sleep(0.005)
            for name, (process, began) in list(running.items()):
                status, spent = process.poll(), time.monotonic() - began
                if status is None and spent < 10 + 10 * self.seconds[name]:
                    continue
                if status not in (0, 77):  # 77: skipped
                    failed = failed or name
                    if status is None:
                        continue  # stopped below
                if times is not None:
                    times[name] = spent
                del running[name]
        for process, _ in running.values():
            os.killpg(process.pid, 9)
            process.wait()
        return failed


def try_mutant(mutant, tests):
    """The name of the test that kills it, None, or "" for a mutant that does not compile."""
    target = os.path.join(TREE, mutant.path)
    original = SOURCES[mutant.path]
    try:
        with open(target, "w", encoding="utf-8") as file:
            file.write(original[:mutant.at] + mutant.new + original[mutant.end:])
        for names in tests.ordered(mutant.path):
            if build(names).returncode:
                return ""
            killer = tests.run(names)
            if killer:
                tests.kills[killer] += 1
                return killer
        return None
    finally:
        with open(target, "w", encoding="utf-8") as file:
            file.write(original)
        shutil.rmtree(TMP, ignore_errors=True)
        os.makedirs(TMP)


def main():
    parser = argparse.ArgumentParser(prog="scripts/mutate.sh")
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--all", action="store_true", help="all changes, no sample")
    parser.add_argument("--list", action="store_true", help="only list the changes")
    options = parser.parse_args()
    mutants = list_mutants(options.folder)
    if not mutants:
        sys.exit(f"mutate: no C code in {options.folder}")
    random.Random(options.seed).shuffle(mutants)
    count = len(mutants) if options.all else options.count
    if options.list:
        print("\n".join(describe(mutant) for mutant in sorted(mutants[:count])))
        return
    os.makedirs(TMP, exist_ok=True)
    copy_tree()
    configure()
    tests = Tests()
    tests.measure()
    tried = killed = 0
    for mutant in mutants:
        if tried == count:
            break
        killer = try_mutant(mutant, tests)
        if killer == "":
            continue
        tried += 1
        killed += killer is not None
        if killer is None:
            print("survived", describe(mutant), flush=True)
        if sys.stderr.isatty():
            print(f"\r{tried} of {count}, {killed} killed ", end="", file=sys.stderr, flush=True)
    print(f"killed {killed} of {tried} ({100 * killed / max(tried, 1):.0f} %)")


main()
