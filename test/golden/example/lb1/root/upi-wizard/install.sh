#!/bin/bash
# Puts the files for lb1.example.localdomain in place, from the directory that this script came in.
#
#   install.sh          as root: packages, files, firewall, SELinux, checks, services; twice is the same as once
#   install.sh undo     as root: everything back as it was before the first run (packages stay)
set -euo pipefail

here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)"
keep=/var/lib/upi-wizard
packages=(haproxy keepalived)
firewall=(port=6443/tcp port=22623/tcp port=443/tcp port=80/tcp protocol=vrrp)
units=(haproxy keepalived)
files=(
    "0644 /etc/haproxy/haproxy.cfg"
    "0644 /etc/keepalived/keepalived.conf"
)
placed=()

say() { printf '%s\n' "$*" >&2; }

add_packages() {
    local name missing=()
    for name in "${packages[@]}"; do
        rpm -q --quiet "$name" || missing+=("$name")
    done
    if ((${#missing[@]} == 0)); then return; fi
    say "Packages: ${missing[*]}"
    dnf install -y "${missing[@]}"
}

# What was there before the first run is kept once; what was there before this run is kept until the checks have passed.
keep_before() {
    local path="$1" first="$keep/first$1" last="$keep/last$1"
    mkdir -p -- "$(dirname -- "$first")" "$(dirname -- "$last")"
    if [[ ! -e "$first" && ! -e "$first.absent" ]]; then
        if [[ -e "$path" ]]; then cp -p -- "$path" "$first"; else : >"$first.absent"; fi
    fi
    rm -f -- "$last"
    if [[ -e "$path" ]]; then cp -p -- "$path" "$last"; fi
}

put() {
    local mode="$1" path="$2" from="$here$2"
    if [[ "$from" -ef "$path" ]]; then
        chmod "$mode" -- "$path"
        return
    fi
    if cmp -s -- "$from" "$path"; then
        chmod "$mode" -- "$path"
    else
        keep_before "$path"
        placed+=("$path")
        install -D -m "$mode" -- "$from" "$path"
        say "Placed: $path"
    fi
    # A file that was copied from a home directory keeps that label, and services may not read it.
    if command -v restorecon >/dev/null; then restorecon -F -- "$path"; fi
}

put_files() {
    local entry
    for entry in "${files[@]}"; do put "${entry%% *}" "${entry#* }"; done
}

take_back() {
    local path
    for path in "${placed[@]}"; do
        if [[ -e "$keep/last$path" ]]; then cp -p -- "$keep/last$path" "$path"; else rm -f -- "$path"; fi
    done
}

check() {
    if "$@"; then return; fi
    take_back
    say "Refused by: $*"
    say "The files are as they were before this run, and no service was restarted."
    exit 1
}

run_checks() {
    check haproxy -c -f /etc/haproxy/haproxy.cfg
    check keepalived -t -f /etc/keepalived/keepalived.conf
    rm -rf -- "$keep/last"
}

open_firewall() {
    local rule
    if ! firewall-cmd --state >/dev/null 2>&1; then return; fi
    for rule in "${firewall[@]}"; do
        if firewall-cmd --quiet --permanent "--query-$rule"; then continue; fi
        firewall-cmd --quiet --permanent "--add-$rule"
        printf '%s\n' "$rule" >>"$keep/firewall"
        say "Firewall: $rule"
    done
    firewall-cmd --quiet --reload
}

# Without it HAProxy may not listen on 6443 and 22623, nor connect to them.
allow_selinux() {
    if ! command -v selinuxenabled >/dev/null || ! selinuxenabled; then return; fi
    if [[ "$(getsebool haproxy_connect_any)" == *on ]]; then return; fi
    setsebool -P haproxy_connect_any 1
    : >"$keep/haproxy_connect_any"
}

# keepalived needs the interface by name, and HAProxy has to listen on addresses that may be on another host just now.
prepare_addresses() {
    local interface
    interface="$(ip -o addr show to 172.16.0.112 | awk '{ print $2; exit }')"
    if [[ -z "$interface" ]]; then
        say "No interface has the address 172.16.0.112, which the design gives to this host."
        exit 1
    fi
    mkdir -p /etc/keepalived
    printf '%s=%s\n' "\$INTERFACE" "$interface" >/etc/keepalived/upi-wizard-interface.conf
    printf '%s = 1\n' net.ipv4.ip_nonlocal_bind net.ipv6.ip_nonlocal_bind >/etc/sysctl.d/90-upi-wizard.conf
    sysctl -q -e -p /etc/sysctl.d/90-upi-wizard.conf
}

start_services() {
    local unit
    for unit in "${units[@]}"; do
        if ! systemctl is-enabled --quiet "$unit"; then
            printf '%s\n' "$unit" >>"$keep/units"
            systemctl enable --quiet "$unit"
        fi
    done
    if ((${#placed[@]} > 0)); then
        systemctl reload-or-restart haproxy
        systemctl reload-or-restart keepalived
        say "Services reloaded."
    fi
    for unit in "${units[@]}"; do systemctl is-active --quiet "$unit" || systemctl start "$unit"; done
}

undo() {
    local entry path unit rule
    if [[ -e "$keep/units" ]]; then
        while read -r unit; do systemctl disable --quiet --now "$unit"; done <"$keep/units"
    fi
    for entry in "${files[@]}"; do
        path="${entry#* }"
        if [[ -e "$keep/first$path" ]]; then cp -p -- "$keep/first$path" "$path"; fi
        if [[ -e "$keep/first$path.absent" ]]; then rm -f -- "$path"; fi
    done
    if [[ -e "$keep/firewall" ]]; then
        while read -r rule; do firewall-cmd --quiet --permanent "--remove-$rule"; done <"$keep/firewall"
        firewall-cmd --quiet --reload
    fi
    if [[ -e "$keep/haproxy_connect_any" ]]; then setsebool -P haproxy_connect_any 0; fi
    rm -f -- /etc/keepalived/upi-wizard-interface.conf /etc/sysctl.d/90-upi-wizard.conf
    for unit in "${units[@]}"; do
        if systemctl is-enabled --quiet "$unit"; then systemctl restart "$unit"; fi
    done
    rm -rf -- "$keep"
    say "As it was before."
}

main() {
    if ((EUID != 0)); then
        say "Run it as root."
        exit 2
    fi
    install -d -m 0700 "$keep"
    case "${1:-install}" in
        install)
            add_packages
            prepare_addresses
            put_files
            run_checks
            open_firewall
            allow_selinux
            start_services
            say "Done."
            ;;
        undo) undo ;;
        *)
            say "Usage: install.sh [install|undo]"
            exit 2
            ;;
    esac
}

main "$@"
