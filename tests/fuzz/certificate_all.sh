# slow
# timeout: 300
# All certificates of corpus/collectives are valid, up to 3 and 4 ranks.
"$BUILD"/fuzz/corpus --certificate="$SOURCE/corpus/collectives/certificates.txt" >held
echo "exit $?, $(grep -c ^holds: held) hold, $(grep -vc ^holds: held) do not"
