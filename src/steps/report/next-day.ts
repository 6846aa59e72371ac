import type { ReportPart } from '../../artifacts/report.ts';
import { nodeFqdn, nodesWithRole } from '../../design/derived-facts.ts';
import { formatDocumentationLink } from '../../design/documentation.ts';
import { catalogue, commandLine } from '../../i18n/catalogue.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import type { StepContext } from '../contract.ts';
import { workspace } from '../shared/workspace.ts';

type Task = Extract<ReportPart, { readonly kind: 'tasks' }>['tasks'][number];

const OAUTH_PATCH = JSON.stringify({
  spec: {
    identityProviders: [
      { name: 'local', mappingMethod: 'claim', type: 'HTPasswd', htpasswd: { fileData: { name: 'htpass-secret' } } },
    ],
  },
});

/** Lists the tasks of the cluster's administrators after the installation, with the exact commands for this cluster. */
export function listNextDayTasks({ design, dir }: StepContext): Task[] {
  const { tasks } = catalogue().report;
  const controlPlane = nodesWithRole(design, 'control-plane').map((node) => nodeFqdn(design, node));
  const [node = ''] = controlPlane;
  const address = nodesWithRole(design, 'control-plane')[0]?.ip[0] ?? '';
  const link = (page: string) => formatDocumentationLink(design.openshift.version, page);
  const isSingle = design.topology === 'single-node';
  const approve = commandLine('csr', 'approve', '--expected', '--dir', dir);
  return [
    { ...tasks.kubeconfig, commands: [`export KUBECONFIG=${quoteShellArg(workspace(dir).kubeconfig)}`, 'oc whoami'] },
    {
      ...tasks.identity,
      text: tasks.identity.text(
        link('authentication_and_authorization/configuring-identity-providers#configuring-htpasswd-identity-provider'),
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
    { ...tasks.later, commands: [commandLine('--dir', dir), approve] },
    {
      ...tasks.stop,
      text: tasks.stop.text(link('backup_and_restore/graceful-shutdown-cluster')),
      commands: ['for node in $(oc get nodes -o name); do oc debug $node -- chroot /host shutdown -h 1; done'],
    },
    { ...tasks.start, commands: ['oc get nodes', approve, 'oc get clusteroperators'] },
    {
      ...tasks.update,
      commands: [
        'oc get clusteroperators',
        'oc get machineconfigpools',
        `oc get apirequestcounts -o jsonpath='{range .items[?(@.status.removedInRelease!="")]}{.metadata.name}{"\\n"}{end}'`,
        'oc adm upgrade',
      ],
    },
    ...(isSingle
      ? []
      : [
          {
            ...tasks.replace,
            text: tasks.replace.text(
              link('backup_and_restore/control-plane-backup-and-restore#replacing-unhealthy-etcd-member'),
            ),
            commands: [
              `oc -n openshift-etcd rsh -c etcd etcd-${controlPlane[1] ?? node} etcdctl member list -w table`,
              `oc -n openshift-etcd rsh -c etcd etcd-${controlPlane[1] ?? node} etcdctl member remove MEMBER_ID`,
              `oc -n openshift-etcd delete secret etcd-peer-${node} etcd-serving-${node} etcd-serving-metrics-${node}`,
              `oc delete node ${node}`,
              approve,
            ],
          },
        ]),
    {
      ...tasks.logs,
      commands: [
        'oc adm must-gather',
        `oc adm node-logs ${node} -u kubelet`,
        commandLine('diagnose', '--dir', dir),
        commandLine('bundle', '--dir', dir),
      ],
    },
  ];
}
