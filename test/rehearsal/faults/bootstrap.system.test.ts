import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { probeTftp } from '../../../src/probes/tftp-probe.ts';
import { type FaultId, SIMULATED_REPAIR_FAULTS } from '../../../src/rehearsal/site/faults.ts';
import { findAffectedNode } from '../../../src/rehearsal/site/seeded-random.ts';
import { exampleSite } from '../../support/example-design.ts';
import { createPlantedSite, type PlantedSite } from '../../support/planted-site.ts';

let open: PlantedSite | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const MASTERS = ['m1', 'm2', 'm3'];
const CONFIG = 'GET https://api-int.ocp45.example.localdomain:22623/config/master: attempt #';

/** The end state of a fault: the stage of the machines, their console text, and the machines concerned. */
interface ExpectedStop {
  readonly stage: string;
  readonly console: RegExp;
  readonly who: 'victim' | 'bootstrap' | 'masters';
}

const EXPECTED_STOPS: readonly (readonly [FaultId, ExpectedStop])[] = [
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

/** Log lines that distinguish faults with the same end state, from the site or a service host. */
const DISTINCT_LOG_LINES: Readonly<Partial<Record<FaultId, RegExp>>> = {
  'foreign-dhcp': /DHCPREQUEST for 172\.16\.0\.\d+ \(172\.16\.0\.1\) from \S+ via eth0: unknown lease/,
  'address-taken-twice': /DHCPDECLINE of 172\.16\.0\.2\d from \S+ via eth0: not found/,
  'api-health-check-wrong': /Server api\/bs is DOWN, reason: Layer7 wrong status, code: 400/,
  'config-server-closed': /proxy machine-config has no server available!/,
  'gateway-wrong': /pinging container registry quay\.io: .*: connect: no route to host/,
  'registry-unreachable': /pinging container registry quay\.io: .*: i\/o timeout/,
  'pull-secret-without-registry': /unauthorized: access to the requested resource is not authorized/,
};

async function startInstallation(faults: readonly FaultId[]): Promise<PlantedSite> {
  open = await createPlantedSite(exampleSite(), faults);
  for (const name of ['bs', ...MASTERS]) open.site.powerOn(name);
  return open;
}

function collectLogs(installation: PlantedSite): string {
  return [installation.log(), ...['ns1', 'lb1'].map(installation.messages)].join('\n');
}

function listMachineNames(fault: FaultId, who: ExpectedStop['who']): string[] {
  if (who !== 'victim') return who === 'bootstrap' ? ['bs'] : MASTERS;
  return [findAffectedNode(fault, { design: exampleSite(), faults: new Set([fault]), seed: 1 })?.name ?? ''];
}

test.each(EXPECTED_STOPS)('%s: the installation stops where real ones do', async (fault, { stage, console, who }) => {
  const installation = await startInstallation([fault]);
  const names = listMachineNames(fault, who);
  const isStuck = () =>
    installation.site
      .getStatus()
      .machines.filter(({ name }) => names.includes(name))
      .every((machine) => machine.stage === stage && console.test(machine.console));
  await installation.waitUntil(isStuck);
  // The state is stable: waiting does not repair it.
  await installation.passMinutes(5);
  expect(isStuck()).toBe(true);
  expect(installation.site.getStatus().isBootstrapComplete).toBe(false);
  const trace = DISTINCT_LOG_LINES[fault];
  if (trace) expect(collectLogs(installation)).toMatch(trace);
});

test('foreign-dhcp: the map of addresses has the unplanned one, so that logs can name it as on a real network', async () => {
  const installation = await startInstallation(['foreign-dhcp']);
  const refusal = () => /unknown lease (172\.16\.0\.\d+)\./.exec(installation.messages('ns1'))?.[1] ?? null;
  const isMapped = () => installation.resolveEndpoint(refusal() ?? '', 0).host.startsWith('127.');
  await installation.waitUntil(() => refusal() !== null && isMapped());
  expect(exampleSite().nodes.flatMap(({ ip }) => ip)).not.toContain(refusal());
  expect(isMapped()).toBe(true);
});

test('boot-file-missing: the boot programs name the missing file, and restoring it is enough', async () => {
  const installation = await startInstallation(['boot-file-missing']);
  // The server of this test has no answer to the reports of machines.
  const missing = () =>
    installation.requests.flatMap(({ path, status }) => (status === 404 && path !== '/machine' ? [path] : []));
  await installation.waitUntil(() => missing().length > 4);
  expect(new Set(missing())).toEqual(new Set(['/images/rhcos-418.94.202410090804-0-live-initramfs.x86_64.img']));
  installation.restoreBootFiles();
  const waiting = ['dhcp', 'ipxe'];
  await installation.waitUntil(() =>
    installation.site.getStatus().machines.every(({ isOn, stage }) => !isOn || !waiting.includes(stage)),
  );
});

test('boot-program-missing: the TFTP server reports it to the firmware, which starts once install.sh has put the programs there', async () => {
  const installation = await startInstallation(['boot-program-missing']);
  const listBooting = () => installation.site.getStatus().machines.filter(({ isOn }) => isOn);
  await installation.waitUntil(() => listBooting().every(({ console }) => /PXE-T01: File not found/.test(console)));
  expect(installation.messages('bastion')).toMatch(
    /in\.tftpd\[\d+\]: RRQ from 172\.16\.0\.2\d filename \S+\n.*in\.tftpd\[\d+\]: sending NAK \(1, File not found\) to 172/,
  );
  const probeBootFile = (path: string) =>
    probeTftp(installation.resolveEndpoint, systemClock, { server: '172.16.0.101', path }, 60_000);
  expect(await probeBootFile('ipxe.efi')).toEqual({ state: 'refused', bytes: null, detail: 'File not found' });
  await installation.installStage();
  expect(await probeBootFile('ipxe.efi')).toEqual({ state: 'fetched', bytes: 48 * 1024, head: 'MZ', detail: '' });
  // Files outside the served directory are refused.
  expect(await probeBootFile('../../etc/chrony.conf')).toMatchObject({ state: 'refused' });
  await installation.waitUntil(() => listBooting().every(({ stage }) => !['dhcp', 'ipxe'].includes(stage)));
});

test('tftp-silent: firmware waits for its program, and starts once install.sh has opened the port', async () => {
  const installation = await startInstallation(['tftp-silent']);
  const listBooting = () => installation.site.getStatus().machines.filter(({ isOn }) => isOn);
  await installation.waitUntil(() => listBooting().every(({ console }) => /PXE-E32: TFTP open timeout/.test(console)));
  // The packets are dropped before they can be logged.
  expect(installation.messages('bastion')).not.toContain('RRQ');
  await installation.installStage();
  await installation.waitUntil(() => listBooting().every(({ stage }) => !['dhcp', 'ipxe'].includes(stage)));
});

test('clock-skew: setting the clock of the machine lets the installation continue, and repairs nothing else', async () => {
  const installation = await startInstallation(['clock-skew']);
  expect([installation.site.repair('mtu-too-small'), installation.site.repair('api-int-missing')]).toEqual([
    false,
    false,
  ]);
  const isWaiting = () => installation.site.getStatus().machines.some(({ console }) => /not yet valid/.test(console));
  await installation.waitUntil(isWaiting);
  expect([installation.site.repair('clock-skew'), installation.site.repair('clock-skew')]).toEqual([true, false]);
  expect(['clock-skew', 'mtu-too-small'].map(installation.site.isRepaired)).toEqual([true, false]);
  await installation.waitUntil(() => installation.site.getStatus().isBootstrapComplete);
});

test('reboot: a wrong file stays wrong, and machines that are off or have joined stay as they are', async () => {
  const installation = await startInstallation(['gateway-wrong']);
  const getStages = () => installation.site.getStatus().machines.map(({ name, stage }) => [name, stage]);
  const isStuck = () => installation.site.getStatus().machines.some(({ console }) => /Pull failed/.test(console));
  await installation.waitUntil(isStuck);
  expect(installation.site.repair('reboot')).toBe(true);
  expect(getStages()).toMatchObject([
    ['bs', 'firmware'],
    ...MASTERS.map((name) => [name, 'firmware']),
    ...Array(6).fill([expect.anything(), 'off']),
  ]);
  await installation.waitUntil(isStuck);
  await installAndReboot(installation);
  await installation.waitUntil(() => installation.site.getStatus().isBootstrapComplete);
  await installation.waitUntil(() =>
    MASTERS.every((name) => getStages().some((each) => each.join() === `${name},joined`)),
  );
  expect(installation.site.repair('reboot')).toBe(false);
});

test('service-file-broken: a service is down until its file is put in place again, and reports the wrong line', async () => {
  const installation = await startInstallation(['service-file-broken']);
  const listDown = () =>
    installation.site.getStatus().hosts.flatMap(({ services }) => services.filter(({ isRunning }) => !isRunning));
  await installation.waitUntil(() => listDown().length > 0);
  expect(listDown()).toMatchObject([{ detail: expect.stringMatching(/line \d+|:\d+\]/) }]);
  expect(collectLogs(installation)).toMatch(/Failed to start \w+/);
  await installation.installStage();
  expect(listDown()).toEqual([]);
  await installation.waitUntil(() => installation.site.getStatus().isBootstrapComplete);
});

test('without faults the bootstrap completes, and no log has the traces of a fault', async () => {
  const installation = await startInstallation([]);
  await installation.waitUntil(() => installation.site.getStatus().isBootstrapComplete);
  const logs = collectLogs(installation);
  for (const trace of Object.values(DISTINCT_LOG_LINES)) {
    if (trace.source.includes('no server available')) continue;
    expect(logs).not.toMatch(trace);
  }
  for (const [, { console }] of EXPECTED_STOPS) {
    // Connections are refused until the bootstrap node serves.
    if (console.source.includes('EOF')) continue;
    expect(logs).not.toMatch(console);
  }
  expect(logs).toContain(CONFIG);
});

const REPAIRS: readonly (readonly [FaultId, (installation: PlantedSite) => Promise<void> | void])[] = [
  ['api-int-missing', (installation) => installation.installStage()],
  ['config-server-closed', (installation) => installation.installStage()],
  ['api-health-check-wrong', (installation) => installation.installStage()],
  [
    'ptr-missing',
    async (installation) => {
      await installation.installStage();
      restart(installation, listMachineNames('ptr-missing', 'victim'));
    },
  ],
  ['hostname-localhost', installAndReboot],
  ['gateway-wrong', installAndReboot],
  ['boots-old-disk', ({ site }) => void expect(site.repair('reboot')).toBe(true)],
  ['ignition-of-another-cluster', createIgnitionAndPowerOn],
  ['ignition-stale', createIgnitionAndPowerOn],
];

/** Puts the files in place again, and reboots the machines that have not joined as the rehearsal offers it. */
async function installAndReboot({ installStage, site }: PlantedSite): Promise<void> {
  await installStage();
  expect(site.repair('reboot')).toBe(true);
}

/** Creates the ignition files again, and powers the machines off and on as the Boot step does. */
async function createIgnitionAndPowerOn(installation: PlantedSite): Promise<void> {
  await installation.createIgnition([]);
  restart(installation, ['bs', ...MASTERS]);
}

function restart({ site }: PlantedSite, names: readonly string[]): void {
  for (const name of names) {
    site.powerOff(name);
    site.powerOn(name);
  }
}

/** Faults of this file that only the simulated site can repair: the repair also restarts the machines that need it. */
const SIMULATED_REPAIRS: typeof REPAIRS = EXPECTED_STOPS.flatMap(([fault]) =>
  SIMULATED_REPAIR_FAULTS.includes(fault) ? [[fault, ({ site }) => void expect(site.repair(fault)).toBe(true)]] : [],
);

test.each([...REPAIRS, ...SIMULATED_REPAIRS])(
  '%s: once repaired, the installation continues',
  async (fault, repair) => {
    const installation = await startInstallation([fault]);
    const [, stuck] = EXPECTED_STOPS.find(([id]) => id === fault) ?? [];
    const names = listMachineNames(fault, stuck?.who ?? 'masters');
    await installation.waitUntil(() =>
      installation.site
        .getStatus()
        .machines.filter(({ name }) => names.includes(name))
        .every(({ console }) => stuck?.console.test(console)),
    );
    await repair(installation);
    await installation.waitUntil(() => installation.site.getStatus().isBootstrapComplete);
    const listMasters = () => installation.site.getStatus().machines.filter(({ name }) => MASTERS.includes(name));
    await installation.waitUntil(() => listMasters().every(({ stage }) => stage === 'joined'));
  },
);
