#!/bin/sh
# One key for the gateway, one for the dev box, and the gateway's record of the dev box. Made once, kept in a volume.
set -eu
dir=$1
[ -e "$dir/id_ed25519" ] || ssh-keygen -q -t ed25519 -N '' -C gateway -f "$dir/id_ed25519"
[ -e "$dir/host_ed25519" ] || ssh-keygen -q -t ed25519 -N '' -C devbox -f "$dir/host_ed25519"
printf 'devbox %s\n' "$(cut -d' ' -f1,2 "$dir/host_ed25519.pub")" >"$dir/known_hosts"
