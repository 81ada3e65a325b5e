"""What people and programs see: tables, timelines, JSON."""
