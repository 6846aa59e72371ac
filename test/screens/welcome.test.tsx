import { afterEach, expect, test } from 'vitest';
import { startupRows } from '../../screens/app/startup-frame.ts';
import { listRequirements, listWelcomeChoices, welcomeScreen } from '../../screens/welcome.ts';
import { checkMachine } from '../../src/checks/machine/checks.ts';
import type { MachineEvidence } from '../../src/checks/machine/evidence.ts';
import { getInstallerStatus } from '../../src/checks/machine/programs.ts';
import { createCredentialProblem } from '../../src/design/credentials.ts';
import { getAt } from '../../src/design/paths.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { getRowText } from '../../src/rows/page-rows.ts';
import { isStep } from '../../src/wizard/state.ts';
import { HEALTHY_MACHINE } from '../support/machine-evidence.ts';
import { applyInputs, getEffects, typeText, wizardState } from '../support/wizard-state.ts';
import { app, closeWizard, showState } from './show-state.ts';
import { STATES } from './views.ts';

afterEach(closeWizard);

const createOverviewState = () => STATES['welcome around']?.() ?? wizardState();
const REQUIREMENTS = [
  'openshift-install, oc',
  'pull secret, SSH key',
  'DNS, DHCP, load balancer',
  'machines for',
  'this machine',
  'time',
];

test('at 60x15 every choice is visible, and the requirements get the rows that stay free', async () => {
  const state = createOverviewState();
  const text = (await showState(state, [60, 15])).join('\n');
  const choices = listWelcomeChoices(state);
  expect(choices.length).toBeGreaterThanOrEqual(6);
  for (const { label } of choices) expect(text).toContain(label);
  expect(text).toContain('openshift-install, oc');
});

test.each([[80, 24]] as const)(
  'at %ix%i the welcome screen lists the requirements of an installation in six complete lines',
  async (columns, rows) => {
    for (const look of [{}, { hasUnicode: false, hasColour: false }]) {
      const before = (await showState(wizardState(), [columns, rows], look)).filter((line) =>
        REQUIREMENTS.some((need) => line.includes(need)),
      );
      expect(before.length).toBeGreaterThanOrEqual(6);
      const cardLines = (await showState(createOverviewState(), [columns, rows], look)).slice(-12);
      for (const need of REQUIREMENTS)
        expect(
          cardLines.filter((line) => /^ {2}(?:[-!✔]|\[(?:[-!]|OK)\] *) /.test(line) && line.includes(need)).join(),
        ).not.toMatch(/[…~]|checking|^$/);
      expect(cardLines.join('\n')).toMatch(/(?:!|\[!\] ) openshift-install, oc +missing: Prepare gets them/);
      expect(cardLines.join('\n')).toMatch(/(?:!|\[!\] ) this machine +no name server is set/);
      expect(cardLines.join('\n')).toMatch(/(?:✔|\[OK\]) pull secret, SSH key +here/);
    }
  },
);

const MACHINE_REQUIREMENTS = { version: '4.18', goArchitecture: 'amd64', localServices: [] };
test.each([
  [null, '4.18.11', 'amd64', 'wrong', /^missing/],
  ['/c/openshift-install', '4.17.3', 'amd64', 'wrong', /^not as designed/],
  ['/c/openshift-install', '4.18.11', 'arm64', 'wrong', /^not as designed/],
  ['/c/openshift-install', '4.18.11', 'unknown', 'ok', /^4\.18\.11$/],
  ['/c/openshift-install', null, null, 'ok', /^\/c\/openshift-install$/],
] as const)('openshift-install %s %s %s on the welcome screen: %s', (file, version, architecture, state, detail) => {
  const programs = { ...HEALTHY_MACHINE.programs, 'openshift-install': { file, version, architecture } };
  const evidence = { ...HEALTHY_MACHINE, programs, requirements: MACHINE_REQUIREMENTS };
  const installer = getInstallerStatus(evidence);
  const [tools] = listRequirements({ findings: checkMachine(evidence), installer, otherInstallations: [] });
  expect(tools).toMatchObject({ state, detail: expect.stringMatching(detail) });
  // Without oc, nothing queries the cluster.
  const withoutOc = checkMachine({
    ...evidence,
    programs: { ...programs, oc: { file: null, version: null, architecture: null } },
  });
  expect(listRequirements({ findings: withoutOc, installer, otherInstallations: [] })[0]?.state).toBe('wrong');
  // A rehearsal reads its cluster without it.
  const rehearsed = listRequirements({ findings: withoutOc, installer, otherInstallations: [] }, { speed: 60 })[0];
  expect(rehearsed?.state).toBe(state);
  if (state === 'ok') expect(rehearsed?.detail).toBe(`${version ?? file}, needs no oc`);
  // The finding about it agrees.
  const [finding] = checkMachine(evidence).filter(({ code }) => code === 'openshift-install');
  expect(finding?.state).toBe(state === 'ok' ? 'ok' : 'failed');
  expect(listRequirements({ findings: [], installer: null, otherInstallations: [] })[0]?.state).toBe('unverified');
});

test('the welcome screen of a rehearsal calls the site simulated, and the time is that of the rehearsal', () => {
  const list = (speed: number) => listRequirements(null, { speed }).map(({ need, detail }) => `${need}: ${detail}`);
  expect(list(60)).toEqual(
    expect.arrayContaining([
      'DNS, DHCP, load balancer: simulated',
      'machines for the nodes: simulated',
      'time: about 2 min of waiting',
    ]),
  );
  expect(list(1)).toContain('time: 2 hours, mostly waiting');
});

test('the welcome screen says that OKD needs no pull secret', () => {
  const findings = checkMachine({ ...HEALTHY_MACHINE, pullSecret: { file: null, problem: null } });
  const requirements = listRequirements({ findings, installer: null, otherInstallations: [] });
  expect(requirements).toContainEqual({ state: 'ok', need: 'pull secret, SSH key', detail: 'OKD needs none' });
});

test('the welcome screen names a missing SSH key, and one problem of this machine; several are counted', () => {
  const missing = { file: '/k', problem: createCredentialProblem('p', 'ssh-key-missing', 'no key', 'make one') };
  const list = (evidence: Partial<MachineEvidence>) => {
    const findings = checkMachine({ ...HEALTHY_MACHINE, ...evidence });
    return listRequirements({ findings, installer: null, otherInstallations: [] }).map(({ detail }) => detail);
  };
  expect(list({ sshKey: missing })).toContain('no SSH key: Credentials creates one');
  expect(list({ sshKey: missing })).toContain('ok');
  expect(list({ sshKey: missing, pullSecret: missing })).toContain('get both: console.redhat.com, ssh-keygen');
  expect(list({ pullSecret: missing })).toContain('get it: console.redhat.com');
  expect(list({ nameServers: [] })).toContain('no name server is set');
  expect(list({ nameServers: [], clock: { ...HEALTHY_MACHINE.clock, isSynchronized: false } })).toContain(
    '2 problems: press m',
  );
});

test('before the installation begins, the title names no cluster: the example is not chosen yet', async () => {
  expect((await showState(wizardState()))[0]).toMatch(/^ upi-wizard +Welcome {2}1\/17$/);
  const begun = applyInputs(wizardState(), { type: 'screen/go', screen: 'cluster' });
  expect((await showState(begun))[0]).toContain('ocp45.example.localdomain  OpenShift 4.18');
  const back = applyInputs(begun, { type: 'screen/go', screen: 'welcome' });
  expect((await showState(back))[0]).toContain('ocp45.example.localdomain  OpenShift 4.18');
});

test('m shows the complete list of what this machine has and lacks', async () => {
  await showState(createOverviewState());
  await app?.press('m');
  const lines = app?.lines().join('\n') ?? '';
  expect(lines).toContain('To fix first: openshift-install is missing.');
  expect(lines).toContain('Missing, and needed for an installation');
  await app?.press('q');
  expect(app?.store.getState().overlay).toBeNull();
});

test('other installations are listed with their state, and open in their own directory', async () => {
  const lines = (await showState(createOverviewState(), [100, 30])).join('\n');
  expect(lines).toMatch(/Open ocp45 +[\d-]+ [\d:]+, finished, \/home\/user\/upi-cluster\n/);
  expect(lines).toMatch(/Resume deep +[\d-]+ [\d:]+, rehearsal, Boot, \/home\/[a-z/]*…[a-z/]*eep\n?/);
  // An earlier rehearsal in this directory stays as it is.
  expect(lines).toMatch(/New rehearsal +in addition to/);
  const openIntent = { type: 'welcome/open', dir: '/home/user/upi-cluster' } as const;
  expect(getEffects(createOverviewState(), openIntent)).toContainEqual({ type: 'leave', reason: 'open' });
  expect(applyInputs(createOverviewState(), openIntent).welcome.nextDir).toBe('/home/user/upi-cluster');
});

test('a session that never left its welcome page is not offered: nothing was entered in it', () => {
  const state = createOverviewState();
  const overview = state.welcome.overview;
  const listDirs = (screen: 'welcome' | 'cluster') => {
    const otherInstallations = overview?.otherInstallations.map((other) => ({ ...other, screen })) ?? [];
    const welcome = { ...state.welcome, overview: overview && { ...overview, otherInstallations } };
    return listWelcomeChoices({ ...state, welcome }).filter(({ value }) => value.startsWith('/'));
  };
  expect(listDirs('cluster')).toHaveLength(2);
  expect(listDirs('welcome')).toEqual([]);
});

test('only an SSH login without tmux is advised to use it', async () => {
  const advice = 'Over SSH, run upi-wizard in tmux or screen';
  expect((await showState(createOverviewState())).join('\n')).toContain(advice);
  const inside = {
    ...createOverviewState(),
    welcome: {
      ...createOverviewState().welcome,
      overview: {
        findings: checkMachine(HEALTHY_MACHINE),
        installer: getInstallerStatus(HEALTHY_MACHINE),
        otherInstallations: [],
      },
    },
  };
  expect((await showState(inside)).join('\n')).not.toContain(advice);
  expect((await showState(wizardState())).join('\n')).not.toContain(advice);
});

test('no two choices have the same name, also at the start of a rehearsal', () => {
  const state = wizardState();
  for (const rehearsal of [null, { speed: 60, isPaused: false }])
    for (const reached of [0, 3]) {
      const labels = listWelcomeChoices({
        ...state,
        furthestScreenIndex: reached,
        welcome: { ...state.welcome, rehearsal },
      }).map(({ label }) => label);
      expect(labels, labels.join()).toEqual([...new Set(labels)]);
    }
});

test('the first frame of a rehearsal says that the site starts, and where it is kept', () => {
  const terminal = { columns: 80, rows: 24, hasUnicode: true, hasColour: true, canAnimate: false };
  const text = (isRehearsal: boolean) =>
    startupRows({ dir: '/srv/upi-rehearsal', isRehearsal }, terminal as never)
      .map(getRowText)
      .join('\n');
  expect(text(true)).toContain('Starting the simulated site…');
  expect(text(true)).toContain('Everything is stored in /srv/upi-rehearsal');
  expect(text(false)).not.toContain('simulated site…');
});

test('another installation is listed with where it stopped, when it was used last, and its directory', () => {
  const { hint } =
    listWelcomeChoices(createOverviewState()).find(({ value }) => value === '/home/user/upi-cluster') ?? {};
  expect(hint).toMatch(/^2024-02-2\d \d\d:05, finished, …e\/user\/upi-cluster$/);
});

test('where few columns are left, the directory keeps its end, and its cut is marked as the terminal can show it', () => {
  const state = createOverviewState();
  const { overview } = state.welcome;
  const otherInstallations = (overview?.otherInstallations ?? []).map((other) => ({
    ...other,
    ...{ dir: '/home/user/clusters/five/r', screen: 'infra' as const, isFinished: false, isRehearsal: true },
  }));
  const welcome = { ...state.welcome, overview: overview && { ...overview, otherInstallations } };
  const getHint = (hasUnicode: boolean) =>
    listWelcomeChoices({ ...state, welcome }, { columns: 76, hasUnicode }).find(({ value }) => value.endsWith('/r'))
      ?.hint;
  expect(getHint(true)).toMatch(/^[\d-]+, rehearsal, Infra nodes, …ers\/five\/r$/);
  expect(getHint(false)).toMatch(/^[\d-]+, rehearsal, Infra nodes, \.\.\.\S*\/five\/r$/);
  expect(getHint(true)?.length).toBeLessThanOrEqual(47);
});

test('plain lines have the whole directory of another installation', () => {
  const labels = welcomeScreen.entries?.(createOverviewState()).map(({ label }) => label) ?? [];
  expect(labels.find((label) => label.startsWith('Resume deep'))).toMatch(
    /: [\d-]+ [\d:]+, rehearsal, Boot, \/[a-z/]{40,}\/deep$/,
  );
  expect(labels.join('\n')).not.toContain('…');
});

test('a wide welcome shows the steps with their usual times at the right, a smaller one a figure for each', async () => {
  const showRight = async (size: readonly [number, number]) =>
    (await showState(wizardState(), size)).map((line) => line.split('│')[1] ?? '');
  const wide = (await showRight([200, 60])).join(' ').replaceAll(/\s+/g, ' ');
  const { steps } = catalogue().stepHelp;
  for (const id of wizardState().screens.filter(isStep)) expect(wide).toContain(steps[id].duration);
  expect(wide).toContain('Cluster, Networks, Nodes, Services, Credentials, Review. Half an hour.');
  expect(wide).toContain(catalogue().steps.intros.bootstrap);
  expect(wide).not.toContain('in this order');
  // Nothing in the left half is cut for it.
  for (const size of [
    [120, 24],
    [120, 40],
    [159, 60],
    [200, 24],
    [200, 60],
  ] as const)
    expect((await showState(wizardState(), size)).join('\n')).not.toContain('…');
  for (const size of [
    [120, 24],
    [120, 60],
    [200, 24],
  ] as const) {
    const right = (await showRight(size)).map((line) => line.trim()).filter((line) => line !== '');
    expect(right.slice(0, 4)).toEqual([
      'The steps of an installation, and',
      'how long they usually take',
      'Design        30 min',
      'Generate      seconds',
    ]);
    expect(right).toContain('Bootstrap     20–40 min');
    expect(right).toHaveLength(13);
  }
  expect((await showState(wizardState(), [100, 40])).join('\n')).not.toContain('how long they usually');
});

test('a notice on Welcome moves no choice, and is gone after the next key or an overlay', async () => {
  await showState(createOverviewState());
  const before = app?.lines() ?? [];
  const findChoice = (lines: readonly string[]) => lines.findIndex((line) => line.includes('▸'));
  for (const keys of [
    ['\u001b[B', '\u001b[A'],
    ['?', 'q'],
  ]) {
    await app?.press('!');
    const lines = app?.lines() ?? [];
    expect(lines.join('\n')).toContain('this page itself shows');
    expect(findChoice(lines)).toBe(findChoice(before));
    for (const key of keys) await app?.press(key);
    expect(app?.lines()).toEqual(before);
  }
});

test('u undoes the last answer from the welcome page, too', async () => {
  const changed = applyInputs(
    wizardState({}, { screen: 'cluster' }),
    { type: 'screen/go', screen: 'cluster', field: 'cluster.name' },
    { type: 'field/edit', event: { kind: 'key', name: 'ctrl-u' } },
    ...typeText('lab7'),
    { type: 'field/accept' },
    { type: 'screen/go', screen: 'welcome' },
  );
  expect([changed.screen, getAt(changed.document, 'cluster.name')]).toEqual(['welcome', 'lab7']);
  await showState({ ...changed, overlay: null });
  await app?.press('u');
  expect(getAt(app?.store.getState().document ?? {}, 'cluster.name')).toBe('ocp45');
});
