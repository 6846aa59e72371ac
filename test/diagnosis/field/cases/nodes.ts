import {
  complete,
  fqdn,
  MASTERS,
  member,
  operator,
  router,
  WORKERS,
  withCluster,
} from '../../../checks/rules/base-evidence.ts';
import { onMaster } from '../../../steps/diagnose/scenes/log-bundles.ts';
import { incompleteVersion, unhealthyOperator, withoutFiles } from '../../../steps/diagnose/scenes/must-gathers.ts';
import { createLogBundle } from '../../../support/log-bundle.ts';
import { createListFile, createMustGather, createObjectFiles } from '../../../support/must-gather.ts';
import {
  bundle,
  DOMAIN,
  design,
  type FieldCase,
  formatConsoleAttempts,
  formatPasted,
  site,
  text,
  times,
} from '../field-case.ts';
import { bootstrapJournal, packWaitingBootstrap } from './bootstrap.ts';

const ROUTE_EOF = `OAuthServerRouteEndpointAccessibleControllerAvailable: Get "https://oauth-openshift.apps.${DOMAIN}/healthz": EOF`;
const routerPods = (names: readonly string[]) =>
  createListFile(
    'openshift-ingress',
    'pods',
    'Pod',
    ...names.map((name, index) => ({
      metadata: { name: `router-default-5d94b48b5-gzz8${index}`, namespace: 'openshift-ingress' },
      spec: { nodeName: fqdn(name) },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    })),
  );
const REST_MAPPING = Array.from({ length: 40 }, (_, index) => [
  `[#${index + 1}] failed to create some manifests:`,
  '"99_openshift-machineconfig_99-master-ssh.yaml": unable to get REST mapping for "99_openshift-machineconfig_99-master-ssh.yaml": no matches for kind "MachineConfig" in version "machineconfiguration.openshift.io/v1"',
  '"99_openshift-machineconfig_99-worker-ssh.yaml": unable to get REST mapping for "99_openshift-machineconfig_99-worker-ssh.yaml": no matches for kind "MachineConfig" in version "machineconfiguration.openshift.io/v1"',
]).flat();

/** Cases of nodes and operators, and signs that are normal. */
export const NODE_FIELD_CASES: readonly FieldCase[] = [
  {
    id: 'F11',
    source: 'https://github.com/okd-project/okd/issues/648',
    symptom: 'a node calls itself localhost',
    cause: 'it gets no name from DHCP or from a reverse record',
    expected: ['hostname-localhost'],
    evidence: [
      bundle(
        onMaster({
          'network/hostname.txt': 'localhost\n',
          'journals/kubelet.log': formatPasted(
            'localhost',
            'hyperkube[1789]',
            ...times(20, 'E1122 11:59:00.146953    1789 kubelet.go:2270] node "localhost" not found'),
          ).join('\n'),
        }),
      ),
      text(
        ...formatPasted(
          'localhost',
          'set-valid-hostname.sh[1233]',
          'waiting for non-localhost hostname to be assigned',
        ),
        ...formatPasted(
          'localhost',
          'systemd[1]',
          'node-valid-hostname.service: start operation timed out. Terminating.',
          "node-valid-hostname.service: Failed with result 'timeout'.",
          'Failed to start Ensure the node hostname is valid for the cluster.',
        ),
      ),
      text(
        'NAME        AGE   SIGNERNAME                                    REQUESTOR                           CONDITION',
        'csr-4xk7n   9m    kubernetes.io/kubelet-serving                 system:node:localhost.localdomain   Pending',
      ),
    ],
  },
  {
    id: 'F19',
    source: 'https://github.com/openshift/installer/issues/3960',
    symptom: 'console and login are degraded',
    cause: 'the routers run on control plane nodes, and the load balancer leads to workers',
    expected: ['routers-outside-pool'],
    evidence: [
      site(
        withCluster(complete, {
          routers: MASTERS.slice(0, 2).map((name, index) => router(`router-default-${index}`, fqdn(name))),
          operators: [
            operator('authentication', 'routes-closed', ROUTE_EOF),
            operator(
              'console',
              'routes-closed',
              `RouteHealthAvailable: failed to GET route (https://console-openshift-console.apps.${DOMAIN}): EOF`,
            ),
          ],
        }),
      ),
      bundle(
        createMustGather(design, {
          ...incompleteVersion,
          ...withoutFiles('openshift-ingress/pods/'),
          ...createObjectFiles(
            unhealthyOperator(
              'authentication',
              'OAuthServerRouteEndpointAccessibleController_EndpointUnavailable',
              ROUTE_EOF,
            ),
          ),
          ...routerPods(MASTERS.slice(0, 2)),
        }),
      ),
      text(
        'NAME             VERSION   AVAILABLE   PROGRESSING   DEGRADED   SINCE   MESSAGE',
        'authentication   4.9.5     False       False         True       6h55m   OAuthServerRouteEndpointAccessibleControllerAvailable: Get "https://oauth-openshift.apps.lab.ocp.lan/healthz": EOF',
        'baremetal        4.9.5     True        False         False      6h53m   ',
        'console          4.9.5     False       True          False      6h45m   DeploymentAvailable: 0 replicas available for console deployment...',
        'ingress          4.9.5     True        False         False      6h53m   ',
        'root:~# oc get pods --all-namespaces -o wide|grep route',
        'openshift-ingress      router-default-5d94b48b5-gzz8p     1/1     Running     0          8m18s   192.168.20.35   control-plane-0   <none>           <none>',
        'openshift-ingress      router-default-5d94b48b5-lfldq     1/1     Running     0          8m18s   192.168.20.37   control-plane-2   <none>           <none>',
      ),
    ],
  },
  {
    id: 'F21',
    source: 'https://github.com/okd-project/okd/issues/771',
    symptom: 'only two of the members of 443 are up',
    cause: 'none: two routers run on two nodes',
    expected: [],
    evidence: [
      site({
        ...complete,
        balancerMembers: [
          ...complete.balancerMembers.filter(({ pool }) => pool !== 'ingress-https'),
          ...[...WORKERS, ...MASTERS.slice(0, 1)].map((name, index) =>
            member('ingress-https', name, index < 2 ? 'UP' : 'DOWN', index < 2 ? 'L7OK/200' : 'L4CON'),
          ),
        ],
        lines: [
          {
            source: 'haproxy',
            host: 'lb1',
            text: '[WARNING] (1234) : Server ingress-https/w3 is DOWN, reason: Layer4 connection problem, info: "Connection refused", check duration: 0ms. 2 active and 0 backup servers left.',
            at: complete.now - 60_000,
          },
        ],
      }),
      bundle(createMustGather(design)),
      text(
        ...formatPasted(
          'lb1',
          'haproxy[1234]',
          ...['w3', 'w4', 'm1'].map(
            (name) =>
              `[WARNING]  (1234) : Server ingress-https/${name} is DOWN, reason: Layer4 connection problem, info: "Connection refused", check duration: 0ms. 2 active and 0 backup servers left. 0 sessions active, 0 requeued, 0 remaining in queue.`,
          ),
        ),
        '$ curl -k https://172.16.0.33:443',
        'curl: (7) Failed to connect to 172.16.0.33 port 443: Connection refused',
      ),
    ],
  },
  {
    id: 'F23',
    source: 'https://github.com/okd-project/okd/issues/507',
    symptom: 'a machine asks itself for names',
    cause: 'DHCP, or the address that was set by hand, gives no name server',
    expected: ['dhcp-options-wrong'],
    evidence: [
      text(
        ...formatPasted(
          'localhost',
          'release-image-download.sh[811]',
          ...times(
            4,
            'Pull failed. Retrying quay.io/openshift/okd@sha256:63289dbb...',
            'Error: Error initializing source docker://quay.io/openshift/okd@sha256:63289dbb: error pinging docker registry quay.io: Get "https://quay.io/v2/": dial tcp: lookup quay.io on [::1]:53: read udp [::1]:46964->[::1]:53: read: connection refused',
          ),
        ),
      ),
      bundle(
        packWaitingBootstrap({
          'serial/m1.log': formatConsoleAttempts({
            first: 347,
            reply:
              'error: Get "URL": dial tcp: lookup api-int.ocp45.example.localdomain on [::1]:53: read udp [::1]:45552->[::1]:53: read: connection refused',
          }).join('\n'),
        }),
      ),
    ],
  },
  {
    id: 'F35',
    source: 'https://github.com/okd-project/okd/discussions/2129',
    symptom: 'bootkube cannot get a REST mapping for MachineConfig',
    cause: 'none: it tries again until the Machine Config Operator has created the kind',
    expected: [],
    evidence: [
      text(...formatPasted('bootstrap', 'bootkube.sh[2304]', 'API is up', ...REST_MAPPING)),
      bundle(
        createLogBundle(design, {
          'bootstrap/journals/bootkube.log': bootstrapJournal('bootkube.sh[2304]', [
            'API is up',
            ...REST_MAPPING,
            'Created "99_openshift-machineconfig_99-master-ssh.yaml" machineconfigs.v1.machineconfiguration.openshift.io/99-master-ssh -n ',
          ]),
        }),
      ),
    ],
  },
  {
    id: 'F37',
    source: 'https://github.com/okd-project/okd/issues/1972',
    symptom: 'a worker that was added later creates no request',
    cause: 'not known: the thread is open',
    expected: [],
    evidence: [
      bundle(createMustGather(design)),
      text(
        ...formatConsoleAttempts({ role: 'worker', first: 1, count: 1, reply: 'result: OK' }),
        '[   17.301200] ignition[706]: Ignition finished successfully',
        '[  OK  ] Reached target Ignition Complete.',
        'Fedora CoreOS 39.20240210.3.0',
        'Kernel 6.7.4-200.fc39.x86_64 on an x86_64 (ttyS0)',
        'worker-2 login:',
      ),
    ],
  },
];
