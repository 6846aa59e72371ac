import { requireProgram } from './programs.ts';
import { runOnPty } from './pty-run.ts';
import { type Sandbox, wizardExecutable } from './rehearsal-run.ts';
import { SSHD_HOST, type startSshd } from './sshd.ts';

/** Logs in over SSH and runs the wizard there on an install directory, with a terminal. */
export function startSshLogin(
  sshd: Awaited<ReturnType<typeof startSshd>>,
  dir: string,
  { env }: Sandbox,
  locale = 'C.UTF-8',
) {
  const { port, user, options } = sshd.target();
  const settings = Object.entries({ ...env, TERM: 'xterm-256color', LANG: locale, LC_ALL: locale });
  const assignments = settings.filter(([name]) => name !== 'PATH').map(([name, value]) => `${name}='${value}'`);
  const command = `env ${assignments.join(' ')} '${process.execPath}' '${wizardExecutable}' --dir '${dir}'`;
  const run = runOnPty(requireProgram('ssh'), ['-tt', '-p', `${port}`, ...options, `${user}@${SSHD_HOST}`, command]);
  const sees = (pattern: RegExp) => run.waitUntil(() => pattern.test(run.screen()), String(pattern));
  return { ...run, sees, type: (keys: string) => run.pty.write(keys) };
}

export type SshLogin = ReturnType<typeof startSshLogin>;
