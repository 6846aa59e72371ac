import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { FAULTS, type FaultId, isFaultId } from '../rehearsal/site-client.ts';
import { catalogue } from '../text/catalogue.ts';
import { readAnswers } from './answers.ts';
import { usableDirectory } from './directory.ts';
import type { Host } from './host.ts';
import type { CommandIo } from './io.ts';
import { stopRehearsal } from './rehearsal-site.ts';
import { UsageError } from './usage.ts';
import { canShowScreens, onScreens } from './wizard.ts';

const words = () => catalogue().cli;

/** `upi-wizard rehearse`: the wizard against a simulated site, or with `--answers --plain` the whole way without a person. */
export async function rehearseCommand(argv: readonly string[], io: CommandIo, host: Host): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      dir: { type: 'string' },
      answers: { type: 'string' },
      plain: { type: 'boolean' },
      speed: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      break: { type: 'string', multiple: true },
      stop: { type: 'boolean' },
      'screen-reader': { type: 'boolean' },
    },
  });
  const named = values.dir === undefined ? null : resolve(io.cwd, values.dir);
  if (values.stop) return await stopRehearsal(named ?? resolve(io.cwd, 'upi-rehearsal'), io);
  const numbers = { speed: positive('--speed', values.speed), seed: positive('--seed', values.seed) };
  const faults = (values.break ?? []).flatMap((list) => list.split(',')).map(faultOf);
  const answers = values.answers ?? null;
  if (values.plain) {
    if (answers === null) throw new UsageError(words().plainNeedsAnswers);
    const { rehearsePlainly } = await import('./rehearse-plain.ts');
    const dir = usableDirectory(named ?? mkdtempSync(join(tmpdir(), 'upi-rehearsal-')));
    return await rehearsePlainly({ dir, faults, ...numbers }, answers, io, host);
  }
  if (!canShowScreens(io)) return 2;
  const read = answers === null ? null : readAnswers(answers, io);
  if (read && !read.isReadable) return 2;
  if (read && read.design === null) return 3;
  const dir = usableDirectory(named ?? resolve(io.cwd, 'upi-rehearsal'));
  const opening = { dir, isRehearsal: true, isForScreenReader: values['screen-reader'] === true };
  return await onScreens(host, opening, async (opened) => {
    const { rehearseOnScreens } = await import('./rehearse-screens.ts');
    return await rehearseOnScreens({ dir, faults, ...numbers }, read?.document ?? null, io, host, opened);
  });
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new UsageError(words().badNumber(option, text));
  return value;
}

function faultOf(id: string): FaultId {
  if (isFaultId(id)) return id;
  throw new UsageError(words().unknownFault(id, FAULTS.join(', ')));
}
