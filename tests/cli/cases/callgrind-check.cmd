# `check` of several files names the file of each violation, with its line and offset (those of grep), as text and as JSON;
# a remark is no damage. One file is not named.
printf '# callgrind format\nevents: Ir\nfn=f\n1 2\nnonsense\ntotals: 2\n' >one
printf '# callgrind format\n events: Ir\nfn=g\n1 4\ntotals: 5\n' >two
tracelathe check one two
echo "status $?"
tracelathe check --json one two | python3 -c '
import json, subprocess, sys
for line in sys.stdin:
    v = json.loads(line)
    offset = subprocess.run(["grep", "-b", "-n", "", v["file"]], stdout=subprocess.PIPE, text=True).stdout.splitlines()[v["record"] - 1]
    print(v["file"], v["rule"], v["damage"], offset.split(":")[:2] == [str(v["record"]), str(v["offset"])])'
cat one | tracelathe check - 2>&1
echo "status $?"
