import type { Cluster } from '../../cluster/api.ts';
import type { Kind } from '../../objects/kinds.ts';
import { type KubeObject, listAt, textAt } from '../../objects/object.ts';
import { type Unwell, unwellOf } from '../../objects/unwell.ts';
import { TroubleError } from '../../text/trouble.ts';

const MOST = 500;
/** Kinds whose objects say themselves when they are not well; a version that has one of them not is asked in vain. */
const KINDS = ['MachineConfigPool', 'APIService', 'Namespace', 'ClusterVersion'] as const satisfies readonly Kind[];
const HOOKS = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const satisfies readonly Kind[];

/** The objects of the cluster that are not well. What cannot be read is left out. */
export async function unwellIn(cluster: Pick<Cluster, 'list' | 'get'> | null): Promise<Unwell[]> {
  if (cluster === null) return [];
  const [told, hooks] = await Promise.all([
    Promise.all(KINDS.map(async (kind) => (await listed(cluster, kind)).flatMap((object) => unwellOf(object) ?? []))),
    unservedHooks(cluster),
  ]);
  return [...told.flat(), ...hooks];
}

async function listed(cluster: Pick<Cluster, 'list'>, kind: Kind): Promise<KubeObject[]> {
  try {
    return await cluster.list(kind, { limit: MOST });
  } catch (error) {
    if (error instanceof TroubleError) return [];
    throw error;
  }
}

/** Webhooks that refuse what they cannot judge (failurePolicy Fail), and whose service nobody serves. */
async function unservedHooks(cluster: Pick<Cluster, 'list' | 'get'>): Promise<Unwell[]> {
  const configs = (await Promise.all(HOOKS.map((kind) => listed(cluster, kind)))).flat();
  const needed = configs.flatMap((config) =>
    listAt(config, 'webhooks').flatMap((hook) => {
      const [namespace, name] = [textAt(hook, 'clientConfig', 'service', 'namespace'), serviceOf(hook)];
      const isStrict = textAt(hook, 'failurePolicy') === 'Fail';
      return isStrict && namespace !== null && name !== null ? [{ config: config.metadata.name, namespace, name }] : [];
    }),
  );
  const services = new Map(needed.map((each) => [`${each.namespace}/${each.name}`, each]));
  const unserved = await Promise.all(
    [...services].map(async ([key, { namespace, name }]) => ((await isServed(cluster, namespace, name)) ? [] : [key])),
  );
  const silent = new Set(unserved.flat());
  const found = needed
    .filter(({ namespace, name }) => silent.has(`${namespace}/${name}`))
    .map(({ config, namespace, name }): [string, Unwell] => {
      const message = `failurePolicy Fail, Service ${namespace}/${name}: no endpoints`;
      return [`${config} ${message}`, { kind: 'Webhook', name: config, message, since: null }];
    });
  return [...new Map(found).values()];
}

const serviceOf = (hook: unknown) => textAt(hook, 'clientConfig', 'service', 'name');

/** True also where nobody can say. */
async function isServed(cluster: Pick<Cluster, 'get'>, namespace: string, name: string): Promise<boolean> {
  try {
    const endpoints = await cluster.get('Endpoints', name, namespace);
    return listAt(endpoints, 'subsets').some((subset) => listAt(subset, 'addresses').length > 0);
  } catch (error) {
    if (error instanceof TroubleError || error instanceof RangeError) return true;
    throw error;
  }
}
