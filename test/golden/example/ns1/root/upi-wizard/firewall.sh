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

# Says a change and makes it; with --dry-run only the former. A change that was made is written down for --undo.
change() {
    local record="$1"
    shift
    if [[ "$mode" == --plan ]]; then
        printf 'open\t%s\n' "$record"
        return
    fi
    if [[ "$mode" == --dry-run ]]; then
        say "Would open: ${record#* }"
        return
    fi
    "$@" >/dev/null
    install -d -m 0700 -- "$(dirname -- "$opened")"
    printf '%s\n' "$record" >>"$opened"
    changes=$((changes + 1))
    say "Opened: ${record#* }"
}

# The zone of the interface that has this host's address.
zone() {
    local interface
    interface="$(ip -o addr show to "$address" | awk '{ print $2; exit }')"
    firewall-cmd --get-zone-of-interface="$interface" 2>/dev/null || firewall-cmd --get-default-zone
}

# A rule as firewall-cmd takes it after --add-, --query- and --remove-.
firewalld_rule() {
    local protocol="$1" port="$2" source="$3" family=ipv4 what
    if [[ "$source" == any ]]; then
        printf 'port=%s/%s' "$port" "$protocol"
        return
    fi
    what="port port=\"$port\" protocol=\"$protocol\""
    if [[ "$port" == - ]]; then what="protocol value=\"$protocol\""; fi
    if [[ "$source" == *:* ]]; then family=ipv6; fi
    printf 'rich-rule=rule family="%s" source address="%s" %s accept' "$family" "$source" "$what"
}

open_firewalld() {
    local zone line protocol port source rule
    zone="$(zone)"
    for line in "${rules[@]}"; do
        read -r protocol port source <<<"$line"
        rule="$(firewalld_rule "$protocol" "$port" "$source")"
        if firewall-cmd --quiet --permanent --zone="$zone" "--query-$rule"; then continue; fi
        change "firewalld $zone $rule" firewall-cmd --quiet --permanent --zone="$zone" "--add-$rule"
    done
    if ((changes > 0)); then firewall-cmd --quiet --reload; fi
}

undo() {
    local program rest zone rule before="${FIREWALL_BEFORE:-0}"
    if [[ ! -e "$opened" ]]; then return; fi
    while read -r program rest; do
        if [[ "$program" == firewalld ]]; then
            zone="${rest%% *}" rule="${rest#* }"
            firewall-cmd --quiet --permanent --zone="$zone" "--remove-$rule"
        fi
        say "Closed: $rest"
    done < <(tail -n "+$((before + 1))" -- "$opened")
    if grep -q '^firewalld ' "$opened"; then firewall-cmd --quiet --reload; fi
    head -n "$before" -- "$opened" >"$opened.new"
    mv -- "$opened.new" "$opened"
    if [[ ! -s "$opened" ]]; then rm -f -- "$opened"; fi
}

main() {
    if [[ "$mode" == --undo ]]; then
        undo
    elif firewall-cmd --state >/dev/null 2>&1; then
        open_firewalld
    else
        say "Firewall: none runs here that this script knows, nothing to open."
    fi
}

main
