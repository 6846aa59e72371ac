import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { isVersionAtLeast } from '../../src/design/versions.ts';
import { moves as words } from '../../src/i18n/en/moves/index.ts';
import { UserErrorException } from '../../src/i18n/user-error.ts';
import { createClusterReader } from '../../src/infra/apply-edits.ts';
import { getRolloutTarget, type MoveName } from '../../src/infra/moves.ts';
import type { ApiRequest } from '../../src/kube/transport.ts';
import { KINDS, type Kind } from '../../src/openshift/kinds.ts';
import { getList } from '../../src/openshift/object.ts';
import { DOMAIN } from '../support/csr-forge.ts';
import { MOVES_ON_METAL } from '../support/infra-api.ts';
import { INFRA, type InfraWorld, infraWorld, LABEL } from '../support/infra-world.ts';

// Tests every move in each version: denied, in conflict, interrupted, applied, applied again. Then again with settings
// of the cluster's administrator, an Argo CD manager and unschedulable pods. Finally undone.

/**
 * Pods that restart after a move, as a pattern of their names; null: none. A move that is not listed restarts the
 * workloads of its rollout target.
 */
const RESTARTED_PODS: Readonly<Partial<Record<MoveName, string | null>>> = {
  'registry-storage': null,
  monitoring: 'prometheus-k8s|alertmanager-main',
  logging: 'elasticsearch|loki',
};
async function findRestartedPods({ cluster, design }: InfraWorld, name: MoveName): Promise<string | null> {
  const workloads = await getRolloutTarget(name)?.workloads?.(createClusterReader(cluster), design);
  const workloadNames = workloads?.map((workload) => workload.name).join('|') ?? null;
  return name in RESTARTED_PODS ? (RESTARTED_PODS[name] ?? null) : workloadNames;
}
const OWNER_TOLERATION = { key: 'example.com/own', operator: 'Exists', effect: 'NoSchedule' };
const STORAGE_NODE = `s1.${DOMAIN}`;
const CONFIG = ['configmaps', 'openshift-monitoring', 'cluster-monitoring-config'] as const;
/** Enables monitoring of user projects. 4.5 has a separate key for it, which later versions do not know. */
const userWorkloadSetting = (version: string) =>
  !isVersionAtLeast(version, '4.6') ? 'techPreviewUserWorkload: {enabled: true}' : 'enableUserWorkload: true';
const createOwnerSettings = (version: string) => `# of the team
${userWorkloadSetting(version)}   # since March
prometheusK8s:
    retention: 7d
    tolerations: [${JSON.stringify(OWNER_TOLERATION)}]
`;

/** The first minor version with the move; none: every version. */
const FIRST_VERSIONS: Readonly<Partial<Record<MoveName, string>>> = {
  'network-diagnostics': '4.16',
  'boot-image-record': '4.22',
};
const isAvailable = (version: string, name: MoveName) => isVersionAtLeast(version, FIRST_VERSIONS[name] ?? '4.0');

/** Creates a cluster with everything that moves can move: logging and storage in the generation of the version. */
function createWorld(version: string, hasOwnerSettings: boolean): InfraWorld {
  const world = infraWorld(version);
  const placement = hasOwnerSettings ? { tolerations: [OWNER_TOLERATION], nodeSelector: { zone: 'a' } } : {};
  world.infra({
    also: ['network-diagnostics'],
    registry: { ...world.design.infra.registry, storage: 'pvc', storageClass: 'fast' },
  });
  world.add('configmaps', {
    metadata: { name: CONFIG[2], namespace: CONFIG[1] },
    data: { 'config.yaml': hasOwnerSettings ? createOwnerSettings(version) : `${userWorkloadSetting(version)}\n` },
  });
  const logging = { namespace: 'openshift-logging' };
  if (!isVersionAtLeast(version, '4.16'))
    world.add('clusterloggings.logging.openshift.io', {
      metadata: { name: 'instance', ...logging },
      spec: {
        managementState: 'Managed',
        collection: !isVersionAtLeast(version, '4.11')
          ? { logs: { type: 'fluentd', fluentd: {} } }
          : { type: 'vector' },
        logStore: { type: 'elasticsearch', elasticsearch: { nodeCount: 3, ...placement } },
        visualization: { type: 'kibana', kibana: { replicas: 1 } },
      },
    });
  else {
    world.add('clusterlogforwarders.observability.openshift.io', {
      metadata: { name: 'collector', ...logging },
      spec: {
        serviceAccount: { name: 'collector' },
        collector: hasOwnerSettings ? { tolerations: [OWNER_TOLERATION] } : {},
      },
    });
    world.add('lokistacks.loki.grafana.com', {
      metadata: { name: 'loki', ...logging },
      spec: {
        size: '1x.small',
        storageClassName: 'fast',
        storage: { secret: { name: 's3', type: 's3' } },
        template: { ingester: { replicas: 2, ...placement } },
      },
    });
  }
  world.add('nodes', {
    metadata: { name: STORAGE_NODE, labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/os': 'linux' } },
    spec: hasOwnerSettings ? { taints: [{ key: 'example.com/own', effect: 'PreferNoSchedule' }] } : {},
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  const storage = { namespace: 'openshift-storage' };
  if (!isVersionAtLeast(version, '4.18'))
    world.add('configmaps', {
      metadata: { name: 'rook-ceph-operator-config', ...storage },
      data: hasOwnerSettings ? { CSI_PLUGIN_TOLERATIONS: `# ours\n- ${JSON.stringify(OWNER_TOLERATION)}\n` } : {},
    });
  else
    world.add('drivers.csi.ceph.io', {
      metadata: { name: 'openshift-storage.rbd.csi.ceph.com', ...storage },
      spec: hasOwnerSettings ? { nodePlugin: { tolerations: [OWNER_TOLERATION] } } : {},
    });
  if (hasOwnerSettings) applyOwnerSettings(world, version);
  world.tick(4);
  return world;
}

function applyOwnerSettings({ change, add }: InfraWorld, version: string): void {
  change('ingresscontrollers.operator.openshift.io', 'openshift-ingress-operator', 'default', (one) => {
    one.spec = { replicas: 2, nodePlacement: { tolerations: [OWNER_TOLERATION] } };
  });
  change('dnses.operator.openshift.io', null, 'default', (one) => {
    one.spec = {
      nodePlacement: { tolerations: [{ operator: 'Exists', key: 'node-role.kubernetes.io/master' }, OWNER_TOLERATION] },
    };
  });
  change('configs.imageregistry.operator.openshift.io', null, 'cluster', (one) => {
    one.spec = { managementState: 'Managed', replicas: 1, storage: { emptyDir: {} }, tolerations: [OWNER_TOLERATION] };
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
  if (isVersionAtLeast(version, '4.16'))
    change('networks.config.openshift.io', null, 'cluster', (one) => {
      one.spec = {
        ...(one.spec as object),
        networkDiagnostics: { mode: 'All', targetPlacement: { tolerations: [OWNER_TOLERATION] } },
      };
    });
}

const isWrite = ({ method, query }: ApiRequest) => method !== 'GET' && query?.dryRun === undefined;
const createStatusAnswer = (code: number, reason: string, message: string) => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message },
});

/** The tests of one version of OpenShift (x.y.z). */
export function testEveryMove(version: string): void {
  describe(`in ${version}`, () => {
    const names = MOVES_ON_METAL.filter((name) => isAvailable(version, name));

    test('each move is refused, in conflict, half done and done; the second time writes nothing; all of it is undone', async () => {
      const world = createWorld(version, false);
      const before = new Map<MoveName, unknown>();
      for (const name of names) {
        before.set(name, world.contents());
        expect([name, (await world.probe(name)).state]).toEqual([name, 'needed']);
        // A webhook denies the write, already in the dry run.
        world.intercept = ({ method }) =>
          method === 'GET'
            ? null
            : createStatusAnswer(403, 'Forbidden', 'admission webhook "policy.example.com" denied the request');
        const refused = await world.apply(name).catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(UserErrorException);
        expect(String((refused as UserErrorException).userError.cause)).toContain('policy.example.com');
        expect([name, world.contents()]).toEqual([name, before.get(name)]);
        // Three writes fail with a conflict, then they succeed.
        let conflicts = 0;
        world.intercept = (request) => {
          if (!isWrite(request) || conflicts === 3) return null;
          conflicts += 1;
          return createStatusAnswer(409, 'Conflict', 'the object has been modified');
        };
        // The connection is cut after the first write: the move is half done.
        const writesBefore = world.writes;
        const { intercept } = world;
        world.intercept = (request) =>
          isWrite(request) && world.writes > writesBefore
            ? createStatusAnswer(403, 'Forbidden', 'cut')
            : intercept(request);
        await world.apply(name).catch((error: unknown) => expect(error).toBeInstanceOf(UserErrorException));
        expect([name, conflicts, world.writes - writesBefore]).toEqual([name, 3, 1]);
        world.intercept = () => null;
        expect([name, await world.applyAndSettle(name)]).toEqual([
          name,
          expect.objectContaining({ state: 'done', changes: [] }),
        ]);
        const count = world.writes;
        await world.apply(name);
        expect([name, world.writes]).toEqual([name, count]);
      }
      for (const name of names) expect([name, (await world.probe(name)).state]).toEqual([name, 'done']);
      for (const name of names.toReversed()) {
        expect([name, await world.undo(name)]).toEqual([name, []]);
        expect([name, world.contents()]).toEqual([name, before.get(name)]);
      }
    });

    test('settings of an owner stay or come back, their manager is named, and a pod without a node is explained', async () => {
      const world = createWorld(version, true);
      const before = new Map<MoveName, unknown>();
      for (const name of names) {
        before.set(name, world.contents());
        const observed = await world.probe(name);
        // The owner's pool is sufficient.
        if (name === 'pool') {
          expect(observed.changes).toEqual([]);
          continue;
        }
        expect([name, observed.state]).toEqual([name, 'needed']);
        for (const { editTarget } of observed.changes) if (editTarget) addArgoTracking(world, editTarget);
        const managed = await world.probe(name);
        for (const { object, before: old, managers } of managed.changes)
          if (old !== null) expect([object, managers]).toEqual([object, [{ name: 'Argo CD', isGitOps: true }]]);
        before.set(name, world.contents());
        const podPattern = await findRestartedPods(world, name);
        if (podPattern !== null) setTaint(world, [{ key: 'example.com/else', value: 'x', effect: 'NoSchedule' }]);
        await world.apply(name);
        if (podPattern !== null) {
          world.tick(3);
          const pending = await world.probe(name);
          expect([name, pending.state]).toEqual([name, 'moving']);
          expect(pending.why).toMatch(
            new RegExp(`(?:${podPattern})\\S* waits: .*untolerated taint \\{example.com/else: x\\}`),
          );
          if (name !== 'logging') expect(pending.why).toContain(words.reasons.hints.taint);
          setTaint(world, []);
        }
        expect([name, await world.settle(name)]).toEqual([name, expect.objectContaining({ state: 'done' })]);
      }
      const config = world.store.get(...CONFIG)?.data as Record<string, string>;
      expect(config['config.yaml']).toContain('# since March');
      expect(parse(config['config.yaml'] ?? '').prometheusK8s).toMatchObject({
        retention: '7d',
        tolerations: expect.arrayContaining([OWNER_TOLERATION]),
      });
      const routers = world.store.get(
        'ingresscontrollers.operator.openshift.io',
        'openshift-ingress-operator',
        'default',
      );
      expect(getList(routers?.spec, 'nodePlacement', 'tolerations')).toContainEqual(OWNER_TOLERATION);
      for (const name of names.toReversed()) {
        expect([name, await world.undo(name)]).toEqual([name, []]);
        expect([name, world.contents()]).toEqual([name, before.get(name)]);
      }
    });
  });
}

/** Marks the object as tracked by Argo CD, with its annotation. */
function addArgoTracking(
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
