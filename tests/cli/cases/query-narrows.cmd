# Conditions on a listing narrow it, and leave the rows that a dump has: each is held against the same selection of
# `dump --json`.
# Needs: SQLite
log=$GOLDEN/xray/custom-fdr.xray
tracelathe dump --json $log >records
at=$(jq -s '.[60].offset' records)
for condition in "offset <= $at" "offset < $at" "offset >= $at" "offset > $at" "offset = $at" "offset between 1300 and $at" \
	"offset = $at + 0.5" "offset is null" "offset in ($at, 1300, 32)"; do
	tracelathe query --csv $log "select offset from records where $condition" | tail -n +2 >rows
	python3 - "$condition" rows <<'PYTHON'
import json, sys
import sqlite3
table = sqlite3.connect(":memory:")
table.execute("create table records(offset)")
table.executemany("insert into records values (?)", [[json.loads(line)["offset"]] for line in open("records")])
wanted = [str(row[0]) for row in table.execute("select offset from records where %s order by 1" % sys.argv[1])]
rows = sorted(open(sys.argv[2]).read().split(), key=int)
print(sys.argv[1].replace(open("records").readlines()[60].split(",")[0].split(":")[1], "AT"), len(wanted), rows == wanted)
PYTHON
done
for column in kind thread time; do
	tracelathe query --csv $log "select $column, count(*) from records where $column is not null group by 1 order by 1" | tail -n +2 | wc -l
done
tracelathe query --csv $log 'select count(*) from records' | tail -n 1
jq -s length records
# Accesses of a stream: as many as the analysis of caches counts, but for the store over the border of two lines.
trace=$GOLDEN/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin
tracelathe query --csv $trace 'select write, count(*) from accesses group by 1 order by 1'
tracelathe analyze --cache --json $trace | jq -c '[.cache[] | select(.level == "L1D") | [.access, .accesses]]'
