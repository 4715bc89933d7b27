#!/usr/bin/env bash
# Brings what the tests use from the system: an SSH server. Installs it where that needs no question
# (root on Debian); anywhere else the tests that need it skip and say so.
set -u

has_sshd() { command -v sshd >/dev/null 2>&1 || [ -x /usr/sbin/sshd ]; }

if ! has_sshd && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo 'sshd is missing: installing openssh-server for the tests' >&2
  # A policy that says no keeps the package from starting a server on this machine's own port 22.
  policy=/usr/sbin/policy-rc.d
  made_policy=no
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy" && made_policy=yes
  fi
  log=$(mktemp)
  if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends openssh-server; } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
  fi
  rm -f "$log"
  [ "$made_policy" = yes ] && rm -f "$policy"
fi
if has_sshd; then
  # sshd wants this folder for privilege separation; a container without a service manager has no one to make it.
  [ "$(id -u)" = 0 ] && mkdir -p /run/sshd
else
  echo 'sshd is missing: the tests over real SSH are skipped (install openssh-server to run them)' >&2
fi

# The page is tried in a real browser.
if ! command -v chromium >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo 'chromium is missing: installing it for the tests' >&2
  log=$(mktemp)
  if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium; } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
  fi
  rm -f "$log"
fi
command -v chromium >/dev/null 2>&1 ||
  echo 'chromium is missing: the tests of the page are skipped (install chromium to run them)' >&2
exit 0
