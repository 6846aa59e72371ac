import type { SiteFault } from './fault.ts';

/** Silence proves nothing, and what is quiet for a simple reason is said so. */
export const SILENCE_FAULTS: readonly SiteFault[] = [
  {
    id: 'forwarder-dead',
    kind: 7,
    title: 'The forwarder of ns1 does not answer: the names of the cluster are right, those of the internet are not',
    byHand: 'the forwarder belongs to other people',
    async plant(site) {
      await site.change(
        'company',
        "nft 'add table inet names; add chain inet names input { type filter hook input priority 0; }; add rule inet names input udp dport 53 drop; add rule inet names input tcp dport 53 drop'",
        'nft delete table inet names',
      );
      // The answers of earlier questions are forgotten.
      await site.shell('ns1', 'systemctl restart named');
    },
    expects: {
      pattern: /192\.168\.124\.1.*(?:forwarder|does not answer)|forwarder/i,
      ids: ['dns-upstream', 'outside-names', 'dns-forwarder'],
    },
    symptoms: /^(?:outside-names|dns-upstream|ntp-servers)/,
  },
  {
    id: 'new-network-card',
    kind: 7,
    diagnose: 'same',
    title: 'm1 has a new network card, which the design does not know',
    byHand: 'the MAC address is an answer on the Nodes page',
    async plant(site) {
      const forget = 'ip neigh flush all';
      await site.change('bastion', 'true', forget);
      await site.change(
        'm1',
        'ip link set lan0 address 00:50:56:96:99:01; ip route replace default via 172.16.0.254',
        'ip link set lan0 address 00:50:56:96:37:c8; ip route replace default via 172.16.0.254',
      );
      await site.shell('bastion', forget);
    },
    expects: { pattern: /m1.*00:50:56:96:99:01.*(?:card|new MAC|replaced|correct the MAC|design)/i },
    symptoms: /^ip-conflict m1/,
  },
  {
    id: 'named-stopped',
    kind: 7,
    title: 'named does not run on ns1: one failure, and its names are unknown',
    plant: (site) => site.change('ns1', 'systemctl stop named', 'systemctl start named'),
    expects: { pattern: /^(?:dns-server|name-servers|host-service-runs) .*(?:172\.16\.0\.102|ns1)/ },
    diagnose: { pattern: /ns1 named.*does not run|172\.16\.0\.102.*(?:does not answer|named|refused)/i },
  },
];
