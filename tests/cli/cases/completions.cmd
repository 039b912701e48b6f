# Completions know every command and every option of it; bash, where there is one, runs its own.
for shell in bash zsh fish; do
	tracelathe help --completion $shell >script || echo "$shell: status $?"
	for word in info check dump report tree stacks flame timeline convert annotate diff merge analyze record threshold completion; do
		grep -q -e "$word" script || echo "$shell: no $word"
	done
done
command -v zsh >/dev/null && { tracelathe help --completion zsh >script; zsh -n script; }
command -v fish >/dev/null && { tracelathe help --completion fish >script; fish -n script; }
command -v bash >/dev/null || exit 0
tracelathe help --completion bash >script
cat >ask <<'END'
. ./script
complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tracelathe; echo "${COMPREPLY[*]}" >>answers; }
complete_words tracelathe c
complete_words tracelathe tree --cal
complete_words tracelathe report --cal
complete_words tracelathe timeline --to p
complete_words tracelathe dump --order ""
complete_words tracelathe help r
complete_words tracelathe report --sort p
complete_words tracelathe diff --sort p
complete_words tracelathe tree --event I
complete_words tracelathe tree --event Ticks,I
complete_words tracelathe merge --to c
complete_words tracelathe convert --to x
complete_words tracelathe report --format x
complete_words tracelathe annotate --source-dir s
complete_words tracelathe report -o so
END
mkdir sources
bash ask
cat >wanted <<'END'
check convert
--callers --callees

perfetto
time file
report record
p90 p99
percent
Ir I1mr ILmr
Ticks,Ir Ticks,I1mr Ticks,ILmr
callgrind cachegrind csv
xray xtrace
xray xtrace
sources
sources
END
diff wanted answers
