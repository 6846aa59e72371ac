import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { parsePacketFilters } from '../../src/checks/packet-filter/blocked-packets.ts';
import { decideConnection, type Packet } from '../../src/checks/packet-filter/evaluate.ts';
import { NETWORK_STATE_COMMAND, parseNetworkState } from '../../src/steps/check/host-network-state.ts';
import { type Lab, openLab, testInLab, waitUntil } from '../support/lab.ts';

const SERVER = '172.16.0.112';
const [INSIDE, OUTSIDE] = ['172.16.0.21', '172.16.0.201'];
const PORTS = [22, 53, 80, 443, 6443, 9000, 22_623];

/** Rulesets that people have, each as the shell lines that load it. */
const RULESETS: Readonly<Record<string, string>> = {
  'nftables without a rule': 'true',
  'nftables with a policy, sets, ranges and states': `nft -f - <<'END'
    table inet filter {
      set admins { type ipv4_addr; flags interval; elements = { 172.16.0.200-172.16.0.210, 10.0.0.0/8 }; }
      chain input {
        type filter hook input priority 0; policy drop;
        ct state invalid drop
        ct state { established, related } counter accept
        iif lo accept
        meta l4proto { icmp, ipv6-icmp } accept
        ip saddr @admins tcp dport { 22, 9000 } accept
        iifname "lan*" tcp dport 80-443 ip saddr 172.16.0.0/25 accept
        tcp flags & (fin|syn|rst|ack) == syn tcp dport 53 accept
        ip saddr . tcp dport { 172.16.0.21 . 6443, 172.16.0.0/30 . 22623 } accept
      }
    }
END`,
  'nftables with jumps, maps and a set of nodes that lacks them': `nft -f - <<'END'
    table ip filter {
      set nodes { type ipv4_addr; elements = { 172.16.0.201 }; }
      map services { type inet_service : verdict; elements = { 22 : accept, 80 : jump web, 443 : goto web }; }
      chain web { ip saddr 172.16.0.201 return; tcp dport 80 counter reject with tcp reset; }
      chain services { tcp dport { 6443, 22623 } ip saddr != @nodes log prefix "no node " drop; return; }
      chain input {
        type filter hook input priority filter; policy accept;
        ct state vmap { invalid : drop, established : accept }
        tcp dport vmap @services
        meta l4proto tcp jump services
        tcp dport 9000 ct count over 100 drop
        tcp dport 53 limit rate over 1000/second drop
      }
    }
END`,
  'nftables that drops before the input chain and on the way out': `nft -f - <<'END'
    table inet early {
      chain pre { type filter hook prerouting priority -300; fib daddr type local tcp dport 6443 drop; fib saddr . iif oif missing drop; }
      chain out { type filter hook output priority 0; policy drop; oifname lo accept; tcp sport != 443 ct state established accept; }
      chain in { type filter hook input priority 10; tcp dport 80 reject; tcp dport != { 22, 53, 443, 6443, 9000, 22623, 80 } drop; }
    }
    table inet asleep {
      flags dormant
      chain in { type filter hook input priority 0; policy drop; }
    }
END`,
  iptables: `
    iptables -P INPUT DROP; iptables -N nodes; iptables -N log
    iptables -A INPUT -i lo -j ACCEPT; iptables -A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
    iptables -A INPUT -p icmp -j ACCEPT; iptables -A INPUT -p tcp --dport 22623 -j nodes
    iptables -A nodes -s 172.16.0.21 -m comment --comment "m1 -j DROP" -j RETURN; iptables -A nodes -j DROP
    iptables -A INPUT -p tcp -m multiport --dports 80,443,6000:7000 ! -s 172.16.0.200/29 -j ACCEPT
    iptables -A INPUT -p tcp -m tcp --dport 53 --tcp-flags FIN,SYN,RST,ACK SYN -m addrtype --dst-type LOCAL -j ACCEPT
    iptables -A INPUT -m iprange --src-range 172.16.0.200-172.16.0.202 -p tcp --dport 22 -j ACCEPT
    iptables -A INPUT -p tcp --dport 22623 -j ACCEPT; iptables -A INPUT -j log; iptables -A log -j LOG`,
  'iptables-legacy': `
    iptables-legacy -A INPUT -s 172.16.0.0/25 -p tcp --dport 6443 -j REJECT
    iptables-legacy -t raw -A PREROUTING -s 172.16.0.201 -p tcp --dport 443 -j DROP`,
};

async function readChains(lab: Lab, machine: string) {
  const { all } = await lab.run(machine, `root=\n${NETWORK_STATE_COMMAND}`);
  const inside = parseNetworkState(all.split('\n'));
  const chains = inside?.filter ? parsePacketFilters(inside.filter) : null;
  if (inside === null || chains === null) throw new Error(all);
  return { inside, chains };
}

/** Starts a listener on every port, and two clients. */
async function openFilterLab() {
  const lab = await openLab();
  await lab.addMachine('server', [`${SERVER}/24`]);
  await lab.addMachine('client', [`${INSIDE}/24`, `${OUTSIDE}/24`]);
  writeFileSync(
    join(lab.dir, 'listen.js'),
    `for (const port of ${JSON.stringify(PORTS)}) require('net').createServer((s) => s.on('error', () => {}).end('hello')).listen(port, '0.0.0.0')`,
  );
  lab.start('server', ['node', join(lab.dir, 'listen.js')], 'listen.log');
  const connect = async (source: string, port: number) =>
    (await lab.run('client', `curl -s -m 1 --interface ${source} telnet://${SERVER}:${port} </dev/null || true`))
      .all === 'hello';
  await waitUntil('the listeners', async () => ((await connect(INSIDE, 22_623)) ? true : null));
  return { lab, connect };
}

describe('a decision about a packet is what the kernel does with it', () => {
  for (const [name, load] of Object.entries(RULESETS)) {
    testInLab(
      'nft',
      'iptables',
      'iptables-legacy',
      'curl',
    )(name, async () => {
      const { lab, connect } = await openFilterLab();
      expect(await lab.run('server', load)).toEqual({ exitCode: 0, all: '' });
      const { inside, chains } = await readChains(lab, 'server');
      expect(inside.interfaces.find(({ name: each }) => each === 'lan0')?.addresses).toContain(`${SERVER}/24`);
      const decide = (source: string, destinationPort: number) => {
        const packet: Packet = {
          ...{ family: 4, protocol: 'tcp', source, destination: SERVER, sourcePort: 50_000, destinationPort },
          ...{ inInterface: 'lan0', outInterface: null, state: 'new' },
        };
        return decideConnection(chains, packet).kind;
      };
      const cases = [INSIDE, OUTSIDE].flatMap((source) => PORTS.map((port) => ({ source, port })));
      const decided = cases.map(({ source, port }) => `${source} ${port} ${decide(source, port)}`);
      const seen = await Promise.all(
        cases.map(
          async ({ source, port }) => `${source} ${port} ${(await connect(source, port)) ? 'accepted' : 'blocked'}`,
        ),
      );
      expect(decided).toEqual(seen);
    });
  }
});
