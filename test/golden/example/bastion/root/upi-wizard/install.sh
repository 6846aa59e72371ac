#!/bin/bash
# Installs the files for bastion.example.localdomain from the directory tree that contains this script,
# and starts its services.
#
#   install.sh              as root: packages, files, checks, firewall, SELinux, services; safe to run again
#   install.sh --dry-run    prints what it would change, and changes nothing
#   install.sh --undo       as root: restores the state before the first run; packages stay, and so do files that were
#                           changed since they were installed (--undo --all restores those too)
#
# For upi-wizard: --plan and --undo-plan print the changes as records on standard output. --revertible keeps backups, so
# that --revert can undo this run until --settle deletes them.
set -euo pipefail

here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)"
state_dir=/var/lib/upi-wizard
is_dry=0
is_plan=0
is_revertible=0
is_serving=0
is_done=0
placed=()

packages=(chrony policycoreutils-python-utils tftp-server ipxe-bootimgs-x86)
units=(chronyd tftp.socket)
# Mode and path of each file on this host.
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

# Prints a record of --plan: its fields, separated by tabs.
record() {
    local IFS=$'\t'
    printf '%s\n' "$*"
}

# Prints the stage of a revertible run for upi-wizard, which follows the output.
stage() {
    if ((is_revertible)); then say "@stage"$'\t'"$1"; fi
}

# Prints a change, and makes it unless this is a dry run.
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

# Adds a line to a state file, once.
add_state() { grep -qsxF -- "$2" "$state_dir/$1" || printf '%s\n' "$2" >>"$state_dir/$1"; }

add_packages() {
    local name missing=()
    for name in "${packages[@]}"; do
        rpm -q --quiet "$name" || missing+=("$name")
    done
    if ((${#missing[@]} > 0)); then change install "${missing[*]}" get_packages "${missing[@]}"; fi
}

get_packages() {
    local name
    for name in "$@"; do add_state packages "$name"; done
    dnf install -y "$@"
}

# Keeps two backups of a file: as it was before the first run, for --undo, and before this run, for --revert.
back_up() {
    local path="$1" first="$state_dir/first$1" last="$state_dir/last$1"
    if [[ ! -d "${first%/*}" || ! -d "${last%/*}" ]]; then mkdir -p -- "${first%/*}" "${last%/*}"; fi
    if ! grep -qsxF -- "$path" "$state_dir/placed"; then
        if [[ -e "$path" ]]; then cp -a -- "$path" "$first"; fi
        printf '%s\n' "$path" >>"$state_dir/placed"
    fi
    if [[ -e "$last" || -L "$last" ]]; then rm -f -- "$last"; fi
    if [[ -e "$path" ]]; then cp -a -- "$path" "$last"; fi
}

make_directory() {
    if [[ -z "$1" || -d "$1" ]]; then return; fi
    make_directory "${1%/*}"
    mkdir -- "$1"
    add_state directories "$1"
}

relabel() {
    if command -v restorecon >/dev/null; then restorecon -F -- "$1"; fi
}

sum_of() {
    local output
    output="$(sha256sum <"$1")"
    printf '%s' "${output%% *}"
}

# Records the checksum of an installed file, to detect later changes. The last line of a file counts.
add_sum() { printf '%s %s\n' "$(sum_of "$1")" "$1" >>"$state_dir/sums"; }

read_sum() {
    if [[ -e "$state_dir/sums" ]]; then awk -v path="$1" '$2 == path { sum = $1 } END { print sum }' "$state_dir/sums"; fi
}

# Whether a file was changed since this script installed it.
is_edited() {
    local was
    was="$(read_sum "$1")"
    [[ -n "$was" && -f "$1" && "$(sum_of "$1")" != "$was" ]]
}

write_file() {
    local mode="$1" from="$2" path="$3"
    back_up "$path"
    placed+=("$path")
    printf '%s\n' "$path" >>"$state_dir/run/changed"
    make_directory "${path%/*}"
    install -m "$mode" -- "$from" "$path"
    add_sum "$path"
    relabel "$path"
}

# Prints the diff of a file, unless only root can read it: such a file may hold secrets.
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

# Installs a file, unless the host already has it with the same contents and mode.
place() {
    local mode="$1" from="$2" path="$3"
    if [[ -e "$path" && "$from" -ef "$path" ]]; then return; fi
    if cmp -s -- "$from" "$path" && [[ "0$(stat -c %a -- "$path")" == "$mode" ]]; then return; fi
    if ((is_dry)); then placed+=("$path"); fi
    if ((is_plan)); then
        plan_file "$mode" "$from" "$path"
        return
    fi
    change place "$path" write_file "$mode" "$from" "$path"
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
    local output
    if output="$("$@" 2>&1)"; then return; fi
    say "$output"
    say "Refused by: $*"
    exit 1
}

run_checks() {
    :
}

# Runs the scripts that open the firewall and configure SELinux.
run_security_scripts() {
    bash "$here/root/upi-wizard/firewall.sh" "$@"
    bash "$here/root/upi-wizard/selinux.sh" "$@"
    :
}

# Records inactive and disabled units: --undo stops and disables them, even if something else started them since.
save_units() {
    local unit
    for unit in "${units[@]}"; do
        systemctl is-active --quiet "$unit" || add_state started "$unit"
        systemctl is-enabled --quiet "$unit" 2>/dev/null || add_state enabled "$unit"
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

# Reverts a run that failed: its files, and the services that have read them.
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
        if [[ -e "$state_dir/last$path" ]]; then cp -a -- "$state_dir/last$path" "$path"; fi
    done
    rm -f -- "$state_dir/sums"
    if [[ -e "$state_dir/run/sums" ]]; then cp -a -- "$state_dir/run/sums" "$state_dir/sums"; fi
    if ((is_serving)); then reload_services || true; fi
    settle
    say "The files are as they were before this run."
}

# The state files, which --undo reads.
state_files=(placed directories started enabled sysctl firewall selinux sums packages)

# Saves the state files and the state of the services before this run, so that --revert can undo this run alone.
begin_run() {
    local name unit active enabled
    rm -rf -- "$state_dir/run" "$state_dir/last"
    mkdir -- "$state_dir/run"
    for name in "${state_files[@]}"; do
        if [[ -e "$state_dir/$name" ]]; then cp -a -- "$state_dir/$name" "$state_dir/run/$name"; fi
    done
    for unit in "${units[@]}"; do
        active=no enabled=no
        if systemctl is-active --quiet "$unit"; then active=yes; fi
        if systemctl is-enabled --quiet "$unit" 2>/dev/null; then enabled=yes; fi
        printf '%s %s %s\n' "$unit" "$active" "$enabled" >>"$state_dir/run/units"
    done
}

# Deletes the backups of the last run. From now on, runs can only be undone together, with --undo.
settle() { rm -rf -- "$state_dir/last" "$state_dir/run"; }

install_all() {
    if [[ ! -d "$state_dir" ]]; then mkdir -m 0700 -- "$state_dir"; fi
    trap at_exit EXIT
    begin_run
    save_units
    stage packages
    add_packages
    stage files
    place_files
    stage checks
    run_checks
    stage firewall
    run_security_scripts
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
    run_security_scripts --dry-run
    start_services
    say "Nothing was changed."
}

plan() {
    local unit active
    is_dry=1 is_plan=1
    add_packages
    place_files
    run_security_scripts --plan
    start_services
    for unit in "${units[@]}"; do
        active=inactive
        if systemctl is-active --quiet "$unit"; then active=active; fi
        record unit "$unit" "$active"
    done
    if [[ -d "$state_dir/run" ]]; then record unsettled; fi
    if [[ -d "$state_dir" ]]; then record installed; fi
}

# Prints the lines of a state file, newest first.
read_state() {
    if [[ -e "$state_dir/$1" ]]; then tac -- "$state_dir/$1"; fi
}

# Prints the lines that the last run added to a state file, newest first.
read_new_state() {
    if [[ -e "$state_dir/$1" ]]; then tail -n "+$(($(count_before "$1") + 1))" -- "$state_dir/$1" | tac; fi
}

count_before() {
    if [[ -e "$state_dir/run/$1" ]]; then wc -l <"$state_dir/run/$1"; else echo 0; fi
}

remove_directories() {
    local path
    while read -r path; do
        rmdir -- "$path" 2>/dev/null || say "Not removed, because it is not empty: $path"
    done
}

restart_running() {
    local unit
    systemctl daemon-reload
    for unit in "${units[@]}"; do
        if systemctl is-active --quiet "$unit"; then systemctl restart "$unit"; fi
    done
}

# Reverts the last run, and keeps the changes of the runs before it.
revert() {
    local path unit active enabled name entry
    if [[ ! -d "$state_dir/run" ]]; then
        say "Nothing to revert: the last run is already confirmed or reverted."
        return
    fi
    while read -r unit active enabled; do
        if [[ "$active" == no ]]; then systemctl stop "$unit"; fi
        if [[ "$enabled" == no ]] && systemctl is-enabled --quiet "$unit" 2>/dev/null; then systemctl disable --quiet "$unit"; fi
    done < <(if [[ -e "$state_dir/run/units" ]]; then cat -- "$state_dir/run/units"; fi)
    FIREWALL_BEFORE="$(count_before firewall)" SELINUX_BEFORE="$(count_before selinux)" run_security_scripts --undo
    while read -r path; do
        rm -f -- "$path"
        if [[ -e "$state_dir/last$path" ]]; then cp -a -- "$state_dir/last$path" "$path"; fi
    done < <(if [[ -e "$state_dir/run/changed" ]]; then cat -- "$state_dir/run/changed"; fi)
    read_new_state directories | remove_directories
    for entry in $(read_new_state sysctl); do sysctl -q -w "$entry"; done
    if [[ -e "$state_dir/run/changed" ]]; then restart_running; fi
    # Files that earlier runs installed keep their backup from before the first run.
    while read -r path; do rm -f -- "$state_dir/first$path"; done < <(read_new_state placed)
    for name in "${state_files[@]}"; do
        rm -f -- "$state_dir/$name"
        if [[ -e "$state_dir/run/$name" ]]; then cp -a -- "$state_dir/run/$name" "$state_dir/$name"; fi
    done
    settle
    if [[ ! -e "$state_dir/placed" ]]; then rm -rf -- "$state_dir"; fi
    say "This host is as it was before this run; packages stay installed."
}

undo_plan() {
    local path unit entry how
    while read -r path; do
        how=remove
        if [[ -e "$state_dir/first$path" ]]; then how=restore; fi
        if is_edited "$path"; then how=edited; fi
        record back "$path" "$how"
        if [[ "$how" == edited ]]; then
            entry="$state_dir/first$path"
            if [[ ! -e "$entry" ]]; then entry=/dev/null; fi
            show_difference "$(stat -c 0%a -- "$path")" "$path" "$entry"
        fi
    done < <(read_state placed)
    for unit in $(read_state started); do record run "systemctl stop $unit"; done
    for unit in $(read_state enabled); do record run "systemctl disable $unit"; done
    while read -r entry; do record close "$entry"; done < <(read_state firewall)
    while read -r entry; do record unset "$entry"; done < <(read_state selinux)
    while read -r entry; do record stays "$entry"; done < <(read_state packages)
}

# Restores a file to its state before the first run. A file that was changed since stays, except with --undo --all.
restore_file() {
    local path="$1"
    if ((!is_all)) && is_edited "$path"; then
        say "Not restored, because it was changed since it was installed: $path"
        edited+=("$path")
        return
    fi
    rm -f -- "$path"
    if [[ -e "$state_dir/first$path" ]]; then cp -a -- "$state_dir/first$path" "$path"; fi
    rm -f -- "$state_dir/first$path"
}

undo() {
    local entry path unit is_all=0 edited=() packages_added=()
    if [[ "${1:-}" == --all ]]; then is_all=1; fi
    if [[ ! -d "$state_dir" ]]; then
        say "Nothing to undo: this host is as it was."
        return
    fi
    mapfile -t packages_added < <(read_state packages)
    for unit in $(read_state started); do systemctl stop "$unit"; done
    for unit in $(read_state enabled); do
        if systemctl is-enabled --quiet "$unit" 2>/dev/null; then systemctl disable --quiet "$unit"; fi
    done
    run_security_scripts --undo
    while read -r path; do restore_file "$path"; done < <(read_state placed)
    read_state directories | remove_directories
    for entry in $(read_state sysctl); do sysctl -q -w "$entry"; done
    restart_running
    if ((${#packages_added[@]} > 0)); then say "Packages that were installed: ${packages_added[*]}"; fi
    if ((${#edited[@]} > 0)); then
        keep_edited "${edited[@]}"
        say "Apart from these files, this host is as it was before the first run; packages stay installed."
        return
    fi
    rm -rf -- "$state_dir"
    say "This host is as it was before the first run; packages stay installed."
}

# Keeps the state and backups of files that were not restored, so that --undo --all can restore them later.
keep_edited() {
    local path sums
    sums="$(for path in "$@"; do printf '%s %s\n' "$(read_sum "$path")" "$path"; done)"
    for path in "${state_files[@]}"; do rm -f -- "$state_dir/$path"; done
    settle
    printf '%s\n' "$sums" >"$state_dir/sums"
    printf '%s\n' "$@" >"$state_dir/placed"
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
