"""Translates the bodies of exam.py, which are written in a small part of C, to Fortran: with `use
mpi`, `include 'mpif.h'` or `use mpi_f08`. The role of an argument in interpose/calls.table gives
its form in Fortran. A body that uses other parts of C raises NotFortran and is not translated."""
import re

KINDS = {
    "MPI_Comm": "comm",
    "MPI_Request": "request",
    "MPI_Status": "status",
    "MPI_Message": "message",
    "MPI_Group": "group",
    "MPI_Datatype": "datatype",
    "MPI_Op": "op",
    "MPI_Win": "win",
    "MPI_File": "file",
    "MPI_Info": "info",
    "MPI_Errhandler": "errhandler",
    "int": "int",
    "MPI_Aint": "aint",
}
NULLS = {
    "comm": "MPI_COMM_NULL",
    "request": "MPI_REQUEST_NULL",
    "message": "MPI_MESSAGE_NULL",
    "group": "MPI_GROUP_NULL",
    "win": "MPI_WIN_NULL",
    "datatype": "MPI_DATATYPE_NULL",
    "op": "MPI_OP_NULL",
    "file": "MPI_FILE_NULL",
    "info": "MPI_INFO_NULL",
    "errhandler": "MPI_ERRHANDLER_NULL",
}
NAMES = {"MPI_INT": "MPI_INTEGER", "MPI_FLOAT": "MPI_REAL", "MPI_DOUBLE": "MPI_DOUBLE_PRECISION"}
# The prelude's variables: kind, bounds.
VARIABLES = {
    "rank": "int",
    "size": "int",
    "o": "int",
    "k": "int",
    "b": "int[4096]",
    "r": "int[4096]",
    "cnt": "int[4]",
    "dsp": "int[4]",
    "one": "int[1]",
    "dims": "int[16]",
    "per": "logical[16]",
    "neg": "int[4]",
    "big": "character[65536]",
    "p": "pointer",
    "q": "request",
    "q2": "request",
    "qq": "request[4]",
    "s": "status",
    "ss": "status[4]",
    "m": "message",
    "c": "comm",
    "c2": "comm",
    "g": "group",
    "g2": "group",
    "t": "datatype",
    "t2": "datatype",
    "tt": "datatype[4]",
    "op": "op",
    "w": "win",
    "f": "file",
    "info": "info",
    "eh": "errhandler",
    "aint": "aint[4]",
    "flag": "logical",
    "nothing": "nothing",
}
LOGICAL = {"flag", "reorder", "commute", "periods", "remain_dims", "weighted"}
LISTS = {"ints", "nints", "aints", "outs", "counts", "weights"}
NOT_HERE = {
    "Keyval_create",
    "Keyval_free",
    "Alloc_mem",
    "Free_mem",
}  # removed from mpi_f08, or needs pointers

# Open MPI's Fortran binding implements these itself, or fails before it calls the C interface: with
# a negative count, a freed communicator.
UNSEEN = re.compile(
    r"MPI_\w*(_create_keyval|_get_attr|_set_attr|_create_errhandler)|MPI_Waitall\(-1"
    r"|MPI_Alltoallw\(.*,c2\)"
)

HEAD = """{module}
implicit none
interface
  subroutine usleep(n) bind(C)
    use iso_c_binding, only: c_int
    integer(c_int), value :: n
  end subroutine
end interface
integer :: ierr = 0, i_, met = 0
"""
PROCEDURES = """contains
subroutine meet()
  integer mine, now
  !$omp atomic capture
  met = met + 1
  mine = met
  !$omp end atomic
  do
    !$omp atomic read
    now = met
    if (now >= mine + mod(mine, 2)) exit
    call usleep(100)
  end do
end subroutine
"""
USER = {
    "mpi": """subroutine fun(a, b, n, t)
  integer n, t
  integer a(n), b(n)
  b = b + a
end subroutine
subroutine ehf(c, e)
  integer c, e
end subroutine
""",
    "f08": """subroutine fun(a, b, n, t)
  use iso_c_binding
  type(c_ptr), value :: a, b
  integer n
  type(MPI_Datatype) t
  integer, pointer :: x(:), y(:)
  call c_f_pointer(a, x, [n])
  call c_f_pointer(b, y, [n])
  y = y + x
end subroutine
subroutine ehf(c, e)
  type(MPI_Comm) c
  integer e
end subroutine
""",
}
CALLED_BACK = """subroutine queried(extra, s, e)
  integer(MPI_ADDRESS_KIND) extra
  STATUS s
  integer e
  call MPI_Status_set_elements(s, MPI_INTEGER, 3, e)
  call MPI_Status_set_cancelled(s, .false., e)
end subroutine
subroutine released(extra, e)
  integer(MPI_ADDRESS_KIND) extra
  integer e
  e = MPI_SUCCESS
end subroutine
subroutine cancelled(extra, complete, e)
  integer(MPI_ADDRESS_KIND) extra
  logical complete
  integer e
  e = MPI_SUCCESS
end subroutine
subroutine copied(c, key, extra, from, to, done, e)
  COMM c
  integer key, e
  integer(MPI_ADDRESS_KIND) extra, from, to
  logical done
  to = from + 1
  done = .true.
  e = MPI_SUCCESS
end subroutine
subroutine deleted(c, key, value, extra, e)
  COMM c
  integer key, e, n
  integer(MPI_ADDRESS_KIND) value, extra
  call MPI_Comm_size(c, n, e)
end subroutine
"""
HANDLES = {  # in CALLED_BACK
    "mpi": ("integer, dimension(MPI_STATUS_SIZE) ::", "integer"),
    "f08": ("type(MPI_Status)", "type(MPI_Comm)"),
}


class NotFortran(Exception):
    pass


def declaration(name, kind, language):
    kind, _, bound = kind.partition("[")
    size = f"0:{int(bound[:-1]) - 1}" if bound else ""
    new = language == "f08"
    if kind == "nothing":
        return "integer, allocatable :: nothing(:)"
    if kind == "status" and not new:
        return f"integer :: {name}(MPI_STATUS_SIZE{', ' + size if size else ''})"
    text = {
        "int": "integer",
        "logical": "logical",
        "character": "character",
        "aint": "integer(MPI_ADDRESS_KIND)",
        "pointer": "type(c_ptr)" if new else "integer(MPI_ADDRESS_KIND)",
    }.get(kind)
    if not text:
        text = f"type(MPI_{kind.capitalize()})" if new else "integer"
    return (
        f"{text}{', asynchronous' if kind == 'int' and size and new else ''} ::"
        f" {name}{f'({size})' if size else ''}"
    )


def tokens(text):
    found = re.findall(
        r"\s*([A-Za-z_]\w*|\d+|\"[^\"]*\"|'[^']*'|<<|&&|\|\||==|!=|<=|>=|\+\+|--|\+=|\S)", text
    )
    return found


def expand(text, macros):
    """Expands object-like and function-like macros until none is left."""
    for _ in range(8):
        before = text
        for name, (params, body) in macros.items():
            if params is None:
                text = re.sub(rf"\b{name}\b", lambda _: body, text)
                continue
            at = re.search(rf"\b{name}\(", text)
            while at:
                depth, end = 1, at.end()
                while depth:
                    depth += {"(": 1, ")": -1}.get(text[end], 0)
                    end += 1
                values, inner = re.split(r",(?![^()]*\))", text[at.end() : end - 1]), body
                if len(params) == 1:
                    values = [text[at.end() : end - 1]]
                for param, value in zip(params, values):
                    inner = re.sub(rf"\b{param}\b", lambda _: value, inner)
                text = text[: at.start()] + inner + text[end:]
                at = re.search(rf"\b{name}\(", text)
        if text == before:
            break
    return text


def define(lines):
    macros = {}
    for line in lines:
        m = re.match(r"#define (\w+)(\(([^)]*)\))? (.*)", line)
        macros[m[1]] = ([x.strip() for x in m[3].split(",")] if m[2] else None, m[4])
    return macros


class Renderer:
    def __init__(self, language, table, errors):
        self.language, self.table, self.errors = language, table, errors
        self.kinds, self.own, self.lines, self.depth = dict(VARIABLES), [], [], 1

    # --- reading ----------------------------------------------------------------------------------

    def peek(self, n=0):
        return self.token[self.at + n] if self.at + n < len(self.token) else ""

    def take(self, expected=None):
        token = self.peek()
        if (expected and token != expected) or not token:
            raise NotFortran(f"'{token}' instead of '{expected}'")
        self.at += 1
        return token

    def put(self, line):
        self.lines.append("  " * self.depth + line)

    def render(self, body):
        self.token, self.at = tokens(body), 0
        while self.peek():
            self.statement()
        return self.lines

    def block(self):
        self.depth += 1
        self.statement()
        self.depth -= 1

    def statement(self):
        token = self.peek()
        if token == "{":
            self.take()
            while self.peek() != "}":
                self.statement()
            self.take()
        elif token == ";":
            self.take()
        elif token == "if":
            self.take()
            self.take("(")
            self.put(f"if ({self.logical(self.expression())}) then")
            self.take(")")
            self.block()
            if self.peek() == "else":
                self.take()
                self.put("else")
                self.block()
            self.put("end if")
        elif token == "THREADS":  # two statements, one for each thread
            self.take()
            self.put("!$omp parallel num_threads(2)")
            self.put("if (omp_get_thread_num() == 0) then")
            self.block()
            self.put("else")
            self.block()
            self.put("end if")
            self.put("!$omp end parallel")
        elif token == "for":
            self.take()
            for t in ("(", "int", "i", "="):
                self.take(t)
            first = self.expression()[0]
            for t in (";", "i", "<"):
                self.take(t)
            last = self.expression()[0]
            for t in (";", "i", "++", ")"):
                self.take(t)
            self.put(f"do i_ = {first}, {last} - 1")
            self.kinds["i"] = "int"
            self.block()
            self.put("end do")
        elif token == "do":
            self.take()
            self.put("do")
            self.block()
            self.take("while")
            self.take("(")
            self.put(f"  if (.not. ({self.logical(self.expression())})) exit")
            self.put("end do")
            self.take(")")
            self.take(";")
        elif token in KINDS and re.match(r"[A-Za-z_]", self.peek(1)):
            self.declare()
        else:
            self.simple()
            self.take(";")

    def declare(self):
        kind = KINDS[self.take()]
        while True:
            name, bound = self.take(), ""
            if self.peek() == "[":
                self.take()
                bound = f"[{self.take()}]"
                self.take("]")
            if name not in self.kinds:
                self.own.append(name)
                self.kinds[name] = kind + bound
            if self.peek() == "=":
                self.take()
                if self.peek() == "{":
                    self.take()
                    values = [self.expression()[0]]
                    while self.peek() == ",":
                        self.take()
                        values.append(self.expression()[0])
                    self.take("}")
                    self.put(f"{name}(0:{len(values) - 1}) = [{', '.join(values)}]")
                else:
                    self.put(f"{name} = {self.expression()[0]}")
            if self.peek() != ",":
                break
            self.take()
        self.take(";")

    def simple(self):
        """Translates a call, an assignment or a number (to nothing)."""
        if re.fullmatch(r"\d+", self.peek()) and self.peek(1) == ";":
            self.take()
        elif self.peek().startswith("MPI_") and self.peek(1) == "(":
            self.call("ierr")
        elif self.peek() == "usleep":
            self.take()
            self.take("(")
            self.put(f"call usleep({self.expression()[0]})")
            self.take(")")
        elif self.peek() == "meet":
            for t in ("meet", "(", ")"):
                self.take(t)
            self.put("call meet()")
        else:
            target, kind = self.unary()
            operator = self.take()
            if operator == "++":
                self.put(f"{target} = {target} + 1")
            elif operator in ("=", "+="):
                if self.peek().startswith("MPI_") and self.peek(1) == "(":
                    self.call(target)
                    return
                value = self.expression()
                if self.peek() == "=":  # a = b = value
                    self.take()
                    second, value = value[0], self.expression()
                    self.put(f"{second} = {value[0]}")
                text = value[0]
                if kind == "logical":
                    text = self.logical(value)
                elif value[1] == "logical":
                    text = f"merge(1, 0, {text})"
                self.put(f"{target} = {target + ' + ' if operator == '+=' else ''}{text}")
            else:
                raise NotFortran(operator)

    # --- expressions: (text, kind) ----------------------------------------------------------------

    def logical(self, value):
        text, kind = value
        if kind == "logical":
            return text
        if kind == "int":
            return {"0": ".false.", "1": ".true."}.get(text, f"{text} /= 0")
        if kind in NULLS:
            return f"{text} /= {NULLS[kind]}"
        raise NotFortran(f"{text} as a condition")

    def number(self, value):
        if value[1] == "logical":
            return f"merge(1, 0, {value[0]})"
        return value[0]

    def expression(self):
        value = self.binary(0)
        if self.peek() != "?":
            return value
        self.take()
        yes = self.expression()
        self.take(":")
        no = self.expression()
        if (yes[1].endswith("]") or no[1].endswith("]")) and yes[1] != no[1]:
            raise NotFortran("a choice of arrays")
        return f"merge({yes[0]}, {no[0]}, {self.logical(value)})", yes[1]

    LEVELS = [
        ["||"],
        ["&&"],
        ["|"],
        ["^"],
        ["&"],
        ["==", "!="],
        ["<", ">", "<=", ">="],
        ["+", "-"],
        ["*", "/", "%"],
    ]

    def binary(self, level):
        if level == len(self.LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in self.LEVELS[level]:
            operator = self.take()
            right = self.binary(level + 1)
            if operator in ("||", "&&"):
                name = ".or." if operator == "||" else ".and."
                left = f"({self.logical(left)} {name} {self.logical(right)})", "logical"
            elif operator in ("|", "^", "&"):
                left = (
                    f"{ {'|': 'ior', '^': 'ieor', '&': 'iand'}[operator] }({left[0]}, {right[0]})",
                    "int",
                )
            elif operator in ("==", "!=", "<", ">", "<=", ">="):
                left = f"{left[0]} {'/=' if operator == '!=' else operator} {right[0]}", "logical"
            elif operator == "%":
                left = f"mod({left[0]}, {right[0]})", "int"
            elif left[1].endswith("]"):  # part of an array
                if operator != "+":
                    raise NotFortran("pointer arithmetic")
                left = f"{left[0]}({right[0]})", left[1].partition("[")[0]
            else:
                left = f"{left[0]} {operator} {right[0]}", "int"
        return left

    def unary(self):
        token = self.take()
        if token == "(":
            text, kind = self.expression()
            self.take(")")
            return f"({text})", kind
        if token == "!":
            return f".not. ({self.logical(self.unary())})", "logical"
        if token == "-":
            return f"-{self.unary()[0]}", "int"
        if token == "&":
            return self.unary()
        if token == "NULL":
            return "nothing", "nothing"
        if token == "sizeof":
            bracket = self.peek() == "("
            if bracket:
                self.take()
            what = self.take()
            if bracket:
                self.take(")")
            kind, _, bound = self.kinds.get(what, what).partition("[")
            if kind not in ("int", "character"):
                raise NotFortran("size of " + what)
            return str((4 if kind == "int" else 1) * (int(bound[:-1]) if bound else 1)), "int"
        if re.fullmatch(r"\d+", token):
            return token, "int"
        if token[0] == '"':
            return "'" + token[1:-1] + "'", "string"
        if token == "name":
            return "'exam.dat'", "string"
        if token == "i" and "i" in self.kinds:
            return "i_", "int"
        if token in self.kinds:
            kind = self.kinds[token]
            if self.peek() == "[":
                self.take()
                index = self.expression()[0]
                self.take("]")
                return f"{token}({index})", kind.partition("[")[0]
            if self.peek() == "." and kind == "status":
                self.take()
                field = self.take()
                return (
                    f"{token}%{field}" if self.language == "f08" else f"{token}({field})"
                ), "int"
            return token, kind
        if token.startswith("MPI_") and self.peek() != "(":
            kind = next((k for k, null in NULLS.items() if token == null), "int")
            return NAMES.get(token, token), kind
        if token in ("fun", "ehf"):
            return token, "procedure"
        raise NotFortran(token)

    # --- calls ------------------------------------------------------------------------------------

    def call(self, error):
        name = self.take()[4:]
        self.take("(")
        values, starts = [], []
        while self.peek() != ")":
            starts.append(self.at)
            values.append(
                (None, "argc")
                if self.peek() == "&" and self.peek(1) in ("argc", "argv")
                else self.expression()
            )
            if values[-1][1] == "argc":
                self.at += 2
            if self.peek() == ",":
                self.take()
        self.take(")")
        params = self.table.get(name)
        if params is None or name in NOT_HERE or len(params) != len(values):
            raise NotFortran(name)
        texts = {text for text, _ in values}
        if "MPI_INTEGER" in texts and texts & {"MPI_LAND", "MPI_LOR", "MPI_LXOR"}:
            raise NotFortran("logical operations are on MPI_LOGICAL there")
        out, after = [], []
        for (role, param), (text, kind) in zip(params, values):
            if kind == "argc":
                continue
            if text == "nothing" and not (
                role in ("sbuf", "rbuf", "rbuf1", "iobuf", "scounts", "rcounts")
                or param == "buffer"
            ):
                raise NotFortran("NULL for " + param)
            first = re.fullmatch(r"(int|request)\[\d*\]", kind)  # element of a list, by address
            if role in ("int_out", "int_io", "req_out", "req_io") and first:
                text, kind = f"{text}(0)", first[1]
            if param in LOGICAL:
                if role == "int_out" and kind == "int":
                    after.append(f"{text} = merge(1, 0, flag)")
                    text = "flag"
                elif role == "int":
                    text = self.logical((text, kind))
                elif role.startswith("ints") and kind.startswith("int["):
                    text = f"{text} /= 0"
                elif role == "outs" and kind.startswith("int["):
                    raise NotFortran(f"{param} as integers")
            elif role in ("aint", "offset") and kind == "int":
                text = f"int({text}, MPI_{'ADDRESS' if role == 'aint' else 'OFFSET'}_KIND)"
            elif role == "reqs" and kind == "request":
                if not text.endswith(")"):
                    raise NotFortran("one request as a list")
                text = text[:-1] + ":)"
            elif role in ("ints", "outs") and kind.startswith("logical["):
                raise NotFortran(f"{param} as logicals")
            elif kind in ("int", "logical") and (role in LISTS or param.endswith("weights")):
                part = re.fullmatch(r"(\w+)\((.*)\)", text)
                text = f"{part[1]}({part[2]}:)" if part else f"[{text}]"
            elif param in ("extra_state",):
                text = "0_MPI_ADDRESS_KIND"
            elif param == "attribute_val":
                text = "aint(0)"
            elif name == "Buffer_detach" and kind == "pointer" and self.language != "f08":
                text = "big"
            elif kind == "logical" and role not in ("ints",):
                text = self.number((text, kind))
            out.append(text)
        if error != "ierr" or self.errors:
            out.append(error)
        self.put(f"call MPI_{name}({', '.join(out)})")
        for line in after:
            self.put(line)


def program(body, language, table, macros, start, errors=True):
    """Renders a body. language: mpi, mpif or f08. start: C code before the body. errors: pass
    ierror (optional in mpi_f08)."""
    own = [l for l in body.splitlines() if l.startswith("#define")]
    renderer = Renderer(language, table, errors or language != "f08")
    lines = renderer.render(
        expand(
            "\n".join([start] + [l for l in body.splitlines() if not l.startswith("#")]),
            {**define(own), **macros},
        )
    )
    return assemble(
        "\n".join(lines),
        language,
        "".join(declaration(n, renderer.kinds[n], language) + "\n" for n in renderer.own),
    )


def whole(body, language, table, macros, start):
    """Renders a body that is written in Fortran."""
    macros = {name: macros[name] for name in ("W", "ST", "SS")}
    macros["TYPES"] = None, "type(MPI_Datatype)" if language == "f08" else "integer"
    first = Renderer(language, table, True).render(expand(start, macros))
    return assemble(
        "\n".join(first)
        + "\n"
        + expand(body, macros)
        + ("\ncall MPI_Finalize(ierr)" if start else ""),
        language,
    )


def assemble(body, language, own=""):
    module = {"mpi": "use mpi", "mpif": "", "f08": "use mpi_f08"}[language]
    head = HEAD.format(module="use iso_c_binding, only: c_ptr\nuse omp_lib\n" + module)
    if language == "mpif":
        head += "include 'mpif.h'\n"
    head += "".join(declaration(n, k, language) + "\n" for n, k in VARIABLES.items())
    kind = "f08" if language == "f08" else "mpi"
    status, comm = HANDLES[kind]
    values = "cnt = 4\ndsp = [0, 4, 8, 12]\none = 0\ndims(0:1) = [2, 1]\nper = .false.\nneg = -1\n"
    return (
        "program exam\n"
        + head
        + own
        + values
        + body
        + "\n"
        + PROCEDURES
        + USER[kind]
        + CALLED_BACK.replace("STATUS s", status + " s").replace("COMM c", comm + " c")
        + "end program\n"
    )
