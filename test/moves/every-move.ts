import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { sightOf } from '../../src/cluster/infra/run.ts';
import type { Exchange } from '../../src/cluster/transport.ts';
import { carriedBy, type MoveName } from '../../src/moves/table.ts';
import { KINDS, type Kind } from '../../src/objects/kinds.ts';
import { listAt } from '../../src/objects/object.ts';
import { moves as words } from '../../src/text/en/moves/index.ts';
import { TroubleError } from '../../src/text/trouble.ts';
import { DOMAIN } from '../support/csr-forge.ts';
import { MOVES_ON_METAL } from '../support/infra-api.ts';
import { INFRA, type InfraWorld, infraWorld, LABEL } from '../support/infra-world.ts';

// Every move of the cluster's objects, in each version: fresh, refused, in conflict, half done, done; with what an owner had set
// and somebody else manages, with pods that find no node; and undone to what was there.

/** Pods that start anew after a move, by their names; of a move that is not here: its workloads'. Null: none does. */
const ROLLS: Readonly<Partial<Record<MoveName, string | null>>> = {
  'registry-storage': null,
  monitoring: 'prometheus-k8s|alertmanager-main',
  logging: 'elasticsearch|loki',
};
async function rollsOf({ cluster, design }: InfraWorld, name: MoveName): Promise<string | null> {
  const workloads = await carriedBy(name)?.workloads?.(sightOf(cluster), design);
  const own = workloads?.map((workload) => workload.name).join('|') ?? null;
  return name in ROLLS ? (ROLLS[name] ?? null) : own;
}
const OWN = { key: 'example.com/own', operator: 'Exists', effect: 'NoSchedule' };
const STORAGE_NODE = `s1.${DOMAIN}`;
const CONFIG = ['configmaps', 'openshift-monitoring', 'cluster-monitoring-config'] as const;
/** Users' projects are watched: 4.5 has a key of its own for it, which is unknown later. */
const watching = (version: string) =>
  minorOf(version) < 6 ? 'techPreviewUserWorkload: {enabled: true}' : 'enableUserWorkload: true';
const settingsOf = (version: string) => `# of the team
${watching(version)}   # since March
prometheusK8s:
    retention: 7d
    tolerations: [${JSON.stringify(OWN)}]
`;

const minorOf = (version: string) => {
  const [major = 4, minor = 0] = version.split('.').map(Number);
  return major === 4 ? minor : 23 + minor;
};
const isServed = (version: string, name: MoveName) => name !== 'network-diagnostics' || minorOf(version) >= 16;

/** A cluster with all that moves can move: logging and storage in the generation of its time. */
function worldOf(version: string, own: boolean): InfraWorld {
  const world = infraWorld(version);
  const placed = own ? { tolerations: [OWN], nodeSelector: { zone: 'a' } } : {};
  world.infra({
    also: ['network-diagnostics'],
    registry: { ...world.design.infra.registry, storage: 'pvc', storageClass: 'fast' },
  });
  world.add('configmaps', {
    metadata: { name: CONFIG[2], namespace: CONFIG[1] },
    data: { 'config.yaml': own ? settingsOf(version) : `${watching(version)}\n` },
  });
  const logging = { namespace: 'openshift-logging' };
  if (minorOf(version) < 16)
    world.add('clusterloggings.logging.openshift.io', {
      metadata: { name: 'instance', ...logging },
      spec: {
        managementState: 'Managed',
        collection: minorOf(version) < 11 ? { logs: { type: 'fluentd', fluentd: {} } } : { type: 'vector' },
        logStore: { type: 'elasticsearch', elasticsearch: { nodeCount: 3, ...placed } },
        visualization: { type: 'kibana', kibana: { replicas: 1 } },
      },
    });
  else {
    world.add('clusterlogforwarders.observability.openshift.io', {
      metadata: { name: 'collector', ...logging },
      spec: { serviceAccount: { name: 'collector' }, collector: own ? { tolerations: [OWN] } : {} },
    });
    world.add('lokistacks.loki.grafana.com', {
      metadata: { name: 'loki', ...logging },
      spec: {
        size: '1x.small',
        storageClassName: 'fast',
        storage: { secret: { name: 's3', type: 's3' } },
        template: { ingester: { replicas: 2, ...placed } },
      },
    });
  }
  world.add('nodes', {
    metadata: { name: STORAGE_NODE, labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/os': 'linux' } },
    spec: own ? { taints: [{ key: 'example.com/own', effect: 'PreferNoSchedule' }] } : {},
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  const storage = { namespace: 'openshift-storage' };
  if (minorOf(version) < 18)
    world.add('configmaps', {
      metadata: { name: 'rook-ceph-operator-config', ...storage },
      data: own ? { CSI_PLUGIN_TOLERATIONS: `# ours\n- ${JSON.stringify(OWN)}\n` } : {},
    });
  else
    world.add('drivers.csi.ceph.io', {
      metadata: { name: 'openshift-storage.rbd.csi.ceph.com', ...storage },
      spec: own ? { nodePlugin: { tolerations: [OWN] } } : {},
    });
  if (own) setOwn(world, version);
  world.tick(4);
  return world;
}

function setOwn({ change, add }: InfraWorld, version: string): void {
  change('ingresscontrollers.operator.openshift.io', 'openshift-ingress-operator', 'default', (one) => {
    one.spec = { replicas: 2, nodePlacement: { tolerations: [OWN] } };
  });
  change('dnses.operator.openshift.io', null, 'default', (one) => {
    one.spec = { nodePlacement: { tolerations: [{ operator: 'Exists', key: 'node-role.kubernetes.io/master' }, OWN] } };
  });
  change('configs.imageregistry.operator.openshift.io', null, 'cluster', (one) => {
    one.spec = { managementState: 'Managed', replicas: 1, storage: { emptyDir: {} }, tolerations: [OWN] };
  });
  change('imagepruners.imageregistry.operator.openshift.io', null, 'cluster', (one) => {
    one.spec = { nodeSelector: { zone: 'b' }, keepTagRevisions: 7 };
  });
  add('machineconfigpools.machineconfiguration.openshift.io', {
    metadata: { name: 'infra' },
    spec: {
      machineConfigSelector: {
        matchExpressions: [
          { key: 'machineconfiguration.openshift.io/role', operator: 'In', values: ['worker', 'infra', 'team'] },
        ],
      },
      nodeSelector: { matchExpressions: [{ key: LABEL, operator: 'Exists' }] },
      maxUnavailable: 2,
    },
  });
  if (minorOf(version) >= 16)
    change('networks.config.openshift.io', null, 'cluster', (one) => {
      one.spec = {
        ...(one.spec as object),
        networkDiagnostics: { mode: 'All', targetPlacement: { tolerations: [OWN] } },
      };
    });
}

const isWrite = ({ method, query }: Exchange) => method !== 'GET' && query?.dryRun === undefined;
const status = (code: number, reason: string, message: string) => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message },
});

/** The tests of one version of OpenShift (x.y.z). */
export function testEveryMove(version: string): void {
  describe(`in ${version}`, () => {
    const names = MOVES_ON_METAL.filter((name) => isServed(version, name));

    test('each move is refused, in conflict, half done and done; the second time writes nothing; all of it is undone', async () => {
      const world = worldOf(version, false);
      const before = new Map<MoveName, unknown>();
      for (const name of names) {
        before.set(name, world.contents());
        expect([name, (await world.look(name)).state]).toEqual([name, 'needed']);
        // A webhook says no, already to the dry run.
        world.instead = ({ method }) =>
          method === 'GET'
            ? null
            : status(403, 'Forbidden', 'admission webhook "policy.example.com" denied the request');
        const refused = await world.apply(name).catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(TroubleError);
        expect(String((refused as TroubleError).trouble.cause)).toContain('policy.example.com');
        expect([name, world.contents()]).toEqual([name, before.get(name)]);
        // Others write between each read and write; then they stop.
        let conflicts = 0;
        world.instead = (exchange) => {
          if (!isWrite(exchange) || conflicts === 3) return null;
          conflicts += 1;
          return status(409, exchange.method === 'POST' ? 'Conflict' : 'Conflict', 'the object has been modified');
        };
        // After its first write the connection is cut: half of it is done.
        const made = world.writes;
        const { instead } = world;
        world.instead = (exchange) =>
          isWrite(exchange) && world.writes > made ? status(403, 'Forbidden', 'cut') : instead(exchange);
        await world.apply(name).catch((error: unknown) => expect(error).toBeInstanceOf(TroubleError));
        expect([name, conflicts, world.writes - made]).toEqual([name, 3, 1]);
        world.instead = () => null;
        expect([name, await world.make(name)]).toEqual([name, expect.objectContaining({ state: 'done', changes: [] })]);
        const count = world.writes;
        await world.apply(name);
        expect([name, world.writes]).toEqual([name, count]);
      }
      for (const name of names) expect([name, (await world.look(name)).state]).toEqual([name, 'done']);
      for (const name of names.toReversed()) {
        expect([name, await world.undo(name)]).toEqual([name, []]);
        expect([name, world.contents()]).toEqual([name, before.get(name)]);
      }
    });

    test('what an owner set stays or comes back, who manages it is named, and a pod without a node is explained', async () => {
      const world = worldOf(version, true);
      const before = new Map<MoveName, unknown>();
      for (const name of names) {
        before.set(name, world.contents());
        const seen = await world.look(name);
        // The pool of the owner does.
        if (name === 'pool') {
          expect(seen.changes).toEqual([]);
          continue;
        }
        expect([name, seen.state]).toEqual([name, 'needed']);
        for (const { edited } of seen.changes) if (edited) manage(world, edited);
        const managed = await world.look(name);
        for (const { object, before: old, managers } of managed.changes)
          if (old !== null) expect([object, managers]).toEqual([object, [{ name: 'Argo CD', isGitOps: true }]]);
        before.set(name, world.contents());
        const roll = await rollsOf(world, name);
        if (roll !== null) setTaint(world, [{ key: 'example.com/else', value: 'x', effect: 'NoSchedule' }]);
        await world.apply(name);
        if (roll !== null) {
          world.tick(3);
          const waiting = await world.look(name);
          expect([name, waiting.state]).toEqual([name, 'moving']);
          expect(waiting.why).toMatch(
            new RegExp(`(?:${roll})\\S* waits: .*untolerated taint \\{example.com/else: x\\}`),
          );
          if (name !== 'logging') expect(waiting.why).toContain(words.why.hints.taint);
          setTaint(world, []);
        }
        expect([name, await world.settle(name)]).toEqual([name, expect.objectContaining({ state: 'done' })]);
      }
      const config = world.store.get(...CONFIG)?.data as Record<string, string>;
      expect(config['config.yaml']).toContain('# since March');
      expect(parse(config['config.yaml'] ?? '').prometheusK8s).toMatchObject({
        retention: '7d',
        tolerations: expect.arrayContaining([OWN]),
      });
      const routers = world.store.get(
        'ingresscontrollers.operator.openshift.io',
        'openshift-ingress-operator',
        'default',
      );
      expect(listAt(routers?.spec, 'nodePlacement', 'tolerations')).toContainEqual(OWN);
      for (const name of names.toReversed()) {
        expect([name, await world.undo(name)]).toEqual([name, []]);
        expect([name, world.contents()]).toEqual([name, before.get(name)]);
      }
    });
  });
}

/** Argo CD tracks the object, as it does by its annotation. */
function manage(
  world: InfraWorld,
  { kind, name, namespace }: { kind: Kind; name: string; namespace: string | null },
): void {
  const { plural, group } = KINDS[kind];
  const resource = group === '' ? plural : `${plural}.${group}`;
  if (world.store.get(resource, namespace, name) === undefined) return;
  world.change(resource, namespace, name, (one) => {
    one.metadata.annotations = { ...one.metadata.annotations, 'argocd.argoproj.io/tracking-id': 'infra' };
  });
}

function setTaint(world: InfraWorld, taints: readonly object[]): void {
  for (const name of INFRA)
    world.change('nodes', null, name, (one) => {
      const { taints: _old, ...spec } = one.spec as { taints?: unknown };
      one.spec = taints.length === 0 ? spec : { ...spec, taints };
    });
}
