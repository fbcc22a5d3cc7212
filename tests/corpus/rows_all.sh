# Every row of the model at every P in its domain up to 64, and powers of two and squares up to
# 1,024: R, W, C and bounds.
# timeout: 1200
# slow
"$BUILD/tests/tools/model_grid"
