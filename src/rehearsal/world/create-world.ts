import type { RequestListener } from 'node:http';
import { SECOND } from '../../ports/clock.ts';
import { startCleaner } from '../api/cleaner.ts';
import { endNamespaces } from '../api/namespaces.ts';
import { createApiHandler } from '../api/server.ts';
import { startSigner } from '../api/signer.ts';
import { startWire } from '../hosts/wire.ts';
import type { CertificateAuthority } from '../pki.ts';
import { reconcileMachines } from './cloud/machines.ts';
import { createCloudServices } from './cloud/services.ts';
import { type Inside, insideOf } from './machines/inside.ts';
import { createMachine, type Machine } from './machines/machine.ts';
import { createEndpoints } from './network/endpoints.ts';
import { arpTable, foreignOffer, startStranger } from './network/neighbours.ts';
import { authenticateByCertificate, openPorts } from './network/ports.ts';
import { submitHostileRequests } from './nodes/hostile.ts';
import { watchNodes } from './nodes/lifecycle.ts';
import { watchBootstrap } from './operators/bootstrap-progress.ts';
import { createOperators } from './operators/controller.ts';
import { newMachine } from './saved.ts';
import { reportApiServices, startApprover } from './troubles/controllers.ts';
import { strikeTroubles } from './troubles/index.ts';
import { reconcileWorkloads } from './workloads/controller.ts';
import type { World } from './world.ts';

/** The machines and the cluster, running. */
export interface RunningWorld {
  readonly machines: ReadonlyMap<string, Machine>;
  isApiUp(): boolean;
  /** What is seen over SSH at an address; null: nobody is let in there. */
  inside(address: string): Inside | null;
  /** /proc/net/arp of the bastion. */
  arpTable(): string;
  stop(): void;
}

/** How often controllers look, on the site's clock and (so that a fast site does not spin) on the machine's. */
const LOOK_EVERY = 3 * SECOND;
const LEAST_REAL_MS = 50;
const API_PORT = 6443;

/** Brings the saved world to life and lets it run. */
export function runWorld(world: World, speed: () => number): RunningWorld {
  const machines = new Map<string, Machine>();
  for (const [name, hardware] of world.hardware) {
    const state = world.saved.machines[name] ?? newMachine(hardware, world.clock.now());
    world.saved.machines[name] = state;
    machines.set(name, createMachine(world, hardware, state));
  }
  const endpoints = createEndpoints(world);
  const stranger = startStranger(world);
  const wire = startWire({
    ...world,
    hosts: world.cloud === null ? world.hosts.all : [],
    dhcp: world.hosts.dhcp,
    foreign: () => {
      const lease = foreignOffer(world);
      return lease === null ? null : { lease, server: lease.routers[0] ?? '' };
    },
  });
  const stopApprover = startApprover(world);
  const operators = createOperators(world);
  const cloud = world.cloud === null ? null : createCloudServices(world);
  const handler = createApiHandler({
    store: world.store,
    clock: world.clock,
    gitVersion: world.release.kubernetes,
    authenticate: authenticateByCertificate,
    isReady: () => world.saved.cluster !== null,
  }) as RequestListener;
  let signer: { readonly authority: CertificateAuthority; readonly stop: () => void } | null = null;
  let stopCleaner: (() => void) | null = null;

  async function look(): Promise<void> {
    const { cluster } = world.saved;
    if (cluster !== null) {
      if (signer?.authority !== cluster.kubeletSigner) {
        signer?.stop();
        const authority = cluster.kubeletSigner;
        signer = { authority, stop: startSigner({ store: world.store, clock: world.clock, authority }) };
      }
      stopCleaner ??= startCleaner({ store: world.store, clock: world.clock });
      watchBootstrap(world);
      watchNodes(world);
      strikeTroubles(world, machines);
      reportApiServices(world);
      endNamespaces(world.store, world.clock.now());
      if (cloud !== null) reconcileMachines({ ...world, domain: cluster.clusterDomain });
      reconcileWorkloads(world);
      operators.look();
      await submitHostileRequests(world);
    }
    const open = openPorts(world, handler);
    endpoints.apply(open);
    await cloud?.apply(open);
  }

  async function run(): Promise<void> {
    while (!world.signal.aborted) {
      await look().catch((error: Error) => world.log(`controller: ${error.stack ?? error.message}`));
      await world.clock.sleep(Math.max(LOOK_EVERY, LEAST_REAL_MS * speed()), world.signal).catch(() => undefined);
    }
  }

  for (const machine of machines.values()) machine.resume();
  run().catch((error: Error) => world.log(`controllers ended: ${error.message}`));
  return {
    machines,
    inside: (address) => insideOf(world, address),
    arpTable: () => arpTable(world),
    isApiUp: () => endpoints.isOpen(API_PORT),
    stop() {
      signer?.stop();
      stopCleaner?.();
      stopApprover();
      endpoints.stop();
      cloud?.stop().catch((error: Error) => world.log(`the cloud: ${error.message}`));
      stranger.stop();
      wire.then((each) => each.stop()).catch((error: Error) => world.log(`the wire: ${error.message}`));
    },
  };
}
