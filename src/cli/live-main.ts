import { startLanguage } from '../text/languages.ts';
import { exitCode } from './exit-code.ts';
import type { CommandIo } from './io.ts';
import { processIo } from './live-io.ts';
import type { Programs } from './world.ts';

/**
 * The commands that work with a running cluster: a bundle of their own, since they are run again and again, by scripts too,
 * and begin sooner from a few large files than from the many small ones that the wizard shares with the rest.
 * @param all the whole command line: this bundle has words of its own, and chooses their language
 * @returns the exit code of the outer interface; nothing is thrown
 */
export async function runLive(
  command: 'status' | 'csr' | 'infra',
  all: readonly string[],
  io: CommandIo,
  programs: Programs,
): Promise<number> {
  const [, ...argv] = (await startLanguage(all, io.env)).argv;
  const isActing = ['approve', 'apply', 'undo'].some((action) => argv.includes(action));
  const liveIo = processIo(io, isActing, argv.includes('--watch'));
  return await exitCode(io, async () => {
    switch (command) {
      case 'status':
        return (await import('./status.ts')).statusCommand(argv, liveIo, programs);
      case 'csr':
        return (await import('./csr.ts')).csrCommand(argv, liveIo, programs);
      case 'infra':
        return (await import('./infra.ts')).infraCommand(argv, liveIo, programs);
    }
  });
}
