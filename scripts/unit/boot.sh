#!/bin/sh
# Starts this machine's systemd as the first process of new namespaces. What is written stays in
# memory. Only its journal starts, and one unit, which runs /out/guide.sh and ends it all:
#   unshare --mount --pid --cgroup --uts --ipc --net --fork --kill-child --mount-proc \
#     sh boot.sh SCRATCH OUT NODE
# SCRATCH: an empty folder. OUT: the folder of guide.sh and its output. NODE: for /usr/local/bin.
set -eu
scratch=$1 out=$2 node=$3

mount -t tmpfs -o size=4g,mode=755 tmpfs "$scratch"
mkdir "$scratch/upper" "$scratch/work" "$scratch/root"
root=$scratch/root
mount -t overlay -o "lowerdir=/,upperdir=$scratch/upper,workdir=$scratch/work" overlay "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in 'null 3' 'zero 5' 'full 7' 'random 8' 'urandom 9'; do
  mknod -m 666 "$root/dev/${device% *}" c 1 "${device#* }"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
: > "$root/dev/console"
mkdir "$root/out" "$root/before"
mount --bind "$out" "$root/out"

units=$root/etc/systemd/system
rm -rf "$root"/etc/systemd/system/*.wants
rm -f "$root/etc/machine-id"
echo 0123456789abcdef0123456789abcdef > "$root/etc/machine-id"
for folder in sysinit local-fs multi-user sockets timers; do
  for unit in "$root/lib/systemd/system/$folder.target.wants"/*; do
    name=${unit##*/}
    case $name in *journal*) ;; *) ln -sf /dev/null "$units/$name" ;; esac
  done
done
cat > "$units/guide.service" <<'UNIT'
[Unit]
After=basic.target systemd-journald.service
[Service]
Type=oneshot
ExecStart=/bin/bash /out/guide.sh
StandardOutput=file:/out/guide.log
StandardError=inherit
ExecStopPost=/bin/systemctl --no-block exit
UNIT
cat > "$units/guide.target" <<'UNIT'
[Unit]
Requires=basic.target systemd-journald.service
After=basic.target
Wants=guide.service
UNIT

cp "$node" "$root/usr/local/bin/node"
cd "$root"
pivot_root . before
cd /
umount -l /before
# systemd hands credentials over through a mount that has to be seen by all.
mount --make-rshared /
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  /lib/systemd/systemd --system --unit=guide.target --show-status=no > /out/systemd.log 2>&1
