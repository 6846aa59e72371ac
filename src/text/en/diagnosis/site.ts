import { plural } from '../plural.ts';

const list = (names: readonly string[]) => names.join(', ');

/** The checks of a site: `title` while it is right, `wrong` when it is not. A finding begins with what it is about. */
export const site = {
  checks: {
    'pull-secret-registry': {
      title: 'the pull secret opens the registry',
      wrong: 'the pull secret does not open the registry',
      remedy:
        'Download the pull secret again (console.redhat.com/openshift/install/pull-secret), or add the login of your mirror: podman login --authfile pull-secret.txt.',
      meaning: 'Nodes pull every image of the release with it.',
    },
    'registry-mirror': {
      title: 'the mirror has the repository',
      wrong: 'the mirror does not give the repository',
      remedy: 'Add the login of the mirror to the pull secret: podman login --authfile pull-secret.txt.',
      meaning: 'In place of quay.io, nodes pull the release from there.',
    },
    'registry-proxy': {
      title: 'the registry through the proxy',
      wrong: 'the proxy does not lead to the registry',
      remedy: 'Have the proxy let CONNECT to this registry through, or correct httpsProxy and noProxy of the design.',
      meaning: 'Nodes pull images through it.',
    },
    'host-login': {
      title: 'login over SSH',
      wrong: 'this user cannot log in over SSH',
      remedy: 'Copy your public key there: ssh-copy-id.',
      meaning: 'Files are copied and logs are read over SSH, without ever asking for a password.',
    },
    'host-rights': {
      title: 'root’s rights without a password',
      wrong: 'sudo asks for a password',
      remedy:
        'Run install.sh there yourself with sudo, or let this user use sudo without a password while you install (visudo).',
      meaning: 'install.sh runs as root.',
    },
    'host-clock': {
      title: 'its clock',
      wrong: 'its clock is another than that of this machine',
      remedy: 'Start chronyd there (or chrony), and look at its sources: chronyc sources.',
      meaning: 'Certificates are not valid on a machine whose clock is off, and logs do not fit together.',
    },
    'host-firewall': {
      title: 'its firewall lets in what it serves',
      wrong: 'its firewall may keep out what it serves',
      remedy:
        'Run /root/upi-wizard/firewall.sh there as root, unless a wider rule of yours (a service, a zone) lets it in already.',
      meaning: 'What a firewall keeps out looks like a machine that is off.',
    },
    'host-selinux': {
      title: 'SELinux allows what it serves',
      wrong: 'SELinux does not allow what it serves',
      remedy: 'Run /root/upi-wizard/selinux.sh there as root.',
      meaning: 'HAProxy cannot use the ports of the cluster otherwise, and files are refused with 403.',
    },
    'dns-server': {
      title: 'the name server answers',
      wrong: 'the name server does not answer',
      remedy: 'Start it, open port 53 (UDP and TCP) in its firewall, and look whether it listens on this address.',
      meaning: 'Nodes and people find the cluster through it.',
    },
    'dns-api': {
      title: 'name of the API',
      wrong: 'the name of the API is wrong',
      remedy: 'Put the generated zone in place and reload the name server.',
      meaning: 'oc, the console and the nodes reach the API by this name.',
    },
    'dns-api-int': {
      title: 'internal name of the API',
      wrong: 'the internal name of the API is wrong',
      remedy: 'Put the generated zone in place and reload the name server.',
      meaning: 'Nodes fetch their configuration and reach the API by this name.',
    },
    'dns-apps-wildcard': {
      title: 'wildcard of the routes',
      wrong: 'the wildcard of the routes is wrong',
      remedy:
        'Put the generated zone in place and reload the name server: every name below *.apps leads to the ingress.',
      meaning: 'Console, login and applications have names below it.',
    },
    'dns-nodes': {
      title: 'name of a node',
      wrong: 'the name of a node is wrong',
      remedy: 'Put the generated zone in place and reload the name server.',
      meaning: 'Nodes find each other by these names.',
    },
    'dns-hosts': {
      title: 'name of a service host',
      wrong: 'the name of a service host is wrong',
      remedy: 'Put the generated zone in place and reload the name server.',
    },
    'dns-reverse': {
      title: 'name of a node’s address',
      wrong: 'the address of a node has another name, or none',
      remedy: 'Put the generated reverse zone in place and reload the name server: one PTR record for each node.',
      meaning: 'A node without it may call itself localhost and never join.',
    },
    'dns-reverse-others': {
      title: 'name of an address',
      wrong: 'an address has another name, or none',
      remedy: 'Put the generated reverse zone in place and reload the name server.',
    },
    'dns-no-cluster-wildcard': {
      title: 'no wildcard at this level',
      wrong: 'a wildcard answers for every name',
      remedy: 'Remove the wildcard record: only *.apps may have one.',
      meaning: 'With it, names that must not exist lead somewhere, and the installation does not complete.',
    },
    'dns-upstream': {
      title: 'names of the internet',
      wrong: 'names of the internet are not resolved',
      remedy:
        'Check the forwarders of the design, and that the name server may reach them and answers the machine network.',
      meaning: 'Nodes fetch the release images by these names.',
    },
    'dns-resolver': {
      title: 'this machine resolves it',
      wrong: 'this machine resolves it otherwise',
      remedy: 'Make the cluster’s name server the first one of this machine (nmcli, /etc/resolv.conf).',
      meaning: 'openshift-install and oc run here and use these names.',
    },
    'dns-resolver-nodes': {
      title: 'this machine knows it',
      wrong: 'this machine does not know it, or otherwise',
      remedy: 'Make the cluster’s name server the first one of this machine (nmcli, /etc/resolv.conf).',
      meaning: 'Without it you need addresses to log in to nodes.',
    },
    'dhcp-server': {
      title: 'the DHCP server answers',
      wrong: 'the DHCP server answers none of the nodes',
      remedy:
        'Put the generated configuration in place, start the DHCP server, open UDP port 67 in its firewall, and read its log.',
      meaning: 'Machines get their addresses and what they start from it.',
    },
    'dhcp-leases': {
      title: 'the address that it is offered',
      wrong: 'it is offered another address, or none',
      remedy:
        'Put the generated DHCP configuration in place and restart the server; compare the MAC address with that of the machine.',
      meaning: 'A node that gets another address is not the node of the design, and gets no ignition file.',
    },
    'dhcp-boot': {
      title: 'what its firmware is told to start',
      wrong: 'its firmware is told to start something else',
      remedy: 'Put the generated DHCP configuration in place and restart the server.',
      meaning: 'The firmware loads this program from this server.',
    },
    'dhcp-foreign': {
      title: 'nobody else answers DHCP',
      wrong: 'another DHCP server answers',
      remedy:
        'Switch it off on this network, or have it ignore the MAC addresses of the nodes: a machine takes the first offer that it gets.',
      meaning: 'With two servers it is chance which address a machine gets.',
    },
    'lb-listens': {
      title: 'the load balancer listens',
      wrong: 'the load balancer does not listen',
      remedy:
        'Put the generated haproxy.cfg in place and reload HAProxy; look for the port in its firewall and in SELinux (haproxy_connect_any).',
      meaning: 'Everything that reaches the cluster comes through these ports.',
    },
    'lb-members': {
      title: 'members of the pool',
      wrong: 'the pool has other members',
      remedy: 'Put the generated haproxy.cfg in place and reload HAProxy.',
      meaning: 'A member that is missing or wrong stops the installation halfway.',
    },
    'lb-bootstrap-present': {
      title: 'the bootstrap node is a member',
      wrong: 'the bootstrap node is not a member',
      remedy: 'Put the haproxy.cfg of the stage install in place and reload HAProxy.',
      meaning: 'Until the bootstrap is complete it serves the API and the machine config.',
    },
    'boot-server': {
      title: 'the boot server answers',
      wrong: 'the boot server does not answer',
      remedy:
        'Start it (the wizard does in Prepare, or nginx with the generated file), and open its port in the firewall.',
      meaning: 'Machines fetch scripts, images and ignition files from it.',
    },
    'ipxe-script': {
      title: 'first boot script',
      wrong: 'the first boot script is not usable',
      remedy: 'Generate the files again, and have the boot server serve them.',
      meaning: 'Every machine that boots from the network runs it.',
    },
    'ipxe-nodes': {
      title: 'its boot script',
      wrong: 'its boot script is missing or not its own',
      remedy: 'Generate the files again, and have the boot server serve them.',
      meaning: 'It names the kernel, the disk and the ignition file of this machine.',
    },
    tftp: {
      title: 'boot program over TFTP',
      wrong: 'the boot program is not to be had over TFTP',
      remedy: 'Run the bastion’s install.sh, start the TFTP server, and open UDP port 69.',
      meaning: 'Firmware loads iPXE with it.',
    },
    'http-boot-program': {
      title: 'boot program over HTTP',
      wrong: 'the boot program is not to be had over HTTP',
      remedy: 'Run the bastion’s install.sh. Only firmware that boots over HTTP needs it.',
    },
    'http-artifacts': {
      title: 'RHCOS image',
      wrong: 'the RHCOS image is not served',
      remedy: 'Prepare fetches the images; from another web server, copy them below images/.',
      meaning: 'Every machine fetches it.',
    },
    'rhcos-sums': {
      title: 'RHCOS image, byte for byte',
      wrong: 'this RHCOS image is another than that of openshift-install',
      remedy: 'Prepare fetches it again; or fetch the file that openshift-install coreos print-stream-json names.',
      meaning: 'A machine that boots from it stops in the middle of its installation.',
    },
    'rhcos-build': {
      title: 'build of the RHCOS images',
      wrong: 'the RHCOS images are of several builds, or too new',
      remedy:
        'Fetch kernel, initramfs and root file system of one build, of this version of OpenShift or an older one.',
      meaning: 'The live system refuses the root file system of another build.',
    },
    'ignition-age': {
      title: 'the certificates in the ignition files last',
      wrong: 'the certificates in the ignition files end soon, or have ended',
      remedy:
        'Before the first machine boots, press Enter in Prepare: the files are made anew. A cluster that runs needs them no more.',
      meaning: 'They last 24 hours; whoever boots later than that never becomes a node.',
    },
    'ignition-run': {
      title: 'ignition file of this cluster',
      wrong: 'the ignition file is not of this cluster',
      remedy: 'Press Enter in Prepare: the files are made anew, all in one run.',
      meaning: 'A machine that trusts another authority waits for its configuration for ever.',
    },
    'ignition-same': {
      title: 'what is served is what openshift-install wrote',
      wrong: 'another ignition file is served than openshift-install wrote',
      remedy:
        'Copy the files of the install directory to the web server again; our boot server serves them from there.',
      meaning: 'An old copy leads machines to a cluster that does not exist any more.',
    },
    'ignition-served': {
      title: 'ignition file',
      wrong: 'the ignition file is not served',
      remedy: 'Prepare makes the ignition files and serves them.',
      meaning: 'A machine becomes a node with it. Only its own nodes may fetch it.',
    },
    'ip-conflict': {
      title: 'its address is free or its own',
      wrong: 'another machine has its address',
      remedy:
        'Find the machine with this MAC address and give it another address, or correct the MAC address in the design.',
      meaning: 'With two machines at one address neither can be reached.',
    },
    'ntp-servers': {
      title: 'time server',
      wrong: 'the time server does not answer, or its time is another',
      remedy: 'Check the time servers of the design, UDP port 123, and the clock of this machine.',
      meaning: 'Certificates are not valid on a machine whose clock is off.',
    },
    'api-clock': {
      title: 'clock of the API',
      wrong: 'the clock of the API is another than that of this machine',
      remedy: 'Compare both with a time server: chronyc tracking here, and on the control plane node.',
      meaning: 'Requests and certificates are refused when clocks differ.',
    },
    'bootstrap-route': {
      title: 'its network has a default route',
      wrong: 'its network has no default route',
      remedy: 'Give its machine network a gateway in the design.',
      meaning: 'It finds the address that it tells the nodes by its default route.',
    },
    'bootstrap-8091': {
      title: 'konnectivity',
      wrong: 'konnectivity is not reachable',
      remedy: 'Open TCP port 8091 between the machine networks.',
      meaning: 'Nodes are reached by the bootstrap’s API through it, in releases that have it.',
    },
    'ssh-hosts': {
      title: 'SSH',
      wrong: 'SSH does not answer',
      remedy: 'Start sshd there and open port 22, or copy the files to it in another way.',
    },
  },
  said: {
    loggedIn: 'this user’s key opens it',
    root: 'root’s rights without a password',
    noRoot: 'sudo asks for a password there, and nobody is here to type it',
    noClock: 'it does not say its time',
    notInPlace: 'the generated files are not in place there yet',
    nothingMissing: 'everything is set',
    notAsRoot: 'this machine itself: only root sees it (run the check with sudo)',
    noLook: 'this machine does not answer its own questions',
    noSsh: 'ssh is not installed on this machine',
    played: 'a rehearsed host has nothing to log in to',
    notMade: 'openshift-install has not made it yet',
    noIgnition: 'it is no ignition file with certificates',
    oneRun: 'it fits the others',
    servedUnseen: 'the web server keeps it from this machine, as it should, and has no copy of it here to compare',
    servedFrom: (file: string) => `the boot server gives ${file}`,
    servedAs: (where: string, found: string, wanted: string) =>
      found === wanted
        ? `${where} is the same (sha256 ${found}…)`
        : `${where} has sha256 ${found}…, the file here ${wanted}…`,
    lasts: (left: string, until: string) => `${left} left, until ${until}`,
    image: {
      ok: 'its sha256 is the published one',
      missing: 'it is not here yet',
      wrong: 'its sha256 is not the published one',
      unchecked: 'this openshift-install does not say what its sha256 has to be',
    },
    noBuild: 'their names do not say of which build they are',
    oneBuild: (build: string) => `all of build ${build}`,
    newerBuild: (build: string, release: string, version: string) =>
      `build ${build} is of ${release}; the design says ${version}`,
    otherLength: (served: number, here: number) =>
      `${plural(served, 'byte is', 'bytes are')} served; the file here has ${here}`,
    registry: {
      onlyOnline: 'asked with --online only: it leaves this site',
      noSecret: 'there is no pull secret that can be read',
      accepted: 'it takes the login',
      open: 'it asks for no login',
      needsLogin: 'it wants a login, and the pull secret has none for it',
      realm: (host: string) => `its tokens would come from ${host} without TLS: no password is sent there`,
      proxyAnswered: (status: number) => `the proxy answers CONNECT with status ${status}`,
      past: (registry: string) => `${registry} is reached without it, by noProxy`,
      reached: (registry: string) => `${registry} is reached through it`,
      through: (detail: string, proxy: string) => `${detail}, through the proxy ${proxy}`,
      fromHere: (detail: string) => `${detail}; nodes may have another way than this machine`,
      remedies: {
        proxy: 'Look whether the proxy of the design is right, runs, and lets CONNECT to this registry through.',
        untrusted:
          'Name the authority of this registry (or of the proxy that opens TLS) in additionalTrustBundleFile of the design.',
        mirror:
          'Mirror the release there (oc adm release mirror, oc-mirror), or correct imageDigestSources of the design.',
      },
    },
    hasRoute: 'the design gives it a gateway',
    noRoute: 'the design gives it no gateway',
    noTunnel: (detail: string) => `${detail}: this release does not use it, or the bootstrap is not so far`,
    everybody: 'everybody on this network',
    offered: (count: number, all: number) => `${count} of ${plural(all, 'node is', 'nodes are')} offered an address`,
    lease: (address: string, gateways: readonly string[]) =>
      gateways.length > 0 ? `${address}, gateway ${list(gateways)}` : address,
    otherLease: (got: string, want: string) => `${got}; the design says ${want}`,
    otherGateway: (got: readonly string[], want: string) =>
      `gateway ${got.length > 0 ? list(got) : 'none'}; the design says ${want}`,
    otherNameServers: (got: readonly string[], want: readonly string[]) =>
      `name servers ${got.length > 0 ? list(got) : 'none'}; the design says ${list(want)}`,
    noOffer: 'the server answers others, and not this MAC address',
    noOffers: (server: string) => `the DHCP server ${server} does not answer`,
    bootFile: (file: string | null, server: string) => `${file ?? 'nothing'} from ${server}`,
    otherBoot: (got: string, want: string) => `${got}; the design says ${want}`,
    foreignOffer: (server: string, address: string) => `${server} offers ${address}`,
    nobodyElse: 'nobody else answered within 3 seconds',
    dhcpUnseen: {
      'not-here': 'its network is not one of this machine, so nobody can ask from here',
      itself: 'this machine is the DHCP server, and cannot ask itself as a relay agent would',
      'port-taken': 'the UDP port for the answers is in use on this machine',
      'not-permitted': 'asking DHCP takes root: run the check with sudo',
      unreachable: 'no route leads to the DHCP server',
    },
    expected: (want: readonly string[], got: readonly string[], detail: string) =>
      `${got.length > 0 ? list(got) : detail}; the design says ${list(want)}`,
    wildcard: (name: string, answers: readonly string[]) => `${name} is ${list(answers)}, though nobody has this name`,
    otherMembers: (missing: readonly string[], more: readonly string[]) =>
      [
        ...(missing.length > 0 ? [`missing: ${list(missing)}`] : []),
        ...(more.length > 0 ? [`too many: ${list(more)}`] : []),
      ].join('; '),
    noStatusPage: 'the status page of HAProxy does not answer from here',
    bytes: (count: number) => plural(count, 'byte', 'bytes'),
    noScript: 'it does not begin with #!ipxe',
    labelTwice: (labels: readonly string[]) => `a label stands twice: ${list(labels)}`,
    noLabel: (labels: readonly string[]) => `a jump to a label that is not there: ${list(labels)}`,
    scriptLacks: (texts: readonly string[]) => `it lacks ${list(texts)}`,
    free: 'nobody answers at it',
    itself: (mac: string) => `its own machine answers (${mac})`,
    other: (found: string, planned: string) => `${found} answers; the design says ${planned}`,
    notLocal: 'its network is not one of this machine, so nothing is seen from here',
    offset: (milliseconds: number) => `${milliseconds} ms from the clock of this machine`,
  },
};
