# slow
# timeout: 400
# What check calls proven, made in the source of more random programs than in remedy.sh.
exec python3 "$SOURCE/tests/checkers/remedy.py" "${SEED:-21}" 48
