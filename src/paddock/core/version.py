"""The version of Paddock."""

VERSION = "0.1.0"
