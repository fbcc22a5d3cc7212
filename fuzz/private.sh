#!/bin/sh
# usage: private.sh OBJECT...  Moves the global variables of each object into the section that replay/inproc/private.c gives
# every rank a copy of. Constants, and what sanitizers and coverage keep, stay where they are.
set -eu
for object in "$@"; do
    arguments=
    for section in $(objdump -h -w "$object" | awk '$2 ~ /^\.(data|bss)(\.|$)/ && $2 !~ /\.ro(\.|$)/ {print $2}' | sort -u); do
        arguments="$arguments --set-section-flags $section=alloc,load,data,contents"
        arguments="$arguments --rename-section $section=crosswait_private,alloc,load,data,contents"
    done
    [ -z "$arguments" ] || objcopy $arguments "$object"
done
