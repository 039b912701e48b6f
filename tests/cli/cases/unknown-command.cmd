# Commands of later versions are unknown; near misses are guessed.
for command in annotate diff merge slice record nonsense repotr cnovert; do
	tracelathe $command x
	echo $?
done
tracelathe help slice
