import { findProgram } from '../support/programs.ts';
import { type PtyRun, runOnPty } from '../support/pty-run.ts';
import { wizardExecutable } from '../support/rehearsal-run.ts';
import { key } from '../support/terminal-run.ts';

/** A wizard on a pty, controlled by a test. */
export interface PtyWizard extends PtyRun {
  readonly waitFor: (pattern: RegExp) => Promise<void>;
  readonly type: (keys: string) => void;
}

export function startPtyWizard(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): PtyWizard {
  const run = runOnPty(file, args, { env: { ...env, TERM: 'xterm-256color' } });
  return {
    ...run,
    waitFor: (pattern) => run.waitUntil(() => pattern.test(run.screen()), String(pattern)),
    type: (keys) => run.pty.write(keys),
  };
}

/** Starts the wizard on an install directory, without a network. */
export function openWizard(dir: string, env: Readonly<Record<string, string>>): PtyWizard {
  const [file, ...args] = [findProgram('unshare') ?? 'unshare', '-n', process.execPath, wizardExecutable, '--dir', dir];
  return startPtyWizard(file, args, env);
}

/** Screens with the cursor on the cluster name, and on the question after it. */
const AT_NAME = /[│┤] ▸ Cluster name/;
export const AFTER_NAME = /[│┤] ▸ Base domain/;

/** Answers the question for the cluster's name; it is saved when this resolves. */
export async function answerName(wizard: PtyWizard, name: string): Promise<void> {
  await wizard.waitFor(/[│┤] ▸ (?:Cluster name|Base domain)/);
  if (!AT_NAME.test(wizard.screen())) {
    wizard.type(key.up);
    await wizard.waitFor(AT_NAME);
  }
  wizard.type(`${key.ctrl('u')}${name}${key.enter}`);
  await wizard.waitFor(AFTER_NAME);
}
