# A reader that goes away (`| head`) is no news: nothing is said, the status is 2. The reader is gone before the first
# byte is written, as the writer waits until it can see that.
mkfifo gone
{ until [ -e left ]; do sleep 0.05; done; tracelathe help report; echo $? >status; } >gone &
: <gone
touch left
wait
cat status
