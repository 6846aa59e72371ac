import { type PtyRun, runOnPty } from './pty-run.ts';
import { type Sandbox, wizardExecutable } from './rehearsal-run.ts';

/** The wizard on a terminal, as the user has it. */
export interface TerminalRun extends PtyRun {
  /** Waits until the screen matches. */
  readonly waitFor: (pattern: string | RegExp) => Promise<void>;
  readonly type: (keys: string) => void;
  /** Kills the wizard, as a power cut does. */
  readonly kill9: () => Promise<void>;
}

/** The keys that are not letters. */
export const key = {
  enter: '\r',
  tab: '\t',
  escape: '\u001b',
  backspace: '\u007f',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  ctrl: (letter: string) => String.fromCharCode(letter.toUpperCase().charCodeAt(0) - 64),
} as const;

/** Starts the wizard on a pty of 80×24. */
export function startOnTerminal(
  args: readonly string[],
  options: {
    readonly sandbox: Sandbox;
    readonly env?: Readonly<Record<string, string>>;
    readonly cols?: number;
    readonly rows?: number;
  },
): TerminalRun {
  const { sandbox, env = {}, ...size } = options;
  const run = runOnPty(process.execPath, [wizardExecutable, ...args], {
    ...size,
    cwd: sandbox.path,
    env: { ...sandbox.env, TERM: 'xterm-256color', ...env },
  });
  return {
    ...run,
    waitFor: (pattern) =>
      run.waitUntil(
        () => (typeof pattern === 'string' ? run.screen().includes(pattern) : pattern.test(run.screen())),
        String(pattern),
      ),
    type: (keys) => run.pty.write(keys),
    async kill9() {
      run.pty.kill('SIGKILL');
      await run.exit;
    },
  };
}

/**
 * Goes forward like a user who confirms everything, until a screen shows `end`. Keys that would do nothing yet are not
 * pressed: their effect a moment later is unknown.
 * @returns the screens that were confirmed with y
 */
export async function goForward(
  run: Pick<TerminalRun, 'screen' | 'waitUntil' | 'type'>,
  end: RegExp,
): Promise<readonly string[]> {
  const confirmed: string[] = [];
  const getFooter = () => run.screen().trimEnd().split('\n').at(-1) ?? '';
  // The times on a page change without a key, its title and its keys do not.
  const describePage = () => `${run.screen().split('\n')[0]} ${getFooter()}`;
  const isPrompting = () => /^ (?:y yes|Enter (?!\S+(?: \S+)* \(not yet\)))/.test(getFooter());
  for (;;) {
    await run.waitUntil(() => end.test(run.screen()) || isPrompting(), String(end));
    if (end.test(run.screen())) return confirmed;
    const page = describePage();
    const isQuestion = getFooter().startsWith(' y yes');
    if (isQuestion) confirmed.push(run.screen());
    run.type(isQuestion ? 'y' : key.enter);
    await run.waitUntil(() => describePage() !== page || end.test(run.screen()), `after ${page}`);
  }
}
