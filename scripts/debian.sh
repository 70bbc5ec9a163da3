#!/usr/bin/env bash
# Installs the Debian packages named, where the command of the same name is missing.
# usage: scripts/debian.sh COMMAND...
set -euo pipefail

missing=()
for name in "$@"; do
    command -v "$name" >/dev/null || missing+=("$name")
done
((${#missing[@]})) || exit 0

refuse() {
    printf 'error: %s is not installed, and %s\n' "${missing[*]}" "$1" >&2
    printf '  With the right to install: apt-get update && apt-get install %s\n' "${missing[*]}" >&2
    printf '  Without it: make test BROWSER=no runs all but the browser tests.\n' >&2
    exit 1
}

command -v apt-get >/dev/null || refuse "this system has no apt-get."
as_root=()
if ((EUID != 0)); then
    { command -v sudo >/dev/null && sudo -n true 2>/dev/null; } ||
        refuse "there is no right to install it here (not root, and no sudo without a password)."
    as_root=(sudo -n)
fi

echo "Installing ${missing[*]} (once)" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
