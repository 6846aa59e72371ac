import { SHORTCUTS } from '../../shortcuts.ts';
import { joinNames, plural } from '../ui.ts';

/** For the page of certificates, and for the diagnosis of denied requests. */
export const stopApproverRemedy =
  'Find that approver, and scale it to 0 replicas: `oc get deployments -A | grep -i -e csr -e approver`';

/** Text of the step that approves certificate requests, and of joining nodes. */
export const certificatesWords = {
  certificates: {
    toPowerOn: (count: number) => `${plural(count, 'machine')} to power on`,
    needed: (count: number) => `${plural(count, 'request')} to approve`,
    done: (count: number, unverified: number) =>
      unverified > 0
        ? `${count === 1 ? 'the node' : `all ${count} nodes`} joined; the certificates of ${plural(unverified, 'node')} could not be checked from here`
        : count === 1
          ? 'the node joined, with a certificate for its planned address'
          : `all ${plural(count, 'node')} joined, with certificates for their planned addresses`,
    waiting: (joined: number, count: number) =>
      `${joined} of ${plural(count, 'node')} joined; waiting for the next requests`,
    /** @param at time of the last successful read of the nodes; null: none */
    unknown: (joined: number, count: number, at: string | null) =>
      at === null
        ? 'not known which nodes have joined: the API does not answer'
        : `${joined} of ${plural(count, 'node')} had joined at ${at}; the API does not answer now`,
    lost: (joined: number, count: number, lost: readonly string[], isNodeAwaited: boolean) =>
      `${joined} of ${plural(count, 'node')} joined; ${lost.join(', ')} ${lost.length === 1 ? 'is' : 'are'} lost: not Ready any more${isNodeAwaited ? '; the others still join' : ''}`,
    followResumed: 'Automatic approval was on in the last session, so it continues. Esc stops it.',
    /**
     * Why automatic approval ended, although nodes are missing. At 80 columns, the bar below it needs it in one row.
     */
    followEnded: {
      settled: (joined: number, count: number, at: string) =>
        `${joined} of ${plural(count, 'node')} joined; approval ended at ${at}: the others have a problem`,
      idle: (joined: number, count: number, at: string) =>
        `${joined} of ${plural(count, 'node')} joined; approval ended at ${at}: none joined for 30 min`,
    },
    /** No machine is left to power on. */
    enterWithoutMachines: {
      key: 'follow',
      sentence: `Enter, after you confirm, approves requests that fit the design as they arrive, until all have joined. ${SHORTCUTS.approveOne} approves one request, ${SHORTCUTS.approveExpected} all that are expected now.`,
    },
    /** On the page that approves the next request. */
    deniedRemedy: `If each new request is denied as well, an approver denies them. ${stopApproverRemedy}`,
    inBackground: 'a background job approves expected requests',
    approve: (name: string, kind: string) => `approve ${name} (${kind})`,
    laterRequests: {
      object: 'later requests',
      what: (nodes: readonly string[]) =>
        `those of ${nodes.length > 10 ? plural(nodes.length, 'node') : joinNames(nodes)} to join and to serve are approved as they arrive, if they fit the design`,
    },
    approved: (name: string, node: string) => `approved ${name} for ${node}`,
    question: (name: string) => `Approve ${name}?`,
    questionTyped: (name: string) => `Approve ${name} although it is refused?`,
    questionAll: (count: number) =>
      `Approve ${plural(count, 'request')} that ${count === 1 ? 'is' : 'are'} expected now?`,
    questionFor: (node: string) => `It is for ${node}.`,
    typeNode: (node: string) => `Type the name of the node: ${node}`,
    approvalIsFinal: 'You cannot undo an approval: the sender becomes this node.',
    notIssued: (name: string, detail: string) => `${name}: ${detail}`,
    /** Whether the machine at the planned address has the private key of a request. */
    proof: {
      key: 'check the key',
      title: (node: string) => `Does ${node} have the key of this request?`,
      keyMatches: (address: string) => `Yes: the machine at ${address} has the key of this request.`,
      keyFile: (file: string) => `It is in ${file}.`,
      timeMatches: (address: string, time: string) =>
        `Very likely: the kubelet at ${address} began to request a certificate at ${time}, when this request was made.`,
      inMemory:
        'A kubelet keeps the key of a pending request in memory: no file has it until the certificate is issued.',
      noMatch: (address: string) =>
        `Not proven: no key on the machine at ${address} matches this request, and its kubelet did not begin to request one at that time.`,
      noMatchFix:
        'Do not approve it without other proof. Compare the clocks, and look at the kubelet log there: `journalctl -u kubelet`',
      notPossible: 'The machine could not be checked.',
      timeout: (address: string) => `${address} did not answer over SSH within 20 s.`,
      otherHostKey: (file: string) =>
        `Another machine may be at this address. If you reinstalled it since, remove ${file} and check again.`,
    },
    missing: {
      title: (node: string) => `${node} has not joined`,
      planned: (name: string, address: string, mac: string) => `Planned:     ${name}, ${address}, ${mac}`,
      neverPowered: 'Powered on:  not from here',
      poweredAt: (time: string) => `Powered on:  ${time}`,
      stage: (stage: string) => `Last stage:  ${stage}`,
      last: (time: string, sign: string) => `Last seen:   ${time}  ${sign}`,
      checksHeading: 'What to check now:',
      checksByStage: {
        off: [
          'Its power and its console: does the firmware boot from the network, on the right adapter?',
          'Its MAC address: compare with the design; a switch port in another VLAN gets no DHCP either.',
        ],
        lease: [
          'Look at its console. It has an address and requests nothing: TFTP (UDP 69) or iPXE does not get through; check the firewall.',
        ],
        script: [
          'Look at its console. It got the boot script, but not the kernel. Does the image exist under this name on the boot server?',
        ],
        kernel: [
          'Look at its console. The kernel runs and does not fetch its system image: too little memory, or a wrong URL.',
        ],
        rootfs: [
          'Look at its console: the installer should be writing the disk. Does the installDisk of the design exist there (lsblk)?',
          'After that it has to boot from the disk: a machine that boots from the network again installs itself again.',
        ],
        ignition: [
          'Look at its console. If it repeats "GET https://api-int...:22623", check the load balancer and the name api-int.',
          '"certificate has expired or is not yet valid": the clock of the machine is wrong, or the ignition files are older than 24 hours.',
          'With SSH as core: `journalctl -u kubelet` If the hostname is localhost, neither DHCP nor a PTR record gave the machine its name.',
        ],
        ready: ['It is Ready: check that its address is the planned one.'],
      },
    },
    flood: 'automatic approval has stopped: far more requests are pending than the nodes can have sent',
    noBootObserved: (name: string, node: string) =>
      `${name}: no boot of ${node} was observed; if you did not start it, find out who did`,
    floodOver: 'the flood of requests is over: automatic approval resumes',
    page: {
      title: (name: string) => `Request ${name}`,
      verdicts: {
        expected: 'Expected: it fits the design in every point, and is approved with the others.',
        refused: 'Refused: no automatic approval. Why:',
        'not-ours':
          'Not ours: its signer does not sign node certificates. Operators and users send such requests, too.',
        approved: 'Approved: nothing is left to do.',
        denied: 'Denied: no certificate is issued.',
        failed: 'Failed: it was approved, but no certificate is issued.',
        superseded: 'Superseded: the same node has sent a newer request, or has joined since.',
      },
      reason: (code: string, text: string) => `- ${text} (${code})`,
      canOverride: `If you expect this request although the design does not: ${SHORTCUTS.verifyKey} checks over SSH whether the key is on the machine at the planned address. Then press Esc, ${SHORTCUTS.approveOne}, and type the name of the node.`,
      canOverrideRejoining: {
        again: `If you reinstalled it: ${SHORTCUTS.verifyKey} checks over SSH whether the key is on the machine at the planned address. Then press Esc, ${SHORTCUTS.approveOne}, and type the name of the node.`,
        running: `Leave the request alone, and find out which machine sent it. ${SHORTCUTS.verifyKey} checks over SSH whether the key is on the machine of this node: if it is not, another machine sent it. It disappears after 24 hours.`,
        unrecorded: `Look at the machine: did you reinstall it? ${SHORTCUTS.verifyKey} checks over SSH whether the key is on the machine at the planned address. Only if it is, press Esc, ${SHORTCUTS.approveOne}, and type the name of the node. (An installation from an image or another server cannot be observed.)`,
      },
      cannotApprove:
        'It cannot be approved here. If the node is yours, correct the design or the node: it sends a new request within 15 minutes. If it is not, find out which machine sent it. It disappears after 24 hours.',
      toDeny: (command: string) => `To deny it now: \`${command}\``,
      /** Labels of facts: at most 11 columns. */
      facts: {
        denied: 'Denied',
        failed: 'Failed',
        node: 'Node',
        planned: 'In design',
        requestedAt: 'Requested',
        subject: 'Subject',
        signer: 'Signer',
        requester: 'Sent by',
        groups: 'Its groups',
        usages: 'Usages',
        key: 'Key',
        fingerprint: 'Fingerprint',
      },
      sha256: (fingerprint: string) => `${fingerprint} (SHA-256)`,
      none: 'none',
      unreadable: 'cannot be read',
      names: 'Requested names against the design:',
      name: (kind: string, text: string, state: string) => `  ${kind} ${text}: ${state}`,
      kinds: { dns: 'DNS', ip: 'address', email: 'e-mail', uri: 'URI', other: 'other name' },
      states: { planned: 'as planned', foreign: 'does NOT belong to this node', missing: 'planned, not requested' },
      boot: {
        observed: (stage: string, last: string) => `Boot stage: ${stage}${last}.`,
        last: (time: string, sign: string) => `, last at ${time}: ${sign}`,
        notObserved: (address: string, mac: string) =>
          `Warning: no boot was observed: ${address} requested nothing from the boot server, and ${mac} has no lease. That is normal for a node that was installed from an image or another server.`,
      },
    },
    kinds: { client: 'to join', serving: 'to serve', other: 'other' },
  },
};
