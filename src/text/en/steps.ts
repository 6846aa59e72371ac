/** The words of the steps that touch the world. */
const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

export const steps = {
  titles: {
    generate: 'Generate files',
    hosts: 'Service hosts',
    prepare: 'Prepare',
    boot: 'Boot',
    bootstrap: 'Bootstrap',
    'bootstrap-removal': 'Remove bootstrap',
    certificates: 'Nodes and certificates',
    operators: 'Operators',
    infra: 'Infra nodes',
    report: 'Report',
  },
  intros: {
    generate:
      'Everything the service hosts and the nodes need, made from the design and checked by the programs that will read it.',
    hosts: 'The files go to their hosts: DNS first, then DHCP and the load balancer, and the bastion.',
    prepare: 'openshift-install turns the configuration into ignition files; the bastion serves them to the nodes.',
    boot: 'Bootstrap and control plane boot from the network and install themselves. The others follow later.',
    bootstrap: 'The bootstrap node runs a temporary control plane until the three real ones have taken over.',
    'bootstrap-removal': 'The bootstrap node has done its work: it leaves the load balancer, and can be switched off.',
    certificates:
      'The other nodes boot now. Each asks for two certificates; only requests that fit the design are approved.',
    operators: 'The cluster finishes installing itself. Most operators wait for compute nodes and for the routers.',
    infra: 'Router, registry and monitoring move to the infra nodes, then nothing else may run there.',
    report: 'What was built, for the people who run it.',
  },
  /** The same for a single node, where it is not so. */
  introsSingle: {
    boot: 'The node boots from the network and installs itself; it is its own bootstrap.',
    bootstrap: 'The bootstrap runs in the live system of the node, which then writes its disk and restarts.',
    'bootstrap-removal': 'There is no bootstrap machine, and no load balancer that it would have to leave.',
    certificates: 'What the node asks for while it installs itself is approved there; other nodes may join later.',
    operators: 'The cluster finishes installing itself on its one node.',
  } as Readonly<Record<string, string>>,
  /** What Enter does, for the footer and the line under the screen. */
  actions: {
    generate: { key: 'write', sentence: 'Enter writes the files and has them checked.' },
    hosts: { key: 'put in place', sentence: 'Enter puts the files in place and asks the services.' },
    prepare: { key: 'prepare', sentence: 'Enter runs openshift-install and starts the boot server.' },
    boot: { key: 'power on', sentence: 'Enter powers the machines on, in this order.' },
    bootstrap: { key: 'watch', sentence: 'Enter starts to wait for the bootstrap; the wait goes on when you leave.' },
    'bootstrap-removal': { key: 'remove', sentence: 'Enter asks, then takes the bootstrap out of the load balancer.' },
    certificates: { key: 'approve', sentence: 'Enter asks, then boots the nodes and approves what fits the design.' },
    operators: { key: 'watch', sentence: 'Enter starts to wait for completion; the wait goes on when you leave.' },
    infra: { key: 'move', sentence: 'Enter asks, then makes the open moves one after the other.' },
    report: { key: 'write', sentence: 'Enter writes the report.' },
  },
  /** The same where the work is a person's, and Enter says that it is done. */
  actionsByHand: {
    hosts: { key: 'all are done', sentence: 'Run this on each host, in order; then Enter asks the services.' },
    boot: { key: 'switched on', sentence: 'Switch them on; then Enter starts to watch what they ask for.' },
    'bootstrap-removal': {
      key: 'remove',
      sentence: 'Enter asks, then writes the new files; run these commands after that.',
    },
    certificates: {
      key: 'approve',
      sentence: 'Switch them on; Enter asks, then approves what fits the design.',
    },
  } as Readonly<Record<string, { readonly key: string; readonly sentence: string }>>,
  /** How long each wait usually is. */
  usual: {
    boot: '3-6 min from power-on to the ignition file',
    bootstrap: '20-40 min from power-on',
    certificates: '10-20 min from power-on until a node asks to join, a few more until it is Ready',
    operators: '30-60 min in all; the last ones need most of it',
    infra: '2-10 min for each move',
  } as Readonly<Record<string, string>>,
  /** What each stage changes on the load balancer. */
  stages: {
    install: 'bootstrap and control plane take 6443 and 22623, compute nodes 80 and 443',
    'bootstrap-removed': 'bootstrap leaves the pools of 6443 and 22623',
    'infra-added': 'infra nodes join the pools of 80 and 443',
    'infra-only': 'compute nodes leave the pools of 80 and 443',
  },
  sshKey: {
    title: 'No SSH key was made',
    made: (file: string) => `Made ${file}. Its private half, beside it, opens every node: keep it here.`,
    name: (file: string) => `${file} does not end in .pub, so it is no name of a public key.`,
    nameFix: 'Name a file such as ~/.ssh/id_ed25519.pub, and try again.',
    exists: (path: string) => `${path} is there already.`,
    existsFix: 'Name its .pub file, or another file for a new key.',
    noProgram: 'ssh-keygen is not installed here.',
    noProgramFix: 'Install openssh-clients (Debian: openssh-client), or name a key that you have.',
    failedFix: 'Check that this user may write there.',
  },
  generate: {
    upToDate: (count: number, checked: number) =>
      `${plural(count, 'file')} on disk, as the design wants them${checked === 0 ? '' : `; ${checked} judged by their programs here`}`,
    needed: (count: number) => `${plural(count, 'file')} to write`,
    edited: (count: number) =>
      count === 1
        ? 'One file was changed by a person since it was generated'
        : `${count} files were changed by a person since they were generated`,
    editedWhat: 'Your change would be lost. It is kept beside it as .orig when you go on.',
    create: 'new',
    update: 'changed',
    remove: 'no longer needed',
    keepOriginal: 'overwritten; your version is kept as .orig',
    wrote: (count: number, dir: string) => `wrote ${plural(count, 'file')} under ${dir}`,
    checked: (file: string, program: string) => `${program} takes ${file}`,
    checkFailed: (file: string, program: string) => `${program} refuses ${file}`,
    checkFix: 'This is a fault of upi-wizard: report it with the file.',
    credentialFix: 'Go back to Credentials and name a file that is there.',
  },
  hosts: {
    done: 'every service answers as designed',
    needed: (hosts: string) => `to be set up: ${hosts}`,
    outdated: (hosts: string) => `generated anew since they were put in place: ${hosts}`,
    put: (host: string) => `putting the files of ${host} in place`,
    copy: (dir: string, address: string) => `scp -r ${dir} root@${address}:`,
    run: (host: string, address: string) => `ssh root@${address} bash ${host}/root/upi-wizard/install.sh`,
    runCopied: (host: string, address: string) =>
      `ssh -t ${address} sudo bash upi-wizard/${host}/root/upi-wizard/install.sh`,
    here: (host: string) => `${host} (this machine)`,
    runHere: (dir: string) => `sudo bash ${dir}/root/upi-wizard/install.sh`,
    copying: (host: string, address: string) => `copying the files of ${host} to ${address}`,
    filesMissing: (host: string) => ({
      title: `There are no files for ${host}`,
      cause: 'Nothing was generated for it in this directory.',
      whatToDo: 'Go back to Generate (Esc) and press Enter there.',
    }),
    putWhat: (host: string) => `files put in place and services reloaded on ${host}`,
    waiting: (what: string) => `waiting for: ${what}`,
    dnsAnswer: (want: string, got: string) => `${got} (expected ${want})`,
    checks: { dns: 'name', reverse: 'reverse name', port: 'load balancer port', boot: 'boot server' },
    dnsFix: 'Run install.sh on the name server again, then look at "journalctl -u named".',
    portFix:
      'Run install.sh on the load balancer, then look at "journalctl -u haproxy": a bind that fails is usually SELinux (setsebool -P haproxy_connect_any 1) or an address that keepalived has not put there.',
    notYet: 'not checked yet',
  },
  prepare: {
    noInstaller: 'openshift-install was not found',
    noInstallerFix: (version: string) =>
      `Download openshift-install and oc ${version} from console.redhat.com/openshift/install or mirror.openshift.com, unpack them into the install directory or a directory of PATH.`,
    wrongVersion: (found: string, wanted: string) => `openshift-install is ${found}, and the design says ${wanted}`,
    wrongVersionFix: 'Download the matching version, or change the version on the Cluster page.',
    noImages: (dir: string) => `RHCOS images are missing in ${dir}`,
    noImagesFix: (names: string) =>
      `Download ${names}; "openshift-install coreos print-stream-json" prints where each lies and its checksum.`,
    ignitionReady: (hours: string) => `ignition files are ready and served; their certificates expire in ${hours}`,
    expired: 'the certificates in the ignition files have expired',
    expiredFix:
      'They live 24 hours. Start over in a new install directory: running the installer again here gives back the old certificates.',
    expiresSoon: (hours: string) => `the certificates in the ignition files expire in ${hours}`,
    expiresSoonFix: 'Boot soon: all nodes have to be up before that.',
    usedDirectory: 'this directory was used by another installation',
    usedDirectoryFix:
      'Start in a new install directory: half-mixed files give certificates that do not fit each other.',
    installerFailed: (what: string) => `openshift-install ${what} failed`,
    needed: 'manifests and ignition files to make',
    serverNeeded: 'the boot server is to be started',
    serverOutdated: 'the nodes were changed: the boot server has to know their addresses',
    change: {
      config: 'install-config.yaml is put in place; a copy is kept, because the installer deletes it',
      manifests: 'openshift-install create manifests',
      schedulable: (value: boolean) =>
        value
          ? 'the control plane takes applications (mastersSchedulable: true)'
          : 'applications stay off the control plane (mastersSchedulable: false)',
      ignition: (isSingle: boolean) =>
        `openshift-install create ${isSingle ? 'single-node-ignition-config' : 'ignition-configs'}: certificates in them live 24 hours`,
      server: (url: string) => `the boot server serves scripts, images and ignition at ${url}`,
    },
    serverFailed: 'the boot server did not start',
    serverFailedFix: 'Look at its log, named above; then press Enter to try again.',
  },
  boot: {
    stages: {
      off: 'no sign yet',
      lease: 'address given',
      script: 'boot script',
      kernel: 'kernel',
      rootfs: 'system image',
      ignition: 'ignition',
      answering: 'answers',
      ready: 'Ready',
    },
    needed: (count: number) => `${plural(count, 'machine')} to power on`,
    serverGone: 'the boot server no longer runs, and machines still need it',
    allThere: (count: number) =>
      count === 1 ? 'the machine fetched its ignition' : `all ${plural(count, 'machine')} fetched their ignition`,
    waiting: (have: number, of: number) => `${have} of ${of} machines fetched their ignition`,
    powerOn: (node: string) => `power on ${node}`,
    poweredOn: 'powered on; it boots from the network',
    byHand: (names: string) =>
      `Power on ${names}: from the network, one time. Set the boot order to disk first, network second.`,
  },
  bootstrap: {
    needed: 'the wait for the bootstrap is to be started',
    start: 'openshift-install wait-for bootstrap-complete',
    done: 'the control plane runs by itself: bootstrap can go',
    waiting: (stage: string) => `now: ${stage}`,
    stages: {
      'bootstrap-up': 'Bootstrap node serves the API and machine configuration',
      api: 'API answers through the load balancer',
      'control-plane': 'Control plane nodes join',
      complete: 'Bootstrap reports complete',
      etcd: 'etcd has let go of the bootstrap member',
    },
    usual: {
      'bootstrap-up': '8-15 min after power-on',
      api: 'at once after that',
      'control-plane': '10-20 min after the API',
      complete: '15-40 min in all',
      etcd: 'up to 5 min more',
    },
    meaning: {
      'bootstrap-up':
        'It writes its disk, reboots, pulls the release image and starts etcd and a temporary API. Refused connections are normal until then.',
      api: 'If the node serves and the load balancer does not, the load balancer lacks the bootstrap entry.',
      'control-plane':
        'Control plane nodes fetch their configuration from port 22623, reboot, and join. "EOF" on their consoles is normal until the bootstrap serves it.',
      complete: 'The operators move from the temporary control plane to the real one.',
      etcd: 'Removing the bootstrap earlier could cost etcd its majority.',
    },
    /** A single node, which is its own bootstrap. */
    inPlace: {
      done: 'the node runs the cluster by itself',
      stages: {
        'bootstrap-up': 'The node runs its bootstrap',
        api: 'API answers on the node',
        'control-plane': 'The node joins',
        complete: 'Bootstrap reports complete',
        etcd: 'etcd has let go of the bootstrap member',
      },
      usual: {
        'bootstrap-up': '8-15 min after power-on',
        api: '8-15 min after power-on',
        'control-plane': '10-20 min after that',
        complete: '30-60 min in all',
        etcd: 'up to 5 min more',
      },
      meaning: {
        'bootstrap-up': 'The bootstrap runs in the live system, from memory.',
        api: 'The bootstrap runs in the live system first. Then the node writes its disk and restarts: the API is away for some minutes, once.',
        'control-plane':
          'The node has started from its disk. What it asks for is approved there, by a service of its own.',
        complete: 'The operators move from the temporary control plane to the real one.',
        etcd: 'etcd goes on with the one member that it has.',
      },
    },
    failed: (code: number) => `openshift-install gave up with exit code ${code}`,
    failedFix:
      'Its time-out is not the end: the cluster goes on. Press Enter to watch again; if nothing changes for 15 minutes, look at the findings.',
  },
  removal: {
    nothing: 'nothing to remove: a single node is its own bootstrap',
    needed: 'bootstrap is still in the load balancer',
    done: 'bootstrap is out of the load balancer, and the API answers without it',
    tooEarly: 'the bootstrap is still needed',
    tooEarlyFix: 'Wait until the bootstrap step is done.',
    powerOff: (name: string) => `${name} can be switched off and given back`,
    verifyFailed: 'the load balancer does not answer without the bootstrap',
  },
  certificates: {
    toPowerOn: (count: number) => `${plural(count, 'machine')} to power on`,
    needed: (count: number) => `${plural(count, 'request')} to approve`,
    done: (count: number) =>
      count === 1
        ? 'the node joined, with a certificate for its planned address'
        : `all ${plural(count, 'node')} joined, with certificates for their planned addresses`,
    waiting: (joined: number, of: number) => `${joined} of ${of} nodes joined; waiting for the next requests`,
    refused: (name: string, node: string, reasons: string) => `Request ${name} for ${node} is refused: ${reasons}`,
    refusedFix:
      'It does not fit the design, and is not approved. Find out who sent it before you do anything with it; it disappears by itself after 24 hours.',
    approve: (name: string, kind: string) => `approve ${name} (${kind})`,
    approved: (name: string, node: string) => `approved ${name} for ${node}`,
    notIssued: (name: string, detail: string) => `${name}: ${detail}`,
    kinds: { client: 'to join', serving: 'to serve', other: 'other' },
  },
  operators: {
    start: 'openshift-install wait-for install-complete',
    needed: 'the wait for completion is to be started',
    done: (console: string) => `installed: ${console}`,
    waiting: (done: number, total: number, ready: number, all: number) =>
      total > 0
        ? `${Math.floor((done / total) * 100)} % of the release applied; ${ready} of ${all} operators available`
        : `${ready} of ${all} operators available`,
    degraded: (name: string) => `operator ${name} is degraded`,
    unavailable: (name: string) => `operator ${name} is not available`,
    degradedFix: (name: string) => `Look at what it says above, then: oc describe clusteroperator ${name}`,
    consoleUnknown: 'the console address is not known yet',
  },
  infra: {
    needed: (moves: string) => `to do: ${moves}`,
    done: 'router, registry and monitoring run on the infra nodes, and nothing else does',
    none: 'the design has no infra nodes: nothing to move',
    waiting: (move: string, why: string) => `${move}: ${why}`,
    blocked: (move: string) => `move ${move} is blocked`,
    failed: (move: string) => `move ${move} failed`,
    blockedFix: 'Put right what it says, then press Enter to go on from there.',
    moves: {
      label: 'label the nodes as infra',
      pool: 'make the machine config pool',
      'lb-add': 'add infra nodes to the load balancer',
      dns: 'let DNS run on infra nodes',
      router: 'move the router',
      registry: 'move the registry',
      monitoring: 'move monitoring',
      taint: 'keep everything else off',
      'lb-final': 'take compute nodes out of the load balancer',
    } as Readonly<Record<string, string>>,
    lbNeeded: (hosts: string) => `${hosts} to be updated`,
    lbDone: 'the load balancer has it',
    waitRouterFirst: 'the router has to move first',
    applying: (move: string) => `move ${move}`,
    timedOut: 'not finished within 15 minutes',
  },
  report: { needed: 'the report is to be written', done: (path: string) => `written to ${path}` },
} as const;
