import { gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import { getNodeFqdn, listNodesWithRole } from '../../src/design/derived-facts.ts';
import type { Design } from '../../src/design/model.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import { clusterVersion, condition, nodeObject, operators } from './bundle-objects.ts';
import { type BundleFiles, formatJournal, formatKlogPrefix, GATHERED_AT } from './bundle-text.ts';

/** The folder that `oc adm must-gather` creates, and that of the image in it. */
const MUST_GATHER = 'must-gather.local.5464029130631179436';
const IMAGE = `quay-io-openshift-release-dev-ocp-v4-0-art-dev-sha256-${'9f3c'.repeat(16)}`;

interface GatheredObject {
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
const formatYaml = (value: unknown) => `---\n${stringify(value)}`;
const formatTimestamp = (minutes: number) =>
  `${new Date(GATHERED_AT - minutes * MINUTE).toISOString().replace('T', ' ').replace('Z', '')}456789 +0000 UTC m=+0.104529310\n`;

/** Files of objects in a must-gather: one for each object, as `oc adm inspect` writes it. */
export const createObjectFiles = (...objects: readonly GatheredObject[]): Record<string, string> =>
  Object.fromEntries(
    objects.map((object) => [
      `cluster-scoped-resources/${FOLDERS[object.kind]}/${object.metadata.name}.yaml`,
      formatYaml(object),
    ]),
  );

/** File with a list of a namespace. Its items have no kind. */
export const createListFile = (
  namespace: string,
  resource: string,
  kind: string,
  ...items: readonly object[]
): Record<string, string> => ({
  [`namespaces/${namespace}/core/${resource}.yaml`]: formatYaml({ apiVersion: 'v1', kind: `${kind}List`, items }),
});

/** Log file of a container, with the time of the runtime before each line. */
const createContainerLog = (
  namespace: string,
  pod: string,
  container: string,
  ...texts: readonly (readonly [minutes: number, text: string])[]
): Record<string, string> => ({
  [`namespaces/${namespace}/pods/${pod}/${container}/${container}/logs/current.log`]: texts
    .map(
      ([minutes, text]) =>
        `${new Date(GATHERED_AT - minutes * MINUTE).toISOString().replace('Z', '123456Z')} ${text}\n`,
    )
    .join(''),
});

/** Files of a must-gather of a healthy cluster, below the folder of its image. */
function createHealthyFiles(design: Design): Readonly<Record<string, string | Buffer>> {
  const masters = listNodesWithRole(design, 'control-plane');
  const workers = design.nodes.filter(({ role }) => role !== 'bootstrap' && role !== 'control-plane');
  const nodes = [...masters, ...workers];
  const names = nodes.map((node) => getNodeFqdn(design, node));
  const createPool = (name: string) => ({
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
    spec: { nodeName: getNodeFqdn(design, node) },
    status: { phase: 'Running', conditions: [condition('PodScheduled', 'True')] },
  }));
  return {
    version: 'openshift/must-gather\n4.18.0-202602\n',
    timestamp: formatTimestamp(3) + formatTimestamp(0),
    'event-filter.html': '<!DOCTYPE html><html><body>no such host</body></html>\n',
    ...createObjectFiles(
      ...operators(),
      ...nodes.map(({ name }) => nodeObject(design, name)),
      createPool('master'),
      createPool('worker'),
      ...names.map((name) => ({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSINode',
        metadata: { name },
        spec: { drivers: null },
      })),
      { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'ocs-storagecluster-ceph-rbd' } },
    ),
    'cluster-scoped-resources/config.openshift.io/clusterversions/version.yaml': formatYaml(clusterVersion()),
    'cluster-scoped-resources/config.openshift.io/proxies.yaml': formatYaml({
      apiVersion: 'config.openshift.io/v1',
      kind: 'ProxyList',
      items: [{ metadata: { name: 'cluster' }, spec: { trustedCA: { name: '' } }, status: {} }],
    }),
    'namespaces/openshift-etcd/openshift-etcd.yaml': formatYaml({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'openshift-etcd' },
      status: { phase: 'Active' },
    }),
    ...createListFile('openshift-ingress', 'pods', 'Pod', ...routers),
    ...Object.fromEntries(
      routers.map((pod) => [
        `namespaces/openshift-ingress/pods/${pod.metadata.name}/${pod.metadata.name}.yaml`,
        formatYaml(pod),
      ]),
    ),
    ...createListFile('openshift-monitoring', 'persistentvolumeclaims', 'PersistentVolumeClaim'),
    ...createContainerLog(
      'openshift-authentication-operator',
      'authentication-operator-6b4',
      'authentication-operator',
      // Errors during the installation, hours ago.
      [
        300,
        `${formatKlogPrefix('E', 300 * MINUTE, 'base_controller.go:268')} OAuthServerRouteEndpointAccessibleController reconciliation failed: Get "https://oauth-openshift.apps.ocp45.example.localdomain/healthz": dial tcp: lookup oauth-openshift.apps.ocp45.example.localdomain on 172.30.0.10:53: no such host`,
      ],
      [
        295,
        `${formatKlogPrefix('E', 295 * MINUTE, 'base_controller.go:268')} failed calling webhook "x.y": connection refused`,
      ],
    ),
    ...createContainerLog(
      'openshift-ingress',
      'router-default-7c6d7f8b9-abc0',
      'router',
      [
        290,
        `${formatKlogPrefix('E', 290 * MINUTE, 'reflector.go:150')} failed to list *v1.Route: Get "https://172.30.0.1:443/apis/route.openshift.io/v1/routes": dial tcp 172.30.0.1:443: i/o timeout`,
      ],
      [1, `${formatKlogPrefix('I', MINUTE, 'router.go:669')} "router reloaded" logger="template"`],
    ),
    ...createContainerLog(
      'openshift-etcd',
      'etcd-m1.ocp45.example.localdomain',
      'etcd',
      ...Array.from({ length: 40 }, (_, index): readonly [number, string] => [
        index / 3,
        `{"level":"warn","ts":"${new Date(GATHERED_AT - (index / 3) * MINUTE).toISOString()}","caller":"etcdserver/util.go:170","msg":"apply request took too long","took":"${201 + index}.1ms","expected-duration":"200ms","prefix":"read-only range "}`,
      ]),
    ),
    'host_service_logs/masters/kubelet_service.log': `-- Logs begin at Sun 2026-11-22 06:00:00 UTC. --\n${formatJournal('m1', 'kubenswrapper[2345]', [`${formatKlogPrefix('E', 2 * MINUTE, 'dns.go:153')} "Nameserver limits exceeded" err="Nameserver limits were exceeded"`])}${formatJournal('m2', 'kubenswrapper[2345]', [`${formatKlogPrefix('I', MINUTE, 'kubelet.go:2411')} "SyncLoop (PLEG): event for pod"`])}`,
    'host_service_logs/masters/crio_service.log.gz': gzipSync(
      formatJournal('m1', 'crio[1801]', [
        'time="2026-11-22 11:40:00.1Z" level=info msg="Pulled image: quay.io/x/y@sha256:ab"',
      ]),
    ),
    'audit_logs/kube-apiserver/m1-audit.log.gz': gzipSync('{"kind":"Event","verb":"get"}\n'),
    'audit_logs/kube-apiserver.audit_logs_listing': '2026-11-22T10:00 m1-audit.log\n',
    'namespaces/openshift-etcd/core/events.yaml': formatYaml({ apiVersion: 'v1', kind: 'EventList', items: [] }),
    'etcd_info/endpoint_health.json': '[{"endpoint":"https://172.16.0.21:2379","health":true,"took":"9ms"}]\n',
  };
}

/** Cached by design, which a test does not change: writing a whole must-gather as YAML takes long. */
const filesByDesign = new WeakMap<Design, ReturnType<typeof createHealthyFiles>>();

/** Creates a complete must-gather of a healthy cluster. `changes` replaces a file or, with null, omits it. */
export function createMustGather(
  design: Design,
  changes: Readonly<Record<string, string | Buffer | null>> = {},
): BundleFiles {
  const files = filesByDesign.get(design) ?? createHealthyFiles(design);
  filesByDesign.set(design, files);
  const entries = Object.entries({ ...files, ...changes }).filter(
    (entry): entry is [string, string | Buffer] => entry[1] !== null,
  );
  return {
    [`${MUST_GATHER}/must-gather.log`]: '[must-gather      ] OUT Using must-gather plug-in image: quay.io/x\n',
    [`${MUST_GATHER}/timestamp`]: formatTimestamp(4) + formatTimestamp(0),
    [`${MUST_GATHER}/event-filter.html`]: '<!DOCTYPE html>\n',
    ...Object.fromEntries(entries.map(([path, content]) => [`${MUST_GATHER}/${IMAGE}/${path}`, content])),
  };
}
