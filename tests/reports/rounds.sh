# expected
# timeout: 120
# The page that plays a row's rounds, used as a person does, in a browser: as many messages move as
# the round has, each away from its sender; the line beside the buttons speaks of what is shown.
crosswait model --explain=bcast.binomial --ranks=4 -o tree.html
crosswait model --explain=allgather.hypercube.pack --ranks=4 --words=2 -o exchange.html
/usr/bin/python3 "$SOURCE/tests/reports/rounds.py" tree.html exchange.html
