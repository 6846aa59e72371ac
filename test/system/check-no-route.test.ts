import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createExampleDocument } from '../../src/cli/session/working-session.ts';
import { openSession } from '../../src/session/session.ts';
import { freshState } from '../../src/session/state.ts';
import { exampleDocument } from '../support/example-document.ts';
import { openLab, testInLab } from '../support/lab.ts';
import { wizardExecutable } from '../support/rehearsal-run.ts';

const networkSetups = {
  'no network at all': 'true',
  'only itself': 'ip link set lo up',
  'a router that leads nowhere':
    'ip link set lo up; ip route add unreachable 172.16.0.0/16; ip route add blackhole 192.168.0.0/16',
  'a rule that forbids it':
    'ip link set lo up; ip route add prohibit 172.16.0.0/16; ip route add prohibit 192.168.0.0/16',
};

testInLab('ip')('what this machine cannot reach is unknown, and neither failed nor in order', async () => {
  const lab = await openLab();
  const site = join(lab.dir, 'site.yaml');
  const document = exampleDocument() as { services: object };
  const services = { ...document.services, time: { servers: ['192.168.124.1', 'time.nobody-has-it.invalid'] } };
  writeFileSync(site, JSON.stringify({ ...document, services }));
  const check = async (prepare: string) => {
    const command = `${prepare}; '${process.execPath}' '${wizardExecutable}' check '${site}' --json`;
    const { all } = await lab.run(null, `unshare --net sh -c "${command}"`);
    const { checks } = JSON.parse(all) as { checks: { id: string; phase: string; result: string; evidence: string }[] };
    // Checks of this machine's own files have a result without any network.
    return checks.filter(({ phase }) => phase !== 'start' && phase !== 'ignition');
  };
  for (const [setupName, prepare] of Object.entries(networkSetups)) {
    const checks = await check(prepare);
    const checkIds = new Set(checks.map(({ id }) => id));
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
      expect(checkIds, setupName).toContain(id);
    expect(
      checks.filter(({ result }) => result === 'failed'),
      setupName,
    ).toEqual([]);
    // They read files of this machine alone.
    const local = ['resolver-hosts-file', 'proxy-environment', 'default-routes', 'machine-reports'];
    const exceptions = ['ipxe-nodes', 'bootstrap-route', 'rhcos-sums', 'rhcos-build', ...local];
    expect(
      checks.filter(({ id, result }) => result !== 'unknown' && !exceptions.includes(id)),
      setupName,
    ).toEqual([]);
  }
});

testInLab('ip', 'iptables')(
  'a firewall of this machine that rejects outgoing packets gives no result about the site',
  async () => {
    const lab = await openLab();
    const site = join(lab.dir, 'site.yaml');
    writeFileSync(site, JSON.stringify(exampleDocument()));
    await lab.addMachine('here', ['172.16.0.9/24']);
    const { all } = await lab.run(
      'here',
      `ip route add default via 172.16.0.254
iptables -A OUTPUT -o lan0 -j REJECT
'${process.execPath}' '${wizardExecutable}' check '${site}' --json`,
    );
    const { checks } = JSON.parse(all) as { checks: { id: string; phase: string; subject: string; result: string }[] };
    const siteChecks = checks.filter(({ phase }) => phase !== 'start' && phase !== 'ignition');
    expect(siteChecks.filter(({ result }) => result === 'failed')).toEqual([]);
    expect(siteChecks.find(({ id }) => id === 'ip-conflict')?.result).toBe('unknown');
  },
);

testInLab('ip')('a missing openshift-install is one failure in the report, and two checks in the JSON', async () => {
  const lab = await openLab();
  const site = join(lab.dir, 'site.yaml');
  writeFileSync(site, JSON.stringify(exampleDocument()));
  const check = async (option: string) =>
    (await lab.run(null, `unshare --net '${process.execPath}' '${wizardExecutable}' check '${site}' ${option}`)).all;
  const [failures = ''] = (await check('')).split('Comes later');
  expect(failures.match(/^ {2}openshift-install [^:]+/gm)).toEqual(['  openshift-install is missing']);
  const { checks } = JSON.parse(await check('--json')) as { checks: { id: string; result: string }[] };
  const failedIds = checks.filter(({ result }) => result === 'failed').map(({ id }) => id);
  expect(failedIds).toEqual(expect.arrayContaining(['openshift-install', 'installer-missing']));
});

testInLab('ip')('before the hosts are set up, a diagnosis names the missing route to them', async () => {
  const lab = await openLab();
  const dir = join(lab.dir, 'cluster');
  mkdirSync(dir, { mode: 0o700 });
  openSession(dir).save({ ...freshState, design: createExampleDocument(), place: { screen: 'hosts', field: null } });
  const diagnose = async (prepare: string) => {
    const command = `${prepare}; '${process.execPath}' '${wizardExecutable}' diagnose --dir '${dir}' --json 2>/dev/null; true`;
    const { all } = await lab.run(null, `unshare --net sh -c "${command}"`);
    return (JSON.parse(all) as { findings: { rule: string }[] }).findings.map(({ rule }) => rule);
  };
  expect(await diagnose('ip link set lo up')).toEqual(['no-way-from-here']);
  expect(await diagnose('ip link set lo up; ip addr add 172.16.0.101/24 dev lo')).toEqual([]);
});
