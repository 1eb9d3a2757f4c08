"""From what users have to checked columns, records, responses and weights."""
