import { expect, test } from 'vitest';
import { rehearseCommand } from '../../src/cli/rehearse.ts';
import { cloudDocument } from '../../src/cli/session/saved.ts';
import { UsageError } from '../../src/cli/shared/usage.ts';
import type { Host } from '../../src/cli/wizard/host.ts';
import { cloudDesign } from '../../src/design/example-cloud.ts';
import { parseDesign } from '../../src/design/parse.ts';
import { initialState } from '../../src/wizard/initial.ts';
import { goBack, goBy, goTo, onwardGoal } from '../../src/wizard/navigate.ts';
import { placesOf } from '../../src/wizard/overlays/palette.ts';
import { CLOUD_SCREENS, type ScreenId } from '../../src/wizard/state.ts';

const io = { stdout: () => undefined, stderr: () => undefined, env: {}, cwd: '/nowhere' };
const nowhere = () => Promise.reject(new Error('no wizard is opened'));
const programs = { bootServer: '', executable: '', site: '', standIn: '' };
const host: Host = { loadWizard: nowhere, loadPlain: nowhere, programs };

/** What is said of options that do not fit together; nothing is made then. */
const refusal = (...argv: readonly string[]) =>
  rehearseCommand(argv, io, host).then(
    () => null,
    (error: unknown) => (error instanceof UsageError ? error.message : String(error)),
  );

test('a cluster on a cloud has no answers, no other cloud, and only the faults that can strike it', async () => {
  expect(await refusal('--cloud', 'mars')).toBe('--cloud takes aws, not "mars".');
  expect(await refusal('--cloud', 'aws', '--answers', 'example', '--plain')).toContain('leave out one of them');
  expect(await refusal('--cloud', 'aws', '--break', 'wrong-mac', '--plain')).toContain('possible are machine-fails,');
  expect(await refusal('--break', 'machine-fails', '--answers', 'example', '--plain')).toBe(
    '--break machine-fails happens to machines of a cloud only: add --cloud aws.',
  );
});

test('its design is one that nothing is wrong with, and its screens are those without an installation', () => {
  expect(parseDesign(cloudDesign()).problems).toEqual([]);
  const state = initialState({
    ...{ dir: '/d', document: cloudDocument(), now: 0, isResumed: true, rehearsal: { speed: 60, isPaused: false } },
    ...{ reached: 'infra', screens: CLOUD_SCREENS },
  });
  expect(Object.keys(state.doneWith)).toEqual([]);
  const infra = goTo(state, 'infra').state;
  const at = (update: { readonly state: { readonly screen: ScreenId } }) => update.state.screen;
  expect([at(goBy(infra, 1)), at(goBack(infra)), at(goBy(goTo(state, 'review').state, 1))]).toEqual([
    ...['report', 'review', 'infra'],
  ]);
  expect([onwardGoal(goTo(state, 'review').state), onwardGoal(goTo(state, 'services').state)]).toEqual([null, 'infra']);
  const steps = placesOf(infra).filter(({ id }) => ['boot', 'operators', 'infra', 'report'].includes(id));
  expect(steps.map(({ id, whyNot }) => [id, whyNot === undefined])).toEqual([
    ['infra', true],
    ['report', false],
  ]);
});
