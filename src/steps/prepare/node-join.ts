import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listImageFiles, type RhcosImages } from '../../artifacts/boot/images.ts';
import { bootUrl } from '../../artifacts/shared/generator.ts';
import { runChecks } from '../../checks/check.ts';
import { JOIN_PREPARE_CHECKS } from '../../checks/prepare/checks.ts';
import { buildJoinItems, type PrepareView } from '../../checks/prepare/items.ts';
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
import { listIgnitionClients, listWorkerMachines } from '../shared/machines/node-facts.ts';
import { fetchWorkerIgnition, inspectWorkerIgnition, type WorkerIgnition } from '../shared/machines/worker-ignition.ts';
import { workspace } from '../shared/workspace.ts';

const words = () => catalogue().steps.prepare;
const WORKER_SECRET = 'openshift-machine-api/worker-user-data';

/**
 * Facts for Prepare of a running cluster. openshift-install is not needed and must not run: it would write another
 * kubeconfig over the cluster's. New nodes need worker.ign, images and the boot server.
 */
interface JoinFacts extends BootServerState {
  readonly images: RhcosImages;
  readonly missingImages: readonly string[];
  readonly ignition: WorkerIgnition;
  /** Nodes that have still to fetch their ignition file. */
  readonly waitingCount: number;
  /** The version of the cluster, "4.18.11"; null if unknown. */
  readonly clusterVersion: string | null;
}

/** Collects the facts about everything that later nodes need. */
export async function gatherJoinFacts(context: StepContext): Promise<JoinFacts> {
  const [images, ignition, server, snapshot] = await Promise.all([
    resolveImageNames(context),
    inspectWorkerIgnition(context),
    probeBootServer(context),
    readSnapshot(context, ['clusterVersion']),
  ]);
  const missingImages = listImageFiles(images).filter((name) => !existsSync(join(context.imagesDir, name)));
  const workerNames = new Set(listWorkerMachines(context.design).map(({ name }) => name));
  const waitingCount = listIgnitionClients(context).filter(({ name }) => workerNames.has(name)).length;
  const clusterVersion = snapshot?.clusterVersion?.version || null;
  return { images, missingImages, ignition, waitingCount, clusterVersion, ...server };
}

/** Builds the evidence for the checks of nodes that join later. */
export function buildJoinEvidence({ imagesDir, design }: StepContext, facts: JoinFacts) {
  return {
    ...facts,
    imagesDir,
    images: facts.missingImages.map((name) => ({ name, state: 'missing' as const })),
    release: facts.images.release,
    requirements: design.openshift,
    mustFetchIgnition: mustFetch(facts),
  };
}

/** Probes what later nodes need; `done` when every node that has still to join can fetch it. */
export async function probeForJoin(context: StepContext): Promise<Probe<PrepareView>> {
  const [facts, serverFindings, logoutFindings] = await Promise.all([
    gatherJoinFacts(context),
    checkJob(context, BOOT_SERVER_JOB),
    checkLogout(context, BOOT_SERVER_JOB),
  ]);
  const evidence = buildJoinEvidence(context, facts);
  const view: PrepareView = { items: buildJoinItems(evidence), expiresAt: null, phases: [] };
  // Pending findings are the work of this step itself: its summary reports them.
  const ruleFindings = runChecks(JOIN_PREPARE_CHECKS, evidence).filter(({ state }) => state !== 'pending');
  const findings = [...ruleFindings, ...serverFindings, ...logoutFindings];
  if (facts.waitingCount === 0) return { state: 'done', summary: words().later.nothingToServe, view, findings: [] };
  if (findings.some(({ severity }) => severity === 'fatal'))
    return { state: 'blocked', summary: findings[0]?.title ?? '', view, findings };
  const createNeeded = (summary: string) => ({ state: 'needed', summary, view, findings }) as const;
  if (mustFetch(facts)) return createNeeded(words().later.ignitionNeeded);
  if (!facts.isServing) return createNeeded(words().serverNeeded);
  if (!facts.isServingAllNodes) return createNeeded(words().serverOutdated);
  return { state: 'done', summary: words().later.ready, view, findings };
}

/** Plans Prepare for added nodes: fetch worker.ign if none is usable, and serve. */
export async function planForJoin(context: StepContext): Promise<Plan> {
  const facts = await gatherJoinFacts(context);
  const change = (object: string, what: string): PlannedChange => ({ object, what, before: null, after: null });
  const { clusterWorkerIgnition } = workspace(context.dir);
  return {
    changes: [
      ...(mustFetch(facts) ? [change(clusterWorkerIgnition, words().later.readIgnition(WORKER_SECRET))] : []),
      change('boot-server', words().change.server(bootUrl(context.design))),
    ],
    isDangerous: false,
    instructions: [],
  };
}

/**
 * Fetches worker.ign from the cluster if the one here is not usable, and serves.
 * @throws UserErrorException
 */
export async function applyForJoin(context: StepContext, report: (line: string) => void): Promise<void> {
  if (mustFetch(await gatherJoinFacts(context))) await fetchWorkerIgnition(context, report);
  await startBootServerJob(context, report);
}

/** Whether no usable file exists, or the Machine Config Server has another CA by now. */
function mustFetch({ ignition }: JoinFacts): boolean {
  return ignition.file === null || ignition.server?.state === 'untrusted';
}
