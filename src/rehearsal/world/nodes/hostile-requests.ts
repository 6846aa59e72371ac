import { WORKER_ROLES } from '../../../design/choices.ts';
import { nodesWithRole } from '../../../design/derived-facts.ts';
import { MINUTE } from '../../../platform/clock.ts';
import { createRequest } from '../../pki.ts';
import { deriveRandom, generateNameSuffix } from '../../site/seeded-random.ts';
import type { World } from '../world.ts';

const CSR_RESOURCE = 'certificatesigningrequests.certificates.k8s.io';
const NODE_BOOTSTRAPPER = 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper';
/** Delay after the end of the bootstrap, when the bootstrap node no longer approves every request. */
const SUBMIT_DELAY = 0.5 * MINUTE;

/**
 * Submits requests of an attacker on the machine network who fetched the worker configuration, and with it the shared
 * bootstrap credential (live-cluster.md §1.3). One names a node outside the design; one names a designed node, with
 * rights that no kubelet requests.
 */
export async function submitHostileRequests(world: World): Promise<void> {
  const { cluster, timers } = world.saved;
  if (!world.faults.has('hostile-csr') || !cluster?.bootstrapCompleteAt || timers['hostile requests'] !== undefined)
    return;
  const now = world.clock.now();
  if (now < cluster.bootstrapCompleteAt + SUBMIT_DELAY) return;
  timers['hostile requests'] = now;
  const targets = nodesWithRole(world.design, ...WORKER_ROLES);
  const target = targets[Math.floor(deriveRandom(world.seed, 'hostile') * targets.length)];
  const planned = `${target?.name ?? 'w1'}.${cluster.clusterDomain}`;
  const foreign = await createRequest({
    commonName: `system:node:build01.${cluster.clusterDomain}`,
    organization: 'system:nodes',
  });
  submitRequest(world, 1, foreign.requestPem, ['digital signature', 'client auth']);
  const privileged = await createRequest({
    commonName: `system:node:${planned}`,
    organization: ['system:nodes', 'system:masters'],
    dnsNames: [`api-int.${cluster.clusterDomain}`],
  });
  submitRequest(world, 2, privileged.requestPem, ['digital signature', 'client auth', 'server auth']);
  world.log('hostile certificate requests submitted');
  world.changed();
}

function submitRequest(world: World, number: number, requestPem: string, usages: readonly string[]): void {
  world.store.create(CSR_RESOURCE, {
    metadata: { name: `csr-${generateNameSuffix(world.seed, 5, 'hostile', number)}`, generateName: 'csr-' },
    spec: {
      request: Buffer.from(requestPem).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages,
      username: NODE_BOOTSTRAPPER,
      groups: [
        'system:serviceaccounts',
        'system:serviceaccounts:openshift-machine-config-operator',
        'system:authenticated',
      ],
    },
    status: {},
  });
}
