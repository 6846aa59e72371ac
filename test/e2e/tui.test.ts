import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { screens } from '../../src/i18n/en/screens/index.ts';
import { steps } from '../../src/i18n/en/steps/index.ts';
import { STEP_IDS, type StepId } from '../../src/steps/contract.ts';
import { createSandbox, FAST_SPEED, listProcesses, runWizard } from '../support/rehearsal-run.ts';
import { key, startOnTerminal, type TerminalRun } from '../support/terminal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

const dir = sandbox.dir('site');

/** A page of questions: the label as it begins on the screen, and what is typed; null for a choice that stays. */
type Page = readonly (readonly [label: string, answer: string | null])[];

const CLUSTER: Page = [
  ['OpenShift version', '4.18'],
  ['Architecture', null],
  ['Topology', null],
  ['Cluster name', 'ocp46'],
  ['Base domain', 'example.localdomain'],
  ['FIPS mode', null],
];
const NETWORKS: Page = [
  ['Machine network', '172.16.0.0/24'],
  ['Gateway', '172.16.0.254'],
  ['Cluster network', '10.128.0.0/14'],
  ['Host prefix', '23'],
  ['Service network', '172.30.0.0/16'],
  ['Company networks', '192.168.124.0/24, 192.168.125.0/24'],
  ['Company router', '192.168.124.254'],
  ['API address', '172.16.0.111'],
  ['Internal API', '172.16.0.110'],
  ['Ingress address', '172.16.0.111'],
];
const SERVICES: Page = [
  ['Bastion name', 'bastion'],
  ['Bastion address', '172.16.0.101'],
  ['Bastion system', null],
  ['DNS', null],
  ['Name server', 'ns1'],
  ['Name server addr', '172.16.0.102'],
  ['Forwarders', '192.168.124.1'],
  ['DHCP', null],
  ['DHCP server', 'ns1'],
  ['Load balancer', null],
  ['Load balancer name', 'lb1'],
  ['Load balancer addr', '172.16.0.112'],
  ['Boot', null],
  ['Boot server port', '8080'],
  ['Time servers', '192.168.124.1'],
  ['Registry storage', null],
  ['StorageClass', ''],
];
const CREDENTIALS: Page = [
  ['Pull secret file', './pull-secret.txt'],
  ['SSH public key file', '~/.ssh/id_ed25519.pub'],
];

/** Number of keys that the answers of the example need: Enter, and y at a confirmation. */
let keyCount = 0;
/** Any other input counts as one key as well: it is an answer of the user's own. */
function press(run: TerminalRun, keys: string): void {
  keyCount += 1;
  run.type(keys);
}

test('the example is typed through every screen to the report, with kill -9 in the design and in a live step', async () => {
  const first = startOnTerminal(['rehearse', '--dir', dir, '--speed', String(FAST_SPEED)], { sandbox });
  await first.waitFor('New installation');
  press(first, key.enter);
  await typePage(first, 'Design > Cluster  2/17', CLUSTER);
  const untilRouter = NETWORKS.findIndex(([label]) => label === 'Company router');
  await typePage(first, 'Design > Networks  3/17', NETWORKS.slice(0, untilRouter));
  await waitForFocus(first, 'Company router');
  first.type(`${key.ctrl('u')}10.9.8`);
  await first.waitFor(/▸ Company router +(?:192\.168\.124\.254|10\.9\.8)/);
  await first.kill9();

  // The same page and field: accepted answers are restored, and half-typed text if it was saved before.
  const second = startOnTerminal(['rehearse', '--dir', dir], { sandbox });
  await second.waitFor('Design > Networks  3/17');
  await waitForFocus(second, 'Company router');
  expect(second.screen()).toMatch(/▸ Company router +(?:192\.168\.124\.254|10\.9\.8)/);
  expect(second.screen()).toMatch(/Company networks +192\.168\.124\.0\/24, 192\./);
  expect(second.screen()).toContain('ocp46.exa');
  await typePage(second, 'Design > Networks  3/17', NETWORKS.slice(untilRouter));
  await growLastInfraNode(second);
  await typePage(second, 'Design > Services  5/17', SERVICES);
  await typePage(second, 'Design > Credentials  6/17', CREDENTIALS);
  await second.waitFor('Design > Review  7/17');
  await second.waitFor('No problems. Enter generates the files.');
  press(second, key.enter);
  for (const id of STEP_IDS.slice(0, STEP_IDS.indexOf('certificates'))) await playStep(second, id);
  await startStep(second, 'certificates');
  // Some nodes have joined with requests approved here, or, on a busy machine, all of them have.
  await second.waitFor(/[wi]\d +to join .*issued|all 9 nodes joined/);
  await second.kill9();

  const third = startOnTerminal(['--dir', dir], { sandbox });
  await third.waitFor('Certificates  14/17');
  // The follower runs again, unless all nodes have joined meanwhile.
  await third.waitFor(/Automatic approval was on|Enter opens the next step/);
  expect(third.screen().split('\n')[0]).toContain('  ocp46.example.localdomain  ');
  for (const id of STEP_IDS.slice(STEP_IDS.indexOf('certificates'), -1)) await playStep(third, id);
  await startStep(third, 'report');
  await third.waitFor('written to ');
  await third.waitFor('The rehearsal is complete.');
  expect(third.screen()).toMatch(/Console +https:\/\/console-openshift-console\.apps\.ocp46/);
  expect(third.screen()).toContain('Report  17/17');

  await third.waitFor(/^ Enter finish {2}/m);
  press(third, key.enter);
  expect(keyCount, 'keys from the start to the end of the rehearsal').toBeLessThanOrEqual(64);
  expect(keyCount).toBeGreaterThan(50);
  expect((await third.exit).exitCode).toBe(0);
  expect(third.isAlternate()).toBe(false);
  expect(third.screen()).toContain(`The report is in ${dir}/report.md.`);
  expect(third.screen()).toContain(`Everything is saved in ${dir}.`);
  expect(third.screen()).toMatch(/simulated site is stopped[\s\S]*The report is in [\s\S]*Everything is saved in /);
  expectBuilt();
  await runWizard(['rehearse', '--stop', '--dir', dir], { sandbox });
  expect(listProcesses(dir), 'nothing runs on').toEqual([]);
});

/** Waits until the cursor is on a field. The list of screens beside the form has the same marker. */
async function waitForFocus(run: TerminalRun, label: string): Promise<void> {
  await run.waitFor(new RegExp(`[│┤] ▸ ${label.replaceAll('.', '\\.')}`));
}

/** Types every answer of a page over the current value. */
async function typePage(run: TerminalRun, place: string, page: Page): Promise<void> {
  await run.waitFor(place);
  for (const [label, answer] of page) {
    await waitForFocus(run, answer === null ? `${label} +<` : label);
    press(run, answer === null ? key.enter : `${key.ctrl('e')}${key.ctrl('u')}${answer}${key.enter}`);
  }
}

/** Goes down the node table, and gives i3 more memory. */
async function growLastInfraNode(run: TerminalRun): Promise<void> {
  await run.waitFor('Design > Nodes  4/17');
  run.type(key.down.repeat(9));
  await run.waitFor('▸ i3');
  run.type('e');
  await run.waitFor('Edit i3');
  for (const label of ['Name', 'Role', 'Address', 'MAC address', 'vCPU']) {
    await run.waitFor(new RegExp(`▸ ${label}`));
    run.type(key.tab);
  }
  await run.waitFor(/▸ Memory/);
  run.type(`${key.ctrl('u')}48${key.enter}`);
  await run.waitFor(/▸ Disk/);
  run.type(key.enter);
  await run.waitFor(/▸ Install disk/);
  run.type(key.enter);
  await run.waitFor(/▸ i3 .* 48 /);
  press(run, key.enter);
}

/** Runs a step until it is done, and opens the next one. */
async function playStep(run: TerminalRun, id: StepId): Promise<void> {
  await startStep(run, id);
  await run.waitFor(screens.step.pressEnterDone);
  press(run, key.enter);
}

/**
 * Presses Enter for the action of the step, and `y` at a confirmation. A step that continues automatically needs
 * neither.
 */
async function startStep(run: TerminalRun, id: StepId): Promise<void> {
  const actionText = steps.actions[id].sentence.slice(0, 40);
  const confirmation = screens.step.question.apply(steps.titles[id]);
  const progressTexts = [screens.step.pressEnterDone, screens.step.waiting];
  const showsAny = (texts: readonly string[]) => texts.some((text) => run.screen().includes(text));
  await run.waitFor(new RegExp(`${steps.titles[id]}  ${STEP_IDS.indexOf(id) + 8}/17`));
  // Another text may replace the sentence of the step: how the last run ended, or that the first probe is not finished.
  const isProbing = () => showsAny([screens.step.stillLooking]);
  const isReady = () =>
    showsAny([actionText]) ||
    ((showsAny(['ended abruptly']) || isProbing()) && showsAny([`Enter ${steps.actions[id].key}`]));
  await run.waitUntil(() => isReady() || showsAny(progressTexts), `what to do in ${id}`);
  while (isReady()) {
    const before = run.screen();
    press(run, key.enter);
    await run.waitUntil(() => !isReady() || (isProbing() && run.screen() !== before), `${id} to begin`);
  }
  if (showsAny([confirmation])) press(run, 'y');
}

/** Asserts that the report and the files match the typed design. */
function expectBuilt(): void {
  const report = readFileSync(join(dir, 'report.md'), 'utf8');
  expect(report).toMatch(/^# ocp46\.example\.localdomain$/m);
  expect(report.match(/\| Ready \|$/gm)?.length).toBe(9);
  expect(report).toMatch(
    /^\| i3\.ocp46\.example\.localdomain \| infra \| 172\.16\.0\.43 \| \S+ \| 4 \| 48 \| Ready \|$/m,
  );
  const { stage } = JSON.parse(readFileSync(join(dir, 'files/files.json'), 'utf8')) as { stage: string };
  expect(stage).toBe('infra-only');
  expect(existsSync(join(dir, 'auth/kubeconfig'))).toBe(true);
}
