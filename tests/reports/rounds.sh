# expected
# timeout: 120
# Uses the page that plays a row's rounds in a browser like a person: as many messages move as the
# round has, each away from its sender; the line beside the buttons describes what is shown.
crosswait model --explain=bcast.binomial --ranks=4 -o tree.html
crosswait model --explain=allgather.hypercube.pack --ranks=4 --words=2 -o exchange.html
/usr/bin/python3 "$SOURCE/tests/reports/rounds.py" tree.html exchange.html
