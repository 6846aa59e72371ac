import { readFile } from 'node:fs/promises';
import type { ProbeAnswer, ProbeQuestion } from '../../checks/site/probe-types.ts';
import { runOverSsh } from '../../host/ssh.ts';

import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { findProgram } from '../../installer/find-program.ts';
import { sanitize } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';

import { quoteShellArg } from '../../platform/shell-quoting.ts';
import type { StepContext } from '../contract.ts';
import { resolveSshTarget } from '../shared/hosts/host-command.ts';

const words = () => catalogue().diagnosis.site.said;

/** Bytes; a larger configuration file is none of ours. */
const MAX_FILE_BYTES = 512 * 1024;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/**
 * Reads the configuration files of a service host: from the simulated host in a rehearsal, locally if it is this
 * machine, else with one SSH login.
 */
export async function readHostTexts(
  context: Pick<StepContext, 'resolveEndpoint' | 'programPath' | 'manualActions' | 'signal'>,
  { name, address, isSelf, paths }: ProbeQuestion<'files'>,
): Promise<ProbeAnswer<'files'>> {
  const { programPath, manualActions, signal } = context;
  if (!manualActions.isManual)
    return toAnswer(await Promise.all(paths.map((path) => manualActions.readFile(name, path))));
  if (isSelf) return toAnswer(await Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => null))));
  const program = await findProgram('ssh', programPath);
  if (program === null) return { state: 'unseen', detail: words().noSsh };
  const target = resolveSshTarget(context, address);
  try {
    const command = buildReadCommand(paths);
    const { stdout } = await runOverSsh({ program, target, command, signal, maxBytes: MAX_OUTPUT_BYTES });
    const linesByIndex = new Map(stdout.split('\n').map((line) => [line.slice(0, line.indexOf(' ')), line]));
    return toAnswer(paths.map((_, index) => decodeLine(linesByIndex.get(String(index)))));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof UserErrorException)) throw error;
    return { state: 'unseen', detail: error.userError.cause };
  }
}

/**
 * Builds a command that prints the number of each readable file and its bytes in base64; as root if sudo needs no
 * password.
 */
function buildReadCommand(paths: readonly string[]): string {
  const each = paths.map(
    (path, index) =>
      `$root test -f ${quoteShellArg(path)} && echo "${index} $($root head -c ${MAX_FILE_BYTES} ${quoteShellArg(path)} | base64 | tr -d '\\n')"`,
  );
  return ['root=; [ "$(id -u)" = 0 ] || ! sudo -n true 2>/dev/null || root="sudo -n"', ...each, 'exit 0'].join('\n');
}

function decodeLine(line: string | undefined): string | null {
  return line === undefined ? null : Buffer.from(line.slice(line.indexOf(' ') + 1), 'base64').toString('utf8');
}

function toAnswer(texts: readonly (string | null)[]): ProbeAnswer<'files'> {
  return { state: 'seen', texts: texts.map((text) => (text === null ? null : sanitize(redact(text), MAX_FILE_BYTES))) };
}
