import type { RealSite } from '../support/real-site.ts';
import type { SiteFault } from './fault.ts';

/** Waits until HAProxy knows the state of a member, as its status page says. */
const waitForMember = (site: RealSite, member: string, state: string) =>
  site.shell(
    'lb1',
    `for _ in $(seq 500); do curl -s 'http://172.16.0.112:9000/;csv' | grep -q '^api,${member},.*,${state}[^,]*,' && exit 0; sleep 0.1; done; exit 1`,
  );

/** Large answers hang where small ones pass, and members are silent. */
export const LARGE_ANSWER_FAULTS: readonly SiteFault[] = [
  {
    id: 'mtu-1400-balancer',
    kind: 8,
    diagnose: 'same',
    title: 'The port of lb1 has an MTU of 1400, and no router reports that packets are too large',
    plant: (site) => site.change('lb1', 'ip link set lan0 mtu 1400', 'ip link set lan0 mtu 1500'),
    expects: { pattern: /lb1.*(?:MTU|1400)|(?:MTU|1400).*lb1/ },
  },
  {
    id: 'mtu-1400-name-server',
    kind: 8,
    title: 'The port of ns1 has an MTU of 1400',
    plant: (site) => site.change('ns1', 'ip link set lan0 mtu 1400', 'ip link set lan0 mtu 1500'),
    expects: { pattern: /ns1.*(?:MTU|1400)|(?:MTU|1400).*ns1/ },
  },
  {
    id: 'silent-control-plane',
    kind: 8,
    diagnose: 'same',
    title: 'm2 drops packets to 6443, and HAProxy says that it is DOWN',
    byHand: 'the user has to go to the node, which does not answer',
    async plant(site) {
      site.onRestore(async () => void (await waitForMember(site, 'm2', 'UP')));
      await site.change(
        'm2',
        "nft 'add table inet site; add chain inet site input { type filter hook input priority 0; }; add rule inet site input tcp dport 6443 drop'",
        'nft delete table inet site',
      );
      await waitForMember(site, 'm2', 'DOWN');
    },
    expects: { pattern: /(?:\bm2\b|172\.16\.0\.22).*(?:6443|DOWN)/ },
  },
];
