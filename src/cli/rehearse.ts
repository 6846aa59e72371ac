import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CloudName } from '../design/example.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { toUserError, UserErrorException } from '../i18n/user-error.ts';
import { CLOUD_FAULTS, type FaultId } from '../rehearsal/site/faults.ts';
import { createUnusableDirectoryError, findUnusedDirectory } from '../session/session-file.ts';
import type { Arguments } from './commands.ts';
import { repairRehearsal, stopRehearsal } from './rehearsal-site.ts';
import type { RehearsalStart } from './rehearse-screens.ts';
import { ensureUsableDirectory } from './session/open-session.ts';
import { createCloudDocument } from './session/working-session.ts';
import type { CommandContext } from './shared/context.ts';
import { UsageError } from './shared/io.ts';
import { readAnswersFile } from './wizard/answers-file.ts';
import {
  isPlainRequested,
  reportNoTerminal,
  selectFrontEnd,
  terminalOptions,
  withTerminal,
} from './wizard/front-end.ts';
import { resolveMirror } from './wizard/mirror.ts';
import { isInstallationFinished } from './wizard/services.ts';

const words = () => catalogue().cli;

/**
 * `upi-wizard rehearse`: the wizard against a simulated site; with `--answers --plain`, the whole run without input.
 */
export async function rehearseCommand(
  { options: cliOptions }: Arguments<'rehearse'>,
  { io, launcher }: CommandContext,
): Promise<number> {
  const dirOption = cliOptions.dir === undefined ? null : resolve(io.cwd, cliOptions.dir);
  if (cliOptions.stop) return await stopRehearsal(dirOption ?? resolve(io.cwd, 'upi-rehearsal'), io);
  if (cliOptions.repair !== undefined)
    return await repairRehearsal(dirOption ?? resolve(io.cwd, 'upi-rehearsal'), cliOptions.repair, io);
  const { speed = null, seed = null, break: faults = null, answers = null, cloud = null } = cliOptions;
  rejectConflictingOptions(cloud, faults, answers);
  const mirror = resolveMirror(cliOptions.mirror, io.cwd);
  const rehearsalOptions = { faults, cloud, speed, seed, mirror, onEvent: cliOptions['on-event'] };
  const frontEndKind = selectFrontEnd(cliOptions, io);
  // With answers, the run needs no input. Without them, it needs a terminal.
  if (isPlainRequested(cliOptions) && (answers !== null || frontEndKind === 'none')) {
    if (answers === null && cloud === null) throw new UsageError(words().plainNeedsAnswers);
    const { rehearsePlain } = await import('./rehearse-plain.ts');
    const dir = ensureUsableDirectory(dirOption ?? createTemporaryDirectory());
    return await rehearsePlain({ dir, ...rehearsalOptions }, answers, io, launcher);
  }
  if (frontEndKind === 'none') return reportNoTerminal(cliOptions, true, io);
  const answersFile = answers === null ? null : readAnswersFile(answers, io);
  if (answersFile && !answersFile.isReadable) return 2;
  if (answersFile && answersFile.design === null) return 3;
  const dir = ensureUsableDirectory(dirOption ?? chooseRehearsalDirectory(io.cwd, cloud));
  const start: RehearsalStart | null =
    cloud === null
      ? answersFile && { document: answersFile.document, screen: 'review' }
      : { document: createCloudDocument(), screen: 'infra' };
  const startup = { dir, isRehearsal: true, ...terminalOptions(cliOptions), frontEnd: frontEndKind };
  return await withTerminal(launcher, startup, io, async (frontEnd) => {
    const { rehearseFullScreen } = await import('./rehearse-screens.ts');
    return await rehearseFullScreen({ dir, ...rehearsalOptions }, start, io, launcher, frontEnd);
  });
}

/** Returns the default directory for a rehearsal, or an unused one next to it if the rehearsal there is finished. */
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
    throw new UserErrorException(createUnusableDirectoryError(tmpdir(), error));
  }
}

/**
 * Rejects options that exclude each other: the cluster on a cloud already runs and needs no answers, and only some
 * faults apply to it.
 * @throws UsageError
 */
function rejectConflictingOptions(
  cloud: CloudName | null,
  faults: readonly FaultId[] | null,
  answers: string | null,
): void {
  if (cloud !== null && answers !== null) throw new UsageError(words().cloudOrAnswers);
  const inapplicableFault = faults?.find((fault) =>
    cloud === null ? fault === 'machine-fails' : !CLOUD_FAULTS.includes(fault),
  );
  if (inapplicableFault === undefined) return;
  throw new UsageError(
    cloud === null
      ? words().faultOfCloud(inapplicableFault)
      : words().faultNotOfCloud(inapplicableFault, CLOUD_FAULTS.join(', ')),
  );
}
