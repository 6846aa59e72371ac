import { spawnSync } from 'node:child_process';

/** A separator that no command contains. */
const SEPARATOR = '@@@ next command @@@';

/** How each shell prints a function as it has read it, without running it. */
const SHELLS = {
  bash: (name: string) => `declare -f ${name}`,
  zsh: (name: string) => `functions ${name}`,
} as const;
export const SHELL_NAMES = Object.keys(SHELLS) as readonly (keyof typeof SHELLS)[];

/**
 * Pastes commands into a shell, which reads them and runs none.
 * @returns for each command the shell's own form of it, the same for commands with the same words; null: a syntax error
 */
export function readCommands(shell: keyof typeof SHELLS, commands: readonly string[]): readonly (string | null)[] {
  const script = commands
    .map((command) => {
      const quoted = `'${`f() {\n${command}\n}`.replaceAll("'", "'\\''")}'`;
      return `unset -f f 2>/dev/null; eval ${quoted} 2>/dev/null && ${SHELLS[shell]('f')}; echo '${SEPARATOR}'`;
    })
    .join('\n');
  const args = shell === 'bash' ? ['--norc', '--noprofile'] : ['-f'];
  const { stdout } = spawnSync(shell, [...args, '-s'], { input: script, encoding: 'utf8', maxBuffer: 1e9 });
  const printed = stdout.split(`${SEPARATOR}\n`).slice(0, -1);
  // A word that was closed and opened again is the same word; zsh prints a substitution as it was typed.
  return printed.map((text) =>
    text.trim() === '' ? null : text.replaceAll("''", '').replaceAll(/( ?)\\\n[ \t]*/g, '$1'),
  );
}
