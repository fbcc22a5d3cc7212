# slow
# timeout: 300
programs="collectives errors p2p rma" . "$SOURCE/tests/world/shims.sh"
