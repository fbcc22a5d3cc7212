# slow
# expected
# timeout: 400
# Runs refused.sh with every policy and format on each record.
swept_handlers="return fatal"
. "$SOURCE/tests/checkers/refused.sh"
