"""The screens: how each noun is drawn, a room for each screen."""
