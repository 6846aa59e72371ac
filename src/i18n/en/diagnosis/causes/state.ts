/** Diagnostic rules about a running cluster, from the status of its objects. */
export const stateCauses = {
  'request-denied': {
    title: 'The certificate request of a planned node was denied',
    cause:
      'An administrator or an approver denied it, or the signer refused it. The node sends a new one within a minute.',
    remedy:
      'If each new request is denied as well, an approver denies them: its reason is in the request. Find that approver and stop it. `oc get pods -A | grep -i -e csr -e approver` `oc scale deployment NAME -n NAMESPACE --replicas=0` Then approve the next request on the Certificates step, or in a terminal: `upi-wizard csr approve --expected`',
  },
  'node-cordoned': {
    title: 'A node accepts no new pods',
    cause: 'It is cordoned (SchedulingDisabled), and no change of its configuration is under way.',
    remedy: 'If its maintenance is over, let it accept pods again: `oc adm uncordon NODE`',
  },
  'pool-degraded': {
    title: 'A MachineConfigPool is degraded',
    cause:
      'The Machine Config Operator cannot render the configuration of the pool (RenderDegraded), or a node cannot apply it (NodeDegraded).',
    remedy:
      'RenderDegraded: a MachineConfig of the pool cannot be read. Find the newest one, and correct it or delete it. `oc get machineconfig --sort-by=.metadata.creationTimestamp` `oc delete machineconfig NAME` NodeDegraded: the message names the node. See what its daemon reports. `oc get pods -n openshift-machine-config-operator -o wide` `oc logs -n openshift-machine-config-operator -c machine-config-daemon POD`',
  },
  'api-service-unavailable': {
    title: 'An aggregated API does not answer',
    cause: 'The pods behind its service are down, or the API server does not reach them.',
    remedy:
      'Look at the pods of the service that the message names. If the service is missing because its component was removed, delete the APIService as well: `oc delete apiservice NAME`',
  },
  'webhook-unanswered': {
    title: 'An admission webhook does not answer',
    cause: 'Objects that are created or changed pass it first. Without its answer the API rejects them.',
    remedy:
      'Look at the pods of its service. If it belongs to something that was removed, delete its configuration: `oc delete validatingwebhookconfiguration NAME` or `oc delete mutatingwebhookconfiguration NAME`',
  },
  'namespace-terminating': {
    title: 'A namespace stays Terminating',
    cause: 'An object in it has a finalizer that no controller removes, or an aggregated API does not answer.',
    remedy:
      'The message names what remains, and its finalizer. Repair the operator that has to remove it, or the APIService. Only if that operator is gone for good, remove the finalizer from what remains, never from the namespace: `oc get KIND -n NAMESPACE` `oc patch KIND NAME -n NAMESPACE --type=merge -p \'{"metadata":{"finalizers":null}}\'`',
  },
  'release-not-loaded': {
    title: 'The cluster cannot fetch or verify its release',
    cause: 'The registry does not answer or refuses the image, or the image has no signature that the cluster trusts.',
    remedy:
      'The message names the image and why. Cancel the update; the cluster then stays at its current release: `oc adm upgrade --clear` Before you try again, check the pull secret and the mirror. Without internet the signatures of the mirrored release have to be in the cluster, too: the mirroring tool wrote them as manifests.',
  },
  'etcd-member-lost': {
    title: 'etcd has lost a member',
    cause: 'The control plane node that it runs on is off or cut off, or the member does not start there.',
    remedy:
      'Bring that node back first (its power, console and network): do not restart another one, since with two members lost the API stops. If the node is lost for good, follow "Replacing an unhealthy etcd member" in the documentation.',
  },
  'routers-not-running': {
    title: 'No router runs',
    cause:
      'The IngressController has no replicas, no node matches its placement, or its pods do not start: no route answers, and logins fail.',
    remedy:
      'Compare its replicas and nodePlacement with the nodes. For two routers: `oc scale ingresscontroller/default -n openshift-ingress-operator --replicas=2`',
  },
};
