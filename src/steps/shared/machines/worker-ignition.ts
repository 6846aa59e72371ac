import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import type { ConfigServerAnswer } from '../../../checks/joining.ts';
import { apiIntName } from '../../../design/derived-facts.ts';
import { versionProfile } from '../../../design/versions.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { type UserError, UserErrorException } from '../../../i18n/user-error.ts';
import { listPointerProblems, type PointerIgnition, parsePointerIgnition } from '../../../installer/ignition.ts';
import type { Cluster } from '../../../kube/api.ts';
import { getString } from '../../../openshift/object.ts';
import { SECOND } from '../../../platform/clock.ts';
import { probeTls } from '../../../probes/tls-probe.ts';
import type { StepContext } from '../../contract.ts';
import { openCluster } from '../cluster-access.ts';
import { workspace } from '../workspace.ts';

const words = () => catalogue().steps.workerIgnition;
const NAMESPACE = 'openshift-machine-api';
/**
 * The secrets with the worker ignition file. The installer writes the first. The machine config operator writes the
 * second since 4.7 (pkg/operator/sync.go), in the newest specification that it knows. The documentation recommends the
 * second.
 */
const SECRETS = ['worker-user-data', 'worker-user-data-managed'] as const;

/** The ignition file with which compute nodes join, and the state of their Machine Config Server. */
export interface WorkerIgnition {
  /** The served file; null if none is usable. */
  readonly file: string | null;
  readonly isFromCluster: boolean;
  /** Its problems; empty: none. */
  readonly problems: readonly UserError[];
  /** The Machine Config Server, probed through the load balancer as a node does; null: no address known to probe. */
  readonly server: ConfigServerAnswer | null;
}

/** Returns the file served to compute nodes: the installer's own, or the one read from the cluster in its place. */
export function getWorkerIgnitionFile({ dir }: Pick<StepContext, 'dir'>): string {
  const { workerIgnition, clusterWorkerIgnition } = workspace(dir);
  return existsSync(clusterWorkerIgnition) ? clusterWorkerIgnition : workerIgnition;
}

/** Inspects the file, and probes whether the Machine Config Server knows the file's CA. */
export async function inspectWorkerIgnition(context: StepContext): Promise<WorkerIgnition> {
  const file = getWorkerIgnitionFile(context);
  const isFromCluster = file === workspace(context.dir).clusterWorkerIgnition;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : null;
  const pointer = text === null ? null : parsePointerIgnition(text);
  const problems =
    text === null
      ? [{ code: 'worker-ignition-missing', title: words().missing, cause: file, remedy: words().missingFix }]
      : checkPointer(context, text);
  const server = pointer === null || problems.length > 0 ? null : await probeConfigServer(context, pointer);
  return { file: problems.length === 0 ? file : null, isFromCluster, problems, server };
}

function checkPointer({ design }: StepContext, text: string): UserError[] {
  const expectedUrl = `https://${apiIntName(design)}:22623/config/worker`;
  // Its certificates are those of the Machine Config Server, which are valid for years: the 24 hours do not apply.
  return listPointerProblems(text, { role: 'worker', expectedUrl, bootstrapIgnition: null });
}

/**
 * Reads the file from the cluster (its secret `worker-user-data`) and writes it readable for the user alone: any
 * machine can join with it.
 * @throws UserErrorException `worker-ignition-missing` if no secret has one that the images can read; ClusterError
 */
export async function fetchWorkerIgnition(context: StepContext, report: (line: string) => void): Promise<void> {
  const cluster = await openCluster(context);
  const candidates = cluster === null ? [] : await listCandidates(context, cluster);
  const [first] = candidates;
  if (first === undefined) {
    const { remedy } = words().notInCluster;
    const cause = words().notInCluster.cause(SECRETS.map((name) => `${NAMESPACE}/${name}`).join(', '));
    throw new UserErrorException({ code: 'worker-ignition-missing', title: words().missing, cause, remedy });
  }
  const servers = await Promise.all(candidates.map(({ pointer }) => probeConfigServer(context, pointer)));
  const candidate = candidates.find((_, index) => servers[index]?.state === 'answers') ?? first;
  const { stateDir: state, clusterWorkerIgnition } = workspace(context.dir);
  await mkdir(state, { recursive: true, mode: 0o700 });
  await writeFile(`${clusterWorkerIgnition}.new`, candidate.text, { mode: 0o600 });
  await rename(`${clusterWorkerIgnition}.new`, clusterWorkerIgnition);
  report(words().fetched(`${NAMESPACE}/${candidate.name}`));
}

interface Candidate {
  readonly name: string;
  readonly text: string;
  readonly pointer: PointerIgnition;
}

/**
 * Lists the secrets' content that the images can read, the oldest specification first. Ignition reads its own
 * specification and older ones of the same major number, and images may be as old as the cluster's installation: 4.6
 * began with 3.
 */
async function listCandidates(context: StepContext, cluster: Cluster): Promise<Candidate[]> {
  const { hasLiveRootfs } = versionProfile(context.design.openshift.version);
  const specificationPrefix = hasLiveRootfs ? '3.' : '2.';
  const secrets = await Promise.all(SECRETS.map((name) => cluster.get('Secret', name, NAMESPACE)));
  return secrets
    .flatMap((secret, index): Candidate[] => {
      const encoded = getString(secret?.data, 'userData');
      const text = encoded === null ? '' : Buffer.from(encoded, 'base64').toString('utf8');
      const pointer = parsePointerIgnition(text);
      const isUsable =
        pointer?.specification.startsWith(specificationPrefix) && checkPointer(context, text).length === 0;
      return pointer && isUsable ? [{ name: SECRETS[index] ?? '', text, pointer }] : [];
    })
    .sort((a, b) => parseMinorNumber(a.pointer) - parseMinorNumber(b.pointer));
}

function parseMinorNumber({ specification }: PointerIgnition): number {
  return Number(specification.split('.')[1] ?? 0);
}

/** Probes as a new node does: by the internal name, through the load balancer, trusting the file's CA only. */
async function probeConfigServer(context: StepContext, pointer: PointerIgnition): Promise<ConfigServerAnswer> {
  const server = context.design.endpoints.apiInt[0] ?? '';
  const { origin } = new URL(pointer.url);
  const { state, status, detail } = await probeTls(context.resolveEndpoint, context.clock, `${origin}/healthz`, {
    server,
    authorities: pointer.authorities,
    timeoutMs: 5 * SECOND,
  });
  // Any answer in TLS proves the server's identity; /healthz exists since 4.1 (pkg/server/api.go of
  // machine-config-operator).
  if (state === 'answered') return { state: status !== null && status < 500 ? 'answers' : 'silent', detail };
  return { state: state === 'untrusted' ? 'untrusted' : 'silent', detail };
}
