import { MINUTE, SECOND } from '../../../ports/clock.ts';
import { textAt } from '../../api/objects.ts';
import { allMachines } from '../cloud/instances.ts';
import type { World } from '../world.ts';
import { machineNetwork } from './network.ts';

const CHECK_EVERY = 20 * SECOND;
/** The ingress operator complains after five failures a minute apart; one look less often asked comes to the same. */
const PATIENCE = 3 * MINUTE;

/** What the ingress operator's canary sees: whether a route can be reached from inside, by its name, as users reach it. */
export interface Canary {
  /** Starts a check when one is due. */
  look(): void;
  /** The routes answer now. */
  isReachable(): boolean;
  /** They have not answered for so long that it is a fault. */
  isFailing(): boolean;
  /** The words of the last failure. */
  error(): string;
}

/**
 * Whether the request goes to the proxy of the cluster, and that proxy does not know the inside. As the cluster's own programs
 * read it: names in noProxy stand for themselves and, with or without a dot before them, for what is below them.
 */
function isBehindProxy({ store, faults }: World, host: string): boolean {
  const proxy = store.get('proxies.config.openshift.io', null, 'cluster');
  if (!faults.has('proxy-without-no-proxy') || textAt(proxy, 'spec', 'httpsProxy') === '') return false;
  const direct = textAt(proxy, 'spec', 'noProxy').split(',');
  return !direct.some((entry) => {
    const name = entry.trim().replace(/^\*?\./, '');
    return name === '*' || (name !== '' && (host === name || host.endsWith(`.${name}`)));
  });
}

export function createCanary(world: World): Canary {
  let isBusy = false;
  let lastAt = Number.NEGATIVE_INFINITY;
  let isOk = false;
  let failingSince: number | null = null;
  let error = '';

  async function check(): Promise<void> {
    const { cluster } = world.saved;
    const node = allMachines(world).find(({ stage, lease }) => stage === 'joined' && lease !== null);
    if (!cluster || !node?.lease) return;
    const url = `https://canary-openshift-ingress-canary.apps.${cluster.clusterDomain}/healthz`;
    const found = isBehindProxy(world, new URL(url).hostname)
      ? new Error(`Get "${url}": Service Unavailable`)
      : await machineNetwork(world, node.lease)
          .fetch(url, cluster.ingressAuthority.certPem)
          .catch((failure: Error) => failure);
    isOk = !(found instanceof Error) && found.status === 200;
    if (isOk) failingSince = null;
    else {
      failingSince ??= world.clock.now();
      error = found instanceof Error ? found.message : `unexpected status ${found.status}`;
    }
  }

  return {
    look() {
      if (isBusy || world.clock.now() < lastAt + CHECK_EVERY) return;
      isBusy = true;
      lastAt = world.clock.now();
      check()
        .catch((failure: Error) => world.log(`canary: ${failure.message}`))
        .finally(() => {
          isBusy = false;
        });
    },
    isReachable: () => isOk,
    isFailing: () => failingSince !== null && world.clock.now() >= failingSince + PATIENCE,
    error: () => error,
  };
}
