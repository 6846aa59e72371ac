import type { ReportPart } from '../../artifacts/report.ts';
import { isSingleNode } from '../../design/choices.ts';
import { getNodeFqdn, listNodesWithRole } from '../../design/derived-facts.ts';
import { formatDocumentationLink } from '../../design/documentation.ts';
import { getVersionProfile } from '../../design/versions.ts';
import { catalogue, formatCommandLine } from '../../i18n/catalogue.ts';
import type { ClusterSnapshot } from '../../kube/snapshot.ts';
import { isControlPlaneNode, listInternalAddresses } from '../../openshift/node.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import { isReplaceableMember } from '../shared/machines/node-facts.ts';
import { workspace } from '../shared/workspace.ts';
import type { ReportSource } from './observations.ts';

type Task = Extract<ReportPart, { readonly kind: 'tasks' }>['tasks'][number];

const OAUTH_PATCH = JSON.stringify({
  spec: {
    identityProviders: [
      { name: 'local', mappingMethod: 'claim', type: 'HTPasswd', htpasswd: { fileData: { name: 'htpass-secret' } } },
    ],
  },
});

/** Whether a name or an address from the API can be part of a command; others are left out. */
const isSafeInCommand = (text: string) => /^[\w.:-]+$/.test(text);

/**
 * Lists the tasks of the cluster's administrators after the installation, with the exact commands for this cluster.
 * Commands of the wizard need its install directory.
 */
export function listPostInstallTasks(
  { design, session, hasUserDesign }: ReportSource,
  snapshot: ClusterSnapshot | null,
): Task[] {
  const { tasks } = catalogue().report;
  const dir = session?.context.dir ?? null;
  const controlPlaneNodes = hasUserDesign
    ? listNodesWithRole(design, 'control-plane').map((node) => ({
        name: getNodeFqdn(design, node),
        address: node.ip[0] ?? '',
      }))
    : (snapshot?.nodes ?? []).filter(isControlPlaneNode).flatMap((node) => {
        const [address = node.name] = listInternalAddresses(node);
        return [node.name, address].every(isSafeInCommand) ? [{ name: node.name, address }] : [];
      });
  const { name: node = 'NODE', address = 'ADDRESS' } = controlPlaneNodes[0] ?? {};
  const healthyName = controlPlaneNodes[1]?.name ?? node;
  const formatLink = (page: string) => formatDocumentationLink(design.openshift.version, page);
  const hasFencing = hasUserDesign && design.topology === 'fencing';
  const hasOneMember = hasUserDesign ? isSingleNode(design.topology) : controlPlaneNodes.length < 2;
  const canWizardReplace =
    dir !== null && isReplaceableMember(design, listNodesWithRole(design, 'control-plane')[0]?.name ?? '');
  const version = snapshot?.clusterVersion?.version || design.openshift.version;
  const hasNodeImage = getVersionProfile(version).nodeImage !== 'no';
  const approveCommands = dir === null ? [] : [formatCommandLine('csr', 'approve', '--expected', '--dir', dir)];
  return [
    ...(dir === null
      ? []
      : [
          {
            ...tasks.kubeconfig,
            commands: [`export KUBECONFIG=${quoteShellArg(workspace(dir).kubeconfig)}`, 'oc whoami'],
          },
        ]),
    {
      ...tasks.identity,
      text: tasks.identity.text(
        formatLink(
          'authentication_and_authorization/configuring-identity-providers#configuring-htpasswd-identity-provider',
        ),
      ),
      commands: [
        'htpasswd -c -B users.htpasswd admin',
        'oc create secret generic htpass-secret --from-file=htpasswd=users.htpasswd -n openshift-config',
        `oc patch oauth cluster --type merge -p '${OAUTH_PATCH}'`,
        'oc adm policy add-cluster-role-to-user cluster-admin admin',
      ],
    },
    { ...tasks.kubeadmin, commands: ['oc delete secret kubeadmin -n kube-system'] },
    {
      ...tasks.backup,
      commands: [
        `oc debug node/${node} -- chroot /host /usr/local/bin/cluster-backup.sh /home/core/backup`,
        `ssh core@${address} sudo tar -C /home/core -cz backup > etcd-backup.tar.gz`,
      ],
    },
    ...(hasFencing
      ? [{ ...tasks.fencing, commands: [`oc debug node/${node} -- chroot /host pcs status --full`] }]
      : []),
    // Nodes cannot be added to two nodes with fencing.
    ...(dir === null || hasFencing
      ? []
      : [
          {
            ...tasks.later,
            text: tasks.later.text(hasNodeImage),
            commands: [
              formatCommandLine('--dir', dir),
              ...approveCommands,
              ...(hasNodeImage ? [`${formatCommandLine('export', 'node-image', '--dir', dir)} > node-image.sh`] : []),
            ],
          },
        ]),
    {
      ...tasks.stop,
      text: tasks.stop.text(formatLink('backup_and_restore/graceful-shutdown-cluster')),
      commands: ['for node in $(oc get nodes -o name); do oc debug $node -- chroot /host shutdown -h 1; done'],
    },
    { ...tasks.start, commands: ['oc get nodes', 'oc get csr', ...approveCommands, 'oc get clusteroperators'] },
    {
      ...tasks.update,
      commands: [
        ...(dir === null ? [] : [formatCommandLine('report', '--dir', dir)]),
        'oc get clusteroperators',
        'oc get machineconfigpools',
        'oc adm upgrade',
      ],
    },
    // Pacemaker runs the etcd of two nodes with fencing: its members are not removed by hand.
    ...(hasOneMember || hasFencing
      ? []
      : [
          {
            ...tasks.replace,
            text: tasks.replace.text(
              formatLink('backup_and_restore/control-plane-backup-and-restore#replacing-unhealthy-etcd-member'),
              canWizardReplace,
            ),
            commands: canWizardReplace
              ? [formatCommandLine('--dir', dir)]
              : [
                  `oc -n openshift-etcd rsh -c etcd etcd-${healthyName} etcdctl member list -w table`,
                  `oc -n openshift-etcd rsh -c etcd etcd-${healthyName} etcdctl member remove MEMBER_ID`,
                  `oc -n openshift-etcd delete secret etcd-peer-${node} etcd-serving-${node} etcd-serving-metrics-${node}`,
                  `oc delete node ${node}`,
                  ...approveCommands,
                ],
          },
        ]),
    {
      ...tasks.logs,
      commands: [
        'oc adm must-gather',
        `oc adm node-logs ${node} -u kubelet`,
        ...(dir === null
          ? []
          : [formatCommandLine('diagnose', '--dir', dir), formatCommandLine('bundle', '--dir', dir)]),
      ],
    },
  ];
}
