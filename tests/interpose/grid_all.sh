# slow
# timeout: 1500
# Checks the messages inside collectives: every algorithm of every operation of coll/tuned,
# coll/basic, coll/libnbc and coll/sync, P = 2 to 9.
. "$SOURCE/tests/interpose/grid.bash"
LIMIT=400
for op in $inside; do
    cases=($(algorithms $op 2-9))
    [ ${#cases[@]} -ge 2 ] || { echo "$op: no algorithms are known"; exit 1; }
    tuned $((8 * ${#cases[@]} / 2)) 9 "${cases[@]}" 1 1000 20000
done
tuned_outside 9 2-9 1 1000 20000
sized() { for op in $operations; do echo "$1$op@2-9"; done; }
one 150 9 $(sized i) 1 1000 20000
OMPI_MCA_coll=self,basic,libnbc one 100 9 $(sized "") 1 1000
OMPI_MCA_coll=self,basic,libnbc,tuned,sync,inter OMPI_MCA_coll_sync_priority=95 \
    OMPI_MCA_coll_sync_barrier_before=1 one 50 9 $(sized "") 7
echo "$total cases"
