import { SHORTCUTS } from '../../shortcuts.ts';

/** Checks before a lost member of etcd is replaced: `title` if it passes, `wrong` if it fails. */
export const replacementChecks = {
  'member-lost': {
    title: 'the nodes of etcd are Ready',
    wrong: 'its node is not Ready, and etcd has lost a member',
    remedy: `Bring it back first (power, console, network). If it is lost for good, select it here and press ${SHORTCUTS.markReinstalled}: the wizard replaces it.`,
  },
  'replace-members': {
    title: 'the members of etcd can be read',
    wrong: 'the members of etcd cannot be read',
    remedy: 'The wizard reads them in a pod of etcd on another node: `oc get pods -n openshift-etcd -o wide`',
  },
  'replace-node': {
    title: 'its node is not Ready',
    wrong: 'its node is Ready, so it is not lost',
    unknown: 'not reported by the API',
    remedy: `To replace it anyway, power off its machine, wait a minute, and press ${SHORTCUTS.recheck}. To keep it, press ${SHORTCUTS.markReinstalled}.`,
  },
  'replace-machine': {
    title: 'its machine is off',
    wrong: 'its machine still answers',
    remedy: `Power it off: its etcd would run on without the others. Then press ${SHORTCUTS.recheck}.`,
  },
  'replace-quorum': {
    title: 'the other members keep the quorum',
    wrong: 'too few other members are healthy: etcd would lose its quorum',
    remedy:
      'Repair the other control plane nodes first. If most of them are lost, restore the cluster from a backup of etcd, as the documentation describes.',
    evidence: (ready: number, count: number) => `${ready} of ${count} other control plane nodes are Ready`,
  },
};
