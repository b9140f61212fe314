# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""expressions.py FILE [COUNT SEED]: writes the results of Python's jinja2 for expressions, as JSON.

Needs the packages of golden.py. The file has [source, result] for each expression: those of the
tables below, and COUNT random ones. A result is null if jinja2 fails. Expressions whose results
contain an address, and those with extremely large numbers, are left out.
"""

import itertools
import json
import random
import re
import sys

from golden import environment

NUMBERS = ["0", "1", "-1", "2", "3", "7", "10", "-7", "1.5", "-2.5", "0.1", "2.675", "-0.0", "0.0", "5", "1e16",
           "1e22", "1e-5", "123456.789", "1e400", "-1e400", "true", "false", "1_000", "0x1f", "0b101", "0o17",
           "9007199254740993", "1e308", "100000000000000000000", "2.5", "3.5", "1234567.0", "1e15", "12345678901234567"]
TEXTS = ["''", "'a'", "'abc'", "'Abc def'", "' a b '", "'a,b,,c'", "'\\n a\\r\\nb\\x0bc\\x85d\\u2028e'", "'ΣΟΣ ΑΣ.'",
         "'ﬁx ŉ ß'", "'İstanbul'", "'ǆ ǅ'", "'²3'", "'١٢'", "'Ⅷ ⅷ'", "'a-b_c d1'", "'\\t\\x1c x\\u3000'", "'😀é'",
         "'\\N{BULLET}\\N{latin small letter a}'", "'aXbXc'", "'aaaa'", "'<a href=\"x\">&\\'</a>'", "'12'", "'-3.7'",
         "' 1_000 '", "'1e5'", "'0x1F'", "'inf'", "'nan'", "'\\u00e9\\U0001F600\\101\\x41\\q'", "\"it's\"", "'\"'",
         "'they\\'re Bill\\'s'", "'ʰa ͅb'", "'中a文b'", "'x\\ty\\tz'", "'a\\\\b'", "'%'", "'{}'", "'ab\\x7f\\xa0\\xad'"]
LISTS = ["[]", "[1, 2, 3]", "['b', 'A', 'a', 'B']", "[1, 'a', none]", "(1,)", "(1, 2)", "()", "[[1, 2], [0]]",
         "range(3)", "range(1, 10, 3)", "range(5, 0, -2)", "[1.5, true, 1, 2]", "['x', 'y', 'x', 'X']",
         "[{'a': 1, 'b': 'y'}, {'a': 0, 'b': 'X'}, {'a': 1, 'b': 'z'}]", "[0.1, 0.2, 0.3]", "['é', 'z', 'a']"]
DICTS = ["{}", "{'a': 1}", "{'b': 2, 'a': 1, 'C': 3}", "{1: 'x', true: 'y', 1.0: 'z'}", "{'k': [1, {'z': none}]}",
         "{none: 1, 2: 'b'}", "dict(x=1, y='b')", "{'items': 5, 'keys': 6}"]
OTHERS = ["none", "undefined_thing", "{'a': 1}.keys()", "{'a': 1, 'b': 2}.values()", "{'a': 1}.items()",
          "namespace(a=1)"]
ALL = NUMBERS + TEXTS + LISTS + DICTS + OTHERS

FILTERS = ["abs", "capitalize", "count", "default('d')", "default('d', true)", "dictsort", "dictsort(reverse=true)",
           "dictsort(by='value')", "escape", "first", "float", "float(default=2)", "indent", "indent(2, true)",
           "indent('>', first=true, blank=true)", "int", "int(default=7)", "int(base=16)", "int(9, 2)",
           "items | list", "join", "join(', ')", "join('-', attribute='a')", "last", "length", "list", "lower",
           "map('upper') | list", "map(attribute='a') | list", "map(attribute='q', default='n') | list", "max", "min",
           "reject('odd') | list", "select | list", "select('string') | list", "rejectattr('a') | list",
           "selectattr('b', 'equalto', 'y') | list", "replace('a', 'xx')", "replace('a', '', 1)", "replace('', '.')",
           "reverse | list", "round", "round(1)", "round(2)", "round(-1)", "round(2, 'ceil')", "round(1, 'floor')",
           "round(-2)", "safe", "sort", "sort(reverse=true)", "sort(case_sensitive=true)", "sort(attribute='a,b')",
           "string", "sum", "sum(attribute='a')", "sum(start=10)", "title", "tojson", "tojson(indent=2)",
           "tojson(ensure_ascii=true)", "tojson(sort_keys=true)", "tojson(separators=(',', ':'))", "trim", "trim('ab')",
           "unique | list", "unique(true) | list", "upper", "wordcount", "batch(2) | list", "batch(2, 0) | list",
           "slice(2) | list", "slice(2, 'f') | list", "center(9)", "truncate(8)", "truncate(5, true, '…', 0)",
           "groupby('a') | list", "attr('a')", "format(1)", "e", "d(1)", "map('int') | sum", "max(attribute='a')"]
TESTS = ["defined", "undefined", "none", "boolean", "true", "false", "integer", "float", "number", "string", "mapping",
         "iterable", "sequence", "callable", "odd", "even", "divisibleby(3)", "lower", "upper", "eq(1)", "ne('a')",
         "gt(1)", "ge(2)", "lt(3)", "le(1)", "in [1, 'a', 2.5]", "in 'abc'", "sameas(true)", "sameas none", "filter",
         "test", "not none", "equalto 'a'"]
METHODS = ["capitalize()", "center(7)", "center(6, '*')", "count('a')", "count('')", "count('a', 1, -1)",
           "endswith('c')", "endswith(('x', 'c'))", "expandtabs()", "expandtabs(3)", "find('b')", "find('a', 1)",
           "find('', 9)", "format(1, 'x')", "index('b')", "isalnum()", "isalpha()", "isascii()", "isdecimal()",
           "isdigit()", "islower()", "isnumeric()", "isprintable()", "isspace()", "istitle()", "isupper()",
           "join(['x', 'y'])", "ljust(6) ~ '|'", "lower()", "lstrip()", "lstrip('a ')", "partition('b')",
           "removeprefix('a')", "removesuffix('c')", "replace('a', 'bb')", "replace('', '-', 2)", "rfind('a')",
           "rfind('a', 0, 2)", "rindex('a')", "rjust(6, '.')", "rpartition('X')", "rsplit()", "rsplit(none, 1)",
           "rsplit('X', 1)", "rsplit('aa')", "rstrip()", "rstrip('c b')", "split()", "split(none, 1)", "split(none, 0)",
           "split(',')", "split(',', 1)", "split('aa')", "splitlines()", "splitlines(true)", "startswith('a')",
           "startswith('b', 1)", "startswith(('q', 'A'))", "strip()", "strip('a')", "swapcase()", "title()", "upper()",
           "zfill(5)"]
DICT_METHODS = ["get('a')", "get('q')", "get('q', 3)", "items()", "keys()", "values()", "copy()", "keys() | list",
                "items() | list", "items() | length", "keys() == {'a': 9}.keys()", "pop('a')", "update({})", "a", "b",
                "['a']", "[1]", "items", "values() | sum"]
LIST_METHODS = ["count(1)", "index(2)", "index('a')", "append(1)", "copy()", "[0]", "[-1]", "[5]", "[1:]", "[::-1]",
                "[:2]", "[1::2]", "[-2:]", "[3:1:-1]", "sort()", "['a']", "x"]
SLICES = ["[0]", "[-1]", "[1:]", "[:-1]", "[::-1]", "[::2]", "[-3:-1]", "[2:1]", "[10]", "[1:9:3]"]
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or"]
FORMATS = ["%s", "%d", "%5d", "%-5d|", "%05d", "%+d", "% d", "%x", "%X", "%#x", "%o", "%e", "%.3e", "%f", "%.2f", "%g",
           "%G", "%#g", "%.10g", "%c", "%r", "%a", "%5s", "%-5s|", "%.2s", "%i", "%u", "%.3d", "%%", "%08.3f", "%E",
           "%q", "%", "%*d"]
BRACES = ["{}", "{0}", "{0}{0}", "{:d}", "{:5}", "{:<5}|", "{:>5}", "{:^5}|", "{:*^7}", "{:05}", "{:+}", "{: }",
          "{:,}", "{:_}", "{:x}", "{:#x}", "{:b}", "{:o}", "{:e}", "{:.2f}", "{:.3}", "{:g}", "{:%}", "{:.1%}", "{!r}",
          "{!s:>6}", "{!a}", "{{}}", "{", "}", "{1}", "{a}", "{:s}", "{:.2s}", "{:=+7}", "{:X}", "{0.a}", "{0[0]}",
          "{0[a]}", "{:{}}", "{:c}", "{:n}", "{:.0f}", "{:.10}", "{:#.3g}"]
BY_HAND = ["'  a  b  c '.split(none, 1)", "'a b '.rsplit(none, 1)", "' a b'.rsplit(none, 1)", "5|round",
           "2.675|round(2)", "1e400", "-0.0", "1e20|int", "'\\u0130'|lower", "'ΣΟΣ'.lower()", "'ﬁx'|upper",
           "'ﬁx'|capitalize", "'a\\x0bb\\x85c\\u2028d'.splitlines()", "'²'.isdigit()", "'a b-c'|wordcount",
           "'\\N{BULLET}'", "{'a': 1}.keys()", "range(3)", "1 if [] | map('upper') else 2", "1 == 1.0 == true",
           "{1: 'a', 1.0: 'b'}", "1 < 2 < 3", "3 > 2 > 2", "2 ** 3 ** 2", "-2 ** 2", "7 // -2", "-7 % 3", "7.5 // -2",
           "-7.5 % 2", "0.0 // -1", "1 / 3", "10 ** 20 + 1", "2 ** 100", "10 ** -2", "2 ** 0.5", "1e308 * 10",
           "1e400 - 1e400", "0.1 + 0.2", "1e400 // 1", "5 % 1e400", "-5 % 1e400", "'%(a)s-%(b)d' % {'a': 1, 'b': 2}",
           "'a' ~ 1 ~ none ~ true ~ 1.0", "[1, 2] + [3]", "(1,) + (2,)", "[1] + (2,)", "'ab' * 3", "3 * [1]", "'a' * -1",
           "'a' < 'b'", "[1, 2] < [1, 3]", "(1, 2) <= (1, 2)", "none == false", "1 < 'a'", "none < 1", "{} == {}",
           "{'a': 1, 'b': 2} == {'b': 2, 'a': 1}", "[1] == (1,)", "'' in 'abc'", "1 in '123'", "{[1]: 2}",
           "{'a': 1}[[1]]", "[1, 2, 3][1.0]", "'abc'[true]", "range(10)[2:8:2]", "range(10)[::-3]", "range(0)",
           "range(3) == [0, 1, 2]", "range(3) == range(3)", "{'a': 1}.items() == {'a': 1}.items()", "loop", "not ''",
           "+true", "-true", "true + true", "'\\x41\\102\\u0043\\U00000044\\a\\b'", "\"\\\"\"", "'a' 'b'", "1.5|int",
           "'1.5'|int", "'abc'|int(5)", "' 12 '|int", "'1_0'|int", "'0b11'|int(base=2)", "'0x1f'|int(base=16)",
           "'z'|int(base=36)", "none|int", "'1e400'|float", "'-inf'|float", "' 1.5 '|float", "'1__0'|float", "[]|float",
           "'a,b;c'.split(';')", "''.split()", "''.split(',')", "' '.split()", "'aXXb'.split('X')", "''.splitlines()",
           "'\\n'.splitlines()", "'a\\r\\nb'.splitlines(true)", "'abc'.find('')", "'abc'.rfind('')",
           "'abc'.replace('', '-')", "'aaa'.replace('a', 'b', 2)", "'a'.join('xyz')", "'a'.join([1])",
           "[3, 1, 2]|sort|join", "[1, 'a']|sort", "['b', 'A']|sort", "[none, 1]|sort", "'cba'|sort", "{'b': 1, 'a': 2}|sort",
           "[1, 2, 3]|sum / 2", "['a']|sum", "[[1], [2]]|sum(start=[])", "[1, 2]|first", "[]|first", "''|last",
           "'abc'|last", "{'a': 1}|last", "'abc'|reverse", "[1, 2]|reverse|list", "[1, 2, 3]|batch(2)|list",
           "'a b c'|title", "'a-b (c [d'|title", "'hello'|indent", "'a\\n\\nb'|indent(1)", "'a\\r\\nb\\n'|indent",
           "'x'|center(5) ~ '|'", "'a&<b>'|e", "[1, 'a', none, true, 1.5, {'x': []}]|tojson", "'é\\n\\x7f\"'|tojson",
           "'é😀\\x7f'|tojson(ensure_ascii=true)", "{'b': 1, 'a': {'c': []}}|tojson(indent=2, sort_keys=true)",
           "{1: 2, none: 3, true: 4, 1.5: 5}|tojson", "1e400|tojson", "undefined_thing|tojson", "range(2)|tojson",
           "[1, 2]|map('string')|join('+')", "[1, 2]|map('upper')|length", "[1, 2]|select|first", "1.0|string",
           "1e16|string", "1e15|string", "123456789.123456789", "1e-4", "1e-5", "100.0", "1.0e10", "0.1", "1/3*3",
           "4 is divisibleby 2", "1.5 is odd", "3.0 is odd", "'a' is in 'abc'", "1 is number", "true is number",
           "true is integer", "1 is sameas true", "none is sameas none", "{}.keys() is sequence", "{}.keys() is iterable",
           "'abc' is mapping", "undefined_thing is sequence", "undefined_thing ~ 'a'", "undefined_thing + 'a'",
           "undefined_thing.a", "undefined_thing == undefined_thing", "undefined_thing == none", "[undefined_thing]",
           "none.a", "none['a']", "1 .a", "'abc'.nothing", "{'a': {'b': 5}}.a.b", "{'a b': 1}['a b']", "[[1, 2], [3]][1][0]",
           "(1, 2)[0]", "'é😀x'[1]", "'é😀x'[::-1]", "'é😀x'|length", "0x_ff", "1_0.5_0", "1e1_0", "0b1_0", "1if true else 2",
           "namespace(a=1, b='x')", "namespace(_a=1)", "dict(a=1, b=2)", "dict([('a', 1)])", "dict({'a': 1}, b=2)",
           "dict({'a': 1}.items())", "range(2, 5)|list", "range(5, 2)|list", "range(1, 2, 0)", "range(1.5)",
           "'{:08,}'.format(1)", "'{a} {b}'.format(a=1, b='x')", "'{0[a]} {1.a}'.format({'a': 1}, {'a': 2})",
           "'%s %s' % (1, 'a')", "'%s' % (1, 2)", "'%s %s' % 1", "'%s' % [1, 2]", "'a' % []", "'a' % 1", "'%%'|format",
           "'%s-%s'|format(1, 2)", "'%(x)s'|format(x=1)", "'%5.1f|%-6s|'|format(2.25, 'ab')", "'abc'|attr('x')",
           "{'a': 1}|attr('a')", "12.0 // 5", "'a'.title()", "'ΑΣ ΑΣΑ Σ'.title()", "'ΑΣ'.capitalize()", "'aΣ͂'.lower()"]


def fixed():
    """Every filter, test and method on every value would be too many: this is a fixed subset."""
    def product(values, ends, form, share):
        for i, (value, end) in enumerate(itertools.product(values, ends)):
            if i * 7919 % 1000 < share * 1000:
                yield form.format(value, end)
    yield from BY_HAND
    yield from product(ALL, FILTERS, "({}) | {}", 0.06)
    yield from product(ALL, TESTS, "({}) is {}", 0.05)
    yield from product(TEXTS, METHODS, "{}.{}", 0.12)
    yield from product(TEXTS, SLICES, "{}{}", 0.2)
    yield from product(DICTS, DICT_METHODS[:-6], "({}).{}", 0.5)
    yield from product(LISTS, [m for m in LIST_METHODS if m[0] == "["], "({}){}", 0.3)
    yield from product(FORMATS, ["1", "-3", "2.5", "'a'", "true", "none", "1e400", "'é'", "300"], "'{}' % {}", 0.4)
    yield from product(BRACES, ["1", "-3", "2.5", "'a'", "true", "none", "1234567.891", "{{'a': 2}}", "[5]", "1e22"],
                       "'{}'.format({})", 0.4)
    for i, (a, sign, b) in enumerate(itertools.product(ALL, OPERATORS, ALL)):
        if i * 7919 % 1000 < 4:
            yield f"({a}) {sign} ({b})"


def value(rng, depth):
    pick = rng.random()
    if depth == 0 or pick < 0.25:
        return rng.choice(rng.choice([NUMBERS, TEXTS, LISTS, DICTS, OTHERS]))
    inner = value(rng, depth - 1)
    if pick < 0.45:
        return f"({inner}) | {rng.choice(FILTERS)}"
    if pick < 0.52:
        return f"({inner}) is {rng.choice(TESTS)}"
    if pick < 0.64:
        return f"({rng.choice(TEXTS)}).{rng.choice(METHODS)}"
    if pick < 0.68:
        # For slices of constants jinja2 returns undefined; for those of variables it raises an
        # error.
        return f"({rng.choice(TEXTS + LISTS)}){rng.choice(SLICES)}"
    if pick < 0.72:
        end = rng.choice(DICT_METHODS)
        return f"({rng.choice(DICTS)}){'' if end[0] == '[' else '.'}{end}"
    if pick < 0.76:
        end = rng.choice(LIST_METHODS)
        return f"({rng.choice(LISTS)}){'' if end[0] == '[' else '.'}{end}"
    if pick < 0.79:
        return f"'{rng.choice(FORMATS)}' % ({inner})"
    if pick < 0.82:
        return f"'{rng.choice(BRACES)}'.format({inner})"
    return f"({inner}) {rng.choice(OPERATORS)} ({value(rng, depth - 1)})"


def rendered(env, source):
    """The result; None if jinja2 fails; False if the expression cannot be used."""
    try:
        text = env.from_string(source).render(messages=[])
        text.encode("utf-8")
        return text
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
        return None
    except (NameError, MemoryError):  # jinja2 writes inf into Python's source, where it is not known
        return False
    except Exception as error:  # of jinja2, which has many
        if not type(error).__module__.startswith("jinja2"):
            raise
        return None


def is_meant(text):
    """Whether a result can be compared: not addresses, enormous numbers, and sets (from the `-`
    of dict keys), which our implementation does not have."""
    without = r" at 0x[0-9a-f]{6,}|<built-in|<Undefined|<function|<method|^\{'?[^:{}]*\}$|^set\(\)|Markup\(|\d{39}"
    return text is None or (text is not False and not re.search(without, text) and len(text) <= 2000)


def main():
    env = environment()
    sources = [f"{{{{ {each} }}}}" for each in fixed()]
    if len(sys.argv) > 2:
        rng = random.Random(int(sys.argv[3]))
        sources = [f"{{{{ {value(rng, 3)} }}}}" for _ in range(int(sys.argv[2]))]
    made = [[source, rendered(env, source)] for source in dict.fromkeys(sources)
            if "**" not in source or not re.search(r"\d{6,}.*\*\*|\*\*.*\d{4,}|1e", source)]
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(each, ensure_ascii=False) for each in made if is_meant(each[1]))
                   + "\n]\n")


main()
