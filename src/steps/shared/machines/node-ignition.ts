import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import type { ConfigServerAnswer } from '../../../checks/join-checks.ts';
import type { IgnitionName } from '../../../design/choices.ts';
import { getApiIntName } from '../../../design/derived-facts.ts';
import { getVersionProfile } from '../../../design/versions.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { type UserError, UserErrorException } from '../../../i18n/user-error.ts';
import { checkPointerIgnition, type PointerIgnition, parsePointerIgnition } from '../../../installer/ignition.ts';
import type { Cluster } from '../../../kube/api.ts';
import { getString } from '../../../openshift/object.ts';
import { SECOND } from '../../../platform/clock.ts';
import { probeTls } from '../../../probes/tls-probe.ts';
import type { StepContext } from '../../contract.ts';
import { openCluster } from '../cluster-access.ts';
import { workspace } from '../workspace.ts';

const words = () => catalogue().steps.nodeIgnition;
const NAMESPACE = 'openshift-machine-api';
/**
 * Lists the names of the Secrets with the ignition file of a role. The installer writes the first. The Machine Config
 * Operator writes the second since 4.7 (pkg/operator/sync.go), in the newest specification that it knows. The
 * documentation recommends the second.
 */
const listSecretNames = (role: IgnitionName) => [`${role}-user-data`, `${role}-user-data-managed`];

/**
 * Formats the name of the installer's Secret with the ignition file of a role:
 * `openshift-machine-api/worker-user-data`.
 */
export const formatIgnitionSecret = (role: IgnitionName) => `${NAMESPACE}/${listSecretNames(role)[0]}`;

/** The ignition file with which nodes of a role join, and the state of their Machine Config Server. */
export interface NodeIgnition {
  readonly role: IgnitionName;
  /** The served file; null if none is usable. */
  readonly file: string | null;
  readonly isFromCluster: boolean;
  /** The problems of the file; empty: none. */
  readonly problems: readonly UserError[];
  /**
   * The Machine Config Server, probed through the load balancer as a node does; null: not probed, because no file is
   * usable.
   */
  readonly server: ConfigServerAnswer | null;
}

/**
 * Returns the file served to nodes of a role: the one that was read from the cluster if it exists, otherwise that of
 * the installer.
 */
export function getNodeIgnitionFile({ dir }: Pick<StepContext, 'dir'>, role: IgnitionName): string {
  const { ignitionFile, clusterIgnitionFile } = workspace(dir);
  return existsSync(clusterIgnitionFile(role)) ? clusterIgnitionFile(role) : ignitionFile(role);
}

/** Inspects the file, and probes whether the Machine Config Server knows the file's CA. */
export async function inspectNodeIgnition(context: StepContext, role: IgnitionName): Promise<NodeIgnition> {
  const file = getNodeIgnitionFile(context, role);
  const isFromCluster = file === workspace(context.dir).clusterIgnitionFile(role);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : null;
  const pointer = text === null ? null : parsePointerIgnition(text);
  const problems =
    text === null
      ? [{ code: 'worker-ignition-missing', title: words().missing(role), cause: file, remedy: words().missingFix }]
      : checkPointer(context, role, text);
  const server = pointer === null || problems.length > 0 ? null : await probeConfigServer(context, pointer);
  return { role, file: problems.length === 0 ? file : null, isFromCluster, problems, server };
}

function checkPointer({ design }: StepContext, role: IgnitionName, text: string): UserError[] {
  const expectedUrl = `https://${getApiIntName(design)}:22623/config/${role}`;
  // A pointer file has only the CA of the Machine Config Server, which is valid for years: the limit of 24 hours does
  // not apply.
  return checkPointerIgnition(text, { role, expectedUrl, bootstrapIgnition: null });
}

/**
 * Reads the ignition file of a role from the cluster (Secret `worker-user-data`, or that of the role). Writes the file
 * readable for the user alone: any machine can join with it.
 * @throws UserErrorException `worker-ignition-missing` if no Secret has an ignition file that the images can read;
 * ClusterError
 */
export async function fetchNodeIgnition(
  context: StepContext,
  role: IgnitionName,
  report: (line: string) => void,
): Promise<void> {
  const cluster = await openCluster(context);
  const candidates = cluster === null ? [] : await listCandidates(context, cluster, role);
  const [firstCandidate] = candidates;
  if (firstCandidate === undefined) {
    const { cause, remedy } = words().notInCluster;
    const secrets = listSecretNames(role).map((name) => `${NAMESPACE}/${name}`);
    throw new UserErrorException({
      code: 'worker-ignition-missing',
      title: words().missing(role),
      cause: cause(role, secrets.join(', ')),
      remedy: remedy(role),
    });
  }
  const servers = await Promise.all(candidates.map(({ pointer }) => probeConfigServer(context, pointer)));
  const candidate = candidates.find((_, index) => servers[index]?.state === 'answers') ?? firstCandidate;
  const { stateDir: state, clusterIgnitionFile } = workspace(context.dir);
  const file = clusterIgnitionFile(role);
  await mkdir(state, { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, candidate.text, { mode: 0o600 });
  await rename(`${file}.new`, file);
  report(words().fetched(role, `${NAMESPACE}/${candidate.name}`));
}

interface IgnitionCandidate {
  readonly name: string;
  readonly text: string;
  readonly pointer: PointerIgnition;
}

/**
 * Lists the secrets' content that the images can read, the oldest specification first. Ignition reads its own
 * specification and older ones of the same major number. Images may be as old as the cluster's installation: 4.6 began
 * with version 3.
 */
async function listCandidates(
  context: StepContext,
  cluster: Cluster,
  role: IgnitionName,
): Promise<IgnitionCandidate[]> {
  const { hasLiveRootfs } = getVersionProfile(context.design.openshift.version);
  const specificationPrefix = hasLiveRootfs ? '3.' : '2.';
  const names = listSecretNames(role);
  const secrets = await Promise.all(names.map((name) => cluster.get('Secret', name, NAMESPACE)));
  return secrets
    .flatMap((secret, index): IgnitionCandidate[] => {
      const userData = getString(secret?.data, 'userData');
      const text = userData === null ? '' : Buffer.from(userData, 'base64').toString('utf8');
      const pointer = parsePointerIgnition(text);
      const isUsable =
        pointer?.specification.startsWith(specificationPrefix) && checkPointer(context, role, text).length === 0;
      return pointer && isUsable ? [{ name: names[index] ?? '', text, pointer }] : [];
    })
    .sort((a, b) => parseMinorNumber(a.pointer) - parseMinorNumber(b.pointer));
}

function parseMinorNumber({ specification }: PointerIgnition): number {
  return Number(specification.split('.')[1] ?? 0);
}

/**
 * Probes the Machine Config Server as a new node does: by the internal name, through the load balancer, trusting only
 * the file's CA.
 */
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
