import { MINUTE, SECOND } from '../../../platform/clock.ts';
import { getString } from '../../api/objects.ts';
import { listMachines } from '../cloud/machines.ts';
import type { World } from '../world.ts';
import { createMachineNetwork } from './network.ts';

const CHECK_INTERVAL = 20 * SECOND;
/**
 * Delay from the first failed check until the canary is failing. The real ingress operator reports five failed checks,
 * a minute apart.
 */
const FAILURE_DELAY = 3 * MINUTE;

/** Canary of the ingress operator: checks from inside the cluster whether users reach a route by its name. */
export interface Canary {
  /** Starts a check if one is due. */
  checkIfDue(): void;
  /** True if the last check reached the routes. */
  isReachable(): boolean;
  /** True if the checks have failed for at least `FAILURE_DELAY`. */
  isFailing(): boolean;
  /** Message of the last failure. */
  getLastError(): string;
}

/**
 * True if the request goes to the cluster's proxy, which cannot reach internal names (fault `proxy-without-no-proxy`).
 * An entry of noProxy covers its own name and all names below it, with or without a leading dot, as the cluster's
 * programs read it.
 */
function usesProxy({ store, faults }: World, host: string): boolean {
  const proxy = store.get('proxies.config.openshift.io', null, 'cluster');
  if (!faults.has('proxy-without-no-proxy') || getString(proxy, 'spec', 'httpsProxy') === '') return false;
  const noProxyEntries = getString(proxy, 'spec', 'noProxy').split(',');
  return !noProxyEntries.some((entry) => {
    const name = entry.trim().replace(/^\*?\./, '');
    return name === '*' || (name !== '' && (host === name || host.endsWith(`.${name}`)));
  });
}

/** Creates the canary. It probes from the first node that has joined. */
export function createCanary(world: World): Canary {
  let isChecking = false;
  let lastCheckAt = Number.NEGATIVE_INFINITY;
  let isLastCheckOk = false;
  let failingSince: number | null = null;
  let lastError = '';

  async function runCheck(): Promise<void> {
    const { cluster } = world.saved;
    const node = listMachines(world).find(({ stage, lease }) => stage === 'joined' && lease !== null);
    if (!cluster || !node?.lease) return;
    const url = `https://canary-openshift-ingress-canary.apps.${cluster.clusterDomain}/healthz`;
    const { problem, status } = usesProxy(world, new URL(url).hostname)
      ? { problem: `Get "${url}": Service Unavailable`, status: null }
      : await createMachineNetwork(world, node.lease).fetch(url, cluster.ingressAuthority.certPem);
    isLastCheckOk = problem === null;
    if (problem === null) failingSince = null;
    else {
      failingSince ??= world.clock.now();
      lastError = status === null ? problem : `unexpected status ${status}`;
    }
  }

  return {
    checkIfDue() {
      if (isChecking || world.clock.now() < lastCheckAt + CHECK_INTERVAL) return;
      isChecking = true;
      lastCheckAt = world.clock.now();
      runCheck()
        .catch((failure: Error) => world.log(`canary: ${failure.message}`))
        .finally(() => {
          isChecking = false;
        });
    },
    isReachable: () => isLastCheckOk,
    isFailing: () => failingSince !== null && world.clock.now() >= failingSince + FAILURE_DELAY,
    getLastError: () => lastError,
  };
}
