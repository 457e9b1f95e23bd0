#!/usr/bin/env python3
"""Measures the house: rooms, includes, long functions, kind tests, ranks, words.

    python3 tests/architecture/house.py [ROOT]

ROOT is a checkout of this project, by default the one that the script is in; older ones with other folders are
measured, too, so that a change can be shown before and after. Functions are found by matching braces and kinds of
targets by their names: the figures are for comparison, not for proof.
"""

import pathlib
import re
import sys

OUTSIDE = {"apps/acuity": "apps", "apps/acuity-mpi": "mpi", "python/bindings": "bindings"}

# Code asks for the kind of target outside Target: by the name of the kind, or by the type of a channel, above the
# rooms where channels are all that is known.
KIND = re.compile(r'\bbinary\(\)|\bis_real\(\)|\bkind\(\)\s*[!=]=\s*"|holds_alternative<\s*(?:Flip|Gaussian)Channel\s*>')
BELOW_TARGETS = {"base", "numerics", "data", "text", "model", "acquisition", "selection"}
RANKS = re.compile(r"\b[Rr]anks\b|_ranks?\b")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<](acuity/)?([a-z_]+)/([^">]+)[">]', re.M)


def rooms_of(root):
    """The rooms in order, and the C++ files of each."""
    test = (root / "tests/architecture/include_direction_test.cpp").read_text()
    order = re.findall(r'"([a-z_]+)"', re.search(r"layers\{(.*?)\};", test, re.S).group(1))
    files = {room: [] for room in order}
    for room in order:
        for base in ("src", "include/acuity"):
            files[room] += cpp_below(root / base / room)
    for folder, room in OUTSIDE.items():
        files[room] = cpp_below(root / folder)
    return order, {room: found for room, found in files.items() if found}


def cpp_below(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".cpp", ".hpp", ".inc"))


def without_texts(code):
    """The code with comments removed and texts emptied; lines stay where they are."""

    def blank(match):
        found = match.group(0)
        if found.startswith(("//", "/*")):
            return "\n" * found.count("\n")
        return '""' + "\n" * found.count("\n") if found[0] in "\"R" else "' '"

    pattern = r'R"([^\s()\\]{0,16})\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\''
    code = re.sub(pattern, blank, code, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m.group(0).count("\n"), code, flags=re.M)


def matching_brace(code, begin):
    depth = 0
    for at in range(begin, len(code)):
        if code[at] == "{":
            depth += 1
        elif code[at] == "}":
            depth -= 1
            if depth == 0:
                return at
    return len(code) - 1


def is_initialiser(head):
    """Whether a brace after this text belongs to a member in the initialiser list of a constructor."""
    parts = re.split(r"\)\s*(?:noexcept\s*)?:(?!:)", head, maxsplit=1)
    return len(parts) == 2 and re.search(r"[\w>]\s*$", parts[1]) is not None


def name_of(head):
    before = head[: head.index("(")] if "(" in head else head
    found = re.search(r"(operator\s*[^\s\w]+|[\w~]+)\s*$", before)
    return found.group(1) if found else before.strip()[-30:]


def functions_in(code):
    """Name, first line and number of lines of every function; what is inside a function is part of it."""
    found, at, begin = [], 0, 0
    while at < len(code):
        character = code[at]
        if character in ";}":
            begin = at + 1
        elif character == "{":
            head = code[begin:at]
            words = re.sub(r"\[\[.*?\]\]|template\s*<[^{}]*?>\s*(?=class|struct|union)", "", head, flags=re.S).split()
            is_type = bool(words) and words[0] in ("class", "struct", "union", "enum", "namespace", "extern", "typedef")
            if is_type or not words:
                begin = at + 1  # look inside
            elif "(" in head and not re.search(r"=\s*(?:\w+(?:<.*>)?)?\s*$", head) and not is_initialiser(head):
                end = matching_brace(code, at)
                first = code.count("\n", 0, begin + len(head) - len(head.lstrip())) + 1
                found.append((name_of(head), first, code.count("\n", 0, end) + 2 - first))
                at, begin = end, end + 1
            else:
                at = matching_brace(code, at)  # a value
        at += 1
    return found


def table(rows, heads):
    widths = [max(len(str(row[k])) for row in [heads, *rows]) for k in range(len(heads))]
    for row in [heads, *rows]:
        print("  ".join(str(v).ljust(w) if k == 0 else str(v).rjust(w) for k, (v, w) in enumerate(zip(row, widths))))


def show_rooms(rooms):
    rows = []
    for room, files in rooms.items():
        lines = sum(len(p.read_text().splitlines()) for p in files)
        public = sum("include/acuity" in p.as_posix() for p in files)
        rows.append((room, len(files) - public, public, lines))
    rows.append(("all", *(sum(row[k] for row in rows) for k in (1, 2, 3))))
    table(rows, ("room", "files", "public", "lines"))


def show_includes(order, rooms):
    names = list(rooms)
    edges = {(a, b): 0 for a in names for b in names}
    for room in names:
        for path in rooms[room]:
            for match in INCLUDE.finditer(path.read_text()):
                other = match.group(2) if match.group(2) in order else room if room not in order else None
                if other:
                    edges[room, other] += 1
    shown = [b for b in names if any(edges[a, b] for a in names)]
    rows = [(a, *(edges[a, b] or "." for b in shown), sum(edges[a, b] for b in shown if b != a)) for a in names]
    table(rows, ("rows include columns", *(b[:5] for b in shown), "out"))
    rank = {room: k for k, room in enumerate(order)}
    upward = sum(n for (a, b), n in edges.items() if rank.get(b, 99) > rank.get(a, 99))
    between = sum(n for (a, b), n in edges.items() if a != b)
    print(f"includes: {sum(edges.values())}, between rooms: {between}, upward: {upward}")


def show_functions(root, rooms):
    found = []
    for files in rooms.values():
        for path in files:
            for name, line, length in functions_in(without_texts(path.read_text())):
                found.append((length, f"{path.relative_to(root).as_posix()}:{line} {name}"))
    lengths = sorted(length for length, _ in found)
    part = lambda share: lengths[min(len(lengths) - 1, int(share * len(lengths)))]
    print(f"functions: {len(lengths)}, lines: median {part(0.5)}, p90 {part(0.9)}, p99 {part(0.99)}, max {lengths[-1]}")
    print("over 40 / 60 / 80 lines: " + " / ".join(str(sum(n > m for n in lengths)) for m in (40, 60, 80)))
    for length, where in sorted(found, reverse=True)[:20]:
        print(f"{length:5} {where}")


def show_kinds(root, rooms):
    total, rows = 0, []
    for room, files in rooms.items():
        if room in BELOW_TARGETS:
            continue
        for path in files:
            if re.fullmatch(r"target(_view)?", path.stem):
                continue
            count = len(KIND.findall(without_texts(path.read_text())))
            if count:
                rows.append((path.relative_to(root).as_posix(), count))
                total += count
    print(f"kinds of target tested outside Target: {total} in {len(rows)} files")
    if "--kinds" in sys.argv:
        table(rows, ("file", "places"))


def show_ranks(rooms):
    files = [p for found in rooms.values() for p in found if RANKS.search(p.read_text())]
    print(f"files that mention ranks: {len(files)}")


def show_words(root):
    skipped = {"build", "node_modules", ".git"}
    words = {}
    for path in sorted(root.rglob("*.md")):
        parts = path.relative_to(root).parts
        if not skipped.intersection(parts):
            words["/".join(parts)] = len(path.read_text().split())
    longest = sorted(words.items(), key=lambda one: -one[1])[:8]
    users = sum(count for name, count in words.items() if name == "README.md" or name.startswith("docs/"))
    print(f"words of documents: {sum(words.values())} in {len(words)} files, {users} in README.md and docs/; longest: "
          + ", ".join(f"{name} {count}" for name, count in longest))


def main():
    given = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    root = pathlib.Path(given[0] if given else pathlib.Path(__file__).parents[2]).resolve()
    order, rooms = rooms_of(root)
    show_rooms(rooms)
    print()
    show_includes(order, rooms)
    print()
    show_functions(root, rooms)
    print()
    show_kinds(root, rooms)
    show_ranks(rooms)
    show_words(root)


if __name__ == "__main__":
    main()
