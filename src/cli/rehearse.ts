import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CLOUDS, type CloudName } from '../design/example.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { toUserError, UserErrorException } from '../i18n/user-error.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { CLOUD_FAULTS, FAULTS, type FaultId, isFaultId } from '../rehearsal/site/faults.ts';
import { unusableDirectoryError } from '../session/session-file.ts';
import { repairRehearsal, stopRehearsal } from './rehearsal-site.ts';
import type { RehearsalStart } from './rehearse-screens.ts';
import { ensureUsableDirectory } from './session/open-session.ts';
import { createCloudDocument } from './session/working-session.ts';
import { type CommandIo, UsageError } from './shared/io.ts';
import {
  FRONT_END_OPTIONS,
  type Launcher,
  ON_EVENT_OPTION,
  reportNoTerminal,
  selectFrontEnd,
  terminalOptions,
  withTerminal,
} from './wizard/front-end.ts';
import { findUnusedDirectory } from './wizard/next-wizard.ts';
import { readAnswersFile } from './wizard/plain-wizard.ts';
import { isInstallationFinished } from './wizard/services.ts';

const words = () => catalogue().cli;

/**
 * `upi-wizard rehearse`: the wizard against a simulated site; with `--answers --plain`, the whole run without input.
 */
export async function rehearseCommand(argv: readonly string[], io: CommandIo, launcher: Launcher): Promise<number> {
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
  const namedDir = values.dir === undefined ? null : resolve(io.cwd, values.dir);
  if (values.stop) return await stopRehearsal(namedDir ?? resolve(io.cwd, 'upi-rehearsal'), io);
  if (values.repair !== undefined)
    return await repairRehearsal(namedDir ?? resolve(io.cwd, 'upi-rehearsal'), values.repair, io);
  const numbers = { speed: parsePositive('--speed', values.speed), seed: parsePositive('--seed', values.seed) };
  const onEvent = values['on-event'];
  const faults = values.break?.flatMap((list) => list.split(',')).map(parseFault) ?? null;
  const answers = values.answers ?? null;
  const cloud = values.cloud === undefined ? null : parseCloud(values.cloud);
  rejectConflictingOptions(cloud, faults, answers);
  const options = { faults, cloud, ...numbers, onEvent };
  const frontEndKind = selectFrontEnd(values, io);
  // With answers, the run needs no input. Without them, it needs a terminal.
  if (values.plain && (answers !== null || frontEndKind === 'none')) {
    if (answers === null && cloud === null) throw new UsageError(words().plainNeedsAnswers);
    const { rehearsePlain } = await import('./rehearse-plain.ts');
    const dir = ensureUsableDirectory(namedDir ?? createTemporaryDirectory());
    return await rehearsePlain({ dir, ...options }, answers, io, launcher);
  }
  if (frontEndKind === 'none') return reportNoTerminal(io);
  const answersFile = answers === null ? null : readAnswersFile(answers, io);
  if (answersFile && !answersFile.isReadable) return 2;
  if (answersFile && answersFile.design === null) return 3;
  const dir = ensureUsableDirectory(namedDir ?? chooseRehearsalDirectory(io.cwd, cloud));
  const start: RehearsalStart | null =
    cloud === null
      ? answersFile && { document: answersFile.document, screen: 'review' }
      : { document: createCloudDocument(), screen: 'infra' };
  const startup = { dir, isRehearsal: true, ...terminalOptions(values), frontEnd: frontEndKind };
  return await withTerminal(launcher, startup, io, async (frontEnd) => {
    const { rehearseFullScreen } = await import('./rehearse-screens.ts');
    return await rehearseFullScreen({ dir, ...options }, start, io, launcher, frontEnd);
  });
}

/** Returns the rehearsal of this directory, or a new one next to it if that one is finished. */
function chooseRehearsalDirectory(cwd: string, cloud: CloudName | null): string {
  const name = cloud === null ? 'upi-rehearsal' : `upi-rehearsal-${cloud}`;
  const dir = resolve(cwd, name);
  return isInstallationFinished(dir) ? findUnusedDirectory(cwd, name) : dir;
}

/**
 * Creates a temporary directory for a rehearsal without --dir.
 * @throws UserErrorException `directory-…` if that fails
 */
function createTemporaryDirectory(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'upi-rehearsal-'));
  } catch (error) {
    if (toUserError(error).code !== 'internal') throw error;
    throw new UserErrorException(unusableDirectoryError(tmpdir(), error));
  }
}

function parsePositive(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new UsageError(words().badNumber(option, text));
  return value;
}

function parseFault(id: string): FaultId {
  if (isFaultId(id)) return id;
  throw new UsageError(words().unknownFault(id, FAULTS.join(', ')));
}

function parseCloud(name: string): CloudName {
  const found = CLOUDS.find((cloud) => cloud === name);
  if (found !== undefined) return found;
  throw new UsageError(words().unknownCloud(sanitizeLine(name, 80), CLOUDS.join(', ')));
}

/** On a cloud, the cluster already runs and was not designed here, and only some of the faults apply. */
function rejectConflictingOptions(
  cloud: CloudName | null,
  faults: readonly FaultId[] | null,
  answers: string | null,
): void {
  if (cloud !== null && answers !== null) throw new UsageError(words().cloudOrAnswers);
  const inapplicable = faults?.find((fault) =>
    cloud === null ? fault === 'machine-fails' : !CLOUD_FAULTS.includes(fault),
  );
  if (inapplicable === undefined) return;
  throw new UsageError(
    cloud === null
      ? words().faultOfCloud(inapplicable)
      : words().faultNotOfCloud(inapplicable, CLOUD_FAULTS.join(', ')),
  );
}
