#!/bin/bash
# Allows what bastion.example.localdomain serves under SELinux. install.sh runs it; by itself:
#
#   selinux.sh              as root: sets for good what is not set yet; twice is the same as once
#   selinux.sh --dry-run    only says what it would set
#   selinux.sh --undo       takes back what it has set (but for the first SELINUX_BEFORE records)
set -euo pipefail

done_before=/var/lib/upi-wizard/selinux
mode="${1:-set}"
booleans=()
# type and TCP port
ports=()
# type and directory: everything below it
labels=(
    # what nodes fetch over HTTP
    "httpd_sys_content_t /var/www/upi-wizard"
    # what nodes fetch over TFTP
    "tftpdir_rw_t /var/lib/tftpboot"
)

say() { printf '%s\n' "$*" >&2; }

# Says a change and makes it; with --dry-run only the former. A change that was made is written down for --undo.
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
    install -d -m 0700 -- "$(dirname -- "$done_before")"
    printf '%s\n' "$record" >>"$done_before"
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

# What was copied or moved out of a home directory keeps the label of that place, and no service may read it.
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
    if [[ ! -e "$done_before" ]]; then return; fi
    while read -r what name rest; do
        case "$what" in
            boolean) setsebool -P "$name" 0 ;;
            port) semanage port -d -t "$name" -p tcp "$rest" ;;
            label) semanage fcontext -d -t "$name" "$rest(/.*)?" ;;
        esac
        say "SELinux: taken back: $what $name $rest"
    done < <(tail -n "+$((before + 1))" -- "$done_before")
    head -n "$before" -- "$done_before" >"$done_before.new"
    mv -- "$done_before.new" "$done_before"
    if [[ ! -s "$done_before" ]]; then rm -f -- "$done_before"; fi
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
