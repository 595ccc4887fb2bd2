"""The version of Paddock, and the name under which it is installed."""

VERSION = "0.1.0"

# The name on package indexes. `paddock` there is another project: no text may ask anybody to install that.
DISTRIBUTION = "paddock-lab"
