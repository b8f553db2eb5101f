"""Rows to text."""

from .dialect import EXCEL


def _needs_quotes(field, dialect, alone):
    if not field:
        # A line with nothing on it would be no row.
        return alone
    return any(sign in field for sign in (dialect.delimiter, dialect.quote, "\r", "\n"))


def format_field(field, dialect, alone=False):
    """One field, quoted where it has to be."""
    if not _needs_quotes(field, dialect, alone):
        return field
    quote = dialect.quote
    if dialect.escape is None:
        body = field.replace(quote, quote + quote)
    else:
        body = field.replace(quote, dialect.escape + quote)
    return quote + body + quote


def format_row(row, dialect):
    """One line, without its end."""
    fields = [str(field) for field in row]
    if not fields:
        raise ValueError("a row needs a field")
    return dialect.delimiter.join(format_field(field, dialect, alone=len(fields) == 1) for field in fields)


def dumps(rows, dialect=EXCEL):
    """All rows, each with its end of line."""
    return "".join(format_row(row, dialect) + dialect.newline for row in rows)
