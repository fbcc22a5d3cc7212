# Makes other releases of Debian, each in a folder of its own, by debootstrap from the archive that
# this machine's apt uses.
archive() { apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -m 1 '/debian/*$'; }

# release_make SUITE FOLDER: its base system, and the source in /src.
release_make() {
    [ -d "$2/usr" ] || debootstrap --variant=minbase --include=make,git "$1" "$2" "$(archive)" \
        >"$1.debootstrap.txt" 2>&1 || { tail -5 "$1.debootstrap.txt"; return 1; }
    mkdir -p "$2/src" "$2/put_old"
    cp /etc/resolv.conf "$2/etc/resolv.conf"
    # An archive may be a copy that is some weeks old.
    echo 'Acquire::Check-Valid-Until "false";' >"$2/etc/apt/apt.conf.d/old"
    # What this machine trusts: pip reads it.
    [ ! -f /etc/ssl/certs/ca-certificates.crt ] ||
        cp /etc/ssl/certs/ca-certificates.crt "$2/trusted.crt"
    find "$2/src" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    tar -C "$SOURCE" --exclude=./build -cf - . | tar -C "$2/src" -xf -
}

# release_run FOLDER COMMAND...: as root of that system, in namespaces that end with the command.
# The folder is the root itself, and not a chroot's, where no further namespaces may be made.
release_run() {
    unshare -m -p -f --kill-child --propagation private /bin/bash -c '
        root=$1 && shift && mount --bind "$root" "$root" && cd "$root" &&
            mount -t proc proc proc && mount --rbind /sys sys && mount --rbind /dev dev &&
            pivot_root . put_old && cd / && umount -l /put_old && cd /src &&
            exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
                PIP_CERT=/trusted.crt "$@"' bash "$@" </dev/null
}
