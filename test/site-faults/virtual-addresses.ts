import type { SiteFault } from './fault.ts';

/** Waits until the balancer has the virtual addresses again, and forgets who answered for them. */
export const WAIT_FOR_ADDRESSES =
  'for _ in $(seq 200); do ip -br addr show lan0 | grep -q "172.16.0.110/" && break; sleep 0.1; done; ip -br addr show lan0 | grep -q "172.16.0.110/"';
const START_KEEPALIVED = `systemctl start keepalived; ${WAIT_FOR_ADDRESSES}`;

/** With the virtual router id of lb1. */
const STRANGER_CONF =
  'vrrp_instance other {\\n state MASTER\\n interface lan0\\n virtual_router_id 111\\n priority 250\\n advert_int 1\\n virtual_ipaddress {\\n 172.16.0.111/32\\n 172.16.0.110/32\\n }\\n}\\n';

/** Which machine has the virtual addresses. */
export const VIRTUAL_ADDRESS_FAULTS: readonly SiteFault[] = [
  {
    id: 'keepalived-stopped',
    kind: 4,
    diagnose: 'same',
    title: 'keepalived does not run on lb1',
    plant: (site) => site.change('lb1', 'systemctl stop keepalived', START_KEEPALIVED),
    expects: {
      pattern:
        /keepalived:? (?:it )?(?:does not|is not|has stopped|runs not)|keepalived.*(?:not running|start it|systemctl (?:enable --now|start) keepalived)/i,
    },
    symptoms: /^lb-listens/,
  },
  {
    id: 'vip-of-a-stranger',
    kind: 4,
    diagnose: 'same',
    title: 'Another machine of the network has the address of api-int, too, and keepalived is stopped',
    async plant(site) {
      await site.change('lb1', 'systemctl stop keepalived', START_KEEPALIVED);
      await site.addStranger('stranger', '172.16.0.110');
    },
    expects: {
      pattern:
        /172\.16\.0\.110.*(?:another machine|MAC|keepalived)|keepalived.*172\.16\.0\.110|keepalived:? (?:it )?does not run/i,
    },
    symptoms: /^lb-listens/,
  },
  {
    id: 'vip-twice',
    kind: 4,
    title: 'A forgotten machine has the address of the API beside lb1',
    async plant(site) {
      await site.addStranger('stranger', '172.16.0.111');
      // The bastion sends another ARP request, and the forgotten machine answers as well.
      await site.change('bastion', 'ip neigh flush all', 'ip neigh flush all');
    },
    expects: { pattern: /172\.16\.0\.111.*(?:two machines|MAC|another machine|answer)/i },
    symptoms: /^lb-listens 172\.16\.0\.111/,
  },
  {
    id: 'vip-twice-after-keepalived',
    kind: 4,
    title: 'A forgotten machine has the address of api-int, and this machine has heard of lb1 last',
    async plant(site) {
      const [mac = ''] = /(?:[\da-f]{2}:){5}[\da-f]{2}/.exec(await site.shell('lb1', 'ip -o link show lan0')) ?? [];
      await site.addStranger('stranger', '172.16.0.110');
      // As after an announcement of keepalived: what the kernel knows is right for the moment.
      const known = `172.16.0.110 lladdr ${mac} dev lan0`;
      await site.change('bastion', `ip neigh replace ${known} nud reachable`, 'ip neigh flush all');
    },
    expects: { pattern: /172\.16\.0\.110.*and so does/ },
  },
  {
    id: 'vip-on-the-bastion',
    kind: 4,
    title: 'The bastion was the balancer of an earlier try, and still has the address of api-int',
    plant: (site) =>
      site.change('bastion', 'ip addr add 172.16.0.110/32 dev lan0', 'ip addr del 172.16.0.110/32 dev lan0'),
    expects: { pattern: /172\.16\.0\.110.*(?:this machine|bastion)/i },
    symptoms: /^lb-listens 172\.16\.0\.110/,
  },
  {
    id: 'vrrp-stranger-priority',
    kind: 4,
    diagnose: 'same',
    title: 'A copy of an earlier balancer runs keepalived with the same virtual router id and a higher priority',
    async plant(site) {
      await site.addStranger('stranger', '172.16.0.200');
      await site.change('lb1', 'true', START_KEEPALIVED.replace('start', 'restart'));
      await site.change(
        'stranger',
        `mkdir -p /etc/keepalived; printf '${STRANGER_CONF}' >/etc/keepalived/keepalived.conf; systemctl enable keepalived; systemctl start keepalived`,
        'systemctl stop keepalived',
      );
      await site.shell(
        'lb1',
        'for _ in $(seq 150); do ip -br addr show lan0 | grep -q "172.16.0.110/" || exit 0; sleep 0.1; done; exit 1',
      );
    },
    expects: {
      pattern: /(?:higher priority|priority 250|another machine has this virtual address|virtual.?router.?id|VRRP)/i,
    },
    symptoms: /^lb-listens/,
  },
];
