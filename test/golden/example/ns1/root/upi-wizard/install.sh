#!/bin/bash
# Puts the files for ns1.example.localdomain in place, from the directory that this script came in.
#
#   install.sh              as root: packages, files, checks, firewall, SELinux, services; twice is the same as once
#   install.sh --dry-run    only says what it would do
#   install.sh --undo       as root: everything back as it was before the first run (packages stay, and so do files that
#                           somebody changed since; --undo --all puts those back, too)
#
# For upi-wizard: --plan and --undo-plan say on standard output, in records, what would be done; --revertible keeps what is
# needed to take this run back with --revert, until --settle.
set -euo pipefail

here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)"
keep=/var/lib/upi-wizard
is_dry=0
is_plan=0
is_revertible=0
is_serving=0
is_done=0
placed=()

packages=(bind bind-utils dhcp-server)
units=(named dhcpd)
# mode, and the path on this host
files=(
    "0644 /etc/named.conf"
    "0644 /var/named/example.localdomain.zone"
    "0644 /var/named/0.16.172.in-addr.arpa.zone"
    "0644 /etc/dhcp/dhcpd.conf"
    "0755 /root/upi-wizard/firewall.sh"
    "0755 /root/upi-wizard/install.sh"
)

say() { printf '%s\n' "$*" >&2; }

# A record of --plan: its fields with tabs between them.
record() {
    local IFS=$'\t'
    printf '%s\n' "$*"
}

# Where it has come to, for whoever watches a run.
stage() {
    if ((is_revertible)); then say "@stage"$'\t'"$1"; fi
}

# Says what changes, and does it unless this is a dry run.
change() {
    local verb="$1" what="$2"
    shift 2
    if ((is_plan)); then
        record "$verb" "$what"
    elif ((is_dry)); then
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
    local name
    for name in "$@"; do note packages "$name"; done
    dnf install -y "$@"
}

# What was there before the first run is kept once, for --undo; what was there before this run is kept until it has ended well.
keep_before() {
    local path="$1" first="$keep/first$1" last="$keep/last$1"
    if [[ ! -d "${first%/*}" || ! -d "${last%/*}" ]]; then mkdir -p -- "${first%/*}" "${last%/*}"; fi
    if ! grep -qsxF -- "$path" "$keep/placed"; then
        if [[ -e "$path" ]]; then cp -a -- "$path" "$first"; fi
        printf '%s\n' "$path" >>"$keep/placed"
    fi
    if [[ -e "$last" || -L "$last" ]]; then rm -f -- "$last"; fi
    if [[ -e "$path" ]]; then cp -a -- "$path" "$last"; fi
}

make_directory() {
    if [[ -z "$1" || -d "$1" ]]; then return; fi
    make_directory "${1%/*}"
    mkdir -- "$1"
    note directories "$1"
}

relabel() {
    if command -v restorecon >/dev/null; then restorecon -F -- "$1"; fi
}

sum_of() {
    local said
    said="$(sha256sum <"$1")"
    printf '%s' "${said%% *}"
}

# What we put there, to tell later whether somebody changed it: of a file that is named more than once the last counts.
note_sum() { printf '%s %s\n' "$(sum_of "$1")" "$1" >>"$keep/sums"; }

noted_sum() {
    if [[ -e "$keep/sums" ]]; then awk -v path="$1" '$2 == path { sum = $1 } END { print sum }' "$keep/sums"; fi
}

# Has somebody changed the file since we put it there?
is_edited() {
    local was
    was="$(noted_sum "$1")"
    [[ -n "$was" && -f "$1" && "$(sum_of "$1")" != "$was" ]]
}

put() {
    local mode="$1" from="$2" path="$3"
    keep_before "$path"
    placed+=("$path")
    printf '%s\n' "$path" >>"$keep/run/changed"
    make_directory "${path%/*}"
    install -m "$mode" -- "$from" "$path"
    note_sum "$path"
    relabel "$path"
}

# What only root may read may be secret: it is compared, and not shown.
show_difference() {
    local mode="$1" from="$2" to="$3"
    if [[ "$mode" == *00 ]]; then return; fi
    diff -U 2 -- "$from" "$to" | tail -n +3 | sed 's/^/diff\t/' || true
}

plan_file() {
    local mode="$1" from="$2" path="$3" how=changed was="$3"
    if [[ ! -e "$path" ]]; then how=new was=/dev/null; fi
    if is_edited "$path"; then how=edited; fi
    record place "$path" "$how" "$mode"
    show_difference "$mode" "$was" "$from"
}

# A file that is there already, with the same contents and mode, is left alone.
place() {
    local mode="$1" from="$2" path="$3"
    if [[ -e "$path" && "$from" -ef "$path" ]]; then return; fi
    if cmp -s -- "$from" "$path" && [[ "0$(stat -c %a -- "$path")" == "$mode" ]]; then return; fi
    if ((is_dry)); then placed+=("$path"); fi
    if ((is_plan)); then
        plan_file "$mode" "$from" "$path"
        return
    fi
    change place "$path" put "$mode" "$from" "$path"
}

place_files() {
    local entry
    for entry in "${files[@]}"; do place "${entry%% *}" "$here${entry#* }" "${entry#* }"; done
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
    check named-checkconf -z /etc/named.conf
    check named-checkzone example.localdomain /var/named/example.localdomain.zone
    check named-checkzone 0.16.172.in-addr.arpa /var/named/0.16.172.in-addr.arpa.zone
    check dhcpd -t -cf /etc/dhcp/dhcpd.conf
    :
}

# Opens the firewall, and sets what SELinux has to know.
run_beside() {
    bash "$here/root/upi-wizard/firewall.sh" "$@"
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
    if is_placed /etc/named.conf /var/named/example.localdomain.zone /var/named/0.16.172.in-addr.arpa.zone; then
        run systemctl reload-or-restart named
    fi
    if is_placed /etc/dhcp/dhcpd.conf; then
        run systemctl restart dhcpd
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
    if ((is_done || is_dry)); then return; fi
    if ((is_revertible)); then
        stage revert
        revert || true
        return
    fi
    if ((${#placed[@]} == 0)); then
        settle
        return
    fi
    for path in "${placed[@]}"; do
        rm -f -- "$path"
        if [[ -e "$keep/last$path" ]]; then cp -a -- "$keep/last$path" "$path"; fi
    done
    rm -f -- "$keep/sums"
    if [[ -e "$keep/run/sums" ]]; then cp -a -- "$keep/run/sums" "$keep/sums"; fi
    if ((is_serving)); then reload_services || true; fi
    settle
    say "The files are as they were before this run."
}

# Everything that is noted for --undo.
notes=(placed directories started enabled sysctl firewall selinux sums packages)

# The notes and the services as they are before this run, to take this run alone back.
begin_run() {
    local name unit active enabled
    rm -rf -- "$keep/run" "$keep/last"
    mkdir -- "$keep/run"
    for name in "${notes[@]}"; do
        if [[ -e "$keep/$name" ]]; then cp -a -- "$keep/$name" "$keep/run/$name"; fi
    done
    for unit in "${units[@]}"; do
        active=no enabled=no
        if systemctl is-active --quiet "$unit"; then active=yes; fi
        if systemctl is-enabled --quiet "$unit" 2>/dev/null; then enabled=yes; fi
        printf '%s %s %s\n' "$unit" "$active" "$enabled" >>"$keep/run/units"
    done
}

# From here on the last run can only be undone together with all before it.
settle() { rm -rf -- "$keep/last" "$keep/run"; }

install_all() {
    if [[ ! -d "$keep" ]]; then mkdir -m 0700 -- "$keep"; fi
    trap at_exit EXIT
    begin_run
    note_units
    stage packages
    add_packages
    stage files
    place_files
    stage checks
    run_checks
    stage firewall
    run_beside
    is_serving=1
    stage services
    start_services
    check_services
    is_done=1
    if ((!is_revertible)); then settle; fi
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

plan() {
    local unit active
    is_dry=1 is_plan=1
    add_packages
    place_files
    run_beside --plan
    start_services
    for unit in "${units[@]}"; do
        active=inactive
        if systemctl is-active --quiet "$unit"; then active=active; fi
        record unit "$unit" "$active"
    done
    if [[ -d "$keep/run" ]]; then record unsettled; fi
    if [[ -d "$keep" ]]; then record installed; fi
}

# The lines of a note, the latest first.
noted() {
    if [[ -e "$keep/$1" ]]; then tac -- "$keep/$1"; fi
}

# What a note says since this run began, the latest first.
noted_now() {
    if [[ -e "$keep/$1" ]]; then tail -n "+$(($(count_before "$1") + 1))" -- "$keep/$1" | tac; fi
}

count_before() {
    if [[ -e "$keep/run/$1" ]]; then wc -l <"$keep/run/$1"; else echo 0; fi
}

remove_directories() {
    local path
    while read -r path; do
        rmdir -- "$path" 2>/dev/null || say "Not empty, so it stays: $path"
    done
}

restart_running() {
    local unit
    systemctl daemon-reload
    for unit in "${units[@]}"; do
        if systemctl is-active --quiet "$unit"; then systemctl restart "$unit"; fi
    done
}

# Takes the last run back, and leaves what was there before it.
revert() {
    local path unit active enabled name entry
    if [[ ! -d "$keep/run" ]]; then
        say "Nothing to take back: no run is open."
        return
    fi
    while read -r unit active enabled; do
        if [[ "$active" == no ]]; then systemctl stop "$unit"; fi
        if [[ "$enabled" == no ]] && systemctl is-enabled --quiet "$unit" 2>/dev/null; then systemctl disable --quiet "$unit"; fi
    done < <(if [[ -e "$keep/run/units" ]]; then cat -- "$keep/run/units"; fi)
    FIREWALL_BEFORE="$(count_before firewall)" SELINUX_BEFORE="$(count_before selinux)" run_beside --undo
    while read -r path; do
        rm -f -- "$path"
        if [[ -e "$keep/last$path" ]]; then cp -a -- "$keep/last$path" "$path"; fi
    done < <(if [[ -e "$keep/run/changed" ]]; then cat -- "$keep/run/changed"; fi)
    noted_now directories | remove_directories
    for entry in $(noted_now sysctl); do sysctl -q -w "$entry"; done
    if [[ -e "$keep/run/changed" ]]; then restart_running; fi
    # What was there before the first run of all is kept for what is still in place.
    while read -r path; do rm -f -- "$keep/first$path"; done < <(noted_now placed)
    for name in "${notes[@]}"; do
        rm -f -- "$keep/$name"
        if [[ -e "$keep/run/$name" ]]; then cp -a -- "$keep/run/$name" "$keep/$name"; fi
    done
    settle
    if [[ ! -e "$keep/placed" ]]; then rm -rf -- "$keep"; fi
    say "As it was before this run; packages stay."
}

undo_plan() {
    local path unit entry how
    while read -r path; do
        how=remove
        if [[ -e "$keep/first$path" ]]; then how=restore; fi
        if is_edited "$path"; then how=edited; fi
        record back "$path" "$how"
        if [[ "$how" == edited ]]; then
            entry="$keep/first$path"
            if [[ ! -e "$entry" ]]; then entry=/dev/null; fi
            show_difference "$(stat -c 0%a -- "$path")" "$path" "$entry"
        fi
    done < <(noted placed)
    for unit in $(noted started); do record run "systemctl stop $unit"; done
    for unit in $(noted enabled); do record run "systemctl disable $unit"; done
    while read -r entry; do record close "$entry"; done < <(noted firewall)
    while read -r entry; do record unset "$entry"; done < <(noted selinux)
    while read -r entry; do record stays "$entry"; done < <(noted packages)
}

# Puts a file back as it was before the first run; one that somebody changed since stays, unless all are asked for.
put_back() {
    local path="$1"
    if ((!is_all)) && is_edited "$path"; then
        say "Somebody changed it, so it stays: $path"
        edited+=("$path")
        return
    fi
    rm -f -- "$path"
    if [[ -e "$keep/first$path" ]]; then cp -a -- "$keep/first$path" "$path"; fi
    rm -f -- "$keep/first$path"
}

undo() {
    local entry path unit is_all=0 edited=() packages_added=()
    if [[ "${1:-}" == --all ]]; then is_all=1; fi
    if [[ ! -d "$keep" ]]; then
        say "Nothing to undo: this host is as it was."
        return
    fi
    mapfile -t packages_added < <(noted packages)
    for unit in $(noted started); do systemctl stop "$unit"; done
    for unit in $(noted enabled); do
        if systemctl is-enabled --quiet "$unit" 2>/dev/null; then systemctl disable --quiet "$unit"; fi
    done
    run_beside --undo
    while read -r path; do put_back "$path"; done < <(noted placed)
    noted directories | remove_directories
    for entry in $(noted sysctl); do sysctl -q -w "$entry"; done
    restart_running
    if ((${#packages_added[@]} > 0)); then say "Packages that were added: ${packages_added[*]}"; fi
    if ((${#edited[@]} > 0)); then
        keep_edited "${edited[@]}"
        say "Otherwise as it was before the first run; packages stay."
        return
    fi
    rm -rf -- "$keep"
    say "As it was before the first run; packages stay."
}

# What is needed to put these back after all.
keep_edited() {
    local path sums
    sums="$(for path in "$@"; do printf '%s %s\n' "$(noted_sum "$path")" "$path"; done)"
    for path in "${notes[@]}"; do rm -f -- "$keep/$path"; done
    settle
    printf '%s\n' "$sums" >"$keep/sums"
    printf '%s\n' "$@" >"$keep/placed"
}

main() {
    if ((EUID != 0)); then
        say "Run it as root."
        exit 2
    fi
    case "${1:-install}" in
        install) install_all ;;
        --revertible)
            is_revertible=1
            install_all
            ;;
        --dry-run) dry_run ;;
        --plan) plan ;;
        --undo-plan) undo_plan ;;
        --settle) settle ;;
        --revert) revert ;;
        undo | --undo) undo "${2:-}" ;;
        *)
            say "Usage: install.sh [--dry-run | --undo [--all]]"
            exit 2
            ;;
    esac
}

main "$@"
