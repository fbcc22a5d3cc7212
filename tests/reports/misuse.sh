# timeout: 120
# Misuse of four rules on more ranks than a terminal lists: every format reports the same.
mpicc -g -O0 -o misuse "$SOURCE/tests/reports/misuse.c" || exit 1
crosswait run -o misuse.db -- mpirun -n 18 ./misuse >run.txt 2>&1
[ $? = 1 ] || { echo "run: exit status is not 1"; cat run.txt; exit 1; }
for format in text html json sarif junit; do
    crosswait report --format=$format -o misuse.$format misuse.db
    [ $? = 1 ] || { echo "$format: exit status is not 1"; exit 1; }
done
crosswait check --list >list.txt
/usr/bin/python3 "$SOURCE/tests/reports/misuse.py" || exit 1
# A rule and its checker can be asked for alone, as the finding says.
for name in argument buffer request leak usage; do
    crosswait check --only=$name misuse.db >only.txt
    sqlite3 misuse.db "SELECT '$name', group_concat(DISTINCT rule) FROM finding" >>asked.txt
done
diff - asked.txt <<'END' || exit 1
argument|argument
buffer|buffer
request|request
leak|leak
usage|argument,buffer,request,leak
END
# A name that is not UTF-8 leaves every format readable.
name=$'mis\xe9'
cp misuse "$name"
crosswait record -o latin.db -- mpirun -n 1 "./$name" >/dev/null 2>&1
for format in json sarif junit; do crosswait report --format=$format -o latin.$format latin.db; done
/usr/bin/python3 - <<'END'
import json, xml.etree.ElementTree as xml

assert "mis\N{REPLACEMENT CHARACTER}" in json.load(open("latin.json"))["job"]["command"]
json.load(open("latin.sarif"))
assert any(
    "mis\N{REPLACEMENT CHARACTER}" in value.get("value")
    for value in xml.parse("latin.junit").iter("property")
)
END
