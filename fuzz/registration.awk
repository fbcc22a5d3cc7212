# Reads lines "KIND: ARGUMENTS", then clang's messages on a file. Prints a sentence for each line
# that registers a function with an unknown kind or a wrong signature. Prints nothing and exits with
# status 1 if clang found any other error. Variable: kinds, all known kinds, separated by blanks.
FNR == NR {
    colon = index($0, ": ")
    signature[substr($0, 1, colon - 1)] = substr($0, colon + 2)
    next
}

function base_of(kind)
{
    if (kind in signature)
        return kind
    if (kind ~ /_init$/ && substr(kind, 1, length(kind) - 5) in signature)
        return substr(kind, 1, length(kind) - 5)
    if (kind ~ /^i/ && substr(kind, 2) in signature)
        return substr(kind, 2)
    return ""
}

function arguments_of(kind, steps,    base, text)
{
    base = base_of(kind)
    text = signature[base]
    gsub(/ +/, " ", text)
    gsub(/\* /, "*", text)
    sub(/ $/, "", text)
    if (steps)
        return text ", void **out_state"
    if (base == kind)
        return text
    return text (kind ~ /_init$/ ? ", MPI_Info info" : "") ", MPI_Request *request"
}

# Returns the name that begins in a column.
function name_at(line, column,    rest)
{
    rest = substr(line, column)
    match(rest, /^[A-Za-z0-9_:]+/)
    return substr(rest, 1, RLENGTH)
}

/: error: / {
    split($0, part, ":")
    place = part[1] ":" part[2]
    column = part[3]
    message = $0
    sub(/^.*: error: /, "", message)
    getline source
    sub(/^ *[0-9]+ \| /, "", source) # newer versions of clang number the lines
    if (source !~ /^[ \t]*(COLLECTIVE|DEFECT)[A-Z_]*\(/) {
        other = 1
        exit
    }
    kind = source
    sub(/^[^(]*\([ \t]*/, "", kind)
    sub(/[ \t]*,.*/, "", kind)
    if (place in told)
        next
    if (base_of(kind) == "" && message ~ /collective_kind_/) {
        meant = ""
        if (message ~ /did you mean 'collective_kind_/) {
            meant = message
            sub(/.*did you mean 'collective_kind_/, "", meant)
            sub(/'.*/, "", meant)
            meant = " (is it " meant "?)"
        }
        told[place] = 1
        text = text place ": '" kind "' is no kind of collective" meant \
            "; the kinds, each also as iKIND and KIND_init: " kinds "\n"
        next
    }
    if (base_of(kind) != "" && message ~ /function pointer types initializing|member subobject/) {
        told[place] = 1
        name = name_at(source, column)
        text = text place ": '" name "' has not the signature of '" kind "': int " name "(" \
            arguments_of(kind, source ~ /^[ \t]*COLLECTIVE_STEPS/) ")\n"
        next
    }
    other = 1
    exit
}

END {
    if (other || text == "")
        exit 1
    printf "%s", text
}
