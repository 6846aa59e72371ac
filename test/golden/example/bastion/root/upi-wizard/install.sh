#!/bin/bash
# Puts the files for bastion.example.localdomain in place, from the directory that this script came in.
#
#   install.sh              as root: packages, files, checks, firewall, SELinux, services; twice is the same as once
#   install.sh --dry-run    only says what it would do
#   install.sh --undo       as root: everything back as it was before the first run (packages stay)
set -euo pipefail

here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)"
keep=/var/lib/upi-wizard
is_dry=0
is_serving=0
is_done=0
placed=()

packages=(chrony policycoreutils-python-utils tftp-server ipxe-bootimgs-x86)
units=(chronyd tftp.socket)
# mode, and the path on this host
files=(
    "0644 /var/www/upi-wizard/boot.ipxe"
    "0644 /var/www/upi-wizard/installed.ipxe"
    "0644 /var/www/upi-wizard/closed.ipxe"
    "0644 /var/www/upi-wizard/ipxe/00-50-56-96-11-c2.ipxe"
    "0644 /var/www/upi-wizard/ipxe/00-50-56-96-37-c8.ipxe"
    "0644 /var/www/upi-wizard/ipxe/00-50-56-96-ec-a7.ipxe"
    "0644 /var/www/upi-wizard/ipxe/00-50-56-96-e5-2f.ipxe"
    "0644 /var/www/upi-wizard/ipxe/00-50-56-96-6b-da.ipxe"
    "0644 /var/www/upi-wizard/ipxe/00-50-56-96-c1-c5.ipxe"
    "0644 /var/www/upi-wizard/ipxe/00-50-56-96-e3-f5.ipxe"
    "0644 /var/www/upi-wizard/ipxe/00-50-56-96-4d-01.ipxe"
    "0644 /var/www/upi-wizard/ipxe/00-50-56-96-4d-02.ipxe"
    "0644 /var/www/upi-wizard/ipxe/00-50-56-96-4d-03.ipxe"
    "0644 /root/upi-wizard/nginx.conf"
    "0644 /etc/systemd/system/tftp.service.d/upi-wizard.conf"
    "0600 /root/upi-wizard/install-config.yaml"
    "0644 /etc/chrony.conf"
    "0644 /root/upi-wizard/manifests/99-master-chrony.yaml"
    "0644 /root/upi-wizard/manifests/99-worker-chrony.yaml"
    "0644 /root/upi-wizard/infra.yaml"
    "0755 /root/upi-wizard/firewall.sh"
    "0755 /root/upi-wizard/selinux.sh"
    "0644 /root/upi-wizard/env.sh"
    "0644 /root/upi-wizard/network-notes.md"
    "0755 /root/upi-wizard/install.sh"
)

say() { printf '%s\n' "$*" >&2; }

# Says what changes, and does it unless this is a dry run.
change() {
    local verb="$1" what="$2"
    shift 2
    if ((is_dry)); then
        say "Would $verb: $what"
    else
        say "${verb^}: $what"
        "$@"
    fi
}

run() { change run "$*" "$@"; }

# Remembers for --undo, each line once.
note() { grep -qsxF -- "$2" "$keep/$1" || printf '%s\n' "$2" >>"$keep/$1"; }

add_packages() {
    local name missing=()
    for name in "${packages[@]}"; do
        rpm -q --quiet "$name" || missing+=("$name")
    done
    if ((${#missing[@]} > 0)); then change install "${missing[*]}" get_packages "${missing[@]}"; fi
}

get_packages() {
    dnf install -y "$@"
}

# What was there before the first run is kept once, for --undo; what was there before this run is kept until it has ended well.
keep_before() {
    local path="$1" first="$keep/first$1" last="$keep/last$1"
    mkdir -p -- "$(dirname -- "$first")" "$(dirname -- "$last")"
    if ! grep -qsxF -- "$path" "$keep/placed"; then
        if [[ -e "$path" ]]; then cp -a -- "$path" "$first"; fi
        note placed "$path"
    fi
    rm -f -- "$last"
    if [[ -e "$path" ]]; then cp -a -- "$path" "$last"; fi
}

make_directory() {
    if [[ -d "$1" ]]; then return; fi
    make_directory "$(dirname -- "$1")"
    mkdir -- "$1"
    note directories "$1"
}

relabel() {
    if command -v restorecon >/dev/null; then restorecon -F -- "$1"; fi
}

put() {
    local mode="$1" from="$2" path="$3"
    keep_before "$path"
    placed+=("$path")
    make_directory "$(dirname -- "$path")"
    install -m "$mode" -- "$from" "$path"
    relabel "$path"
}

# A file that is there already, with the same contents and mode, is left alone.
place() {
    local mode="$1" from="$2" path="$3"
    if [[ -e "$path" && "$from" -ef "$path" ]]; then return; fi
    if cmp -s -- "$from" "$path" && [[ "0$(stat -c %a -- "$path")" == "$mode" ]]; then return; fi
    if ((is_dry)); then placed+=("$path"); fi
    change place "$path" put "$mode" "$from" "$path"
}

place_files() {
    local entry
    for entry in "${files[@]}"; do place "${entry%% *}" "$here${entry#* }" "${entry#* }"; done
    place 0644 /usr/share/ipxe/undionly.kpxe /var/lib/tftpboot/undionly.kpxe
    place 0644 /usr/share/ipxe/undionly.kpxe /var/www/upi-wizard/boot/undionly.kpxe
    place 0644 /usr/share/ipxe/ipxe-snponly-x86_64.efi /var/lib/tftpboot/ipxe.efi
    place 0644 /usr/share/ipxe/ipxe-snponly-x86_64.efi /var/www/upi-wizard/boot/ipxe.efi
}

is_placed() {
    local path one
    for path in "$@"; do
        for one in "${placed[@]}"; do
            if [[ "$one" == "$path" ]]; then return 0; fi
        done
    done
    return 1
}

check() {
    local said
    if said="$("$@" 2>&1)"; then return; fi
    say "$said"
    say "Refused by: $*"
    exit 1
}

run_checks() {
    :
}

# Opens the firewall, and sets what SELinux has to know.
run_beside() {
    bash "$here/root/upi-wizard/firewall.sh" "$@"
    bash "$here/root/upi-wizard/selinux.sh" "$@"
    :
}

# What did not run before the first run is stopped again by --undo, whoever has started it.
note_units() {
    local unit
    for unit in "${units[@]}"; do
        systemctl is-active --quiet "$unit" || note started "$unit"
        systemctl is-enabled --quiet "$unit" 2>/dev/null || note enabled "$unit"
    done
}

start_services() {
    local unit
    for unit in "${units[@]}"; do systemctl is-enabled --quiet "$unit" || run systemctl enable --quiet "$unit"; done
    reload_services
    for unit in "${units[@]}"; do systemctl is-active --quiet "$unit" || run systemctl start "$unit"; done
}

reload_services() {
    if is_placed /etc/systemd/system/tftp.service.d/upi-wizard.conf; then
        run systemctl daemon-reload
    fi
    if is_placed /etc/chrony.conf; then
        run systemctl restart chronyd
    fi
    :
}

check_services() {
    local unit
    for unit in "${units[@]}"; do
        if systemctl is-active --quiet "$unit"; then continue; fi
        say "$unit does not run:"
        journalctl --no-pager -q -n 10 -u "$unit" >&2 || true
        exit 1
    done
}

# What went wrong before the end is taken back at once: the files of this run, and the services that have read them.
at_exit() {
    local path
    if ((is_done || is_dry || ${#placed[@]} == 0)); then return; fi
    for path in "${placed[@]}"; do
        rm -f -- "$path"
        if [[ -e "$keep/last$path" ]]; then cp -a -- "$keep/last$path" "$path"; fi
    done
    if ((is_serving)); then reload_services || true; fi
    rm -rf -- "$keep/last"
    say "The files are as they were before this run."
}

install_all() {
    if [[ ! -d "$keep" ]]; then mkdir -m 0700 -- "$keep"; fi
    trap at_exit EXIT
    note_units
    add_packages
    place_files
    run_checks
    run_beside
    is_serving=1
    start_services
    check_services
    is_done=1
    rm -rf -- "$keep/last"
    say "Done."
}

dry_run() {
    is_dry=1
    add_packages
    place_files
    run_beside --dry-run
    start_services
    say "Nothing was changed."
}

# The lines of a note, the latest first.
noted() {
    if [[ -e "$keep/$1" ]]; then tac -- "$keep/$1"; fi
}

undo() {
    local entry path unit
    if [[ ! -d "$keep" ]]; then
        say "Nothing to undo: this host is as it was."
        return
    fi
    for unit in $(noted started); do systemctl stop "$unit"; done
    for unit in $(noted enabled); do systemctl disable --quiet "$unit"; done
    run_beside --undo
    while read -r path; do
        rm -f -- "$path"
        if [[ -e "$keep/first$path" ]]; then cp -a -- "$keep/first$path" "$path"; fi
    done < <(noted placed)
    for path in $(noted directories); do rmdir -- "$path" 2>/dev/null || say "Not empty, so it stays: $path"; done
    for entry in $(noted sysctl); do sysctl -q -w "$entry"; done
    systemctl daemon-reload
    for unit in "${units[@]}"; do
        if systemctl is-active --quiet "$unit"; then systemctl restart "$unit"; fi
    done
    rm -rf -- "$keep"
    say "As it was before the first run; packages stay."
}

main() {
    if ((EUID != 0)); then
        say "Run it as root."
        exit 2
    fi
    case "${1:-install}" in
        install) install_all ;;
        --dry-run) dry_run ;;
        undo | --undo) undo ;;
        *)
            say "Usage: install.sh [--dry-run | --undo]"
            exit 2
            ;;
    esac
}

main "$@"
