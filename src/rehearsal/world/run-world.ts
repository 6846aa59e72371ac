import type { RequestListener } from 'node:http';
import { SECOND } from '../../platform/clock.ts';
import { startCsrCleaner, startCsrSigner } from '../api/csr.ts';
import { createExecHandler } from '../api/exec.ts';
import { finalizeNamespaces } from '../api/namespace-deletion.ts';
import { createApiHandler } from '../api/server.ts';
import { startNetworkServices } from '../hosts/service-hosts.ts';
import type { CertificateAuthority } from '../pki.ts';
import { createCloudServices } from './cloud/cloud-cluster.ts';
import { reconcileMachines } from './cloud/machines.ts';
import { applyClusterFaults, startCsrApprover, updateApiServiceStatuses } from './faults.ts';
import { createMachine, type Machine, readMachineReport } from './machines/machine.ts';
import { createBmcPorts, createEndpointServers } from './network/endpoints.ts';
import { buildForeignOffer, formatArpTable, listUnassignedAddresses, startDuplicateHost } from './network/network.ts';
import { isAdministrator, listOpenPorts } from './network/ports.ts';
import { reconcileNodes, submitHostileCsrs } from './nodes/node.ts';
import { advanceBootstrap } from './operators/cluster-version.ts';
import { createOperatorController } from './operators/controller.ts';
import { createEtcdCommandRunner, reconcileEtcd } from './operators/etcd.ts';
import { createMachineState } from './saved-world.ts';
import { reconcileWorkloads } from './workloads/controller.ts';
import type { World } from './world.ts';

/** Interval of the controllers on the site's clock, and its minimum in real time, so that a fast site does not spin. */
const RECONCILE_INTERVAL = 3 * SECOND;
const MIN_REAL_INTERVAL_MS = 50;
const API_PORT = 6443;

/**
 * Starts the machines and controllers of the saved world.
 * @param getSpeed returns the speed of the site's clock relative to real time
 * @param onAddressesChanged called when an address is used first, or the set of addresses that no machine holds changes
 */
export function runWorld(world: World, getSpeed: () => number, onAddressesChanged: () => void) {
  const machines = new Map<string, Machine>();
  for (const [name, hardware] of world.hardware) {
    const state = world.saved.machines[name] ?? createMachineState(hardware, world.clock.now());
    world.saved.machines[name] = state;
    machines.set(name, createMachine(world, hardware, state));
  }
  const endpoints = createEndpointServers(world);
  const bmcPorts = createBmcPorts(world.design);
  const duplicateHost = startDuplicateHost(world);
  const networkServicesPromise = startNetworkServices({
    ...world,
    hosts: world.cloud === null ? world.hosts.designHosts : [],
    dhcp: world.hosts.dhcp,
    getForeignOffer: () => {
      const lease = buildForeignOffer(world);
      return lease === null ? null : { lease, server: lease.routers[0] ?? '' };
    },
  });
  const stopApprover = startCsrApprover(world);
  const operators = createOperatorController(world);
  const cloudServices = world.cloud === null ? null : createCloudServices(world);
  const apiHandler = createApiHandler({
    store: world.store,
    clock: world.clock,
    gitVersion: world.release.kubernetesVersion,
    isAdministrator,
    isReady: () => world.saved.cluster !== null,
  }) as RequestListener;
  const onUpgrade = createExecHandler({ store: world.store, isAdministrator, run: createEtcdCommandRunner(world) });
  let signer: { readonly authority: CertificateAuthority; readonly stop: () => void } | null = null;
  let stopCleaner: (() => void) | null = null;
  let mappedAddressCount = 0;

  async function reconcile(): Promise<void> {
    const { cluster } = world.saved;
    if (cluster !== null) {
      if (signer?.authority !== cluster.kubeletSigner) {
        signer?.stop();
        const authority = cluster.kubeletSigner;
        signer = { authority, stop: startCsrSigner({ store: world.store, clock: world.clock, authority }) };
      }
      stopCleaner ??= startCsrCleaner({ store: world.store, clock: world.clock });
      advanceBootstrap(world);
      reconcileNodes(world);
      applyClusterFaults(world, machines);
      reconcileEtcd(world);
      updateApiServiceStatuses(world);
      finalizeNamespaces(world.store, world.clock.now());
      if (cloudServices !== null) reconcileMachines({ ...world, domain: cluster.clusterDomain });
      reconcileWorkloads(world);
      operators.reconcile();
      await submitHostileCsrs(world);
    }
    const hasChanged = world.addresses.setUnassignedAddresses(listUnassignedAddresses(world));
    const addressCount = Object.keys(world.addresses.getLoopbackByAddress()).length;
    if (hasChanged || addressCount !== mappedAddressCount) onAddressesChanged();
    mappedAddressCount = addressCount;
    const openPorts = [...listOpenPorts(world, apiHandler, onUpgrade), ...(await bmcPorts)];
    endpoints.apply(openPorts);
    await cloudServices?.apply(openPorts);
  }

  async function runControllers(): Promise<void> {
    while (!world.signal.aborted) {
      await reconcile().catch((error: Error) => world.log(`controller: ${error.stack ?? error.message}`));
      await world.clock
        .sleep(Math.max(RECONCILE_INTERVAL, MIN_REAL_INTERVAL_MS * getSpeed()), world.signal)
        .catch(() => undefined);
    }
  }

  for (const machine of machines.values()) machine.resume();
  runControllers().catch((error: Error) => world.log(`controllers ended: ${error.message}`));
  return {
    machines: machines as ReadonlyMap<string, Machine>,
    readMachineReport: (address: string) => readMachineReport(world, address),
    /** Formats /proc/net/arp of the bastion. */
    formatArpTable: () => formatArpTable(world),
    isApiUp: () => endpoints.isPortOpen(API_PORT),
    stop() {
      signer?.stop();
      stopCleaner?.();
      stopApprover();
      endpoints.stop();
      cloudServices?.stop().catch((error: Error) => world.log(`the cloud: ${error.message}`));
      duplicateHost.stop();
      networkServicesPromise
        .then((networkServices) => networkServices.stop())
        .catch((error: Error) => world.log(`the network: ${error.message}`));
    },
  };
}
