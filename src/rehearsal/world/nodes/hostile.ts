import { WORKER_ROLES } from '../../../design/model.ts';
import { nodesWithRole } from '../../../design/names.ts';
import { MINUTE } from '../../../ports/clock.ts';
import { createRequest } from '../../pki.ts';
import { chance, nameSuffix } from '../../site/random.ts';
import type { World } from '../world.ts';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
const BOOTSTRAPPER = 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper';
/** After the bootstrap node has stopped approving everything. */
const DELAY = 0.5 * MINUTE;

/**
 * Somebody on the machine network has fetched the worker configuration and with it the shared bootstrap credential
 * (live-cluster.md §1.3). They ask in the name of a node outside the design, and of a designed node in ways that no kubelet does.
 */
export async function submitHostileRequests(world: World): Promise<void> {
  const { cluster, timers } = world.saved;
  if (!world.faults.has('hostile-csr') || !cluster?.bootstrapCompleteAt || timers['hostile requests'] !== undefined)
    return;
  const now = world.clock.now();
  if (now < cluster.bootstrapCompleteAt + DELAY) return;
  timers['hostile requests'] = now;
  const targets = nodesWithRole(world.design, ...WORKER_ROLES);
  const target = targets[Math.floor(chance(world.seed, 'hostile') * targets.length)];
  const planned = `${target?.name ?? 'w1'}.${cluster.clusterDomain}`;
  const unknown = await createRequest({
    commonName: `system:node:build01.${cluster.clusterDomain}`,
    organization: 'system:nodes',
  });
  submit(world, 1, unknown.requestPem, ['digital signature', 'client auth']);
  const widened = await createRequest({
    commonName: `system:node:${planned}`,
    organization: ['system:nodes', 'system:masters'],
    dnsNames: [`api-int.${cluster.clusterDomain}`],
  });
  submit(world, 2, widened.requestPem, ['digital signature', 'client auth', 'server auth']);
  world.log('hostile certificate requests submitted');
  world.changed();
}

function submit(world: World, number: number, requestPem: string, usages: readonly string[]): void {
  world.store.create(REQUESTS, {
    metadata: { name: `csr-${nameSuffix(world.seed, 5, 'hostile', number)}`, generateName: 'csr-' },
    spec: {
      request: Buffer.from(requestPem).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages,
      username: BOOTSTRAPPER,
      groups: [
        'system:serviceaccounts',
        'system:serviceaccounts:openshift-machine-config-operator',
        'system:authenticated',
      ],
    },
    status: {},
  });
}
