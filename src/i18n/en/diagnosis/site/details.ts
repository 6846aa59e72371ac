import { formatUtc } from '../../../../platform/clock.ts';
import { SHORTCUTS } from '../../../shortcuts.ts';
import { joinNames, plural } from '../../ui.ts';
import { clocks } from './clocks.ts';
import { network, resolver } from './this-machine.ts';

/** The consequences of a release without its signature. */
const missingSignatureEffects = {
  cluster:
    'The cluster refuses the release without it: the Cluster Version Operator cannot start on another node, and no update works',
  node: 'Nodes refuse images without a signature at their first boot',
};

/** The consequences of a release whose signature the policy refuses. */
const refusedSignatureEffects = {
  cluster:
    'The cluster refuses the release: the Cluster Version Operator cannot start on another node, and no update works',
  node: 'Nodes refuse such images at their first boot',
};

/**
 * A signature that the policy of the release refuses. `signedReference`: digest or reference of the image that it
 * signs.
 */
type RefusedSignature =
  | { readonly state: 'broken' | 'other-key' }
  | { readonly state: 'other-image' | 'other-identity'; readonly signedReference: string };

function describeRefusal(refusal: RefusedSignature): string {
  switch (refusal.state) {
    case 'broken':
      return 'a file of it is missing or damaged';
    case 'other-key':
      return 'it is not by the key of the policy';
    case 'other-image':
      return `it is of another image, ${refusal.signedReference}`;
    case 'other-identity':
      return `it names another repository, ${refusal.signedReference}`;
  }
}

const toTag = (digest: string) => `${digest.replace(':', '-')}.sig`;

/** Returns the command that removes an address with its prefix length, which ip requires. */
const formatRemoveCommand = (address: string) =>
  `\`ip -o addr show to ${address} | while read -r _ dev _ found _; do ip addr del "$found" dev "$dev"; done\``;

/** Formats the remedy to replace nginx.conf by hand: install.sh does not, as only one boot server can have the port. */
const nginxConfRemedy = (host: string) =>
  `Use the generated nginx.conf. Run on ${host} as root: \`cp /root/upi-wizard/nginx.conf /etc/nginx/nginx.conf; nginx -t && systemctl reload nginx\``;

const describeMachine = (mac: string, node: string | null) =>
  node ?? `the machine with MAC address ${mac} (the table of MAC addresses of your switch shows its port)`;

/** Details of the results of site checks. */
export const details = {
  clocks,
  network,
  resolver,
  poolMembers: (names: readonly string[]) =>
    names.length === 0 ? 'its pool has no members' : `its pool has only ${joinNames(names)}`,
  loggedIn: 'this user’s key is accepted',
  rootAccess: 'root privileges without a password',
  noRootAccess: 'no password can be typed here',
  noSudo: {
    wrong: 'it has no sudo, and this user is not root',
    remedy: 'Log in there as root (User root in ~/.ssh/config), or install sudo, and let this user use it: `visudo`',
  },
  scriptFailed: 'the generated script fails there: run it by hand to see why',
  silentTimeServer: (server: string, networks: readonly string[]) =>
    `If ${server} is yours, start its time service (chronyd), add "allow ${networks[0]}" to its chrony.conf, and open UDP port 123 in its firewall. If another team runs it, ask them to do so. Or enter another time server on the Services page, write the files in Generate and apply them in Hosts.`,
  noTime: 'it does not report its time',
  notInPlace: 'the generated files are not in place there yet',
  noFile: 'it is not in place there, or cannot be read from here',
  asGenerated: 'as generated',
  changedLines: (count: number, line: number, got: string | null, want: string | null) =>
    [
      `${plural(count, 'line differs', 'lines differ')}, from line ${line}`,
      ...(got === null ? [] : [`there: "${got}"`]),
      want === null ? 'no such line was generated' : `generated: "${want}"`,
    ].join('; '),
  nothingMissing: 'everything is set',
  services: {
    runs: 'it runs',
    stopped: (unit: string, state: string) => `systemd reports that ${unit} is ${state}`,
    mayBeOff: 'it is not needed while the wizard serves the boot files',
    noProcess: 'no process of it runs there',
    notInPlace: 'the generated files are not in place there yet',
    current: 'it has loaded its files since their last change',
    noReadTime: 'it does not report when it loaded its files',
    outdated: (program: string, path: string, changed: Date, read: Date) =>
      `${path} was changed at ${formatUtc(changed.getTime(), 'second')} UTC, and ${program} loaded its files at ${formatUtc(read.getTime(), 'second')} UTC`,
    otherFileTitle: (file: string) => `it runs with a file other than the generated one: ${file}`,
    otherFile: (program: string, file: string, planned: string) =>
      `${program} was started with ${file}, and not with ${planned}`,
    restartRemedy: (program: string, unit: string) =>
      `Stop the process and start the service there as root: \`pkill -x ${program}; sleep 1; systemctl restart ${unit}\``,
    startRemedy: (unit: string) =>
      `Run there as root: \`systemctl restart ${unit}\`. If it does not start, read its log there: \`journalctl -u ${unit} -n 20\``,
    reloadRemedy: (command: string) =>
      `If the file is right, reload it there as root: \`${command}\`. The Hosts step and the host’s install.sh do the same.`,
  },
  serverAccess: {
    notRead: 'only root on the service host can read its files',
    fine: 'its configuration denies access to no node',
    refused: (nodes: readonly string[], statement: string, file: string) =>
      `${nodes.length > 4 ? `${joinNames(nodes.slice(0, 4))} and ${nodes.length - 4} more` : joinNames(nodes)} would be refused by "${statement}" in ${file}`,
    allow: (host: string, file: string, unit: string) =>
      unit === 'nginx'
        ? `${nginxConfRemedy(host)} If that nginx serves other things, too, add the addresses of these nodes to its ${file} instead, and run there as root: \`systemctl reload nginx\``
        : `Allow the addresses of these nodes in ${file}, and then run on ${host} as root: \`systemctl reload ${unit}\` Or put the generated ${file.slice(file.lastIndexOf('/') + 1)} in place again.`,
    otherInterface: (servedInterfaces: readonly string[], plannedInterface: string) =>
      `dhcpd serves ${joinNames(servedInterfaces)} only; the machine network is on ${plannedInterface}`,
    setInterface: (host: string, name: string) =>
      `On ${host} set INTERFACESv4="${name}" in /etc/default/isc-dhcp-server (on RHEL remove the interfaces from ExecStart of dhcpd.service), and run as root: \`systemctl restart isc-dhcp-server\` (on RHEL dhcpd)`,
    unreadable: (
      paths: readonly string[],
      user: string,
      at: { readonly path: string; readonly mode: number; readonly owner: string },
    ) =>
      `${user} cannot read ${joinNames(paths)}: ${at.path} has mode 0${at.mode.toString(8)} and belongs to ${at.owner}`,
    makeZoneReadable: (host: string, path: string, user: string) =>
      `Run on ${host} as root: \`chown :"$(id -gn ${user})" ${path}; chmod g+r ${path}; systemctl restart named\``,
    makeReadable: (host: string, path: string, isFolder: boolean) =>
      `Run on ${host} as root: \`chmod ${isFolder ? 'o+rx' : 'o+r'} ${path}\``,
  },
  /** In a rehearsal, whose hosts have no shell. */
  installAgainSimulated: (command: string) => `Press ${SHORTCUTS.setUp} on Hosts, or run: \`${command}\``,
  installAgain: (hosts: readonly string[], script: string) => `Run on ${joinNames(hosts)} as root: \`bash ${script}\`.`,
  reach: {
    noneOpen: 'no member answers this machine yet, so there is nothing to compare',
    all: (count: number) =>
      `it connects to the ${plural(count, 'port', 'ports')} of members that this machine connects to`,
    blocked: (
      balancer: string,
      members: readonly {
        readonly node: string;
        readonly host: string;
        readonly port: number;
        readonly isSilent: boolean;
      }[],
    ) =>
      `${balancer} does not reach ${joinNames(members.map(({ node, host, port, isSilent }) => `${node} ${host}:${port} (${isSilent ? 'no answer' : 'refused, or no route'})`))}; this machine does`,
    remedy: (balancer: string, host: string, port: number) =>
      `List the routes of ${balancer} to ${host}, the one in use first; run there: \`ip route get ${host}; ip route show to match ${host}\` Only the network of its interface and the default route belong in this list. Remove a blackhole or a route through a wrong router as root, with ip route del and the line as it is listed. Also remove it from the file that sets it. If the routes are right, let the firewall between the two pass TCP from ${balancer}. Try it there: \`timeout 3 bash -c '</dev/tcp/${host}/${port}'\``,
  },
  fromHosts: {
    notHere: 'it does not serve this machine either, so there is nothing to compare',
    notAsked: 'no other service host of the machine network could query it',
    served: (hosts: readonly string[]) => `it serves ${joinNames(hosts)} as it serves this machine`,
    ownList: (hosts: readonly string[]) =>
      `its own access list or firewall refuses ${joinNames(hosts)}; whether it admits the nodes is checked separately`,
    /** @param groups hosts by the answer that they got: null for no answer, empty if they could not connect */
    notServed: (groups: readonly { readonly hosts: readonly string[]; readonly answer: string | null }[]) =>
      `it serves this machine; ${groups
        .map(
          ({ hosts, answer }) =>
            `${joinNames(hosts)} ${hosts.length === 1 ? 'gets' : 'get'} ${answer === null ? 'no answer' : answer || 'no connection'}`,
        )
        .join(', ')}`,
    remedy: (address: string, host: string, command: string) =>
      `Find the firewall rule or access list that lets only this machine reach ${address}: on the server, and in the network between the two (security groups, the distributed firewall of vSphere, port ACLs of the switch). It has to let the whole machine network in. Try again on ${host}: \`${command}\` If it shows a MAC address other than the one shown on this machine, two machines have the address: \`ip neigh show ${address.replace(/:\d+$/, '')}\``,
  },
  virtualAddress: {
    notRead: 'this machine has no root access to the load balancers, so their state is unknown',
    runs: 'it runs',
    doesNotRun: (addresses: readonly string[]) =>
      `keepalived does not run there, so this host takes none of ${joinNames(addresses)}`,
    start: (host: string) =>
      `Run on ${host} as root: \`systemctl enable --now keepalived\`. If it does not stay up, see why: \`journalctl -u keepalived\``,
    heldBy: (host: string) => `${host} has it`,
    heldBySeveral: (hosts: readonly string[]) => `${hosts.join(' and ')} have it at the same time`,
    heldByNone: (hosts: readonly string[]) =>
      `${hosts.join(' and ')} ${hosts.length === 1 ? 'does' : 'do'} not have it`,
    rival: (line: string) => `keepalived receives the VRRP packets of another machine (${line})`,
    removeRival: (machine: string | null) =>
      `Find ${machine === null ? 'the machine that sends VRRP, with "tcpdump -ni any proto 112"' : machine}: its keepalived (or router) has the same virtual_router_id. Give it another virtual_router_id there, or stop it; the load balancer of this cluster then takes the address within seconds.`,
    fault: (line: string) => `keepalived released it (${line})`,
    nameInterface: (host: string, device: string | null) =>
      `Name the interface of ${host} that has its address. Run on ${host} as root: \`echo '$INTERFACE=${device ?? 'INTERFACE'}' >/etc/keepalived/upi-wizard-interface.conf; systemctl restart keepalived\``,
    repairFault: (host: string) =>
      `keepalived takes the address only while HAProxy answers on its status page. Run on ${host} as root: \`systemctl restart haproxy\`. If it fails, see why: \`journalctl -u haproxy -u keepalived\``,
    withoutReason: 'keepalived runs, and its journal gives no reason',
    reload: (host: string) =>
      `Put the generated keepalived.conf in place on ${host}, and run there as root: \`systemctl restart keepalived; journalctl -u keepalived\``,
    separate: (hosts: readonly string[]) =>
      `They do not receive each other’s VRRP packets. Put the generated keepalived.conf in place on ${hosts.join(' and ')} (the same virtual_router_id and authentication), and let IP protocol 112 (VRRP) through between them. Run there as root: \`systemctl restart keepalived\``,
    thisMachine: 'this machine',
    here: 'this machine',
    misplaced: (host: string) => `${host} has the address itself, but is not a load balancer`,
    removeAddress: (machine: string, address: string) =>
      `Run on ${machine} as root: ${formatRemoveCommand(address)} Remove the address from the files that set it, too (NetworkManager, /etc/network/interfaces, an old keepalived).`,
    noAnswer: 'nothing answers ARP for it here, or this machine is not on its network',
    answers: (host: string, mac: string) => `${host} answers (${mac})`,
    answersTwice: (host: string, mac: string, other: string | null) =>
      `${host} answers, and so does ${other === null ? `a machine that is not in the design (${mac})` : `${other} (${mac})`}: which of the two a client reaches varies`,
    unknownMac: (mac: string) => `${mac} answers; which machine has this MAC address cannot be checked from here`,
    foreignMac: (mac: string, node: string | null) =>
      `${mac} answers: ${node === null ? 'not a host or node of the design' : `the MAC address of ${node}`}`,
    removeMachine: (address: string, mac: string, node: string | null, balancer: string) =>
      `Find ${describeMachine(mac, node)}, and run there as root: ${formatRemoveCommand(address)} Remove the address from the files that set it, too (NetworkManager, /etc/network/interfaces). Then let the load balancer announce that it has the address. Run on ${balancer} as root: \`systemctl restart keepalived\``,
    stopKeepalived: (rival: string, mac: string, node: string | null) =>
      `${rival} runs keepalived with the virtual_router_id of the load balancer and a higher priority, and takes the address. Find ${describeMachine(mac, node)}, and run there as root: \`systemctl disable --now keepalived\` Then run on this machine as root: \`ip neigh flush all\` If that machine needs its keepalived, give it another virtual_router_id and other addresses.`,
  },
  packetFilter: {
    none: 'neither nft nor iptables is installed there: nothing filters packets',
    accepted: 'its firewall accepts the nodes on every port of its services',
    packets: (
      sources: readonly string[],
      destinations: readonly string[],
      protocol: string,
      ports: readonly number[],
    ) =>
      `${joinNames(sources)} to ${joinNames(destinations)}, ${ports.length === 0 ? `protocol ${protocol}` : `port ${ports.map((port) => `${port}/${protocol}`).join(', ')}`}`,
    blocked: (about: {
      readonly packets: string;
      readonly chain: string;
      readonly rule: string | null;
      readonly isReply: boolean;
      readonly isCertain: boolean;
    }) => {
      const { packets, chain, rule, isReply, isCertain } = about;
      const decision = rule === null ? `the policy of ${chain}` : `this rule of ${chain}: \`${rule}\``;
      if (!isCertain) return `${packets}: whether they pass depends on ${decision}`;
      return `${packets}: ${isReply ? 'the answer is dropped' : 'dropped'} by ${decision}`;
    },
    remedy: (host: string, commands: readonly string[], isLostOnReboot: boolean) =>
      [
        `Run on ${host} as root: \`${commands.join('; ')}\``,
        ...(isLostOnReboot
          ? [
              'To keep the rule after a restart, add it to the file that the rules are loaded from: /etc/nftables.conf, on RHEL /etc/sysconfig/nftables.conf. For iptables, write the output of iptables-save to /etc/iptables/rules.v4, on RHEL to /etc/sysconfig/iptables.',
            ]
          : []),
      ].join(' '),
  },
  needsLocalRoot: 'the host is this machine: only root can read its state (run the check with sudo)',
  noReply: 'no reply within 3 seconds',
  noService: 'it refuses queries, or nothing listens on its port 53',
  silentForwarders: (server: string, forwarders: readonly string[]) =>
    `${server} answers for its own zone, but its forwarder ${joinNames(forwarders)} answers neither it nor this machine`,
  /** @param name the public name that was queried */
  forwarderRemedy: (server: string, forwarders: readonly string[], name: string) =>
    `Ask the administrators of ${joinNames(forwarders)} to start the name server there, and to allow queries from ${server} on port 53 (UDP and TCP). This command then gets an answer: \`dig @${forwarders[0]} ${name}\` Or enter another forwarder on the Services page, then write the files in Generate and apply them in Hosts.`,
  slowForwarders: (server: string, name: string) =>
    `${server} answers for its own zone, and gave no answer for ${name} within 3 seconds`,
  refusesOthers: (name: string) =>
    `it refuses ${name}: for this machine it resolves only its own zones (recursion, allow-recursion)`,
  noUsableAnswer: 'it does not answer the query',
  hasNoLogin: 'the wizard has no login on the service hosts of this site',
  noSsh: 'ssh is not installed on this machine',
  notCreated: 'openshift-install has not created it yet',
  ignitionNotNeeded: 'not needed any more: the cluster runs without its bootstrap',
  noIgnition: 'it is not an ignition file with certificates',
  sameRun: 'it matches the other ignition files',
  copyIgnition: (host: string, command: string) =>
    `Copy the file of the install directory to the web server again; run on ${host}: \`${command}\``,
  servedHidden: 'the web server rightly refuses it to this machine, and there is no copy of it here to compare',
  servedFrom: (file: string) => `the boot server serves ${file}`,
  servedAs: (location: string, actual: string, expected: string) =>
    actual === expected
      ? `${location} is the same (sha256 ${actual}…)`
      : `${location} has sha256 ${actual}…, the file here ${expected}…`,
  servedInstead: {
    empty: 'it is empty',
    html: (title: string) => (title === '' ? 'it is an HTML page' : `it is an HTML page ("${title}")`),
    cut: (actual: number, expected: number) =>
      `it is truncated: ${plural(actual, 'byte', 'bytes')} of ${expected}, and the same up to there`,
    damaged: 'it is not JSON: it was truncated or changed',
    role: (name: string) => `it is ${name} under another name`,
    expired: (at: string) => `it is from an earlier run: its first certificates expired at ${at}`,
    otherRun: 'it is from another run of openshift-install: it has another CA',
    otherCluster: (actual: string) => `it is for another cluster: it points to ${actual}`,
    changed: 'it is from the same run, and was changed',
  },
  compressed: (encoding: string) =>
    `it is served with Content-Encoding: ${encoding}, which iPXE and coreos-installer do not unpack`,
  noCompression: (host: string) =>
    `${nginxConfRemedy(host)} If that nginx serves other things, too, or another web server does this, turn compression off there for this path (nginx: gzip off; gzip_static off; and no such add_header), and reload it.`,
  htmlInstead: 'an HTML page is served instead (Content-Type: text/html)',
  redirects: (status: number, to: string) => `it redirects with status ${status} to ${to}`,
  noRedirect: 'Serve the file at this URL itself: machines that boot may not follow redirects, especially to https.',
  sample: {
    all: 'the whole file is the same as here',
    ranges: 'its beginning, middle and end are the same as here (64 KiB each)',
    other: (at: number) => `its content differs from the file here, in the 64 KiB from byte ${at}`,
    otherFile: (path: string) =>
      `${path} differs from the file here. The check rhcos-sums shows whether the file here has the published sha256`,
    stalls: (bytes: number) =>
      `its headers arrive, but its data stops after ${plural(bytes, 'byte', 'bytes')}: full-size packets are lost on the way (MTU)`,
    notCompared: 'its content was not compared, because there is no copy here',
  },
  sameMtuRemedy:
    'Give all ports between this machine and the web server the same MTU, usually 1500. This shows that of each interface: `ip link`',
  copyAgain: (from: string, to: string) =>
    `Copy it to the web server again. If the web server is this machine: \`sudo install -m 0644 ${from} ${to}\``,
  expiry: (remainingTime: string, until: string) => `${remainingTime} left, until ${until}`,
  image: {
    ok: 'its sha256 is the published one',
    missing: 'it is not downloaded yet',
    wrong: 'its sha256 is not the published one',
    unchecked: 'this openshift-install does not report the expected sha256',
  },
  unknownBuild: 'their names do not contain the build',
  sameBuild: (build: string) => `all of build ${build}`,
  newerBuild: (build: string, release: string, version: string) =>
    `build ${build} is of ${release}; the design says ${version}`,
  otherLength: (servedBytes: number, localBytes: number) =>
    `${plural(servedBytes, 'byte is', 'bytes are')} served; the file here has ${localBytes}`,
  registry: {
    needsOnline: 'checked only with --online: the query leaves this site',
    noSecret: 'there is no pull secret that can be read',
    accepted: 'it accepts the login',
    noLogin: 'it requires no login',
    needsLogin: 'it requires a login, but the pull secret has none for it',
    insecureRealm: (host: string) => `its tokens would come from ${host} without TLS: no password is sent there`,
    proxyAnswered: (status: number) => `the proxy answers CONNECT with status ${status}`,
    bypassesProxy: (registry: string) => `${registry} is reached without it, because of noProxy`,
    reached: (registry: string) => `${registry} is reached through it`,
    viaProxy: (detail: string, proxy: string) => `${detail}, through the proxy ${proxy}`,
    untrusted: (endpoint: string, reason: string) =>
      `${endpoint} presents a certificate that nodes do not trust (${reason})`,
    onlyFromHere: (detail: string) => `${detail}; the nodes may have another route to it`,
    noRelease: (digest: string) => `it has the repository, but not the release ${digest}`,
    signatures: {
      none: (digest: string, verifiedBy: 'cluster' | 'node') =>
        `it has the release, but no signature of it in the tag ${toTag(digest)}. ${missingSignatureEffects[verifiedBy]}`,
      referrer: (digest: string, verifiedBy: 'cluster' | 'node') =>
        `it has the release, and its signature only as a referrer. Nodes read the tag ${toTag(digest)}. ${missingSignatureEffects[verifiedBy]}`,
    },
    releaseUnknown: (digest: string) => `it does not report whether it has the release ${digest}`,
    signatureUnknown: (digest: string) =>
      `it has the release, but does not report whether it has its signature, the tag ${toTag(digest)}`,
    signerUnknown: (digest: string) =>
      `it has the release and a signature, but it could not be determined whether the signature is valid: the policy of the release, or the signature in the tag ${toTag(digest)}, cannot be read`,
    refusedSignature: (digest: string, refusal: RefusedSignature, verifiedBy: 'cluster' | 'node') =>
      `it has the release, but the policy of the release refuses its signature in the tag ${toTag(digest)}: ${describeRefusal(refusal)}. ${refusedSignatureEffects[verifiedBy]}`,
    refusedImages: (
      images: readonly { readonly name: string; readonly verdict: RefusedSignature }[],
      queried: number,
    ) =>
      `it has the release and its signature; the policy of the release refuses the signature of ${images.length} of the ${plural(queried, 'image')} looked for: ${joinNames(images.map(({ name, verdict }) => `${name} (${describeRefusal(verdict)})`))}. ${refusedSignatureEffects.node}`,
    /**
     * @param images `totalCount`: images of the release; `queriedCount`: those that were looked for; null: none were
     */
    hasRelease: (isSigned: boolean, images: { readonly totalCount: number; readonly queriedCount: number } | null) =>
      `it has the release of openshift-install${isSigned ? ' and its signature' : ''}${images === null ? '' : `; ${images.queriedCount} of its ${plural(images.totalCount, 'image')} were looked for, and are there`}`,
    unsignedImages: (names: readonly string[], queried: number) =>
      `it has the release and its signature, but no signature of ${names.length} of the ${plural(queried, 'image')} that were looked for: ${joinNames(names)}. ${missingSignatureEffects.node}`,
    noImages: (names: readonly string[], queried: number) =>
      `it has the release, but lacks ${names.length} of the ${plural(queried, 'image')} that were looked for: ${joinNames(names)}`,
    remedies: {
      proxy: 'Check that the proxy in the design is correct, runs, and allows CONNECT to this registry.',
      untrusted:
        'Add the CA of this registry (or of the proxy that intercepts TLS) to the file that additionalTrustBundleFile of the design names.',
      login: 'Add the login of this registry: `podman login --authfile pull-secret.txt REGISTRY`',
      mirror: 'Copy the images to the mirror, or correct imageDigestSources of the design.',
      /** `repository` and `tag` (4.12.9-x86_64): those of the release. `hasSecret`: whether there is a pull secret. */
      releaseMirror: (
        mirror: string,
        {
          repository,
          tag,
          hasSecret,
        }: { readonly repository: string; readonly tag: string; readonly hasSecret: boolean },
      ) =>
        `Mirror the release: \`oc adm release mirror${hasSecret ? ' --registry-config pull-secret.txt' : ''} --from ${repository}:${tag} --to ${mirror} --to-release-image ${mirror}:${tag}\` If it is there under another name, correct the image mirrors on the Credentials page.`,
      /**
       * Without --remove-signatures=false, oc-mirror of 4.19 and 4.20 copies no signatures
       * (openshift/oc-mirror#1143, #1290).
       * @param minor 4.22
       * @param version 4.22.1; null if the design does not name the last number
       * @param isSigned whether the cluster or its nodes verify signatures
       */
      ocMirror: (registry: string, minor: string, version: string | null, isSigned: boolean) => {
        const only = version === null ? '' : `, minVersion: ${version}, maxVersion: ${version}`;
        const config = `{kind: ImageSetConfiguration, apiVersion: mirror.openshift.io/v2alpha1, mirror: {platform: {channels: [{name: stable-${minor}${only}}]}}}`;
        const reason = isSigned
          ? ', which copies signatures; `oc adm release mirror` and `oc image mirror` do not, and must not be used'
          : '';
        const option = isSigned ? ' --remove-signatures=false' : '';
        return `Mirror the release with oc-mirror v2${reason}: \`echo '${config}' > imageset-config.yaml\` \`oc mirror --v2 -c imageset-config.yaml --workspace file://mirror${option} docker://${registry}\` Then enter the pairs of source and mirror in mirror/working-dir/cluster-resources/idms-oc-mirror.yaml as image mirrors on the Credentials page.`;
      },
    },
  },
  hasRoute: 'the design gives it a gateway',
  noRoute: 'the design gives it no gateway',
  noKonnectivity: (detail: string) =>
    `${detail}: this release does not use it, or the bootstrap node has not started it yet`,
  wholeNetwork: 'all machines on this network',
  offered: (count: number, all: number) => `${count} of ${plural(all, 'node is', 'nodes are')} offered an address`,
  lease: (address: string, gateways: readonly string[]) =>
    gateways.length > 0 ? `${address}, gateway ${joinNames(gateways)}` : address,
  otherLease: (got: string, want: string) => `${got}; the design says ${want}`,
  otherGateway: (got: readonly string[], want: string) =>
    `gateway ${got.length > 0 ? joinNames(got) : 'none'}; the design says ${want}`,
  otherNameServers: (got: readonly string[], want: readonly string[]) =>
    `name servers ${got.length > 0 ? joinNames(got) : 'none'}; the design says ${joinNames(want)}`,
  noOffer: 'the server answers other machines, but not this MAC address',
  noDhcpAnswer: (server: string) => `the DHCP server ${server} does not answer`,
  bootFile: (file: string | null, server: string) => `${file ?? 'nothing'} from ${server}`,
  otherBoot: (got: string, want: string) => `${got}; the design says ${want}`,
  noHttpClient:
    'the offer lacks the option vendor-class-identifier "HTTPClient", and firmware that boots over HTTP ignores such an offer',
  firmware: {
    tftp: (code: number) => (code === 0 ? 'BIOS' : `UEFI over TFTP (architecture ${code})`),
    http: (code: number) => `UEFI over HTTP (architecture ${code})`,
    ipxe: () => 'iPXE',
  },
  optionsAsGenerated: 'as generated',
  options: {
    netmask: 'netmask',
    hostName: 'hostname',
    domain: 'domain',
    search: 'search list',
    time: 'time servers',
    other: (name: string, got: string, want: string) => `${name} ${got || 'none'}; the design says ${want || 'none'}`,
    mtu: (mtu: number) => `MTU ${mtu}; the generated configuration sets none, and machines use 1500`,
    lease: (seconds: number) => `lease time ${plural(seconds, 'second', 'seconds')}; generated: 86400`,
  },
  foreignOffer: (server: string, address: string, mac: string | null) =>
    `${server}${mac === null ? '' : ` (MAC address ${mac})`} offers ${address}`,
  noOtherServer: 'no other server answered within 3 seconds',
  dhcpUnmeasurable: {
    'not-here': 'this machine is not on the network of the DHCP server, so it cannot query the server',
    'same-host': 'this machine is the DHCP server, and cannot query itself as a relay agent would',
    'port-taken': 'the UDP port for the answers is in use on this machine',
    'not-permitted': 'a DHCP query requires root: run the check with sudo',
    unreachable: 'this machine cannot send to the DHCP server: it has no route, or its own firewall drops the packets',
  },
  expected: (want: readonly string[], got: readonly string[], detail: string) =>
    `${got.length > 0 ? joinNames(got) : detail}; the design says ${joinNames(want)}`,
  unexpectedAddress: (answers: readonly string[]) =>
    `${joinNames(answers)}; the design has no address of this IP version`,
  wildcard: (name: string, answers: readonly string[]) =>
    `${name} resolves to ${joinNames(answers)}, but must not exist`,
  otherMembers: (missing: readonly string[], extra: readonly string[]) =>
    [
      ...(missing.length > 0 ? [`missing: ${joinNames(missing)}`] : []),
      ...(extra.length > 0 ? [`not in the design: ${joinNames(extra)}`] : []),
    ].join('; '),
  otherTarget: (name: string, got: string, want: string) => `${name} is ${got}; the design says ${want}`,
  terminatesTls: 'it is in mode http, but TLS has to pass through it (mode tcp)',
  noStatusPage: 'the status page of HAProxy does not answer from here',
  bytes: (count: number) => plural(count, 'byte', 'bytes'),
  truncated: (count: number) => `only ${plural(count, 'byte', 'bytes')}: it is truncated, or is not a boot program`,
  answersTftp: 'it answers',
  noTftp: (server: string) => `the TFTP server ${server} does not answer`,
  notUefiProgram: 'it is not a UEFI program (MZ is missing at its beginning)',
  notIpxeScript: 'it does not begin with #!ipxe',
  duplicateLabels: (labels: readonly string[]) => `duplicate label: ${joinNames(labels)}`,
  unknownCommands: (commands: readonly string[]) => `unknown to iPXE: ${joinNames(commands)}`,
  missingLabels: (labels: readonly string[]) => `a jump to a label that does not exist: ${joinNames(labels)}`,
  missingTexts: (texts: readonly string[]) => `it lacks ${joinNames(texts)}`,
  packets: {
    silent: 'the machine does not answer, so which packets arrive is unknown',
    passed: 'packets of 1500 bytes arrive',
    /** @param small the sentence about a small MTU of the host's interface, if that is the reason; else null */
    lost: (size: number, passing: number, stalls: boolean, small: string | null) =>
      [
        ...(small === null ? [] : [small]),
        `packets of ${size} bytes are lost on the way, and packets of ${passing} bytes arrive`,
        ...(stalls ? ['connections open, and large answers hang'] : []),
      ].join('; '),
  },
  smallMtu: (host: string, device: string, mtu: number) => `${device} of ${host} has an MTU of ${mtu}`,
  raiseMtu: (host: string, device: string) =>
    `Run on ${host} as root: \`ip link set ${device} mtu 1500\` Then remove the MTU from the connection that sets it, or it comes back after a restart (NetworkManager, /etc/network/interfaces). If large packets are still lost, the port of the switch or the bridge that ${host} is connected to has a small MTU, too.`,
  silentMember: {
    up: (balancer: string, pool: string) => `${balancer}: ${pool} UP`,
    down: (balancer: string, pool: string, report: string, minutes: number | null, up: readonly string[]) =>
      `${balancer}: ${pool} ${report}${minutes === null ? '' : `, for ${plural(minutes, 'minute', 'minutes')}`}; ${joinNames(up)} UP`,
    notYet: (balancer: string, pool: string, report: string) =>
      `${balancer}: ${pool} ${report}; not all other members are up yet`,
    noOthers: 'the API does not answer on the other machines yet',
    onlyThis: (detail: string, others: readonly string[]) =>
      `${detail}; ${joinNames(others)} ${others.length === 1 ? 'answers' : 'answer'}`,
    remedies: {
      reachable: (balancer: string, address: string) =>
        `It answers this machine, but ${balancer} gets no answer: open its port for ${balancer} in the firewalls between them. Try it on ${balancer}: \`curl -kv https://${address}/readyz\``,
      refused: (address: string, port: number) =>
        `The machine is up and nothing listens on port ${port}. See why its API server does not run: \`ssh core@${address} sudo crictl ps -a --name 'kube-apiserver|etcd'\`, \`ssh core@${address} sudo journalctl -u kubelet -n 50\``,
      notReady: (address: string) =>
        `Its API server answers and is not ready. See why: \`curl -k 'https://${address}:6443/readyz?verbose'\``,
      silent: (address: string) =>
        `Look at the machine: power it on, and compare its network port, VLAN and address with the design; then \`ssh core@${address} sudo crictl ps -a\``,
    },
  },
  addressFree: 'no machine answers at this address',
  bmc: {
    trusted: (subject: string) => `answers with the certificate of ${subject}`,
    unverified: (subject: string) =>
      `answers with the certificate of ${subject}; nodes accept any certificate, as the file sets`,
    unreachable: (node: string) =>
      `The other node has to reach the BMC of ${node} at this address and port, usually on a network of its own. If only this machine cannot reach it, nothing has to change.`,
    foreign: (subject: string, issuer: string) =>
      `the certificate of ${subject} is from ${issuer}, which nodes do not trust`,
    outOfTime: (subject: string) => `the certificate of ${subject} is not valid at this time`,
    otherName: (names: readonly string[]) =>
      names.length === 0 ? 'the certificate has no name' : `the certificate is for ${joinNames(names)}`,
    untrusted:
      'Put a certificate for this address on the BMC, and its CA in the CA bundle file of the design (CA bundle policy Always). Or set certificateVerification: Disabled in the fencing credentials file: nodes then accept any certificate.',
  },
  machineReports: {
    subject: 'iPXE of the machines',
    none: 'no machine waits at its boot menu',
    asPlanned: (names: readonly string[]) => `${names.join(', ')}: as planned`,
  },
  otherMac: (name: string, address: string, actual: string) =>
    `If it is ${name} with a different MAC address, enter ${actual} as its MAC address on the Nodes page. Then write the files in Generate and apply them in Hosts. If it is another machine, give that one another address: the table of MAC addresses of your switch shows the port of ${actual}. It must not have ${address}.`,
  answeredByNode: (mac: string) => `its own machine answers (${mac})`,
  answeredByOtherMac: (actual: string, planned: string) => `${actual} answers; the design says ${planned}`,
  notLocal: 'this machine is not on its network, so this cannot be checked from here',
};
