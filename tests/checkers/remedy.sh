# Remedies are offered as proven only where they were tried: random programs, with the change made.
# timeout: 200
python3 "$SOURCE/tests/checkers/remedy.py" "${SEED:-11}" 24
