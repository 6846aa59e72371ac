import { expect, test } from 'vitest';
import { createCloudDocument } from '../../src/cli/session/working-session.ts';
import { renderCloudDesign } from '../../src/design/example.ts';
import { parseDesign } from '../../src/design/parse.ts';
import { createInitialState } from '../../src/wizard/initial-state.ts';
import { getContinueTarget, goBack, goBy, goTo } from '../../src/wizard/navigation.ts';
import { listPaletteEntries } from '../../src/wizard/overlays/palette.ts';
import { CLOUD_SCREENS, type ScreenId } from '../../src/wizard/state.ts';
import { captureCommand } from '../support/run-command.ts';

/** Returns the message for options that conflict. Nothing is created in that case. */
const getRefusal = async (...argv: readonly string[]) =>
  (await captureCommand(['rehearse', ...argv], { cwd: '/nowhere', env: {} })).stderr;

test('a cloud rehearsal takes no answers, no unknown cloud, and only faults of cloud machines', async () => {
  expect(await getRefusal('--cloud', 'mars')).toBe('--cloud cannot be "mars". Possible: aws.');
  expect(await getRefusal('--cloud', 'aws', '--answers', 'example', '--plain')).toContain('leave out one of them');
  expect(await getRefusal('--cloud', 'aws', '--break', 'wrong-mac', '--plain')).toContain(
    'Possible faults: machine-fails,',
  );
  expect(await getRefusal('--break', 'machine-fails', '--answers', 'example', '--plain')).toBe(
    '--break machine-fails applies only to machines of a cloud: add --cloud aws.',
  );
});

test('the cloud design has no problems, and its screens are those without an installation', () => {
  expect(parseDesign(renderCloudDesign()).problems).toEqual([]);
  const state = createInitialState({
    ...{
      dir: '/d',
      document: createCloudDocument(),
      now: 0,
      isResumed: true,
      rehearsal: { speed: 60, isPaused: false },
    },
    ...{ furthestScreen: 'infra', screens: CLOUD_SCREENS },
  });
  expect(Object.keys(state.doneDocuments)).toEqual([]);
  const infra = goTo(state, 'infra').state;
  const getScreen = (update: { readonly state: { readonly screen: ScreenId } }) => update.state.screen;
  expect([
    getScreen(goBy(infra, 1)),
    getScreen(goBack(infra)),
    getScreen(goBy(goTo(state, 'review').state, 1)),
  ]).toEqual([...['report', 'review', 'infra']]);
  expect([getContinueTarget(goTo(state, 'review').state), getContinueTarget(goTo(state, 'services').state)]).toEqual([
    null,
    'infra',
  ]);
  const steps = listPaletteEntries(infra).filter(({ id }) => ['boot', 'operators', 'infra', 'report'].includes(id));
  expect(steps.map(({ id, unavailableReason }) => [id, unavailableReason === undefined])).toEqual([
    ['infra', true],
    ['report', false],
  ]);
});
