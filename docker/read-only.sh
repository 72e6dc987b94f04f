#!/bin/sh
# Runs a command as the user 1000 on a root that cannot be written to, but for /data, as a container engine does:
#   unshare --mount [--pid --fork] docker/read-only.sh ROOT COMMAND...
set -e
root=$1
shift
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t tmpfs -o mode=0700,uid=1000,gid=1000 tmpfs "$root/data"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc" || true
exec chroot --userspec=1000:1000 "$root" "$@"
