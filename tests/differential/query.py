#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tracelathe query`: its tables against the reports of the same file, and its answers against those of SQLite on an
imported copy.

For a trace of every format: the functions are the rows of `report --csv --all`, the calls those of `dump --calls`, sums by
GROUP BY those of the profile. Then random statements (WHERE, GROUP BY, DISTINCT, ORDER BY, LIMIT, joins) are asked twice:
of the file, and of python's sqlite3 with the same rows in plain tables. What a statement may not do it is not allowed to,
and damage is told."""
import csv
import io
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import common
from common import CORPUS, ROOT, SHARED, expect, fail

STREAMS = {"calls", "instants", "records", "instructions", "accesses", "samples"}
ROWS = 20000  # calls of a trace that is imported
LINES = 2000  # rows of a listing that is imported
LONG = os.environ.get("TL_LONG")


def ask(sql, *args, status=(0, 1), stdin=None):
    done = subprocess.run([common.command(), "query", "--json", *args] + ([sql] if sql else []), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, input=stdin)
    if done.returncode not in status:
        fail(" ".join(args), sql, "exits with", done.returncode, done.stderr.decode("utf-8", "replace").strip())
    return done


def rows(sql, *args, **more):
    done = ask(sql, *args, **more)
    if done.returncode > 1:
        return []
    # A JSON array for each statement.
    return [tuple(row.values()) for row in json.loads(done.stdout.decode("utf-8"))]


def answers(statements, *args):
    """The rows, as dictionaries, of each of some statements; None from the first wrong one on."""
    done = ask(None, *args, "-", stdin=";\n".join(statements).encode(), status=(0, 1, 2))
    decoder, at, found = json.JSONDecoder(), 0, []
    output = done.stdout.decode("utf-8")
    while at < len(output):
        answer, at = decoder.raw_decode(output, at)
        found.append(answer)
        at += 1
    if done.returncode == 2:
        found[-1 if found and not found[-1] else len(found):] = []
    return found + [None] * (len(statements) - len(found))


# ---- tables against reports ----


def number(text):
    return int(text) if text else None


def functions(path, args):
    """The function table, to the last digit."""
    text = common.run("report", "--csv", "--all", *args, path)
    table = list(csv.DictReader(io.StringIO(text, newline="")))
    events = [name[:-5] for name in table[0] if name.endswith(":self")] if table else []
    wanted, costs = [], []
    for row in table:
        wanted.append((row["function"], row["object"] or None, row["file"] or None, number(row["line"]),
                       int(row[events[0] + ":self"]), int(row[events[0] + ":inclusive"]), int(row["calls"]),
                       int(row.get("unfinished") or 0), *[number(row.get(name, "")) for name in
                                                          ("min", "median", "p90", "p99", "max", "sum")]))
        costs += [(row["function"], row["object"] or None, event, int(row[event + ":self"]), int(row[event + ":inclusive"]))
                  for event in events]
    got = rows("SELECT name, object, file, line, self, inclusive, calls, unfinished, min, median, p90, p99, max, sum "
               "FROM functions", *args, path)
    order = lambda found: sorted(found, key=str)
    expect("functions of " + path, order(got), order(wanted))
    expect("costs of " + path, order(rows("SELECT name, object, event, c.self, c.inclusive FROM costs c JOIN functions f "
                                          "ON f.id = c.function", *args, path)), order(costs))
    numbered = [(row["function"], int(row["id"])) for row in table if row["id"]]
    if len(numbered) == len(table) and len(set(numbered)) == len({i for _, i in numbered}):
        expect("ids of " + path, sorted(rows("SELECT name, id FROM functions", *args, path)), sorted(numbered))
    return len(table)


def sums(path, args):
    """Self costs of lines and contexts are those of the functions."""
    for table in ("lines", "contexts"):
        got = rows("SELECT function, event, sum(self) FROM %s GROUP BY function, event HAVING sum(self)" % table, *args, path)
        if got:
            expect("%s of %s" % (table, path), sorted(got),
                   sorted(rows("SELECT function, event, self FROM costs WHERE self", *args, path)))


def calls(path, args):
    """Returns false where the format has none, which is said."""
    dumped = subprocess.run([common.command(), "dump", "--calls", "--json", *args, path], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)
    if dumped.returncode > 1:
        done = ask("SELECT count(*) FROM calls", *args, path, status=(2,))
        if b"calls" not in done.stderr:
            fail(path, "says of calls that it has not", done.stderr)
        return False
    wanted = [json.loads(line) for line in dumped.stdout.decode("utf-8").splitlines()]
    expect("calls of " + path,
           rows("SELECT id, parent, process, thread, depth, name, start, \"end\", cut, late FROM calls", *args, path),
           [(c["id"], c["parent"], c["process"], c["thread"], c["depth"], c["function"], c["start"], c["end"],
             int(c.get("cut", False)), int(c.get("late", False))) for c in wanted])
    ended = [c for c in wanted if c["end"] is not None and not c.get("cut") and not c.get("late")]
    expect("durations of " + path, rows("SELECT id, duration FROM calls WHERE duration IS NOT NULL", *args, path),
           [(c["id"], c["end"] - c["start"]) for c in ended])
    grouped_calls(path, args)
    return True


def grouped_calls(path, args, parked=False):
    """Sums of calls by GROUP BY are those of the functions. `parked`: some calls are on stacks that take turns, and are several
    rows without a duration; of functions of which no call is, the sums are equal."""
    # Of perf.data with cycles, a call is as long as its packets say, and its function as its instructions do.
    if rows("SELECT count(sum) FROM functions", *args, path) != [(0,)] and not path.endswith(".perf.data"):
        summed = rows("SELECT function, sum(duration) FROM calls GROUP BY function HAVING sum(duration)", *args, path)
        told = rows("SELECT id, sum FROM functions WHERE sum", *args, path)
        if parked:
            whole = dict(rows("SELECT function, coalesce(sum(duration), 0) FROM calls WHERE function IS NOT NULL GROUP BY function "
                              "HAVING NOT sum(cut OR late)", *args, path))
            summed, told = [(i, whole[i]) for i in whole if whole[i] or i in dict(told)], [t for t in told if t[0] in whole]
            if len(summed) < 10:
                fail(path, "has", len(summed), "functions without parked calls")
        expect("sums of calls of " + path, sorted(summed), sorted(told))
    expect("numbers of calls of " + path,
           sorted(rows("SELECT function, count(*) FROM calls WHERE NOT late AND function IS NOT NULL GROUP BY function",
                       *args, path)),
           sorted(rows("SELECT id, calls + CASE WHEN %d THEN 0 ELSE unfinished END FROM functions WHERE calls + unfinished"
                       % entered(path, args), *args, path)))


def parked_calls():
    """A program that switches contexts: each time that a stack runs is a row."""
    path = os.path.join(SHARED, "corpus", "defects", "intel-pt", "r_uctx.pt")
    if os.path.exists(path):
        args = ["--map", path[:-len("pt")] + "map"]
        grouped_calls(path, args, parked=True)
        expect("pieces that go on begin later than one of their function was cut in " + path,
               rows("SELECT count(*) FROM calls l WHERE late AND cut AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.cut AND "
                    "c.function = l.function AND c.\"end\" <= l.start)", *args, path), [(0,)])


def listings(path, args):
    """Records are the lines of `dump --json`; instructions and accesses those of xtrace and Intel PT, or are refused."""
    wanted = common.run("dump", "--json", *args, path).splitlines()
    if sum(map(len, wanted)) > 1 << 22:
        return
    expect("records of " + path, [json for json, in rows("SELECT json FROM records", *args, path)], wanted)
    found = [json.loads(line) for line in wanted]
    expect("fields of records of " + path, rows("SELECT offset, kind, thread, cpu, time FROM records", *args, path),
           [(r["offset"], r.get("record") or r.get("token") or r.get("packet"), r.get("thread"), r.get("cpu"),
             r.get("tsc", r.get("time"))) for r in found])
    expect("the first records of " + path, len(rows("SELECT * FROM records LIMIT 2", *args, path)), min(2, len(found)))
    accesses, ordinal = [], -1
    for record in found:
        ordinal += "opcode" in record
        if record.get("token") in ("LOAD", "STORE"):
            value = record["value"]
            accesses.append((ordinal, signed(int(record["address"], 16)), record["size"], int(record["token"] == "STORE"),
                             signed(int(value, 16)) if len(value) <= 18 else value))
    executes = any("opcode" in record for record in found)
    if executes:
        expect("accesses of " + path, rows("SELECT ordinal, address, size, write, value FROM accesses", *args, path), accesses)
    else:
        ask("SELECT * FROM accesses", *args, path, status=(2,))
    if executes or "packet" in found[0]:
        instructions(path, args)
    elif not path.endswith(".perf.data"):
        ask("SELECT * FROM instructions", *args, path, status=(2,))
    events = [record for record in found if record.get("record") == "custom-event"]
    if events:
        got = rows("SELECT thread, time FROM instants WHERE name = 'custom event'", *args, path)
        expect("instants of " + path, sorted(got), sorted((record["thread"], record["tsc"]) for record in events))


def signed(number):
    return number - (1 << 64) if number >> 63 and number >> 64 == 0 else number


def instructions(path, args):
    wanted = [json.loads(line) for line in common.run("dump", "--json", "--instructions", *args, path).splitlines()]
    wanted = [insn for insn in wanted if "ip" in insn or "pc" in insn]
    expect("instructions of " + path, rows("SELECT address, text FROM instructions", *args, path),
           [(signed(int(insn.get("ip") or insn["pc"], 16)), insn.get("text")) for insn in wanted])


def entered(path, args):
    """Whether unfinished calls are among the calls: where the profile has no durations."""
    return rows("SELECT count(*) FROM functions WHERE sum IS NOT NULL", *args, path) == [(0,)]


# ---- other ways to ask ----


def ready(path):
    """Each ready query answers; one in a folder of its own is found."""
    names = [line.split()[0] for line in common.run("query", "--list").splitlines()]
    if len(names) < 5:
        fail("ready queries are", names)
    for name in names:
        ask(None, name, path)
    expect("the slowest calls", [row[1] for row in rows("slowest", path)],
           [d for d, in rows("SELECT duration FROM calls WHERE duration IS NOT NULL ORDER BY 1 DESC LIMIT 20", path)])
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "mine.sql"), "w", encoding="utf-8") as file:
            file.write("-- my own\nSELECT 7 AS seven;\n")
        mine = dict(os.environ, TRACELATHE_QUERIES=folder)
        done = subprocess.run([common.command(), "query", "--csv", path, "mine"], stdout=subprocess.PIPE, env=mine)
        expect("a query of one's own", done.stdout, b"seven\n7\n")
        done = subprocess.run([common.command(), "query", "--list"], stdout=subprocess.PIPE, env=mine)
        expect("its help", done.stdout.splitlines()[0].split(None, 1), [b"mine", b"my own"])


def extension(path, library):
    """The same tables in sqlite3 itself."""
    if not shutil.which("sqlite3"):
        return
    def shell(sql):
        text = ".bail on\n.load %s\nCREATE VIRTUAL TABLE temp.t USING tracelathe('%s');\n%s;\n" % (library, path, sql)
        done = subprocess.run(["sqlite3", "-csv"], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            fail(sql, "in sqlite3:", done.stderr)
        return list(csv.reader(io.StringIO(done.stdout.decode("utf-8", "replace"), newline="")))
    text = lambda found: [["" if value is None else str(value) for value in row] for row in found]
    for sql in ("SELECT id, name, calls, self, sum FROM functions", "SELECT * FROM calls", "SELECT * FROM arcs",
                "SELECT function, count(*), sum(duration) FROM calls GROUP BY function"):
        expect(sql + " in sqlite3", sorted(shell(sql)), sorted(text(rows(sql, path))))
    expect("t in sqlite3", shell("SELECT * FROM t"), shell("SELECT * FROM t_functions"))
    expect("a dropped table", shell("DROP TABLE t; SELECT count(*) FROM calls"), text(rows("SELECT count(*) FROM calls", path)))
    expect("one table", shell("CREATE VIRTUAL TABLE temp.one USING tracelathe('%s', 'table=threads', 'thread=1'); "
                              "SELECT count(*) FROM one" % path), [["0"]])
    decoders = ("custom:step=text", "typed=hex")
    events = os.path.join(ROOT, "tests", "golden", "xray", "custom-fdr.xray")
    got = shell("CREATE VIRTUAL TABLE temp.e USING tracelathe('%s', 'table=instants', %s); SELECT name, payload FROM e"
                % (events, ", ".join("'decode=%s'" % word for word in decoders)))
    wanted = rows("SELECT name, payload FROM instants", *[word for form in decoders for word in ("--decode", form)], events)
    expect("decoded events in sqlite3", got, text(wanted))
    expect("a name that was decoded", any(name == "step" for name, _ in wanted), True)
    for wrong in ("'nowhere.xray'", "", "'%s', 'binry=x'" % path, "'%s', 'table=x'" % path, "'%s', 'decode=custom'" % path):
        done = subprocess.run(["sqlite3", "-bail"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, input=(
            ".load %s\nCREATE VIRTUAL TABLE temp.t USING tracelathe(%s);" % (library, wrong)).encode())
        if done.returncode <= 0 or not done.stderr:
            fail("USING tracelathe(%s)" % wrong, "ends with", done.returncode, done.stderr)


# ---- random statements ----


def columns_of(path, args):
    """{table: [(column, type)]} as the file's tables are declared."""
    names = [name for name, in rows("SELECT name FROM a.sqlite_schema WHERE type = 'table'", *args, path)]
    told = answers(["PRAGMA a.table_info(%s)" % name for name in names], *args, path)
    return {name: [(row["name"], row["type"]) for row in found] for name, found in zip(names, told)}


def stored(path, args, told):
    """`convert --to sqlite` has the rows of each table; {table: rows}."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "stored.db")
        common.run("convert", *args, "--tables", ",".join(told), "-o", file, path)
        base = sqlite3.connect(file)
        for table, given in told.items():
            columns = ", ".join('"%s"' % name for name in given[0]) if given else "*"
            got = base.execute("SELECT %s FROM %s ORDER BY rowid" % (columns, table)).fetchall()
            wanted = [tuple(row.values()) for row in given]
            # Functions are stored by number, and shown in the order in which they were met.
            order = (lambda found: sorted(found, key=repr)) if table == "functions" else list
            expect("%s of %s as a database" % (table, path), order(got), order(wanted))
        expect("integrity of " + path, base.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        base.close()


def imported(path, args, tables):
    base = sqlite3.connect(":memory:")
    told = answers(["SELECT * FROM %s" % table for table in tables], *args, path)
    stored(path, args, {table: given for table, given in zip(tables, told) if given is not None})
    for (table, columns), given in zip(tables.items(), told):
        base.execute("CREATE TABLE %s(%s)" % (table, ", ".join('"%s" %s' % column for column in columns)))
        base.executemany("INSERT INTO %s VALUES(%s)" % (table, ",".join("?" * len(columns))),
                         [tuple(row.values()) for row in given])
    return base


def literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def condition(rng, base, table, columns):
    name, kind = rng.choice(columns)
    values = [row[0] for row in base.execute('SELECT DISTINCT "%s" FROM %s ORDER BY 1 LIMIT 200' % (name, table))]
    value = rng.choice(values) if values else 1
    other = rng.choice(values) if values else 2
    if value is None:
        return '"%s" IS%s NULL' % (name, rng.choice(("", " NOT")))
    if kind == "INTEGER" and rng.random() < 0.3:
        value = value + rng.choice((-1, 1, 0.5, 10 ** 6))
    if kind == "INTEGER" and rng.random() < 0.1:
        value = str(value)
    choice = rng.randrange(8)
    if choice == 0:
        return '"%s" IN (%s, %s)' % (name, literal(value), literal(other))
    if choice == 1 and other is not None:
        return '"%s" BETWEEN %s AND %s' % (name, literal(value), literal(other))
    if choice == 2 and isinstance(value, str):
        return '"%s" LIKE %s' % (name, literal("%" + value[1:4] + "%"))
    return '"%s" %s %s' % (name, rng.choice(("=", "=", "<", "<=", ">", ">=", "<>")), literal(value))


def where(rng, base, table, columns):
    count = rng.choice((0, 1, 1, 2, 3))
    text = rng.choice((" AND ", " AND ", " OR ")).join(condition(rng, base, table, columns) for _ in range(count))
    return " WHERE " + text if text else ""


def sums_of_calls(rng, base, columns):
    """A statement that the table of calls adds up itself, or one that is nearly of that kind. (SQL, whether its order is given)"""
    numbers = [name for name, kind in columns if kind == "INTEGER"]
    keys = rng.sample(["process", "thread", "depth", "function", "name"], rng.choice((0, 1, 1, 1, 2, 3)))
    conditions = []
    for name in rng.sample(numbers, rng.choice((0, 0, 1, 2, 3))):
        values = [row[0] for row in base.execute('SELECT DISTINCT "%s" FROM calls WHERE typeof("%s") = \'integer\' ORDER BY 1 LIMIT 200'
                                                 % (name, name))] or [0]
        one, other = rng.choice(values + [-1, 2 ** 63 - 1, 10 ** 18 - 1]), rng.choice(values)
        conditions.append(rng.choice(('"%s" BETWEEN %d AND %d' % (name, other, one),
                                      '"%s" %s %d' % (name, rng.choice(("<", "<=", "=", ">", ">=", "<>")), one))))
    value = lambda: rng.choice(("count(*)", '%s("%s")' % (rng.choice(("count", "sum", "min", "max", "max", "total")), rng.choice(numbers))))
    shown = keys + [rng.choice(("%s", "%s", "%s * 2", "%s IS NULL", "CASE WHEN %s > 9 THEN 'x' END", "(%s)")) % value() + rng.choice(("", " AS n%d" % i))
                    for i in range(rng.randint(1, 4))]
    sql = "SELECT %s FROM calls%s%s" % (", ".join(shown), " WHERE " * bool(conditions), rng.choice((" AND ", " AND ", " OR ")).join(conditions))
    if not keys:
        return sql, False
    sql += " GROUP BY %s" % ", ".join(rng.sample(keys, len(keys)))
    if rng.random() < 0.3:
        sql += " HAVING %s > %d" % (rng.choice([value()] + keys), rng.randint(0, 99))
    if rng.random() < 0.5:
        return sql, False
    order = ", ".join(key + rng.choice(("", " DESC")) for key in rng.sample(keys, len(keys)))
    return sql + " ORDER BY %s LIMIT %d OFFSET %d" % (order, rng.randint(0, 20), rng.randint(0, 3)), True


WINDOWS = ("row_number() OVER (PARTITION BY {0} ORDER BY id)", "sum({1}) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)",
           "count(*) OVER (PARTITION BY {0})", "lag({1}, 2) OVER (PARTITION BY {0} ORDER BY id)")


def statement(rng, base, table, columns):
    """(SQL, whether its order is given)"""
    if table == "calls" and rng.random() < 0.4:
        return sums_of_calls(rng, base, columns)
    names = ['"%s"' % name for name, _ in columns]
    whole = where(rng, base, table, columns)
    numbers = ['"%s"' % name for name, kind in columns if kind == "INTEGER"]
    kind = rng.randrange(6 if table == "calls" else 5)
    if kind == 5:
        return "SELECT id, %s FROM calls%s" % (rng.choice(WINDOWS).format(rng.choice(names), rng.choice(numbers)), whole), False
    if kind == 0:
        return "SELECT %s FROM %s%s" % (", ".join(rng.sample(names, rng.randint(1, min(4, len(names))))), table, whole), False
    if kind == 1:
        chosen = ", ".join(rng.sample(names, rng.randint(1, min(3, len(names)))))
        return "SELECT DISTINCT %s FROM %s%s" % (chosen, table, whole), False
    if kind == 2:
        keys = ", ".join(rng.sample(names, rng.randint(1, min(3, len(names)))))
        value = rng.choice(numbers or names)
        return "SELECT %s, count(*), count(%s), sum(%s), min(%s), max(%s) FROM %s%s GROUP BY %s" % (
            keys, value, value if numbers else "1", value, value, table, whole, keys), False
    if kind == 3:
        keys = rng.sample(names, rng.randint(1, min(2, len(names))))
        order = ", ".join("%s%s" % (key, rng.choice(("", " DESC"))) for key in keys)
        # Only what the order decides can be compared, row by row.
        return "SELECT %s FROM %s%s ORDER BY %s LIMIT %d" % (", ".join(keys), table, whole, order, rng.randint(0, 20)), True
    value = rng.choice(numbers or names)
    return "SELECT count(*), sum(%s), min(%s), max(%s) FROM %s%s" % (value if numbers else "1", value, value, table, whole), False


JOINS = [
    "SELECT f.name, e.name, c.self FROM costs c JOIN functions f ON f.id = c.function JOIN events e ON e.name = c.event",
    "SELECT p.name, q.name, sum(a.calls) FROM arcs a JOIN functions p ON p.id = a.caller JOIN functions q "
    "ON q.id = a.callee GROUP BY p.name, q.name",
    "SELECT f.name, (SELECT count(*) FROM arcs a WHERE a.callee = f.id) FROM functions f",
    "SELECT c.id, p.function FROM contexts c LEFT JOIN contexts p ON p.id = c.parent AND p.event = c.event",
    "WITH RECURSIVE path(id, depth) AS (SELECT id, 0 FROM contexts WHERE parent IS NULL UNION SELECT c.id, path.depth + 1 "
    "FROM contexts c JOIN path ON c.parent = path.id) SELECT count(*), max(depth) FROM path",
    # Conditions that SQLite may answer by two indexes.
    "SELECT * FROM arcs WHERE caller = (SELECT max(callee) FROM arcs) OR callee = (SELECT max(callee) FROM arcs)",
    "SELECT count(*) FROM arcs WHERE caller = 1 OR callee = 1 OR callee = 2",
    "SELECT a.caller, b.callee FROM arcs a JOIN arcs b ON b.caller = a.callee OR b.callee = a.caller",
    "SELECT count(*) FROM contexts WHERE parent = 0 OR function = 1 OR id = 2",
    "SELECT l.part, p.thread, sum(l.self) FROM lines l JOIN parts p ON p.id = l.part GROUP BY l.part, p.thread",
]
CALL_JOINS = [
    "SELECT f.name, count(*), sum(c.duration) FROM calls c JOIN functions f ON f.id = c.function GROUP BY f.id",
    "SELECT name, thread, count(*), max(duration) FROM calls GROUP BY name, thread",
    "SELECT thread, depth, count(*) FROM calls GROUP BY thread, depth",
    "SELECT function, count(DISTINCT thread) FROM calls GROUP BY function",
    "SELECT count(*) FROM calls WHERE start >= (SELECT avg(start) FROM calls)",
    "SELECT p.name, count(*) FROM calls c JOIN calls p ON p.id = c.parent WHERE c.id < 200 GROUP BY p.name",
    # What SQLite may answer by reading the calls twice.
    "SELECT count(*), sum(self) FROM calls WHERE thread = (SELECT min(thread) FROM calls) OR start > (SELECT avg(start) FROM calls)",
    "SELECT count(*) FROM calls WHERE \"end\" > 100 OR start > 100 OR id = 3",
    "SELECT f.name, count(*) FROM calls c JOIN functions f ON f.id = c.function WHERE c.id = 3 OR c.depth = 1 GROUP BY f.name",
    "SELECT count(*) FROM calls a JOIN calls b ON b.id = a.parent OR b.start = a.start WHERE a.id < 40 AND b.id < 40",
    # What the table of calls compares itself, at the ends of its numbers.
    "SELECT count(*), sum(self) FROM calls WHERE duration > -5 AND self >= -9223372036854775807 AND depth < 9223372036854775807",
    "SELECT count(*) FROM calls WHERE duration < 0 OR thread < -9223372036854775807",
    "SELECT thread, count(*) FROM calls WHERE thread > -1 AND process <= 9223372036854775807 GROUP BY thread",
    "SELECT count(*), max(duration) FROM calls WHERE depth >= 1 AND depth <= 0",
    "SELECT id, parent FROM calls WHERE parent >= 1 AND id < 50 AND duration <> 1",
    "SELECT name, count(*) FROM calls WHERE name = (SELECT max(name) FROM calls) COLLATE NOCASE GROUP BY name",
    "SELECT function, count(*) FROM calls WHERE name = (SELECT min(name) FROM calls) AND depth > 0 GROUP BY function",
    "SELECT count(*) FROM calls WHERE name = 5 OR name = x'41'",
    "SELECT count(*) FROM calls WHERE name = (SELECT min(name) FROM calls) || char(0)",
    "SELECT count(*) FROM calls a, calls b WHERE a.id < 30 AND b.id < 40 AND b.duration > a.duration AND b.name = a.name",
]

# What a listing passes over, and where it ends.
LISTED = ["SELECT * FROM %s WHERE ordinal BETWEEN 10 AND 20", "SELECT * FROM %s WHERE ordinal < 12 AND address > 0",
          "SELECT ordinal FROM %s WHERE ordinal = 15 OR address = (SELECT max(address) FROM %s)",
          "SELECT count(*), min(ordinal), max(ordinal) FROM %s WHERE ordinal > 30 AND thread IS NOT NULL",
          "SELECT count(*) FROM %s WHERE ordinal <= 2.5 OR thread < 0", "SELECT count(*) FROM %s WHERE ordinal <= '14'"]


def compare(path, args, base, statements):
    for (sql, ordered), got in zip(statements, answers([sql for sql, _ in statements], *args, path)):
        if got is None:
            fail(path, "does not answer", sql)
            return
        got = [tuple(row.values()) for row in got]
        cursor = base.execute(sql)
        # A row is an object: of columns with one name the last one counts.
        names = [column[0] for column in cursor.description]
        wanted = [tuple(dict(zip(names, row)).values()) for row in cursor]
        if not ordered:
            got, wanted = sorted(got, key=repr), sorted(wanted, key=repr)
        expect("%s: %s" % (path, sql), got, wanted)


def short_streams(path, args):
    """The tables that are listings of the input, where they are not too long to be imported."""
    found = set()
    for table in sorted(STREAMS - {"calls"}):
        done = ask("SELECT count(*) AS count FROM %s" % table, *args, path, status=(0, 1, 2))
        if done.returncode < 2 and json.loads(done.stdout)[0]["count"] <= LINES:
            found.add(table)
    return found


def random_statements(path, args, has_calls, rng, number):
    left_out = STREAMS - short_streams(path, args) - ({"calls"} if has_calls else set())
    tables = {name: found for name, found in columns_of(path, args).items() if name not in left_out}
    base = imported(path, args, tables)
    filled = [table for table in tables if base.execute("SELECT count(*) FROM %s" % table).fetchone()[0]]
    statements = [(sql, False) for sql in JOINS + (CALL_JOINS if has_calls else [])]
    listings = [table for table in ("instructions", "accesses") if table in filled]
    statements += [(sql.replace("%s", table), False) for table in listings for sql in LISTED]
    for _ in range(number):
        table = rng.choice(filled + listings + (["calls"] * 4 if has_calls else []))
        statements.append(statement(rng, base, table, tables[table]))
    compare(path, args, base, statements)
    return len(statements)


# ---- what a statement may not do, and what is wrong with it ----

HOSTILE = [
    "ATTACH '/tmp/tracelathe-query-test' AS y", "CREATE TABLE t(a)", "CREATE TEMP TABLE t(a)", "DROP TABLE functions",
    "INSERT INTO functions(name) VALUES('x')", "UPDATE functions SET name = 'x'", "DELETE FROM functions", "VACUUM",
    "VACUUM INTO '/tmp/tracelathe-query-test'", "PRAGMA writable_schema = 1", "PRAGMA journal_mode", "BEGIN", "DETACH a",
    "SELECT load_extension('/tmp/x.so')", "SELECT readfile('/etc/passwd')", "SELECT writefile('/tmp/x', 'y')",
    "SELECT edit('x')", "CREATE VIEW v AS SELECT 1", "CREATE TRIGGER t AFTER INSERT ON x BEGIN SELECT 1; END",
    "CREATE VIRTUAL TABLE temp.t USING tracelathe(a, calls)", "ALTER TABLE functions RENAME TO x", "REINDEX", "ANALYZE",
    "SELECT zeroblob(1000000000)", "SELECT", "SELEC 1", "SELECT * FROM nowhere",
    "SELECT nothing FROM functions", "SELECT 'unterminated", "SELECT (" * 2000, "SELECT 1" + " + 1" * 5000,
    "SELECT * FROM c.functions", "SELECT * FROM tracelathe('/etc/passwd')",
]


def hostile(path):
    for sql in HOSTILE:
        done = ask(sql, path, status=(2,))
        if done.returncode == 2 and not done.stderr.startswith(b"tracelathe"):
            fail(sql, "is refused with", done.stderr)
    if os.path.exists("/tmp/tracelathe-query-test"):
        fail("a file was written")
    expect("statements before a wrong one", ask("SELECT 1 AS x; SELEC", path, status=(2,)).stdout, b'[{"x":1}]\n')
    expect("no statement", ask(" -- nothing\n;", path).stdout, b"")
    expect("NULL and text", rows("SELECT NULL AS a, 'x' || char(0) || 'y' AS b, 1.5 AS c, x'00ff' AS d", path),
           [(None, "x\0y", 1.5, "00ff")])
    expect("two files", rows("SELECT count(*) AS x, (SELECT count(*) FROM a.functions) AS y, (SELECT count(*) FROM functions) "
                             "AS z FROM b.functions", path, path)[0].count(rows("SELECT count(*) FROM functions", path)[0][0]), 3)
    return len(HOSTILE)


def interrupted(path):
    """An endless statement ends with the signal."""
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n, functions"
    running = subprocess.Popen([common.command(), "query", path, endless], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        running.communicate(timeout=0.5)
        fail("an endless statement ended by itself")
    except subprocess.TimeoutExpired:
        running.terminate()
        running.communicate(timeout=20)
        expect("the end of an endless statement", running.returncode, -15)


def whole_database(path, profile, folder):
    """All tables of a trace: also without rows, then `absent` says why; the same bytes each time."""
    files = [os.path.join(folder, name) for name in ("whole.db", "again.sqlite")]
    for file in files:
        common.run("convert", "-o", file, path)
    with open(files[0], "rb") as first, open(files[1], "rb") as second:
        if first.read() != second.read():
            fail("databases of", path, "differ")
    base = sqlite3.connect(files[0])
    names = sorted(name for name, in base.execute("SELECT name FROM sqlite_schema WHERE type = 'table'"))
    expect("tables of a database", names, sorted(
        [name for name, in rows("SELECT name FROM a.sqlite_schema WHERE type = 'table'", path)] + ["absent"]))
    expect("records of a database", base.execute("SELECT json FROM records").fetchall(), rows("SELECT json FROM records", path))
    expect("hidden columns", base.execute("SELECT id, cut, late FROM calls").fetchall(), rows("SELECT id, cut, late FROM calls", path))
    expect("absent tables", [name for name, in base.execute("SELECT name FROM absent ORDER BY 1")],
           ["accesses", "instructions", "samples"])
    for table, expected in (("calls", b"calls"), ("nothing", b"does not exist")):
        file = os.path.join(folder, "refused.db")
        done = subprocess.run([common.command(), "convert", "--to", "sqlite", "--tables", table, "-o", file, profile],
                              stderr=subprocess.PIPE)
        if done.returncode != 2 or expected not in done.stderr or os.path.exists(file):
            fail("convert --tables", table, "ends with", done.returncode, done.stderr)


def damaged(path, folder):
    """A cut log: the rows before it, status 1, and the place in `damage`."""
    cut = os.path.join(folder, "cut.xray")
    with open(path, "rb") as file:
        data = file.read()
    with open(cut, "wb") as file:
        file.write(data[:len(data) * 2 // 3])
    for sql in ("SELECT * FROM functions", "SELECT * FROM calls"):
        done = ask(sql, cut, status=(1,))
        if done.returncode == 1 and b"offset" not in done.stderr:
            fail(sql, "of a cut log says", done.stderr)
    places = [json.loads(line) for line in common.run("check", "--json", cut).splitlines()]
    got = rows("SELECT offset FROM damage WHERE status <> 'remark'", cut)
    file = os.path.join(folder, "cut.db")
    done = subprocess.run([common.command(), "convert", "-o", file, cut], stderr=subprocess.DEVNULL)
    expect("status of a database of a cut log", done.returncode, 1)
    expect("damage in a database", sqlite3.connect(file).execute(
        "SELECT offset FROM damage WHERE status <> 'remark'").fetchall(), got)
    if not got or not {offset for offset, in got} <= {place["offset"] for place in places}:
        fail("damage of", cut, "is", got, "check says", places)
    done = ask("SELECT * FROM functions", os.path.join(folder, "nowhere"), status=(2,))
    expect("a file that is not there", done.returncode, 2)


def damaged_inside(folder):
    """Bytes in the middle that make no sense: rows up to them and behind them are those of the whole log, status 1, and
    `damage` has the place."""
    path, broken = os.path.join(ROOT, "tests", "golden", "xray", "mt8-fdr.xray"), os.path.join(folder, "broken.xray")
    with open(path, "rb") as file:
        data = bytearray(file.read())
    place = len(data) // 2
    data[place:place + 200] = b"\xff" * 200
    with open(broken, "wb") as file:
        file.write(data)
    (at, length), = rows("SELECT offset, length FROM damage WHERE status <> 'remark'", broken, status=(1,))
    if not place <= at < place + 200 <= at + length:
        fail("damage at", place, "is told as", at, length)
    # Times are not compared: records in front of a clock that is lost have none.
    sql = "SELECT offset, kind, thread, cpu FROM records ORDER BY offset"
    whole, got = rows(sql, path, status=(0,)), rows(sql, broken, status=(1,))
    outside = [row for row in whole if row[0] < at or row[0] >= at + length]
    expect("rows up to damage and behind it", [row for row in got if row[0] < at or row[0] >= at + length], outside)
    expect("rows on both sides", (outside[0][0] < at, outside[-1][0] > at + length), (True, True))
    thread = next(row[2] for row in outside if row[0] >= at + length and row[2])
    expect("the same of one thread", rows(sql.replace("ORDER", "WHERE thread = %d ORDER" % thread), broken, status=(0, 1)),
           [row for row in got if row[2] == thread])
    for table in ("calls", "functions", "threads"):
        ask("SELECT * FROM " + table, broken, status=(1,))


# ---- traces ----


def golden(room, *suffixes):
    folder = os.path.join(ROOT, "tests", "golden", room)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(suffixes)]


def shared(folder, *suffixes):
    found = []
    for where, folders, names in os.walk(os.path.join(SHARED, "corpus", folder)):
        folders.sort()
        found += [os.path.join(where, name) for name in sorted(names) if name.endswith(suffixes)]
    return found


def traces():
    few = None if LONG else 1
    yield from shared("xray", ".xray")[:few and 2 * few]
    yield from golden("intel_pt", ".pt")[:few]
    yield from golden("perf", ".perf.data")[:few]
    yield from golden("callgrind", ".out", ".in")[:few and 2 * few]
    yield from shared("callgrind", ".out")[:few and 2 * few] if common.WHOLE else []
    yield from [p for p in shared("xtrace", "xinsndata.bin") if os.path.getsize(p) < 1 << 22][:few]


def readable(path):
    done = subprocess.run([common.command(), "report", "--csv", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.returncode < 2 and len(done.stdout) < 1 << 20


def other_format(path, rng):
    """Its tables are its reports, and random statements are answered as SQLite answers them."""
    if not functions(path, []):
        fail(path, "has no functions")
    sums(path, [])
    return random_statements(path, [], calls(path, []), rng, 200 if LONG else 12)


def other_formats(log, folder, rng):
    """Formats of which the corpus has nothing: as we write them, and by hand (gmon, text of perf script, and others)."""
    count = 0
    written = (("convert", "pprof", "pb.gz"), ("convert", "folded", "folded"), ("convert", "speedscope", "json"),
               ("convert", "tracelathe", "tlp"), ("timeline", "chrome", "json"), ("timeline", "perfetto", "pftrace"))
    for verb, target, suffix in common.some(written):
        path = os.path.join(folder, target + "." + suffix)
        common.run(verb, "--to", target, "-o", path, log)
        count += other_format(path, rng)
    for path in golden("xtrace", "insndata.bin")[:1]:
        count += other_format(path, rng)
    seeds = os.path.join(ROOT, "fuzz", "corpus")
    samples = os.path.join(seeds, "perf_data", "samples")
    if rows("SELECT count(*) FROM samples", samples) <= [(0,)]:
        fail(samples, "has no samples")
    functions(samples, [])
    sums(samples, [])
    count += random_statements(samples, [], False, rng, 200 if LONG else 12)
    for room in ("foreign", "gmon"):
        for name in common.some(sorted(os.listdir(os.path.join(seeds, room)))):
            count += other_format(os.path.join(seeds, room, name), rng)
    return count


def main():
    rng = random.Random(16)
    count, log, profile = 0, None, None
    for path in common.some(list(traces()), 2):
        if not readable(path):
            continue
        functions(path, [])
        sums(path, [])
        has_calls = calls(path, [])
        listings(path, [])
        if not has_calls or rows("SELECT count(*) FROM calls", path) < [(ROWS,)]:
            count += random_statements(path, [], has_calls, rng, 400 if LONG else 10 if common.SMALL else 60)
        if path.endswith(".xray") and has_calls and not log:
            log = path
        if not has_calls and not profile:
            profile = path
    with tempfile.TemporaryDirectory() as folder:
        count += hostile(log)
        count += other_formats(log, folder, rng)
        interrupted(log)
        damaged(log, folder)
        damaged_inside(folder)
        whole_database(log, profile, folder)
    ready(log)
    parked_calls()
    if len(sys.argv) > 2:
        extension(log, os.path.abspath(sys.argv[2]))
    else:
        print("skipped: the extension, as sqlite3 cannot load it with a sanitizer")
    common.finish(count, "statements")


if __name__ == "__main__":
    main()
