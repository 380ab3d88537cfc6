# Install rules, package config and pkg-config files.
