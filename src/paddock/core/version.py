"""The version of Paddock, and the name under which it is installed."""

VERSION = "0.1.0"

# The distribution's name on package indexes. `paddock` there is another project, so no text may ask anybody to install that.
DISTRIBUTION = "paddock-lab"
