import { type Finding, runChecks } from '../../checks/check.ts';
import { JOIN_PREPARE_CHECKS, PREPARE_CHECKS } from '../../checks/prepare/checks.ts';
import type { JoinPrepareEvidence, PrepareEvidence } from '../../checks/prepare/evidence.ts';
import { type PhaseResults, summarizeBlockingChecks } from '../../checks/prepare/items.ts';
import { listUnoverriddenFailures } from '../../checks/prepare/overrides.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { toUserError, UserErrorException } from '../../i18n/user-error.ts';
import { findEntry } from '../../platform/table-lookup.ts';
import type { StepContext } from '../contract.ts';
import { isInstallationOver, readPowerOnTimes } from '../shared/machines/node-facts.ts';
import { overrideFailedChecks, readOverrides } from '../shared/overrides.ts';
import { buildPrepareEvidence, gatherFacts } from './facts.ts';
import { buildJoinPrepareEvidence, gatherJoinPrepareFacts } from './join-preparation.ts';
import { readSitePhases } from './site-checks.ts';

/**
 * Details that passed checks show, by check id. Null: the object of the check does not exist yet, so nothing was
 * checked.
 */
type CheckDetails<Evidence> = Readonly<Partial<Record<string, (evidence: Evidence) => string | null>>>;

const noDetail = () => '';
const getInstaller = (evidence: PrepareEvidence) => evidence.installer;
const getImagesDir = (evidence: PrepareEvidence) =>
  evidence.images.some(({ state }) => state !== 'missing') ? evidence.imagesDir : null;
const getUsedDir = ({ dir, installDirStatus }: PrepareEvidence) => (installDirStatus.state === 'empty' ? null : dir);
const getExpiry = ({ installDirStatus: { expiresAt } }: PrepareEvidence) =>
  expiresAt === null ? null : new Date(expiresAt).toISOString();

const CHECK_DETAILS: CheckDetails<PrepareEvidence> = {
  'installer-missing': getInstaller,
  'installer-version': getInstaller,
  'installer-architecture': getInstaller,
  'installer-architecture-unknown': getInstaller,
  'images-wrong': getImagesDir,
  'images-missing': ({ imagesDir }) => imagesDir,
  'images-unchecked': getImagesDir,
  'install-config-changed': getUsedDir,
  'install-dir-alive': getUsedDir,
  'install-dir-used': getUsedDir,
  'ignition-expired': getExpiry,
  'ignition-expires': getExpiry,
  'boot-files-missing': ({ server, bastionFilesDir }) => server && bastionFilesDir,
};

const JOIN_CHECK_DETAILS: CheckDetails<JoinPrepareEvidence> = {
  'images-missing': ({ imagesDir }) => imagesDir,
  'images-older': ({ clusterVersion }) => clusterVersion,
};

/** Runs the checks of Prepare on the same evidence as the step. */
export async function runPrepareChecks(
  context: StepContext,
  checkIds: readonly string[] | undefined,
): Promise<readonly Finding[]> {
  // The files of a running cluster are never created again: only the checks for nodes that join it remain.
  if (!isInstallationOver(context))
    return await runWithDetails(PREPARE_CHECKS, CHECK_DETAILS, checkIds, context, async () =>
      buildPrepareEvidence(context, await gatherFacts(context)),
    );
  return await runWithDetails(JOIN_PREPARE_CHECKS, JOIN_CHECK_DETAILS, checkIds, context, async () => {
    const facts = await gatherJoinPrepareFacts(context);
    return facts.waitingCount === 0 ? null : buildJoinPrepareEvidence(context, facts);
  });
}

/** @param gatherEvidence resolves to null if none of the checks applies */
async function runWithDetails<Evidence>(
  allChecks: Parameters<typeof runChecks<Evidence>>[0],
  details: CheckDetails<Evidence>,
  checkIds: readonly string[] | undefined,
  { signal }: Pick<StepContext, 'signal'>,
  gatherEvidence: () => Promise<Evidence | null>,
): Promise<readonly Finding[]> {
  const checks = allChecks.filter(({ id }) => checkIds === undefined || checkIds.includes(id));
  if (checks.length === 0) return [];
  const { titles, notYet } = catalogue().diagnosis.prepare;
  const createFinding = (code: string, state: 'ok' | 'pending' | 'unknown', cause: string): Finding => ({
    code,
    state,
    severity: 'note',
    subject: null,
    title: findEntry(titles, code) ?? code,
    cause,
    remedy: '',
  });
  try {
    const evidence = await gatherEvidence();
    if (evidence === null) return [];
    return checks.flatMap((check) => {
      const findings = runChecks([check], evidence);
      if (findings.length > 0) return findings;
      const detail = (findEntry(details, check.id) ?? noDetail)(evidence);
      return [detail === null ? createFinding(check.id, 'pending', notYet) : createFinding(check.id, 'ok', detail)];
    });
  } catch (error) {
    signal.throwIfAborted();
    const { title, cause } = toUserError(error);
    return checks.map(({ id }) => createFinding(id, 'unknown', `${title}: ${cause}`));
  }
}

/**
 * Lists the failed checks that block Prepare. None once a machine was powered on: the results are outdated by then.
 * @param isServed whether everything that machines boot with is created and served
 */
export function listBlockingChecks(
  context: StepContext,
  phases: readonly PhaseResults[],
  isServed: boolean,
): readonly Finding[] {
  if (Object.keys(readPowerOnTimes(context)).length > 0) return [];
  return listUnoverriddenFailures(phases, readOverrides(context), isServed);
}

/** @throws UserErrorException `site-checks` while a blocking check has failed that is not overridden */
export async function assertNotBlocked(context: StepContext): Promise<void> {
  const [first] = summarizeBlockingChecks(listBlockingChecks(context, await readSitePhases(context), false));
  if (first !== undefined) throw new UserErrorException(first);
}

/**
 * Overrides the blocking checks that have failed now, and no others. The session and the report keep the user's reason.
 * @param isServed as for `listBlockingChecks`
 * @throws UserErrorException `override-reason` if the text is no valid reason
 */
export async function overrideBlockingChecks(
  context: StepContext,
  reason: string,
  isServed: boolean,
  report: (line: string) => void,
): Promise<void> {
  const findBlocking = async () => listBlockingChecks(context, await readSitePhases(context), isServed);
  await overrideFailedChecks(context, reason, findBlocking, report);
}
