/**
 * Help of each step: what happens, why, how long it takes (also as a figure of at most 20 columns), what can go wrong,
 * and what comes next.
 */
export const stepHelp = {
  titles: { action: 'Now', reason: 'Why', duration: 'How long', failures: 'What can go wrong', nextStep: 'Next' },
  steps: {
    generate: {
      action:
        'The wizard writes the files that service hosts and nodes read into one folder for each host, below the install directory.',
      reason: 'All files come from one design, so names, addresses and MAC addresses agree everywhere.',
      duration: 'Seconds.',
      durationFigure: 'seconds',
      failures:
        'A file that you changed by hand is only overwritten after you confirm, and your version is saved. If a checker such as named-checkconf is not installed here, the wizard reports it; the file is then checked on its host.',
      nextStep: 'The files are put on the service hosts.',
    },
    hosts: {
      action:
        'The files are copied to the name server, the DHCP server, the load balancer and the bastion. The wizard checks that each service answers as designed.',
      reason:
        'The machines boot from these services. A wrong record or port is found here in seconds; otherwise it shows half an hour later as a node that does not join.',
      duration: 'A few minutes for each host, most of it your own work.',
      durationFigure: 'a few min per host',
      failures:
        'A firewall that blocks a port, SELinux that denies HAProxy a port, nodes that query another name server. The screen shows which answer was expected.',
      nextStep: 'openshift-install creates the ignition files.',
    },
    prepare: {
      action:
        'openshift-install creates manifests and ignition files, the boot images are fetched and compared with their checksums, and the boot server starts.',
      reason:
        'The machines fetch kernel, images and ignition files from the bastion. Images and installer must have the same version.',
      duration: 'A minute, and the download of about 1.5 GB if the images are not here yet.',
      durationFigure: '1 min and downloads',
      failures:
        'The certificates in the ignition files expire 24 hours after they are created. Expired files are moved aside and created again, and all machines boot again.',
      nextStep: 'Machines are powered on.',
    },
    boot: {
      action:
        'You power the machines on; the grid shows what each has requested: address, boot script, kernel, root file system, ignition file.',
      reason:
        'Each request is proof that the machine came that far. The last request of a stuck machine shows what to check.',
      duration: 'Three to six minutes from power-on to the ignition file.',
      durationFigure: '3–6 min',
      failures:
        'A wrong boot order, a MAC address that differs from the design, another DHCP server on the network, a disk with an old system.',
      nextStep: 'The bootstrap node starts the cluster.',
    },
    bootstrap: {
      action: 'The bootstrap node runs a temporary control plane; the control plane nodes join its etcd and take over.',
      reason: 'A cluster needs an API to start from. The bootstrap node provides it until there is a real one.',
      duration:
        'Usually 20 to 40 minutes from power-on; openshift-install gives up after about an hour, and you can start the wait again.',
      durationFigure: '20–40 min',
      failures:
        'The pull secret is refused, or a registry cannot be reached. The disk is too slow for etcd. Clocks differ. api-int has a wrong address.',
      nextStep: 'The bootstrap node leaves the load balancer.',
    },
    'bootstrap-removal': {
      action:
        'The load balancer gets a configuration without the bootstrap node, and the wizard checks that the running HAProxy uses it.',
      reason:
        'The bootstrap node no longer answers for the cluster. Requests that the load balancer still sends to it fail.',
      duration: 'A minute.',
      durationFigure: '1 min',
      failures:
        'If the node is removed too early, the API goes down: the wizard offers the removal when it is safe. A load balancer that was not reloaded still has its old members.',
      nextStep: 'The other nodes boot and request certificates.',
    },
    certificates: {
      action:
        'Compute and infra nodes boot and request two certificates each. Every request is compared with the design before it is approved.',
      reason:
        'A machine that gets a certificate is a node and can read everything that nodes may read. A request from an unknown machine is not approved.',
      duration: 'Ten to twenty minutes from power-on until a node requests to join, and a few more until it is Ready.',
      durationFigure: '10–20 min',
      failures:
        'A node whose name differs from the design, a clock that is wrong, an ignition file that has expired. A refused request shows its reason.',
      nextStep: 'The operators finish the installation.',
    },
    operators: {
      action:
        'The Cluster Version Operator rolls out the remaining cluster Operators. The screen lists those that are not available yet, and what each waits for.',
      reason: 'Most of these operators wait for another one, or for nodes that can run their pods; a few wait for you.',
      duration: '30 to 60 minutes in all; the last ones need most of it.',
      durationFigure: '30–60 min',
      failures:
        'ingress without compute nodes, authentication and console when *.apps does not resolve to the load balancer, image-registry without storage.',
      nextStep: 'Router, registry and monitoring move to the infra nodes.',
    },
    infra: {
      action:
        'The infra nodes get their label, pool and taint; router, registry, monitoring and logging move there, one after the other. Each move is shown before it is applied.',
      reason:
        'Infrastructure on nodes of its own is not disturbed by applications, and infra nodes need no OpenShift subscriptions.',
      duration: 'Two to ten minutes for each move.',
      durationFigure: '2–10 min per move',
      failures:
        'A volume that cannot follow its pod to another node, a pod without the toleration, a node that has too little memory. Each move can be undone.',
      nextStep: 'The report of what was built.',
    },
    report: {
      action:
        'The wizard writes report.md, and report.html for a browser: addresses, nodes, service hosts, what is left to do, where secrets are stored, and what happened when.',
      reason: 'The administrators of the cluster need it, and so will you.',
      duration: 'Seconds.',
      durationFigure: 'seconds',
      failures: 'While the API does not answer, the last report stays.',
      nextStep:
        'Set up an identity provider, remove the kubeadmin user, back up etcd, and keep the cluster running for its first 25 hours.',
    },
  },
};
