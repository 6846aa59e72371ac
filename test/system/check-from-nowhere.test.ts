import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { exampleDocument } from '../support/example-document.ts';
import { openLab, testAsRoot } from '../support/lab.ts';
import { executable } from '../support/rehearsal-run.ts';

const ways = {
  'no network at all': 'true',
  'only itself': 'ip link set lo up',
  'a router that leads nowhere':
    'ip link set lo up; ip route add unreachable 172.16.0.0/16; ip route add blackhole 192.168.0.0/16',
  'a rule that forbids it':
    'ip link set lo up; ip route add prohibit 172.16.0.0/16; ip route add prohibit 192.168.0.0/16',
};

testAsRoot('ip')('what this machine cannot reach is unknown, and neither failed nor in order', async () => {
  const lab = await openLab();
  const site = join(lab.dir, 'site.yaml');
  const document = exampleDocument() as { services: object };
  const services = { ...document.services, time: { servers: ['192.168.124.1', 'time.nobody-has-it.invalid'] } };
  writeFileSync(site, JSON.stringify({ ...document, services }));
  const check = async (prepare: string) => {
    const command = `${prepare}; '${process.execPath}' '${executable}' check '${site}' --json`;
    const { all } = await lab.run(null, `unshare --net sh -c "${command}"`);
    const { checks } = JSON.parse(all) as { checks: { id: string; phase: string; result: string; evidence: string }[] };
    // What lies on this machine, or is missing there, is told by itself.
    return checks.filter(({ phase }) => phase !== 'start' && phase !== 'ignition');
  };
  for (const [way, prepare] of Object.entries(ways)) {
    const checks = await check(prepare);
    const seen = new Set(checks.map(({ id }) => id));
    for (const id of [
      'ssh-hosts',
      'host-login',
      'dns-server',
      'dhcp-server',
      'lb-listens',
      'boot-server',
      'tftp',
      'ntp-servers',
    ])
      expect(seen, way).toContain(id);
    expect(
      checks.filter(({ result }) => result === 'failed'),
      way,
    ).toEqual([]);
    const apart = ['ipxe-nodes', 'bootstrap-route', 'rhcos-sums', 'rhcos-build'];
    expect(
      checks.filter(({ id, result }) => result !== 'unknown' && !apart.includes(id)),
      way,
    ).toEqual([]);
  }
});

testAsRoot('ip', 'iptables')(
  'a firewall of this machine that keeps its packets in says nothing of the site',
  async () => {
    const lab = await openLab();
    const site = join(lab.dir, 'site.yaml');
    writeFileSync(site, JSON.stringify(exampleDocument()));
    await lab.addMachine('here', ['172.16.0.9/24']);
    const { all } = await lab.run(
      'here',
      `ip route add default via 172.16.0.254
iptables -A OUTPUT -o lan0 -j REJECT
'${process.execPath}' '${executable}' check '${site}' --json`,
    );
    const { checks } = JSON.parse(all) as { checks: { id: string; phase: string; subject: string; result: string }[] };
    const asked = checks.filter(({ phase }) => phase !== 'start' && phase !== 'ignition');
    expect(asked.filter(({ result }) => result === 'failed')).toEqual([]);
    expect(asked.find(({ id }) => id === 'ip-conflict')?.result).toBe('unknown');
  },
);
