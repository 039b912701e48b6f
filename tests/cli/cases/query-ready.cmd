# Ready queries by name, before the files or behind them, from folders of one's own; --list shows what their first line
# says. Statements from standard input. The trace is golden/xray/fib-fdr.xray; its functions have no names here.
# Needs: SQLite
log=$GOLDEN/xray/fib-fdr.xray
mkdir one two config
printf -- '-- how many functions\nselect count(*) as n from functions\n' >one/mine.sql
printf -- '-- hidden by the first folder\nselect 0\n' >two/mine.sql
printf 'select count(*) as calls from calls' >two/count.sql
echo 'not one' >two/text
mkdir -p "$XDG_CONFIG_HOME/tracelathe/queries"
printf -- '-- of my own\nselect 7 as seven\n' >"$XDG_CONFIG_HOME/tracelathe/queries/own.sql"
export TRACELATHE_QUERIES=$PWD/one::$PWD/two:$PWD/none
tracelathe query --list | grep -E '^(mine|count|own|text|functions) '
for name in mine count own; do
	tracelathe query --csv $name $log
	tracelathe query --csv $log $name | tail -n 1
done
# A file of the name is that file; a name with a path is none.
cp $log mine
tracelathe query --csv mine 'select count(*) > 0 as it from calls' && rm mine
tracelathe query --csv two/count $log; echo $?
echo 'select 1 as one; select 2 as two' | tracelathe query --csv $log -
echo 'select 3 as three' | tracelathe query --csv $log
printf 'select 1\0' | tracelathe query $log; echo $?
tracelathe query $log </dev/null; echo $?
