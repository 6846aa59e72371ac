import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CLOUDS, type CloudName } from '../design/example-cloud.ts';
import { CLOUD_FAULTS, FAULTS, type FaultId, isFaultId } from '../rehearsal/site-client.ts';
import { unusableDirectory } from '../session/directory-problem.ts';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { asTrouble, TroubleError } from '../text/trouble.ts';
import type { Answered } from './rehearse/screens.ts';
import { repairRehearsal, stopRehearsal } from './rehearse/site.ts';
import { usableDirectory } from './session/directory.ts';
import { cloudDocument } from './session/saved.ts';
import type { CommandIo } from './shared/io.ts';
import { UsageError } from './shared/usage.ts';
import { readAnswers } from './wizard/answers.ts';
import { freshDirectory } from './wizard/elsewhere.ts';
import {
  comfortsOf,
  FRONT_END_OPTIONS,
  frontEndFor,
  ON_EVENT_OPTION,
  onTerminal,
  withoutTerminal,
} from './wizard/front-end.ts';
import type { Host } from './wizard/host.ts';
import { isFinished } from './wizard/look-around.ts';

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
      cloud: { type: 'string' },
      repair: { type: 'string' },
      stop: { type: 'boolean' },
    },
  });
  const named = values.dir === undefined ? null : resolve(io.cwd, values.dir);
  if (values.stop) return await stopRehearsal(named ?? resolve(io.cwd, 'upi-rehearsal'), io);
  if (values.repair !== undefined)
    return await repairRehearsal(named ?? resolve(io.cwd, 'upi-rehearsal'), values.repair, io);
  const numbers = { speed: positive('--speed', values.speed), seed: positive('--seed', values.seed) };
  const onEvent = values['on-event'];
  const faults = values.break?.flatMap((list) => list.split(',')).map(faultOf) ?? null;
  const answers = values.answers ?? null;
  const cloud = values.cloud === undefined ? null : cloudOf(values.cloud);
  refuseTogether(cloud, faults, answers);
  const how = { faults, cloud, ...numbers, onEvent };
  const frontEnd = frontEndFor(values, io);
  // With answers nobody is asked; without them a person is.
  if (values.plain && (answers !== null || frontEnd === 'none')) {
    if (answers === null && cloud === null) throw new UsageError(words().plainNeedsAnswers);
    const { rehearsePlainly } = await import('./rehearse/plain.ts');
    const dir = usableDirectory(named ?? newDirectory());
    return await rehearsePlainly({ dir, ...how }, answers, io, host);
  }
  if (frontEnd === 'none') return withoutTerminal(io);
  const read = answers === null ? null : readAnswers(answers, io);
  if (read && !read.isReadable) return 2;
  if (read && read.design === null) return 3;
  const dir = usableDirectory(named ?? rehearsalDirectory(io.cwd, cloud));
  const begun: Answered | null =
    cloud === null
      ? read && { document: read.document, screen: 'review' }
      : { document: cloudDocument(), screen: 'infra' };
  const opening = { dir, isRehearsal: true, ...comfortsOf(values), frontEnd };
  return await onTerminal(host, opening, io, async (opened) => {
    const { rehearseOnScreens } = await import('./rehearse/screens.ts');
    return await rehearseOnScreens({ dir, ...how }, begun, io, host, opened);
  });
}

/** The rehearsal of this directory; after a finished one, a new one beside it. */
function rehearsalDirectory(cwd: string, cloud: CloudName | null): string {
  const name = cloud === null ? 'upi-rehearsal' : `upi-rehearsal-${cloud}`;
  const dir = resolve(cwd, name);
  return isFinished(dir) ? freshDirectory(cwd, name) : dir;
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

function cloudOf(name: string): CloudName {
  const found = CLOUDS.find((cloud) => cloud === name);
  if (found !== undefined) return found;
  throw new UsageError(words().unknownCloud(sanitizeLine(name, 80), CLOUDS.join(', ')));
}

/** On a cloud the cluster is there and was not designed here, and only some of the faults can strike it. */
function refuseTogether(cloud: CloudName | null, faults: readonly FaultId[] | null, answers: string | null): void {
  if (cloud !== null && answers !== null) throw new UsageError(words().cloudOrAnswers);
  const unfit = faults?.find((fault) => (cloud === null ? fault === 'machine-fails' : !CLOUD_FAULTS.includes(fault)));
  if (unfit === undefined) return;
  throw new UsageError(
    cloud === null ? words().faultOfCloud(unfit) : words().faultNotOfCloud(unfit, CLOUD_FAULTS.join(', ')),
  );
}
