# An index of calls that is kept in a file (--index): pages that are made of it have the same answers, calls and names, and it is not
# written anew; for another input it is. Of xtrace its functions are kept with it.
trace=$GOLDEN/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin
page() { tracelathe view --static --index kept -o "$1" "$2"; echo "status $?"; }
page made.html "$trace"
ls -i kept >before
page read.html "$trace"
ls -i kept | cmp - before && echo "the same file"
tracelathe view --static --no-index -o none.html "$trace"; echo "status $?"
cat >compare.py <<'EOF'
import json, re
def parts(name):
    page = open(name, encoding="utf-8").read()
    found = dict(re.findall(r'<script id="([^"]+)"[^>]*>(.*?)</script>', page, re.S))
    answers = json.loads(found.pop("answers"))
    for file in answers["/api/state"]["files"]:
        for track in file["tracks"]:
            del track["index_bytes"]  # memory, as tables grow
    return found, answers
made, read, none = (parts(name + ".html") for name in ("made", "read", "none"))
print(made == read, made == none, len(made[1]) > 3, sum(t["calls"] for t in made[1]["/api/state"]["files"][0]["tracks"]))
EOF
python3 compare.py
tracelathe dump --calls --json "$trace" | wc -l
page other.html "$GOLDEN/xray/mt8-fdr.xray"
ls -i kept | cmp -s - before || echo "another file"
