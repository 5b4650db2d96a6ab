"""What every screen shares: the page frame, safe HTML, figures, downloads, uploads."""
