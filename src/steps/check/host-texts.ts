import { readFile } from 'node:fs/promises';
import { runOverSsh } from '../../bastion/ssh/ssh-run.ts';
import type { Answer, Question } from '../../diagnosis/site/exchange.ts';
import { findProgram } from '../../installer/find.ts';
import { catalogue } from '../../text/catalogue.ts';
import { redact } from '../../text/redact.ts';
import { sanitize } from '../../text/sanitize.ts';
import { shellWord } from '../../text/shell-word.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';
import { sshTarget } from '../shared/hosts/run-there.ts';

const words = () => catalogue().diagnosis.site.said;

/** Bytes: a configuration file that is larger is nobody's of ours. */
const LARGEST = 512 * 1024;
const MOST_BYTES = 8 * 1024 * 1024;

/** The configuration files of a service host: by the hands of a rehearsal, here where it is this machine, else with one login over SSH. */
export async function readHostTexts(
  context: Pick<StepContext, 'reach' | 'programPath' | 'hands' | 'signal'>,
  { name, address, isSelf, paths }: Question<'files'>,
): Promise<Answer<'files'>> {
  const { programPath, hands, signal } = context;
  if (!hands.isPerson) return seen(await Promise.all(paths.map((path) => hands.readFile(name, path))));
  if (isSelf) return seen(await Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => null))));
  const program = await findProgram('ssh', programPath);
  if (program === null) return { state: 'unseen', detail: words().noSsh };
  const target = sshTarget(context, address);
  try {
    const command = lookFor(paths);
    const { stdout } = await runOverSsh({ program, target, command, signal, mostBytes: MOST_BYTES });
    const said = new Map(stdout.split('\n').map((line) => [line.slice(0, line.indexOf(' ')), line]));
    return seen(paths.map((_, index) => textIn(said.get(String(index)))));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof TroubleError)) throw error;
    return { state: 'unseen', detail: error.trouble.cause };
  }
}

/** Prints the number of each file that can be read, and its bytes in base64; as root where sudo asks nothing. */
function lookFor(paths: readonly string[]): string {
  const each = paths.map(
    (path, index) =>
      `$root test -f ${shellWord(path)} && echo "${index} $($root head -c ${LARGEST} ${shellWord(path)} | base64 | tr -d '\\n')"`,
  );
  return ['root=; [ "$(id -u)" = 0 ] || ! sudo -n true 2>/dev/null || root="sudo -n"', ...each, 'exit 0'].join('\n');
}

function textIn(line: string | undefined): string | null {
  return line === undefined ? null : Buffer.from(line.slice(line.indexOf(' ') + 1), 'base64').toString('utf8');
}

function seen(texts: readonly (string | null)[]): Answer<'files'> {
  return { state: 'seen', texts: texts.map((text) => (text === null ? null : sanitize(redact(text), LARGEST))) };
}
