import { SHORTCUTS } from '../../shortcuts.ts';

/** Joins moves in their order: "lb-final, taint, then router". */
const joinInOrder = (moves: readonly string[]) =>
  moves.length < 2 ? moves.join('') : `${moves.slice(0, -1).join(', ')}, then ${moves.at(-1)}`;

/** Texts of the screens of the machines and the cluster. */
export const installScreenWords = {
  prepare: {
    columns: { check: 'What', detail: 'Detail' },
    items: {
      installer: 'openshift-install',
      oc: 'oc',
      images: 'boot images',
      'worker-ignition': 'ignition file',
      directory: 'install directory',
      expiry: 'certificates',
      server: 'boot server',
    },
    phases: {
      start: 'this machine',
      hosts: 'service hosts',
      dns: 'DNS',
      dhcp: 'DHCP',
      'load-balancer': 'load balancer',
      'boot-files': 'boot files',
      ignition: 'ignition files',
      'before-boot': 'before power-on',
    },
    /** @param checks ids of the checks */
    rerunCommand: (checks: readonly string[]) => `upi-wizard check --only ${checks.join(',')}`,
    failed: (detail: string, remedy: string) => (detail === '' ? remedy : `${detail}. ${remedy}`),
    consequences: (count: number) => `${count} failed because of this:`,
    counts: (counts: { ok: number; failed: number; pending: number; unknown: number }) =>
      [
        `${counts.ok} ok`,
        ...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
        ...(counts.pending > 0 ? [`${counts.pending} ${counts.pending === 1 ? 'comes' : 'come'} later`] : []),
        ...(counts.unknown > 0 ? [`${counts.unknown} not checked from here`] : []),
      ].join(', '),
    help: [
      `Below the list of what Prepare creates are the checks of the site, by phase; failed checks are listed under their phase. ${SHORTCUTS.recheck} checks the site again.`,
      `A failed check that blocks stops Prepare. ${SHORTCUTS.override} overrides those that fail now, with a reason that you type; the session, the journal and the report record it. A later failure needs another override. Without a terminal: \`upi-wizard --plain --override "ID,ID: REASON"\``,
      `${SHORTCUTS.copy} copies a command for the selected check, or for the check shown below the list: the one that fixes the problem, else the one that shows what is wrong, else the one that runs the check again. This page also shows the copied command. Evidence, remedy and command of each check of a phase: \`upi-wizard check --phase P\``,
      'Once the cluster runs, Prepare serves worker.ign and the images of the installation to nodes that join. From 4.17 on, the cluster can create their images instead; this prints a script for it: `upi-wizard export node-image`',
    ],
  },
  boot: {
    columns: {
      name: 'Node',
      role: 'Role',
      address: 'Address',
      stage: 'Stage',
      lastSeen: 'Last seen',
      lastSeenAt: 'Last seen at',
      detail: 'Last request',
    },
    /** In the column of the last sign, of a node that is Ready now. */
    now: 'now',
    /** Title of the log of all machines. */
    events: 'Observed, newest first',
    bars: { legend: 'D DHCP address, F boot files, I ignition file, J joined the cluster, R Ready' },
    timeline: {
      observedSigns: (node: string, signs: readonly string[]) => `${node}: ${signs.join(', ')}`,
      after: (sign: string, age: string) => `${sign} (after ${age})`,
      sign: (name: string, at: string | null) => (at === null ? name : `${name} ${at}`),
      notReadySince: (at: string) => `not Ready since ${at}`,
      addressTaken: (mac: string) => `ARP: another machine (${mac}) answers at its address`,
      next: (sign: string, usualMinutes: number, waited: string | null) =>
        `Next: ${sign}, usually within ${usualMinutes} min${waited === null ? '' : `; waited ${waited}`}`,
      usual: (minutes: number) => `usually within ${minutes} min`,
      noLongerWatched: (nextSign: string, at: string | null) =>
        `${at === null ? 'No longer watched here' : `Watched here until ${at}`}; next would be: ${nextSign}`,
      likely: (cause: string) => `Likely: ${cause} (${SHORTCUTS.diagnose} checks it)`,
    },
    stoppedStage: 'stopped',
    lostStage: 'not Ready',
    stopped: (problems: string) => `stopped: ${problems}`,
    checks: { title: 'Before they are powered on', detail: 'Result' },
    reinstall: {
      revert: (node: string) => `Remove the mark that the machine of ${node} was reinstalled?`,
      question: (node: string) => `Did you reinstall the machine of ${node}?`,
      details: (node: string): readonly string[] => [
        `Then ${node} counts as new: it may fetch its ignition file again, and you approve its request to join.`,
        'Nothing changes in the cluster now. Confirm only if you reinstalled it yourself: otherwise the request comes from another machine.',
      ],
    },
    replacement: {
      revert: (node: string) => `Keep ${node}, and cancel its replacement?`,
      question: (node: string) => `Replace ${node}, because its machine is lost for good?`,
      details: (address: string): readonly string[] => [
        'If the machine only lost its power or its network, repair that instead: its etcd member then continues on its own.',
        'If it is lost, or its disk is empty, the wizard replaces the node in steps, and shows each change before it is made: its etcd member, its certificates, its Node object, then its machine. Nothing changes in the cluster now.',
        `Back up etcd first, on another control plane node: \`ssh core@${address} sudo /usr/local/bin/cluster-backup.sh /home/core/backup\``,
      ],
    },
    testNetworkFirst: {
      question: 'Let the machines only test the network, before any disk is written?',
      details: [
        'No ignition file is served. Power the machines on yourself. iPXE on each machine tries to reach its boot files, its ignition file, api-int, api, the registry and the gateway. This page shows the results.',
        'Nothing is written to a disk. Powering them on in this step, or pressing the same key again, serves the files. A machine that waits then continues on its own within a minute.',
      ],
      again: 'Serve the ignition files, so that machines that wait install themselves?',
    },
    ignition: {
      end: (node: string) => `Stop serving ${node} its ignition file now?`,
      details: [
        'A machine that has not fetched it yet waits during boot and keeps requesting it. The same key serves it again.',
        'Without that, serving ends automatically: for bootstrap.ign when the bootstrap is complete, for the others when their nodes are Ready.',
      ],
      again: (node: string) => `Serve its ignition file to ${node} again?`,
    },
    help: [
      `An ignition file contains the secrets of the cluster, or the way to fetch them. It is served only to the addresses of its machines, and only until they have joined (bootstrap.ign: until the bootstrap is complete). ${SHORTCUTS.toggleIgnitionAccess} stops serving it now.`,
      'The lines below the grid show what was observed of the selected machine and when, what comes next, and how long that usually takes. Sources: leases of dhcpd or Kea, TFTP, files of the boot server, neighbour tables, ports 22, 22623 and 10250, its Node. Logs of service hosts are read here or over SSH with your keys; a host that cannot be read is listed.',
      'When the cluster runs, this page is about nodes that were added to the design. The wizard checks them before you power them on, and then watches them boot.',
      `Before a machine installs itself, its iPXE reports its CPU level, memory, firmware, clock and address. A machine that is not as planned is stopped at a menu that shows why, and its disk is not written. ${SHORTCUTS.testNetworkFirst} lets all machines only test the network, and report what they reach. If a web server other than that of the wizard serves the boot files, no machine is stopped.`,
      `First correct the failures in red; the warnings in yellow may be intended. ${SHORTCUTS.recheck} checks again.`,
      `On a node that is Ready, ${SHORTCUTS.markReinstalled} marks its machine as reinstalled. On a control plane node that is not Ready, it replaces the node, one step after the other.`,
    ],
  },
  bootstrap: {
    columns: { stage: 'Stage', took: 'Took', usual: 'Usually', evidence: 'Observed' },
    quiet: (age: string) => `no change for ${age}`,
    /** Used if the table is too narrow for the column `usual`. */
    usually: (meaning: string, usual: string) => `Usually ${usual}. ${meaning}`,
    /** A stage that was completed before the wizard watched it. */
    notWatched: 'not timed',
    whyNotTimed: 'not timed: the stage ended between two checks, or while no wizard watched it.',
    atOnce: 'at once',
    log: {
      empty: 'No output of openshift-install yet.',
      following: 'Log, following',
      title: 'Log',
      found: (query: string, line: number, position: number, count: number) =>
        `"${query}" in line ${line}, ${position} of ${count}`,
      notFound: (query: string) => `"${query}" was not found`,
      /** After a line that came several times. `last`: the time of the last one; null: unknown. */
      repeated: (count: number, last: string | null) => (last === null ? `(× ${count})` : `(× ${count}, last ${last})`),
      searchPrompt: 'Search: ',
      /** Shown before each line, with the same meaning as its colour. */
      marks: { noise: 'noise', solved: 'solved', failure: 'FAILURE' },
      legend: 'noise: normal now  solved: succeeded later  FAILURE: needs your action',
    },
  },
  certificates: {
    columns: { node: 'Node', kind: 'For', age: 'Age', requestedAt: 'Sent', verdict: 'Verdict', name: 'Request' },
    grid: {
      legend: (marks: Readonly<Record<'done' | 'requested' | 'refused' | 'open', string>>) =>
        `join, serve, Ready: ${marks.done} done, ${marks.requested} pending, ${marks.refused} refused, ${marks.open} not yet`,
      more: (count: number) => `+${count} more`,
      /** In a high window: a row for each node. */
      table: {
        columns: { name: 'Node', role: 'Role', stage: 'Boot', join: 'To join', serve: 'To serve', ready: 'Ready' },
        progress: { done: 'done', requested: 'pending', refused: 'refused', open: 'not yet' },
      },
    },
    noBootObserved: 'no boot observed',
    /** After the verdict of the latest of several requests. */
    times: (count: number) => `, ${count} times`,
    silent: (minutes: number) => `silent for ${minutes} min`,
    silentDetail: (name: string) =>
      `${name} was powered on, but there is no node and no request from it: ${SHORTCUTS.details} shows its progress.`,
    /** @param fingerprint the beginning of the SHA-256 of the key; null: it cannot be read */
    sender: (account: string, fingerprint: string | null) =>
      `from ${account}${fingerprint === null ? '' : `, key SHA-256 ${fingerprint}`}`,
    /** In place of the stage of a node whose requests are denied. */
    denied: (count: number) => (count === 1 ? 'denied' : `denied ${count} times`),
    superseded: 'The same node has sent a newer request, or has joined since. Nothing to do.',
    readyNotJoined: 'Ready, no serving certificate yet',
    joinedNotReady: 'in the cluster, no serving certificate yet',
    notApprovable: (name: string) => `There is no request from ${name} yet.`,
    noneExpected: 'No request is expected now.',
    following: 'Expected requests are approved as they arrive. Esc stops that.',
    /** @param missing names of the nodes that have not joined, by stage */
    missing: (missing: readonly { readonly stage: string; readonly names: string }[]) =>
      `Not finished: ${missing.map(({ stage, names }) => `${names} (${stage})`).join(', ')}`,
    nodesAt: (time: string) => `The nodes as they were at ${time}: the API does not answer now.`,
    lost: (names: string) => `Not Ready any more: ${names}`,
    fingerprint: (text: string) => `Fingerprint of its key (SHA-256): ${text}`,
    none: 'No requests. They appear when nodes have installed themselves.',
    noneLeft: 'No requests are left; the API keeps them for an hour.',
  },
  operators: {
    columns: { name: 'Operator', state: 'State', since: 'Since', waits: 'Waits for' },
    states: {
      degraded: 'degraded',
      unavailable: 'not available',
      silent: 'no status',
      progressing: 'progressing',
      settling: 'settling',
      fine: 'healthy',
    },
    /** In place of `degraded`, while that is normal. */
    waiting: 'waiting',
    none: 'The API does not list operators yet.',
    normal: (name: string, dependency: string) => `${name} waits for ${dependency}. That is normal now.`,
    abnormal: (name: string, dependency: string) => `${name} waits for ${dependency}. That is not normal any more:`,
    otherNormal: (name: string) => `${name} reports below what it waits for. That is normal for 15 minutes.`,
    otherLong: (name: string) => `${name} reports its problem below; it will not recover on its own:`,
    removed: (name: string, dependency: string) => `${name} waits for ${dependency}.`,
    /** @param version empty if unknown; `since`: "5 min" or empty */
    fine: (name: string, version: string, since: string) =>
      `${name} ${since === '' ? 'is healthy' : `has been healthy for ${since}`}${version === '' ? '' : `, version ${version}`}.`,
    /** @param age the time since its last change, as "10 s" */
    settling: (name: string, age: string) =>
      `${name} is healthy, and changed ${age} ago. It is stable 30 s after its last change.`,
    /** The purpose of each operator of the release. */
    purposes: {
      authentication: 'Manages logins: the OAuth server and its routes.',
      baremetal: 'Manages bare-metal hosts; here it has nothing to do.',
      'cloud-controller-manager': 'Connects the cluster to a cloud; without one it has nothing to do.',
      'cloud-credential': 'Provides components with cloud credentials.',
      'cluster-autoscaler': 'Adds and removes machines with the load, on a cloud.',
      'config-operator': 'Creates the cluster-wide configuration objects.',
      console: 'Serves the web console.',
      'control-plane-machine-set': 'Replaces control plane machines on a cloud.',
      'csi-snapshot-controller': 'Runs the CSI snapshot controller, for snapshots of volumes.',
      dns: 'Resolves names of services for pods (CoreDNS).',
      etcd: 'Runs etcd, the database of the API, on the control plane.',
      'image-registry': 'Runs the internal image registry; it needs storage.',
      ingress: 'Runs the routers behind *.apps.',
      insights: 'Sends health data to Red Hat, if that is allowed.',
      'kube-apiserver': 'Runs the Kubernetes API on the control plane.',
      'kube-controller-manager': 'Runs the Kubernetes controller manager.',
      'kube-scheduler': 'Assigns pods to nodes.',
      'kube-storage-version-migrator': 'Rewrites stored objects in their current version.',
      'machine-api': 'Creates machines on a cloud; here it has nothing to do.',
      'machine-approver': 'Approves CSRs of machines that the Machine API created.',
      'machine-config': 'Configures and updates the operating system of all nodes.',
      marketplace: 'Provides the default CatalogSources of OLM.',
      monitoring: 'Runs Prometheus and Alertmanager.',
      network: 'Runs the pod network on all nodes (OVN-Kubernetes).',
      'node-tuning': 'Tunes kernel settings of the nodes.',
      olm: 'Installs extensions (OLM v1).',
      'openshift-apiserver': 'Runs the API of OpenShift: routes, builds, image streams.',
      'openshift-controller-manager': 'Runs the controllers of builds and DeploymentConfigs.',
      'openshift-samples': 'Adds sample image streams and templates.',
      'operator-lifecycle-manager': 'Installs and updates optional Operators (OLM).',
      'operator-lifecycle-manager-catalog': 'Resolves the Operators of CatalogSources into InstallPlans.',
      'operator-lifecycle-manager-packageserver': 'Serves the PackageManifests of the CatalogSources.',
      'service-ca': 'Issues certificates for services inside the cluster.',
      storage: 'Provides storage drivers and the default StorageClass of a cloud.',
    },
    stable: 'stable',
    notStable: 'not stable yet: it must report Progressing=False for 30 s',
    /** `since`: "5 min" or empty. */
    condition: (label: string, since: string, reason: string) =>
      [`${label}${since === '' ? '' : ` for ${since}`}`, reason].filter(Boolean).join(', '),
    conditions: {
      Available: { True: 'available', False: 'not available', Unknown: 'does not report whether it is available' },
      Progressing: { True: 'progressing', False: 'not progressing', Unknown: 'does not report whether it progresses' },
      Degraded: { True: 'degraded', False: 'not degraded', Unknown: 'does not report whether it is degraded' },
      Upgradeable: {
        True: 'ready for an update',
        False: 'not ready for an update',
        Unknown: 'does not report whether it is ready for an update',
      },
    },
    otherCondition: (type: string, status: string) => `${type}: ${status}`,
    pods: 'Pods that are not running:',
    pod: (name: string, phase: string, reason: string, restarts: number) =>
      [`${name}: ${phase}`, reason, restarts > 0 ? `${restarts} restarts` : ''].filter(Boolean).join(', '),
  },
  report: {
    console: 'Console',
    consoleUnknown: 'not known yet',
    user: 'User',
    passwordHint: `kubeadmin (${SHORTCUTS.password} shows the password)`,
    kubeconfig: 'kubeconfig',
    file: 'This report',
  },
  infra: {
    columns: { move: 'Move', state: 'State', why: 'Why' },
    starting: 'The moves begin.',
    /** @param count number of moves that this run applies */
    running: (move: string, position: number, count: number) =>
      count === 1 ? `move ${move} runs` : `move ${position} of ${count} runs: ${move}`,
    /** The reason of a move that the same cause blocks as another one. */
    sameReason: (move: string) => `for the same reason as ${move}`,
    /** State of a move that is being undone. */
    undoState: 'undoing',
    /** State of a move that an action has just changed, until it is probed. */
    checking: 'checking',
    /** State of a move that is undone later in the same run. */
    toUndoState: 'to undo',
    undone: (at: string | null) => (at === null ? 'undone' : `undone ${at}`),
    /** @param count number of moves that this run undoes */
    undoing: (move: string, position: number, count: number) =>
      count === 1 ? `undoing ${move}` : `undoing ${move} (${position} of ${count})`,
    /** The moves that have to be undone together. */
    undoChain: {
      intro: (move: string, count: number) =>
        `${count === 1 ? 'A move that depends' : 'Moves that depend'} on ${move} ${count === 1 ? 'is' : 'are'} in place: ${count === 1 ? 'it is' : 'they are'} undone first, in this order.`,
      heading: (move: string, title: string) => `Undo ${move}: "${title}"`,
      /** Why a move is undone too. @param others the moves of the chain that it depends on */
      because: (move: string, others: readonly string[]) => {
        const otherMoves = others.filter((other) => other !== 'label');
        const reasons: Readonly<Partial<Record<string, string>>> = {
          taint: `without ${otherMoves.join(', ')}, pods no longer tolerate the taint: it may repel or evict them`,
          'lb-final': 'the routers return to the compute nodes, so the load balancer must forward to these first',
        };
        return `  ${move}: ${(otherMoves.length > 0 ? reasons[move] : undefined) ?? `it depends on ${others.join(', ')}`}`;
      },
      blocked: (move: string, others: string) =>
        `${move} cannot be undone: dependent moves stay (${others}), because upi-wizard has no record of writing them.`,
    },
    /** Questions before moves are applied or undone. */
    questions: {
      undo: (moves: readonly string[]) => `Undo ${joinInOrder(moves)}?`,
      overwrite: (moves: readonly string[]) =>
        `Undo ${joinInOrder(moves)}, and overwrite what others have changed since then?`,
      defaults: (moves: readonly string[]) =>
        `Replace the settings of ${joinInOrder(moves)} with the operators’ defaults?`,
      apply: (move: string) => `Apply the move ${move} now?`,
    },
    /** Why a key has no effect on the selected move. */
    notNow: {
      jobAsks: 'The job that applies moves waits for your answer: press Enter to read its question.',
      nothingToUndo: (move: string) => `${move} has not been applied: there is nothing to undo.`,
      done: (move: string) => `${move} is done already: there is nothing to apply. Select another move.`,
      absent: (move: string) => `${move} is not needed here: there is nothing to apply or undo.`,
      moving: (move: string) => `${move} is written, and its operator is rolling it out: wait until it is done.`,
      stopped: (move: string, reason: string) => `${move} cannot be applied now: ${reason}`,
      comesAfter: (move: string, missing: readonly string[]) =>
        `${move} comes after ${missing.join(', ')}. Apply ${missing.length === 1 ? 'that' : 'those'} first, or press Enter: it applies all of them in their order.`,
    },
    keys: {
      applyOne: 'only this move',
      overwrite: 'allow overwriting',
      overwriteAndUndo: 'overwrite and undo',
      defaults: 'set the defaults',
      routers: 'number of routers',
      untaint: 'remove the taint',
      label: 'label again',
    },
  },
};
