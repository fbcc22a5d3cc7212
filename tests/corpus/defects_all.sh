# slow
# timeout: 300
# Runs every planted defect on real ranks: see defects.sh.
all=1
. "$SOURCE/tests/corpus/defects.sh"
