import sys

from proband.cli import main

sys.exit(main())
