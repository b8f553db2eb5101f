"""A calendar as text."""


def agenda(calendar):
    """One line a booking, then how much is free."""
    lines = [f"{booking.span}  {booking.title}" for booking in calendar.bookings()]
    free = calendar.free()
    total = sum(span.minutes for span in free)
    lines.append(f"free: {total} minutes in {len(free)} slots")
    return "\n".join(lines)
