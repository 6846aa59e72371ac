import type { ReadResult, RuntimeSetting, UpdateEvidence } from '../../checks/update.ts';
import { listReleaseMirrors } from '../../design/derived-facts.ts';
import { getVersionProfile } from '../../design/versions.ts';
import { toUserError } from '../../i18n/user-error.ts';
import type { Cluster } from '../../kube/api.ts';
import { isClusterError } from '../../kube/errors.ts';
import type { ClusterSnapshot } from '../../kube/snapshot.ts';
import { parseRemovedApi, type RemovedApi } from '../../openshift/api-usage.ts';
import type { Kind } from '../../openshift/kinds.ts';
import { getList, getString, type KubeObject } from '../../openshift/object.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { createProbes } from '../check/index.ts';
import { findDefaultRuntime } from './container-runtime.ts';
import type { ReportSource } from './observations.ts';

/**
 * Reads the facts that may prevent the next update of a cluster. Each part is read separately, so that a forbidden or
 * missing part does not hide the others. Null without a connection, or while the API reports no version.
 */
export async function gatherUpdateEvidence(
  source: ReportSource,
  snapshot: ClusterSnapshot | null,
  cluster: Cluster | null,
): Promise<UpdateEvidence | null> {
  const version = snapshot?.clusterVersion?.version;
  if (cluster === null || snapshot === null || version == null) return null;
  const get = (kind: Kind, name: string, namespace?: string) => tryRead(() => cluster.get(kind, name, namespace));
  const poolsRead = tryRead(() => cluster.list('MachineConfigPool'));
  const [
    pools,
    runtimes,
    clusterVersion,
    infrastructure,
    machineConfiguration,
    featureGate,
    adminGates,
    adminAcks,
    removedApis,
    mirrors,
  ] = await Promise.all([
    poolsRead,
    poolsRead.then((read) => ('value' in read ? tryRead(() => listRuntimes(cluster, read.value)) : read)),
    get('ClusterVersion', 'version'),
    get('Infrastructure', 'cluster'),
    get('MachineConfiguration', 'cluster'),
    get('FeatureGate', 'cluster'),
    get('ConfigMap', 'admin-gates', 'openshift-config-managed'),
    get('ConfigMap', 'admin-acks', 'openshift-config'),
    tryRead(() => listRemovedApis(cluster, snapshot.api.gitVersion)),
    tryRead(() => probeMirrors(source)),
  ]);
  const operators =
    snapshot.operators === null
      ? { readError: sanitizeLine(snapshot.userErrors.operators?.title ?? 'ClusterOperator') }
      : { value: snapshot.operators };
  return {
    ...{ version, operators, pools, runtimes, clusterVersion, infrastructure, machineConfiguration },
    ...{ featureGate, adminGates, adminAcks, removedApis, mirrors },
  };
}

/** Reads a part; an error becomes the reason why it is not known. */
async function tryRead<T>(read: () => Promise<T>): Promise<ReadResult<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    const { title, cause } = toUserError(error);
    return { readError: sanitizeLine(cause === '' ? title : `${title}: ${cause}`) };
  }
}

/**
 * Lists the APIs that the next minor version of Kubernetes does not have and that were requested in the last 24 hours.
 * The list is requested as table rows: the full objects name every user of every hour, tens of megabytes in all.
 * @param gitVersion `v1.35.2`
 */
async function listRemovedApis(cluster: Cluster, gitVersion: string | null): Promise<RemovedApi[]> {
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(gitVersion ?? '') ?? [];
  const isRemoved = (version: unknown) => {
    const [, removedMajor, removedMinor] = /^(\d+)\.(\d+)$/.exec(`${version}`) ?? [];
    return removedMajor === major && Number(removedMinor) <= Number(minor) + 1;
  };
  const rows = await cluster.listRows('APIRequestCount');
  const usedRows = rows.filter(
    ({ cells }) => isRemoved(cells.get('RemovedInRelease')) && cells.get('RequestsInLast24h') !== 0,
  );
  const usageObjects = await Promise.all(usedRows.map(({ name }) => cluster.get('APIRequestCount', name)));
  return usageObjects.flatMap((object) => (object === null ? [] : parseRemovedApi(object)));
}

/**
 * MachineConfigs that the release itself provides (machine-config-operator, templates): they set its default runtime.
 */
const RELEASE_CONFIG = /^0[01]-(?:master|arbiter|worker)(?:-container-runtime|-kubelet)?$/;

/** Lists the objects that may set the container runtime: ContainerRuntimeConfigs and MachineConfigs of the pools. */
async function listRuntimes(cluster: Cluster, pools: readonly KubeObject[]): Promise<RuntimeSetting[]> {
  const settings = await cluster.list('ContainerRuntimeConfig').catch((error: unknown) => {
    if (isClusterError(error, 'absent')) return [];
    throw error;
  });
  const sources = pools.flatMap((pool) =>
    getList(pool.status, 'configuration', 'source').flatMap((entry) => getString(entry, 'name') ?? []),
  );
  const names = [...new Set(sources)].filter((name) => !RELEASE_CONFIG.test(name));
  const configs = await Promise.all(names.map((name) => cluster.get('MachineConfig', name)));
  return [...settings, ...configs.flatMap((config) => config ?? [])].map((object) => ({
    kind: object.kind,
    name: object.metadata.name,
    runtime: findDefaultRuntime(object),
  }));
}

/** Queries the mirrors of the release, if the design has any, for the running release and its signature. */
async function probeMirrors({ design, session }: ReportSource) {
  const mirrors = listReleaseMirrors(design, getVersionProfile(design.openshift.version).product);
  if (session === null || mirrors.length === 0) return [];
  const { registry } = createProbes(session.context);
  return await Promise.all(
    mirrors.map(async (name) => {
      const [host = '', ...path] = name.split('/');
      return { name, answer: await registry({ registry: host, repository: path.join('/') }) };
    }),
  );
}
