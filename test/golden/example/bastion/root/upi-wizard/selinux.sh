#!/bin/bash
# Configures SELinux for the services of bastion.example.localdomain. install.sh runs this script. Usage:
#
#   selinux.sh              as root: permanently sets what is not set yet; safe to run again
#   selinux.sh --dry-run    prints what it would set
#   selinux.sh --undo       reverts what it has set, except for the first $SELINUX_BEFORE records
set -euo pipefail

records=/var/lib/upi-wizard/selinux
mode="${1:-set}"
booleans=()
# Type and number of each TCP port.
ports=()
# Type of each directory and everything below it.
labels=(
    # files that nodes fetch over HTTP
    "httpd_sys_content_t /var/www/upi-wizard"
    # files that nodes fetch over TFTP
    "tftpdir_rw_t /var/lib/tftpboot"
)

say() { printf '%s\n' "$*" >&2; }

# Prints a change, makes it and records it for --undo; with --plan and --dry-run it only prints it.
change() {
    local record="$1"
    shift
    if [[ "$mode" == --plan ]]; then
        printf 'set\t%s\n' "$record"
        return
    fi
    if [[ "$mode" == --dry-run ]]; then
        say "Would set: $record"
        return
    fi
    "$@"
    install -d -m 0700 -- "$(dirname -- "$records")"
    printf '%s\n' "$record" >>"$records"
    say "SELinux: $record"
}

set_booleans() {
    local name
    for name in "${booleans[@]}"; do
        if [[ "$(getsebool "$name")" == *on ]]; then continue; fi
        change "boolean $name" setsebool -P "$name" 1
    done
}

set_ports() {
    local line type port
    for line in "${ports[@]}"; do
        read -r type port <<<"$line"
        if semanage port -l -n | grep -Eq "^$type +tcp .*\b$port\b"; then continue; fi
        change "port $type $port" semanage port -a -t "$type" -p tcp "$port"
    done
}

# Files that came from a home directory can keep its label, and then services cannot read them.
set_labels() {
    local line type directory
    for line in "${labels[@]}"; do
        read -r type directory <<<"$line"
        if [[ "$(matchpathcon -n "$directory/file")" != *:"$type":* ]]; then
            change "label $type $directory" semanage fcontext -a -t "$type" "$directory(/.*)?"
        fi
        if [[ -d "$directory" && "$mode" != --dry-run && "$mode" != --plan ]]; then restorecon -F -R -- "$directory"; fi
    done
}

undo() {
    local what name rest before="${SELINUX_BEFORE:-0}"
    if [[ ! -e "$records" ]]; then return; fi
    while read -r what name rest; do
        case "$what" in
            boolean) setsebool -P "$name" 0 ;;
            port) semanage port -d -t "$name" -p tcp "$rest" ;;
            label) semanage fcontext -d -t "$name" "$rest(/.*)?" ;;
        esac
        say "SELinux: reverted: $what $name $rest"
    done < <(tail -n "+$((before + 1))" -- "$records")
    head -n "$before" -- "$records" >"$records.new"
    mv -- "$records.new" "$records"
    if [[ ! -s "$records" ]]; then rm -f -- "$records"; fi
}

main() {
    if ! command -v selinuxenabled >/dev/null || ! selinuxenabled; then
        say "SELinux: off, nothing to set."
    elif [[ "$mode" == --undo ]]; then
        undo
    else
        set_booleans
        set_ports
        set_labels
    fi
}

main
