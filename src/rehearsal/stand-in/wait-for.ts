import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import { parse, parseDocument } from 'yaml';
import { isVersionAtLeast } from '../../design/versions.ts';
import { type Clock, MINUTE, SECOND } from '../../platform/clock.ts';
import type { ResolveEndpoint } from '../../platform/manual-actions.ts';
import { findCondition, getList, getString, isConditionTrue } from '../api/objects.ts';
import { sendRequest } from '../site/http-exchange.ts';
import type { ReleaseMetadata } from '../site/release-metadata.ts';
import { ExitError, type InstallerLog } from './installer-log.ts';

/** A client of the API at the address in the installer's kubeconfig. */
export interface ApiClient {
  /** `https://api.ocp45.example.localdomain:6443` */
  readonly server: string;
  /**
   * Gets the object at a path; null for 404.
   * @throws Error with the message of Go's HTTP client
   */
  get(path: string): Promise<Record<string, unknown> | null>;
}

interface Kubeconfig {
  readonly clusters?: readonly { readonly cluster?: Record<string, string> }[];
  readonly users?: readonly { readonly user?: Record<string, string> }[];
}

/**
 * Creates a client from the text of a kubeconfig.
 * @param path the kubeconfig's path, for messages
 * @throws ExitError if the kubeconfig is unusable: the real program exits at once, too
 */
export function createApiClient(text: string, path: string, resolveEndpoint: ResolveEndpoint): ApiClient {
  let config: Kubeconfig | null;
  try {
    config = parse(text) as Kubeconfig | null;
  } catch {
    throw new ExitError(
      `loading kubeconfig: error loading config file "${path}": yaml: line 1: did not find expected node content`,
    );
  }
  const cluster = config?.clusters?.[0]?.cluster;
  const user = config?.users?.[0]?.user;
  if (!cluster?.server) {
    throw new ExitError(
      'loading kubeconfig: invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable',
    );
  }
  const decodeBase64 = (data: string | undefined) =>
    data === undefined ? undefined : Buffer.from(data, 'base64').toString();
  const server = new URL(cluster.server);
  const port = Number(server.port || 443);
  const tls = {
    ca: decodeBase64(cluster['certificate-authority-data']),
    cert: decodeBase64(user?.['client-certificate-data']),
    key: decodeBase64(user?.['client-key-data']),
    servername: server.hostname,
  };
  // The secure context is created on first use, so that an invalid key fails a request, not the creation of the client.
  // All connections share this context: otherwise each would parse the keys again.
  let tlsOptions: (typeof tls & { readonly secureContext: SecureContext }) | undefined;
  return {
    server: cluster.server,
    async get(target) {
      const endpoint = resolveEndpoint(server.hostname, port);
      tlsOptions ??= { ...tls, secureContext: createSecureContext(tls) };
      const headers = { host: server.host, accept: 'application/json' };
      const clientRequest = request({ ...endpoint, ...tlsOptions, path: target, headers, timeout: 10_000 });
      clientRequest.on('timeout', () => clientRequest.destroy(new Error('context deadline exceeded')));
      const { status, body } = await sendRequest(clientRequest).catch((error: NodeJS.ErrnoException) => {
        const message = formatGoError(error, `${server.hostname}:${port}`);
        throw new Error(`Get "${cluster.server}${target}": ${message}`);
      });
      if (status === 404) return null;
      if (status === 401) throw new Error('the server has asked for the client to provide credentials');
      if (status >= 400 && status !== 403)
        throw new Error(`an error on the server ("${status}") has prevented the request from succeeding`);
      return parseObject(body.toString());
    },
  };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Formats a connection error as Go does. */
function formatGoError(error: NodeJS.ErrnoException, address: string): string {
  switch (error.code) {
    case 'ECONNREFUSED':
      return `dial tcp ${address}: connect: connection refused`;
    case 'ECONNRESET':
    case 'EPIPE':
      return 'EOF';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${address.split(':')[0]}: no such host`;
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'CERT_SIGNATURE_FAILURE':
      return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
    default:
      return error.message;
  }
}

const EXIT_CODE_BOOTSTRAP_FAILED = 5;

/** Runs `wait-for bootstrap-complete` (cmd/openshift-install/command/waitfor.go of openshift/installer). */
export async function waitForBootstrapComplete(options: WaitOptions): Promise<void> {
  const { clock, release, out } = options;
  const startedAt = clock.now();
  const api = createClient(options);
  await waitForApi(options, api);
  const timeoutMs = getBootstrapTimeoutMs(release);
  printWaitStart(options, timeoutMs, 'for bootstrapping to complete');
  let lastStatus = '';
  const isComplete = await pollUntil(clock, timeoutMs, SECOND, async () => {
    const configMap = await getOrNull(api, '/api/v1/namespaces/kube-system/configmaps/bootstrap');
    const status = getString(configMap, 'data', 'status');
    if (status !== '' && status !== lastStatus) out.log('debug', `Bootstrap status: ${status}`);
    lastStatus = status;
    return status === 'complete';
  });
  if (!isComplete) {
    await printOperatorConditions(api, out);
    printGatherHint(out);
    out.log('error', 'Bootstrap failed to complete: timed out waiting for the condition');
    throw new ExitError(
      'Failed to wait for bootstrapping to complete. This error usually happens when there is a problem with control plane hosts that prevents the control plane operators from creating the control plane.',
      EXIT_CODE_BOOTSTRAP_FAILED,
    );
  }
  if (isVersionAtLeast(release.version, '4.19')) {
    out.log('info', 'Waiting for the bootstrap etcd member to be removed...');
    await pollUntil(clock, Number.POSITIVE_INFINITY, SECOND, async () => {
      const etcd = await getOrNull(api, '/apis/operator.openshift.io/v1/etcds/cluster');
      return isConditionTrue(etcd, 'EtcdBootstrapMemberRemoved');
    });
    out.log('info', 'Bootstrap etcd member has been removed');
  }
  out.log('info', 'It is now safe to remove the bootstrap resources');
  printElapsedTime(options, 'Bootstrap Complete', startedAt);
}

async function waitForApi(options: WaitOptions, api: ApiClient): Promise<void> {
  const { clock, out } = options;
  const timeoutMs = 20 * MINUTE;
  printWaitStart(options, timeoutMs, `for the Kubernetes API at ${api.server}`);
  out.log('debug', 'Loading Agent Config...');
  let lastError = '';
  let reportedAt = Number.NEGATIVE_INFINITY;
  let version = '';
  const isUp = await pollUntil(clock, timeoutMs, 2 * SECOND, async () => {
    try {
      version = String((await api.get('/version'))?.gitVersion ?? '');
      return true;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const reasonText = message.split(':').at(-1) ?? '';
      if (reasonText !== lastError.split(':').at(-1) || clock.now() - reportedAt >= 30 * SECOND) {
        out.log('debug', `Still waiting for the Kubernetes API: ${message}`);
        reportedAt = clock.now();
      }
      lastError = message;
      return false;
    }
  });
  if (isUp) {
    out.log('info', `API ${version} up`);
    out.log('debug', 'Loading Install Config...');
    out.log('debug', '  Loading SSH Key...');
    out.log('debug', '  Loading Base Domain...');
    out.log('debug', '  Loading Pull Secret...');
    out.log('debug', 'Using Install Config loaded from state file');
    return;
  }
  out.log(
    'error',
    `Attempted to gather ClusterOperator status after wait failure: listing ClusterOperator objects: ${lastError.replace('/version', CLUSTER_OPERATORS_PATH)}`,
  );
  printGatherHint(out);
  out.log('error', `Bootstrap failed to complete: ${lastError}`);
  throw new ExitError(
    'Failed waiting for Kubernetes API. This error usually happens when there is a problem on the bootstrap host that prevents creating a temporary control plane.',
    EXIT_CODE_BOOTSTRAP_FAILED,
  );
}

/** Returns the time limit, ms: 45 min since 4.16, 30 min for 4.6 to 4.15, 40 min before. */
function getBootstrapTimeoutMs(release: ReleaseMetadata): number {
  if (isVersionAtLeast(release.version, '4.16')) return 45 * MINUTE;
  return isVersionAtLeast(release.version, '4.6') ? 30 * MINUTE : 40 * MINUTE;
}

const EXIT_CODE_INSTALL_FAILED = 6;
const EXIT_CODE_OPERATOR_STABILITY_FAILED = 7;

/** Runs `wait-for install-complete`. */
export async function waitForInstallComplete(options: WaitOptions): Promise<void> {
  const { dir, clock, release, out } = options;
  const startedAt = clock.now();
  const api = createClient(options);
  const timeoutMs = isVersionAtLeast(release.version, '4.6') ? 40 * MINUTE : 30 * MINUTE;
  printWaitStart(options, timeoutMs, `for the cluster at ${api.server} to initialize`);
  let lastMessage = '';
  const isReady = await pollUntil(clock, timeoutMs, 2 * SECOND, async () => {
    const clusterVersion = await getOrNull(api, '/apis/config.openshift.io/v1/clusterversions/version');
    const getStatus = (type: string) => findCondition(clusterVersion, type)?.status;
    const isFailing = getStatus('Failing') === 'True';
    if (getStatus('Available') === 'True' && getStatus('Failing') === 'False' && getStatus('Progressing') === 'False')
      return true;
    const message = getString(findCondition(clusterVersion, isFailing ? 'Failing' : 'Progressing'), 'message');
    if (message && message !== lastMessage) out.log('debug', `Still waiting for the cluster to initialize: ${message}`);
    lastMessage = message || lastMessage;
    return false;
  });
  if (!isReady) {
    await printOperatorConditions(api, out);
    failInitialization(out, `failed to initialize the cluster: ${lastMessage}`);
  }
  out.log('debug', 'Cluster is initialized');
  await addIngressAuthority(dir, api, out);
  if (isVersionAtLeast(release.version, '4.15')) await waitForStableOperators(options, api);
  await waitForConsole(options, api);
  printElapsedTime(options, 'Cluster Operators Stable', startedAt);
}

async function waitForStableOperators(options: WaitOptions, api: ApiClient): Promise<void> {
  const { clock, out } = options;
  const timeoutMs = 30 * MINUTE;
  printWaitStart(options, timeoutMs, 'to ensure each cluster operator has finished progressing');
  const stableNames = new Set<string>();
  let names: string[] = [];
  const areStable = await pollUntil(clock, timeoutMs, SECOND, async () => {
    const operators = getList(await getOrNull(api, CLUSTER_OPERATORS_PATH), 'items');
    names = operators.map((operator) => getString(operator, 'metadata', 'name'));
    for (const [index, operator] of operators.entries()) {
      const name = names[index] ?? '';
      const progressingCondition = findCondition(operator, 'Progressing');
      const transitionedAt = Date.parse(getString(progressingCondition, 'lastTransitionTime'));
      const isStable = progressingCondition?.status === 'False' && clock.now() - transitionedAt > 30 * SECOND;
      if (isStable && !stableNames.has(name)) out.log('debug', `Cluster Operator ${name} is stable`);
      if (!isStable && stableNames.has(name)) out.log('debug', `Cluster Operator ${name} became unstable`);
      if (isStable) stableNames.add(name);
      else stableNames.delete(name);
    }
    return names.length > 0 && names.every((name) => stableNames.has(name));
  });
  if (areStable) {
    out.log('info', 'All cluster operators have completed progressing');
    return;
  }
  out.log('error', 'Error checking cluster operator Progressing status: "context deadline exceeded"');
  const unstableNames = names.filter((name) => !stableNames.has(name));
  throw new ExitError(
    `These cluster operators were not stable: [${unstableNames.join(', ')}]`,
    EXIT_CODE_OPERATOR_STABILITY_FAILED,
  );
}

async function waitForConsole({ dir, clock, release, out }: WaitOptions, api: ApiClient): Promise<void> {
  out.log('info', 'Checking to see if there is a route at openshift-console/console...');
  let host = '';
  const timeoutMs = isVersionAtLeast(release.version, '4.12') ? 2 * MINUTE : 10 * MINUTE;
  const isAdmitted = await pollUntil(clock, timeoutMs, 2 * SECOND, async () => {
    const route = await getOrNull(api, '/apis/route.openshift.io/v1/namespaces/openshift-console/routes/console');
    host = getString(route, 'spec', 'host');
    const [ingress] = getList(route, 'status', 'ingress');
    return isConditionTrue({ status: ingress }, 'Admitted');
  });
  if (isAdmitted) {
    out.log('debug', 'Route found in openshift-console namespace: console');
    out.log('debug', 'OpenShift console route is admitted');
  } else out.log('warning', 'Cluster does not have a console available: could not get openshift-console URL');
  out.log('info', 'Install complete!');
  out.log('info', "To access the cluster as the system:admin user when using 'oc', run");
  out.log('info', `    export KUBECONFIG=${join(dir, 'auth/kubeconfig')}`);
  if (!isAdmitted) return;
  const password = readFileSync(join(dir, 'auth/kubeadmin-password'), 'utf8').trim();
  out.log('info', `Access the OpenShift web-console here: https://${host}`);
  out.log('info', `Login to the console with user: "kubeadmin", and password: "${password}"`);
}

/** Adds the CA of the routers to auth/kubeconfig. Every run adds the CA again, as the real program does. */
async function addIngressAuthority(dir: string, api: ApiClient, out: InstallerLog): Promise<void> {
  const configMap = await getOrNull(api, '/api/v1/namespaces/openshift-config-managed/configmaps/default-ingress-cert');
  const bundle = getString(configMap, 'data', 'ca-bundle.crt');
  if (bundle === '') {
    failInitialization(
      out,
      'error getting configmap openshift-config-managed/default-ingress-cert: configmaps "default-ingress-cert" not found',
    );
  }
  const path = join(dir, 'auth/kubeconfig');
  const document = parseDocument(readFileSync(path, 'utf8'));
  const certificatePath = ['clusters', 0, 'cluster', 'certificate-authority-data'];
  const existingBundle = Buffer.from(String(document.getIn(certificatePath)), 'base64').toString();
  document.setIn(certificatePath, Buffer.from(bundle + existingBundle).toString('base64'));
  writeFileSync(path, document.toString({ lineWidth: 0 }), { mode: 0o640 });
}

function failInitialization(out: InstallerLog, cause: string): never {
  out.log('error', 'Cluster initialization failed because one or more operators are not functioning properly.');
  out.log(
    'error',
    'The cluster should be accessible for troubleshooting as detailed in the documentation linked below,',
  );
  out.log(
    'error',
    'https://docs.openshift.com/container-platform/latest/support/troubleshooting/troubleshooting-installations.html',
  );
  out.log('error', "The 'wait-for install-complete' subcommand can then be used to continue the installation");
  throw new ExitError(cause, EXIT_CODE_INSTALL_FAILED);
}

/** Options of the `wait-for` commands. */
export interface WaitOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly resolveEndpoint: ResolveEndpoint;
  readonly release: ReleaseMetadata;
  readonly out: InstallerLog;
}

const CLUSTER_OPERATORS_PATH = '/apis/config.openshift.io/v1/clusteroperators';

/** Prints each operator condition that is not normal, as openshift-install does after a failed wait. */
async function printOperatorConditions(api: ApiClient, out: InstallerLog): Promise<void> {
  const normalStatuses: Readonly<Record<string, string>> = {
    Available: 'True',
    Progressing: 'False',
    Degraded: 'False',
  };
  for (const operator of getList(await getOrNull(api, CLUSTER_OPERATORS_PATH), 'items')) {
    const name = getString(operator, 'metadata', 'name');
    for (const condition of getList(operator, 'status', 'conditions')) {
      const [type = '', status, reason, message] = ['type', 'status', 'reason', 'message'].map((field) =>
        getString(condition, field),
      );
      if (normalStatuses[type] === undefined || normalStatuses[type] === status) continue;
      const line = `Cluster operator ${name} ${type} is ${status} with ${reason}: ${message}`;
      out.log(type === 'Degraded' ? 'error' : 'info', line);
    }
  }
}

/** Prints how to gather logs after a failed bootstrap. */
function printGatherHint(out: InstallerLog): void {
  out.log('info', 'Use the following commands to gather logs from the cluster');
  out.log('info', 'openshift-install gather bootstrap --help');
}

/**
 * Creates the API client from `<dir>/auth/kubeconfig`. Prints the first log lines of a wait before that.
 * @throws ExitError
 */
function createClient({ dir, resolveEndpoint, release, out }: WaitOptions): ApiClient {
  out.log('debug', `OpenShift Installer ${release.version}`);
  out.log('debug', 'Built from commit 694d083d3332bd5b892f0098a91be6c206b18fce');
  const path = join(dir, 'auth/kubeconfig');
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new ExitError(`loading kubeconfig: stat ${path}: no such file or directory`);
  }
  return createApiClient(text, path, resolveEndpoint);
}

/**
 * Prints the elapsed time, by stage and in total.
 * @param startedAt ms
 */
function printElapsedTime({ clock, out }: WaitOptions, stage: string, startedAt: number): void {
  const time = formatDuration(clock.now() - startedAt);
  out.log('debug', 'Time elapsed per stage:');
  out.log('debug', `${stage}: ${time}`);
  out.log('info', `Time elapsed: ${time}`);
}

/**
 * Prints `Waiting up to 20m0s (until 4:31AM UTC) for …`. 4.10 to 4.14 print no time zone, earlier releases no time.
 * @param timeoutMs ms
 */
function printWaitStart({ clock, release, out }: WaitOptions, timeoutMs: number, purpose: string): void {
  const end = new Date(clock.now() + timeoutMs);
  const hour = end.getUTCHours() % 12 || 12;
  const time = `${hour}:${String(end.getUTCMinutes()).padStart(2, '0')}${end.getUTCHours() < 12 ? 'AM' : 'PM'}`;
  const zone = isVersionAtLeast(release.version, '4.15') ? ' UTC' : '';
  const untilText = isVersionAtLeast(release.version, '4.10') ? ` (until ${time}${zone})` : '';
  out.log('info', `Waiting up to ${formatDuration(timeoutMs)}${untilText} ${purpose}...`);
}

/** Formats a duration as Go does, in whole seconds: `20m0s`, `5m19s`, `1h2m3s`. */
function formatDuration(ms: number): string {
  const totalSeconds = Math.round(ms / SECOND);
  const [totalMinutes, seconds] = [Math.floor(totalSeconds / 60), totalSeconds % 60];
  const [hours, minutes] = [Math.floor(totalMinutes / 60), totalMinutes % 60];
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}

/**
 * Polls until `isDone` holds (returns true) or the time is over (returns false).
 * @param timeoutMs ms of the clock
 * @param intervalMs ms of the clock between two calls
 */
async function pollUntil(
  clock: Clock,
  timeoutMs: number,
  intervalMs: number,
  isDone: () => Promise<boolean>,
): Promise<boolean> {
  const deadline = clock.now() + timeoutMs;
  for (;;) {
    if (await isDone()) return true;
    if (clock.now() >= deadline) return false;
    await clock.sleep(intervalMs);
  }
}

/** Returns the object, or null if it does not exist or the API is unavailable: the real program prints nothing then. */
async function getOrNull(api: ApiClient, path: string): Promise<Record<string, unknown> | null> {
  try {
    return await api.get(path);
  } catch {
    return null;
  }
}
