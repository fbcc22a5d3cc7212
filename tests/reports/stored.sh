# timeout: 300
# A report of a checked trace renders the stored findings: byte by byte the same as checking it
# again, in every format.
P=$BUILD/corpus/programs
same() { # name ranks program...
    crosswait run --confirm=0 -o $1.db -- mpirun -n "${@:2}" >/dev/null 2>&1
    crosswait check -q $1.db
    for format in text html json sarif junit dot perfetto goal; do
        crosswait report --format=$format $1.db >kept.$format 2>said.$format
        echo "$?" >>kept.$format
        crosswait report --recheck --format=$format $1.db >again.$format 2>/dev/null
        echo "$?" >>again.$format
        cmp kept.$format again.$format || echo "$1, $format: not the same"
        [ ! -s said.$format ] || cat said.$format
    done
}
same quiz 2 $P/quiz
same quiz_fixed 2 $P/quiz_fixed
same stencil 4 $P/stencil
same farm 4 $P/farm
same matvec 4 $P/matvec
same shift6 6 $P/shift6
same roots_differ 3 $P/roots_differ
same calls_rma 2 $P/calls_rma
same wildcard_order 3 $P/wildcard_order
same polling 1 $BUILD/tests/interpose/polling count mixed 2000
# Verbose text too; and what was never checked as a whole, or bore another name, is checked, and
# that is said.
crosswait report -v quiz.db >kept; crosswait report -v --recheck quiz.db | cmp - kept
crosswait record -o never.db -- mpirun -n 2 $P/quiz_fixed >/dev/null 2>&1
crosswait report never.db 2>&1 >/dev/null
crosswait check -q --only=usage never.db; crosswait report never.db 2>&1 >/dev/null
crosswait check -q never.db; crosswait report never.db 2>&1 >/dev/null
mv never.db moved.db; crosswait report moved.db 2>&1 >/dev/null
# A whole path leads to the trace from anywhere: it holds for other names of the same file.
crosswait check -q "$PWD/moved.db"; crosswait report moved.db 2>&1 >/dev/null
ln -s "$PWD" linked; crosswait report linked/moved.db 2>&1 >/dev/null
cp moved.db copied.db; crosswait report copied.db 2>&1 >/dev/null
# What another one wrote into the table is not believed.
crosswait check -q quiz.db; sqlite3 quiz.db "update finding set json = '{}'"
crosswait report quiz.db 2>&1 >after; crosswait report --recheck quiz.db | cmp - after
