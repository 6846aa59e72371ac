import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { FAULTS, type FaultId, isFaultId } from '../rehearsal/site-client.ts';
import { unusableDirectory } from '../session/directories.ts';
import { catalogue } from '../text/catalogue.ts';
import { asTrouble, TroubleError } from '../text/trouble.ts';
import { readAnswers } from './answers.ts';
import { usableDirectory } from './directory.ts';
import { freshDirectory } from './elsewhere.ts';
import {
  comfortsOf,
  FRONT_END_OPTIONS,
  frontEndFor,
  ON_EVENT_OPTION,
  onTerminal,
  withoutTerminal,
} from './front-end.ts';
import type { Host } from './host.ts';
import type { CommandIo } from './io.ts';
import { isFinished } from './look-around.ts';
import { stopRehearsal } from './rehearsal-site.ts';
import { UsageError } from './usage.ts';

const words = () => catalogue().cli;

/** `upi-wizard rehearse`: the wizard against a simulated site, or with `--answers --plain` the whole way without a person. */
export async function rehearseCommand(argv: readonly string[], io: CommandIo, host: Host): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      dir: { type: 'string' },
      answers: { type: 'string' },
      ...ON_EVENT_OPTION,
      ...FRONT_END_OPTIONS,
      speed: { type: 'string' },
      seed: { type: 'string' },
      break: { type: 'string', multiple: true },
      stop: { type: 'boolean' },
    },
  });
  const named = values.dir === undefined ? null : resolve(io.cwd, values.dir);
  if (values.stop) return await stopRehearsal(named ?? resolve(io.cwd, 'upi-rehearsal'), io);
  const numbers = { speed: positive('--speed', values.speed), seed: positive('--seed', values.seed) };
  const onEvent = values['on-event'];
  const faults = values.break?.flatMap((list) => list.split(',')).map(faultOf) ?? null;
  const answers = values.answers ?? null;
  const frontEnd = frontEndFor(values, io);
  // With answers nobody is asked; without them a person is.
  if (values.plain && (answers !== null || frontEnd === 'none')) {
    if (answers === null) throw new UsageError(words().plainNeedsAnswers);
    const { rehearsePlainly } = await import('./rehearse-plain.ts');
    const dir = usableDirectory(named ?? newDirectory());
    return await rehearsePlainly({ dir, faults, ...numbers, onEvent }, answers, io, host);
  }
  if (frontEnd === 'none') return withoutTerminal(io);
  const read = answers === null ? null : readAnswers(answers, io);
  if (read && !read.isReadable) return 2;
  if (read && read.design === null) return 3;
  const dir = usableDirectory(named ?? rehearsalDirectory(io.cwd));
  const opening = { dir, isRehearsal: true, ...comfortsOf(values), frontEnd };
  return await onTerminal(host, opening, io, async (opened) => {
    const { rehearseOnScreens } = await import('./rehearse-screens.ts');
    return await rehearseOnScreens({ dir, faults, ...numbers, onEvent }, read?.document ?? null, io, host, opened);
  });
}

/** The rehearsal of this directory; after a finished one, a new one beside it. */
function rehearsalDirectory(cwd: string): string {
  const dir = resolve(cwd, 'upi-rehearsal');
  return isFinished(dir) ? freshDirectory(cwd, 'upi-rehearsal') : dir;
}

/** A directory of its own for a rehearsal that names none. @throws TroubleError `directory-…` where none can be made */
function newDirectory(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'upi-rehearsal-'));
  } catch (error) {
    if (asTrouble(error).code !== 'internal') throw error;
    throw new TroubleError(unusableDirectory(tmpdir(), error));
  }
}

function positive(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new UsageError(words().badNumber(option, text));
  return value;
}

function faultOf(id: string): FaultId {
  if (isFaultId(id)) return id;
  throw new UsageError(words().unknownFault(id, FAULTS.join(', ')));
}
