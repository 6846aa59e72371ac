import { nodesWithRole } from '../../../src/design/names.ts';
import { HOUR, MINUTE, SECOND } from '../../../src/ports/clock.ts';
import { clusterVersion, condition, nodeObject, resource } from '../../support/bundle-objects.ts';
import { GATHERED, journal, klog, record, STAGES } from '../../support/bundle-text.ts';
import { exampleSite } from '../../support/example-design.ts';
import { logBundle, withoutMasters } from '../../support/log-bundle.ts';
import { type BundleScene, csr } from './bundle-scene.ts';

const design = exampleSite();
const BS = 'bs.ocp45.example.localdomain';
const RELEASE = 'quay.io/openshift-release-dev/ocp-release@sha256:ab12';
const times = (count: number, ...texts: readonly string[]) => Array.from({ length: count }, () => texts).flat();
const [M1 = ''] = nodesWithRole(design, 'control-plane').map(({ ip }) => ip[0] ?? '');
const masters = nodesWithRole(design, 'control-plane').map(({ name }) => name);
const API = 'api-int.ocp45.example.localdomain';

/** No control plane node let the bootstrap in. @param why what ssh said of each */
const unreached = (why: string) => ({
  ...withoutMasters(design),
  'gather.log': [
    'Gathering bootstrap journals ...',
    'Gather remote logs',
    ...nodesWithRole(design, 'control-plane').flatMap(({ ip }) => [
      `Collecting info from ${ip[0]}`,
      `ssh: connect to host ${ip[0]} port 22: ${why}`,
      'lost connection',
      `ssh: connect to host ${ip[0]} port 22: ${why}`,
    ]),
    '',
  ].join('\n'),
});
/** The API never came up: `oc` leaves files with nothing in them. */
const noApi = Object.fromEntries(
  'nodes clusteroperators clusterversion csr machineconfigpools apiservices namespaces pods configmaps events'
    .split(' ')
    .map((name) => [`resources/${name}.json`, '']),
);
/** The release image does not come: nothing else begins. */
const notPulled = (error: string, more: Readonly<Record<string, string | null>> = {}) =>
  logBundle(design, {
    ...unreached('Connection refused'),
    ...noApi,
    'failed-units.txt':
      '  UNIT                  LOAD   ACTIVE SUB    DESCRIPTION\n* release-image.service loaded failed failed Download the OpenShift Release Image\n\n1 loaded units listed.\n',
    'bootstrap/services/release-image.json': record([], {
      stage: 'pull-release-image',
      said: `Error: ${error}`,
    }),
    'bootstrap/services/bootkube.json': null,
    'bootstrap/journals/release-image.log': journal(
      BS,
      'release-image-download.sh[1201]',
      times(12, `Pulling ${RELEASE}...`, `Error: ${error}`, `Pull failed. Retrying ${RELEASE}...`),
    ),
    'bootstrap/journals/bootkube.log': '-- No entries --\n',
    ...more,
  });
const bootkube = (
  stage: string,
  done: readonly string[],
  messages: readonly string[],
  more: Readonly<Record<string, string | null>> = {},
) =>
  logBundle(design, {
    'bootstrap/services/bootkube.json': record([...STAGES, ...done]).replace(
      /,\s*\{[^{}]*"service end"[^{}]*\}\s*\]/,
      `,\n  {"timestamp":"2026-11-22T11:00:00Z","phase":"stage start","stage":"${stage}"}\n]`,
    ),
    'bootstrap/journals/bootkube.log': journal(BS, 'bootkube.sh[2304]', messages),
    ...more,
  });
const onMaster = (files: Readonly<Record<string, string | null>>, more: Readonly<Record<string, string | null>> = {}) =>
  logBundle(design, {
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`control-plane/${M1}/${path}`, text])),
    ...more,
  });
const notJoined = {
  'resources/nodes.json': resource(),
  'resources/clusterversion.json': resource(
    clusterVersion([
      condition('Available', 'False', 60),
      condition('Failing', 'False'),
      condition('Progressing', 'True', 60, '', 'Working towards 4.18.9: 300 of 900 done (33% complete)'),
    ]),
  ),
  'resources/clusteroperators.json': resource(),
  'resources/configmaps.json': resource(),
};
const ignition = (error: string) =>
  Array.from({ length: 60 }, (_, index) => [
    `GET https://${API}:22623/config/master: attempt #${index + 1}`,
    `GET error: Get "https://${API}:22623/config/master": ${error}`,
  ]).flat();
/** Installations that went wrong, as `gather bootstrap` found them. */
export const LOG_BUNDLE_SCENES: readonly BundleScene[] = [
  [
    'the name of the API',
    ['api-name-wrong'],
    'lookup api.',
    bootkube(
      'cb-bootstrap',
      ['wait-for-etcd'],
      times(
        20,
        'error: Get "https://api.ocp45.example.localdomain:6443/readyz": dial tcp: lookup api.ocp45.example.localdomain on 172.16.0.102:53: no such host',
      ),
      notJoined,
    ),
  ],
  [
    'etcd of the control plane',
    ['control-plane-awaited'],
    'EtcdRunningInCluster',
    bootkube(
      'wait-for-ceo',
      ['wait-for-etcd', 'cb-bootstrap'],
      [
        'Waiting for CEO to finish...',
        ...times(
          30,
          'I1122 11:58:00.000000       1 waitforceo.go:67] waiting on condition EtcdRunningInCluster in etcd CR /cluster to be True.',
        ),
      ],
      notJoined,
    ),
  ],
  [
    'kubelets that trust another authority',
    ['ignition-of-another-cluster'],
    'unknown authority',
    onMaster(
      {
        'journals/kubelet.log': journal(
          'm1',
          'kubenswrapper[2345]',
          times(
            20,
            `${klog('E', MINUTE, 'kubelet_node_status.go:95')} "Unable to register node with API server" err="Post \\"https://${API}:6443/api/v1/nodes\\": tls: failed to verify certificate: x509: certificate signed by unknown authority" node="m1"`,
          ),
        ),
      },
      notJoined,
    ),
  ],
  [
    'the pull secret is refused',
    ['pull-secret-rejected'],
    'unauthorized',
    notPulled(
      `initializing source docker://${RELEASE}: unable to retrieve auth token: invalid username/password: unauthorized: Could not find robot with specified username`,
    ),
  ],
  [
    'a mirror nobody trusts',
    ['registry-untrusted'],
    'unknown authority',
    notPulled(
      'initializing source docker://registry.ocp45.example.localdomain:5000/ocp4/openshift4@sha256:ab12: pinging container registry registry.ocp45.example.localdomain:5000: Get "https://registry.ocp45.example.localdomain:5000/v2/": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    ),
  ],
  [
    'no way out',
    ['gateway-wrong', 'registry-unreachable'],
    'no route to host',
    notPulled(
      `initializing source docker://${RELEASE}: pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp 34.224.196.162:443: connect: no route to host`,
    ),
  ],
  [
    'a firewall that drops',
    ['registry-unreachable'],
    'i/o timeout',
    notPulled(
      `initializing source docker://${RELEASE}: pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp 34.224.196.162:443: i/o timeout`,
    ),
  ],
  [
    'names of the internet',
    ['outside-names-missing'],
    'lookup quay.io',
    notPulled(
      `initializing source docker://${RELEASE}: pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp: lookup quay.io on 172.16.0.102:53: no such host`,
    ),
  ],
  [
    'a name server that fails',
    ['outside-names-missing', 'resolver-fails'],
    'server misbehaving',
    notPulled(
      `initializing source docker://${RELEASE}: pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp: lookup quay.io on 172.16.0.102:53: server misbehaving`,
    ),
  ],
  [
    'a mirror without the release',
    ['release-missing'],
    'manifest unknown',
    notPulled(
      `initializing source docker://${RELEASE}: reading manifest sha256:ab12 in registry.ocp45.example.localdomain:5000/ocp4/openshift4: manifest unknown`,
    ),
  ],
  [
    'etcd on the bootstrap',
    ['bootstrap-etcd-down'],
    'etcdctl failed',
    bootkube(
      'wait-for-etcd',
      [],
      [
        'Starting etcd...',
        ...times(
          60,
          '{"level":"warn","ts":"2026-11-22T11:58:00.1Z","logger":"client","caller":"v3/retry_interceptor.go:62","msg":"retrying of unary invoker failed","error":"rpc error: code = DeadlineExceeded desc = context deadline exceeded"}',
          'https://localhost:2379 is unhealthy: failed to commit proposal: context deadline exceeded',
          'Error: unhealthy cluster',
          'etcdctl failed. Retrying in 5 seconds...',
        ),
      ],
      { ...unreached('Connection refused'), ...noApi },
    ),
  ],
  [
    'the API on the bootstrap',
    ['bootstrap-api-down'],
    'Still waiting for the Kubernetes API',
    bootkube(
      'cb-bootstrap',
      ['wait-for-etcd'],
      [
        'Starting cluster-bootstrap...',
        'Starting temporary bootstrap control plane...',
        'Waiting up to 20m0s for the Kubernetes API',
        ...times(
          60,
          'Still waiting for the Kubernetes API: Get "https://localhost:6443/readyz": dial tcp [::1]:6443: connect: connection refused',
        ),
      ],
      { ...unreached('Connection refused'), ...noApi },
    ),
  ],
  [
    'nobody comes to the bootstrap',
    ['control-plane-unreached'],
    `ssh: connect to host ${M1}`,
    bootkube(
      'cb-bootstrap',
      ['wait-for-etcd'],
      [
        'Starting cluster-bootstrap...',
        'API is up',
        ...times(
          40,
          '\tPod Status:openshift-kube-apiserver/kube-apiserver\tDoesNotExist',
          '\tPod Status:openshift-cluster-version/cluster-version-operator\tPending',
        ),
        'Error: error while checking pod status: timed out waiting for the condition',
        'Tearing down temporary bootstrap control plane...',
      ],
      { ...unreached('Connection timed out'), ...notJoined, 'resources/nodes.list': '', 'resources/masters.list': '' },
    ),
  ],
  [
    '22623 is refused',
    ['config-server-closed'],
    ':22623',
    onMaster(
      {
        'journals/ignition-fetch.log': journal(
          'm1',
          'ignition[781]',
          ignition('dial tcp 172.16.0.111:22623: connect: connection refused'),
          5 * SECOND,
        ),
      },
      notJoined,
    ),
  ],
  [
    '22623 is dropped',
    ['config-server-closed'],
    ':22623',
    logBundle(design, {
      'serial/m1-serial.log': ignition('dial tcp 172.16.0.111:22623: i/o timeout')
        .map((line, index) => `[ ${600 + index}.785229] ignition[706]: ${line}\n`)
        .join(''),
      ...notJoined,
    }),
  ],
  [
    'api-int is unknown',
    ['api-int-missing'],
    'no such host',
    onMaster(
      {
        'journals/kubelet.log': journal(
          'm1',
          'kubenswrapper[2345]',
          times(
            30,
            `${klog('E', MINUTE, 'kubelet_node_status.go:95')} "Unable to register node with API server" err="Post \\"https://${API}:6443/api/v1/nodes\\": dial tcp: lookup ${API} on 172.16.0.1:53: no such host" node="m1"`,
          ),
        ),
      },
      notJoined,
    ),
  ],
  [
    'stale ignition',
    ['ignition-stale'],
    'is after',
    onMaster(
      {
        'journals/kubelet.log': journal(
          'm1',
          'kubenswrapper[2345]',
          times(
            30,
            `${klog('E', MINUTE, 'certificate_manager.go:562')} "Unhandled Error" err="kubernetes.io/kube-apiserver-client-kubelet: Failed while requesting a signed certificate from the control plane: cannot create certificate signing request: Post \\"https://${API}:6443/apis/certificates.k8s.io/v1/certificatesigningrequests\\": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-22T11:59:00Z is after 2026-11-22T08:12:00Z"`,
          ),
        ),
      },
      notJoined,
    ),
  ],
  [
    'a clock that is behind',
    ['clock-skew'],
    'is before',
    onMaster(
      {
        'journals/kubelet.log': journal(
          'm1',
          'kubenswrapper[2345]',
          times(
            30,
            `${klog('E', 8 * HOUR, 'reflector.go:150')} failed to list *v1.Node: Get \\"https://${API}:6443/api/v1/nodes\\": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-22T03:59:00Z is before 2026-11-22T10:00:00Z`,
          ),
        ).replaceAll('Nov 22 11:', 'Nov 22 03:'),
      },
      notJoined,
    ),
  ],
  [
    'ignition of another run',
    ['ignition-of-another-cluster'],
    'unknown authority',
    onMaster(
      {
        'journals/ignition-fetch.log': journal(
          'm1',
          'ignition[781]',
          ignition(
            'tls: failed to verify certificate: x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying to verify candidate authority certificate "root-ca")',
          ),
          5 * SECOND,
        ),
      },
      notJoined,
    ),
  ],
  [
    'a node named localhost',
    ['hostname-localhost'],
    'localhost',
    onMaster(
      {
        'network/hostname.txt': 'localhost.localdomain\n',
        'journals/kubelet.log': journal(
          'localhost',
          'kubenswrapper[2345]',
          times(
            30,
            `${klog('E', MINUTE, 'kubelet.go:2410')} "Error getting node" err="node \\"localhost.localdomain\\" not found"`,
          ),
        ),
      },
      notJoined,
    ),
  ],
  [
    'no default route',
    ['gateway-wrong'],
    'default',
    onMaster(
      { 'network/ip-route.txt': '172.16.0.0/24 dev ens3 proto kernel scope link src 172.16.0.21 metric 100 \n' },
      notJoined,
    ),
  ],
  [
    'requests that nobody approved',
    ['requests-wait'],
    'Pending',
    logBundle(design, {
      ...notJoined,
      'resources/nodes.json': resource(...masters.map((name) => nodeObject(design, name))),
      'resources/csr.json': resource(...['w1', 'w2'].map((name) => csr(name))),
    }),
  ],
  [
    'slow disks',
    ['etcd-disk-slow'],
    'took too long',
    onMaster(
      {
        'containers/etcd-6574.log': Array.from(
          { length: 60 },
          (_, index) =>
            `{"level":"warn","ts":"${new Date(GATHERED - index * 9 * SECOND).toISOString()}","caller":"etcdserver/util.go:170","msg":"apply request took too long","took":"${1 + (index % 5)}.${index}s","expected-duration":"200ms","prefix":"","request":"header:<ID:1 >"}`,
        )
          .toReversed()
          .join('\n'),
      },
      notJoined,
    ),
  ],
  [
    'images that nodes may not pull',
    ['pull-secret-rejected'],
    'unauthorized',
    onMaster(
      {
        'journals/machine-config-daemon-firstboot.log': journal(
          'm1',
          'machine-config-daemon[1500]',
          times(
            10,
            `${klog('W', MINUTE, 'run.go:40')} podman failed: running podman pull -q --authfile /var/lib/kubelet/config.json quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:c1c2 failed: Error: initializing source docker://quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:c1c2: reading manifest sha256:c1c2 in quay.io/openshift-release-dev/ocp-v4.0-art-dev: unauthorized: access to the requested resource is not authorized: exit status 125; retrying...`,
          ),
        ),
      },
      notJoined,
    ),
  ],
];
