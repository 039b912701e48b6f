# What is no command is told so, with all there are; near misses are guessed. The list itself is that of the overview.
commands=$(tracelathe help | sed -n 's/^  \([a-z]*\)   *[a-z].*/\1/p' | paste -sd, | sed 's/,/, /g')
for command in sliced record nonsense repotr cnovert; do
	tracelathe $command x 2>err
	echo "$? $(sed "s/$commands/ALL/" err)"
done
tracelathe help record 2>err
echo "$? $(sed "s/$commands/ALL/" err)"
