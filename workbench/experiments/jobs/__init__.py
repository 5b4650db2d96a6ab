"""Jobs: experiments and pilots in processes of their own, with their locks."""
