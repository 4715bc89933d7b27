#!/usr/bin/env bash
# Brings what the tests use from the system: an SSH server, a browser, a terminal, shells, a reader of manual pages.
# Installs them where that needs no question (root on Debian); anywhere else the tests that need one skip and say so.
set -u

can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }
has() { command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ]; }

# program → the Debian package that has it, and what is not tried without it
wanted='
sshd      openssh-server  the tests over real SSH are
chromium  chromium        the tests of the page are
tmux      tmux            the tests on a real terminal are
zsh       zsh             the test of its completions is
fish      fish            the test of its completions is
mandoc    mandoc          the check of the manual page is
'

missing=
while read -r program package _; do
  [ -n "$program" ] && ! has "$program" && missing="$missing $package"
done <<<"$wanted"

if [ -n "$missing" ] && can_install; then
  echo "missing, and being installed for the tests:$missing" >&2
  # A policy that says no keeps the SSH server from being started on this machine's own port 22.
  policy=/usr/sbin/policy-rc.d
  made_policy=no
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy" && made_policy=yes
  fi
  log=$(mktemp)
  # One that cannot be had keeps none of the others away.
  apt-get update >"$log" 2>&1
  for package in $missing; do
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$package" >>"$log" 2>&1 ||
      tail -n 5 "$log" >&2
  done
  rm -f "$log"
  [ "$made_policy" = yes ] && rm -f "$policy"
fi

while read -r program package what; do
  [ -z "$program" ] || has "$program" ||
    echo "$program is missing: $what skipped (install $package to run them)" >&2
done <<<"$wanted"

# sshd wants this folder for privilege separation; a container without a service manager has no one to make it.
has sshd && [ "$(id -u)" = 0 ] && mkdir -p /run/sshd
exit 0
