import { UserErrorException } from '../../i18n/user-error.ts';
import type { Cluster } from '../../kube/api.ts';
import type { Kind } from '../../openshift/kinds.ts';
import { getList, getString, type KubeObject } from '../../openshift/object.ts';
import { findUnhealthy, type UnhealthyObject } from '../../openshift/operator.ts';

const MAX_OBJECTS = 500;
/**
 * Kinds whose objects report their own problems. A version that lacks one of them returns an error, which is ignored.
 */
const SELF_REPORTING_KINDS = [
  'MachineConfigPool',
  'APIService',
  'Namespace',
  'ClusterVersion',
] as const satisfies readonly Kind[];
const WEBHOOK_KINDS = [
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
] as const satisfies readonly Kind[];

/** Finds the unhealthy objects of the cluster. Unreadable ones are left out. */
export async function findUnhealthyObjects(cluster: Pick<Cluster, 'list' | 'get'> | null): Promise<UnhealthyObject[]> {
  if (cluster === null) return [];
  const [reported, hooks] = await Promise.all([
    Promise.all(
      SELF_REPORTING_KINDS.map(async (kind) =>
        (await tryList(cluster, kind)).flatMap((object) => findUnhealthy(object) ?? []),
      ),
    ),
    findUnservedWebhooks(cluster),
  ]);
  return [...reported.flat(), ...hooks];
}

async function tryList(cluster: Pick<Cluster, 'list'>, kind: Kind): Promise<KubeObject[]> {
  try {
    return await cluster.list(kind, { limit: MAX_OBJECTS });
  } catch (error) {
    if (error instanceof UserErrorException) return [];
    throw error;
  }
}

/**
 * Finds the webhooks that refuse requests they cannot review (failurePolicy Fail) and whose service has no endpoints.
 */
async function findUnservedWebhooks(cluster: Pick<Cluster, 'list' | 'get'>): Promise<UnhealthyObject[]> {
  const configs = (await Promise.all(WEBHOOK_KINDS.map((kind) => tryList(cluster, kind)))).flat();
  const needed = configs.flatMap((config) =>
    getList(config, 'webhooks').flatMap((hook) => {
      const [namespace, name] = [getString(hook, 'clientConfig', 'service', 'namespace'), getServiceName(hook)];
      const isStrict = getString(hook, 'failurePolicy') === 'Fail';
      return isStrict && namespace !== null && name !== null ? [{ config: config.metadata.name, namespace, name }] : [];
    }),
  );
  const services = new Map(needed.map((each) => [`${each.namespace}/${each.name}`, each]));
  const unserved = await Promise.all(
    [...services].map(async ([key, { namespace, name }]) => ((await isServed(cluster, namespace, name)) ? [] : [key])),
  );
  const unservedKeys = new Set(unserved.flat());
  const found = needed
    .filter(({ namespace, name }) => unservedKeys.has(`${namespace}/${name}`))
    .map(({ config, namespace, name }): [string, UnhealthyObject] => {
      const message = `failurePolicy Fail, Service ${namespace}/${name}: no endpoints`;
      return [`${config} ${message}`, { kind: 'Webhook', name: config, message, since: null }];
    });
  return [...new Map(found).values()];
}

const getServiceName = (hook: unknown) => getString(hook, 'clientConfig', 'service', 'name');

/** Whether a service has endpoints; true also if that is not known. */
async function isServed(cluster: Pick<Cluster, 'get'>, namespace: string, name: string): Promise<boolean> {
  try {
    const endpoints = await cluster.get('Endpoints', name, namespace);
    return getList(endpoints, 'subsets').some((subset) => getList(subset, 'addresses').length > 0);
  } catch (error) {
    if (error instanceof UserErrorException || error instanceof RangeError) return true;
    throw error;
  }
}
