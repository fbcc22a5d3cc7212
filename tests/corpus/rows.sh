# Every row of the model has an implementation, and every implementation that claims a row names an
# existing one.
# timeout: 30
crosswait model | awk '/^[a-z_]+\.[a-z_.]+ / { print $1 }' | sort -u >model
mpirun -n 1 "$BUILD/tests/corpus/verify_collectives" --list-rows >claims
awk '{ print $1 }' claims | sort -u >corpus
comm -23 model corpus | sed 's/^/no implementation of /'
comm -13 model corpus | sed 's/^/no row in the model: /'
# and the file is named after the row
while read -r row name; do
    case $name in
        cw_*) [ -e "$SOURCE/corpus/collectives/${row//./_}.c" ] || echo "no file for $row" ;;
    esac
done <claims >files
cat files
[ -s model ] && cmp -s model corpus && [ ! -s files ] && echo "every row is implemented"
