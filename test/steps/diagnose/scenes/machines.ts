import { HOUR, MINUTE, SECOND } from '../../../../src/platform/clock.ts';
import { formatResources, nodeObject } from '../../../support/bundle-objects.ts';
import { formatJournal, formatKlogPrefix, GATHERED_AT } from '../../../support/bundle-text.ts';
import { createLogBundle } from '../../../support/log-bundle.ts';
import { type BundleScene, createCsr } from '../bundle-scene.ts';
import { API_INT, design, ignitionErrors, masters, noNodes, onMaster, times } from './log-bundles.ts';

/** Installations whose machines do not form a cluster, as `gather bootstrap` finds them. */
export const MACHINE_SCENES: readonly BundleScene[] = [
  [
    'kubelets that trust another authority',
    ['ignition-of-another-cluster'],
    'unknown authority',
    onMaster(
      {
        'journals/kubelet.log': formatJournal(
          'm1',
          'kubenswrapper[2345]',
          times(
            20,
            `${formatKlogPrefix('E', MINUTE, 'kubelet_node_status.go:95')} "Unable to register node with API server" err="Post \\"https://${API_INT}:6443/api/v1/nodes\\": tls: failed to verify certificate: x509: certificate signed by unknown authority" node="m1"`,
          ),
        ),
      },
      noNodes,
    ),
  ],
  [
    '22623 is refused',
    ['config-server-closed'],
    ':22623',
    onMaster(
      {
        'journals/ignition-fetch.log': formatJournal(
          'm1',
          'ignition[781]',
          ignitionErrors('dial tcp 172.16.0.111:22623: connect: connection refused'),
          5 * SECOND,
        ),
      },
      noNodes,
    ),
  ],
  [
    '22623 is dropped',
    ['config-server-closed'],
    ':22623',
    createLogBundle(design, {
      'serial/m1-serial.log': ignitionErrors('dial tcp 172.16.0.111:22623: i/o timeout')
        .map((line, index) => `[ ${600 + index}.785229] ignition[706]: ${line}\n`)
        .join(''),
      ...noNodes,
    }),
  ],
  [
    'api-int is unknown to a name server that is not the cluster’s',
    ['resolver-elsewhere', 'api-int-missing'],
    'no such host',
    onMaster(
      {
        'journals/kubelet.log': formatJournal(
          'm1',
          'kubenswrapper[2345]',
          times(
            30,
            `${formatKlogPrefix('E', MINUTE, 'kubelet_node_status.go:95')} "Unable to register node with API server" err="Post \\"https://${API_INT}:6443/api/v1/nodes\\": dial tcp: lookup ${API_INT} on 172.16.0.1:53: no such host" node="m1"`,
          ),
        ),
      },
      noNodes,
    ),
  ],
  [
    'stale ignition',
    ['ignition-stale'],
    'is after',
    onMaster(
      {
        'journals/kubelet.log': formatJournal(
          'm1',
          'kubenswrapper[2345]',
          times(
            30,
            `${formatKlogPrefix('E', MINUTE, 'certificate_manager.go:562')} "Unhandled Error" err="kubernetes.io/kube-apiserver-client-kubelet: Failed while requesting a signed certificate from the control plane: cannot create certificate signing request: Post \\"https://${API_INT}:6443/apis/certificates.k8s.io/v1/certificatesigningrequests\\": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-22T11:59:00Z is after 2026-11-22T08:12:00Z"`,
          ),
        ),
      },
      noNodes,
    ),
  ],
  [
    'a clock that is behind',
    ['clock-skew'],
    'is before',
    onMaster(
      {
        'journals/kubelet.log': formatJournal(
          'm1',
          'kubenswrapper[2345]',
          times(
            30,
            `${formatKlogPrefix('E', 8 * HOUR, 'reflector.go:150')} failed to list *v1.Node: Get \\"https://${API_INT}:6443/api/v1/nodes\\": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-22T03:59:00Z is before 2026-11-22T10:00:00Z`,
          ),
        ).replaceAll('Nov 22 11:', 'Nov 22 03:'),
      },
      noNodes,
    ),
  ],
  [
    'ignition of another run',
    ['ignition-of-another-cluster'],
    'unknown authority',
    onMaster(
      {
        'journals/ignition-fetch.log': formatJournal(
          'm1',
          'ignition[781]',
          ignitionErrors(
            'tls: failed to verify certificate: x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying to verify candidate authority certificate "root-ca")',
          ),
          5 * SECOND,
        ),
      },
      noNodes,
    ),
  ],
  [
    'a node named localhost',
    ['hostname-localhost'],
    'localhost',
    onMaster(
      {
        'network/hostname.txt': 'localhost.localdomain\n',
        'journals/kubelet.log': formatJournal(
          'localhost',
          'kubenswrapper[2345]',
          times(
            30,
            `${formatKlogPrefix('E', MINUTE, 'kubelet.go:2410')} "Error getting node" err="node \\"localhost.localdomain\\" not found"`,
          ),
        ),
      },
      noNodes,
    ),
  ],
  [
    'no default route',
    ['gateway-wrong'],
    'default',
    onMaster(
      { 'network/ip-route.txt': '172.16.0.0/24 dev ens3 proto kernel scope link src 172.16.0.21 metric 100 \n' },
      noNodes,
    ),
  ],
  [
    'requests that are not approved',
    ['requests-wait'],
    'Pending',
    createLogBundle(design, {
      ...noNodes,
      'resources/nodes.json': formatResources(...masters.map((name) => nodeObject(design, name))),
      'resources/csr.json': formatResources(...['w1', 'w2'].map((name) => createCsr(name))),
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
            `{"level":"warn","ts":"${new Date(GATHERED_AT - index * 9 * SECOND).toISOString()}","caller":"etcdserver/util.go:170","msg":"apply request took too long","took":"${1 + (index % 5)}.${index}s","expected-duration":"200ms","prefix":"","request":"header:<ID:1 >"}`,
        )
          .toReversed()
          .join('\n'),
      },
      noNodes,
    ),
  ],
  [
    'images that nodes may not pull',
    ['pull-secret-rejected'],
    'unauthorized',
    onMaster(
      {
        'journals/machine-config-daemon-firstboot.log': formatJournal(
          'm1',
          'machine-config-daemon[1500]',
          times(
            10,
            `${formatKlogPrefix('W', MINUTE, 'run.go:40')} podman failed: running podman pull -q --authfile /var/lib/kubelet/config.json quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:c1c2 failed: Error: initializing source docker://quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:c1c2: reading manifest sha256:c1c2 in quay.io/openshift-release-dev/ocp-v4.0-art-dev: unauthorized: access to the requested resource is not authorized: exit status 125; retrying...`,
          ),
        ),
      },
      noNodes,
    ),
  ],
];
