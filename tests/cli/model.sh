# The command `model`: lists, rankings, networks, runs, a plot, and everything it must refuse.
# expected
refuse() {
    crosswait model "$@" >/dev/null 2>message
    status=$?
    echo "exit $status: model $*"
    sed 's/^/    /' message
}
crosswait model | awk 'NR > 1 && $1 ~ /\./ && !/^ /' | wc -l
crosswait model --collective=scan
crosswait model -c bcast -p 64
crosswait model -c allgather -p 16 -t mesh:4x4 -n 10..1000
crosswait model -t mesh:4x4 --properties
crosswait model -t torus:2x2x2 --properties
crosswait model --run=alltoall.pairwise_xor -p 16 -t hypercube -n 10
crosswait model --run=alltoall.pairwise_xor -p 16 -t ring -n 10 | grep -E 'words W|keeps|shared'
crosswait model --run=allgather.line -p 8 -t line --half-duplex -n 5 |
    grep -E 'rounds|words W|keeps'
crosswait model --run=bcast.kary --parameter=3 -p 9 --port=bsp -n 5000 |
    grep -E 'time|superstep|words|keeps'
crosswait model --run=bcast.kary --parameter=3 -p 10 --port=bsp -n 5 | head -5
crosswait model --run=bcast.binomial -p 8 --port=bsp | sed -n 2,3p
crosswait model -c bcast -p 64 --plot=plot.svg >/dev/null
grep -c '<circle' plot.svg
python3 -c 'import xml.dom.minidom as dom; print(dom.parse("plot.svg").documentElement.tagName)'
refuse --alpha=-1 -c bcast -p 4
refuse --beta=nan -c bcast -p 4
refuse --word=0 -c bcast -p 4
refuse -t mesh -p 7 --properties
refuse -t hypercube -p 6 --properties
refuse -t complete-tree -p 8 --properties
refuse -t mesh:4x4 -p 15 --properties
refuse -t klein -p 4 --properties
refuse --run=bcast.hypercube -p 6
refuse --run=bcast.hypercube -p 8 --root=3
refuse --run=bcast.fast -p 8
refuse --run=bcast.binomial
refuse --run=bcast.kary -p 8
refuse --explain=bcast.fast
refuse --explain=bcast.binomal
refuse --explain=bcast.hypercube -p 6
refuse --explain=bcast.linear -p 70 --format=svg
refuse --explain=bcast.linear --format=png
refuse --explain=bcast.linear -n 1..8
refuse --explain=bcast.linear -o missing/figure.svg
refuse -c bcast -p 4 -o figure.svg
refuse -c bcst
refuse -c scan -p 6
refuse -c bcast -p 0
refuse -c bcast -p 8 -n 9..1
refuse -c bcast -p 8 -n 1e13
refuse -c bcast -p 8 --port=bsp
refuse --properties
refuse --measure=missing.db
refuse -c bcast -p 4 --plot=missing/plot.svg
refuse stray
refuse -c broadcast -p 4
crosswait model --help | head -6
