# Nothing can be written by a statement; what is wrong with one is said with its own words.
# Needs: SQLite
log=$GOLDEN/xray/custom-fdr.xray
for sql in 'create table x(a)' 'insert into functions values (1)' 'delete from calls' 'drop table calls' \
	"attach 'x.db' as x" 'pragma journal_mode = wal' 'pragma writable_schema = 1' "vacuum into 'x.db'" \
	"select load_extension('x')" 'select nothing from functions' 'select 1 from' 'select * from b.functions' 'begin'; do
	tracelathe query $log "$sql" >out 2>err
	echo "$? $(wc -c <out) $(sed "s,$GOLDEN,GOLDEN,g; s/^tracelathe[^:]*: //" err | head -n 1)"
done
ls x.db 2>/dev/null
# A pragma that says what tables have is none that writes.
tracelathe query --csv $log 'pragma table_info(arcs)' | cut -d, -f2,3
# All kinds of values: bytes, reals, texts, numbers, and none.
tracelathe query --csv $log "select typeof(id), typeof(name), typeof(line) from functions limit 1"
tracelathe query --json $log "select 0.5 as half, x'00ff' as bytes, null as none, 'a\"b' as text, -7 as number"
tracelathe query --csv $log "select 0.5 as half, x'00ff' as bytes, null as none, 'a\"b,c' as text, -7 as number"
tracelathe query $log "select 0.5 as half, null as none, 'two words' as text, -7 as number"
