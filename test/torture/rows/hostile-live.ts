import { SCREEN_IDS, type ScreenId } from '../../../src/wizard/state.ts';
import { createSandbox, type Sandbox } from '../../support/rehearsal-run.ts';
import { key, startOnTerminal, type TerminalRun } from '../../support/terminal-run.ts';
import { findMarks, findUnsafeCharacter, stripScreenSequences } from '../hostile.ts';
import { openHostileScene } from '../hostile-scene.ts';
import type { Tally, Torture } from '../row.ts';

interface RehearsalStop {
  /** Output of the rehearsal at this stop. */
  readonly printed: RegExp;
  readonly screen: ScreenId;
  /** Keys that show more of the text from outside. */
  readonly keys: readonly string[];
}

const DOWN_KEYS = Array.from({ length: 8 }, () => key.down);
const REHEARSAL_STOPS: readonly RehearsalStop[] = [
  { printed: /^\[11\/17\]/m, screen: 'boot', keys: [...DOWN_KEYS, '!'] },
  { printed: /^\[12\/17\]/m, screen: 'bootstrap', keys: ['l', '!'] },
  {
    printed: /^\[14\/17\]/m,
    screen: 'certificates',
    keys: [...DOWN_KEYS.flatMap((down) => [down, 'D', key.escape]), '!'],
  },
  { printed: /^\[15\/17\]/m, screen: 'operators', keys: [key.down, 'h', key.escape, '!'] },
  { printed: /^\[16\/17\]/m, screen: 'infra', keys: [...DOWN_KEYS, '!'] },
  { printed: /^\[17\/17\]/m, screen: 'report', keys: [key.down] },
];

/** Views of each stop: with hostile messages only, or with hostile names as well. */
const VIEWS = [
  { cols: 160, rows: 60, texts: 'free-text' },
  { cols: 160, rows: 60, texts: 'all' },
  { cols: 80, rows: 24, texts: 'free-text' },
  { cols: 60, rows: 20, texts: 'all' },
] as const;

/** Screens that show little at a time are viewed again, until each has displayed this many strings. */
const MIN_STRINGS = 500;
const MAX_ROUNDS = 6;
type View = (typeof VIEWS)[number];

/**
 * Draws hostile text from the cluster, the log and SSH logins, on live screens and on a viewer's screens.
 * @returns number of hostile strings that were displayed
 */
export async function drawLiveScreens({ isShort, report }: Torture, tally: Tally): Promise<number> {
  const sandbox = createSandbox();
  const counts = new Map<ScreenId, number>();
  try {
    const scene = await openHostileScene(sandbox);
    for (const stop of isShort ? REHEARSAL_STOPS.slice(1, 2) : REHEARSAL_STOPS) {
      await scene.playTo(stop.printed);
      const rounds = Array.from({ length: MAX_ROUNDS }, () => VIEWS).flat();
      for (const [index, view] of (isShort ? VIEWS.slice(0, 1) : rounds).entries()) {
        if (index >= VIEWS.length && (counts.get(stop.screen) ?? 0) >= MIN_STRINGS) break;
        const { cols, rows, texts } = view;
        await tally.try(`${stop.screen} at ${cols}x${rows}, hostile in ${texts}`, async () => {
          scene.makeHostile(stop.screen, texts);
          const result = await viewLiveScreen(sandbox, scene.dir, stop, view);
          counts.set(stop.screen, (counts.get(stop.screen) ?? 0) + result.seen);
          return result.wrong;
        });
      }
    }
  } finally {
    await sandbox.remove();
  }
  report(`on live screens: ${[...counts].map(([screen, count]) => `${screen} ${count}`).join(', ')}`);
  return [...counts.values()].reduce((sum, each) => sum + each, 0);
}

/** Views one live screen as it opens and after each of its keys, while a viewer is attached. */
async function viewLiveScreen(sandbox: Sandbox, dir: string, { screen, keys }: RehearsalStop, size: View) {
  const wizard = startOnTerminal(['--dir', dir], { sandbox, cols: size.cols, rows: size.rows });
  const title = new RegExp(` ${SCREEN_IDS.indexOf(screen) + 1}/${SCREEN_IDS.length}`);
  const wrong: string[] = [];
  let seen = 0;
  const capture = (run: TerminalRun, label: string) => {
    seen += findMarks(run.screen()).count;
    wrong.push(...findLayoutErrors(run, title, size).map((why) => `${label}: ${why}\n${run.screen()}`));
  };
  await wizard.waitUntil(() => title.test(wizard.screen()) && isProbed(wizard), `${screen} after its probe`);
  capture(wizard, 'first');
  const viewer = startOnTerminal(['attach', '--view', '--dir', dir], { sandbox, cols: size.cols, rows: size.rows });
  await viewer.waitUntil(() => title.test(viewer.screen()) && isProbed(viewer), `${screen} at the viewer`);
  capture(viewer, 'viewer');
  for (const each of keys) {
    const before = wizard.screen();
    wizard.type(each);
    await wizard.waitUntil(
      () => wizard.screen() !== before && isProbed(wizard),
      `${screen} after ${JSON.stringify(each)}`,
    );
    capture(wizard, JSON.stringify(each));
  }
  wizard.type(key.escape);
  wizard.type(key.ctrl('s'));
  for (const run of [wizard, viewer]) {
    run.pty.kill('SIGTERM');
    await run.exit;
    const output = run.output();
    const raw = findUnsafeCharacter(stripScreenSequences(output));
    wrong.push(...findMarks(output).raw.map((poison) => `${poison} was printed raw`), ...(raw === null ? [] : [raw]));
  }
  return { seen, wrong };
}

/** True once the screen no longer waits for a probe. */
const isProbed = (run: TerminalRun) => !/checking|Checking everything/.test(run.screen());

/** Checks the layout: title in the first row, a rule above the keys, keys in the last row, no text past the edge. */
function findLayoutErrors(run: TerminalRun, title: RegExp, { cols, rows }: View): string[] {
  const lines = run.screen().split('\n');
  const isRule = (line = '') => line.length === cols && /^[└┘┴─━╌-]+$/u.test(line);
  return [
    ...run.findWrappedRows().map((row) => `row ${row} is written past the edge`),
    ...(title.test(lines[0] ?? '') ? [] : ['the title is not in the first row']),
    ...(isRule(lines[rows - 2]) ? [] : ['there is no rule above the keys']),
    ...(/\S/.test(lines[rows - 1] ?? '') ? [] : ['there are no keys in the last row']),
  ];
}
