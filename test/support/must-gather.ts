import { gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import type { Design } from '../../src/design/model.ts';
import { nodeFqdn, nodesWithRole } from '../../src/design/names.ts';
import { MINUTE } from '../../src/ports/clock.ts';
import { clusterVersion, condition, nodeObject, operators } from './bundle-objects.ts';
import { type BundleFiles, GATHERED, journal, klog } from './bundle-text.ts';

/** The folder that `oc adm must-gather` makes, and that of the image in it. */
export const MUST_GATHER = 'must-gather.local.5464029130631179436';
const IMAGE = `quay-io-openshift-release-dev-ocp-v4-0-art-dev-sha256-${'9f3c'.repeat(16)}`;

interface Named {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

const FOLDERS: Readonly<Record<string, string>> = {
  ClusterOperator: 'config.openshift.io/clusteroperators',
  Node: 'core/nodes',
  MachineConfigPool: 'machineconfiguration.openshift.io/machineconfigpools',
  CertificateSigningRequest: 'certificates.k8s.io/certificatesigningrequests',
  StorageClass: 'storage.k8s.io/storageclasses',
  CSINode: 'storage.k8s.io/csinodes',
  APIService: 'apiregistration.k8s.io/apiservices',
};
const yaml = (value: unknown) => `---\n${stringify(value)}`;
const stamp = (minutes: number) =>
  `${new Date(GATHERED - minutes * MINUTE).toISOString().replace('T', ' ').replace('Z', '')}456789 +0000 UTC m=+0.104529310\n`;

/** What a must-gather has of an object: its own file, as `oc adm inspect` writes it. */
export const gathered = (...objects: readonly Named[]): Record<string, string> =>
  Object.fromEntries(
    objects.map((object) => [
      `cluster-scoped-resources/${FOLDERS[object.kind]}/${object.metadata.name}.yaml`,
      yaml(object),
    ]),
  );

/** A list of a namespace, whose items do not say what they are. */
export const listed = (
  namespace: string,
  resource: string,
  kind: string,
  ...items: readonly object[]
): Record<string, string> => ({
  [`namespaces/${namespace}/core/${resource}.yaml`]: yaml({ apiVersion: 'v1', kind: `${kind}List`, items }),
});

/** What a container printed, with the time of the runtime before each line. */
export const containerLog = (
  namespace: string,
  pod: string,
  container: string,
  ...texts: readonly (readonly [minutes: number, text: string])[]
): Record<string, string> => ({
  [`namespaces/${namespace}/pods/${pod}/${container}/${container}/logs/current.log`]: texts
    .map(
      ([minutes, text]) => `${new Date(GATHERED - minutes * MINUTE).toISOString().replace('Z', '123456Z')} ${text}\n`,
    )
    .join(''),
});

/** The files of a must-gather of a cluster that is well, below the folder of its image. */
function filesOfWell(design: Design): Readonly<Record<string, string | Buffer>> {
  const masters = nodesWithRole(design, 'control-plane');
  const workers = design.nodes.filter(({ role }) => role !== 'bootstrap' && role !== 'control-plane');
  const nodes = [...masters, ...workers];
  const names = nodes.map((node) => nodeFqdn(design, node));
  const pool = (name: string) => ({
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigPool',
    metadata: { name },
    spec: {},
    status: {
      conditions: [condition('Updated', 'True'), condition('Degraded', 'False'), condition('NodeDegraded', 'False')],
    },
  });
  const routers = workers.slice(0, 2).map((node, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `router-default-7c6d7f8b9-abc${index}`, namespace: 'openshift-ingress' },
    spec: { nodeName: nodeFqdn(design, node) },
    status: { phase: 'Running', conditions: [condition('PodScheduled', 'True')] },
  }));
  return {
    version: 'openshift/must-gather\n4.18.0-202602\n',
    timestamp: stamp(3) + stamp(0),
    'event-filter.html': '<!DOCTYPE html><html><body>no such host</body></html>\n',
    ...gathered(
      ...operators(),
      ...nodes.map(({ name }) => nodeObject(design, name)),
      pool('master'),
      pool('worker'),
      ...names.map((name) => ({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSINode',
        metadata: { name },
        spec: { drivers: null },
      })),
      { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'ocs-storagecluster-ceph-rbd' } },
    ),
    'cluster-scoped-resources/config.openshift.io/clusterversions/version.yaml': yaml(clusterVersion()),
    'cluster-scoped-resources/config.openshift.io/proxies.yaml': yaml({
      apiVersion: 'config.openshift.io/v1',
      kind: 'ProxyList',
      items: [{ metadata: { name: 'cluster' }, spec: { trustedCA: { name: '' } }, status: {} }],
    }),
    'namespaces/openshift-etcd/openshift-etcd.yaml': yaml({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'openshift-etcd' },
      status: { phase: 'Active' },
    }),
    ...listed('openshift-ingress', 'pods', 'Pod', ...routers),
    ...Object.fromEntries(
      routers.map((pod) => [
        `namespaces/openshift-ingress/pods/${pod.metadata.name}/${pod.metadata.name}.yaml`,
        yaml(pod),
      ]),
    ),
    ...listed('openshift-monitoring', 'persistentvolumeclaims', 'PersistentVolumeClaim'),
    ...containerLog(
      'openshift-authentication-operator',
      'authentication-operator-6b4',
      'authentication-operator',
      // While it was installed: hours ago, and over.
      [
        300,
        `${klog('E', 300 * MINUTE, 'base_controller.go:268')} OAuthServerRouteEndpointAccessibleController reconciliation failed: Get "https://oauth-openshift.apps.ocp45.example.localdomain/healthz": dial tcp: lookup oauth-openshift.apps.ocp45.example.localdomain on 172.30.0.10:53: no such host`,
      ],
      [295, `${klog('E', 295 * MINUTE, 'base_controller.go:268')} failed calling webhook "x.y": connection refused`],
    ),
    ...containerLog(
      'openshift-ingress',
      'router-default-7c6d7f8b9-abc0',
      'router',
      [
        290,
        `${klog('E', 290 * MINUTE, 'reflector.go:150')} failed to list *v1.Route: Get "https://172.30.0.1:443/apis/route.openshift.io/v1/routes": dial tcp 172.30.0.1:443: i/o timeout`,
      ],
      [1, `${klog('I', MINUTE, 'router.go:669')} "router reloaded" logger="template"`],
    ),
    ...containerLog(
      'openshift-etcd',
      'etcd-m1.ocp45.example.localdomain',
      'etcd',
      ...Array.from({ length: 40 }, (_, index): readonly [number, string] => [
        index / 3,
        `{"level":"warn","ts":"${new Date(GATHERED - (index / 3) * MINUTE).toISOString()}","caller":"etcdserver/util.go:170","msg":"apply request took too long","took":"${201 + index}.1ms","expected-duration":"200ms","prefix":"read-only range "}`,
      ]),
    ),
    'host_service_logs/masters/kubelet_service.log': `-- Logs begin at Sun 2026-11-22 06:00:00 UTC. --\n${journal('m1', 'kubenswrapper[2345]', [`${klog('E', 2 * MINUTE, 'dns.go:153')} "Nameserver limits exceeded" err="Nameserver limits were exceeded"`])}${journal('m2', 'kubenswrapper[2345]', [`${klog('I', MINUTE, 'kubelet.go:2411')} "SyncLoop (PLEG): event for pod"`])}`,
    'host_service_logs/masters/crio_service.log.gz': gzipSync(
      journal('m1', 'crio[1801]', [
        'time="2026-11-22 11:40:00.1Z" level=info msg="Pulled image: quay.io/x/y@sha256:ab"',
      ]),
    ),
    'audit_logs/kube-apiserver/m1-audit.log.gz': gzipSync('{"kind":"Event","verb":"get"}\n'),
    'audit_logs/kube-apiserver.audit_logs_listing': '2026-11-22T10:00 m1-audit.log\n',
    'namespaces/openshift-etcd/core/events.yaml': yaml({ apiVersion: 'v1', kind: 'EventList', items: [] }),
    'etcd_info/endpoint_health.json': '[{"endpoint":"https://172.16.0.21:2379","health":true,"took":"9ms"}]\n',
  };
}

/** By design, which a test does not change: writing a whole must-gather as YAML takes long. */
const known = new WeakMap<Design, ReturnType<typeof filesOfWell>>();

/** A whole must-gather of a cluster that is well. A file is replaced or, with null, left out. */
export function mustGather(
  design: Design,
  changed: Readonly<Record<string, string | Buffer | null>> = {},
): BundleFiles {
  const files = known.get(design) ?? filesOfWell(design);
  known.set(design, files);
  const kept = Object.entries({ ...files, ...changed }).filter(
    (entry): entry is [string, string | Buffer] => entry[1] !== null,
  );
  return {
    [`${MUST_GATHER}/must-gather.log`]: '[must-gather      ] OUT Using must-gather plug-in image: quay.io/x\n',
    [`${MUST_GATHER}/timestamp`]: stamp(4) + stamp(0),
    [`${MUST_GATHER}/event-filter.html`]: '<!DOCTYPE html>\n',
    ...Object.fromEntries(kept.map(([path, content]) => [`${MUST_GATHER}/${IMAGE}/${path}`, content])),
  };
}
