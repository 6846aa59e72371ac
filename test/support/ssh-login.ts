import { requireProgram } from './programs.ts';
import { runOnPty } from './pty-run.ts';
import { executable, type Sandbox } from './rehearsal-run.ts';
import { SSHD_HOST, type startSshd } from './sshd.ts';

/** A login over SSH that runs the wizard on an install directory, with its terminal. */
export function loginOver(
  sshd: Awaited<ReturnType<typeof startSshd>>,
  dir: string,
  { env }: Sandbox,
  locale = 'C.UTF-8',
) {
  const { port, user, options } = sshd.target();
  const settings = Object.entries({ ...env, TERM: 'xterm-256color', LANG: locale, LC_ALL: locale });
  const words = settings.filter(([name]) => name !== 'PATH').map(([name, value]) => `${name}='${value}'`);
  const command = `env ${words.join(' ')} '${process.execPath}' '${executable}' --dir '${dir}'`;
  const run = runOnPty(requireProgram('ssh'), ['-tt', '-p', `${port}`, ...options, `${user}@${SSHD_HOST}`, command]);
  const sees = (pattern: RegExp) => run.until(() => pattern.test(run.screen()), String(pattern));
  return { ...run, sees, type: (keys: string) => run.pty.write(keys) };
}

export type SshLogin = ReturnType<typeof loginOver>;
