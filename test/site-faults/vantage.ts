import type { RealSite } from '../support/real-site.ts';
import type { SiteFault } from './fault.ts';

const WEB = '/var/www/upi-wizard';

/** Adds a packet filter that was written with the bastion alone in mind. */
const filter = (site: RealSite, machine: string, ...rules: readonly string[]) =>
  site.change(
    machine,
    `nft 'add table inet site; add chain inet site input { type filter hook input priority 0; }'; ${rules.map((rule) => `nft 'add rule inet site input ${rule}'`).join('; ')}`,
    'nft delete table inet site',
  );

const FIREWALL = '(?:nft|nftables|iptables|packet filter|firewall|drops?\\b)';

/** The bastion sees a service that nodes do not reach, or may not read. */
export const VANTAGE_FAULTS: readonly SiteFault[] = [
  {
    id: 'nft-dns-bastion-only',
    kind: 1,
    title: 'An nftables rule on ns1 lets the bastion ask for names, and drops everybody else',
    plant: (site) =>
      filter(
        site,
        'ns1',
        'ip saddr != { 127.0.0.1, 172.16.0.101, 172.16.0.102 } udp dport 53 drop',
        'ip saddr != { 127.0.0.1, 172.16.0.101, 172.16.0.102 } tcp dport 53 drop',
      ),
    expects: { pattern: new RegExp(`ns1.*\\b53\\b.*${FIREWALL}|ns1.*${FIREWALL}.*\\b53\\b`, 'i') },
  },
  {
    id: 'nft-machine-config',
    kind: 1,
    diagnose: 'same',
    title: 'A rule on lb1 lets only the bastion reach 22623',
    plant: (site) => filter(site, 'lb1', 'tcp dport 22623 ip saddr != 172.16.0.101 drop'),
    expects: { pattern: new RegExp(`lb1.*22623.*${FIREWALL}|lb1.*${FIREWALL}.*22623`, 'i') },
  },
  {
    id: 'iptables-boot-http',
    kind: 1,
    title: 'iptables of the bastion drops 8080, which loopback does not notice',
    plant: (site) =>
      site.change(
        'bastion',
        'iptables -A INPUT -i lan0 -p tcp --dport 8080 -j DROP',
        'iptables -D INPUT -i lan0 -p tcp --dport 8080 -j DROP',
      ),
    expects: { pattern: new RegExp(`bastion.*8080.*${FIREWALL}|bastion.*${FIREWALL}.*8080`, 'i') },
  },
  {
    id: 'nft-tftp',
    kind: 1,
    title: 'A policy of drop on the bastion lets SSH and HTTP in, and forgets TFTP',
    plant: (site) =>
      site.change(
        'bastion',
        "nft 'add table inet site; add chain inet site input { type filter hook input priority 0; policy drop; }; add rule inet site input iif lo accept; add rule inet site input ct state established,related accept; add rule inet site input tcp dport { 22, 8080 } accept; add rule inet site input icmp type echo-request accept; add rule inet site input udp sport 67 accept'",
        'nft delete table inet site',
      ),
    expects: {
      pattern: new RegExp(`bastion.*(?:\\b69\\b|TFTP).*${FIREWALL}|bastion.*${FIREWALL}.*(?:\\b69\\b|TFTP)`, 'i'),
    },
  },
  {
    id: 'iptables-routes-lb',
    kind: 1,
    title: 'iptables of lb1 rejects 443 from the network of the nodes, except for the bastion',
    plant: (site) =>
      site.change(
        'lb1',
        'iptables -A INPUT -p tcp --dport 443 -s 172.16.0.101 -j ACCEPT; iptables -A INPUT -p tcp --dport 443 -s 172.16.0.0/24 -j REJECT',
        'iptables -D INPUT -p tcp --dport 443 -s 172.16.0.0/24 -j REJECT; iptables -D INPUT -p tcp --dport 443 -s 172.16.0.101 -j ACCEPT',
      ),
    expects: { pattern: new RegExp(`lb1.*\\b443\\b.*(?:${FIREWALL}|reject)|lb1.*${FIREWALL}.*\\b443\\b`, 'i') },
  },
  {
    id: 'rootfs-mode-0600',
    kind: 1,
    diagnose: 'same',
    title: 'The root file system image was copied with mode 0600, so nginx answers 403',
    plant: (site) => site.change('bastion', `chmod 0600 ${WEB}/images/*rootfs*`, `chmod 0644 ${WEB}/images/*rootfs*`),
    expects: { pattern: /rootfs.*(?:chmod|readable|mode|permission)/i },
    symptoms: /^(?:http-artifacts|boot-files-missing) .*rootfs/,
  },
  {
    id: 'ignition-mode-0600',
    kind: 1,
    title: 'worker.ign has mode 0600 and belongs to root: 403 for its own nodes, too',
    plant: (site) =>
      site.change('bastion', `chmod 0600 ${WEB}/ignition/worker.ign`, `chmod 0644 ${WEB}/ignition/worker.ign`),
    expects: { pattern: /worker\.ign.*(?:chmod|readable|cannot read|may not read|mode 0?600|permission)/i },
  },
  {
    id: 'ignition-folder-0700',
    kind: 1,
    title: 'The folder of the ignition files has mode 0700',
    plant: (site) => site.change('bastion', `chmod 0700 ${WEB}/ignition`, `chmod 0755 ${WEB}/ignition`),
    expects: { pattern: /ignition.*(?:chmod|readable|cannot read|may not|mode 0?700|permission)/i },
  },
  {
    id: 'nginx-allow-without-m2',
    kind: 1,
    diagnose: 'same',
    title: 'The allow list of nginx for master.ign has no line for m2',
    plant: (site) => site.edit('bastion', '/etc/nginx/nginx.conf', /^ *allow 172\.16\.0\.22;\n/gm, '', 'nginx'),
    expects: { pattern: /master\.ign.*(?:172\.16\.0\.22\b|\bm2\b)|nginx\.conf.*172\.16\.0\.22\b/ },
  },
  {
    id: 'named-allow-query',
    kind: 1,
    title: 'named answers the bastion, and refuses the nodes (allow-query)',
    file: /named\.conf/,
    plant: (site) =>
      site.edit(
        'ns1',
        '/etc/bind/named.conf',
        'allow-query { any; };',
        'allow-query { localhost; 172.16.0.101; 172.16.0.102; };',
        'named',
      ),
    expects: {
      pattern:
        /(?:refuses|REFUSED|allow-query).*(?:node|172\.16\.0\.(?:[1-4]\d|112)|lb1|machine network)|(?:node|lb1).*(?:refuses|REFUSED|allow-query)/i,
    },
  },
  {
    id: 'tftp-program-mode',
    kind: 1,
    title: 'ipxe.efi has mode 0640 in the folder of the TFTP server',
    plant: (site) => site.change('bastion', 'chmod 0640 /srv/tftp/ipxe.efi', 'chmod 0644 /srv/tftp/ipxe.efi'),
    expects: { pattern: /ipxe\.efi.*(?:chmod|readable|mode|permission|access violation)/i },
    symptoms: /^tftp ipxe\.efi/,
  },
];
