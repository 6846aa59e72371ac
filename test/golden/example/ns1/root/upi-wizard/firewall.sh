#!/bin/bash
# Lets in what ns1.example.localdomain serves, from those who need it. install.sh runs it; by itself:
#
#   firewall.sh              as root: opens for good what is not open yet; twice is the same as once
#   firewall.sh --dry-run    only says what it would open
#   firewall.sh --undo       closes again what it has opened (but for the first FIREWALL_BEFORE records)
set -euo pipefail

address=172.16.0.102
opened=/var/lib/upi-wizard/firewall
mode="${1:-open}"
changes=0
# protocol, port, who comes
rules=(
    # DNS, forward and reverse: everybody
    "udp 53 any"
    # DNS, forward and reverse: everybody
    "tcp 53 any"
    # DHCP, clients have no address yet: every node
    "udp 67 any"
)

say() { printf '%s\n' "$*" >&2; }

is_dry() { [[ "$mode" == --plan || "$mode" == --dry-run ]]; }

# Says a change, and writes one that was made down for --undo.
changed() {
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

# Whether firewalld runs. firewall-cmd takes its time to say that it does not, so it is asked only where there is a process.
has_firewalld() {
    grep -qs '[f]irewalld' /proc/[0-9]*/cmdline && firewall-cmd --state >/dev/null 2>&1
}

# The zone of the interface that has this host's address.
zone() {
    local interface
    interface="$(ip -o addr show to "$address" | awk '{ print $2; exit }')"
    firewall-cmd --get-zone-of-interface="$interface" 2>/dev/null || firewall-cmd --get-default-zone
}

# A rule as firewall-cmd takes it after --add-rich-rule, --query-rich-rule and --remove-rich-rule.
rich_rule() {
    local protocol="$1" port="$2" source="$3" family=ipv4 what
    what="port port=\"$port\" protocol=\"$protocol\""
    if [[ "$port" == - ]]; then what="protocol value=\"$protocol\""; fi
    if [[ "$source" == *:* ]]; then family=ipv6; fi
    printf 'rule family="%s" source address="%s" %s accept' "$family" "$source" "$what"
}

has_line() { [[ $'\n'"$1"$'\n' == *$'\n'"$2"$'\n'* ]]; }

# Those of the rules of a kind that a zone does not have, one a line. One firewall-cmd asks for all of them.
lacking() {
    local zone="$1" kind="$2" rule answers
    shift 2
    # In its answers it names a rule only when it is asked for more than one.
    answers="$(firewall-cmd --permanent --zone="$zone" "${@/#/--query-$kind=}" "--query-$kind=$1")"
    for rule in "$@"; do
        if ! has_line "$answers" "$rule: yes" && ! has_line "$answers" "'$rule': yes"; then printf '%s\n' "$rule"; fi
    done
}

open_kind() {
    local zone="$1" kind="$2" rule missing refused='' news=()
    shift 2
    if (($# == 0)); then return; fi
    missing="$(lacking "$zone" "$kind" "$@")"
    if [[ -z "$missing" ]]; then return; fi
    mapfile -t news <<<"$missing"
    if ! is_dry; then
        # Of several it says with its exit only whether it took one.
        firewall-cmd --permanent --zone="$zone" "${news[@]/#/--add-$kind=}" >/dev/null || true
        refused="$(lacking "$zone" "$kind" "${news[@]}")"
    fi
    for rule in "${news[@]}"; do
        if ! has_line "$refused" "$rule"; then changed "firewalld $zone $kind=$rule"; fi
    done
    if [[ -n "$refused" ]]; then
        say "firewalld did not take: $refused"
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

# Closes what records of firewalld say: one firewall-cmd for all of a kind in a zone.
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
        say "Firewall: none runs here that this script knows, nothing to open."
    fi
}

main
