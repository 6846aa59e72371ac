#!/bin/bash
# Opens the firewall of bastion.example.localdomain for its services, only to the clients that need them.
# install.sh runs this script. Usage:
#
#   firewall.sh              as root: permanently opens the ports that are still closed; safe to run again
#   firewall.sh --dry-run    prints what it would open
#   firewall.sh --undo       closes what it has opened, except for the first $FIREWALL_BEFORE records
set -euo pipefail

address=172.16.0.101
opened=/var/lib/upi-wizard/firewall
mode="${1:-open}"
changes=0
# Protocol, port and source of each rule.
rules=(
    # TFTP, the boot program: every node
    "udp 69 172.16.0.0/24"
    # HTTP, boot files and ignition (secrets): every node
    "tcp 8080 172.16.0.0/24"
)

say() { printf '%s\n' "$*" >&2; }

is_dry() { [[ "$mode" == --plan || "$mode" == --dry-run ]]; }

# Prints a change, and records it for --undo if it was made.
report_change() {
    local record="$1"
    if [[ "$mode" == --plan ]]; then
        printf 'open\t%s\n' "$record"
        return
    fi
    if is_dry; then
        say "Would open: ${record#* }"
        return
    fi
    install -d -m 0700 -- "$(dirname -- "$opened")"
    printf '%s\n' "$record" >>"$opened"
    changes=$((changes + 1))
    say "Opened: ${record#* }"
}

# Whether firewalld is running. Looks for its process first, because firewall-cmd is slow when firewalld is stopped.
has_firewalld() {
    grep -qs '[f]irewalld' /proc/[0-9]*/cmdline && firewall-cmd --state >/dev/null 2>&1
}

# The zone of the interface that has this host's address.
zone() {
    local interface
    interface="$(ip -o addr show to "$address" | awk '{ print $2; exit }')"
    firewall-cmd --get-zone-of-interface="$interface" 2>/dev/null || firewall-cmd --get-default-zone
}

# Formats a rule for --add-rich-rule, --query-rich-rule and --remove-rich-rule of firewall-cmd.
rich_rule() {
    local protocol="$1" port="$2" source="$3" family=ipv4 what
    what="port port=\"$port\" protocol=\"$protocol\""
    if [[ "$port" == - ]]; then what="protocol value=\"$protocol\""; fi
    if [[ "$source" == *:* ]]; then family=ipv6; fi
    printf 'rule family="%s" source address="%s" %s accept' "$family" "$source" "$what"
}

has_line() { [[ $'\n'"$1"$'\n' == *$'\n'"$2"$'\n'* ]]; }

# Lists the rules of a kind that a zone lacks, one per line. A single firewall-cmd queries all of them.
list_missing() {
    local zone="$1" kind="$2" rule answers
    shift 2
    # firewall-cmd names the rules in its output only if it queries more than one, so the first is queried twice.
    answers="$(firewall-cmd --permanent --zone="$zone" "${@/#/--query-$kind=}" "--query-$kind=$1")"
    for rule in "$@"; do
        if ! has_line "$answers" "$rule: yes" && ! has_line "$answers" "'$rule': yes"; then printf '%s\n' "$rule"; fi
    done
}

open_kind() {
    local zone="$1" kind="$2" rule missing refused='' new_rules=()
    shift 2
    if (($# == 0)); then return; fi
    missing="$(list_missing "$zone" "$kind" "$@")"
    if [[ -z "$missing" ]]; then return; fi
    mapfile -t new_rules <<<"$missing"
    if ! is_dry; then
        # With several rules, firewall-cmd succeeds as soon as it adds one of them.
        firewall-cmd --permanent --zone="$zone" "${new_rules[@]/#/--add-$kind=}" >/dev/null || true
        refused="$(list_missing "$zone" "$kind" "${new_rules[@]}")"
    fi
    for rule in "${new_rules[@]}"; do
        if ! has_line "$refused" "$rule"; then report_change "firewalld $zone $kind=$rule"; fi
    done
    if [[ -n "$refused" ]]; then
        say "firewalld rejected: $refused"
        exit 1
    fi
}

open_firewalld() {
    local zone line protocol port source ports=() rich=()
    zone="$(zone)"
    for line in "${rules[@]}"; do
        read -r protocol port source <<<"$line"
        if [[ "$source" == any ]]; then
            ports+=("$port/$protocol")
        else
            rich+=("$(rich_rule "$protocol" "$port" "$source")")
        fi
    done
    open_kind "$zone" port "${ports[@]}"
    open_kind "$zone" rich-rule "${rich[@]}"
    if ((changes > 0)); then firewall-cmd --quiet --reload; fi
}

# Removes the firewalld rules in these records, with one firewall-cmd for each zone and kind.
close_firewalld() {
    local program zone rule key
    local -A options=()
    local -a words
    while read -r program zone rule; do
        if [[ "$program" == firewalld ]]; then options["$zone ${rule%%=*}"]+="--remove-$rule"$'\n'; fi
    done <<<"$1"
    for key in "${!options[@]}"; do
        mapfile -t words <<<"${options[$key]%$'\n'}"
        firewall-cmd --quiet --permanent --zone="${key%% *}" "${words[@]}"
    done
}

undo() {
    local program rest closed before="${FIREWALL_BEFORE:-0}"
    if [[ ! -e "$opened" ]]; then return; fi
    closed="$(tail -n "+$((before + 1))" -- "$opened")"
    close_firewalld "$closed"
    while read -r program rest; do
        if [[ -z "$program" ]]; then continue; fi
        say "Closed: $rest"
    done <<<"$closed"
    if grep -q '^firewalld ' "$opened"; then firewall-cmd --quiet --reload; fi
    head -n "$before" -- "$opened" >"$opened.new"
    mv -- "$opened.new" "$opened"
    if [[ ! -s "$opened" ]]; then rm -f -- "$opened"; fi
}

main() {
    if [[ "$mode" == --undo ]]; then
        undo
    elif has_firewalld; then
        open_firewalld
    else
        say "Firewall: firewalld is not running, nothing to open."
    fi
}

main
