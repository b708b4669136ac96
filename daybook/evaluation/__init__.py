"""
Golden cases: what a prompt makes of them with a model, with answers that were recorded, or by rules alone.

Every answer goes through the code that decides in earnest, so a figure says what would have become of memory, mail or
news, and not how an answer looks.
"""
