"""`python -m workbench`: the verbs of the workbench without a screen."""

from workbench.cli import main

if __name__ == "__main__":
    main()
