import { afterEach, expect, test } from 'vitest';
import { needsOf } from '../../screens/welcome/needs.tsx';
import { welcomeChoices } from '../../screens/welcome/view.tsx';
import { judgeMachine } from '../../src/diagnosis/machine/index.ts';
import { installerSeen } from '../../src/diagnosis/machine/programs.ts';
import { RIGHT } from '../support/machine.ts';
import { after, effectsOf, wizardState } from '../support/wizard-state.ts';
import { app, close, show } from './show.ts';
import { STATES } from './views.ts';

afterEach(close);

const around = () => STATES['welcome around']?.() ?? wizardState();
const NEEDS = [
  'openshift-install, oc',
  'pull secret',
  'DNS, DHCP, load balancer',
  'machines for',
  'this machine',
  'time',
];

test.each([
  [80, 24],
  [60, 15],
] as const)(
  'at %ix%i the welcome says in six lines what an installation needs, and cuts none',
  async (columns, rows) => {
    for (const look of [{}, { hasUnicode: false, hasColour: false }]) {
      const before = (await show(wizardState(), [columns, rows], look)).filter((line) =>
        NEEDS.some((need) => line.includes(need)),
      );
      expect(before.length).toBeGreaterThanOrEqual(6);
      const seen = (await show(around(), [columns, rows], look)).slice(-12);
      for (const need of NEEDS)
        expect(seen.filter((line) => /^ [-!✔+] /.test(line) && line.includes(need)).join()).not.toMatch(
          /[…~]|looking|^$/,
        );
      expect(seen.join('\n')).toMatch(/! openshift-install, oc +not here: Prepare fetches them/);
      expect(seen.join('\n')).toMatch(/! this machine +1 to put right: see m/);
      expect(seen.join('\n')).toMatch(/[✔+] pull secret +here/);
    }
  },
);

const DUTIES = { version: '4.18', goArchitecture: 'amd64', serves: [] };
test.each([
  [null, '4.18.11', 'amd64', 'wrong', /^not here/],
  ['/c/openshift-install', '4.17.3', 'amd64', 'wrong', /^not as the design says/],
  ['/c/openshift-install', '4.18.11', 'arm64', 'wrong', /^not as the design says/],
  ['/c/openshift-install', '4.18.11', 'unknown', 'ok', /^4\.18\.11$/],
  ['/c/openshift-install', null, null, 'ok', /^\/c\/openshift-install$/],
] as const)('the welcome says of openshift-install %s %s %s: %s', (file, version, architecture, state, said) => {
  const programs = { ...RIGHT.programs, 'openshift-install': { file, version, architecture } };
  const evidence = { ...RIGHT, programs, duties: DUTIES };
  const installer = installerSeen(evidence);
  const [tools] = needsOf({ findings: judgeMachine(evidence), installer, others: [] });
  expect(tools).toMatchObject({ state, said: expect.stringMatching(said) });
  // What the list says of it agrees.
  const [finding] = judgeMachine(evidence).filter(({ code }) => code === 'openshift-install');
  expect(finding?.state).toBe(state === 'ok' ? 'ok' : 'failed');
  expect(needsOf({ findings: [], installer: null, others: [] })[0]?.state).toBe('told');
});

test('d shows the whole list of what this machine has and lacks', async () => {
  await show(around());
  await app?.press('m');
  const lines = app?.lines().join('\n') ?? '';
  expect(lines).toContain('Needed first: openshift-install is missing.');
  expect(lines).toContain('Missing, and needed for an installation');
  await app?.press('q');
  expect(app?.store.getState().overlay).toBeNull();
});

test('other installations are listed with their state, and open in their own directory', async () => {
  const lines = (await show(around(), [100, 30])).join('\n');
  expect(lines).toMatch(/Open ocp45 +finished, \/home\/user\/upi-cluster/);
  expect(lines).toMatch(/Resume deep +rehearsal, Boot, \/home\/user\/deep/);
  // One that was rehearsed here stays as it is.
  expect(lines).toMatch(/New rehearsal +beside/);
  const opening = { type: 'welcome/open', dir: '/home/user/upi-cluster' } as const;
  expect(effectsOf(around(), opening)).toContainEqual({ type: 'leave', how: 'open' });
  expect(after(around(), opening).welcome.opens).toBe('/home/user/upi-cluster');
});

test('only who comes over SSH without tmux is advised to use it', async () => {
  const advice = 'Over SSH, run this inside tmux or screen';
  expect((await show(around())).join('\n')).toContain(advice);
  const inside = {
    ...around(),
    welcome: {
      ...around().welcome,
      around: { findings: judgeMachine(RIGHT), installer: installerSeen(RIGHT), others: [] },
    },
  };
  expect((await show(inside)).join('\n')).not.toContain(advice);
  expect((await show(wizardState())).join('\n')).not.toContain(advice);
});

test('no two choices have the same name, also at the start of a rehearsal', () => {
  const state = wizardState();
  for (const rehearsal of [null, { speed: 60, isPaused: false }])
    for (const reached of [0, 3]) {
      const labels = welcomeChoices({ ...state, reached, welcome: { ...state.welcome, rehearsal } }).map(
        ({ label }) => label,
      );
      expect(labels, labels.join()).toEqual([...new Set(labels)]);
    }
});
