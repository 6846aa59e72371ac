import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RhcosImages } from '../../artifacts/shared/files.ts';
import { bootUrl } from '../../artifacts/shared/layout.ts';
import { PREPARE_LATER } from '../../diagnosis/prepare/index.ts';
import { laterItems, type PrepareView } from '../../diagnosis/prepare/items.ts';
import { judge } from '../../diagnosis/rule.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Change, Plan, Probe, StepContext } from '../contract.ts';
import { look } from '../shared/access.ts';
import { imageFiles, imageNames } from '../shared/installer/images.ts';
import { jobFindings, logoutFindings } from '../shared/job-findings.ts';
import { laterMachines, mayFetchIgnition } from '../shared/machines/later-nodes.ts';
import { BOOT_SERVER_JOB, lookAtServer, type ServerState, serve } from '../shared/machines/serving.ts';
import { fetchWorkerIgnition, lookAtWorkerIgnition, type WorkerIgnition } from '../shared/machines/worker-ignition.ts';
import { workspace } from '../shared/workspace.ts';

const words = () => catalogue().steps.prepare;
const SECRET = 'openshift-machine-api/worker-user-data';

/**
 * Prepare for a cluster that runs: nobody needs openshift-install any more, and nobody must run it (it would write
 * another kubeconfig over the cluster's). New nodes need worker.ign, images and the boot server.
 */
interface Facts extends ServerState {
  readonly images: RhcosImages;
  readonly missingImages: readonly string[];
  readonly ignition: WorkerIgnition;
  /** Nodes that have still to fetch their ignition file. */
  readonly waiting: number;
  /** The version of the cluster, "4.18.11"; null: not known. */
  readonly clusterVersion: string | null;
}

/** What there is for nodes that join later. */
export async function gatherForLater(context: StepContext): Promise<Facts> {
  const [images, ignition, server, snapshot] = await Promise.all([
    imageNames(context),
    lookAtWorkerIgnition(context),
    lookAtServer(context),
    look(context, ['clusterVersion']),
  ]);
  const missingImages = imageFiles(images).filter((name) => !existsSync(join(context.imagesDir, name)));
  const later = new Set(laterMachines(context.design).map(({ name }) => name));
  const waiting = mayFetchIgnition(context).filter(({ name }) => later.has(name)).length;
  const clusterVersion = snapshot?.clusterVersion?.version || null;
  return { images, missingImages, ignition, waiting, clusterVersion, ...server };
}

/** The evidence for the checks of nodes that join later. */
export function laterEvidence({ imagesDir, design }: StepContext, facts: Facts) {
  return {
    ...facts,
    imagesDir,
    images: facts.missingImages.map((name) => ({ name, state: 'missing' as const })),
    release: facts.images.release,
    wanted: design.openshift,
    mustFetchIgnition: mustFetch(facts),
  };
}

/** Asks the running things; `done` when every node that has still to join can fetch what it needs. */
export async function probeForLater(context: StepContext): Promise<Probe<PrepareView>> {
  const [facts, server, logout] = await Promise.all([
    gatherForLater(context),
    jobFindings(context, BOOT_SERVER_JOB),
    logoutFindings(context, BOOT_SERVER_JOB),
  ]);
  const evidence = laterEvidence(context, facts);
  const view: PrepareView = { items: laterItems(evidence), expiresAt: null, phases: [] };
  // What is pending is what this step does: its summary says so.
  const found = judge(PREPARE_LATER, evidence).filter(({ state }) => state !== 'pending');
  const findings = [...found, ...server, ...logout];
  if (facts.waiting === 0) return { state: 'done', summary: words().later.nothing, view, findings: [] };
  if (findings.some(({ severity }) => severity === 'fatal'))
    return { state: 'blocked', summary: findings[0]?.title ?? '', view, findings };
  const needed = (summary: string) => ({ state: 'needed', summary, view, findings }) as const;
  if (mustFetch(facts)) return needed(words().later.ignitionNeeded);
  if (!facts.isServing) return needed(words().serverNeeded);
  if (!facts.isServerCurrent) return needed(words().serverOutdated);
  return { state: 'done', summary: words().later.ready, view, findings };
}

/** What Prepare would do for added nodes: fetch worker.ign where none fits, and serve. */
export async function planForLater(context: StepContext): Promise<Plan> {
  const facts = await gatherForLater(context);
  const change = (object: string, what: string): Change => ({ object, what, before: null, after: null });
  const { clusterWorkerIgnition } = workspace(context.dir);
  return {
    changes: [
      ...(mustFetch(facts) ? [change(clusterWorkerIgnition, words().later.readIgnition(SECRET))] : []),
      change('boot-server', words().change.server(bootUrl(context.design))),
    ],
    isDangerous: false,
    instructions: [],
  };
}

/**
 * Fetches worker.ign from the cluster where the one here does not fit, and serves.
 * @throws TroubleError
 */
export async function applyForLater(context: StepContext, report: (line: string) => void): Promise<void> {
  if (mustFetch(await gatherForLater(context))) await fetchWorkerIgnition(context, report);
  await serve(context, report);
}

/** None fits, or the machine config server has another authority by now. */
function mustFetch({ ignition }: Facts): boolean {
  return ignition.file === null || ignition.server?.state === 'untrusted';
}
