"""Minutes of a day and their text form, `HH:MM`."""

MINUTES_OF_A_DAY = 24 * 60


def parse_minute(text):
    """The minute that `text` names, 0 to 1440; `24:00` is the end of the day."""
    if isinstance(text, int):
        minute = text
    else:
        hours, separator, minutes = text.partition(":")
        if not separator or not (hours.isdigit() and minutes.isdigit()) or int(minutes) > 59:
            raise ValueError(f"not a time of day: {text!r}")
        minute = int(hours) * 60 + int(minutes)
    if not 0 <= minute <= MINUTES_OF_A_DAY:
        raise ValueError(f"not within a day: {text!r}")
    return minute


def format_minute(minute):
    """`HH:MM` of a minute of the day."""
    return f"{minute // 60:02d}:{minute % 60:02d}"
