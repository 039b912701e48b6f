# A database of the tables, which any SQLite reads, has the rows that a query has.
# Needs: SQLite
log=$GOLDEN/xray/args-fdr.xray
tracelathe convert --to sqlite -o all.db $log
tracelathe convert --to sqlite --tables functions,calls -o some.db $log
python3 - <<'PYTHON'
import sqlite3
for name in "all.db", "some.db":
    database = sqlite3.connect(name)
    tables = sorted(row[0] for row in database.execute("select name from sqlite_master where type = 'table'"))
    print(name, len(tables), "functions" in tables and "calls" in tables)
PYTHON
for table in functions calls events arcs threads; do
	columns=$(python3 -c 'import sqlite3, sys
print(", ".join("\"%s\"" % c[1] for c in sqlite3.connect("all.db").execute("pragma table_info(%s)" % sys.argv[1])))' $table)
	tracelathe query --csv $log "select $columns from $table" >rows
	python3 - $table <<'PYTHON'
import csv, sqlite3, sys
rows = sqlite3.connect("all.db").execute("select * from %s" % sys.argv[1])
stored = [["" if value is None else str(value) for value in row] for row in rows]
print(sys.argv[1], len(stored) > 0, sorted(stored) == sorted(list(csv.reader(open("rows")))[1:]))
PYTHON
done
tracelathe convert --to sqlite --tables nothing -o none.db $log 2>&1 | sed "s,$GOLDEN/,,"
tracelathe convert --to sqlite $log | head -c 15; echo
# It is made in a temporary file, which needs no TMPDIR.
TMPDIR= tracelathe convert --to sqlite $log | head -c 15; echo
env -u TMPDIR tracelathe convert --to sqlite $log | head -c 15; echo
tracelathe convert --to sqlite -o none.db none.xray; echo $?
ls none.db 2>/dev/null
