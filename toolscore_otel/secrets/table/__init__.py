"""The rows of the rule table, by what they open. A row is all there is to a kind, but for its check."""
