"""Text to rows: one pass, a character at a time."""

from .dialect import EXCEL


class Malformed(ValueError):
    """The text is not of this dialect."""

    def __init__(self, what, line):
        super().__init__(f"line {line}: {what}")
        self.line = line


def loads(text, dialect=EXCEL):
    """The rows of `text`. Any end of line ends a row, and lines with nothing on them are no rows."""
    rows, row, field = [], [], []
    quoted = was_quoted = False
    line = at = 0
    line += 1

    def end_row():
        nonlocal row, field, was_quoted
        if row or field or was_quoted:
            row.append("".join(field))
            rows.append(row)
        row, field, was_quoted = [], [], False

    while at < len(text):
        sign = text[at]
        at += 1
        if sign == dialect.escape:
            if at == len(text):
                raise Malformed("the text ends after an escape", line)
            field.append(text[at])
            at += 1
        elif quoted:
            if sign != dialect.quote:
                line += sign == "\n"
                field.append(sign)
            elif dialect.escape is None and text[at : at + 1] == dialect.quote:
                field.append(sign)
                at += 1
            else:
                quoted = False
        elif sign == dialect.quote:
            if field or was_quoted:
                raise Malformed("a quote inside a field", line)
            quoted = was_quoted = True
        elif sign == dialect.delimiter:
            row.append("".join(field))
            field, was_quoted = [], False
        elif sign in "\r\n":
            end_row()
            line += sign == "\n" or text[at : at + 1] != "\n"
        elif was_quoted:
            raise Malformed("something after a closing quote", line)
        else:
            field.append(sign)
    if quoted:
        raise Malformed("a quote is not closed", line)
    end_row()
    return rows
