# slow
# expected
# timeout: 400
# With every policy and format on each record.
swept_handlers="return fatal"
. "$SOURCE/tests/checkers/refused.sh"
