import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createExampleDocument } from '../../../src/cli/session/working-session.ts';
import { openSession } from '../../../src/session/session.ts';
import { freshState } from '../../../src/session/state.ts';
import { SCREEN_IDS, type ScreenId } from '../../../src/wizard/state.ts';
import { requireProgram } from '../../support/programs.ts';
import { runOnPty } from '../../support/pty-run.ts';
import { wizardExecutable } from '../../support/rehearsal-run.ts';
import { key } from '../../support/terminal-run.ts';
import { findUnsafeText, POISON, stripScreenSequences } from '../hostile.ts';
import { createTally, type Row, type Torture } from '../row.ts';
import { createEnvironment, OFFLINE, PROGRAM } from '../run-files.ts';
import { run } from '../strace.ts';
import { drawLiveScreens } from './hostile-live.ts';

const MIN_STRINGS = 500;
const SCREENS: readonly ScreenId[] = ['nodes', 'networks', 'review', 'services', 'cluster', 'credentials'];

/** Screens draw the hostile text of a saved design, and the line-by-line dialog prints it. */
export const hostileScreens: Row = {
  description:
    'Put hostile text into every text of a saved design, drawn by each design screen on a 160x60 pty and printed by the questions of --plain. Put hostile text into every text from the API, the installer, the boot server and logins, drawn by each live screen, its pages, the diagnosis and a viewer at 160x60, 80x24 and 60x20.',
  target: `>= ${MIN_STRINGS} strings of each kind visible on the screen; no hostile string and no other control or invisible character is printed raw, and every row stays in its place`,
  minCases: 2 * MIN_STRINGS,
  needs: ['unshare'],
  async run(torture) {
    const tally = createTally(torture.report);
    const counts = { screens: 0, lines: 0 };
    for (let round = 0; counts.screens < (torture.isShort ? 1 : MIN_STRINGS); round += 1) {
      const screen = SCREENS[round % SCREENS.length] ?? 'nodes';
      await tally.try(`${screen}, round ${round}`, async () => {
        const result = await drawScreen(torture, screen, round);
        counts.screens += result.count;
        return result.wrong;
      });
      if (round % SCREENS.length === 0) {
        await tally.try(`lines, round ${round}`, async () => {
          const result = await printLines(torture, round);
          counts.lines += result.count;
          return result.wrong;
        });
      }
    }
    const liveCount = await drawLiveScreens(torture, tally);
    const figure = `${counts.screens} strings on design screens, ${counts.lines} in --plain questions, ${liveCount} on live screens`;
    return { cases: counts.screens + counts.lines + liveCount, failures: tally.failures, figure };
  },
};

/** Hostile text between two marks, by which it is found again. */
interface HostileString {
  readonly mark: string;
  readonly poison: string;
}

/** Saves a design in which every text is hostile. */
function prepareHostileDesign(
  torture: Torture,
  screen: ScreenId,
  round: number,
): { dir: string; hostile: readonly HostileString[] } {
  const dir = join(torture.dir, 'hostile');
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { mode: 0o700 });
  const hostile: HostileString[] = [];
  const poisonTexts = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(poisonTexts);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, CHOICE_KEYS.has(name) ? inner : poisonTexts(inner)]),
      );
    if (typeof value !== 'string') return value;
    const poison = POISON[(round * 17 + hostile.length) % POISON.length] ?? '';
    const mark = `q${(hostile.length + 1).toString(36)}j`;
    hostile.push({ mark, poison });
    return `${mark}${poison}z`;
  };
  openSession(dir).save({
    ...freshState,
    design: poisonTexts(createExampleDocument()),
    place: { screen, field: null },
  });
  return { dir, hostile };
}

/** Keys whose values are one of a few choices, not free text. */
const CHOICE_KEYS: ReadonlySet<string> = new Set([
  'role',
  'topology',
  'kind',
  'os',
  'architecture',
  'apiVersion',
  'version',
]);

async function drawScreen(torture: Torture, screen: ScreenId, round: number) {
  const { dir, hostile } = prepareHostileDesign(torture, screen, round);
  const argv = ['-n', process.execPath, wizardExecutable, '--dir', dir];
  const env = { ...createEnvironment(torture.dir), TERM: 'xterm-256color' };
  const wizard = runOnPty(requireProgram('unshare'), argv, { env, cols: 160, rows: 60 });
  const title = new RegExp(` ${SCREEN_IDS.indexOf(screen) + 1}/${SCREEN_IDS.length}`);
  await wizard.waitUntil(() => title.test(wizard.screen()), String(title));
  const screenText = wizard.screen();
  wizard.pty.write(key.ctrl('s'));
  await wizard.exit;
  return {
    count: hostile.filter(({ mark }) => screenText.includes(mark)).length,
    wrong: checkOutput(wizard.output(), hostile),
  };
}

async function printLines(torture: Torture, round: number) {
  const { dir, hostile } = prepareHostileDesign(torture, 'cluster', round);
  const [file = '', ...args] = [...OFFLINE, ...PROGRAM, '--plain', '--dir', dir];
  const { stdout, stderr } = await run(file, args, {
    cwd: dir,
    env: createEnvironment(torture.dir),
    input: '\n'.repeat(80),
  });
  const text = stdout + stderr;
  return { count: hostile.filter(({ mark }) => text.includes(mark)).length, wrong: checkOutput(text, hostile) };
}

function checkOutput(output: string, hostile: readonly HostileString[]): string[] {
  const unescaped = hostile.filter(({ mark, poison }) => output.includes(`${mark}${poison}`));
  const raw = findUnsafeText(stripScreenSequences(output));
  return [
    ...unescaped.map(({ poison }) => `${JSON.stringify(poison)} was printed raw`),
    ...(raw === null ? [] : [raw]),
  ];
}
