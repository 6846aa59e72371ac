import { join } from 'node:path';
import { dispatch } from '../../src/cli/dispatch.ts';
import { UsageError } from '../../src/cli/shared/io.ts';
import type { ProcessIo } from '../../src/cli/shared/process-io.ts';

const rejectLoad = () => Promise.reject(new Error('no wizard is opened'));

/** Runs a command line as the executable does, with an input and output of the test. */
export async function runCommand(argv: readonly string[], io: ProcessIo, columns = 80): Promise<number> {
  return await dispatch(argv, {
    io,
    openIo: async () => io,
    launcher: {
      loadScreens: rejectLoad,
      loadPlain: rejectLoad,
      programs: { bootServer: '', executable: '', site: '', standIn: '' },
    },
    readVersion: () => '1.2.3',
    columns,
  });
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command line and gathers its output. `ask` answers its prompts. Of a usage error it returns the message alone.
 */
export async function captureCommand(
  argv: readonly string[],
  options: Partial<ProcessIo> & {
    readonly cwd: string;
    readonly onStdout?: (text: string) => void;
    readonly onStderr?: (text: string) => void;
  },
): Promise<CommandResult> {
  const out = { stdout: '', stderr: '' };
  const { onStdout, onStderr, ...io } = options;
  const liveIo: ProcessIo = {
    stdout: (text) => {
      out.stdout += text;
      onStdout?.(text);
    },
    stderr: (text) => {
      out.stderr += text;
      onStderr?.(text);
    },
    env: { HOME: options.cwd, XDG_CONFIG_HOME: join(options.cwd, 'config') },
    ask: null,
    signal: new AbortController().signal,
    canRedraw: false,
    columns: 120,
    ...io,
  };
  try {
    return { code: await runCommand(argv, liveIo), ...out };
  } catch (error) {
    if (error instanceof UsageError) return { code: 2, stdout: out.stdout, stderr: error.message };
    throw error;
  }
}
