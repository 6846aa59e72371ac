import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { tlsProbe } from '../../../bastion/probes/probes.ts';
import type { Cluster } from '../../../cluster/api.ts';
import { apiIntName } from '../../../design/names.ts';
import { versionProfile } from '../../../design/versions.ts';
import type { ConfigServerAnswer } from '../../../diagnosis/joining/evidence.ts';
import { type Pointer, pointerProblems, readPointer } from '../../../installer/ignition.ts';
import { textAt } from '../../../objects/object.ts';
import { SECOND } from '../../../ports/clock.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { type Trouble, TroubleError } from '../../../text/trouble.ts';
import type { StepContext } from '../../contract.ts';
import { openCluster } from '../access.ts';
import { workspace } from '../workspace.ts';

const words = () => catalogue().steps.workerIgnition;
const NAMESPACE = 'openshift-machine-api';
/**
 * Where a cluster keeps it. The installer writes the first, the machine config operator the second since 4.7
 * (pkg/operator/sync.go), in the newest specification that it knows; the documentation tells people to use the second.
 */
const SECRETS = ['worker-user-data', 'worker-user-data-managed'] as const;

/** What compute nodes join with, and whether their machine config server takes part. */
export interface WorkerIgnition {
  /** The served file; null where none fits. */
  readonly file: string | null;
  readonly isFromCluster: boolean;
  /** Its problems; empty: none. */
  readonly problems: readonly Trouble[];
  /** The machine config server, asked through the load balancer as a node does; null: no address known to ask. */
  readonly server: ConfigServerAnswer | null;
}

/** The file served to compute nodes: the installer's own, or the one read from the cluster in its place. */
export function workerIgnitionFile({ dir }: Pick<StepContext, 'dir'>): string {
  const { workerIgnition, clusterWorkerIgnition } = workspace(dir);
  return existsSync(clusterWorkerIgnition) ? clusterWorkerIgnition : workerIgnition;
}

/** Looks at the file, and asks the machine config server whether it knows the file's authority. */
export async function lookAtWorkerIgnition(context: StepContext): Promise<WorkerIgnition> {
  const file = workerIgnitionFile(context);
  const isFromCluster = file === workspace(context.dir).clusterWorkerIgnition;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : null;
  const pointer = text === null ? null : readPointer(text);
  const problems =
    text === null
      ? [{ code: 'worker-ignition-missing', title: words().missing, cause: file, whatToDo: words().missingFix }]
      : problemsOf(context, text);
  const server = pointer === null || problems.length > 0 ? null : await askServer(context, pointer);
  return { file: problems.length === 0 ? file : null, isFromCluster, problems, server };
}

function problemsOf({ design }: StepContext, text: string): Trouble[] {
  const expectedUrl = `https://${apiIntName(design)}:22623/config/worker`;
  // Its certificates are those of the machine config server, which live for years: the 24 hours do not apply.
  return pointerProblems(text, { role: 'worker', expectedUrl, bootstrapIgnition: null });
}

/**
 * Reads the file from the cluster (its secret `worker-user-data`), for our eyes only: any machine can join with it.
 * @throws TroubleError `worker-ignition-missing` where no secret has one that the images can read; ClusterError
 */
export async function fetchWorkerIgnition(context: StepContext, report: (line: string) => void): Promise<void> {
  const cluster = await openCluster(context);
  const found = cluster === null ? [] : await candidates(context, cluster);
  const [first] = found;
  if (first === undefined) {
    const { whatToDo } = words().notInCluster;
    const cause = words().notInCluster.cause(SECRETS.map((name) => `${NAMESPACE}/${name}`).join(', '));
    throw new TroubleError({ code: 'worker-ignition-missing', title: words().missing, cause, whatToDo });
  }
  const servers = await Promise.all(found.map(({ pointer }) => askServer(context, pointer)));
  const chosen = found.find((_, index) => servers[index]?.state === 'answers') ?? first;
  const { state, clusterWorkerIgnition } = workspace(context.dir);
  await mkdir(state, { recursive: true, mode: 0o700 });
  await writeFile(`${clusterWorkerIgnition}.new`, chosen.text, { mode: 0o600 });
  await rename(`${clusterWorkerIgnition}.new`, clusterWorkerIgnition);
  report(words().fetched(`${NAMESPACE}/${chosen.name}`));
}

interface Candidate {
  readonly name: string;
  readonly text: string;
  readonly pointer: Pointer;
}

/**
 * The secrets' content that the images can read, the oldest specification first. Ignition reads its own specification
 * and older ones of the same major number, and images may be as old as the cluster's installation: 4.6 began with 3.
 */
async function candidates(context: StepContext, cluster: Cluster): Promise<Candidate[]> {
  const { hasLiveRootfs } = versionProfile(context.design.openshift.version);
  const generation = hasLiveRootfs ? '3.' : '2.';
  const found = await Promise.all(SECRETS.map((name) => cluster.get('Secret', name, NAMESPACE)));
  return found
    .flatMap((secret, index): Candidate[] => {
      const encoded = textAt(secret?.data, 'userData');
      const text = encoded === null ? '' : Buffer.from(encoded, 'base64').toString('utf8');
      const pointer = readPointer(text);
      const isFit = pointer?.specification.startsWith(generation) && problemsOf(context, text).length === 0;
      return pointer && isFit ? [{ name: SECRETS[index] ?? '', text, pointer }] : [];
    })
    .sort((a, b) => minorOf(a.pointer) - minorOf(b.pointer));
}

function minorOf({ specification }: Pointer): number {
  return Number(specification.split('.')[1] ?? 0);
}

/** As a new node does: by the internal name, through the load balancer, trusting the file's authority only. */
async function askServer(context: StepContext, pointer: Pointer): Promise<ConfigServerAnswer> {
  const server = context.design.endpoints.apiInt[0] ?? '';
  const { origin } = new URL(pointer.url);
  const { state, status, detail } = await tlsProbe(context.reach, context.clock, `${origin}/healthz`, {
    server,
    authorities: pointer.authorities,
    timeoutMs: 5 * SECOND,
  });
  // Any answer in TLS proves who it is; /healthz is there since 4.1 (pkg/server/api.go of machine-config-operator).
  if (state === 'answered') return { state: status !== null && status < 500 ? 'answers' : 'silent', detail };
  return { state: state === 'untrusted' ? 'untrusted' : 'silent', detail };
}
