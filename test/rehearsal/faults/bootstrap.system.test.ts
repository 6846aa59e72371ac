import { afterEach, expect, test } from 'vitest';
import { tftpProbe } from '../../../src/bastion/probes/tftp-probe.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import type { FaultId } from '../../../src/rehearsal/site/faults.ts';
import { victimOf } from '../../../src/rehearsal/site/victims.ts';
import { exampleSite } from '../../support/example-design.ts';
import { type PlantedSite, plantedSite } from '../../support/planted-site.ts';

let open: PlantedSite | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const MASTERS = ['m1', 'm2', 'm3'];
const CONFIG = 'GET https://api-int.ocp45.example.localdomain:22623/config/master: attempt #';

/** Where the machines of a fault stop: the stage, what their consoles say, and who. */
interface Stuck {
  readonly stage: string;
  readonly console: RegExp;
  readonly who: 'victim' | 'bootstrap' | 'masters';
}

const STUCK: readonly (readonly [FaultId, Stuck])[] = [
  ['ptr-missing', { stage: 'kubelet', console: /waiting for non-localhost hostname/, who: 'victim' }],
  ['hostname-localhost', { stage: 'kubelet', console: /waiting for non-localhost hostname/, who: 'victim' }],
  ['api-int-missing', { stage: 'machine-config', console: /lookup api-int\S+: no such host/, who: 'masters' }],
  ['config-server-closed', { stage: 'machine-config', console: /22623\/config\/master": EOF/, who: 'masters' }],
  ['api-health-check-wrong', { stage: 'kubelet', console: /6443\/readyz": EOF/, who: 'masters' }],
  ['foreign-dhcp', { stage: 'machine-config', console: /lookup api-int\S+: no such host/, who: 'victim' }],
  [
    'address-taken-twice',
    { stage: 'live', console: /172\.16\.0\.2\d is used on network .* from host 00:0C:29/, who: 'victim' },
  ],
  ['mtu-too-small', { stage: 'machine-config', console: /net\/http: TLS handshake timeout/, who: 'masters' }],
  ['gateway-wrong', { stage: 'release-image', console: /Pull failed\. Retrying quay\.io/, who: 'bootstrap' }],
  ['registry-unreachable', { stage: 'release-image', console: /Pull failed\. Retrying quay\.io/, who: 'bootstrap' }],
  [
    'pull-secret-without-registry',
    { stage: 'release-image', console: /Pull failed\. Retrying quay\.io/, who: 'bootstrap' },
  ],
  [
    'ignition-stale',
    { stage: 'stopped', console: /x509: certificate has expired or is not yet valid/, who: 'bootstrap' },
  ],
  ['ignition-of-another-cluster', { stage: 'machine-config', console: /signed by unknown authority/, who: 'masters' }],
  ['rhcos-mixed', { stage: 'stopped', console: /the rootfs version matches the initramfs/, who: 'masters' }],
  [
    'clock-skew',
    { stage: 'machine-config', console: /not yet valid: current time 20\d\d-\S+ is before 20/, who: 'victim' },
  ],
  ['install-disk-wrong', { stage: 'stopped', console: /opening "\/dev\/sda": No such file/, who: 'victim' }],
  [
    'boots-old-disk',
    { stage: 'machine-config', console: /api-int\.retired\.example\.internal: no such host/, who: 'victim' },
  ],
];

/** What only one of the faults with the same end leaves in the log of the site or of a service host. */
const TRACES: Readonly<Partial<Record<FaultId, RegExp>>> = {
  'foreign-dhcp': /DHCPREQUEST for 172\.16\.0\.\d+ \(172\.16\.0\.1\) from \S+ via eth0: unknown lease/,
  'address-taken-twice': /DHCPDECLINE of 172\.16\.0\.2\d from \S+ via eth0: not found/,
  'api-health-check-wrong': /Server api\/bs is DOWN, reason: Layer7 wrong status, code: 400/,
  'config-server-closed': /proxy machine-config has no server available!/,
  'gateway-wrong': /pinging container registry quay\.io: .*: connect: no route to host/,
  'registry-unreachable': /pinging container registry quay\.io: .*: i\/o timeout/,
  'pull-secret-without-registry': /unauthorized: access to the requested resource is not authorized/,
};

async function begin(faults: readonly FaultId[]): Promise<PlantedSite> {
  open = await plantedSite(exampleSite(), faults);
  for (const name of ['bs', ...MASTERS]) open.site.powerOn(name);
  return open;
}

function everythingSaid(game: PlantedSite): string {
  return [game.log(), ...['ns1', 'lb1'].map(game.messages)].join('\n');
}

function namesOf(fault: FaultId, who: Stuck['who']): string[] {
  if (who !== 'victim') return who === 'bootstrap' ? ['bs'] : MASTERS;
  return [victimOf(fault, { design: exampleSite(), faults: new Set([fault]), seed: 1 })?.name ?? ''];
}

test.each(STUCK)('%s: the installation stops where real ones do', async (fault, { stage, console, who }) => {
  const game = await begin([fault]);
  const names = namesOf(fault, who);
  const isStuck = () =>
    game.site
      .status()
      .machines.filter(({ name }) => names.includes(name))
      .every((machine) => machine.stage === stage && console.test(machine.console));
  await game.until(isStuck);
  // It stays so: nothing of this goes away by waiting.
  await game.pass(5);
  expect(isStuck()).toBe(true);
  expect(game.site.status().isBootstrapComplete).toBe(false);
  const trace = TRACES[fault];
  if (trace) expect(everythingSaid(game)).toMatch(trace);
});

test('boot-file-missing: the boot programs say which file is not there, and its return is all that is needed', async () => {
  const game = await begin(['boot-file-missing']);
  const missing = () => game.requests.filter(({ status }) => status === 404).map(({ path }) => path);
  await game.until(() => missing().length > 4);
  expect(new Set(missing())).toEqual(new Set(['/images/rhcos-418.94.202410090804-0-live-initramfs.x86_64.img']));
  game.bringBack();
  const waiting = ['dhcp', 'ipxe'];
  await game.until(() => game.site.status().machines.every(({ isOn, stage }) => !isOn || !waiting.includes(stage)));
});

test('boot-program-missing: firmware is told so by the TFTP server, and starts once install.sh has put the programs there', async () => {
  const game = await begin(['boot-program-missing']);
  const booting = () => game.site.status().machines.filter(({ isOn }) => isOn);
  await game.until(() => booting().every(({ console }) => /PXE-T01: File not found/.test(console)));
  expect(game.messages('bastion')).toMatch(
    /in\.tftpd\[\d+\]: RRQ from 172\.16\.0\.2\d filename \S+\n.*in\.tftpd\[\d+\]: sending NAK \(1, File not found\) to 172/,
  );
  const asked = (path: string) => tftpProbe(game.reach, systemClock, { server: '172.16.0.101', path }, 60_000);
  expect(await asked('ipxe.efi')).toEqual({ state: 'refused', bytes: null, detail: 'File not found' });
  await game.put();
  expect(await asked('ipxe.efi')).toEqual({ state: 'fetched', bytes: 48 * 1024, head: 'MZ', detail: '' });
  // Nothing outside the directory that is handed out.
  expect(await asked('../../etc/chrony.conf')).toMatchObject({ state: 'refused' });
  await game.until(() => booting().every(({ stage }) => !['dhcp', 'ipxe'].includes(stage)));
});

test('tftp-silent: firmware waits for its program, and starts once install.sh has opened the port', async () => {
  const game = await begin(['tftp-silent']);
  const booting = () => game.site.status().machines.filter(({ isOn }) => isOn);
  await game.until(() => booting().every(({ console }) => /PXE-E32: TFTP open timeout/.test(console)));
  // The packets are dropped before anybody could log them.
  expect(game.messages('bastion')).not.toContain('RRQ');
  await game.put();
  await game.until(() => booting().every(({ stage }) => !['dhcp', 'ipxe'].includes(stage)));
});

test('clock-skew: whoever sets the clock of the machine lets the installation go on, and nothing else is put right', async () => {
  const game = await begin(['clock-skew']);
  expect([game.site.repair('mtu-too-small'), game.site.repair('api-int-missing')]).toEqual([false, false]);
  const waits = () => game.site.status().machines.some(({ console }) => /not yet valid/.test(console));
  await game.until(waits);
  expect([game.site.repair('clock-skew'), game.site.repair('clock-skew')]).toEqual([true, false]);
  await game.until(() => game.site.status().isBootstrapComplete);
});

test('service-file-broken: a service is down until its file is put in place again, and says which line is wrong', async () => {
  const game = await begin(['service-file-broken']);
  const down = () => game.site.status().hosts.flatMap(({ services }) => services.filter(({ isRunning }) => !isRunning));
  await game.until(() => down().length > 0);
  expect(down()).toMatchObject([{ detail: expect.stringMatching(/line \d+|:\d+\]/) }]);
  expect(everythingSaid(game)).toMatch(/Failed to start \w+/);
  await game.put();
  expect(down()).toEqual([]);
  restart(game, ['bs', ...MASTERS]);
  await game.until(() => game.site.status().isBootstrapComplete);
});

test('without faults the bootstrap completes, and nobody complains', async () => {
  const game = await begin([]);
  await game.until(() => game.site.status().isBootstrapComplete);
  const said = everythingSaid(game);
  for (const trace of Object.values(TRACES)) {
    if (trace.source.includes('no server available')) continue;
    expect(said).not.toMatch(trace);
  }
  for (const [, { console }] of STUCK) {
    // Before the bootstrap node serves, everybody is refused.
    if (console.source.includes('EOF')) continue;
    expect(said).not.toMatch(console);
  }
  expect(said).toContain(CONFIG);
});

const MENDED: readonly (readonly [FaultId, (game: PlantedSite) => Promise<void> | void])[] = [
  ['api-int-missing', (game) => game.put()],
  ['config-server-closed', (game) => game.put()],
  ['api-health-check-wrong', (game) => game.put()],
  [
    'ptr-missing',
    async (game) => {
      await game.put();
      restart(game, namesOf('ptr-missing', 'victim'));
    },
  ],
  ['boots-old-disk', (game) => restart(game, namesOf('boots-old-disk', 'victim'))],
  [
    'ignition-of-another-cluster',
    async (game) => {
      await game.ignite([]);
      restart(game, ['bs', ...MASTERS]);
    },
  ],
];

function restart({ site }: PlantedSite, names: readonly string[]): void {
  for (const name of names) {
    site.powerOff(name);
    site.powerOn(name);
  }
}

test.each(MENDED)('%s: once mended, the installation goes on', async (fault, mend) => {
  const game = await begin([fault]);
  const [, stuck] = STUCK.find(([id]) => id === fault) ?? [];
  const names = namesOf(fault, stuck?.who ?? 'masters');
  await game.until(() =>
    game.site
      .status()
      .machines.filter(({ name }) => names.includes(name))
      .every(({ console }) => stuck?.console.test(console)),
  );
  await mend(game);
  await game.until(() => game.site.status().isBootstrapComplete);
});
