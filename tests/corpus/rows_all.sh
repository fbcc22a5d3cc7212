# Checks R, W, C and bounds of every row of the model at every P in its domain up to 64, and at
# powers of two and squares up to 1,024.
# timeout: 1200
# slow
"$BUILD/tests/tools/model_grid"
