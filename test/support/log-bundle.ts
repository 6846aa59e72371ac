import { getNodeFqdn, listNodesWithRole } from '../../src/design/derived-facts.ts';
import type { Design } from '../../src/design/model.ts';
import { MINUTE, SECOND } from '../../src/platform/clock.ts';
import { createNodeFiles } from './bundle-node.ts';
import { clusterVersion, formatResources, nodeObject, operators } from './bundle-objects.ts';
import {
  type BundleFiles,
  containerId,
  EMPTY_UNITS,
  formatJournal,
  formatKlogPrefix,
  formatServiceRecord,
  LOG_BUNDLE,
  padTwo,
  repeatLine,
  STAGES,
} from './bundle-text.ts';

/**
 * Creates a complete log bundle of a successful installation, with all that is normal noise in one. `changes` replaces
 * a file or, with null, omits it.
 */
export function createLogBundle(
  design: Design,
  changes: Readonly<Record<string, string | Buffer | null>> = {},
): BundleFiles {
  const [bootstrap] = listNodesWithRole(design, 'bootstrap');
  const masters = listNodesWithRole(design, 'control-plane');
  if (bootstrap === undefined) throw new Error('no bootstrap');
  const bootstrapFqdn = getNodeFqdn(design, bootstrap);
  const masterFiles = masters.flatMap((node, index) => createNodeFiles(design, node, index));
  const files: Record<string, string | Buffer> = {
    'gather.log': [
      'Gathering bootstrap service records ...',
      'Gathering bootstrap systemd summary ...',
      'Using /opt/openshift/auth/kubeconfig as KUBECONFIG',
      'Gathering cluster resources ...',
      'Waiting for logs ...',
      'Gather remote logs',
      ...masters.flatMap(({ ip }) => [
        `Collecting info from ${ip[0]}`,
        "Warning: Permanently added '172.16.0.21' (ED25519) to the list of known hosts.",
      ]),
      '',
    ].join('\n'),
    'failed-units.txt': EMPTY_UNITS,
    'bootstrap/services/release-image.json': formatServiceRecord(['pull-release-image', 'image-metadata-arches-match']),
    'bootstrap/services/bootkube.json': formatServiceRecord([
      ...STAGES,
      'wait-for-etcd',
      'cb-bootstrap',
      'cvo-overrides',
      'wait-for-ceo',
    ]),
    'bootstrap/journals/release-image.log':
      formatJournal(bootstrapFqdn, 'release-image-download.sh[1201]', [
        'Pulling quay.io/openshift-release-dev/ocp-release@sha256:ab...',
        'Error: initializing source docker://quay.io/openshift-release-dev/ocp-release@sha256:ab: pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp: lookup quay.io on 172.16.0.102:53: server misbehaving',
        'Pull failed. Retrying quay.io/openshift-release-dev/ocp-release@sha256:ab...',
        `${containerId('r')}`,
      ]) + formatJournal(bootstrapFqdn, 'systemd[1]', ['Finished Download the OpenShift Release Image.'], SECOND),
    'bootstrap/journals/bootkube.log':
      formatJournal(bootstrapFqdn, 'bootkube.sh[2304]', [
        'Rendering Cluster Version Operator Manifests...',
        'Starting etcd...',
        ...repeatLine(
          20,
          () =>
            '{"level":"warn","ts":"2026-11-22T11:20:00.1Z","logger":"client","caller":"v3/retry_interceptor.go:62","msg":"retrying of unary invoker failed","target":"etcd-endpoints://0xc0/localhost:2379","error":"rpc error: code = DeadlineExceeded desc = latest balancer error: last connection error: connection error: desc = transport: Error while dialing: dial tcp [::1]:2379: connect: connection refused"}',
        ),
        'https://localhost:2379 is unhealthy: failed to commit proposal: context deadline exceeded',
        'Error: unhealthy cluster',
        'etcdctl failed. Retrying in 5 seconds...',
        'https://localhost:2379 is healthy: successfully committed proposal: took = 9.2ms',
        'Starting cluster-bootstrap...',
        'Starting temporary bootstrap control plane...',
        'Waiting up to 20m0s for the Kubernetes API',
        ...repeatLine(
          8,
          () =>
            'Still waiting for the Kubernetes API: Get "https://localhost:6443/readyz": dial tcp [::1]:6443: connect: connection refused',
        ),
        'API is up',
        ...repeatLine(12, (step) => `[#${step}] failed to create some manifests:`),
        '"99_openshift-machineconfig_99-master-ssh.yaml": unable to get REST mapping for "99_openshift-machineconfig_99-master-ssh.yaml": no matches for kind "MachineConfig" in version "machineconfiguration.openshift.io/v1"',
        'Created "99_openshift-machineconfig_99-master-ssh.yaml" machineconfigs.v1.machineconfiguration.openshift.io/99-master-ssh -n ',
        ...repeatLine(
          5,
          () =>
            'W1122 11:40:00.1 1 reflector.go:456] k8s.io/client-go: watch of *v1.Etcd ended with: very short watch: Unexpected watch close - watch lasted less than a second and no items received',
        ),
        'All self-hosted control plane components successfully started',
        'Waiting for CEO to finish...',
        'bootkube.service complete',
      ]) + formatJournal(bootstrapFqdn, 'systemd[1]', ['bootkube.service: Deactivated successfully.'], SECOND),
    'bootstrap/journals/kubelet.log': formatJournal(
      bootstrapFqdn,
      'kubenswrapper[1700]',
      repeatLine(
        20,
        () =>
          `${formatKlogPrefix('E', 9 * MINUTE, 'kubelet_node_status.go:461')} "Error getting the current node from lister" err="node \\"${bootstrapFqdn}\\" not found"`,
      ),
    ),
    'bootstrap/journals/crio.log': formatJournal(bootstrapFqdn, 'crio[1650]', [
      'time="2026-11-22 11:00:00.1Z" level=info msg="Starting CRI-O, version: 1.31.6"',
    ]),
    'bootstrap/journals/crio-configure.log': '-- No entries --\n',
    'bootstrap/journals/approve-csr.log': formatJournal(
      bootstrapFqdn,
      'approve-csr.sh[1702]',
      repeatLine(
        10,
        () =>
          `${formatKlogPrefix('E', 50 * MINUTE, 'memcache.go:265')} "Unhandled Error" err="couldn't get current server API group list: Get \\"https://localhost:6443/api?timeout=32s\\": dial tcp [::1]:6443: connect: connection refused"`,
      ),
    ),
    'bootstrap/journals/ironic.log': '-- No entries --\n',
    'bootstrap/journals/master-bmh-update.log': '-- No entries --\n',
    'bootstrap/network/ip-addr.txt': `2: ens3: <UP>\n    inet ${bootstrap.ip[0]}/24 scope global ens3\n`,
    'bootstrap/network/ip-route.txt':
      'default via 172.16.0.1 dev ens3 proto dhcp metric 100 \n172.16.0.0/24 dev ens3 proto kernel scope link metric 100 \n',
    'bootstrap/network/hostname.txt': `${bootstrapFqdn}\n`,
    'bootstrap/network/resolv.conf': 'nameserver 172.16.0.102\n',
    [`bootstrap/containers/machine-config-server-${containerId('m')}.log`]: [
      `${formatKlogPrefix('I', 60 * MINUTE, 'bootstrap.go:41')} Version: v4.18.0-dirty`,
      `${formatKlogPrefix('I', 60 * MINUTE, 'api.go:76')} Launching server on :22623`,
      ...repeatLine(
        40,
        (step) =>
          `2026/11/22 11:${padTwo(20 + (step % 30))}:01 http: TLS handshake error from 172.16.0.112:${40_000 + step}: EOF`,
      ),
      ...masters.map(
        ({ ip }) =>
          `${formatKlogPrefix('I', 40 * MINUTE, 'api.go:117')} Pool master requested by address:"${ip[0]}:43210" User-Agent:"Ignition/2.20.0" Accept-Header: "application/vnd.coreos.ignition+json;version=3.4.0, */*;q=0.1"`,
      ),
    ].join('\n'),
    [`bootstrap/containers/cluster-version-operator-${containerId('c')}.log`]: repeatLine(
      5,
      () =>
        `${formatKlogPrefix('E', 45 * MINUTE, 'task.go:122')} error running apply for clusteroperator "openshift-apiserver" (200 of 900): Cluster operator openshift-apiserver is not available`,
    ).join('\n'),
    'bootstrap/containers/bootstrap-control-plane/kube-apiserver.log': `${formatKlogPrefix('W', 59 * MINUTE, 'logging.go:55')} [core] [Channel #1] grpc: addrConn.createTransport failed to connect to {Addr: "localhost:2379"}. Err: connection error: desc = "transport: Error while dialing: dial tcp [::1]:2379: connect: connection refused"\n`,
    [`bootstrap/pods/${containerId('p')}.log`]: 'Writing manifest to image destination\n',
    [`bootstrap/pods/${containerId('p')}.inspect`]: '[ { "Id": "x" } ]\n',
    'rendered-assets/openshift/manifests/cluster-dns-02-config.yml':
      'apiVersion: config.openshift.io/v1\nkind: DNS\nmetadata:\n  name: cluster\n',
    'rendered-assets/openshift/tls/root-ca.crt': '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
    'resources/nodes.list': masters.map((node) => `${getNodeFqdn(design, node)}\n`).join(''),
    'resources/masters.list': masters.map((node) => `${getNodeFqdn(design, node)}\n`).join(''),
    'resources/api-pods': '-n openshift-kube-apiserver kube-apiserver-m1\n',
    'resources/containers': '-n openshift-etcd etcd-m1 -c etcd\n',
    'resources/nodes.json': formatResources(...masters.map(({ name }) => nodeObject(design, name))),
    'resources/clusteroperators.json': formatResources(...operators()),
    'resources/clusterversion.json': formatResources(clusterVersion()),
    'resources/configmaps.json': formatResources({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'bootstrap', namespace: 'kube-system' },
      data: { status: 'complete' },
    }),
    'resources/csr.json': formatResources(),
    'resources/machineconfigpools.json': formatResources(),
    'resources/apiservices.json': formatResources(),
    'resources/namespaces.json': formatResources(),
    'resources/pods.json': formatResources(),
    'resources/events.json': formatResources(),
    'resources/secrets-names.txt': 'NAMESPACE NAME TYPE DATA AGE\n',
    'resources/openapi.json.gz': Buffer.from('1f8b0800000000000003030000000000', 'hex'),
    ...Object.fromEntries(masterFiles),
  };
  const entries = Object.entries({ ...files, ...changes }).filter(
    (entry): entry is [string, string | Buffer] => entry[1] !== null,
  );
  return Object.fromEntries(entries.map(([path, content]) => [`${LOG_BUNDLE}/${path}`, content]));
}

/** Changes of a log bundle that omit the journals of control plane nodes, as if none let the bootstrap in. */
export function omitMasterLogs(design: Design): Record<string, null> {
  return Object.fromEntries(
    Object.keys(createLogBundle(design))
      .filter((path) => path.includes('/control-plane/'))
      .map((path) => [path.slice(LOG_BUNDLE.length + 1), null]),
  );
}
