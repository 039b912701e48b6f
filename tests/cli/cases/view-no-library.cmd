# The library of the server is opened when it is wanted: where it does not work, `view` says so, and everything else works.
mkdir broken && : >broken/libmicrohttpd.so.12 && : >broken/libmicrohttpd.so
export LD_LIBRARY_PATH=$PWD/broken
tracelathe view --no-open $GOLDEN/xray/mt8-fdr.xray 2>said
echo "status $?"
sed 's/libmicrohttpd is not installed/(why)/; s/this tracelathe was built without libmicrohttpd/(why)/' said
tracelathe view --static -o page.html $GOLDEN/xray/mt8-fdr.xray && head -c 15 page.html && echo
