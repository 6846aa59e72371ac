import { findProgram } from '../support/programs.ts';
import { type PtyRun, runOnPty } from '../support/pty-run.ts';
import { executable } from '../support/rehearsal-run.ts';
import { key } from '../support/terminal-run.ts';

/** A wizard on a pty, and who types there. */
export interface Typist extends PtyRun {
  readonly sees: (pattern: RegExp) => Promise<void>;
  readonly type: (keys: string) => void;
}

export function typistAt(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Typist {
  const run = runOnPty(file, args, { env: { ...env, TERM: 'xterm-256color' } });
  return {
    ...run,
    sees: (pattern) => run.until(() => pattern.test(run.screen()), String(pattern)),
    type: (keys) => run.pty.write(keys),
  };
}

/** The wizard on an install directory, without a network. */
export function openWizard(dir: string, env: Readonly<Record<string, string>>): Typist {
  const [file, ...args] = [findProgram('unshare') ?? 'unshare', '-n', process.execPath, executable, '--dir', dir];
  return typistAt(file, args, env);
}

/** The question with the cursor. */
export const AT_NAME = /\| ▸ Cluster name/;
export const AFTER_NAME = /\| ▸ Base domain/;

/** Answers the question for the cluster's name; it is saved when this resolves. */
export async function answerName(typist: Typist, name: string): Promise<void> {
  await typist.sees(/\| ▸ (?:Cluster name|Base domain)/);
  if (!AT_NAME.test(typist.screen())) {
    typist.type(key.up);
    await typist.sees(AT_NAME);
  }
  typist.type(`${key.ctrl('u')}${name}${key.enter}`);
  await typist.sees(AFTER_NAME);
}
