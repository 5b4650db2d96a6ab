"""Labels that people give to answers: taxonomies, queues, labels with their history, agreement, and files of labels."""
