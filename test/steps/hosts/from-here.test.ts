// The engine is that of `hosts apply`; a host that is played answers it here. Real ones: test/system/hosts.test.ts.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StepContext } from '../../../src/steps/contract.ts';
import { briefHosts, setUpHosts, undoHosts } from '../../../src/steps/hosts/setup/from-here.ts';
import { lookAfterRuns, unseenRuns } from '../../../src/steps/hosts/setup/noted.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';
import { withTftp } from '../../support/tftp.ts';

const PLACE = 'place\t/etc/chrony.conf\tchanged\t0644';
const EDITED = 'place\t/etc/chrony.conf\tedited\t0644';

let world: StepWorld;
let context: StepContext;
/** What the host says to each verb, and what it was asked to do. */
let says: Record<string, readonly string[]>;
let asked: string[];
const lines: string[] = [];
const report = (line: string) => void lines.push(line);

beforeEach(async () => {
  world = stepWorld();
  mkdirSync(join(world.dir, 'files', 'bastion'), { recursive: true });
  [asked, says] = [[], { plan: [PLACE], 'undo-plan': [], status: ['status\t\tinstall\tno\t\t\t'] }];
  lines.length = 0;
  context = {
    ...world.context,
    reach: await withTftp(world.context.reach),
    hands: {
      ...world.context.hands,
      async runOnHost(host, _files, argv, { onLine }) {
        asked.push(`${host}: ${argv.join(' ')}`);
        const [verb = ''] = argv;
        if (verb === 'start') says = { ...says, status: ['status\t1-1\tinstall\tno\t0\tconfirmed\t'], plan: [] };
        const said = verb === 'follow' ? ['@stage\tfiles', 'Place: /etc/chrony.conf', '@end\t0'] : (says[verb] ?? []);
        for (const line of said) onLine?.(line);
        return said;
      },
    },
  };
});
afterEach(() => world.remove());

const started = () => asked.filter((line) => line.includes('start'));

test('a host is set up as it was shown, followed, and noted as done', async () => {
  const brief = await briefHosts(context, 'bastion', 'set-up');
  expect(brief.question).toBe('Run install.sh on bastion from here?');
  expect(brief.lines).toContain('    /etc/chrony.conf: other than generated');
  expect(brief.instead).toEqual([]);
  expect((await briefHosts(context, 'ns1,bastion', 'set-up')).instead).toMatchObject([
    { key: 'sideBySide', subject: 'ns1,bastion side-by-side' },
  ]);
  expect(started()).toEqual([]);
  await setUpHosts(context, 'bastion', report);
  // What changes cuts nobody off: it is not reverted.
  expect(started()).toEqual(['bastion: start install 0']);
  expect(lines).toEqual([
    expect.stringMatching(/^bastion: install\.sh runs there by itself/),
    'bastion: files',
    'bastion:   Place: /etc/chrony.conf',
    expect.stringMatching(/^bastion: Every check/),
    'bastion: Confirmed: it stays.',
  ]);
  expect(context.recollection.hostRuns.get('bastion')).toMatchObject({ state: 'ended', isMissing: false });
  expect(unseenRuns(context)).toEqual([]);
  lines.length = 0;
  says.plan = [];
  await briefHosts(context, 'bastion', 'set-up');
  await setUpHosts(context, 'bastion', report);
  expect(lines).toEqual(['Nothing to do there.']);
});

test('nothing starts when the host is other than shown, or somebody changed a file there', async () => {
  await briefHosts(context, 'bastion', 'set-up');
  says.plan = [PLACE, 'place\t/etc/other\tnew\t0644'];
  await expect(setUpHosts(context, 'bastion', report)).rejects.toMatchObject({ trouble: { code: 'host-otherwise' } });
  says.plan = [EDITED];
  const brief = await briefHosts(context, 'bastion', 'set-up');
  expect(brief.instead).toMatchObject([{ key: 'overwrite', subject: 'bastion overwrite' }]);
  await expect(setUpHosts(context, 'bastion', report)).rejects.toMatchObject({ trouble: { code: 'host-edited' } });
  expect(started()).toEqual([]);
  await setUpHosts(context, 'bastion overwrite', report);
  expect(started()).toHaveLength(1);
});

test('a run that an earlier sitting left is found with its countdown, and its end is said', async () => {
  context.memory.set('host-runs', { bastion: 1 });
  says.status = ['status\t1-1\tinstall\tyes\t\topen\t'];
  await lookAfterRuns(context);
  const seen = () => context.recollection.hostRuns.get('bastion');
  expect(seen()).toMatchObject({ state: 'running', isFollowed: false });
  says.status = ['status\t1-1\tinstall\tno\t0\topen\t90'];
  await lookAfterRuns(context);
  expect(seen()).toMatchObject({ state: 'open', revertsAt: context.clock.now() + 90_000 });
  says.status = ['status\t1-1\tinstall\tno\t0\treverted\t'];
  await lookAfterRuns(context);
  expect(seen()).toMatchObject({ state: 'ended', isMissing: true });
  expect(seen()?.said).toMatch(/^Reverted, and seen to be as before/);
  expect(unseenRuns(context)).toEqual([]);
  // The host was started again meanwhile, and is about to take it back; then it has.
  context.memory.set('host-runs', { bastion: 1 });
  says.status = ['status\t1-1\tinstall\tno\t\topen\t0\tyes'];
  await lookAfterRuns(context);
  expect(seen()).toMatchObject({ state: 'open', revertsAt: context.clock.now() });
  says.status = ['status\t1-1\tinstall\tno\t\treverted\t\tyes'];
  await lookAfterRuns(context);
  expect(seen()?.said).toMatch(/^Reverted, .* started again before the run was confirmed$/);
});

test('undo says that it failed when something is left to put back', async () => {
  says['undo-plan'] = ['back\t/etc/chrony.conf\trestore'];
  const brief = await briefHosts(context, 'bastion', 'undo');
  expect(brief.lines).toContain('    /etc/chrony.conf: as it was before');
  await expect(undoHosts(context, 'bastion', report)).rejects.toMatchObject({ trouble: { code: 'host-not-set-up' } });
  expect(started()).toEqual(['bastion: start undo']);
});
