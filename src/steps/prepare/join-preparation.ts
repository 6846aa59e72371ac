import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listImageFiles, type RhcosImageNames } from '../../artifacts/boot/images.ts';
import { bootUrl } from '../../artifacts/shared/generator.ts';
import { runChecks } from '../../checks/check.ts';
import { JOIN_PREPARE_CHECKS } from '../../checks/prepare/checks.ts';
import { buildJoinItems, type PrepareView } from '../../checks/prepare/items.ts';
import { getIgnitionName } from '../../design/choices.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { Plan, PlannedChange, Probe, StepContext } from '../contract.ts';
import { readSnapshot } from '../shared/cluster-access.ts';
import { resolveImageNames } from '../shared/installer/images.ts';
import { checkJob, checkLogout } from '../shared/jobs.ts';
import {
  BOOT_SERVER_JOB,
  type BootServerState,
  probeBootServer,
  startBootServerJob,
} from '../shared/machines/boot-server-job.ts';
import { listIgnitionClients, listJoinCandidates } from '../shared/machines/node-facts.ts';
import {
  fetchNodeIgnition,
  formatIgnitionSecret,
  inspectNodeIgnition,
  type NodeIgnition,
} from '../shared/machines/node-ignition.ts';
import { workspace } from '../shared/workspace.ts';

const words = () => catalogue().steps.prepare;

/**
 * Facts for Prepare of a running cluster. openshift-install is not needed and must not run: it would write another
 * kubeconfig over the cluster's. New nodes need an ignition file, images and the boot server.
 */
interface JoinPrepareFacts extends BootServerState {
  readonly images: RhcosImageNames;
  readonly missingImages: readonly string[];
  /** The ignition files of the roles that join; that of compute nodes if no node joins. */
  readonly ignitions: readonly NodeIgnition[];
  /** Number of nodes that have still to fetch their ignition file. */
  readonly waitingCount: number;
  /** The version of the cluster, "4.18.11"; null if unknown. */
  readonly clusterVersion: string | null;
}

/** Collects the facts about everything that later nodes need. */
export async function gatherJoinPrepareFacts(context: StepContext): Promise<JoinPrepareFacts> {
  const candidateNames = new Set(listJoinCandidates(context).map(({ name }) => name));
  const waitingNodes = listIgnitionClients(context).filter(({ name }) => candidateNames.has(name));
  const roles = new Set(waitingNodes.map(({ role }) => getIgnitionName(role)));
  const [images, ignitions, server, snapshot] = await Promise.all([
    resolveImageNames(context),
    Promise.all(
      [...(roles.size === 0 ? ['worker' as const] : roles)].map((role) => inspectNodeIgnition(context, role)),
    ),
    probeBootServer(context),
    readSnapshot(context, ['clusterVersion']),
  ]);
  const missingImages = listImageFiles(images).filter((name) => !existsSync(join(context.imagesDir, name)));
  const clusterVersion = snapshot?.clusterVersion?.version || null;
  return { images, missingImages, ignitions, waitingCount: waitingNodes.length, clusterVersion, ...server };
}

/** Builds the evidence for the checks of nodes that join later. */
export function buildJoinPrepareEvidence({ imagesDir, design }: StepContext, facts: JoinPrepareFacts) {
  const ignitionsToFetch = listIgnitionsToFetch(facts);
  const [ignition = facts.ignitions[0]] = ignitionsToFetch;
  if (ignition === undefined) throw new Error('no role joins');
  return {
    ...facts,
    ignition,
    imagesDir,
    images: facts.missingImages.map((name) => ({ name, state: 'missing' as const })),
    imagesVersion: facts.images.release,
    requirements: design.openshift,
    mustFetchIgnition: ignitionsToFetch.length > 0,
  };
}

/** Probes what later nodes need; `done` when every node that has still to join can fetch all of its files. */
export async function probeForJoin(context: StepContext): Promise<Probe<PrepareView>> {
  const [facts, serverFindings, logoutFindings] = await Promise.all([
    gatherJoinPrepareFacts(context),
    checkJob(context, BOOT_SERVER_JOB),
    checkLogout(context, BOOT_SERVER_JOB),
  ]);
  const evidence = buildJoinPrepareEvidence(context, facts);
  const view: PrepareView = { items: buildJoinItems(evidence), expiresAt: null, phases: [] };
  // Pending findings are the work of this step itself: its summary reports them.
  const ruleFindings = runChecks(JOIN_PREPARE_CHECKS, evidence).filter(({ state }) => state !== 'pending');
  const findings = [...ruleFindings, ...serverFindings, ...logoutFindings];
  if (facts.waitingCount === 0) return { state: 'done', summary: words().later.nothingToServe, view, findings: [] };
  if (findings.some(({ severity }) => severity === 'fatal'))
    return { state: 'blocked', summary: findings[0]?.title ?? '', view, findings };
  const createNeededProbe = (summary: string) => ({ state: 'needed', summary, view, findings }) as const;
  const missingNames = listIgnitionsToFetch(facts).map(({ role }) => `${role}.ign`);
  if (missingNames.length > 0) return createNeededProbe(words().later.ignitionNeeded(missingNames));
  if (!facts.isServing) return createNeededProbe(words().serverNeeded);
  if (!facts.isServingAllNodes) return createNeededProbe(words().serverOutdated);
  return { state: 'done', summary: words().later.ready, view, findings };
}

/** Plans Prepare for nodes that join: to fetch the ignition files that are not usable, and to start the boot server. */
export async function planForJoin(context: StepContext): Promise<Plan> {
  const facts = await gatherJoinPrepareFacts(context);
  const createChange = (object: string, what: string): PlannedChange => ({ object, what, before: null, after: null });
  const { clusterIgnitionFile } = workspace(context.dir);
  return {
    changes: [
      ...listIgnitionsToFetch(facts).map(({ role }) =>
        createChange(clusterIgnitionFile(role), words().later.readIgnition(formatIgnitionSecret(role))),
      ),
      createChange('boot-server', words().change.server(bootUrl(context.design))),
    ],
    isDangerous: false,
    instructions: [],
  };
}

/**
 * Fetches the ignition files from the cluster if those here are not usable, and starts the boot server.
 * @throws UserErrorException those of `fetchNodeIgnition` and `startBootServerJob`
 */
export async function applyForJoin(context: StepContext, report: (line: string) => void): Promise<void> {
  for (const { role } of listIgnitionsToFetch(await gatherJoinPrepareFacts(context)))
    await fetchNodeIgnition(context, role, report);
  await startBootServerJob(context, report);
}

/**
 * Lists the ignition files to fetch: those that are not usable, or whose Machine Config Server has another CA by now.
 */
function listIgnitionsToFetch({ ignitions }: JoinPrepareFacts): readonly NodeIgnition[] {
  return ignitions.filter(({ file, server }) => file === null || server?.state === 'untrusted');
}
