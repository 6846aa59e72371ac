// The engine is that of `hosts apply`; a simulated host answers it here. For real hosts: test/system/hosts.test.ts.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UserErrorException } from '../../../src/i18n/user-error.ts';
import type { StepContext } from '../../../src/steps/contract.ts';
import { previewHosts, setUpHosts, undoHosts } from '../../../src/steps/hosts/setup/host-actions.ts';
import { listUnfinishedRuns, refreshRuns } from '../../../src/steps/hosts/setup/run-hosts.ts';
import { getFilesInstalledAt } from '../../../src/steps/shared/hosts/host-file-records.ts';
import { parseTarget } from '../../../src/steps/step-action.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';
import { withTftp } from '../../support/tftp.ts';

const PLACE = 'place\t/etc/chrony.conf\tchanged\t0644';
const EDITED = 'place\t/etc/chrony.conf\tedited\t0644';

let fixture: StepFixture;
let context: StepContext;
/** The output of the host for each verb, and the commands that it received. */
let outputs: Record<string, readonly string[]>;
let commands: string[];
const lines: string[] = [];
const report = (line: string) => void lines.push(line);

beforeEach(async () => {
  fixture = createStepFixture();
  mkdirSync(join(fixture.dir, 'files', 'bastion'), { recursive: true });
  [commands, outputs] = [[], { plan: [PLACE], 'undo-plan': [], status: ['status\t\tinstall\tno\t\t\t'] }];
  lines.length = 0;
  context = {
    ...fixture.context,
    resolveEndpoint: await withTftp(fixture.context.resolveEndpoint),
    manualActions: {
      ...fixture.context.manualActions,
      async runOnHost(host, _files, argv, { onLine }) {
        commands.push(`${host}: ${argv.join(' ')}`);
        const [verb = ''] = argv;
        if (verb === 'start') outputs = { ...outputs, status: ['status\t1-1\tinstall\tno\t0\tconfirmed\t'], plan: [] };
        const output =
          verb === 'follow' ? ['@stage\tfiles', 'Place: /etc/chrony.conf', '@end\t0'] : (outputs[verb] ?? []);
        for (const line of output) onLine?.(line);
        return output;
      },
    },
  };
});
afterEach(() => fixture.remove());

const listStarts = () => commands.filter((line) => line.includes('start'));

test('a host is set up as previewed, followed, and recorded as done', async () => {
  const preview = await previewHosts(context, parseTarget('hosts', 'bastion'), 'set-up');
  expect(preview.question).toBe('Run install.sh on bastion from here?');
  expect(preview.lines).toContain('    /etc/chrony.conf: not as generated');
  expect(preview.alternatives).toEqual([]);
  expect((await previewHosts(context, parseTarget('hosts', 'ns1,bastion'), 'set-up')).alternatives).toMatchObject([
    { key: 'sideBySide', target: parseTarget('hosts', 'ns1,bastion side-by-side') },
  ]);
  expect(listStarts()).toEqual([]);
  await setUpHosts(context, parseTarget('hosts', 'bastion'), report);
  // The change cannot cut off the connection, so it is not reverted automatically.
  expect(listStarts()).toEqual(['bastion: start install 0']);
  expect(lines).toEqual([
    expect.stringMatching(/^bastion: install\.sh runs there on its own/),
    'bastion: files',
    'bastion:   Place: /etc/chrony.conf',
    expect.stringMatching(/^bastion: Every check/),
    'bastion: Confirmed: the changes stay.',
  ]);
  expect(context.probeCache.hostRuns.get('bastion')).toMatchObject({ state: 'ended', areFilesMissing: false });
  expect(listUnfinishedRuns(context)).toEqual([]);
  expect(getFilesInstalledAt(context, 'bastion')).toBe(context.clock.now());
  lines.length = 0;
  outputs.plan = [];
  const { nothingToDo } = await previewHosts(context, parseTarget('hosts', 'bastion'), 'set-up');
  expect(nothingToDo).toBe('Nothing to do on bastion: the files there are the generated ones.');
  await setUpHosts(context, parseTarget('hosts', 'bastion'), report);
  expect(lines).toEqual(['Nothing to do there.']);
});

test('a host that cannot be reached is not "nothing to do": the preview says what to correct, and forbids a yes', async () => {
  const unreachable = { code: 'ssh', title: 'No answer', cause: 'Network is unreachable', remedy: 'Add a route.' };
  context = {
    ...context,
    manualActions: {
      ...context.manualActions,
      runOnHost: () => Promise.reject(new UserErrorException(unreachable)),
    },
  };
  for (const action of ['set-up', 'undo'] as const) {
    const preview = await previewHosts(context, parseTarget('hosts', 'bastion'), action);
    const [first, ...others] = preview.lines;
    expect(first).toBe('This cannot run yet. Correct what is reported here, then ask again.');
    expect(others.join('\n')).toContain('Network is unreachable');
    expect(preview.blockedReason).toBe(first);
    expect(preview.nothingToDo).toBe(undefined);
  }
});

test('after a host was set up, its services are looked at there; an undo forgets them', async () => {
  expect(context.probeCache.hostUnits.get('bastion')).toBeUndefined();
  await previewHosts(context, parseTarget('hosts', 'bastion'), 'set-up');
  const active = ['unit\tchronyd\tactive', 'unit\thttpd\tinactive'];
  const { manualActions } = context;
  context = {
    ...context,
    manualActions: {
      ...manualActions,
      async runOnHost(host, files, argv, options) {
        const output = (await manualActions.runOnHost?.(host, files, argv, options)) ?? [];
        return argv[0] === 'plan' ? [...output, ...active] : output;
      },
    },
  };
  await setUpHosts(context, parseTarget('hosts', 'bastion'), report);
  expect(context.probeCache.hostUnits.get('bastion')).toEqual({
    at: context.clock.now(),
    units: [
      { name: 'chronyd', isActive: true },
      { name: 'httpd', isActive: false },
    ],
  });
  outputs['undo-plan'] = [PLACE];
  await undoHosts(context, parseTarget('hosts', 'bastion'), report).catch(() => undefined);
  expect(context.probeCache.hostUnits.get('bastion')).toBeUndefined();
});

test('nothing starts when the host differs from the preview, or a file was edited there', async () => {
  await previewHosts(context, parseTarget('hosts', 'bastion'), 'set-up');
  outputs.plan = [PLACE, 'place\t/etc/other\tnew\t0644'];
  await expect(setUpHosts(context, parseTarget('hosts', 'bastion'), report)).rejects.toMatchObject({
    userError: { code: 'host-otherwise' },
  });
  outputs.plan = [EDITED];
  const preview = await previewHosts(context, parseTarget('hosts', 'bastion'), 'set-up');
  expect(preview.alternatives).toMatchObject([{ key: 'overwrite', target: parseTarget('hosts', 'bastion overwrite') }]);
  // A plain yes would do nothing: it is not offered.
  expect(preview.blockedReason).toContain('allows overwriting it');
  const consent = await previewHosts(context, parseTarget('hosts', 'bastion overwrite'), 'set-up');
  expect(consent.blockedReason).toBe(undefined);
  expect(consent.yesLabel).toBe('overwrite and run');
  await expect(setUpHosts(context, parseTarget('hosts', 'bastion'), report)).rejects.toMatchObject({
    userError: { code: 'host-edited' },
  });
  expect(listStarts()).toEqual([]);
  await setUpHosts(context, parseTarget('hosts', 'bastion overwrite'), report);
  expect(listStarts()).toHaveLength(1);
});

test('an unfinished host run is found after a restart of the wizard with its countdown, and its end is reported', async () => {
  context.stepState.set('host-runs', { bastion: 1 });
  outputs.status = ['status\t1-1\tinstall\tyes\t\topen\t'];
  await refreshRuns(context);
  const getRun = () => context.probeCache.hostRuns.get('bastion');
  expect(getRun()).toMatchObject({ state: 'running', isFollowed: false });
  outputs.status = ['status\t1-1\tinstall\tno\t0\topen\t90'];
  await refreshRuns(context);
  expect(getRun()).toMatchObject({ state: 'open', revertsAt: context.clock.now() + 90_000 });
  outputs.status = ['status\t1-1\tinstall\tno\t0\treverted\t'];
  await refreshRuns(context);
  expect(getRun()).toMatchObject({ state: 'ended', areFilesMissing: true });
  expect(getRun()?.statusText).toMatch(/^Reverted, and verified to be as before/);
  expect(listUnfinishedRuns(context)).toEqual([]);
  // The host rebooted meanwhile and is about to revert; then it has reverted.
  context.stepState.set('host-runs', { bastion: 1 });
  outputs.status = ['status\t1-1\tinstall\tno\t\topen\t0\tyes'];
  await refreshRuns(context);
  expect(getRun()).toMatchObject({ state: 'open', revertsAt: context.clock.now() });
  outputs.status = ['status\t1-1\tinstall\tno\t\treverted\t\tyes'];
  await refreshRuns(context);
  expect(getRun()?.statusText).toMatch(/^Reverted, .* the host rebooted before the run was confirmed$/);
});

test('undo fails when something remains to be restored', async () => {
  outputs['undo-plan'] = ['back\t/etc/chrony.conf\trestore'];
  const preview = await previewHosts(context, parseTarget('hosts', 'bastion'), 'undo');
  expect(preview.lines).toContain('    /etc/chrony.conf: restored to its state before the first run');
  await expect(undoHosts(context, parseTarget('hosts', 'bastion'), report)).rejects.toMatchObject({
    userError: { code: 'host-not-set-up' },
  });
  expect(listStarts()).toEqual(['bastion: start undo']);
});
