"""What a section of a report is made of: each exam makes its own, and the report puts them on one page."""
