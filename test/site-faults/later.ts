import type { DebianMachineName, RealSite } from '../support/real-site.ts';
import type { HealthyVariant, SiteFault } from './fault.ts';
import { WAIT_FOR_ADDRESSES } from './virtual-addresses.ts';

const WEB = '/var/www/upi-wizard';
const HAPROXY = '/etc/haproxy/haproxy.cfg';
const ZONE = '/var/lib/bind/example.localdomain.zone';
const DHCP = '/etc/dhcp/dhcpd.conf';

/** Changes a file with sed, and restarts its service; both come back when the site is restored. */
const edit = (site: RealSite, machine: DebianMachineName, path: string, script: string, unit: string, wait = 'true') =>
  site.change(
    machine,
    `cp -a ${path} /run/later.kept; sed -i -E '${script}' ${path}; ! cmp -s ${path} /run/later.kept; systemctl restart ${unit}; ${wait}`,
    `cp -a /run/later.kept ${path}; systemctl restart ${unit}; ${wait}`,
  );

/**
 * Faults that were planted after the checks were written, to see what the checks find that they were not written for.
 */
export const LATER_FAULTS: readonly SiteFault[] = [
  {
    id: 'haproxy-source-list',
    kind: 1,
    title: 'HAProxy accepts connections to 6443 of the bastion only',
    file: /haproxy\.cfg/,
    plant: (site) =>
      edit(
        site,
        'lb1',
        HAPROXY,
        's/^([ \\t]*)(bind .*:6443.*)$/\\1\\2\\n\\1tcp-request connection reject unless { src 172.16.0.101 }/',
        'haproxy',
        WAIT_FOR_ADDRESSES,
      ),
    expects: { ids: ['lb-clients'], pattern: /lb1.*reject unless/ },
  },
  {
    id: 'balancer-cannot-send',
    kind: 1,
    title: 'lb1 drops what it sends to 22623 of the nodes',
    plant: (site) =>
      site.change(
        'lb1',
        'iptables -A OUTPUT -p tcp --dport 22623 -d 172.16.0.0/24 -j DROP; sleep 6',
        'iptables -D OUTPUT -p tcp --dport 22623 -d 172.16.0.0/24 -j DROP; sleep 25',
      ),
    expects: { pattern: /lb1.*22623.*(?:drop|filter|iptables)|lb1.*(?:drop|filter|iptables).*22623/i },
    symptoms: /^(?:lb-member|machine-config-certificate)/,
  },
  {
    id: 'balancer-without-route',
    kind: 1,
    title: 'lb1 has a route into nowhere for m3',
    byHand: 'the user has to find which route of the host is wrong',
    plant: (site) =>
      site.change(
        'lb1',
        'ip route add blackhole 172.16.0.23/32; sleep 25',
        'ip route del blackhole 172.16.0.23/32; sleep 25',
      ),
    expects: { pattern: /lb1.*(?:172\.16\.0\.23|m3)|(?:172\.16\.0\.23|m3).*lb1/ },
  },
  {
    id: 'nginx-images-denied',
    kind: 1,
    title: 'nginx serves the images to the bastion only',
    plant: (site) =>
      site.change(
        'bastion',
        `cp -a /etc/nginx/nginx.conf /run/later.kept; sed -i -E '0,/location .*images.*\\{/s//&\\n allow 127.0.0.1; allow 172.16.0.101; deny all;/' /etc/nginx/nginx.conf; ! cmp -s /run/later.kept /etc/nginx/nginx.conf; systemctl restart nginx`,
        'cp -a /run/later.kept /etc/nginx/nginx.conf; systemctl restart nginx',
      ),
    expects: { pattern: /(?:images|rootfs|kernel).*(?:allow|deny|refuse|403)|nginx.*(?:deny|refuses).*images/i },
  },
  {
    id: 'nft-set-forgets-workers',
    kind: 1,
    title: 'An nftables set of ns1 lists the control plane, and forgets the workers',
    plant: (site) =>
      site.change(
        'ns1',
        "nft 'add table ip names; add set ip names known { type ipv4_addr; flags interval; elements = { 127.0.0.1, 172.16.0.10-172.16.0.29, 172.16.0.101-172.16.0.112 }; }; add chain ip names in { type filter hook input priority -10; policy accept; }; add rule ip names in udp dport 53 ip saddr @known accept; add rule ip names in meta l4proto { tcp, udp } th dport 53 reject'",
        'nft delete table ip names',
      ),
    expects: { pattern: /ns1.*\b53\b/ },
  },
  {
    id: 'machine-config-to-api',
    kind: 2,
    title: 'The pool of 22623 forwards to 6443 of m1',
    file: /haproxy\.cfg/,
    plant: (site) =>
      edit(site, 'lb1', HAPROXY, 's/^([ \\t]*server m1 .*):22623/\\1:6443/', 'haproxy', WAIT_FOR_ADDRESSES),
    expects: { pattern: /^(?!host-files).*(?:machine-config|22623).*(?:m1|6443)/ },
  },
  {
    id: 'dhcp-router',
    kind: 2,
    title: 'The DHCP server hands out a router that is not there',
    file: /dhcpd\.conf/,
    plant: (site) => edit(site, 'ns1', DHCP, 's/option routers [0-9.]+/option routers 172.16.0.1/', 'isc-dhcp-server'),
    expects: { pattern: /^dhcp.*172\.16\.0\.1\b/ },
  },
  {
    id: 'dhcp-domain',
    kind: 2,
    title: 'The DHCP server hands out the domain of another cluster',
    file: /dhcpd\.conf/,
    plant: (site) =>
      edit(
        site,
        'ns1',
        DHCP,
        's/option domain-name "[^"]*"/option domain-name "ocp44.example.localdomain"/',
        'isc-dhcp-server',
      ),
    expects: { pattern: /^dhcp.*ocp44\.example\.localdomain/ },
  },
  {
    id: 'empty-ignition',
    kind: 2,
    title: 'worker.ign is empty: the disk was full when it was copied',
    plant: (site) => site.write('bastion', `${WEB}/ignition/worker.ign`, ''),
    expects: { pattern: /worker\.ign.*empty/i },
    symptoms: /^ignition-same worker\.ign/,
  },
  {
    id: 'reverse-record',
    kind: 2,
    title: 'The reverse record of w2 names w3',
    file: /(?:zone|rev)/,
    plant: (site) =>
      site.change(
        'ns1',
        'file="$(grep -lE "IN[[:space:]]+PTR" /var/lib/bind/*)"; printf %s "$file" >/run/later.path; cp -a "$file" /run/later.kept; sed -i "s/w2[.]ocp45/w3.ocp45/" "$file"; ! cmp -s "$file" /run/later.kept; systemctl restart named',
        'cp -a /run/later.kept "$(cat /run/later.path)"; systemctl restart named',
      ),
    expects: { pattern: /^dns-reverse.*(?:w3|w2)/ },
  },
  {
    id: 'hosts-line-console',
    kind: 3,
    title: 'A line of /etc/hosts names the console of an earlier cluster',
    plant: (site) =>
      site.change(
        'bastion',
        "printf '172.16.0.99 console-openshift-console.apps.ocp45.example.localdomain oauth-openshift.apps.ocp45.example.localdomain\\n' >>/etc/hosts",
        "sed -i '/172.16.0.99/d' /etc/hosts",
      ),
    expects: { pattern: /\/etc\/hosts.*(?:console|apps)/ },
    symptoms: /^dns-resolver/,
  },
  {
    id: 'proxy-lower-case',
    kind: 3,
    title: 'https_proxy is set, and no_proxy has localhost only',
    plant: async (site) =>
      site.setEnvironment({ https_proxy: 'http://192.168.124.1:3128', no_proxy: 'localhost,127.0.0.1' }),
    expects: { pattern: /(?:no_proxy|NO_PROXY).*(?:example\.localdomain|172\.16)/ },
  },
  {
    id: 'resolver-empty',
    kind: 3,
    title: 'resolv.conf of the bastion names no server',
    plant: (site) =>
      site.change(
        'bastion',
        "cp -a /etc/resolv.conf /run/later.kept; printf 'search example.localdomain\\n' >/etc/resolv.conf",
        'cp -a /run/later.kept /etc/resolv.conf',
      ),
    expects: { pattern: /resolv\.conf/ },
    symptoms: /^(?:dns-resolver|outside-names)/,
  },
  {
    id: 'keepalived-other-interface',
    kind: 4,
    title: 'keepalived of lb1 is configured with an interface that lb1 does not have',
    file: /keepalived\.conf/,
    plant: (site) =>
      site.change(
        'lb1',
        "cp -a /etc/keepalived/upi-wizard-interface.conf /run/later.kept; echo '$INTERFACE=ens9' >/etc/keepalived/upi-wizard-interface.conf; systemctl restart keepalived || true; sleep 3",
        `cp -a /run/later.kept /etc/keepalived/upi-wizard-interface.conf; systemctl restart keepalived; ${WAIT_FOR_ADDRESSES}`,
      ),
    expects: { pattern: /keepalived.*(?:ens9|interface)|(?:ens9|interface).*keepalived/i },
    symptoms: /^(?:host-service-runs lb1 keepalived|vip-)/,
  },
  {
    id: 'bastion-behind',
    kind: 5,
    title: 'The clock of the bastion is 3 h behind',
    plant: (site) => site.setClock('bastion', -10_800),
    expects: { pattern: /this machine.*3 h.*behind|this machine.*behind.*3 h/i },
  },
  {
    id: 'balancer-ahead',
    kind: 5,
    title: 'The clock of lb1 is 30 minutes ahead',
    plant: (site) => site.setClock('lb1', 1800),
    expects: { pattern: /lb1.*30 min.*ahead|lb1.*ahead.*30 min/i },
  },
  {
    id: 'haproxy-of-another-file',
    kind: 6,
    title: 'HAProxy of lb1 was started by hand with another file',
    plant: (site) =>
      site.change(
        'lb1',
        `sed '/server m3 /d' ${HAPROXY} >/etc/haproxy/try.cfg; systemctl stop haproxy; sed -i 's/^\\([ \\t]*\\)daemon/\\1daemon/' /etc/haproxy/try.cfg; setsid haproxy -D -f /etc/haproxy/try.cfg -p /run/try.pid </dev/null >/dev/null 2>&1; ${WAIT_FOR_ADDRESSES}`,
        `kill $(cat /run/try.pid); rm -f /etc/haproxy/try.cfg; sleep 0.5; systemctl start haproxy; ${WAIT_FOR_ADDRESSES}`,
      ),
    expects: { pattern: /haproxy.*(?:try\.cfg|another file|other file)/i },
    symptoms: /^lb-members/,
  },
  {
    id: 'dhcpd-old-options',
    kind: 6,
    title: 'The boot file was corrected in dhcpd.conf, and dhcpd still offers the older name',
    plant: (site) =>
      site.change(
        'ns1',
        `cp -a ${DHCP} /run/later.kept; sed -i 's/ipxe[.]efi/old.efi/' ${DHCP}; ! cmp -s ${DHCP} /run/later.kept; systemctl restart isc-dhcp-server; sleep 1.1; cat /run/later.kept >${DHCP}`,
        'systemctl restart isc-dhcp-server',
      ),
    expects: { pattern: /dhcpd.*older/i },
    symptoms: /^dhcp-/,
  },
  {
    id: 'mtu-node',
    kind: 8,
    title: 'The port of m1 has an MTU of 1400',
    byHand: 'the port of a node is set at the switch, or in the machine itself',
    plant: (site) => site.change(null, 'ip link set m1 mtu 1400', 'ip link set m1 mtu 1500'),
    expects: { pattern: /m1.*(?:MTU|1400|packet)/i },
    symptoms: /^(?:lb-member-silent m1|api-certificate)/,
  },
  {
    id: 'named-cannot-read',
    kind: 9,
    title: 'The zone file belongs to root with mode 0600 since it was copied, and named was restarted',
    plant: (site) =>
      site.change(
        'ns1',
        `stat -c '%u:%g %a' ${ZONE} >/run/later.mode; chown root:root ${ZONE}; chmod 600 ${ZONE}; systemctl restart named`,
        `read -r owner mode </run/later.mode; chown $owner ${ZONE}; chmod $mode ${ZONE}; systemctl restart named`,
      ),
    expects: { pattern: /(?:zone|named).*(?:read|permission|0600|mode)/i },
    symptoms: /^dns-/,
  },
  {
    id: 'switch-dns',
    kind: 1,
    title: 'The switch lets the bastion alone ask ns1 for names',
    byHand: 'the filter is in the switch',
    plant: (site) => filterSwitch(site, 'ip daddr 172.16.0.102 udp dport 53', 'ip daddr 172.16.0.102 tcp dport 53'),
    expects: { ids: ['dns-from-hosts'], pattern: /172\.16\.0\.102.*lb1 gets no answer/ },
  },
  {
    id: 'switch-machine-config',
    kind: 1,
    title: 'The switch lets the bastion alone reach 22623',
    byHand: 'the filter is in the switch',
    plant: (site) => filterSwitch(site, 'ip daddr 172.16.0.110 tcp dport 22623'),
    expects: { ids: ['lb-from-hosts'], pattern: /172\.16\.0\.110:22623.*ns1 gets no answer/ },
  },
  {
    id: 'switch-boot-http',
    kind: 1,
    title: 'The switch keeps all other machines from 8080 of the bastion',
    byHand: 'the filter is in the switch',
    plant: (site) => filterSwitch(site, 'ip daddr 172.16.0.101 tcp dport 8080'),
    expects: { ids: ['http-from-hosts'], pattern: /172\.16\.0\.101:8080.*ns1, lb1 get no answer/ },
  },
];

/** Drops packets in the switch of the site, except those of the bastion. */
const filterSwitch = (site: RealSite, ...matches: readonly string[]) =>
  site.change(
    null,
    `nft 'add table bridge switch; add chain bridge switch forward { type filter hook forward priority 0; }'; ${matches.map((match) => `nft 'add rule bridge switch forward ip saddr != 172.16.0.101 ${match} drop'`).join('; ')}`,
    'nft delete table bridge switch',
  );

/** More sites that are different and right. */
export const LATER_VARIANTS: readonly HealthyVariant[] = [
  {
    id: 'two-routes-that-work',
    title: 'The bastion has two default routes, and both work',
    prepare: (site) =>
      site.change(
        'bastion',
        'ip route add default via 172.16.0.254 metric 500',
        'ip route del default via 172.16.0.254 metric 500',
      ),
  },
  {
    id: 'own-lines-in-files',
    title: 'haproxy.cfg and the zone have lines of the user, for a service of their own',
    async prepare(site) {
      await site.change(
        'lb1',
        `cp -a ${HAPROXY} /run/own.kept; printf '\\nlisten own\\n    bind 172.16.0.112:8404\\n    mode http\\n    server own 127.0.0.1:8405\\n' >>${HAPROXY}; systemctl restart haproxy; ${WAIT_FOR_ADDRESSES}`,
        `cp -a /run/own.kept ${HAPROXY}; systemctl restart haproxy; ${WAIT_FOR_ADDRESSES}`,
      );
    },
  },
  {
    id: 'resolver-options',
    title: 'resolv.conf of the bastion has options: timeout, attempts, trust-ad',
    prepare: (site) =>
      site.change(
        'bastion',
        "printf 'options timeout:2 attempts:2 trust-ad edns0\\n' >>/etc/resolv.conf",
        "sed -i '/^options timeout/d' /etc/resolv.conf",
      ),
  },
  {
    id: 'clock-half-a-second',
    title: 'The clock of lb1 is 0.4 s ahead, as after a start',
    prepare: (site) => site.setClock('lb1', 0.4),
  },
  {
    id: 'conntrack-and-rates',
    title: 'lb1 filters by connection state, limits ICMP, logs and drops the rest',
    prepare: (site) =>
      site.change(
        'lb1',
        'nft \'add table inet own; add chain inet own input { type filter hook input priority 0; policy drop; }; add rule inet own input ct state vmap { established : accept, related : accept, invalid : drop }; add rule inet own input iifname "lo" accept; add rule inet own input meta l4proto icmp limit rate 50/second accept; add rule inet own input ip protocol vrrp accept; add rule inet own input tcp dport { 22, 80, 443, 6443, 9000, 22623 } ct state new accept; add rule inet own input limit rate 5/minute log prefix "drop "\'',
        'nft delete table inet own',
      ),
  },
  {
    id: 'filter-for-nodes-alone',
    title: 'The packet filter of ns1 lets the nodes and the bastion ask for names, and no other host',
    prepare: (site) =>
      site.change(
        'ns1',
        "nft 'add table inet own; add chain inet own input { type filter hook input priority 0; }; add rule inet own input ip saddr { 172.16.0.112 } udp dport 53 drop; add rule inet own input ip saddr { 172.16.0.112 } tcp dport 53 drop'",
        'nft delete table inet own',
      ),
  },
];
