"""Who may do what: roles, the catalogue of verbs, and the person at work, checked where the work is done."""
