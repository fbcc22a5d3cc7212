# slow
# Searches further programs through the real MPI library: see jobs.sh.
# timeout: 900
programs="getstatus general exclusive lockorder overtaken probe iprobe procnull ticket"
. "$SOURCE/tests/explore/jobs.sh"
