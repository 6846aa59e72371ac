import { bootUrl } from '../../artifacts/shared/generator.ts';
import { convertErrorToFinding, runChecks } from '../../checks/check.ts';
import { PREPARE_CHECKS } from '../../checks/prepare/checks.ts';
import {
  buildPrepareItems,
  formatRemainingTime,
  listImagesToFetch,
  mustStartOver,
  type PrepareView,
  summarizeBlockingChecks,
  summarizeSiteChecks,
} from '../../checks/prepare/items.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { SECOND } from '../../platform/clock.ts';
import type { Plan, PlannedChange, Probe, Step, StepContext } from '../contract.ts';
import { checkJob, checkLogout } from '../shared/jobs.ts';
import { BOOT_SERVER_JOB, startBootServerJob } from '../shared/machines/boot-server-job.ts';
import { isInstallationOver } from '../shared/machines/node-facts.ts';
import { readOverrides } from '../shared/overrides.ts';
import { workspace } from '../shared/workspace.ts';
import {
  createIgnition,
  describeImages,
  describePrograms,
  fetchImages,
  fetchPrograms,
  isControlPlaneSchedulable,
  startOver,
} from './actions.ts';
import { assertNotBlocked, listBlockingChecks, overrideBlockingChecks } from './checks.ts';
import {
  buildPrepareEvidence,
  formatDownloadsDir,
  gatherFacts,
  isApiAnsweringAfterRetries,
  needsOc,
  type PrepareFacts,
} from './facts.ts';
import { applyForJoin, planForJoin, probeForJoin } from './join-preparation.ts';
import { clearSiteChecks, readSitePhases } from './site-checks.ts';

const words = () => catalogue().steps.prepare;
const findingWords = () => catalogue().diagnosis.prepare;

/**
 * Turns the design into served ignition files. Fetches program and images, creates manifests and ignition files, and
 * starts the boot server.
 */
export const prepareStep: Step<PrepareView> = {
  id: 'prepare',
  probeIntervalMs: 10 * SECOND,
  timeoutMs: 5 * 60 * SECOND,
  probe,
  async plan(context) {
    return isInstallationOver(context) ? await planForJoin(context) : buildPlan(context, await gatherFacts(context));
  },
  async apply(context, report) {
    if (isInstallationOver(context)) return await applyForJoin(context, report);
    await assertNotBlocked(context);
    let facts = await gatherFacts(context);
    if (facts.installer === null) {
      await fetchPrograms(context, report);
      facts = await gatherFacts(context);
    }
    if (listImagesToFetch(facts.imageStates).length > 0) await fetchImages(context, facts, report);
    if (mustStartOver(facts)) {
      report(words().checkingAgain);
      if (await isApiAnsweringAfterRetries(context)) throw createClusterAliveError(context);
      await startOver(context, report);
    }
    await createIgnition(context, report);
    await startBootServerJob(context, report);
    clearSiteChecks(context);
  },
  async override(context, reason, report) {
    const facts = await gatherFacts(context);
    await overrideBlockingChecks(context, reason, areBootFilesServed(facts), report);
  },
  verify: probe,
};

async function probe(context: StepContext): Promise<Probe<PrepareView>> {
  if (isInstallationOver(context)) return await probeForJoin(context);
  const [facts, phases, serverFindings, logoutFindings] = await Promise.all([
    gatherFacts(context),
    readSitePhases(context),
    checkJob(context, BOOT_SERVER_JOB),
    checkLogout(context, BOOT_SERVER_JOB),
  ]);
  const { installDirStatus } = facts;
  const imageCount = listImagesToFetch(facts.imageStates).length;
  const evidence = buildPrepareEvidence(context, facts);
  const configFindings = facts.configError === null ? [] : [convertErrorToFinding(facts.configError)];
  const blockingFindings = listBlockingChecks(context, phases, areBootFilesServed(facts));
  const siteFindings =
    blockingFindings.length > 0
      ? summarizeBlockingChecks(blockingFindings)
      : summarizeSiteChecks(phases, readOverrides(context));
  const ruleFindings = runChecks(PREPARE_CHECKS, evidence);
  const stepFindings = [...ruleFindings, ...configFindings, ...serverFindings, ...logoutFindings];
  // Findings that block the step come first.
  const findings =
    blockingFindings.length > 0 ? [...siteFindings, ...stepFindings] : [...stepFindings, ...siteFindings];
  const view: PrepareView = {
    items: buildPrepareItems({ ...evidence, needsOc: needsOc(context) }, ruleFindings),
    expiresAt: installDirStatus.expiresAt,
    phases,
  };
  const createNeededProbe = (summary: string) => ({ state: 'needed', summary, view, findings }) as const;
  const fatalFinding = findings.find(({ severity }) => severity === 'fatal');
  if (fatalFinding)
    return { state: 'blocked', summary: fatalFinding.title, overridableChecks: blockingFindings, view, findings };
  if (facts.installer === null) return createNeededProbe(findingWords()['installer-missing'].title);
  if (imageCount > 0) return createNeededProbe(words().imagesNeeded(facts.imageStates.length));
  if (mustStartOver(facts)) return createNeededProbe(explainUnusableFiles(facts));
  if (installDirStatus.state !== 'ignition') return createNeededProbe(words().needed);
  if (facts.isServing && !facts.isServingAllNodes) return createNeededProbe(words().serverOutdated);
  if (!facts.isServing) return createNeededProbe(words().serverNeeded);
  const remainingTime = formatRemainingTime((installDirStatus.expiresAt ?? 0) - context.clock.now());
  return { state: 'done', summary: words().ignitionReady(remainingTime), view, findings };
}

/** Whether all files that machines boot with are created and served: from then on, the checks of served files count. */
function areBootFilesServed(facts: PrepareFacts): boolean {
  return (
    facts.installDirStatus.state === 'ignition' && !mustStartOver(facts) && facts.isServing && facts.isServingAllNodes
  );
}

function explainUnusableFiles({ installDirStatus, areFilesFromOtherConfig }: PrepareFacts): string {
  if (areFilesFromOtherConfig) return findingWords()['install-config-changed'].title;
  return findingWords()[installDirStatus.state === 'mixed' ? 'install-dir-used' : 'ignition-expired'].title;
}

function createClusterAliveError({ dir }: StepContext): UserErrorException {
  return new UserErrorException({ code: 'install-dir-alive', ...findingWords()['install-dir-alive'], cause: dir });
}

/** Builds the plan. It needs confirmation before anything is downloaded or replaced. */
function buildPlan(context: StepContext, facts: PrepareFacts): Plan {
  const { openshift, topology } = context.design;
  const createChange = (object: string, what: string): PlannedChange => ({ object, what, before: null, after: null });
  const mirror = formatDownloadsDir(context);
  const mustFetchProgram = facts.installer === null;
  const imageCount = listImagesToFetch(facts.imageStates).length;
  const mustReplace = mustStartOver(facts);
  const createChanges = [
    createChange('install-config.yaml', words().change.config),
    createChange('manifests/', words().change.manifests),
    createChange(
      'manifests/cluster-scheduler-02-config.yml',
      words().change.schedulable(isControlPlaneSchedulable(context)),
    ),
    createChange('*.ign, auth/', words().change.ignition(topology === 'single-node')),
  ];
  const replaceChanges = [
    createChange(context.dir, words().change.movedAside(workspace(context.dir).archiveDir)),
    createChange(words().change.machines, words().change.bootAgain),
  ];
  return {
    changes: [
      ...(mustFetchProgram ? [createChange('openshift-install, oc', describePrograms(openshift.version, mirror))] : []),
      ...(imageCount > 0 ? [createChange('images/', describeImages(imageCount, context.imagesDir, mirror))] : []),
      ...(mustReplace ? replaceChanges : []),
      ...(facts.installDirStatus.state === 'ignition' && !mustReplace ? [] : createChanges),
      createChange('boot-server', words().change.server(bootUrl(context.design))),
    ],
    isDangerous: mustFetchProgram || imageCount > 0 || mustReplace,
    instructions: [],
  };
}
